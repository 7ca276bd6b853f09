"""Scripts a person runs; each reads top to bottom and starts with `python experiments/<name>.py`."""
