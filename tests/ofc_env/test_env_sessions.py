"""Session episodes of the PettingZoo environment: chips, rewards by hand, and fantasyland without a step."""

import copy
import pickle
import random
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import ofc_env
from tests.players import play_out, random_slot

# Few chips and a wide gap: sessions that go on until somebody is broke, fantasyland hands among them.
LONG = ofc_env.Rules(chips=100, stop_gap=1000)
# Any pair on top earns fantasyland, so that random play meets it often, with both seats in it too.
EASY_FANTASYLAND = ofc_env.Rules(fantasyland_pairs=[14] * 13, chips=100, stop_gap=1000)


def session_env(**arguments):
    return ofc_env.env(episode="session", **arguments)


@pytest.mark.parametrize("rules", [None, EASY_FANTASYLAND])
def test_pettingzoo_api_and_seed(rules):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            api_test(session_env(rules=rules), num_cycles=400)
    seed_test(lambda: session_env(rules=rules), num_cycles=500)


@pytest.mark.parametrize("rules", [ofc_env.Rules(), LONG, EASY_FANTASYLAND])
def test_rewards_are_the_chips_moved(rules):
    """Each hand pays when it ends; the sum over a session is the change of chips."""
    environment, generator = session_env(rules=rules), random.Random(4)
    fantasylands = 0
    for seed in range(10):
        environment.reset(seed=seed)
        assert environment.unwrapped.session.chips == [rules.chips, rules.chips]
        earned, results = dict.fromkeys(environment.possible_agents, 0.0), []
        for agent in environment.agent_iter():
            observation, reward, termination, _, info = environment.last()
            earned[agent] += reward
            if termination:
                environment.step(None)
                continue
            seat = environment.possible_agents.index(agent)
            hand = environment.unwrapped.hand
            assert hand.player == seat
            assert hand.fantasyland[seat] == 0  # a seat in fantasyland has no step
            fantasylands += hand.fantasyland[1 - seat] > 0
            assert np.flatnonzero(info["action_mask"]).tolist() == hand.legal_actions()
            environment.step(random_slot(observation["action_mask"], generator))
            first = environment.infos[environment.agents[0]]
            results += first.get("results", [])
        session = environment.unwrapped.session
        assert session.finished
        assert results == session.history
        assert len(results) == session.hands_played
        change = [chips - rules.chips for chips in session.chips]
        assert [earned["player_0"], earned["player_1"]] == change
        assert sum(session.chips) == 2 * rules.chips
    assert fantasylands or rules is not EASY_FANTASYLAND


@pytest.mark.parametrize(
    "preset", ["points", "equity fantasyland_values=8.3,14.3,20.7,27.1", "shaped", "session", "mixed"]
)
def test_reward_presets(preset):
    """Hand rewards of every hand, and the session return at the end."""
    config = ofc_env.RewardConfig.parse(preset, EASY_FANTASYLAND)
    environment = session_env(reward=preset, rules=EASY_FANTASYLAND)
    for seed in range(10):
        environment.reset(seed=seed)
        earned = play_out(environment, random.Random(seed))
        session = environment.unwrapped.session
        expected = np.zeros(2)
        for result in session.history:
            expected += config.hand_rewards(result, True)
        expected += config.session_rewards(session.chips, EASY_FANTASYLAND)
        assert list(earned.values()) == pytest.approx(expected.tolist())


def test_a_fantasyland_board_is_never_seen_before_its_time():
    """The opponent's board and discards stay unseen to the seat that plays against them, card by card."""
    environment, generator = session_env(rules=EASY_FANTASYLAND), random.Random(9)
    checked = 0
    for seed in range(20):
        environment.reset(seed=seed)
        for agent in environment.agent_iter():
            observation, _, termination, _, _ = environment.last()
            if termination:
                environment.step(None)
                continue
            seat, hand = environment.possible_agents.index(agent), environment.unwrapped.hand
            hidden = list(hand.discards(1 - seat))
            if hand.fantasyland[1 - seat]:
                board = hand.board(1 - seat)
                hidden += [*board.top, *board.middle, *board.bottom]
                checked += 1
            places = observation["observation"][:486].reshape(54, 9)
            assert (places[hidden, 8] == 1).all()
            environment.step(random_slot(observation["action_mask"], generator))
    assert checked > 50


def test_buttons_and_seeds():
    environment = session_env()
    environment.reset(seed=3)
    first = environment.unwrapped.session
    buttons = [first.button]
    for _ in range(5):
        environment.reset()
        buttons.append(environment.unwrapped.session.button)
    assert buttons == [buttons[0], 1 - buttons[0]] * 3
    environment.reset(seed=3)
    assert environment.unwrapped.session == first
    for button in (0, 1, 1):
        environment.reset(options={"button": button})
        assert environment.unwrapped.session.button == button


@pytest.mark.parametrize("options", [{"deck": list(range(54))}, {"chips": (100, 300)}])
def test_options_of_a_hand_are_refused(options):
    environment = session_env()
    environment.reset(seed=1)
    before = environment.unwrapped.session
    with pytest.raises(ValueError, match=r"a session takes no deck or chips: .*Rules\(chips"):
        environment.reset(options=options)
    assert environment.unwrapped.session == before


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_the_same_session(duplicate):
    for count in (0, 7, 30, 55):
        environment, generator = session_env(rules=EASY_FANTASYLAND), random.Random(count)
        environment.reset(seed=count)
        for _ in range(count):
            if any(environment.terminations.values()):
                break
            environment.step(random_slot(environment.last()[0]["action_mask"], generator))
        twin = duplicate(environment)
        assert play_out(twin, random.Random(1)) == play_out(environment, random.Random(1))
        assert twin.unwrapped.session == environment.unwrapped.session
