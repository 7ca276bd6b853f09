"""The judge of a review: a search names the best placement, worlds that it never met say what it is worth.

The judging itself is the core's (core/review/judge.hpp); here it gets its network, and what was measured of
that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.networks.native import load_native
from agents.players.alphazero import shipped_champion
from agents.review.calibration import Calibration, calibration_of
from agents.review.hands import Played
from agents.review.report import Decision, read
from agents.rewards import equity
from ofc_env import Hand, InformationSet, Placement, RewardConfig, Rules, _core
from ofc_env._core import Effort

USUAL = Effort()


def digest_of(path: Path) -> str:
    """A short name that other weights do not have."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


class Judge:
    """Judges decisions by some rules; one object may be asked by several threads.

    Args:
        rules: of the hands. Where they have no champion, heuristic playouts judge, and there is no luck.
        effort: how long it thinks.
        checkpoint: a network file instead of the champion.
        reward: what a hand is worth; points and the value of fantasyland if None.
        seed: fixes all chance, with the position.
        calibration: what to make of the network's opinions; as measured for it if None and the reward is the
            usual one.
    """

    def __init__(
        self,
        rules: Rules | str | None = None,
        effort: Effort = USUAL,
        checkpoint: Path | None = None,
        reward: RewardConfig | None = None,
        seed: int = 0,
        calibration: Calibration | None = None,
    ) -> None:
        self.rules = Rules.of(rules)
        self.effort = effort
        self.seed = seed
        self.reward = reward or equity(self.rules)
        path = checkpoint or shipped_champion(self.rules)
        self.network = load_native(path) if path else None
        digest = digest_of(path) if path else ""
        if calibration is None and path and self.reward == equity(self.rules):
            calibration = calibration_of(digest)
        self.calibration = calibration or Calibration()
        self.core = _core.Judge(
            self.network,
            reward=self.reward,
            rules=self.rules,
            effort=effort,
            seed=seed,
            digest=digest,
            start=self.calibration.start,
            slopes=self.calibration.slopes,
        )
        self.name = self.core.name

    def judge(self, played: Played) -> Decision:
        """What a decision cost, and why."""
        return read(Decision, json.loads(self.judged_text(played)))

    def judged_text(self, played: Played) -> str:
        """The same as it is kept."""
        return self.core.judge(played.information, played.placement, played.seat, played.timed_out)

    def weigh(self, played: Played) -> tuple[list[Placement], NDArray[np.float64]]:
        """The best placements of a turn and the one played, the best first, and their values.

        The values are (placements, worlds), in worlds that are the same for all, as the calibration corrects
        them; on the last turn (placements, 1) and exact.
        """
        return self.core.weigh(played.information, played.placement)

    def play(
        self, information: InformationSet, placements: Sequence[Placement], worlds: int, seed: int
    ) -> NDArray[np.float32]:
        """How placements end, played on in the same worlds, as `_core.Referee.play` tells it."""
        return self.core.play(information, placements, worlds, seed)

    def start_value(self, start: Hand, seat: int) -> float:
        """What a hand is worth to a seat before anybody has been dealt a card.

        Args:
            start: the hand at its first decision; its cards and chips make no difference.
        """
        first = start.rules.first_to_act(button=start.button)
        found = self.core.start_value((start.fantasyland[first], start.fantasyland[1 - first]))
        return found if seat == first else -found


@lru_cache(maxsize=4)
def judge_for(rules: Rules, effort: Effort = USUAL) -> Judge:
    """The judge of some rules, kept for the next hand."""
    return Judge(rules, effort)
