"""PettingZoo's versioned form of the environment: the observation, slots and rewards of version 0.

Importing it names the environment in PettingZoo's registry: after `from ofc_env import ofc_pineapple_v0`,
`pettingzoo.make("aec", "ofc_pineapple_v0")` builds it too.
"""

from ofc_env.pettingzoo_env import env, raw_env

__all__ = ["env", "raw_env"]
