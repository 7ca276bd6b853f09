"""The one layer of checks around the environment beside PettingZoo's stock wrappers, and its borders."""

import copy
import importlib
import pickle
import random
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import ofc_env
from tests.players import normalised, play_out, random_slot


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


# ---------------------------------------------------------------- variants under PettingZoo's own tests

VARIANT = ofc_env.Rules(chips=500, scoop=6, stop_gap=60)
# Not `from ... import`: pytest would take its functions for tests of this file.
STATE_TEST = importlib.import_module("pettingzoo.test.state_test")


@pytest.mark.parametrize("make", [ofc_env.env, ofc_env.raw_env])
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_pettingzoo_on_other_rules(make, episode):
    def make_variant():
        return make(episode=episode, rules=VARIANT)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all-zero masks and dict observations are meant
        api_test(make_variant(), num_cycles=100)
    seed_test(make_variant, num_cycles=100)


@pytest.mark.parametrize("rules", [ofc_env.Rules(), VARIANT])
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_pettingzoo_state(rules, episode):
    """PettingZoo's checks of the space and of unmasked play, and every state of masked play in its space."""
    environment = ofc_env.env(episode=episode, rules=rules)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        STATE_TEST.test_state_space(environment)
        STATE_TEST.test_state(environment, 10)
    generator = random.Random(1)
    environment.reset(seed=2)
    for _ in environment.agent_iter(200):
        _, _, termination, _, info = environment.last()
        assert environment.state_space.contains(environment.state())
        environment.step(None if termination else random_slot(info["action_mask"], generator))
    assert environment.state_space.contains(environment.state())


def test_pettingzoo_render_of_sessions(capsys):
    custom = {"ansi": lambda text: "500 chips" in text}
    render_test(lambda **mode: ofc_env.env(episode="session", rules=VARIANT, **mode), custom_tests=custom)
    assert "500 chips" in capsys.readouterr().out


# ---------------------------------------------------------------- infos


@pytest.mark.parametrize("make", [ofc_env.env, ofc_env.raw_env])
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_infos_always_have_the_same_keys(make, episode):
    """A recorder that takes the first info for its layout can take every other one."""
    environment, generator = make(episode=episode), random.Random(3)
    results = 0
    for seed in range(3):
        environment.reset(seed=seed)
        for agent in environment.agent_iter():
            observation, _, termination, _, info = environment.last()
            for one in environment.infos.values():
                assert set(one) == {"action_mask", "results"}
                assert (one["action_mask"].shape, type(one["results"])) == ((150,), list)
            results += len(info["results"]) if agent == "player_0" else 0
            environment.step(None if termination else random_slot(observation["action_mask"], generator))
    assert results


def test_infos_keep_their_keys_after_an_illegal_slot():
    environment = ofc_env.env()
    environment.reset(seed=1)
    environment.step(149)
    assert [set(info) for info in environment.infos.values()] == [{"action_mask", "results"}] * 2


# ---------------------------------------------------------------- borders


@pytest.mark.parametrize("agent", ["player_2", None, 0, ["player_0"], {}])
def test_unknown_agents_get_a_sentence(agent):
    for environment in (ofc_env.env(), ofc_env.raw_env()):
        environment.reset(seed=1)
        for ask in (environment.observe, environment.observation_space, environment.action_space):
            with pytest.raises(ValueError, match=r"there is no agent .*player_0 and player_1"):
                ask(agent)


def test_raw_env_after_the_end_says_so():
    environment = ofc_env.raw_env()
    environment.reset(seed=1)
    play_out(environment, random.Random(1))
    before = environment.hand
    for action in (None, 30):
        with pytest.raises(ValueError, match=r"the episode is over for both agents: call reset\(\)"):
            environment.step(action)
    assert environment.hand == before


@pytest.mark.parametrize("action", ODD_ACTIONS, ids=repr)
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_odd_actions_of_raw_env_are_taken_or_refused(action, episode):
    """A slot of any whole kind is played; anything else is one sentence, and the hand stays."""
    environment = ofc_env.raw_env(episode=episode)
    environment.reset(seed=1)
    before, legal = environment.hand, environment.hand.legal_actions()
    refused = outcome(lambda: environment.step(action))
    if refused is None:
        assert int(action) in legal
        assert environment.hand != before
        return
    kind, sentence = refused
    assert kind in (TypeError, ValueError)
    assert "\n" not in sentence
    assert environment.hand == before
    assert environment.infos[environment.agent_selection]["action_mask"].any()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_after_an_illegal_slot_and_before_reset(duplicate):
    environment = ofc_env.env(rules=VARIANT, reward="shaped", render_mode="ansi")
    twin = duplicate(environment)
    assert (twin.unwrapped.rules, twin.unwrapped.reward) == (VARIANT, environment.unwrapped.reward)
    environment.reset(seed=1)
    environment.step(149)
    twin = duplicate(environment)
    check_equal(environment, twin)


def test_environments_in_threads_do_not_meet():
    def run(seed):
        environment, history = ofc_env.env(episode="session", rules=VARIANT), []
        generator = random.Random(seed)
        for episode in range(3):
            environment.reset(seed=seed if episode == 0 else None)
            history.append((play_out(environment, generator), environment.unwrapped.session))
        return history

    alone = [run(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(4))) == alone
