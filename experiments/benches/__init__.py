"""The rows of `experiments/bench.py`, by part of the project."""
