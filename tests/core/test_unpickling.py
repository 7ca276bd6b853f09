"""Pickled states are read with suspicion: out of them comes a value that play can reach, or nothing."""

from __future__ import annotations

import copy
import json
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ofc_env import Board, Hand, HandResult, RewardConfig, Rules, Session
from tests.players import random_slot


def unpickled(kind: Any, state: Any) -> Any:
    """The object that a pickle with this state would give."""
    value = kind.__new__(kind)
    value.__setstate__(state)
    return value


def state_of(hand: Hand) -> list[Any]:
    """The parts of a hand's pickle."""
    return list(hand.__getstate__())


def played_session(seed: int, steps: int) -> Session:
    session, rng = Session(seed=seed), random.Random(seed)
    for _ in range(steps):
        if session.finished:
            break
        session.step(random_slot(session.hand.action_mask(), rng))
    return session


def played_hand(seed: int, steps: int) -> Hand:
    hand, rng = Hand(seed=seed, button=seed % 2), random.Random(seed)
    for _ in range(steps):
        if not hand.finished:
            hand.step(random_slot(hand.action_mask(), rng))
    return hand


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10_000), steps=st.integers(0, 12), where=st.integers(0, 10), value=st.integers(-2, 70)
)
def test_a_changed_number_of_a_hand_is_refused_or_harmless(
    seed: int, steps: int, where: int, value: int
) -> None:
    state = state_of(played_hand(seed, steps))
    changed = copy.deepcopy(state)
    rng = random.Random(seed + value)
    place = changed[where]
    if isinstance(place, list):
        index = rng.randrange(len(place))
        if isinstance(place[index], list):
            place[index][rng.randrange(len(place[index]))] ^= 1 << rng.randrange(54)
        else:
            place[index] = value
    elif isinstance(place, int):
        changed[where] = value
    if changed == state:
        return
    try:
        found = unpickled(Hand, tuple(changed))
    except (ValueError, TypeError):
        return
    # Whatever is accepted is a hand that goes on to a result, and that its own pickle gives again.
    assert unpickled(Hand, found.__getstate__()) == found
    while not found.finished:
        if found.in_fantasyland:
            found.set_fantasyland()
        else:
            found.step(random_slot(found.action_mask(), rng))
    assert sum(found.result().raw_score) == 0


def test_hands_that_play_cannot_reach() -> None:
    finished = state_of(played_hand(3, 99))
    finished[-1] = 1  # in its opening step
    with pytest.raises(ValueError, match="opening step"):
        unpickled(Hand, tuple(finished))
    middle = state_of(played_hand(4, 6))
    middle[2] = middle[2][::-1]  # the boards swapped
    with pytest.raises(ValueError, match="not a hand that play can reach"):
        unpickled(Hand, tuple(middle))
    thrown = state_of(played_hand(5, 8))
    discards, boards = list(thrown[3]), [list(rows) for rows in thrown[2]]
    card = boards[0][2] & -boards[0][2]  # a card of the opening changes places with a discard
    boards[0][2] = boards[0][2] & ~card | discards[0] & -discards[0]
    discards[0] = discards[0] & ~(discards[0] & -discards[0]) | card
    thrown[2], thrown[3] = boards, discards
    with pytest.raises(ValueError, match="not a hand that play can reach"):
        unpickled(Hand, tuple(thrown))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1000), steps=st.integers(20, 120), hand=st.integers(0, 50), what=st.integers(0, 3))
def test_a_made_up_history_is_refused(seed: int, steps: int, hand: int, what: int) -> None:
    session = played_session(seed, steps)
    assert Session.from_json(session.to_json()) == session
    saved = json.loads(session.to_json())
    history = saved["history"]
    if not history:
        return
    rng = random.Random(seed)
    number = hand % len(history)
    if what == 0:
        history.pop(number)
    elif what == 1:
        history.insert(number, copy.deepcopy(history[rng.randrange(len(history))]))
    elif what == 2:
        history[number][0], history[number][1] = history[number][1], history[number][0]  # swapped boards
    else:
        history[number][2][0] += 1  # chips
    with pytest.raises(ValueError):
        Session.from_json(json.dumps(saved))
    state = session.__getstate__()[0]
    with pytest.raises(ValueError):
        unpickled(Session, (state, [unpickled(HandResult, tuple(entry)) for entry in history]))


def test_another_seed_deals_other_cards() -> None:
    session = played_session(8, 40)
    saved = json.loads(session.to_json())
    saved["session"][1] += 1
    with pytest.raises(ValueError):
        Session.from_json(json.dumps(saved))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e300])
def test_rewards_are_numbers_one_can_add_up(number: float) -> None:
    with pytest.raises(ValueError):
        RewardConfig(points=number)
    with pytest.raises(ValueError):
        unpickled(RewardConfig, f"points={number}")
    with pytest.raises(ValueError):
        RewardConfig.parse(f"equity foul={number}")


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60))
def test_texts_are_rules_or_refused(text: str) -> None:
    for kind in (Rules, RewardConfig):
        try:
            value = unpickled(kind, text)
        except (ValueError, UnicodeEncodeError, TypeError):
            continue
        assert unpickled(kind, value.__getstate__()) == value


@settings(max_examples=200, deadline=None)
@given(rows=st.lists(st.integers(2**54, 2**64 - 1), min_size=3, max_size=3))
def test_rows_of_a_board_are_cards(rows: list[int]) -> None:
    with pytest.raises(ValueError, match="do not exist"):
        unpickled(Board, (rows, str(Rules())))
