"""The recipe of a champion: its steps, the record of a run, the verdict, and shipping."""
