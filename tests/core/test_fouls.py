"""A foul that no card can prevent, against trying every card that may come."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from ofc_env import InformationSet, Placement
from tests import oracle
from tests.play import random_position, seat_to_act


def position(rng: random.Random, *turns: int) -> InformationSet:
    """What the seat to act knows on one of these turns of a hand played at random."""
    while True:
        hand, _ = random_position(rng, rng.randrange(12))
        if not hand.finished and hand.turn in turns:
            return hand.information(seat_to_act(hand))


def rows_after(information: InformationSet, placement: Placement) -> oracle.Rows:
    return (
        [*information.top, *placement.top],
        [*information.middle, *placement.middle],
        [*information.bottom, *placement.bottom],
    )


def can_stand(rows: oracle.Rows, cards: list[int]) -> bool:
    """Whether two of the cards, in one order or the other, fill a board of eleven without a foul."""
    free = [row for row, size in enumerate((3, 5, 5)) for _ in range(size - len(rows[row]))]
    for pair in combinations(cards, 2):
        for places in {(free[0], free[1]), (free[1], free[0])}:
            full = tuple(
                [*row, *(card for card, at in zip(pair, places, strict=True) if at == number)]
                for number, row in enumerate(rows)
            )
            if not oracle.read_board(full).fouled:
                return True
    return False


def test_the_last_two_turns_by_every_card() -> None:
    rng = random.Random(1)
    answers = []
    for _ in range(120):
        known = position(rng, 3, 4)
        placement = rng.choice(known.placements())
        rows = rows_after(known, placement)
        is_last = known.turn == 4
        lost = oracle.read_board(rows).fouled if is_last else not can_stand(rows, list(known.unseen))
        assert known.is_lost(placement) == lost, (str(known), str(placement))
        answers.append((known.turn, lost))
    assert {(3, True), (3, False), (4, True), (4, False)} <= set(answers)


def test_earlier_a_board_that_is_lost_never_stands() -> None:
    rng = random.Random(2)
    lost = 0
    for _ in range(150):
        known = position(rng, 2)
        for placement in known.placements():
            if not known.is_lost(placement):
                continue
            lost += 1
            rows = rows_after(known, placement)
            for _ in range(5):
                cards = rng.sample(list(known.unseen), 13 - sum(map(len, rows)))
                full = tuple(
                    [*row, *(cards.pop() for _ in range(size - len(row)))]
                    for row, size in zip(rows, (3, 5, 5), strict=True)
                )
                assert oracle.read_board(full).fouled
    assert lost > 100


def test_a_foul_is_made_certain_where_it_could_be_helped() -> None:
    rng = random.Random(3)
    helped = 0
    for _ in range(100):
        known = position(rng, 3, 4)
        lost = [known.is_lost(each) for each in known.placements()]
        expected = [each and not all(lost) for each in lost]
        assert [known.makes_foul_certain(each) for each in known.placements()] == expected
        helped += any(expected)
    assert helped > 10


def test_a_fantasyland_setting_is_fouled_or_not() -> None:
    cards = oracle.cards("2h 3d 4c 9s Td Jh Kd Qs 5c Ah Ad 8h 8s 7d")
    known = InformationSet(hand=cards)
    fouling = Placement(top="Ah Ad 2h", middle="3d 4c 9s Td Jh", bottom="Kd Qs 5c 8h 7d", discards="8s")
    standing = Placement(top="3d 4c 2h", middle="8h 8s 9s Td Jh", bottom="Ah Ad Kd Qs 5c", discards="7d")
    assert known.is_lost(fouling)
    assert known.makes_foul_certain(fouling)
    assert not known.is_lost(standing)
    with pytest.raises(ValueError, match="not a setting of this position"):
        known.is_lost(
            Placement(top="3d 4c 2h", middle="8h 8s 9s Td Jh", bottom="Ah Ad Kd Qs 6c", discards="7d")
        )
    with pytest.raises(ValueError, match="not complete"):
        known.is_lost(Placement(top="3d 4c", middle="8h 8s 9s Td Jh", bottom="Ah Ad Kd Qs 5c"))


def test_what_is_no_placement_is_refused() -> None:
    hand, _ = random_position(random.Random(4), 3)
    known = hand.information(seat_to_act(hand))
    waiting = hand.information(1 - seat_to_act(hand))
    for ask in (known.is_lost, known.makes_foul_certain, waiting.is_lost):
        with pytest.raises(ValueError, match="not a placement of this position"):
            ask(Placement(top="Ah", discards="2c"))
