"""Seeds give what they gave when they were written down: hands of agents, matches, environments, solvers.

A thousand hands of each are for `make prove`; a training run is repeatable to the bit on one kind of
processor only, so `python -m tests.goldens check training` is for whoever has that one.
"""

import json

import pytest

from tests import goldens

# What torch sums may differ in its last digits with the place in memory, so its agents are compared by hand.
NATIVE = [name for name in goldens.AGENTS if name not in ("bc", "ppo")]


@pytest.mark.parametrize("part", ["game", "match"])
def test_environments_solvers_and_matches(part: str) -> None:
    found = json.loads(json.dumps(goldens.PARTS[part]()))
    assert found == goldens.read(part)


@pytest.mark.parametrize("name", NATIVE)
def test_hands_of_an_agent(name: str) -> None:
    assert goldens.agent_hands(name, goldens.BLOCK) == goldens.read("hands")[name][:1]


@pytest.mark.prove
@pytest.mark.parametrize("name", NATIVE)
def test_a_thousand_hands_of_an_agent(name: str) -> None:
    assert goldens.agent_hands(name) == goldens.read("hands")[name]
