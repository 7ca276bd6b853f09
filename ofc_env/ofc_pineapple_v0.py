"""PettingZoo's versioned form of the environment: the observation, slots and rewards of version 0."""

from ofc_env.pettingzoo_env import env, raw_env, register

__all__ = ["env", "raw_env"]

register()
