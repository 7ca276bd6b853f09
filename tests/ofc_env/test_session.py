"""Whole sessions: chips, button, fantasyland, the stop rules, and saving at any decision."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import numpy as np
import pytest

from ofc_env import HandResult, Rules, Session, decode_observation
from tests import oracle
from tests.play import cards_of, check_result, rows_of, seat_to_act
from tests.rule_sets import oracle_rules

SESSIONS = 20_000
# Fantasyland for any pair on top, so that it is met often; few chips, so that they run out.
EASY = {"fantasyland_pairs": [14] * 10 + [15, 16, 17]}
VARIANTS = (
    {"chips": 200, "stop_gap": 40},
    {"chips": 10, "stop_gap": 6},
    {"chips": 5, "stop_gap": 10},
    {"chips": 30, "stop_gap": 20},
    {"chips": 8, "stop_gap": 100, **EASY},
    {"chips": 60, "stop_gap": 20, **EASY},
)


def check_history(session: Session, rules: oracle.OracleRules, deep: bool) -> None:
    """The results of a finished session follow from one another and end where they must."""
    chips, widths = (rules.chips, rules.chips), (0, 0)
    history = list(session.history)
    assert len(history) == session.hands_played
    for number, result in enumerate(history):
        assert oracle.session_goes_on(chips, widths, rules), f"hand {number} should not have been played"
        assert sum(result.raw_score) == sum(result.actual_score) == 0
        after = tuple(chips[seat] + result.actual_score[seat] for seat in (0, 1))
        assert tuple(result.chips) == after
        assert sum(after) == 2 * rules.chips
        assert min(after) >= 0
        if deep:
            first, second = (rows_of(board) for board in result.boards)
            check_result(result, oracle.score_rows(first, second, chips, widths, rules))
        chips, widths = (after[0], after[1]), (result.fl_card_count[0], result.fl_card_count[1])
    assert tuple(session.chips) == chips
    assert not oracle.session_goes_on(chips, widths, rules)
    assert session.winner == (0 if chips[0] > chips[1] else 1)
    assert session.reason == ("no_chips" if min(chips) == 0 else "chip_gap")


def check_hidden(session: Session) -> None:
    """No card that the seat to act may not know is anywhere but among the unseen."""
    hand = session.hand
    seat = seat_to_act(hand)
    known = decode_observation(hand.observation(seat))
    hidden = set(hand.discards(1 - seat))
    if hand.fantasyland[1 - seat]:
        hidden |= set(cards_of(hand.board(1 - seat)))
        assert known.opponent_top == known.opponent_middle == known.opponent_bottom == []
    public = {*cards_of(hand.board(seat)), *hand.discards(seat), *hand.dealt}
    if not hand.fantasyland[1 - seat]:
        public |= set(cards_of(hand.board(1 - seat)))
    assert hidden <= set(known.unseen)
    assert set(known.unseen) == set(range(54)) - public
    assert (known.chips, known.opponent_chips) == (hand.chips[seat], hand.chips[1 - seat])


def test_random_sessions() -> None:
    rng = random.Random(61)
    seen: Counter[str] = Counter()
    first_buttons: Counter[int] = Counter()
    made = [(rules, oracle_rules(rules)) for rules in (Rules(**variant) for variant in VARIANTS)]
    for number in range(SESSIONS):
        place = 0 if number % 40 == 0 else 1 + number % (len(VARIANTS) - 1)
        rules, plain = made[place]
        session = Session(seed=number, rules=rules)
        first_buttons[session.button] += 1
        deep = number % 10 == 0
        button, hands = session.button, 0
        while not session.finished:
            hand = session.hand
            if session.hands_played != hands:
                assert session.button == (button + session.hands_played) % 2
                assert tuple(session.chips) == tuple(hand.chips)
                hands = session.hands_played
            if deep:
                assert hand.button == session.button
                assert tuple(hand.fantasyland) == tuple(session.fantasyland)
                assert not hand.in_fantasyland
                check_hidden(session)
            session.step(rng.choice(hand.legal_actions()))
        check_history(session, plain, deep)
        seen[f"variant {place}"] += 1
        seen[f"{session.reason} variant {place}"] += 1
        seen.update(kinds_of_hands(session.history))
    for reason in ("no_chips", "chip_gap"):
        assert sum(count for name, count in seen.items() if name.startswith(reason)) > 1000
    for name in (
        "one in fantasyland",
        "both in fantasyland",
        "stays",
        "no chips in fantasyland",
        "gap but fantasyland",
    ):
        assert seen[name] > 20, (name, seen)
    assert abs(first_buttons[0] - SESSIONS / 2) < 4 * (SESSIONS / 4) ** 0.5


def kinds_of_hands(history: list[HandResult]) -> list[str]:
    found = []
    widths = [0, 0]
    for number, result in enumerate(history):
        playing = sum(width > 0 for width in widths)
        found += [["normal", "one in fantasyland", "both in fantasyland"][playing]]
        found += ["stays"] if any(result.fl_stay) else []
        widths = list(result.fl_card_count)
        found += ["no chips in fantasyland"] if any(widths) and min(result.chips) == 0 else []
        wide = abs(result.chips[0] - result.chips[1]) >= 20
        found += ["gap but fantasyland"] if any(widths) and wide and number + 1 < len(history) else []
    return found


def test_a_session_resumes_at_any_decision() -> None:
    """Saved as JSON and pickled at every decision, both go on exactly like the original."""
    rng = random.Random(62)
    for number in range(25):
        rules = Rules(**VARIANTS[number % len(VARIANTS)])
        session = Session(seed=number, rules=rules)
        saved: list[tuple[str, bytes, int]] = []
        actions: list[int] = []
        while not session.finished:
            text, pickled = session.to_json(), pickle.dumps(session)
            saved.append((text, pickled, len(actions)))
            for twin in (Session.from_json(text), pickle.loads(pickled)):
                assert twin == session
                assert twin.to_json() == text
                assert twin.hand == session.hand
                np.testing.assert_array_equal(
                    twin.hand.observation(seat_to_act(twin.hand)),
                    session.hand.observation(seat_to_act(twin.hand)),
                )
            actions.append(rng.choice(session.hand.legal_actions()))
            session.step(actions[-1])
        for text, pickled, place in rng.sample(saved, min(len(saved), 4)):
            for twin in (Session.from_json(text), pickle.loads(pickled)):
                for action in actions[place:]:
                    twin.step(action)
                assert twin == session
                assert list(twin.history) == list(session.history)
        assert Session.from_json(session.to_json()) == session


def test_seeds_fix_a_session() -> None:
    for seed in range(20):
        first, second = Session(seed=seed), Session(seed=seed)
        rng = random.Random(seed)
        while not first.finished:
            assert first.hand == second.hand
            action = rng.choice(first.hand.legal_actions())
            first.step(action)
            second.step(action)
        assert first == second
    assert Session(seed=1) != Session(seed=2)


def test_place_plays_a_whole_turn() -> None:
    rng = random.Random(63)
    session, stepped = Session(seed=5), Session(seed=5)
    for _ in range(40):
        placement = rng.choice(session.hand.placements())
        for action in stepped.hand.actions_of(placement):
            stepped.step(action)
        session.place(placement)
        assert session == stepped
        if session.finished:
            break


def test_a_finished_session_is_over() -> None:
    session = Session(seed=3, rules=Rules(chips=5))
    assert session.winner is None
    assert not session.reason
    while not session.finished:
        session.step(session.hand.legal_actions()[0])
    before = session.to_json()
    with pytest.raises(ValueError) as refusal:
        session.step(27)
    assert "\n" not in str(refusal.value)
    assert session.to_json() == before
    assert session.hand.finished


def test_illegal_play_changes_nothing() -> None:
    session = Session(seed=4)
    before = session.to_json()
    for slot in (0, 26, 91, 150, -1):
        with pytest.raises(ValueError, match=str(slot)):
            session.step(slot)
    assert session.to_json() == before
    for text in ("", "{}", "[]", "nonsense", before.replace("200", "-7", 1), before[:-2]):
        with pytest.raises(ValueError):
            Session.from_json(text)
