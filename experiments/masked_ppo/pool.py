"""Who the learner plays: agents by name, and frozen copies of its own past.

`OpponentPool` names the opponents of each stretch of training. A `pool` among them is one copy drawn from the
pool; until the pool holds one, the learner's copy at the start plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import agents
from agents import Agent
from agents.players.ppo import PlayingNetwork, PpoAgent, load_policy, save_policy
from ofc_env import Rules

POOL = "pool"


class OpponentPool:
    """The opponents of a run.

    Args:
        names: agents by name, and `pool` for a copy of the learner's past; one that stands twice has twice
            as many tables.
        folder: where the copies are kept, a safetensors file each.
        size: how many copies are kept; the oldest but the first goes when one more comes.
        seed: for the draws.
        rules: that everybody plays by.
        values: what agents by name take fantasyland to be worth, under rules that nobody measured.
    """

    def __init__(
        self,
        names: Sequence[str],
        folder: Path,
        size: int,
        seed: int,
        rules: Rules = Rules(),
        values: Sequence[float] | None = None,
    ) -> None:
        if not names:
            raise ValueError("no opponents given: name at least one, such as heuristic or pool")
        if size < 1:
            raise ValueError(f"a pool of {size} copies is empty: keep 1 or more")
        self.names = tuple(names)
        self.folder = folder
        self.size = size
        self.seed = seed
        self.rules, self.values = rules, values
        self.steps: list[int] = []  # which copies are there, by the step they were taken at
        self._named: dict[str, Agent] = {}
        self._copies: dict[int, PlayingNetwork] = {}

    @property
    def uses_past(self) -> bool:
        """Whether copies of the learner play at all."""
        return POOL in self.names

    def path(self, step: int) -> Path:
        """The file of a copy."""
        return self.folder / f"step_{step:09d}.safetensors"

    def add(self, network: PlayingNetwork, step: int) -> None:
        """Freeze a copy of the learner as it is at this step."""
        save_policy(network, self.path(step))
        self._copies[step] = network
        self.steps = sorted({*self.steps, step})
        while len(self.steps) > self.size:
            self._copies.pop(self.steps.pop(1 if self.size > 1 else 0), None)

    def prune(self) -> None:
        """Remove the files of copies that are kept no more, once a checkpoint names those that are."""
        kept = {self.path(step) for step in self.steps}
        for file in self.folder.glob("step_*.safetensors"):
            if file not in kept:
                file.unlink()

    def restore(self, steps: Sequence[int]) -> None:
        """Hold the copies of these steps, from their files."""
        self.steps = sorted(steps)
        self._copies.clear()

    def copy(self, step: int) -> PlayingNetwork:
        """The network of a copy, read from its file if need be."""
        if step not in self._copies:
            self._copies[step] = load_policy(self.path(step))
        return self._copies[step]

    def draw(self, step: int) -> list[Agent]:
        """The opponents from this step on, one for each name; they depend on the seed and the step alone.

        The newest copy is drawn half of the time, the others evenly.
        """
        generator = np.random.default_rng((self.seed, step))
        opponents: list[Agent] = []
        for place, name in enumerate(self.names):
            if name == POOL:
                opponents.append(self._past(generator, seed=self.seed + place))
            else:
                if name not in self._named:
                    self._named[name] = agents.make_valued(name, self.rules, self.values)
                opponents.append(self._named[name])
        return opponents

    def _past(self, generator: np.random.Generator, seed: int) -> Agent:
        if not self.steps:
            raise ValueError("the pool is empty: add a copy of the learner before drawing from it")
        newest = generator.random() < 0.5
        step = self.steps[-1] if newest else self.steps[int(generator.integers(len(self.steps)))]
        agent = PpoAgent(network=self.copy(step), temperature=1.0, seed=seed, rules=self.rules)
        agent.name = f"{POOL}@{step}"
        return agent
