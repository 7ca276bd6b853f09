"""What the numbers of a review promise: intervals that hold, and nothing left over on average."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.arena.estimates import estimate
from agents.levels import agent_of
from agents.review import Effort, Judge, review_hands
from agents.review.hands import Played
from tests.reviewed import played_hand

POSITIONS, HANDS = 200, 1000
LEVELS = ("casual", "regular", "skilled", "advanced", "expert")
WIDTHS = (14, 15, 16, 17)


def positions(count: int) -> list[Played]:
    """Decisions of turns 0 to 3 by players of many kinds, one of a hand, some against fantasyland."""
    found = []
    for number in range(count):
        level = agent_of(LEVELS[number % len(LEVELS)])
        widths = (0, WIDTHS[number // 10 % 4]) if number % 10 == 9 else (0, 0)
        hand = played_hand((level, "alphazero:sims=0"), seed=number, button=number // 4 % 2, widths=widths)
        mine = [each for each in hand.decisions if each.seat == 0]
        found.append(mine[number % 4])
    return found


@pytest.mark.prove
def test_costs_agree_with_ten_times_the_simulations(capsys: pytest.CaptureFixture[str]) -> None:
    usual = Effort(played_on=2)  # what explains a cost does not change it
    many = usual.replace(simulations=10 * usual.simulations, worlds=10 * usual.worlds, shown=1)
    quick, slow = Judge(effort=usual), Judge(effort=many, seed=1)
    asked = positions(POSITIONS)
    with ThreadPoolExecutor(2) as pool:
        stated, found = list(pool.map(quick.judge, asked)), list(pool.map(slow.judge, asked))
    agree = [
        first.low - 1e-4 <= max(0.0, second.cost) <= first.high + 1e-4
        for first, second in zip(stated, found, strict=True)
    ]
    lost = [first for first in stated if first.grade != "best"]
    same = [ok for first, ok in zip(stated, agree, strict=True) if first.grade != "best"]
    with capsys.disabled():
        print(f"\n{sum(agree)} of {len(agree)} costs agree, {sum(same)} of {len(same)} that are not 0")
        print(f"mean half width of their intervals: {estimate([1.96 * each.error for each in lost]).text()}")
    assert sum(agree) >= 0.9 * len(agree)
    assert sum(same) >= 0.9 * len(same)


@pytest.mark.prove
def test_what_the_judge_cannot_explain_is_nothing_on_average(capsys: pytest.CaptureFixture[str]) -> None:
    judge = Judge(effort=Effort(worlds=100, shown=1, played_on=2))
    left = []
    for first in range(0, HANDS, 20):
        hands = [
            played_hand(
                (agent_of(LEVELS[number % len(LEVELS)]), "heuristic"),
                seed=10_000 + number,
                button=number % 2,
            )
            for number in range(first, first + 20)
        ]
        left += [each.balance.unexplained for each in review_hands(hands, [0] * 20, judge) if each.balance]
    found = estimate(left)
    with capsys.disabled():
        print(f"\nunexplained over {found.count} hands: {found.text(3)}")
    assert found.count == HANDS
    assert found.low <= 0.0 <= found.high
