"""Seeds give what they gave when they were written down: hands of every agent, matches, environments, solvers.

The whole of it is `python -m tests.goldens check`, in `make prove`; a training run to the bit is repeatable on
one kind of processor only, so that its part is checked by hand.
"""

import json

import pytest

from tests import goldens


@pytest.mark.parametrize("part", ["game", "match"])
def test_environments_solvers_and_matches(part: str) -> None:
    found = json.loads(json.dumps(goldens.PARTS[part]()))
    assert found == goldens.read(part)


@pytest.mark.parametrize("name", goldens.AGENTS)
def test_hands_of_an_agent(name: str) -> None:
    assert goldens.agent_hands(name, goldens.BLOCK) == goldens.read("hands")[name][:1]


@pytest.mark.prove
@pytest.mark.parametrize("name", goldens.AGENTS)
def test_a_thousand_hands_of_an_agent(name: str) -> None:
    assert goldens.agent_hands(name) == goldens.read("hands")[name]
