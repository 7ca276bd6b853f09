"""Scripts a person runs; each reads top to bottom and starts with `python -m experiments.<name>`."""
