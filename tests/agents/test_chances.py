"""Chances and hints: no hidden card is used, and what is certain is said to be."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from agents.chances import chances, hint
from agents.positions.position import Position, information_of
from agents.review import Effort, Judge
from agents.review.hands import Played
from agents.turns import seat_to_act
from ofc_env import Hand, InformationSet, Placement, Rules

QUICK = Effort(simulations=40, worlds=24, played_on=8, shown=4, boards=12, redeals=8, openings=32)


@cache
def judge() -> Judge:
    return Judge(effort=QUICK)


def positions(seed: int, widths: tuple[int, int] = (0, 0)) -> list[Hand]:
    """Every decision of a hand, played by the judge's network."""
    hand, found = Hand(seed=seed, button=seed % 2, fantasyland=widths), []
    while not hand.finished:
        found.append(hand.clone())
        hand.place(judge().core.first_choice(hand.information(seat_to_act(hand))))
    return found


@pytest.mark.parametrize("widths", [(0, 0), (14, 0), (0, 16), (15, 17)])
def test_other_hidden_cards_change_no_answer(widths: tuple[int, int]) -> None:
    hidden_moved = 0
    for number, hand in enumerate(positions(3, widths)):
        seat = seat_to_act(hand)
        other = hand.determinize(seat, 1000 + number)
        assert other.information(seat) == hand.information(seat)
        hidden_moved += other.deck != hand.deck
        known, same = hand.information(seat), other.information(seat)
        assert chances(known, worlds=20, judge=judge()) == chances(same, worlds=20, judge=judge())
        assert hint(known, worlds=20, judge=judge()) == hint(same, worlds=20, judge=judge())
    assert hidden_moved  # there was something to hide


def test_a_hint_is_what_a_review_says() -> None:
    for hand in positions(4):
        known = hand.information(seat_to_act(hand))
        told = hint(known, worlds=20, judge=judge())
        best = Placement.parse(told[0].placement)
        decision = judge().judge(Played(0, known, best, None))
        assert decision.cost == 0
        assert decision.best == told[0].placement
        assert len(told) == min(3, len(known.placements()))
        assert [each.value for each in told] == [each.value for each in decision.options[:3]]
        assert told[0].behind == 0
        assert [each.behind for each in told[1:]] == sorted(each.behind for each in told[1:])


def test_chances_are_shares_of_the_worlds_and_agree_with_many_more() -> None:
    known = positions(6)[2].information(seat_to_act(positions(6)[2]))
    few = chances(known, worlds=400, judge=judge())
    many = judge().play(known, [judge().core.first_choice(known)], 4000, 99)[0]
    foul, width, royalties = many[:, 1], many[:, 2], many[:, 3]
    for found, each in ((few.foul, foul), (sum(few.fantasyland), width > 0)):
        share = float(np.mean(each))
        assert abs(found - share) < 5 * np.sqrt(0.25 / 400)
        assert 0 <= found <= 1
    assert few.royalties == pytest.approx(float(royalties.mean()), abs=2.0)


def test_what_is_certain_is_said_to_be() -> None:
    lost = information_of(
        Position(
            top="Ah Ad",
            middle="Kh Kd 5c 4c",
            bottom="Qh Qd Js 9s 3c",
            opponent_top="2h 3d",
            opponent_middle="5h 6d 7s 9h",
            opponent_bottom="Th Tc Jd 9c 8c",
            discards="2c 3h 4h",
            hand="Kc 8d 7d",
        )
    )
    assert all(lost.is_lost(each) for each in lost.placements())
    assert chances(lost, worlds=5, judge=judge()).foul == 1
    assert not any(lost.makes_foul_certain(each) for each in lost.placements())  # nothing could be helped


def test_a_certain_foul_is_known_before_it_is_placed() -> None:
    known = information_of(
        Position(
            top="Ah 2d",
            middle="Kh Kd 5c 4c",
            bottom="Qh Qd Qs 9s 3c",
            opponent_top="2h 3d",
            opponent_middle="5h 6d 7s 9h",
            opponent_bottom="Th Tc Jd 9c 8c",
            discards="2c 3h 4h",
            hand="As 8d 7d",
        )
    )
    fouling = Placement(top=["As"], middle=["8d"], discards=["7d"])
    standing = Placement(top=["8d"], middle=["7d"], discards=["As"])
    assert known.makes_foul_certain(fouling)
    assert not known.makes_foul_certain(standing)
    assert chances(known, fouling, worlds=5, judge=judge()).foul == 1
    assert chances(known, standing, worlds=5, judge=judge()).foul == 0


def test_a_fantasyland_hand_is_told_by_the_solver() -> None:
    hand = positions(3, (14, 0))[0]
    known = hand.information(seat_to_act(hand))
    told = hint(known, worlds=20, judge=judge())
    assert len(told) == 1
    found = told[0].chances
    assert found is not None
    assert found.foul == 0
    cards = list(known.hand)
    by_order = Placement(top=cards[10:13], middle=cards[5:10], bottom=cards[:5], discards=cards[13:])
    assert known.makes_foul_certain(by_order) == (chances(known, by_order, judge=judge()).foul == 1)


def test_rules_without_a_champion_are_told_by_the_heuristic() -> None:
    rules = Rules.preset("fixed14")
    other = Judge(rules, effort=QUICK)
    hand = Hand(seed=2, button=0, rules=rules)
    known = hand.information(seat_to_act(hand))
    assert other.core.luck(hand) is None
    assert 0 <= chances(known, worlds=10, judge=other).foul <= 1
    assert len(hint(known, worlds=10, judge=other)) == 3


def test_refusals() -> None:
    hand = positions(5)[0]
    waiting: InformationSet = hand.information(1 - seat_to_act(hand))
    known = hand.information(seat_to_act(hand))
    with pytest.raises(ValueError, match="0 worlds"):
        chances(known, worlds=0, judge=judge())
    with pytest.raises(ValueError, match="holds no cards"):
        hint(waiting, judge=judge())
    with pytest.raises(ValueError, match="0 placements"):
        hint(known, shown=0, judge=judge())
    with pytest.raises(ValueError, match="holds no cards"):
        chances(waiting, judge=judge())
