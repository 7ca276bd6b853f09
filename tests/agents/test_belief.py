"""Belief over the opponent's discards: nearer to the truth than even odds, and harmless otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.players.pimc import PimcAgent
from agents.players.search import SearchAgent
from ofc_env import InformationSet, _core
from tests.self_play import Decision, decisions


def late_positions(hands: int, player: str = "heuristic", seed: int = 0) -> list[Decision]:
    """The last decision of each seat: the opponent has thrown three or four cards by then."""
    return [position for position in decisions(hands, player, seed) if position.hand.turn == 4]


def advantage(position: Decision, **settings) -> float:
    """Log-likelihood of the true discards by the belief, less that of even odds, in nats."""
    belief = _core.Belief(position.information, **settings)
    unseen = position.information.unseen
    believed, uniform = belief.log_likelihood(unseen, position.opponent_discards)
    return believed - uniform


def test_the_truth_is_likelier_than_by_chance() -> None:
    positions = late_positions(120)
    assert len(positions) == 240
    gains = np.array([advantage(position) for position in positions])
    error = gains.std() / np.sqrt(len(gains))
    assert gains.mean() > 0.4  # measured 0.62 nats
    assert gains.mean() > 10 * error


def test_it_holds_for_an_opponent_that_is_not_its_model() -> None:
    """A search plays unlike the heuristic that the belief imagines, and is still seen through a little."""
    gains = np.array([advantage(position) for position in late_positions(20, "pimc:rollouts=60", seed=1)])
    assert gains.mean() > 3 * gains.std() / np.sqrt(len(gains))


def test_against_random_play_little_is_lost() -> None:
    gains = np.array([advantage(position) for position in late_positions(60, "random", seed=2)])
    assert gains.mean() > -0.3  # the floor keeps every card possible


def test_weights_fit_what_is_seen() -> None:
    for position in late_positions(10, seed=3):
        belief = _core.Belief(position.information)
        assert belief.turns == len(position.opponent_discards) == (3 if position.first_to_act else 4)
        unseen = set(position.information.unseen)
        for turn in range(1, belief.turns + 1):
            weights = belief.weights(turn)
            assert len(weights) == 54
            if any(weights):
                assert {card for card in range(54) if weights[card] > 0} == unseen  # a floor for each


def test_the_likelihood_is_a_distribution() -> None:
    """Over all first discards the probabilities add up to 1; with even odds they are all equal."""
    position = late_positions(1, seed=4)[0]
    belief = _core.Belief(position.information)
    unseen = position.information.unseen
    found = np.array([belief.log_likelihood(unseen, [card]) for card in unseen])
    assert np.exp(found).sum(axis=0) == pytest.approx([1, 1])
    assert np.ptp(found[:, 0]) > 0.5
    assert found[:, 1] == pytest.approx(-np.log(len(unseen)))


def test_degenerate_weights_fall_back_to_even_odds() -> None:
    """Asked for more than all the cards, every turn is degenerate and nothing is believed."""
    for position in late_positions(10, seed=5):
        strict = _core.Belief(position.information, smallest_share=1.01)
        for turn in range(1, strict.turns + 1):
            assert not any(strict.weights(turn))
        assert advantage(position, smallest_share=1.01) == 0
    sharp = [
        any(_core.Belief(position.information, temperature=0.01, floor=0.0, smallest_share=0.5).weights(turn))
        for position in late_positions(20, seed=5)
        for turn in (1, 2, 3)
    ]
    assert 0 < sum(sharp) < len(sharp)  # some turns leave few cards, some leave many


def test_without_memory_nothing_is_believed() -> None:
    """One observation does not hold the order of placements: the seat's earlier decisions are needed."""
    for position in late_positions(5, seed=6):
        alone = _core.Belief(InformationSet.from_observation(position.history[-1]))
        assert all(not any(alone.weights(turn)) for turn in range(1, alone.turns + 1))
    first = next(iter(decisions(1, seed=6)))
    assert _core.Belief(first.information).turns == 0
    for position in decisions(1, seed=6, width=15):
        assert _core.Belief(position.information).turns == 0  # a fantasyland board lies face down


def test_agents_remember_one_hand_only() -> None:
    agent = PimcAgent(rollouts=100, belief=True)
    assert isinstance(agent, SearchAgent)
    assert agent.remembers
    assert not PimcAgent(rollouts=100).remembers
    positions = [position for position in decisions(2, seed=7) if position.seat == 0]
    for position in positions:  # the second hand begins without a reset
        agent.act(position.observation)
        alone = InformationSet.from_observation(position.history[-1])
        assert agent.known(alone) == position.information
        assert len(agent.known(alone).history) == len(position.history) - 1
    agent.reset()
    assert agent.known(alone).history == []


@pytest.mark.parametrize("name", ["pimc:rollouts=300,belief=on", "ismcts:simulations=300,belief=on"])
def test_belief_is_used_by_the_searches(name: str) -> None:
    """Somewhere the weighted worlds lead to other means than even ones."""
    believing, even = agents.make(name), agents.make(name.replace("belief=on", "belief=off"))
    differ = 0
    for position in decisions(3, seed=8):
        if position.seat == 0:
            answers = [agent.rank(position.information) for agent in (believing, even)]  # type: ignore[attr-defined]
            means = [{each.placement: each.mean for each in ranking} for ranking in answers]
            differ += means[0] != means[1] and 2 <= position.hand.turn <= 3
    assert differ > 0


def test_errors_are_sentences() -> None:
    position = late_positions(1, seed=9)[0]
    belief = _core.Belief(position.information)
    for attempt, words in (
        (lambda: _core.Belief(position.information, temperature=0), "temperature"),
        (lambda: _core.Belief(position.history), "490"),  # type: ignore[arg-type]
        (lambda: belief.weights(0), "turn 0"),
        (lambda: belief.weights(9), "turn 9"),
        (lambda: belief.log_likelihood("Zz", "2h"), "Zz"),
    ):
        with pytest.raises(ValueError, match=words) as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
