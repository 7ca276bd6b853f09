"""Shells for other ecosystems. Importing this package names `OFCPineapple-v0` in Gymnasium's registry.

`gymnasium.make("wrappers:OFCPineapple-v0")` and `make_vec("wrappers:OFCPineapple-v0", num_envs=256)` import
it by themselves. `wrappers.sb3_vec_env` needs Stable-Baselines3 and is imported on its own.
"""

import gymnasium

from wrappers.gymnasium_env import OFCPineappleEnv
from wrappers.vector_env import OFCPineappleVectorEnv

__all__ = ["OFCPineappleEnv", "OFCPineappleVectorEnv"]

if "OFCPineapple-v0" not in gymnasium.registry:
    gymnasium.register(
        id="OFCPineapple-v0",
        entry_point="wrappers.gymnasium_env:OFCPineappleEnv",
        vector_entry_point="wrappers.vector_env:OFCPineappleVectorEnv",
    )
