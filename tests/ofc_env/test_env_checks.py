"""The one layer of checks around the environment beside PettingZoo's three stock wrappers."""

import random

import numpy as np
import pytest
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import ofc_env
from tests.players import normalised, play_out


def stock(raw) -> AECEnv:
    """The same environment under PettingZoo's three stock wrappers."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw, illegal_reward=-1)))


def outcome(action):
    """What a call gives: its value, or its kind of error and message."""
    try:
        value = action()
    except Exception as error:
        return type(error), str(error)
    return normalised(value)


ATTRIBUTES = [
    "agents",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "agent_selection",
    "num_agents",
    "max_num_agents",
    "possible_agents",
    "metadata",
    "render_mode",
    "episode",
    "_cumulative_rewards",
    "_private",
    "no_such_thing",
]


def check_equal(ours, theirs):
    """Everything that can be seen of the two is the same."""
    for name in ATTRIBUTES:
        assert outcome(lambda: getattr(ours, name)) == outcome(lambda: getattr(theirs, name)), name  # noqa: B023
    assert str(ours) == str(theirs)
    assert outcome(ours.last) == outcome(theirs.last)
    assert outcome(lambda: ours.last(observe=False)) == outcome(lambda: theirs.last(observe=False))
    assert outcome(ours.state) == outcome(theirs.state)
    assert outcome(ours.render) == outcome(theirs.render)
    for agent in ("player_0", "player_1", "player_2"):
        assert outcome(lambda: ours.observe(agent)) == outcome(lambda: theirs.observe(agent)), agent  # noqa: B023
        assert outcome(lambda: ours.action_space(agent)) == outcome(lambda: theirs.action_space(agent))  # noqa: B023


def pair():
    return ofc_env.env(render_mode="ansi"), stock(ofc_env.raw_env(render_mode="ansi"))


def test_checks_before_reset_are_those_of_the_stock_wrappers():
    ours, theirs = pair()
    check_equal(ours, theirs)
    for action in (0, None, 150, "x"):
        assert outcome(lambda: ours.step(action)) == outcome(lambda: theirs.step(action))  # noqa: B023
    assert outcome(ours.agent_iter) == outcome(theirs.agent_iter)
    assert outcome(ours.agent_iter)[0] is AssertionError


ODD_ACTIONS = [
    *(150, -1, 10**30, 3.0, None, "x", True, [40]),
    *(np.int64(150), np.uint64(30), np.int32(-1), np.float64(2), np.uint8(200), np.bool_(True)),
    *(np.array(40), np.array([40])),
]


@pytest.mark.parametrize("seed", range(12))
def test_checks_are_those_of_the_stock_wrappers(seed, caplog):
    """A random walk of legal, illegal and odd calls on both; every value, error and warning agrees."""
    generator = random.Random(seed)
    ours, theirs = pair()

    def both(name, *arguments, **named):
        """The same call on both; what it gave or raised, and what it warned of."""
        seen = []
        for environment in (ours, theirs):
            caplog.clear()
            value = outcome(lambda: getattr(environment, name)(*arguments, **named))  # noqa: B023
            seen.append((value, caplog.messages))
        assert seen[0] == seen[1], (name, arguments)
        return seen[0]

    both("reset", seed=seed)
    check_equal(ours, theirs)
    warned = 0
    for _ in range(150):
        choice = generator.random()
        over = any(ours.terminations.values())
        legal = np.flatnonzero(ours.observe(ours.agent_selection)["action_mask"]).tolist()
        if choice < 0.02 or (not ours.agents and choice < 0.5):
            # Unseeded resets too: both go on from the same seed.
            both("reset", seed=generator.choice([None, generator.randrange(1000)]))
        elif choice < 0.8 and legal and not over:
            kind = generator.choice([int, np.int64, np.int32, np.uint8])
            both("step", kind(generator.choice(legal)))
        elif choice < 0.83:
            warned += len(both("step", generator.randrange(150))[1])
        elif choice < 0.93 and over:
            both("step", None)
        else:
            warned += len(both("step", generator.choice(ODD_ACTIONS))[1])
        check_equal(ours, theirs)
    assert warned


def test_iteration_is_that_of_the_stock_wrappers():
    for limit in (0, 1, 3, 1000):
        ours, theirs = pair()
        ours.reset(seed=5)
        theirs.reset(seed=5)
        order = []
        for first, second in zip(ours.agent_iter(limit), theirs.agent_iter(limit), strict=True):
            assert first == second
            order.append(first)
            observation, _, termination, _, _ = ours.last()
            action = None if termination else int(np.flatnonzero(observation["action_mask"])[0])
            ours.step(action)
            theirs.step(action)
        check_equal(ours, theirs)
        assert len(order) <= limit


def test_iterating_without_steps_is_refused_as_by_the_stock_wrappers():
    messages = []
    for environment in pair():
        environment.reset(seed=5)
        iterator = iter(environment.agent_iter())
        next(iterator)
        with pytest.raises(AssertionError) as refusal:
            next(iterator)
        messages.append(str(refusal.value))
    assert messages[0] == messages[1]


def test_illegal_action_ends_the_episode():
    environment = ofc_env.env()
    environment.reset(seed=1)
    agent = environment.agent_selection
    assert not environment.infos[agent]["action_mask"][0]
    environment.step(0)
    assert environment.terminations == {"player_0": True, "player_1": True}
    earned = {}
    for name in environment.agent_iter():
        earned[name] = environment.last()[1]
        environment.step(None)
    assert earned == {name: -1.0 if name == agent else 0.0 for name in environment.possible_agents}
    environment.reset()
    assert not any(environment.terminations.values())


def test_raw_env_refuses_an_illegal_action_and_stays():
    environment = ofc_env.raw_env()
    environment.reset(seed=1)
    before = environment.hand
    for action in (0, 149, 150, -1):
        with pytest.raises(ValueError, match=str(action)):
            environment.step(action)
    assert environment.hand == before
    assert not any(environment.terminations.values())


def test_step_after_the_end_only_warns(caplog):
    environment = ofc_env.env()
    environment.reset(seed=1)
    play_out(environment, random.Random(1))
    environment.step(None)
    assert "step() called after all agents" in caplog.text
