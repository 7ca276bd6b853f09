"""What taking luck out costs and gains against playing more deals, measured on some deals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.arena import tables
from agents.arena.luck import Adjusting
from agents.arena.results import MatchResult, SessionResult
from agents.arena.workers import Players, one_torch_thread
from ofc_env import RewardConfig, Rules

SAMPLES = (1, 8, 64)  # deals of each attempt: the first wakes the agents, the last tells the gain too
ENOUGH = 0.25  # seconds of an attempt that need no longer one
KNOWN_GAIN = 7.0  # where too few were played to tell: 5 to 9 between good players


@dataclass(frozen=True)
class Price:
    """What a deal costs to play and to judge, in seconds of a processor, and what judging is worth."""

    play: float
    judge: float
    gain: float  # how many plain deals are as good as one without luck

    @property
    def pays(self) -> bool:
        """Whether an interval of some width is reached sooner with luck taken out."""
        return self.play + self.judge < self.gain * self.play

    def sentence(self) -> str:
        """What it costs, and what follows."""
        cost = (
            f"judging luck takes {self.judge / self.play:.2g} times the time of play and is as good as about "
            f"{self.gain:.2g} times the deals: "
        )
        if self.pays:
            return cost + "luck is judged"
        return cost + "more plain deals are cheaper, so luck is not judged (--adjust 24 or Adjusting() does)"

    @staticmethod
    def together(prices: Sequence[Price]) -> Price:
        """Of several matches that are played alike."""
        play, judge, gain = np.mean([(each.play, each.judge, each.gain) for each in prices], axis=0)
        return Price(float(play), float(judge), float(gain))


def measure(
    adjust: Adjusting, kind: str, players: Players, seed: int, rules: Rules, reward: RewardConfig
) -> Price:
    """Play and judge some deals of a match of `kind`, "hands" or "sessions"; a second if agents are fast.

    Slow agents play one deal or eight: beside their time, judging costs little whatever it gains.
    """
    for deals in SAMPLES:
        meter = adjust.meter(seed, rules, reward)
        start = time.process_time()
        with one_torch_thread():
            if kind == "hands":
                arrays = tables.play_hands(players, seed, 0, deals, rules, reward, meter=meter)
            else:
                arrays = tables.play_sessions(players, seed, 0, deals, rules, meter=meter)
        spent = time.process_time() - start
        if spent > ENOUGH:
            break
    result: MatchResult | SessionResult
    if kind == "hands":
        result = MatchResult.from_arrays(("", ""), seed, arrays)
        plain = result.equity
    else:
        result = SessionResult.from_arrays(("", ""), seed, arrays, rules.chips)
        plain = result.chips
    gain = KNOWN_GAIN
    if deals == SAMPLES[-1] and result.adjusted is not None and result.adjusted.error > 0:
        gain = (plain.error / result.adjusted.error) ** 2
    return Price((spent - meter.seconds) / deals, meter.seconds / deals, gain)
