"""Empty infos around the environment, and nothing else changed."""

from typing import Any

import numpy as np

import ofc_env
from wrappers.without_infos import WithoutInfos


def test_only_the_infos_are_gone():
    plain: Any = ofc_env.env()
    bare = WithoutInfos(ofc_env.env())
    plain.reset(seed=3)
    bare.reset(seed=3)
    draw = np.random.default_rng(1)
    for agent in plain.agent_iter():
        assert bare.agent_selection == agent
        seen, *said, info = plain.last()
        other, *also, nothing = bare.last()
        assert said == also
        assert "results" in info
        assert nothing == {}
        assert bare.infos == {"player_0": {}, "player_1": {}}
        for name, array in seen.items():
            np.testing.assert_array_equal(array, other[name])
        slot = None if said[1] else int(draw.choice(np.flatnonzero(seen["action_mask"])))
        plain.step(slot)
        bare.step(slot)
    assert bare.agents == []
