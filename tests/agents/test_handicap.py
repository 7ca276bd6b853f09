"""What makes players weaker: draws that follow the softmax, and turns that look at each row for itself."""

from functools import cache

import numpy as np
import pytest

import agents
from agents.players import alphazero
from agents.positions.position import Position, information_of
from agents.turns import choose_placement, seat_to_act
from ofc_env import Hand, InformationSet

SEEDS = 4000
# Kings fit on top, where they foul: the middle has a pair of twos, and can have no more.
TEMPTING = information_of(
    Position(
        top="Kh",
        middle="2h 2d 5c 7s 9h",
        bottom="Ah Ad Tc Js 3s",
        opponent_top="4h 4d 8c",
        opponent_middle="5h 5d 6c 6s 8h",
        opponent_bottom="Th Td Jc Jh Qs",
        hand="Kd 3c 6d",
        discards="7c 8d 9c",
    )
)


def openings(count: int) -> list[InformationSet]:
    hands = [Hand(seed=seed) for seed in range(count)]
    return [hand.information(seat_to_act(hand)) for hand in hands]


@pytest.mark.parametrize("name", ["heuristic", "alphazero:sims=0"])
@pytest.mark.parametrize("turn", [1, 4])
def test_placements_are_drawn_from_the_softmax_of_the_values(name, turn, monkeypatch):
    monkeypatch.setattr(alphazero, "load_native", cache(alphazero.load_native))  # one network for all seeds
    hand = Hand(seed=11)
    while hand.turn < turn:
        hand.place(hand.placements()[0])
    known = hand.information(seat_to_act(hand))
    temperature = 2.0
    ranked = agents.make(name).rank(known)  # type: ignore[attr-defined]
    weights = np.exp((np.array([each.mean for each in ranked]) - ranked[0].mean) / temperature)
    expected = weights / weights.sum()
    slots = [each.actions[0] for each in ranked]
    join = "," if ":" in name else ":"
    drawn = [
        agents.make(f"{name}{join}temperature={temperature},seed={seed}").choose(known)  # type: ignore[attr-defined]
        for seed in range(SEEDS if name == "heuristic" else SEEDS // 8)
    ]
    found = np.array([drawn.count(slot) for slot in slots]) / len(drawn)
    error = np.sqrt(expected * (1 - expected) / len(drawn))
    assert (abs(found - expected) < 4.5 * error + 1e-9).all()


@pytest.mark.parametrize(
    ("name", "careful"),
    [
        ("heuristic:temperature=1,careless=0.5", "heuristic:careless=0.5"),
        ("alphazero:sims=0,temperature=1", "alphazero:sims=0"),
        ("alphazero:sims=6,temperature=1", "alphazero:sims=6"),
    ],
)
def test_what_is_played_is_ranked_first_and_the_others_as_ever(name, careful):
    agent, usual = agents.make(name), agents.make(careful)
    seen_lower = 0
    for known in openings(40):
        ranked = agent.rank(known)  # type: ignore[attr-defined]
        assert agent.choose(known) == ranked[0].actions[0]  # type: ignore[attr-defined]
        order = [each.placement for each in usual.rank(known)]  # type: ignore[attr-defined]
        order.remove(ranked[0].placement)
        assert [each.placement for each in ranked[1:]] == order
        seen_lower += ranked[0].mean < ranked[1].mean
    assert seen_lower > 5


def test_a_careless_turn_looks_at_each_row_for_itself():
    careful, careless = agents.make("heuristic"), agents.make("heuristic:careless=1")
    assert "Kd>t" in str(choose_placement(careless, TEMPTING))
    assert "Kd>t" not in str(choose_placement(careful, TEMPTING))


def test_both_steps_of_an_opening_are_careless_or_neither():
    makers = [agents.make(f"heuristic:careless={share}") for share in (0, 1, 0.5)]
    differing = careless = 0
    for known in openings(200):
        careful_one, careless_one, either = (choose_placement(agent, known) for agent in makers)
        assert either in (careful_one, careless_one)
        if careful_one != careless_one:
            differing += 1
            careless += either == careless_one
    assert differing > 50
    assert 0.3 < careless / differing < 0.7


def test_what_makes_no_sense_is_refused():
    for name, words in (
        ("heuristic:careless=2", "heuristic: careless is 2, outside 0 to 1"),
        ("heuristic:temperature=-1", "heuristic: temperature is -1, outside 0 to"),
        ("alphazero:temperature=-1", "alphazero: temperature is -1, outside 0 to"),
        ("heuristic:exact=on,careless=0.5", "exact=on solves the last turn"),
        ("heuristic:exact=on,temperature=1", "exact=on solves the last turn"),
    ):
        with pytest.raises(ValueError, match=words):
            agents.make(name)
