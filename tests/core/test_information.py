"""What a seat knows as a value: text, pickle, hash and key; its slots; its history; refusals."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ofc_env import Hand, InformationSet, Placement, _core, parse_cards
from ofc_env.layout import CARD_NUMBERS

WIDTHS = ((0, 0), (0, 0), (0, 0), (14, 0), (0, 15), (16, 0), (0, 17), (14, 17))
CHIPS = ((200, 200), (1, 399), (0, 400), (37, 363), (29_999, 30_000), (221, 179))


def played(rng: random.Random) -> Iterator[Hand]:
    """The states of a hand played at random, from the first to the last; the same object every time."""
    hand = Hand(
        seed=rng.getrandbits(40),
        button=rng.randrange(2),
        chips=rng.choice(CHIPS),
        fantasyland=rng.choice(WIDTHS),
    )
    yield hand
    while not hand.finished:
        if hand.in_fantasyland:
            hand.set_fantasyland()
        else:
            hand.step(rng.choice(hand.legal_actions()))
        yield hand


def known(count: int, seed: int) -> list[InformationSet]:
    """What both seats know at every state of some hands, at least `count` positions."""
    rng = random.Random(seed)
    found: list[InformationSet] = []
    while len(found) < count:
        found.extend(hand.information(seat) for hand in played(rng) for seat in (0, 1))
    return found


def decisions_of(rng: random.Random) -> tuple[list[InformationSet], list[InformationSet]]:
    """What each seat knew whenever it was to place cards in a random hand; a fantasyland seat has nothing."""
    found: tuple[list[InformationSet], list[InformationSet]] = ([], [])
    for hand in played(rng):
        if hand.player is not None and not hand.in_fantasyland:
            found[hand.player].append(hand.information(hand.player))
    return found


# ---------------------------------------------------------------- the value


def test_the_positions_are_of_every_kind() -> None:
    found = known(4000, seed=1)
    assert {each.turn for each in found if each.to_act} == set(range(5))
    assert {each.opening_step for each in found} == {0, 1}
    assert {each.opponent_fantasyland for each in found} == {0, 14, 15, 16, 17}
    assert {each.button for each in found} == {True, False, None}
    assert {len(each.hand) for each in found} >= {0, 1, 2, 3, 5, 14, 17}
    assert {each.chips for each in found} == {chips for pair in CHIPS for chips in pair}


def test_text_pickle_and_observation_lead_back() -> None:
    for each in known(4000, seed=2):
        for again in (
            InformationSet.parse(str(each)),
            eval(repr(each), {"InformationSet": InformationSet}),
            pickle.loads(pickle.dumps(each)),
            InformationSet.from_observation(each.observation()),
        ):
            assert again == each
            assert hash(again) == hash(each)
            assert str(again) == str(each)
        assert "\n" not in str(each)


def test_it_is_what_the_hand_shows() -> None:
    rng = random.Random(3)
    for _ in range(150):
        for hand in played(rng):
            for seat in (0, 1):
                each = hand.information(seat)
                np.testing.assert_array_equal(each.observation(), hand.observation(seat))
                assert each.to_act == (hand.player == seat)
                assert not each.to_act or each.in_fantasyland == hand.in_fantasyland
                assert each.history == []


def test_keywords_make_the_same_value() -> None:
    names = [f"{side}{row}" for side in ("", "opponent_") for row in ("top", "middle", "bottom")]
    names += ["hand", "discards", "turn", "opening_step", "opponent_fantasyland", "chips", "opponent_chips"]
    for each in known(1000, seed=4):
        fields = {name: getattr(each, name) for name in names}
        assert InformationSet(**fields, button=bool(each.button)) == each
        if each.opponent_fantasyland:  # order means nothing there
            assert InformationSet(**fields, button=True) == each


def test_equal_means_equal_in_everything() -> None:
    found = known(3000, seed=5)
    by_numbers: dict[bytes, InformationSet] = {}
    for each in found:
        same = by_numbers.setdefault(each.observation().tobytes(), each)
        assert each == same
    assert len(set(found)) == len(by_numbers) == len({str(each) for each in found})
    assert len({hash(each) for each in by_numbers.values()}) == len(by_numbers)
    first = found[0]
    for other in (str(first), first.observation().tobytes(), None, 0):
        assert first != other


# ---------------------------------------------------------------- the key, against numpy

_COLUMN_STEPS = np.arange(1, 11, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def slow_keys(observations: NDArray[np.float32], seed: int) -> NDArray[np.uint64]:
    """The keys of observations (N, 490) from their numbers alone."""
    rows = len(observations)
    packed = np.packbits(observations[:, :CARD_NUMBERS] != 0, axis=1)  # (N, 61) bytes
    words = np.zeros((rows, 10), dtype=np.uint64)
    words.view(np.uint8).reshape(rows, 80)[:, : packed.shape[1]] = packed
    words[:, 8:] = np.ascontiguousarray(observations[:, CARD_NUMBERS:], dtype=np.float32).view(np.uint64)
    salts = _mix(_COLUMN_STEPS + np.uint64(seed & 0xFFFFFFFFFFFFFFFF))
    return _mix(np.add.reduce(_mix(words ^ salts), axis=1))


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63, 2**64 - 1])
def test_keys_are_those_of_the_numbers(seed: int) -> None:
    """Whatever was played by a seed stays as it was: the key is a fixed function of seed and observation."""
    found = known(2000, seed=6)
    numbers = np.stack([each.observation() for each in found])
    wanted = slow_keys(numbers, seed)
    assert [each.key(seed) for each in found] == wanted.tolist()
    np.testing.assert_array_equal(_core.observation_keys(found, seed), wanted)
    np.testing.assert_array_equal(_core.observation_keys(numbers, seed), wanted)
    assert len(set(wanted.tolist())) == len({row.tobytes() for row in numbers})
    assert _core.decode_observations(numbers) == found


# ---------------------------------------------------------------- slots and placements


def test_slots_and_placements_are_the_hands_own() -> None:
    rng = random.Random(7)
    compared = 0
    for _ in range(150):
        for hand in played(rng):
            if hand.player is None:
                continue
            mine, waiting = hand.information(hand.player), hand.information(1 - hand.player)
            np.testing.assert_array_equal(mine.action_mask(), hand.action_mask())
            assert mine.action_mask().dtype == np.int8
            assert mine.legal_actions() == hand.legal_actions()
            assert not waiting.action_mask().any()
            assert waiting.legal_actions() == waiting.placements() == []
            if hand.in_fantasyland:
                continue
            placements = hand.placements()
            assert mine.placements() == placements
            for placement in rng.sample(placements, min(20, len(placements))):
                assert list(mine.actions_of(placement)) == list(hand.actions_of(placement))
                compared += 1
    assert compared > 5000


# ---------------------------------------------------------------- history


def test_decisions_of_a_hand_follow_each_other_and_no_others() -> None:
    rng = random.Random(8)
    hands = [decisions_of(rng) for _ in range(40)]
    seats = [seat for hand in hands for seat in hand if seat]
    assert len(seats) > 40
    pairs = 0
    for number, mine in enumerate(seats):
        for other_number, theirs in enumerate(seats):
            for place, later in enumerate(mine):
                for other_place, earlier in enumerate(theirs):
                    follows = number == other_number and place > other_place
                    assert later.follows(earlier) == follows, f"{later} / {earlier}"
                    pairs += follows
    assert pairs > 500


def test_a_history_is_part_of_the_value() -> None:
    rng = random.Random(9)
    for _ in range(60):
        for decisions in decisions_of(rng):
            before: InformationSet | None = None
            for number, alone in enumerate(decisions):
                now = alone if before is None else alone.following(before)
                assert now.history == decisions[:number]
                assert InformationSet.parse(str(now)) == now
                assert pickle.loads(pickle.dumps(now)) == now
                assert hash(pickle.loads(pickle.dumps(now))) == hash(now)
                assert (now == alone) == (number == 0)
                assert now.key(3) == alone.key(3)
                np.testing.assert_array_equal(now.observation(), alone.observation())
                before = now


# ---------------------------------------------------------------- refusals

OPENING = "2c 3c 4c 5c 6c"


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: InformationSet(hand=OPENING, top="2c"), "2c is in two places"),
        (lambda: InformationSet(hand=OPENING, opponent_bottom="6c"), "6c is in two places"),
        (lambda: InformationSet(hand="2c 2c 3c 4c 5c"), "2c is twice in the hand"),
        (lambda: InformationSet(hand="2c 3c"), "0 cards placed, 2 in hand, 0 discarded on turn 0"),
        (lambda: InformationSet(hand="2c 3c 4c", turn=1), "0 cards placed, 3 in hand, 0 discarded on turn 1"),
        (lambda: InformationSet(top="2c 3c 4c 5c"), "top"),
        (lambda: InformationSet(hand=range(18)), "18 in hand"),
        (lambda: InformationSet(hand=OPENING, turn=5), "turn 5"),
        (lambda: InformationSet(hand=OPENING, chips=-1), "-1 chips"),
        (lambda: InformationSet(hand=OPENING, opponent_chips=10**6), "1000000 chips"),
        (lambda: InformationSet(hand=OPENING, opponent_fantasyland=13), "fantasyland of 13 cards"),
        (lambda: InformationSet(bottom="2c 3c", hand="4c 5c 6c", opening_step=2), "opening step 2"),
        (lambda: InformationSet(bottom="2c 3c", hand="4c 5c 6c", turn=3, opening_step=1), "on turn 3"),
        (lambda: InformationSet(top="2c 3c", hand="4c 5c 6c", opening_step=1), "2 cards placed"),
        (lambda: InformationSet(hand="2c 3c 4c 5c Zz"), "Zz"),
        (lambda: InformationSet.parse("nonsense"), "'nonsense'"),
        (lambda: InformationSet.parse("hand=2c,3c,4c,5c,6c luck=3"), "'luck=3'"),
        (lambda: InformationSet.parse("hand=2c,3c,4c,5c,9x"), "9x"),
        (lambda: InformationSet.parse("hand=2c,3c,4c,5c,6c turn=two"), "'turn=two' should be a whole number"),
        (lambda: InformationSet.parse("hand=2c,3c,4c,5c,6c button=maybe"), "on or off"),
        (lambda: InformationSet.parse("turn=9"), "turn is 9, outside 0 to 4"),
        (lambda: InformationSet.parse("hand=2c,3c,4c,5c,6c top=2c"), "2c is in two places"),
        (lambda: InformationSet.parse(f"{opening()} ; {opening('7c')}"), "no later decision of the hand"),
        (lambda: opening().following(opening("7c")), "no later decision of the hand"),
        (lambda: opening().following(opening()), "no later decision of the hand"),
        (lambda: opening().actions_of(Placement.parse("Ah>t")), "'Ah>t' is not a placement of"),
        (lambda: InformationSet().actions_of(Placement.parse("Ah>t")), "not to act"),
        (lambda: InformationSet(hand=range(14)).placements(), "14 cards has too many settings"),
        (lambda: InformationSet.from_observation(np.zeros(490, np.float32)), "2h is not in exactly one"),
        (lambda: InformationSet.from_observation(np.zeros((1, 490), np.float32)), r"\(1, 490\)"),
        (lambda: _core.observation_keys(np.zeros((2, 3), np.float32)), r"\(2, 3\)"),
    ],
)  # fmt: skip
def test_refusals_are_sentences(attempt: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        attempt()
    assert "\n" not in str(refusal.value)


def opening(last: str = "6c") -> InformationSet:
    return InformationSet(hand=[*parse_cards("2c 3c 4c 5c"), *parse_cards(last)])


def test_wrong_types_are_sentences() -> None:
    loose: Any = InformationSet
    known: Any = opening()
    for attempt in (
        lambda: loose(hand=5),
        lambda: loose(turn="one"),
        lambda: loose("2c"),
        lambda: loose(luck=3),
        lambda: loose.parse(3),
        lambda: known.follows("hand"),
        lambda: known.key("x"),
        lambda: _core.observation_keys([1]),  # type: ignore[list-item]
    ):
        with pytest.raises(TypeError) as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
