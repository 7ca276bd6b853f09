"""Luck taken out of matches: what every deal was worth above those that might have come instead.

A deal is compared with others of the same size from the cards that nobody had been dealt before. What cards
are worth is one fixed function, the network's best placement, the same for all of them and whoever plays; so
the mean of a match stays right, and only its noise shrinks (docs/arena.md). The seeds of those deals follow
from deal, hand, turn and button, never from an agent or a game: equal players stay at exactly 0.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.networks.native import load_native
from agents.players.alphazero import champion_for
from agents.randomness import seed_of
from agents.turns import seat_to_act
from ofc_env import RewardConfig, Rules, _core

if TYPE_CHECKING:
    from agents.arena.tables import Table

TURNS = 5
_STREAM = 15  # seeds of these deals have nothing to do with others of the match


@dataclass(frozen=True)
class Adjusting:
    """How luck is judged."""

    redeals: int = 24  # deals that each one is compared with: more take more noise away, slower
    judge: Path | None = None  # a network file; None: the champion that is shipped for the rules
    always: bool = True  # False: only where it is cheaper than more plain deals (agents/arena/price.py)

    def identity(self, rules: Rules) -> dict[str, object]:
        """What makes two judges the same, JSON-ready."""
        path = self.judge or champion_for(rules)
        return {"redeals": self.redeals, "judge": hashlib.sha256(path.read_bytes()).hexdigest()[:16]}

    def meter(self, seed: int, rules: Rules, reward: RewardConfig) -> LuckMeter:
        """A meter for the tables of a match."""
        return LuckMeter(_judge(self.judge or champion_for(rules), reward, self.redeals), seed)


@lru_cache(maxsize=2)
def _judge(path: Path, reward: RewardConfig, redeals: int) -> _core.LuckJudge:
    """A judge, kept for the next chunk of its match."""
    return _core.LuckJudge(load_native(path), reward=reward, redeals=redeals)


@dataclass
class LuckMeter:
    """Watches tables and adds up the luck of every deal, by the agent that got it and by turn."""

    judge: _core.LuckJudge
    seed: int  # of the match
    sums: dict[tuple[int, int], NDArray[np.float64]] = field(default_factory=dict)  # (deal, game) -> (2, 5)
    seconds: float = 0.0  # processor time of judging

    def note(self, tables: Sequence[Table]) -> None:
        """Judge the cards that the seats to act have just been dealt; an opening is one deal of two steps."""
        dealt = [table for table in tables if not table.finished and not table.hand.opening_step]
        if not dealt:
            return
        start = time.process_time()
        seeds = [self._seed(table) for table in dealt]
        for table, luck in zip(dealt, self.judge.luck([table.hand for table in dealt], seeds), strict=True):
            self.of(table)[table.agents[seat_to_act(table.hand)], table.hand.turn] += luck
        self.seconds += time.process_time() - start

    def of(self, table: Table) -> NDArray[np.float64]:
        """What was noted at a table so far: points by agent and turn, (2, 5)."""
        return self.sums.setdefault((table.deal, table.game), np.zeros((2, TURNS)))

    def _seed(self, table: Table) -> int:
        hand = table.hand
        has_button = int(seat_to_act(hand) == hand.button)
        return seed_of(self.seed, _STREAM, table.deal, table.hand_number, hand.turn, has_button)
