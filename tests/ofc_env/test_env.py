"""The PettingZoo environment: its contract, its episodes, and its checks beside the stock wrappers."""

import copy
import pickle
import random
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, bombardment_test, render_test, seed_test
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import ofc_env
from tests.players import play_out, random_slot

MAKERS = [ofc_env.env, ofc_env.raw_env]
DECK = list(range(54))


def steps_of(environment, generator, count):
    """Play some random steps, none of which may end the episode."""
    for _ in range(count):
        mask = environment.last()[0]["action_mask"]
        environment.step(random_slot(mask, generator))


# ---------------------------------------------------------------- PettingZoo's own tests


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_api(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all-zero masks and dict observations are meant
        api_test(make(), num_cycles=300)


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_seed(make):
    seed_test(make, num_cycles=500)


def test_pettingzoo_render(capsys):
    render_test(ofc_env.env, custom_tests={"ansi": lambda text: "bottom" in text})
    assert "to act" in capsys.readouterr().out


class Bombarded(BaseWrapper):
    """What the bombardment test can take: plain arrays, observations from `step`, legal unmasked samples."""

    def observe(self, agent):
        return self.env.observe(agent)["observation"]

    def observation_space(self, agent):
        return self.env.observation_space(agent)["observation"]

    def action_space(self, agent):
        space, mask = self.env.action_space(agent), self.env.infos[agent]["action_mask"]

        class Legal:
            def sample(self):
                return space.sample(mask)

        return Legal()

    def step(self, action):
        self.env.step(action)
        return self.observe(self.env.agent_selection)


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo_bombardment(make):
    bombardment_test(Bombarded(make()), cycles=300)


# ---------------------------------------------------------------- names, spaces, registry


def test_public_names():
    assert ofc_env.ofc_pineapple_v0.env is ofc_env.env
    assert ofc_env.ofc_pineapple_v0.raw_env is ofc_env.raw_env
    environment = ofc_env.env()
    assert environment.possible_agents == ["player_0", "player_1"]
    assert str(environment) == str(environment.unwrapped) == "ofc_pineapple_v0"
    assert isinstance(environment.unwrapped, ofc_env.raw_env)


FROM_THE_REGISTRY = """
import pettingzoo, ofc_env
ofc_env.{name}
environment = pettingzoo.make("aec", "ofc_pineapple_v0", render_mode="ansi")
assert isinstance(environment.unwrapped, ofc_env.raw_env)
assert environment.render_mode == "ansi"
"""


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize("name", ["ofc_pineapple_v0", "env", "raw_env"])
def test_registry(name):
    """In a process of its own: any of these names, touched first, puts the environment in the registry."""
    subprocess.run([sys.executable, "-c", FROM_THE_REGISTRY.format(name=name)], check=True)


def test_spaces():
    environment = ofc_env.env()
    space = environment.observation_space("player_0")
    assert space["observation"].shape == (490,)
    assert space["observation"].dtype == np.float32
    assert space["action_mask"].shape == (150,)
    assert space["action_mask"].dtype == np.int8
    assert environment.action_space("player_1").n == 150
    assert space["observation"].high.max() == 2.0
    rich = ofc_env.env(rules=ofc_env.Rules(chips=500)).observation_space("player_0")
    assert rich["observation"].high.max() == 5.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"episode": "match"}, "unknown episode 'match'"),
        ({"render_mode": "paper"}, "unknown render_mode 'paper'"),
        ({"reward": "gold"}, "gold"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        ofc_env.env(**arguments)


# ---------------------------------------------------------------- observations and masks


@pytest.mark.parametrize("make", MAKERS)
def test_masks_are_mirrored_and_idle_seats_have_none(make):
    environment = make()
    for seed in range(20):
        environment.reset(seed=seed)
        for agent in environment.agent_iter():
            observation, _, termination, _, info = environment.last()
            hand = environment.unwrapped.hand
            for other in environment.agents:
                seen = environment.observe(other)
                assert seen["action_mask"].dtype == np.int8
                assert seen["action_mask"].tobytes() == environment.infos[other]["action_mask"].tobytes()
                seat = environment.possible_agents.index(other)
                assert (seen["observation"] == hand.observation(seat)).all()
                if other != agent or termination:
                    assert not seen["action_mask"].any()
            assert observation["action_mask"].tobytes() == info["action_mask"].tobytes()
            if termination:
                environment.step(None)
                continue
            assert np.flatnonzero(info["action_mask"]).tolist() == hand.legal_actions()
            environment.step(environment.action_space(agent).sample(info["action_mask"]))
        assert environment.agents == []


def test_kept_observations_do_not_change():
    environment, generator = ofc_env.env(), random.Random(0)
    environment.reset(seed=1)
    kept = []
    for _ in environment.agent_iter():
        observation, _, termination, _, info = environment.last()
        assert observation is not None
        kept.append((observation, info, copy.deepcopy(observation), copy.deepcopy(info)))
        environment.step(None if termination else random_slot(observation["action_mask"], generator))
    for observation, info, observation_then, info_then in kept:
        assert (observation["observation"] == observation_then["observation"]).all()
        assert (observation["action_mask"] == observation_then["action_mask"]).all()
        assert (info["action_mask"] == info_then["action_mask"]).all()


def test_state_holds_both_seats():
    environment = ofc_env.env()
    environment.reset(seed=3)
    both = [environment.observe(agent)["observation"] for agent in environment.possible_agents]
    assert (environment.state() == np.concatenate(both)).all()


# ---------------------------------------------------------------- reset


@pytest.mark.parametrize("make", MAKERS)
def test_seed_fixes_deck_and_button_and_what_follows(make):
    first, second = make(), make()
    second.reset(seed=99)
    for seed in range(10):
        first.reset(seed=seed)
        second.reset(seed=seed)
        for _ in range(4):
            assert first.unwrapped.hand == second.unwrapped.hand
            first.reset()
            second.reset()


def test_seeds_differ_and_both_buttons_occur():
    environment = ofc_env.env()
    decks, buttons = set(), set()
    for seed in range(50):
        environment.reset(seed=seed)
        decks.add(tuple(environment.unwrapped.hand.deck))
        buttons.add(environment.unwrapped.hand.button)
    assert len(decks) == 50
    assert buttons == {0, 1}


def test_unseeded_resets_alternate_the_button_and_deal_anew():
    environment = ofc_env.env()
    environment.reset()
    hands = [environment.unwrapped.hand]
    for _ in range(7):
        environment.reset()
        hands.append(environment.unwrapped.hand)
    buttons = [hand.button for hand in hands]
    assert buttons == [buttons[0], 1 - buttons[0]] * 4
    assert len({tuple(hand.deck) for hand in hands}) == 8


def test_options():
    environment = ofc_env.env()
    environment.reset(options={"deck": DECK, "button": 1, "chips": (150, 250)})
    hand = environment.unwrapped.hand
    assert (hand.deck, hand.button, list(hand.chips)) == (DECK, 1, [150, 250])
    assert environment.agent_selection == "player_1"
    assert hand.dealt == DECK[:5]
    environment.reset()
    assert environment.unwrapped.hand.button == 0
    assert list(environment.unwrapped.hand.chips) == [200, 200]
    names = [ofc_env.card_name(card) for card in reversed(DECK)]
    environment.reset(seed=4, options={"deck": names, "button": 0})
    assert environment.unwrapped.hand.deck == DECK[::-1]


@pytest.mark.parametrize(
    "options",
    [{"deck": DECK[:-1]}, {"deck": [*DECK[:-1], 0]}, {"button": 2}, {"chips": (-1, 401)}, {"chips": (200,)}],
)
@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("make", MAKERS)
def test_bad_options_get_a_sentence_and_leave_everything(make, seed, options):
    """The hand in play, its masks and all later hands and buttons are those of an untouched twin."""
    environment = make()
    environment.reset(seed=6)
    steps_of(environment, random.Random(1), 3)
    twin = copy.deepcopy(environment)
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        environment.reset(seed=seed, options=options)
    assert normalised(environment.last()) == normalised(twin.last())
    for _ in range(3):
        assert environment.unwrapped.hand == twin.unwrapped.hand
        assert play_out(environment, random.Random(2)) == play_out(twin, random.Random(2))
        environment.reset()
        twin.reset()


@pytest.mark.parametrize("options", [{"deck": DECK}, {"chips": (100, 300)}, {"button": -1}])
def test_bad_options_leave_a_session(options):
    environment = ofc_env.env(episode="session")
    environment.reset(seed=6)
    twin = copy.deepcopy(environment)
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        environment.reset(seed=9, options=options)
    for _ in range(3):
        assert environment.unwrapped.hand == twin.unwrapped.hand
        environment.reset()
        twin.reset()


@pytest.mark.parametrize(
    "options", [{"chips": (100.5, 299.5)}, {"chips": ("a", "b")}, {"chips": 7}, {"deck": 7}]
)
def test_options_of_the_wrong_type_leave_everything(options):
    environment = ofc_env.env()
    environment.reset(seed=6)
    twin = copy.deepcopy(environment)
    with pytest.raises((ValueError, TypeError)):
        environment.reset(options=options)
    for _ in range(3):
        assert environment.unwrapped.hand == twin.unwrapped.hand
        environment.reset()
        twin.reset()


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_bad_seeds(seed):
    environment = ofc_env.env()
    with pytest.raises((ValueError, TypeError)):
        environment.reset(seed=seed)
    with pytest.raises(AssertionError, match="needs to be called before step"):
        environment.step(30)


def test_numpy_seeds_are_seeds():
    environment = ofc_env.env()
    environment.reset(seed=np.int64(8))
    first = environment.unwrapped.hand
    environment.reset(seed=8)
    assert environment.unwrapped.hand == first


# ---------------------------------------------------------------- rewards


@pytest.mark.parametrize("make", MAKERS)
def test_rewards_are_the_points_of_each_seat(make):
    environment, generator = make(), random.Random(2)
    seen = set()
    for seed in range(60):
        environment.reset(seed=seed)
        earned = dict.fromkeys(environment.possible_agents, 0.0)
        result: Any = None
        for agent in environment.agent_iter():
            observation, reward, termination, _, info = environment.last()
            earned[agent] += reward
            if termination:
                result = environment.unwrapped.hand.result()
                assert info["results"] == [result]
            environment.step(None if termination else random_slot(observation["action_mask"], generator))
        assert [earned["player_0"], earned["player_1"]] == list(result.raw_score)
        assert sum(earned.values()) == 0
        seen.add(np.sign(earned["player_0"]))
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize("preset", ["points", "equity", "shaped"])
def test_reward_presets(preset):
    config = ofc_env.RewardConfig.preset(preset)
    by_name, by_value = ofc_env.env(reward=preset), ofc_env.env(reward=config)
    for seed in range(30):
        by_name.reset(seed=seed)
        by_value.reset(seed=seed)
        earned = play_out(by_name, random.Random(seed))
        assert earned == play_out(by_value, random.Random(seed))
        expected = config.hand_rewards(by_name.unwrapped.hand.result())
        assert [earned["player_0"], earned["player_1"]] == pytest.approx(list(expected))


def test_several_hands_under_one_seed():
    """Many episodes after one seeded reset are the same again, rewards and all."""

    def play(environment):
        generator = random.Random(3)
        environment.reset(seed=12)
        history = []
        for _ in range(30):
            history.append((environment.unwrapped.hand, play_out(environment, generator)))
            environment.reset()
        return history

    assert play(ofc_env.env()) == play(ofc_env.raw_env())


# ---------------------------------------------------------------- copies


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_the_same_hand(make, duplicate):
    for count in range(12):
        environment = make()
        environment.reset(seed=count)
        steps_of(environment, random.Random(count), min(count, 9))
        twin = duplicate(environment)
        assert twin.unwrapped.hand == environment.unwrapped.hand
        for _ in range(3):  # the same hand, and the same hands after it
            assert play_out(twin, random.Random(1)) == play_out(environment, random.Random(1))
            assert twin.unwrapped.hand == environment.unwrapped.hand
            twin.reset()
            environment.reset()


def test_a_copy_does_not_share_the_hand():
    environment = ofc_env.env()
    environment.reset(seed=1)
    twin = copy.deepcopy(environment)
    before = environment.unwrapped.hand
    steps_of(twin, random.Random(1), 5)
    assert environment.unwrapped.hand == before


def test_copy_before_reset():
    twin = pickle.loads(pickle.dumps(ofc_env.env()))
    with pytest.raises(AssertionError, match="needs to be called before step"):
        twin.step(0)
    twin.reset(seed=0)
    assert play_out(twin, random.Random(0))


# ---------------------------------------------------------------- the layer of checks


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


def normalised(value):
    """A value that can be compared with ==."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, dict):
        return {key: normalised(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [normalised(entry) for entry in value]
    return value


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
