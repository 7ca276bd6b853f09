"""Boards and scoring: random pairs of boards against the oracle."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import pytest

from ofc_env import Rules, score_boards
from tests import oracle
from tests.boards import random_pair
from tests.play import board_of, check_board, check_result

PAIRS, PARTS = 100_000, 4


# --- random pairs -----------------------------------------------------------------------


def classes_of(rows: oracle.Rows, reading: oracle.Reading) -> list[str]:
    """What is interesting about a board; the sample must hold each of these."""
    found = (
        ["foul"]
        if reading.fouled
        else [f"row {row} category {v[0]}" for row, v in enumerate(reading.values) if v]
    )
    jokers = [sum(card >= 52 for card in row) for row in rows]
    found += [f"{count} jokers in row {row}" for row, count in enumerate(jokers) if count]
    best = [oracle.best_reading(row) for row in rows]
    if not reading.fouled and any(jokers):
        if reading.values[oracle.MIDDLE] != best[oracle.MIDDLE]:
            found.append("middle read lower to fit")
        if reading.values[oracle.TOP] != best[oracle.TOP]:
            found.append("top read lower to fit")
    if reading.fouled and any(jokers):
        found.append("foul with jokers")
    if not reading.fouled:
        found += [f"entry {reading.entry_cards}", f"stays {reading.stays}"]
        found += ["royal flush"] if (8, 13) in reading.values else []
        found += ["equal rows"] if reading.values[1] == reading.values[2] else []
        found.append(f"top royalty {reading.royalties[0]}")
    return found


def score_classes(score: oracle.Score) -> list[str]:
    fouls = sum(reading.fouled for reading in score.readings)
    found = [f"{fouls} fouls", f"scoop {score.scoop}"]
    if fouls == 0:
        found += [f"line {row} result {value}" for row, value in enumerate(score.line_results[0])]
    found += ["capped"] if score.raw_score != score.actual_score else ["not capped"]
    found += ["busted out"] if 0 in score.chips else []
    found += [f"entry by seat {seat}" for seat in (0, 1) if score.entry[seat]]
    found += [f"stay by seat {seat}" for seat in (0, 1) if score.stay[seat]]
    return found


WANTED_CLASSES = [
    *(f"row {row} category {category}" for row in (1, 2) for category in range(9)),
    *(f"row 0 category {category}" for category in (0, 1, 3)),
    *(f"{count} jokers in row {row}" for row in range(3) for count in (1, 2)),
    *(f"line {row} result {value}" for row in range(3) for value in (-1, 0, 1)),
    *(f"top royalty {value}" for value in range(23)),
    *(f"entry {width}" for width in (0, 14, 15, 16, 17)),
    *(f"{fouls} fouls" for fouls in range(3)),
    *(f"scoop {seat}" for seat in (None, 0, 1)),
    *(f"{what} by seat {seat}" for what in ("entry", "stay") for seat in (0, 1)),
    *("middle read lower to fit", "top read lower to fit", "foul with jokers", "royal flush", "equal rows"),
    *("capped", "not capped", "busted out", "stays True", "stays False"),
]


@pytest.mark.parametrize("part", range(PARTS))
def test_random_pairs_against_the_oracle(part: int) -> None:
    rng = random.Random(20 + part)
    seen: Counter[str] = Counter()
    with_jokers = 0
    for number in range(PAIRS // PARTS):
        first, second = random_pair(rng, jokers=number % 3 == 0)
        with_jokers += number % 3 == 0
        pool = rng.choice((400, 400, 40))
        chips = rng.randint(0, pool)
        stacks = (chips, pool - chips)
        widths = (rng.choice((0, 0, 14, 17)), rng.choice((0, 0, 15, 16)))
        boards = board_of(first), board_of(second)
        score = oracle.score_rows(first, second, stacks, widths)
        result = score_boards(*boards, chips=stacks, fantasyland=widths)
        check_result(result, score)
        for board, rows, reading in zip(boards, (first, second), score.readings, strict=True):
            check_board(board, rows, reading)
            seen.update(classes_of(rows, reading))
        seen.update(score_classes(score))
    assert with_jokers * 3 >= PAIRS // PARTS
    missing = [name for name in WANTED_CLASSES if seen[name] < 3]
    assert not missing, f"too rare in the sample: {missing}"


def test_the_score_is_the_same_from_either_seat() -> None:
    rng = random.Random(21)
    for _ in range(500):
        first, second = random_pair(rng, jokers=True)
        one = score_boards(board_of(first), board_of(second), chips=(30, 370))
        other = score_boards(board_of(second), board_of(first), chips=(370, 30))
        assert list(one.raw_score) == list(other.raw_score)[::-1]
        assert list(one.chips) == list(other.chips)[::-1]
        assert sum(one.raw_score) == sum(one.actual_score) == 0
        assert sum(one.chips) == 400


ROWS = ("top", "middle", "bottom")
VARIANT = oracle.OracleRules(
    top_pairs=tuple(range(13)),
    top_trips=tuple(range(20, 33)),
    middle=(0, 0, 1, 3, 5, 9, 13, 21, 31, 51),
    bottom=(0, 0, 0, 1, 3, 5, 7, 11, 16, 26),
    scoop=5,
    fantasyland_pairs=(0,) * 9 + (14, 14, 14, 15),
    fantasyland_trips=16,
    stay_cards=0,
)


def test_other_rules_are_data() -> None:
    rules = Rules(
        top_pairs=list(VARIANT.top_pairs),
        top_trips=list(VARIANT.top_trips),
        middle=list(VARIANT.middle),
        bottom=list(VARIANT.bottom),
        scoop=VARIANT.scoop,
        fantasyland_pairs=list(VARIANT.fantasyland_pairs),
        fantasyland_trips=VARIANT.fantasyland_trips,
        stay_cards=VARIANT.stay_cards,
    )
    rng = random.Random(22)
    for number in range(3_000):
        first, second = random_pair(rng, jokers=number % 3 == 0)
        widths = (rng.choice((0, 15)), rng.choice((0, 17)))
        score = oracle.score_rows(first, second, (200, 200), widths, VARIANT)
        boards = board_of(first, rules), board_of(second, rules)
        check_result(score_boards(*boards, fantasyland=widths, rules=rules), score)
        check_board(boards[0], first, score.readings[0])
        for row, value, points in zip(ROWS, boards[0].row_values, boards[0].royalties, strict=False):
            assert boards[0].fouled or rules.royalty(row, value or 0) == points
    assert Rules.parse(str(rules)) == rules
    assert Rules.parse(str(Rules())) == Rules() != rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert hash(rules) == hash(rules.replace())
    assert rules.replace(scoop=3).scoop == 3
    assert rules.scoop == 5
