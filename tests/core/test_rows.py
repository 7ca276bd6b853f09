"""Row values: every natural hand and every row with jokers, against the naive oracle.

Rows are read alike by all rules: a deck without jokers has the natural ones, a deck with one joker has those
with X1 too (`test_rule_sets.py` says that no other joker shows).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from itertools import chain, combinations, combinations_with_replacement, pairwise
from math import comb

import numpy as np
import pytest

from ofc_env import _core, parse_cards, row_readings, row_value, row_value_name
from tests import oracle

# SHA-256 over the values of all hands in lexicographic order of card indices, as little-endian uint32.
FIVE_CARD_HASH = "ddb4573a10752c33e4ff1d2d76629919b9c637d45fc1e052af5044c21bd545d3"
THREE_CARD_HASH = "1ce92ad9c858323009683ca0b46b66374817f3244558df2c43176a4e777c05da"


def all_rows(size: int) -> np.ndarray:
    """Every set of `size` natural cards, shape (count, size), in lexicographic order."""
    flat = np.fromiter(
        chain.from_iterable(combinations(range(52), size)), dtype=np.uint8, count=size * comb(52, size)
    )
    return flat.reshape(-1, size)


def rank_key(rows: np.ndarray) -> np.ndarray:
    """One number per row for its ranks, whatever their order, and for whether all suits agree."""
    ranks = np.sort(rows % 13, axis=1).astype(np.int64)
    suits = rows // 13
    key = np.zeros(len(rows), dtype=np.int64)
    for column in range(rows.shape[1]):
        key = key * 13 + ranks[:, column]
    return key * 2 + (suits == suits[:, :1]).all(axis=1)


def table_by_ranks(size: int) -> np.ndarray:
    """The oracle asked once for each multiset of ranks, suited and not; indexed by `rank_key`."""
    table = np.zeros(13**size * 2, dtype=np.uint32)
    for ranks in combinations_with_replacement(range(13), size):
        key = 0
        for rank in ranks:
            key = key * 13 + rank
        if max(ranks.count(rank) for rank in ranks) <= 4:
            suits = [ranks[:place].count(rank) for place, rank in enumerate(ranks)]
            if len(set(suits)) == 1:
                suits[0] = 1
            table[key * 2] = oracle.encode(
                oracle.natural_value(s * 13 + r for s, r in zip(suits, ranks, strict=True))
            )
        if len(set(ranks)) == size:
            table[key * 2 + 1] = oracle.encode(oracle.natural_value(ranks))
    return table


def oracle_values(rows: np.ndarray) -> np.ndarray:
    """The oracle's value of each natural row, shape (N,), uint32."""
    return _TABLES[rows.shape[1]][rank_key(rows)]


_TABLES = {3: table_by_ranks(3), 5: table_by_ranks(5)}


@pytest.fixture(scope="module")
def five_card_rows() -> np.ndarray:
    return all_rows(5)


@pytest.fixture(scope="module")
def five_card_values(five_card_rows: np.ndarray) -> np.ndarray:
    return oracle_values(five_card_rows)


def sha256(values: np.ndarray) -> str:
    return hashlib.sha256(values.astype("<u4").tobytes()).hexdigest()


# --- the oracle itself ------------------------------------------------------------------


def test_oracle_by_ranks_equals_the_plain_oracle(
    five_card_rows: np.ndarray, five_card_values: np.ndarray
) -> None:
    sample = np.random.default_rng(1).integers(0, len(five_card_rows), size=100_000)
    suited = np.flatnonzero(five_card_values >> 20 >= oracle.FLUSH)
    for index in chain(sample.tolist(), suited[:: max(1, len(suited) // 3000)].tolist()):
        plain = oracle.encode(oracle.natural_value(five_card_rows[index].tolist()))
        assert plain == five_card_values[index], oracle.names(five_card_rows[index])
    threes = all_rows(3)
    assert [oracle.encode(oracle.natural_value(row)) for row in threes.tolist()] == oracle_values(
        threes
    ).tolist()


def test_oracle_counts_every_category(five_card_values: np.ndarray) -> None:
    """The textbook frequencies of the nine categories, and the 7,462 different hands."""
    counts = np.bincount(five_card_values >> 20, minlength=9).tolist()
    assert counts == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert len(np.unique(five_card_values)) == 7462
    three_card_values = oracle_values(all_rows(3))
    assert np.bincount(three_card_values >> 20, minlength=9).tolist() == [18304, 3744, 0, 52, 0, 0, 0, 0, 0]


def test_encoding_keeps_the_order_of_the_tuples(five_card_values: np.ndarray) -> None:
    numbers = sorted({*five_card_values.tolist(), *oracle_values(all_rows(3)).tolist()})
    tuples = [oracle.decode(number) for number in numbers]
    assert all(lower < higher for lower, higher in pairwise(tuples))
    assert [oracle.encode(value) for value in tuples] == numbers


# --- natural rows -----------------------------------------------------------------------


def test_every_five_card_hand(five_card_rows: np.ndarray, five_card_values: np.ndarray) -> None:
    values = _core.row_values_batch(five_card_rows)
    assert values.dtype == np.uint32
    assert values.shape == (2_598_960,)
    wrong = np.flatnonzero(values != five_card_values)
    assert len(wrong) == 0, f"{oracle.names(five_card_rows[wrong[0]])}: {values[wrong[0]]}"
    assert sha256(values) == FIVE_CARD_HASH
    assert sha256(five_card_values) == FIVE_CARD_HASH


def test_every_three_card_hand() -> None:
    rows = all_rows(3)
    values = _core.row_values_batch(rows)
    assert values.shape == (22_100,)
    np.testing.assert_array_equal(values, oracle_values(rows))
    assert sha256(values) == THREE_CARD_HASH
    assert sha256(oracle_values(rows)) == THREE_CARD_HASH


def test_the_batch_equals_the_single_call_in_any_order_of_cards(five_card_rows: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    for rows in (five_card_rows, all_rows(3)):
        sample = rng.permuted(rows[rng.integers(0, len(rows), size=20_000)], axis=1)
        batch = _core.row_values_batch(sample)
        assert [row_value(row) for row in sample.tolist()] == batch.tolist()
        assert [row_readings(row) for row in sample[:5000].tolist()] == [
            [value] for value in batch[:5000].tolist()
        ]


def test_the_batch_refuses_what_is_not_a_natural_row() -> None:
    for wrong in (np.zeros((4, 4), np.uint8), np.zeros(5, np.uint8)):
        with pytest.raises((ValueError, TypeError)):
            _core.row_values_batch(wrong)
    for row in ([0, 1, 2, 3, 54], [0, 1, 2, 3, 255], [0, 1, 2, 3, 3]):
        with pytest.raises(ValueError):
            _core.row_values_batch(np.array([row], dtype=np.uint8))


# --- rows with jokers -------------------------------------------------------------------


def joker_rows(size: int, jokers: int, chunk: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Chunks of (natural cards (n, size - jokers), sorted values of all substitutions (n, substitutions))."""
    naturals = all_rows(size - jokers)
    for start in range(0, len(naturals), chunk):
        part = naturals[start : start + chunk]
        present = np.zeros((len(part), 52), dtype=bool)
        np.put_along_axis(present, part.astype(np.int64), True, axis=1)
        free = np.nonzero(~present)[1].reshape(len(part), -1).astype(np.uint8)
        extras = np.array(list(combinations(range(free.shape[1]), jokers)))
        substituted = free[:, extras]
        repeated = np.broadcast_to(part[:, None, :], (*substituted.shape[:2], part.shape[1]))
        full = np.concatenate([repeated, substituted], axis=2).reshape(-1, size)
        yield part, np.sort(oracle_values(full).reshape(len(part), -1), axis=1)


def distinct(sorted_values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of each row one after the other, and how many each row has."""
    first = np.ones(sorted_values.shape, dtype=bool)
    first[:, 1:] = sorted_values[:, 1:] != sorted_values[:, :-1]
    return sorted_values[first], first.sum(axis=1)


@pytest.mark.parametrize(
    ("size", "joker_sets", "count"),
    [
        (5, ((52,), (53,)), 270_725),
        (5, ((52, 53),), 22_100),
        (3, ((52,), (53,)), 1_326),
        (3, ((52, 53),), 52),
    ],
    ids=["five-one", "five-two", "three-one", "three-two"],
)
def test_every_reading_of_every_row_with_jokers(
    size: int, joker_sets: tuple[tuple[int, ...], ...], count: int
) -> None:
    """The whole sorted list of readings, and the best one under random limits, of each row there is."""
    rng = random.Random(size)
    seen = 0
    for part, values in joker_rows(
        size, len(joker_sets[0]), chunk=20_000 if len(joker_sets[0]) == 1 else 2_000
    ):
        flat, lengths = distinct(values)
        seen += len(part)
        ends = np.cumsum(lengths).tolist()
        wanted = flat.tolist()
        for jokers in joker_sets:
            rows = [[*jokers, *row] for row in part.tolist()]
            lists = [row_readings(row) for row in rows]
            if (
                list(chain.from_iterable(lists)) != wanted
                or [len(each) for each in lists] != lengths.tolist()
            ):
                report_first_difference(rows, lists, wanted, ends)
            check_limits(rng, rows, lists)
    assert seen == count


def report_first_difference(rows: list, lists: list, wanted: list, ends: list) -> None:
    start = 0
    for row, found, end in zip(rows, lists, ends, strict=True):
        assert found == wanted[start:end], oracle.names(row)
        start = end


def check_limits(rng: random.Random, rows: list[list[int]], lists: list[list[int]]) -> None:
    """Best readings with no limit, at a reading, just below one, below all, and at a random number."""
    for row, readings in zip(rows, lists, strict=True):
        choice = rng.random()
        if choice < 0.25:
            assert row_value(row) == readings[-1]
            continue
        place = rng.randrange(len(readings))
        wanted: int | None
        if choice < 0.5:
            limit = wanted = readings[place]
        elif choice < 0.75:
            limit, wanted = readings[place] - 1, readings[place - 1] if place else None
        else:
            limit = (
                rng.randrange(readings[0] - 1000, readings[-1] + 1000) if readings[0] > 1000 else readings[-1]
            )
            under = [value for value in readings if value <= limit]
            wanted = under[-1] if under else None
        assert row_value(row, limit) == wanted, (oracle.names(row), limit)


def test_joker_readings_of_the_plain_oracle() -> None:
    """The readings above stand on a table by ranks; here a sample of rows has every single card tried."""
    rng = random.Random(5)
    for size, jokers, sample in ((5, 1, 1500), (5, 2, 60), (3, 1, 400), (3, 2, 52)):
        for _ in range(sample):
            natural = rng.sample(range(52), size - jokers)
            row = natural + rng.sample([52, 53], jokers)
            rng.shuffle(row)
            free = [card for card in range(52) if card not in natural]
            tried = sorted({oracle.natural_value([*natural, *extra]) for extra in combinations(free, jokers)})
            assert list(oracle.readings(row)) == tried
            assert row_readings(row) == [oracle.encode(value) for value in tried], oracle.names(row)
            limit = rng.choice(tried)
            assert oracle.best_reading(row, limit) == limit
            assert row_value(row, oracle.encode(limit)) == oracle.encode(limit)


# --- by hand ----------------------------------------------------------------------------


def best(row: str) -> int:
    """The best value of a row, which every row has as long as nothing limits it."""
    value = row_value(row)
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("Ah Kd Qc Js 9h", "2h 2d 3c 4s 5h"),
        ("Ah Ad Kc Qs Jh", "2h 2d 3c 3s 4h"),
        ("Ah Ad Kc Ks Qh", "2h 2d 2c 3s 4h"),
        ("Ah Ad Ac Ks Qh", "Ah 2d 3c 4s 5h"),
        ("Ah 2d 3c 4s 5h", "2h 3d 4c 5s 6h"),
        ("Th Jd Qc Ks Ah", "2h 3h 4h 5h 7h"),
        ("Ah Kh Qh Jh 9h", "2h 2d 2c 3s 3h"),
        ("Ah Ad Ac Ks Kh", "2h 2d 2c 2s 3h"),
        ("Ah Ad Ac As Kh", "Ah 2h 3h 4h 5h"),
        ("9h Th Jh Qh Kh", "Th Jh Qh Kh Ah"),
        ("Kh Kd 4c", "Kh Kd 4c 2s 3h"),
        ("2h 3d 4c", "2h 3d 4c 5s 7h"),
        ("Ah Kd Qc", "Ah Kd Qc Js 9h"),
        ("Ah Kd Qc Js 9h", "2h 2d 3c"),
        ("8h 8d 8c", "8h 8d 8c 2s 3h"),
        ("Ah Ad Kc Ks Qh", "2h 2d 2c"),
        ("2h 2d 2c 3s 4h", "3h 3d 3c"),
        ("Kh Kd 3c 2s 4h", "Kh Kd Ac"),
    ],
)
def test_one_scale_for_all_rows(lower: str, higher: str) -> None:
    assert best(lower) < best(higher)


def test_suits_never_break_a_tie_and_order_means_nothing() -> None:
    assert row_value("Ah Kh Qh Jh 9h") == row_value("9s Js Qs Ks As")
    assert row_value("2h 2d 5c 9s Kh") == row_value("Kc 9d 5s 2c 2s")
    assert row_value("Th Jh Qh Kh Ah") == row_value("As Ks Qs Js Ts")


def test_three_cards_make_no_straight_and_no_flush() -> None:
    assert best("2h 3h 4h") >> 20 == oracle.HIGH_CARD
    assert best("X1 Kh Ah") >> 20 == oracle.PAIR


def test_jokers_are_cards_not_in_the_row() -> None:
    """Five of a kind does not exist; four aces go with a king; a royal flush can be read from two jokers."""
    assert row_value("As Ah Ad X1 X2") == row_value("As Ah Ad Ac Kh")
    assert row_value("2s 2h 2d 2c X1") == row_value("2s 2h 2d 2c Ah")
    assert row_value("Ah Kh Qh X1 X2") == row_value("Ah Kh Qh Jh Th")
    assert row_value("X1 X2 Ah") == row_value("Ad Ac Ah")
    assert row_value("X1 Ah Kh Qh 2h") == row_value("Jh Ah Kh Qh 2h")


def test_a_value_has_a_name() -> None:
    assert row_value_name(best("Kh Kd Kc 2s 2h")) == "full house, kings over deuces"
    names = {
        "Ah Kd Qc Js 9h": "ace high",
        "6h 6d 2c": "pair of sixes",
        "Kh Kd 5c 5s 2h": "two pair, kings and fives",
        "9h 9d 9c": "three nines",
        "Ah 2d 3c 4s 5h": "straight, five high",
        "3h 4h 5h 6h Kh": "flush, king high",
        "Th Td Tc Ts 2h": "four tens",
        "Ah 2h 3h 4h 5h": "straight flush, five high",
        "Th Jh Qh Kh Ah": "royal flush",
    }
    for row, name in names.items():
        assert row_value_name(best(row)) == name


@pytest.mark.parametrize(
    ("row", "offender"),
    [
        ("Ah Kd", "2"),
        ("Ah Kd Qc Js", "4"),
        ("Ah Kd Qc Js Th 9h", "6"),
        ("Ah Kd Ah", "Ah"),
        ("Ah Kd Zz", "Zz"),
        ([0, 1, 54], "54"),
        ([0, 1, -1], "-1"),
        ("X1 X1 2h", "X1"),
        ("", "0"),
    ],
)
def test_a_wrong_row_is_refused_with_the_offender(row: str | list[int], offender: str) -> None:
    functions: tuple[Callable[[str | list[int]], object], ...] = (row_value, row_readings)
    for function in functions:
        with pytest.raises(ValueError, match=offender) as refusal:
            function(row)
        assert "\n" not in str(refusal.value)


def test_cards_have_names_and_numbers() -> None:
    assert parse_cards("Ah Kd X1") == [12, 24, 52]
    assert parse_cards(oracle.CARD_NAMES) == list(range(54))
    assert parse_cards(["Ah", 24, "X1"]) == [12, 24, 52]
    assert [_core.card_name(card) for card in range(54)] == oracle.CARD_NAMES
    assert _core.card_names([12, 24, 52]) == ["Ah", "Kd", "X1"]
    for wrong in ("1h", "ah", "AH", "X3", "A", "Ahh", "10h", "AhKd", "x1"):
        with pytest.raises(ValueError):
            parse_cards(wrong)
    for number in (-1, 54, 1000):
        with pytest.raises(ValueError, match=str(number)):
            _core.card_name(number)
        with pytest.raises(ValueError, match=str(number)):
            parse_cards([number])
