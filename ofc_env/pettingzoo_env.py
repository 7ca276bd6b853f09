"""The PettingZoo environment: agents `player_0` and `player_1`, one hand or one session an episode.

This file knows PettingZoo and no rule of the game: the native `Hand` and `Session` decide what is legal,
whose turn it is and what a hand was worth. `raw_env` is the environment itself; `env` adds one layer of
checks that behaves as PettingZoo's three stock wrappers do (order of calls, action bounds, illegal moves) at
a fraction of their cost.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers.order_enforcing import (
    AECOrderEnforcingIterable,
    AECOrderEnforcingIterator,
    OrderEnforcingWrapper,
)

from ofc_env import _core
from ofc_env.episode_start import LEFT_TO_CHANCE, EpisodeStart, read_options, read_seed, read_start
from ofc_env.layout import CHIP_UNIT, MY_CHIPS, THEIR_CHIPS
from ofc_env.refusals import shown

Observation = dict[str, NDArray[Any]]

AGENTS = ("player_0", "player_1")
EPISODES = ("hand", "session")
OBSERVATION_SIZE = _core.OBSERVATION_SIZE
ACTION_COUNT = _core.NUM_ACTIONS
ILLEGAL_REWARD = -1.0

_SEAT_OF = {agent: seat for seat, agent in enumerate(AGENTS)}
_NO_SLOTS = np.zeros(ACTION_COUNT, np.int8)  # the mask of a seat that waits
# The integers that a Discrete space of int64 accepts; uint64 does not cast to it, the rest asks the space.
_SPACE_INTEGERS = frozenset({int, np.int64, np.int32, np.int16, np.int8, np.uint32, np.uint16, np.uint8})


def seat_of(agent: str) -> int:
    """The seat of an agent, by its name."""
    try:
        return _SEAT_OF[agent]
    except (KeyError, TypeError):
        raise ValueError(f"there is no agent {shown(agent)}: they are {' and '.join(AGENTS)}") from None


def observation_box(rules: _core.Rules) -> spaces.Box:
    """The space of the 490 numbers a seat sees: 0 to 1, but the two chip counts go up to all chips."""
    high = np.ones(OBSERVATION_SIZE, dtype=np.float32)
    high[[MY_CHIPS, THEIR_CHIPS]] = 2 * rules.chips / CHIP_UNIT
    return spaces.Box(low=np.zeros_like(high), high=high, dtype=np.float32)


def resolve_reward(
    reward: _core.RewardConfig | str | None, rules: _core.Rules | None = None
) -> _core.RewardConfig:
    """The reward asked for, as a value or in its text form, such as a preset's name; points if none is."""
    if isinstance(reward, _core.RewardConfig):
        if reward.win:
            (rules or _core.Rules()).win_chance((1, 1))  # says so where nobody has measured it
        return reward
    return _core.RewardConfig.parse("points" if reward is None else reward, rules)


class raw_env(AECEnv[str, Observation, int]):
    """OFC Pineapple for two agents, without checks around it: an illegal action raises `ValueError`.

    The infos of both agents always have the keys `action_mask`, as in the observation, and `results`, a list
    of the `HandResult` of each hand that ended in the last step.

    Args:
        episode: `"hand"` for one hand an episode, `"session"` for a whole session of hands.
        render_mode: None, `"human"` (prints the table at every step), `"ansi"` (text) or `"rgb_array"`
            (picture).
        reward: a `RewardConfig`, its text form (`"equity foul=10"`), or None for the hand's points.
        rules: the rules to play by, as a value or in their text form; None for the house rules.
    """

    metadata: dict[str, Any] = {
        "name": "ofc_pineapple_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        episode: str = "hand",
        render_mode: str | None = None,
        reward: _core.RewardConfig | str | None = None,
        rules: _core.Rules | str | None = None,
    ) -> None:
        super().__init__()
        if episode not in EPISODES:
            raise ValueError(f"unknown episode {episode!r}: use one of {', '.join(EPISODES)}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            modes = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"unknown render_mode {render_mode!r}: use None or one of {modes}")
        self.episode = episode
        self.render_mode = render_mode
        self.rules = _core.Rules.of(rules)
        self.reward = resolve_reward(reward, self.rules)

        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(self.rules),
                    "action_mask": spaces.Box(0, 1, shape=(ACTION_COUNT,), dtype=np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(ACTION_COUNT) for agent in AGENTS}
        seen = observation_box(self.rules)
        self.state_space = spaces.Box(np.tile(seen.low, 2), np.tile(seen.high, 2), dtype=np.float32)

        self._random = random.Random()
        self._next_button = self._random.getrandbits(1)
        self._hand: _core.Hand
        self._session: _core.Session | None = None
        self._hands_seen = 0
        self._masks: tuple[NDArray[np.int8], NDArray[np.int8]]
        self._rewards_paid = False

    # ---------------------------------------------------------------- spaces and state

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The dict space of `observation` (490 float32) and `action_mask` (150 int8)."""
        return self.observation_spaces[AGENTS[seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The 150 fixed slots, of which the mask allows some."""
        return self.action_spaces[AGENTS[seat_of(agent)]]

    @property
    def hand(self) -> _core.Hand:
        """A copy of the hand in play, hidden cards and all: for tests, logs and analysis, not for agents."""
        return self._hand.clone()

    @property
    def session(self) -> _core.Session | None:
        """The session in play, or None in hand episodes."""
        return self._session

    def observe(self, agent: str) -> Observation:
        """What the agent's seat knows now; the mask is all zero unless that seat is to act."""
        try:
            seat = _SEAT_OF[agent]
        except (KeyError, TypeError):
            seat = seat_of(agent)  # refuses it
        return {"observation": self._hand.observation(seat), "action_mask": self._masks[seat]}

    def state(self) -> NDArray[np.float32]:
        """Both seats' observations side by side, of `state_space`, (980,): for critics that may see all."""
        return np.concatenate([self._hand.observation(0), self._hand.observation(1)])

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last step, termination, truncation and info of the agent to step."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    # ---------------------------------------------------------------- play

    def reset(self, seed: SupportsIndex | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: fixes the deck, the button and all that follows; without it the button passes on.
            options: `button` (seat 0 or 1), and in hand episodes `deck` (the rules' cards, dealt from the
                front) and `chips` (a pair). Other keys are left alone, as PettingZoo's tests ask.

        A refused seed or option leaves everything as it was, the randomness of later episodes included.
        """
        start = LEFT_TO_CHANCE
        if options is not None:
            start = read_start(read_options(options), self.episode, self.rules)
        if seed is not None:
            generator = random.Random(read_seed(seed))
            self._random, self._next_button = generator, generator.getrandbits(1)
        button = self._next_button if start.button is None else start.button
        self._start_episode(button, start)
        self._next_button = 1 - button

        self.agents = list(AGENTS)
        self.rewards = {"player_0": 0.0, "player_1": 0.0}
        self._cumulative_rewards = {"player_0": 0.0, "player_1": 0.0}
        self.terminations = {"player_0": False, "player_1": False}
        self.truncations = {"player_0": False, "player_1": False}
        self._skip_agent_selection = None
        self._rewards_paid = False
        seat = self._hand.player or 0
        self.agent_selection = AGENTS[seat]
        self._show_masks(seat)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play the slot for the agent to step next, or None for an agent whose episode is over."""
        agent = self.agent_selection
        try:
            over = self.terminations[agent] or self.truncations[agent]
        except KeyError:
            raise ValueError("the episode is over for both agents: call reset() before step()") from None
        if over:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is still in play: give it a slot, not None")
        hand = self._hand
        if self._session is None:
            hand.step(action)
        else:
            self._session.step(action)
            hand = self._hand = self._session.hand
        if self._rewards_paid:
            self.rewards = {"player_0": 0.0, "player_1": 0.0}
            self._rewards_paid = False
        self._cumulative_rewards[agent] = 0.0

        seat = hand.player
        if seat is None:
            self._show_masks(None)
        else:
            self.agent_selection = AGENTS[seat]
            self._show_masks(seat)
        if seat is None or (self._session is not None and self._session.hands_played != self._hands_seen):
            self._settle(over=seat is None)
        if self.render_mode == "human":
            self.render()

    def _start_episode(self, button: int, start: EpisodeStart) -> None:
        """Deal the first hand of an episode."""
        generator, rules = self._random, self.rules
        if self.episode == "session":
            # A session draws its first button from its seed: take the first seed that gives it to this seat.
            session = _core.Session(seed=generator.getrandbits(63), rules=rules)
            while session.button != button:
                session = _core.Session(seed=generator.getrandbits(63), rules=rules)
            self._session, self._hand, self._hands_seen = session, session.hand, 0
            return
        chips = start.chips or (rules.chips, rules.chips)
        seed = generator.getrandbits(63) if start.deck is None else None
        self._hand = _core.Hand(seed=seed, deck=start.deck, button=button, chips=chips, rules=rules)

    def _show_masks(self, seat: int | None) -> None:
        """Write both seats' masks, in new arrays so that no kept observation changes, and the infos."""
        first = self._hand.action_mask() if seat == 0 else _NO_SLOTS.copy()
        second = self._hand.action_mask() if seat == 1 else _NO_SLOTS.copy()
        results: list[_core.HandResult] = []
        self._masks = (first, second)
        self.infos: dict[str, dict[str, Any]] = {
            "player_0": {"action_mask": first, "results": results},
            "player_1": {"action_mask": second, "results": results},
        }

    def _settle(self, over: bool) -> None:
        """Pay the rewards of the hands that ended in this step, and end the episode if it is over."""
        session = self._session
        if session is None:
            results = [self._hand.result()]
        else:
            results = session.history[self._hands_seen - session.hands_played :]
            self._hands_seen = session.hands_played
        rewards = [0.0, 0.0]
        for result in results:
            for seat, reward in enumerate(self.reward.hand_rewards(result, session is not None)):
                rewards[seat] += reward
        if session is not None and over:
            for seat, reward in enumerate(self.reward.session_rewards(session.chips, self.rules)):
                rewards[seat] += reward
        self.rewards = dict(zip(AGENTS, rewards, strict=True))
        self._rewards_paid = True
        self._accumulate_rewards()
        for agent in AGENTS:
            self.infos[agent]["results"] = results
        if over:
            self.terminations = dict.fromkeys(AGENTS, True)
            self._deads_step_first()

    # ---------------------------------------------------------------- rendering

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as text, as a picture (height, width, 3) or printed, as the render mode says."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render_mode: pass one when making the environment"
            )
            return None
        from ofc_env import rendering

        if self.render_mode == "rgb_array":
            return rendering.render_picture(self._hand)
        if self.render_mode == "ansi":
            return rendering.render_text(self._hand)
        print(rendering.render_text(self._hand, colour=sys.stdout.isatty()), end="\n\n")
        return None

    def close(self) -> None:
        """Nothing is held open."""


class CheckedEnv(OrderEnforcingWrapper[str, Observation, int]):
    """One layer with the checks of PettingZoo's order, bounds and illegal-move wrappers.

    It raises, warns and ends the episode exactly where they do. It is faster because it reads the environment
    under it directly: three stacked wrappers look every attribute up through three `__getattr__` calls.
    """

    env: raw_env

    def reset(self, seed: SupportsIndex | None = None, options: Mapping[str, Any] | None = None) -> None:
        """As `raw_env.reset`; one that is refused does not count as a reset."""
        self.env.reset(seed=seed, options=options)
        self._has_reset = True
        self._has_updated = True

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """As `raw_env.last`; an `AttributeError` before the first reset."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        return self.env.last(observe)

    def step(self, action: int | None) -> None:
        """As `raw_env.step`; an illegal slot ends the episode with `ILLEGAL_REWARD` for its agent."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        env = self.env
        if not env.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = env.agent_selection
        alive = not (env.terminations[agent] or env.truncations[agent])
        if type(action) in _SPACE_INTEGERS:
            inside = 0 <= action < ACTION_COUNT  # type: ignore[operator]
        else:
            inside = (action is None and not alive) or env.action_spaces[agent].contains(action)
        if not inside:
            raise AssertionError("action is not in action space")
        if alive and not env._masks[_SEAT_OF[agent]][action]:
            self._end_by_illegal_move(agent)
        else:
            env.step(action)

    def _end_by_illegal_move(self, agent: str) -> None:
        EnvLogger.warn_on_illegal_move()
        env = self.env
        env._cumulative_rewards[agent] = 0.0
        env.terminations = dict.fromkeys(env.agents, True)
        env.truncations = dict.fromkeys(env.agents, True)
        env.rewards = dict.fromkeys(env.agents, 0.0)
        env.rewards[agent] = ILLEGAL_REWARD
        env._accumulate_rewards()
        env._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """As `raw_env.observe`; an `AssertionError` before the first reset."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.observe(agent)

    def agent_iter(self, max_iter: int = 2**63) -> CheckedIterable:
        """The agents in the order in which they step; each must be stepped before the next is asked for."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return CheckedIterable(self, max_iter)

    def __str__(self) -> str:
        return str(self.env)


class CheckedIterable(AECOrderEnforcingIterable[str, Observation, int]):
    """What `agent_iter` gives: iterate it once for every pass."""

    def __iter__(self) -> CheckedIterator:
        return CheckedIterator(self.env, self.max_iter)


class CheckedIterator(AECOrderEnforcingIterator[str, Observation, int]):
    """Yields the agent to step next until none is left or the count runs out."""

    env: CheckedEnv

    def __next__(self) -> str:
        env = self.env
        raw = env.env
        if not raw.agents or self.iters_til_term <= 0:
            raise StopIteration
        self.iters_til_term -= 1
        if not env._has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        env._has_updated = False
        return raw.agent_selection


def env(
    episode: str = "hand",
    render_mode: str | None = None,
    reward: _core.RewardConfig | str | None = None,
    rules: _core.Rules | str | None = None,
) -> CheckedEnv:
    """The environment with its checks; the arguments are those of `raw_env`."""
    return CheckedEnv(raw_env(episode=episode, render_mode=render_mode, reward=reward, rules=rules))


def register() -> None:
    """Name the environment in PettingZoo's registry, where the installed version has one."""
    import pettingzoo

    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is not None and "ofc_pineapple-v0" not in registry:
        pettingzoo.register("aec", "ofc_pineapple_v0", entry_point="ofc_env.ofc_pineapple_v0:env")


register()
