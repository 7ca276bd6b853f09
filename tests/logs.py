"""Logged games for tests, together with what each mover saw when it moved."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ofc_env import Hand, Placement, Rules
from ofc_env.records import Records
from tests.play import placement_of, random_fantasyland_setting


@dataclass
class Seen:
    """Decisions in the order of play: what the hand showed, and what was played."""

    states: list[NDArray[np.float32]] = field(default_factory=list)
    masks: list[NDArray[np.int8]] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    outcomes: list[tuple[int, bool, bool]] = field(default_factory=list)  # royalties, busted, entry

    def __len__(self) -> int:
        return len(self.actions)

    def of_seat(self, seat: int) -> Seen:
        """Only the decisions of one seat."""
        keep = [index for index, owner in enumerate(self.seats) if owner == seat]
        return Seen(*([getattr(self, name)[index] for index in keep] for name in self.__dataclass_fields__))

    def add(self, other: Seen) -> None:
        for name in self.__dataclass_fields__:
            getattr(self, name).extend(getattr(other, name))


def ticking_clock(step: float = 1.0) -> Any:
    """A clock that moves on by `step` seconds each time it is read."""
    now = datetime(2031, 1, 2, 3, 4, 5, tzinfo=UTC)

    def read() -> datetime:
        nonlocal now
        now += timedelta(seconds=step)
        return now

    return read


def log_hand(
    records: Records,
    session_id: str,
    hand_number: int,
    hand: Hand,
    rng: random.Random,
    think_time: int | None = None,
) -> Seen:
    """Play a hand at random and log it."""
    hand_id = records.start_hand(session_id, hand_number, hand)
    seen = Seen()
    while not hand.finished:
        seat = hand.player
        assert seat is not None
        think = rng.randint(100, 9000) if think_time is None else think_time
        if hand.in_fantasyland:
            setting = placement_of(random_fantasyland_setting(rng, hand.dealt))
            records.record_fantasyland(hand_id, hand, setting, think_time_ms=think)
            hand.place(setting)
            continue
        before, slots = hand.clone(), list[int]()
        while not slots or (hand.player == seat and hand.opening_step):
            slots.append(rng.choice(hand.legal_actions()))
            seen.states.append(hand.observation(seat))
            seen.masks.append(hand.action_mask())
            seen.actions.append(slots[-1])
            seen.seats.append(seat)
            seen.turns.append(before.turn)
            hand.step(slots[-1])
        records.record_turn(hand_id, before, before.placement_of(slots), think_time_ms=think)
    result = hand.result()
    records.end_hand(hand_id, result)
    seen.outcomes = [
        (result.royalties[seat].total, result.busted[seat], result.fl_entry[seat]) for seat in seen.seats
    ]
    return seen


def log_hands(
    records: Records,
    session_id: str,
    count: int,
    seed: int,
    widths: tuple[tuple[int, int], ...] = ((0, 0),),
    players: tuple[str, str] = ("ann", "bob"),
    rules: Rules = Rules(),
) -> list[Seen]:
    """A session of random hands, with fantasyland widths by turns; what was seen in each."""
    rng = random.Random(seed)
    records.start_session(session_id, seed, players, rules, kind="test")
    hands = []
    for number in range(1, count + 1):
        chips = rng.randint(1, 399)
        hand = Hand(
            seed=rng.getrandbits(63),
            button=rng.randrange(2),
            chips=(chips, 400 - chips),
            fantasyland=widths[number % len(widths)],
            rules=rules,
        )
        hands.append(log_hand(records, session_id, number, hand, rng))
    return hands


def any_placement(hand: Hand, rng: random.Random) -> Placement:
    """A legal placement of the turn."""
    return rng.choice(hand.placements())
