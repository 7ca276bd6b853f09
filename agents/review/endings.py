"""Two placements played on in the same worlds: their chances, and the differences that explain a cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.review.report import WIDTHS, Chances, Difference, rounded
from ofc_env import Board, RewardConfig, Rules, score_boards

Numbers = NDArray[np.float64]
# Of an ending, in the order of `_core.Referee.play`; the three rows follow.
COLUMNS = ("value", "foul", "width", "royalties", "their_foul", "their_width", "their_royalties")


@dataclass(frozen=True)
class Endings:
    """How a placement ended in each of some worlds, (worlds,) each; `theirs` is the opponent's board."""

    value: Numbers
    foul: Numbers
    width: Numbers
    royalties: Numbers
    their_foul: Numbers
    their_width: Numbers
    their_royalties: Numbers
    rows: Numbers  # (worlds, 3): 1 won, 0 shared, -1 lost

    @classmethod
    def of(cls, played: NDArray[np.float32]) -> Endings:
        """From one placement of `_core.Referee.play`, (worlds, 10)."""
        numbers = played.astype(np.float64)
        return cls(**dict(zip(COLUMNS, numbers[:, :7].T, strict=True)), rows=numbers[:, 7:])

    @classmethod
    def against(
        cls, board: Board, opponents: list[Board], widths: tuple[int, int], reward: RewardConfig, rules: Rules
    ) -> Endings:
        """Of a fantasyland setting against boards that the opponent may end with; own width first."""
        results = [score_boards(board, other, fantasyland=widths, rules=rules) for other in opponents]
        columns: list[list[Any]] = [
            [reward.hand_rewards(result)[0] for result in results],
            [result.busted[0] for result in results],
            [result.fl_card_count[0] for result in results],
            [result.royalties[0].total for result in results],
            [result.busted[1] for result in results],
            [result.fl_card_count[1] for result in results],
            [result.royalties[1].total for result in results],
        ]
        rows = np.array([result.line_results[0] for result in results], dtype=np.float64)
        numbers = np.array(columns, dtype=np.float64)
        return cls(**dict(zip(COLUMNS, numbers, strict=True)), rows=rows)

    def chances(self) -> Chances:
        """Means of all worlds."""
        return Chances(
            rounded(self.value.mean()),
            rounded(error_of(self.value)),
            rounded(self.foul.mean()),
            _shares(self.width),
            rounded(self.royalties.mean()),
            tuple(rounded(share) for share in (self.rows > 0).mean(axis=0)),
            rounded(self.their_foul.mean()),
            _shares(self.their_width),
            rounded(self.their_royalties.mean()),
        )


def difference(played: Endings, best: Endings, reward: RewardConfig) -> Difference:
    """What the first changed beside the second, in worlds that both met."""
    gap = played.value - best.value
    same = played.foul == best.foul
    worth = {0: 0.0, **{width: reward_of_width(reward, width) for width in WIDTHS}}
    values = np.vectorize(lambda width: worth[int(width)], otypes=[np.float64])
    future = values(played.width) - values(best.width)
    theirs = values(best.their_width) - values(played.their_width)
    royalties = reward.points * (played.royalties - best.royalties)
    theirs += reward.points * (best.their_royalties - played.their_royalties)
    by_foul = np.where(same, 0.0, gap)
    parts = [np.where(same, part, 0.0) for part in (future, royalties, theirs)]
    wins = (played.width > 0).astype(np.float64) - (best.width > 0)
    shares = zip(_shares(played.width), _shares(best.width), strict=True)
    value = rounded(gap.mean())
    points = [rounded(part.mean()) for part in (by_foul, *parts)]
    return Difference(
        value=value,
        value_error=rounded(error_of(gap)),
        by_foul=points[0],
        by_fantasyland=points[1],
        by_royalties=points[2],
        by_rows=rounded(value - sum(points)),  # what is left
        by_opponent=points[3],
        by_foul_error=rounded(error_of(by_foul)),
        by_fantasyland_error=rounded(error_of(parts[0])),
        by_royalties_error=rounded(error_of(parts[1])),
        by_rows_error=rounded(error_of(gap - by_foul - sum(parts))),
        by_opponent_error=rounded(error_of(parts[2])),
        foul=rounded((played.foul - best.foul).mean()),
        foul_error=rounded(error_of(played.foul - best.foul)),
        fantasyland=tuple(rounded(mine - other) for mine, other in shares),
        any_fantasyland=rounded(wins.mean()),
        any_fantasyland_error=rounded(error_of(wins)),
        royalties=rounded((played.royalties - best.royalties).mean()),
        royalties_error=rounded(error_of(played.royalties - best.royalties)),
        rows=tuple(rounded(gain) for gain in ((played.rows > 0).mean(0) - (best.rows > 0).mean(0))),
    )


def reward_of_width(reward: RewardConfig, width: int) -> float:
    """What winning a fantasyland of so many cards is worth, points."""
    return float(reward.fantasyland_values[WIDTHS.index(width)])


def error_of(values: Numbers) -> float:
    """Standard error of the mean; 0 for a single one."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def _shares(widths: Numbers) -> tuple[float, ...]:
    return tuple(rounded((widths == width).mean()) for width in WIDTHS)
