"""Shells for other ecosystems. Importing this package names `OFCPineapple-v0` in Gymnasium's registry.

`gymnasium.make("wrappers:OFCPineapple-v0")` and `make_vec("wrappers:OFCPineapple-v0", num_envs=256)` import
it by themselves. `wrappers.sb3_vec_env` needs Stable-Baselines3 and is imported on its own.
"""

import gymnasium

from ofc_env.hidden import verify_neighbours

verify_neighbours(__file__, "agents")

from wrappers.gymnasium_env import OFCPineappleEnv  # noqa: E402
from wrappers.vector_env import OFCPineappleVectorEnv  # noqa: E402

__all__ = ["OFCPineappleEnv", "OFCPineappleVectorEnv"]

if "OFCPineapple-v0" not in gymnasium.registry:
    gymnasium.register(
        id="OFCPineapple-v0",
        entry_point="wrappers.gymnasium_env:OFCPineappleEnv",
        vector_entry_point="wrappers.vector_env:OFCPineappleVectorEnv",
    )
