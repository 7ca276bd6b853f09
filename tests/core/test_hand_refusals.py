"""What a hand refuses: one sentence with the offender, and the hand is as it was."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from ofc_env import Hand, Placement, Rules
from tests import oracle
from tests.play import placement_of, random_fantasyland_setting, random_position, rows_of


def refused(hand: Hand, function: Callable[[], object], offender: str = "") -> str:
    """The call raises one sentence that names the offender, and the hand is unchanged; the sentence."""
    before = hand.clone()
    state = (rows_of(hand.board(0)), rows_of(hand.board(1)), list(hand.dealt), hand.action_mask().tobytes())
    with pytest.raises(ValueError) as refusal:
        function()
    message = str(refusal.value)
    assert offender in message
    assert "\n" not in message
    assert 10 < len(message) < 250
    assert hand == before
    after = (rows_of(hand.board(0)), rows_of(hand.board(1)), list(hand.dealt), hand.action_mask().tobytes())
    assert after == state
    return message


def test_every_illegal_slot_is_refused() -> None:
    rng = random.Random(31)
    for decisions in list(range(12)) * 2:
        hand, naive = random_position(rng, decisions)
        for slot in sorted({-1, 150, 1000, *range(150)} - set(naive.legal_slots())):
            message = refused(hand, partial(hand.step, slot))
            assert str(slot) in message or "cannot place" in message


def test_a_finished_hand_is_over() -> None:
    hand = Hand(seed=32)
    while not hand.finished:
        refused(hand, hand.result)
        hand.step(hand.legal_actions()[0])
    assert hand.player is None
    assert list(hand.legal_actions()) == []
    assert list(hand.dealt) == []
    for call in (lambda: hand.step(0), lambda: hand.place(Placement(top="Ah", middle="Kh", discards="2c"))):
        with pytest.raises(ValueError) as refusal:
            call()
        assert "\n" not in str(refusal.value)
    assert hand.result() == hand.clone().result()


def test_wrong_placements_are_refused() -> None:
    hand = Hand(deck=deck_of("Ah Kh Qh Jh Th  2c 3c 4c 5c 6c  7d 8d 9d"), button=0)
    refused(hand, lambda: hand.place(Placement(bottom="Ah Kh Qh Jh")))
    refused(hand, lambda: hand.place(Placement(bottom="Ah Kh Qh Jh", discards="Th")), "discard")
    refused(hand, lambda: hand.place(Placement(bottom="Ah Kh Qh Jh 2c")), "2c")
    refused(hand, lambda: hand.place(Placement(top="Ah Kh Qh Jh", bottom="Th")), "top")
    refused(hand, lambda: hand.place(Placement(top="Ah Kh Qh", bottom="Jh")))
    hand.place(Placement(top="Ah Kh Qh", bottom="Jh Th"))
    hand.place(Placement(middle="2c 3c 4c 5c 6c"))
    refused(hand, lambda: hand.place(Placement(top="7d", middle="8d", discards="9d")), "top")
    refused(hand, lambda: hand.place(Placement(bottom="7d 8d 9d")))
    refused(hand, lambda: hand.place(Placement(bottom="7d", discards="8d 9d")))
    refused(hand, lambda: hand.place(Placement(bottom="7d Ah", discards="8d")), "Ah")
    refused(hand, lambda: hand.placement_of([26, 26]))
    refused(hand, lambda: hand.placement_of([]))
    refused(hand, lambda: hand.placement_of([0]), "top")
    refused(hand, lambda: hand.actions_of(Placement(top="7d", middle="8d", discards="9d")), "top")
    with pytest.raises(ValueError, match="Ah"):
        Placement(top="Ah", bottom="Ah")
    with pytest.raises(ValueError, match="Zz"):
        Placement(top="Zz")


def deck_of(front: str) -> list[int]:
    """A deck that starts with these cards; the others follow in their order."""
    deck = oracle.cards(front)
    return deck + [card for card in range(54) if card not in deck]


def test_an_opening_in_its_second_step_takes_only_the_rest() -> None:
    hand = Hand(deck=deck_of("Ah Kh Qh Jh Th"), button=0)
    hand.step(27 + 0b00011)
    refused(hand, lambda: hand.place(Placement(bottom="Qh Jh Ah")), "Ah")


def test_wrong_fantasyland_settings_are_refused() -> None:
    rng = random.Random(33)
    hand, naive = random_position(rng, 0, (14, 0))
    refused(hand, lambda: hand.step(27))
    top, middle, bottom, discards = random_fantasyland_setting(rng, naive.in_hand)
    refused(hand, lambda: hand.place(placement_of((top[1:], middle, bottom, (*discards, top[0])))))
    refused(hand, lambda: hand.place(placement_of((top, middle, bottom, ()))))
    refused(hand, lambda: hand.place(placement_of((top[1:], (*middle, top[0]), bottom, discards))))
    stranger = next(card for card in range(54) if card not in naive.in_hand)
    name = oracle.CARD_NAMES[stranger]
    refused(hand, lambda: hand.place(placement_of(((*top[1:], stranger), middle, bottom, discards))), name)
    normal = Hand(seed=1)
    refused(normal, normal.set_fantasyland)


@pytest.mark.parametrize(
    ("arguments", "offender"),
    [
        ({"deck": list(range(53))}, "53"),
        ({"deck": [*range(53), 52]}, "X1"),
        ({"deck": [*range(53), 54]}, "54"),
        ({"deck": [*oracle.CARD_NAMES[:53], "Zz"]}, "Zz"),
        ({"deck": [*range(54), 0]}, "55"),
        ({"deck": []}, "0"),
        ({"button": 2}, "2"),
        ({"button": -1}, "-1"),
        ({"chips": (-1, 401)}, "-1"),
        ({"fantasyland": (13, 0)}, "13"),
        ({"fantasyland": (0, 18)}, "18"),
        ({"fantasyland": (-14, 0)}, "-14"),
    ],
)
def test_wrong_hands_are_refused(arguments: dict, offender: str) -> None:
    with pytest.raises(ValueError, match=offender) as refusal:
        Hand(**({"seed": 1} | arguments if "deck" not in arguments else arguments))
    assert "\n" not in str(refusal.value)


def test_wrong_seats_and_arrays_are_refused() -> None:
    hand = Hand(seed=1)
    for seat in (-1, 2):
        for call in (hand.board, hand.discards, hand.observation):
            refused(hand, partial(call, seat), str(seat))
        refused(hand, partial(hand.determinize, seat, 1), str(seat))
        refused(hand, partial(hand.write_observation, seat, np.zeros(490, np.float32)), str(seat))
    for array in (np.zeros(489, np.float32), np.zeros(490, np.float64), np.zeros((1, 490), np.float32)):
        with pytest.raises((ValueError, TypeError)):
            hand.write_observation(0, array)  # type: ignore[arg-type]
    read_only = np.zeros(490, np.float32)
    read_only.setflags(write=False)
    with pytest.raises((ValueError, TypeError)):
        hand.write_observation(0, read_only)
    with pytest.raises(TypeError):
        hand.step("27")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hand.place("Ah>t")  # type: ignore[arg-type]


def test_the_least_whole_number_is_no_seat() -> None:
    """Its distance from 0 does not fit 64 bits."""
    for number in (-(2**63), -(10**30), 2**63):
        with pytest.raises(ValueError, match="not a seat"):
            Rules().first_to_act(number)
