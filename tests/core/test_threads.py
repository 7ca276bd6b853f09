"""One object used by several threads gives the answers of one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import agents
from ofc_env import BatchEnv, _core
from tests.self_play import decisions
from tests.trained_networks import random_network

THREADS = 4
POSITIONS = [decision.information for decision in decisions(3, seed=4)]
POSITIONS += [decision.information for decision in decisions(2, seed=5, width=15)]


def together(work: Callable[[int], Any]) -> list[Any]:
    """What the work gives in several threads at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: _core.Pimc(rollouts=60),
        lambda: _core.Pimc(rollouts=40, belief=True, leaf="random"),
        lambda: _core.Ismcts(simulations=80),
        lambda: _core.NetworkSearch(random_network().native(), sims=40),
        lambda: _core.NetworkSearch(random_network().native(), sims=300, root="tree", exact=False, threads=2),
        lambda: _core.Heuristic(),
    ],
)
def test_a_search_shared_by_threads(make: Callable[[], Any]) -> None:
    def answers(search: Any) -> list[Any]:
        if isinstance(search, _core.Heuristic):
            return [search.rank(position) for position in POSITIONS]
        return [search.search(position, 3) for position in POSITIONS]

    alone, shared = answers(make()), make()
    for found in together(lambda _: answers(shared)):
        assert found == alone


def test_the_second_step_of_an_opening_needs_no_memory() -> None:
    steps = [position for position in POSITIONS if position.opening_step]
    assert steps
    fresh = [_core.Ismcts(simulations=60).choose(position, 1) for position in steps]
    search = _core.Ismcts(simulations=60)
    for position in POSITIONS:  # as they are played, first steps before second ones
        choice = search.choose(position, 1)
        if position.opening_step:
            assert choice == fresh[steps.index(position)]


def test_a_batch_stepped_by_threads_is_never_torn() -> None:
    batch = BatchEnv(64, seed=1)

    def steps(thread: int) -> int:
        refused = 0
        for _ in range(300):
            try:
                batch.step(batch.random_actions())
            except ValueError as refusal:  # another thread has moved on in between: said, and nothing moved
                refused += "environment" in str(refusal)
        return refused

    together(steps)
    for table in range(64):
        hand = batch.hand(table)
        assert np.array_equal(hand.observation(int(batch.players[table])), batch.observations[table])
        assert np.array_equal(hand.action_mask(), batch.action_masks[table])


def test_one_agent_in_threads() -> None:
    agent = agents.make("alphazero:sims=30")
    assert isinstance(agent, agents.base.InformedAgent)
    alone = [agent.choose(position) for position in POSITIONS]
    for found in together(lambda _: [agent.choose(position) for position in POSITIONS]):
        assert found == alone
