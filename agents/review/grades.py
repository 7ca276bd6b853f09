"""What a cost is called, what kind of decision it was, and which decisions were obvious: every threshold.

The three costs were set by what the levels of agents/levels.py lose (docs/getting-better.md has the table,
experiments/calibrate_rating.py measures it).
"""

from __future__ import annotations

from collections.abc import Sequence

# Points that a decision lost for sure, from which it has this name.
BLUNDER = 3.0
MISTAKE = 1.0
INACCURACY = 0.3
# A best placement that leads all others by this much is obvious to whoever plays it.
OBVIOUS_LEAD = 2.0
SAME = 1e-6  # points: placements that differ by less in every world are one placement in other suits

BEST, CLOSE, FINE = "best", "close", "fine"
GRADES = (BEST, CLOSE, FINE, "inaccuracy", "mistake", "blunder")  # mildest first
KINDS = (
    "opening",
    "fantasyland_chased",
    "fantasyland_missed",
    "foul_risked",
    "foul_feared",
    "discard",
    "row",
    "setting",
)


def grade_of(cost: float, low: float, is_best: bool) -> str:
    """What a decision is called.

    Args:
        cost: points lost against the best placement.
        low: lower end of its 95 % interval.
        is_best: whether the best placement itself was played, or one that is the same in every world.
    """
    if is_best:
        return BEST
    if low <= 0.0:
        return CLOSE
    for limit, name in ((BLUNDER, "blunder"), (MISTAKE, "mistake"), (INACCURACY, "inaccuracy")):
        if cost >= limit:
            return name
    return FINE


def is_obvious(leads: Sequence[float], is_best: bool) -> bool:
    """Whether a decision says nothing about who made it.

    Args:
        leads: by how much the best placement beats each of the others, points.
        is_best: whether it was played.
    """
    others = [lead for lead in leads if abs(lead) > SAME]
    return not others or (is_best and min(others) >= OBVIOUS_LEAD)


def kind_of(turn: int, foul: float, fantasyland: float, same_discards: bool) -> str:
    """What a decision was about, where something else than the best was played.

    Args:
        turn: 0 to 4.
        foul: points of the difference that fouls made, played less best; 0 where that is not sure.
        fantasyland: the same of fantasyland.
        same_discards: whether both throw the same cards away.
    """
    if turn == 0:
        return "opening"
    if foul or fantasyland:
        if abs(foul) >= abs(fantasyland):
            return "foul_risked" if foul < 0 else "foul_feared"
        return "fantasyland_missed" if fantasyland < 0 else "fantasyland_chased"
    return "row" if same_discards else "discard"
