"""The parts of `experiments/alphazero.py`: settings, workers, learning, checkpoints, report."""
