"""The heuristic: the same answer one by one and in batches, no needless foul, errors in words."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.arena import MatchSettings, play_match
from agents.players.heuristic import HeuristicAgent
from ofc_env import Hand, RewardConfig, _core, solve_last_turn
from tests.self_play import decisions


def test_batches_and_single_questions_have_the_same_answers() -> None:
    positions = list(decisions(40))
    observations = np.stack([position.history[-1] for position in positions])
    masks = np.stack([position.hand.action_mask() for position in positions])
    agent = agents.make("heuristic")
    together = agent.act_batch(observations, masks)
    assert together.shape == (len(positions),)
    assert together.tolist() == [agent.act(position.observation) for position in positions]
    backwards = agent.act_batch(observations[::-1], masks[::-1])
    assert backwards[::-1].tolist() == together.tolist()
    assert masks[np.arange(len(positions)), together].all()


def test_it_plays_the_best_of_its_own_ranking() -> None:
    agent = HeuristicAgent()
    counts = set()
    for position in decisions(10, seed=1):
        ranking = agent.rank(position.information)
        values = [candidate.mean for candidate in ranking]
        assert values == sorted(values, reverse=True)
        assert agent.act(position.observation) in {
            candidate.actions[0] for candidate in ranking if candidate.mean == values[0]
        }
        placements = {candidate.placement for candidate in ranking}
        assert placements == set(position.hand.placements())
        counts.add(len(ranking))
    assert 232 in counts
    assert 27 in counts


def test_the_last_turn_never_fouls_without_need() -> None:
    avoided = 0
    for position in decisions(150, seed=2):
        if position.hand.turn < 4:
            continue
        outcomes = {}
        for slot in position.hand.legal_actions():
            ended = position.hand.clone()
            ended.step(slot)
            outcomes[slot] = ended.board(position.seat).fouled
        chosen = outcomes[agents.make("heuristic").act(position.observation)]
        assert chosen == all(outcomes.values())
        avoided += any(outcomes.values()) and not chosen
    assert avoided > 50


def test_exact_endings_are_the_solved_ones() -> None:
    agent = agents.make("heuristic:exact=on")
    for position in decisions(30, seed=3):
        if position.hand.turn < 4:
            continue
        values = solve_last_turn(position.hand)
        assert values[agent.act(position.observation)] == pytest.approx(max(values.values()), abs=1e-6)


def test_jokers_and_suits_mean_nothing_in_themselves() -> None:
    """The two jokers swapped, and two suits swapped, give the same value to the swapped placement."""
    suits_swapped = [*range(13, 26), *range(13), *range(26, 54)]
    jokers_swapped = [*range(52), 53, 52]
    heuristic = _core.Heuristic()
    for mapping in (suits_swapped, jokers_swapped):
        for position in decisions(6, seed=4):
            numbers = position.history[-1]
            mapped = numbers.copy()
            mapped[:486] = numbers[:486].reshape(54, 9)[np.argsort(mapping)].reshape(-1)
            values = {
                _mapped_key(each.placement, list(range(54))): each.mean for each in heuristic.rank(mapped)
            }
            for each in heuristic.rank(numbers):
                assert values[_mapped_key(each.placement, mapping)] == pytest.approx(each.mean, abs=1e-4)


def _mapped_key(placement, mapping: list[int]) -> tuple:
    piles = (placement.top, placement.middle, placement.bottom, placement.discards)
    return tuple(tuple(sorted(mapping[card] for card in pile)) for pile in piles)


def test_it_beats_random_play_clearly() -> None:
    result = play_match("heuristic", "random", deals=150, settings=MatchSettings(progress=False))
    assert result.equity.low > 6


def test_what_fantasyland_is_worth_changes_how_it_plays() -> None:
    """Paid nothing for fantasyland it wins it less often."""
    settings = MatchSettings(progress=False)
    points = HeuristicAgent(reward="points")
    result = play_match("heuristic", points, deals=400, settings=settings)
    assert result.sides[0].overall.fantasyland.mean > result.sides[1].overall.fantasyland.mean + 0.03


def test_weights_change_how_it_plays() -> None:
    shipped = list(_core.Heuristic.default_weights)
    same, careful = (
        agents.make("heuristic", weights=weights) for weights in (shipped, [*shipped[:4], 40.0, *shipped[5:]])
    )
    observations = np.stack([position.history[-1] for position in decisions(20, seed=5)])
    masks = np.ones((len(observations), 150), np.int8)
    wanted = agents.make("heuristic").act_batch(observations, masks)
    assert (same.act_batch(observations, masks) == wanted).all()
    settings = MatchSettings(progress=False)
    result = play_match(careful, same, deals=300, settings=settings)
    assert result.sides[0].overall.foul.mean < result.sides[1].overall.foul.mean - 0.05


def test_playing_out_is_fixed_by_the_seed() -> None:
    hand = next(position.hand for position in decisions(1) if position.hand.turn == 1)
    heuristic = _core.Heuristic()
    mean = heuristic.play_out(hand, 200, seed=5)
    assert mean == heuristic.play_out(hand, 200, seed=5)
    assert mean != heuristic.play_out(hand, 200, seed=6)
    assert mean != heuristic.play_out(hand, 200, seed=5, random=True)
    own = heuristic.play_out(hand, 4000, seed=7, random=True)
    flipped = _core.Heuristic(RewardConfig.preset("points")).play_out(hand, 4000, seed=7, random=True)
    assert abs(own - flipped) < 2  # random play wins fantasyland too rarely to matter much


def test_errors_are_sentences() -> None:
    finished = Hand(seed=1)
    while not finished.finished:
        finished.step(finished.legal_actions()[0])
    heuristic = _core.Heuristic()
    idle = Hand(seed=1).observation(1)[None]  # seat 1 is not to act
    for attempt, words in (
        (lambda: heuristic.actions(np.zeros((3, 7), np.float32)), "490"),
        (lambda: heuristic.actions(np.zeros(490, np.float32)), "490"),
        (lambda: heuristic.actions(idle), "not to act"),
        (lambda: heuristic.play_out(finished, 10), "finished"),
        (lambda: _core.Heuristic(reward="gold"), "gold"),
        (lambda: agents.make("heuristic:depth=3"), "depth"),
        (lambda: agents.make("heuristic", weights=[1.0, 2.0]), "2"),
    ):
        with pytest.raises(ValueError, match=words) as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
