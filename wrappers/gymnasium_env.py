"""A Gymnasium environment for one learner: the other seat is played by an agent inside `step`.

Observations, masks and rewards are always the learner's own. A reward is what the learner's seat earned from
its last decision to its next, whoever made the moves in between.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import agents
import ofc_env
from agents import Agent
from ofc_env.episode_start import LEFT_TO_CHANCE, read_options, read_seat, read_seed, read_start
from ofc_env.pettingzoo_env import ACTION_COUNT, AGENTS, ILLEGAL_REWARD, observation_box, raw_env
from ofc_env.refusals import shown


def make_opponent(opponent: Agent | str, rules: ofc_env.Rules) -> Agent:
    """The agent itself, or the one of that name, made for these rules; one that plays by any is told them."""
    if isinstance(opponent, str):
        return agents.make(opponent, rules=rules)
    if not callable(getattr(opponent, "act", None)):
        raise TypeError(
            f"the opponent {shown(opponent)} is no agent: give one, or a name such as 'heuristic'"
        )
    return agents.seated(opponent, rules) if isinstance(opponent, Agent) else opponent


class OFCPineappleEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """OFC Pineapple against a built-in opponent, one hand or one session an episode.

    Args:
        opponent: an agent, or a name for `agents.make`.
        seat: the learner's seat, 0 or 1; None lets it alternate. The button passes on after every episode, so
            the learner is first to act in half of them either way.
        episode: `"hand"` or `"session"`.
        reward: a `RewardConfig`, the name of a preset, or None for points.
        rules: the rules to play by, as a value or in their text form; None for the house rules. An
            opponent made by its name plays by them too.
        render_mode: None, `"human"`, `"ansi"` or `"rgb_array"`.

    Every info has the same keys. `info["action_mask"]` and `action_masks()` give the legal slots (150,),
    `info["results"]` the hands that ended in a step (a list of `HandResult`, mostly empty), and
    `info["illegal_action"]` whether an illegal slot ended the episode, with a reward of -1.
    `reset(options=...)` takes `deck`, `button` and `chips` as the PettingZoo environment does, and `seat` for
    this episode alone.
    """

    metadata = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}

    def __init__(
        self,
        opponent: Agent | str = "random",
        seat: int | None = None,
        episode: str = "hand",
        reward: ofc_env.RewardConfig | str | None = None,
        rules: ofc_env.Rules | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.seat = None if seat is None else read_seat(seat, "seat")
        self._table = raw_env(episode=episode, render_mode=render_mode, reward=reward, rules=rules)
        self.rules = self._table.rules
        self.opponent = make_opponent(opponent, self.rules)
        self.render_mode = render_mode
        self.observation_space: spaces.Space[Any] = observation_box(self.rules)
        self.action_space = spaces.Discrete(ACTION_COUNT)
        self._episode_count = 0
        self._learner = AGENTS[0]
        self._over = True
        self._results: list[ofc_env.HandResult] = []

    @property
    def learner_seat(self) -> int:
        """The seat the learner has in this episode."""
        return AGENTS.index(self._learner)

    @property
    def hand(self) -> ofc_env.Hand:
        """A copy of the hand in play, hidden cards and all: for tests and analysis."""
        return self._table.hand

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal slots of the learner as sb3-contrib asks for them, (150,); all False when it is over."""
        if self._over:
            return np.zeros(ACTION_COUNT, dtype=np.bool_)
        masks: NDArray[np.bool_] = self._table.infos[self._learner]["action_mask"].astype(np.bool_)
        return masks

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode and let the opponent move up to the learner's first decision.

        A refused seed or option leaves everything as it was, the randomness of later episodes included.
        """
        table, start, seat = self._table, LEFT_TO_CHANCE, self.seat
        if choices := read_options(options):
            start = read_start(choices, table.episode, table.rules)
            seat = seat if choices.get("seat") is None else read_seat(choices["seat"], "seat")
        super().reset(seed=read_seed(seed))
        count = self._episode_count if seed is None else int(self.np_random.integers(4))
        # Button by the lowest bit and seat by the next: four episodes give the learner every seat and role.
        button = count % 2 if start.button is None else start.button
        deal_seed = int(self.np_random.integers(2**63))
        table.reset(seed=deal_seed, options={"button": button, "deck": start.deck, "chips": start.chips})
        self._learner = AGENTS[count // 2 % 2 if seat is None else seat]
        self._episode_count = count + 1
        self._over = False
        self._results = []
        self.opponent.reset()
        self._move_opponent()
        return self._observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play the learner's slot and the opponent's moves up to the learner's next decision."""
        if self._over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() before step()")
        if not self.action_space.contains(action):
            raise ValueError(f"the action {shown(action)} is not one of the slots 0 to {ACTION_COUNT - 1}")
        table = self._table
        if not table.infos[self._learner]["action_mask"][action]:
            self._over, self._results = True, []
            return self._observation(), ILLEGAL_REWARD, True, False, self._info(illegal=True)
        self._results = []
        reward = self._play(int(action)) + self._move_opponent()
        self._over = table.terminations[self._learner]
        return self._observation(), reward, self._over, False, self._info()

    def _move_opponent(self) -> float:
        """Play the other seat until the learner is to act or the episode ends; what the learner earned."""
        table, learner, earned = self._table, self._learner, 0.0
        while not table.terminations[learner] and table.agent_selection != learner:
            earned += self._play(self.opponent.act(table.observe(table.agent_selection)))
        return earned

    def _play(self, action: int) -> float:
        """One step of the table, whoever makes it; the learner's reward for it."""
        table = self._table
        table.step(action)
        results = table.infos[self._learner]["results"]
        if results:
            self._results = self._results + results
            self.opponent.reset()
        return float(table.rewards[self._learner])

    def _observation(self) -> NDArray[np.float32]:
        observation: NDArray[np.float32] = self._table.observe(self._learner)["observation"]
        return observation

    def _info(self, illegal: bool = False) -> dict[str, Any]:
        mask = self._table.infos[self._learner]["action_mask"]
        return {
            "action_mask": np.zeros_like(mask) if self._over else mask.copy(),
            "results": self._results,
            "illegal_action": illegal,
        }

    def render(self) -> Any:
        """The table as the render mode says."""
        return self._table.render()

    def close(self) -> None:
        """Nothing is held open."""
        self._table.close()
