"""Rankings of any agent: every placement once, best first, in the same worlds, and repeatable."""

import json

import pytest

import agents
import ofc_env
from agents import Agent
from agents.positions.position import Position, observation_of, with_mask
from agents.positions.ranking import candidate_dict, play_out, rank, rank_by_playouts, ranking_table
from agents.turns import seat_to_act
from ofc_env import Candidate
from tests.players import FirstSlot


def observation(hand):
    return {"observation": hand.observation(seat_to_act(hand)), "action_mask": hand.action_mask()}


def hand_on_turn(turn, seed=5):
    hand = ofc_env.Hand(seed=seed)
    while hand.turn < turn:
        hand.step(hand.legal_actions()[0])
    return hand


@pytest.mark.parametrize("turn", [0, 1, 4])
def test_every_placement_once_best_first(turn):
    hand = hand_on_turn(turn)
    ranking = rank(agents.make("random"), observation(hand), worlds=3)
    assert {candidate.placement for candidate in ranking} == set(hand.placements())
    assert len(ranking) == len(hand.placements())
    means = [candidate.mean for candidate in ranking]
    assert means == sorted(means, reverse=True)
    for candidate in ranking:
        assert list(candidate.actions) == hand.actions_of(candidate.placement)
        assert candidate.rollouts == 3
        assert 0 <= candidate.foul <= 1
    assert rank(agents.make("random"), observation(hand), worlds=3) == ranking


def test_the_second_step_of_an_opening_is_ranked_too():
    hand = ofc_env.Hand(seed=1)
    hand.step(hand.legal_actions()[3])
    ranking = rank_by_playouts(FirstSlot(), observation(hand), worlds=2)
    assert all(len(candidate.actions) == 1 for candidate in ranking)
    assert {candidate.actions[0] for candidate in ranking} == set(hand.legal_actions())


def test_a_sure_thing_is_known():
    """The last two cards make a royal flush against a board that is complete: one row lost, two won."""
    position = Position(
        top="2c 3d 5h",
        middle="Kd Kc 4h 4s 7c",
        bottom="Th Jh Qh",
        discards="2s 3s 6s",
        hand="Kh Ah 9c",
        opponent_top="6c 8d 8c",
        opponent_middle="9d 9s Td Jc 7h",
        opponent_bottom="Ad Ac As 5c 5d",
    )
    best, *others = rank_by_playouts(agents.make("random"), with_mask(observation_of(position)), worlds=4)
    assert str(best.placement) == "Kh>b Ah>b 9c>x"
    assert (best.foul, best.royalties, best.error) == (0, 25, 0)
    assert best.mean == 1 + 25 - 6 - 3
    assert {candidate.mean for candidate in others if candidate.foul == 1} == {-6 - 6 - 3}
    assert any(candidate.foul == 1 for candidate in others)


def test_an_agents_own_ranking_is_preferred():
    class Explains(Agent):
        def act(self, observation):
            return 0

        def rank(self, information):
            asked.append(information)
            return [candidate]

    asked: list[ofc_env.InformationSet] = []
    candidate = Candidate(ofc_env.Placement.parse("Ah>t"), (0,), mean=1.0, error=0.0)
    hand = ofc_env.Hand(seed=1)
    known = hand.information(seat_to_act(hand))
    assert rank(Explains(), observation(hand)) == rank(Explains(), known) == [candidate]
    assert asked == [known, known]


def test_play_out_finishes_hands():
    hands = [ofc_env.Hand(seed=seed) for seed in range(5)]
    play_out(agents.make("random"), hands)
    assert all(hand.finished for hand in hands)


def test_refusals():
    hand = ofc_env.Hand(seed=1)
    with pytest.raises(ValueError, match="0 worlds cannot rank"):
        rank_by_playouts(FirstSlot(), observation(hand), worlds=0)
    unasked = observation(hand) | {"observation": hand.observation(1 - seat_to_act(hand))}
    with pytest.raises(ValueError, match="holds no cards"):
        rank_by_playouts(FirstSlot(), unasked)


def test_tables():
    placement = ofc_env.Placement.parse("Ah>t Kd>b 2c>x")
    unknown = Candidate(placement, (3,), mean=1.5, fantasyland=0.25)
    worse = Candidate(
        placement, (4,), mean=1.0, error=0.5, rollouts=10, foul=0.5, fantasyland=0.0, royalties=2.0
    )
    lines = ranking_table([unknown, worse], limit=1).splitlines()
    assert lines[1].split() == ["1", "Ah>t", "Kd>b", "2c>x", "+1.50", "-", "0.00", "-", "25.0%", "-", "0"]
    assert lines[2].strip() == "… and 1 more"
    assert "-" not in ranking_table([worse], limit=None).splitlines()[1]
    data = candidate_dict(unknown)
    assert json.loads(json.dumps(data, allow_nan=False))["foul"] is None
    assert data["actions"] == [3]
    assert ranking_table([])
