"""The parts of `experiments/behaviour_cloning.py`: data, training, metrics and their ceiling."""
