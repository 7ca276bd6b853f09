"""The fantasyland solver against brute force, and the brute force against plain Python."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from typing import Any

import pytest

from ofc_env import Board, FantasylandSolution, Placement, Rules, _core, solve_fantasyland
from tests import oracle
from tests.boards import disjoint_opponents
from tests.oracle_play import best_fantasyland
from tests.play import board_of, cards_of, random_fantasyland_setting

STAY_VALUES = (0.0, 3.5, 11.6, 15.0, 40.0)


def hands(rng: random.Random, width: int, count: int) -> Iterator[tuple[list[int], float]]:
    """Random cards and a stay value; a third and more of the hands hold one or both jokers."""
    for number in range(count):
        jokers = (1, 0, 2, 0, 0)[(number + width // 17 * 2) % 5]
        dealt = rng.sample(range(52), width - jokers) + rng.sample([52, 53], jokers)
        rng.shuffle(dealt)
        yield dealt, STAY_VALUES[number % len(STAY_VALUES)]


def rows_of_solution(solution: FantasylandSolution) -> oracle.Rows:
    placement = solution.placement
    return (list(placement.top), list(placement.middle), list(placement.bottom))


def strength(reading: oracle.Reading) -> tuple[int, ...]:
    """Encoded bottom, middle, top: what decides between settings of one value."""
    return tuple(oracle.encode(value) for value in reversed(reading.values) if value is not None)


def check_solution(solution: FantasylandSolution, dealt: list[int], stay_value: float) -> oracle.Reading:
    """The solution uses each card once and is worth what it says, judged by the oracle."""
    rows = rows_of_solution(solution)
    used = [card for row in rows for card in row] + list(solution.placement.discards)
    assert sorted(used) == sorted(dealt)
    assert [len(row) for row in rows] == [3, 5, 5]
    reading = oracle.read_board(rows)
    assert not reading.fouled
    assert solution.royalties == reading.total
    assert solution.stays == reading.stays
    assert solution.board == board_of(rows)
    assert solution.value == pytest.approx(reading.total + (stay_value if reading.stays else 0.0), abs=1e-9)
    return reading


def compare_with_brute_force(width: int, count: int, seed: int) -> None:
    with_jokers = 0
    for dealt, stay_value in hands(random.Random(seed), width, count):
        with_jokers += any(card >= 52 for card in dealt)
        solved = solve_fantasyland(dealt, stay_value=stay_value)
        forced = _core.brute_force_fantasyland(dealt, stay_value=stay_value)
        message = f"{oracle.names(dealt)}, stay value {stay_value}"
        assert solved.value == pytest.approx(forced.value, abs=1e-9), message
        readings = [check_solution(each, dealt, stay_value) for each in (solved, forced)]
        assert strength(readings[0]) == strength(readings[1]), message
    assert with_jokers * 3 >= count


@pytest.mark.parametrize(("width", "count"), [(14, 40), (15, 5), (16, 1), (17, 1)])
def test_the_solver_equals_brute_force(width: int, count: int) -> None:
    compare_with_brute_force(width, count, seed=width)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize(("width", "count"), [(14, 100), (15, 40), (16, 10), (17, 4)])
def test_the_solver_equals_brute_force_on_many_hands(width: int, count: int, part: int) -> None:
    """Ten parts of each width: 1,000 / 400 / 100 / 40 hands, a third and more with jokers."""
    rng = random.Random(f"{width} {part}")
    for number in range(count):
        jokers = (1, 0, 2, 0, 0)[(number + part) % 5]
        dealt = rng.sample(range(52), width - jokers) + rng.sample([52, 53], jokers)
        stay_value = rng.choice(STAY_VALUES)
        solved = solve_fantasyland(dealt, stay_value=stay_value)
        forced = _core.brute_force_fantasyland(dealt, stay_value=stay_value)
        assert solved.value == pytest.approx(forced.value, abs=1e-9), oracle.names(dealt)
        readings = [check_solution(each, dealt, stay_value) for each in (solved, forced)]
        assert strength(readings[0]) == strength(readings[1]), oracle.names(dealt)


@pytest.mark.parametrize(("jokers", "stay_value"), [(0, 15.0), (1, 0.0), (2, 11.6)])
def test_brute_force_equals_plain_python(jokers: int, stay_value: float) -> None:
    """Every one of the million settings of 14 cards, value and tie-break."""
    rng = random.Random(50 + jokers)
    dealt = rng.sample(range(52), 14 - jokers) + rng.sample([52, 53], jokers)
    value, rows = best_fantasyland(dealt, stay_value)
    for solution in (
        _core.brute_force_fantasyland(dealt, stay_value=stay_value),
        solve_fantasyland(dealt, stay_value=stay_value),
    ):
        assert solution.value == pytest.approx(value, abs=1e-9)
        assert strength(check_solution(solution, dealt, stay_value)) == rows


@pytest.mark.parametrize("width", [14, 15, 16, 17])
def test_no_sampled_setting_is_better(width: int) -> None:
    """Settings by chance and settings next to the solution: none is worth more, by the oracle's reckoning."""
    rng = random.Random(width)
    for dealt, stay_value in hands(rng, width, 20):
        best = solve_fantasyland(dealt, stay_value=stay_value)
        check_solution(best, dealt, stay_value)
        flat = [card for row in rows_of_solution(best) for card in row] + list(best.placement.discards)
        for number in range(150):
            if number % 3 == 0:
                setting = random_fantasyland_setting(rng, dealt)
                rows: oracle.Rows = (setting[0], setting[1], setting[2])
            else:
                mixed = list(flat)
                for _ in range(rng.choice((1, 2, 3))):
                    one, other = rng.sample(range(width), 2)
                    mixed[one], mixed[other] = mixed[other], mixed[one]
                rows = (mixed[:3], mixed[3:8], mixed[8:13])
            reading = oracle.read_board(rows)
            if not reading.fouled:
                worth = reading.total + (stay_value if reading.stays else 0.0)
                assert worth <= best.value + 1e-9, (oracle.names(dealt), rows)


def test_the_order_of_the_cards_means_nothing() -> None:
    rng = random.Random(51)
    for dealt, stay_value in hands(rng, 15, 10):
        first = solve_fantasyland(dealt, stay_value=stay_value)
        second = solve_fantasyland(rng.sample(dealt, 15), stay_value=stay_value)
        assert first.placement == second.placement
        assert first.value == second.value


def test_the_stay_value_decides() -> None:
    """Four sevens below would stay; for nothing other settings pay more, for much they do not."""
    dealt = "7h 7d 7c 7s Kh Qh 9h 4h 2h Kd Kc 3s 5d 8c"
    free, dear = solve_fantasyland(dealt, stay_value=0), solve_fantasyland(dealt, stay_value=50)
    assert dear.stays
    assert dear.value == dear.royalties + 50
    assert free.value >= dear.royalties


def test_ties_go_to_the_stronger_bottom_then_middle_then_top() -> None:
    dealt = "Ah Kd Qc Js 9h 8d 7c 5s 4h 3d 2c Th 6s Jd"
    solution = solve_fantasyland(dealt, stay_value=0)
    value, rows = best_fantasyland(oracle.cards(dealt), 0)
    assert solution.value == value
    assert strength(oracle.read_board(rows_of_solution(solution))) == rows


# --- against boards that are known --------------------------------------------------------


def mean_points(rows: oracle.Rows, opponents: list[oracle.Rows], stay_value: float) -> float:
    reading = oracle.read_board(rows)
    points = [oracle.score_readings(reading, oracle.read_board(each)).raw_score[0] for each in opponents]
    return sum(points) / len(points) + (stay_value if reading.stays else 0.0)


@pytest.mark.parametrize("sample", [1, 4])
def test_against_opponent_boards(sample: int) -> None:
    """The mean of the points against a board, or several, is what is maximised."""
    rng = random.Random(52 + sample)
    for dealt, stay_value in hands(rng, 14, 6):
        opponents = disjoint_opponents(rng, dealt, sample)
        boards: Board | list[Board] = [board_of(each) for each in opponents]
        argument = boards[0] if sample == 1 and isinstance(boards, list) else boards
        solved = solve_fantasyland(dealt, stay_value=stay_value, opponent=argument)
        forced = _core.brute_force_fantasyland(dealt, stay_value=stay_value, opponent=argument)
        assert solved.value == pytest.approx(forced.value, abs=1e-6)
        for each in (solved, forced):
            worth = mean_points(rows_of_solution(each), opponents, stay_value)
            assert each.value == pytest.approx(worth, abs=1e-6)
        for _ in range(300):
            top, middle, bottom, _ = random_fantasyland_setting(rng, dealt)
            assert mean_points((top, middle, bottom), opponents, stay_value) <= solved.value + 1e-6


def test_equal_royalties_are_not_equal_points() -> None:
    """Somewhere the setting that is best on its own is not the best against a given board."""
    rng = random.Random(53)
    differ = 0
    for dealt, _ in hands(rng, 14, 30):
        opponent = disjoint_opponents(rng, dealt, 1)[0]
        alone = solve_fantasyland(dealt, stay_value=0)
        against = solve_fantasyland(dealt, stay_value=0, opponent=board_of(opponent))
        gain = against.value - mean_points(rows_of_solution(alone), [opponent], 0)
        assert gain > -1e-9
        differ += gain > 0.5
    assert differ > 0


# --- values and refusals ------------------------------------------------------------------


def test_other_rules_change_the_solution() -> None:
    dealt = "Ah Ad Kc Ks 3h 3d 3c 6s 6h 9d 9c Tc 2s Jd"
    rules = Rules(top_pairs=[100] * 13, top_trips=[0] * 13, middle=[0] * 10, bottom=[0] * 10)
    solution = solve_fantasyland(dealt, stay_value=0, rules=rules)
    assert solution.value == 100
    assert solution.royalties == solution.board.royalties.top == 100


def test_a_solution_can_be_placed() -> None:
    solution = solve_fantasyland("Ah Ad Kc Ks 3h 3d 3c 6s 6h 9d 9c Tc 2s X1")
    assert isinstance(solution.placement, Placement)
    assert sorted(cards_of(solution.board)) == sorted(
        [*solution.placement.top, *solution.placement.middle, *solution.placement.bottom]
    )


@pytest.mark.parametrize(
    ("dealt", "offender"),
    [
        (list(range(13)), "13"),
        (list(range(18)), "18"),
        ([], "0"),
        ([*range(13), 0], "2h"),
        ([*range(13), 54], "54"),
        ("Ah Ad Kc Ks 3h 3d 3c 6s 6h 9d 9c Tc 2s Zz", "Zz"),
    ],
)
def test_wrong_hands_are_refused(dealt: str | list[int], offender: str) -> None:
    for function in (solve_fantasyland, _core.brute_force_fantasyland):
        with pytest.raises(ValueError, match=offender) as refusal:
            function(dealt, stay_value=1)
        assert "\n" not in str(refusal.value)


def test_wrong_opponents_are_refused() -> None:
    dealt = list(range(14))
    with pytest.raises(ValueError):
        solve_fantasyland(dealt, opponent=Board(top=[20]))
    with pytest.raises(ValueError, match="2h"):
        solve_fantasyland(
            dealt, opponent=Board(top=[0, 20, 21], middle=list(range(22, 27)), bottom=list(range(27, 32)))
        )


def test_a_solution_is_a_value() -> None:
    cards = random.Random(8).sample(range(54), 15)
    solution = solve_fantasyland(cards, stay_value=3.0)
    twin = pickle.loads(pickle.dumps(solution))
    assert twin == solution
    assert (twin.placement, twin.board, twin.value) == (solution.placement, solution.board, solution.value)
    assert (twin.royalties, twin.stays) == (solution.royalties, solution.stays)
    assert solution != solve_fantasyland(cards[:14], stay_value=3.0)
    assert solution != cards
    other = solve_fantasyland(cards, stay_value=3.0, rules=Rules(chips=7))
    assert pickle.loads(pickle.dumps(other)).board.rules == Rules(chips=7)
    state = solution.__getstate__()
    wrong: Any
    for wrong in (("Ah>t", *state[1:]), (state[0], "x", state[2]), (*state[:2], "chips=x")):
        with pytest.raises((TypeError, ValueError)):
            FantasylandSolution.__new__(FantasylandSolution).__setstate__(wrong)
