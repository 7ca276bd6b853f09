"""The parts of `experiments/ppo.py`: settings, policies, opponents, checkpoints, evaluation."""
