"""The process that AI seats think in, and what it is asked: moves, hints, reviews."""
