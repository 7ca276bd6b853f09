"""The single-agent environment: its own rewards in either seat, and Gymnasium's and SB3's checks."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agents
import ofc_env
import wrappers
from tests.players import FirstSlot, LastSlot
from wrappers import OFCPineappleEnv


def as_observation(hand, seat):
    return {"observation": hand.observation(seat), "action_mask": hand.action_mask()}


def play(environment, player, **reset):
    """Play an episode; the learner's rewards in order and the last info."""
    observation, info = environment.reset(**reset)
    rewards, over = [], False
    while not over:
        action = player.act({"observation": observation, "action_mask": info["action_mask"]})
        observation, reward, over, truncated, info = environment.step(action)
        rewards.append(reward)
        assert not truncated
    return rewards, info


# ---------------------------------------------------------------- rewards

QUEENS_WIN = {
    # Cards of turns 0 to 4. The button ends with queens over kings over aces, the other seat with a foul: a
    # bottom of nothing under a pair in the middle.
    "button": ["Qs Kd Kh Ah Ac", "Qh 5s 4d", "9h 9d 4c", "2d 3c 4h", "2s 3d 5d"],
    "other": ["Tc Td 7h 6d 2c", "8s 7c 4s", "Jc 9s 5h", "8d 6s 3h", "Jd Th 6c"],
}


def scripted_deck():
    """The scripted hand as a deck: turn by turn, the button's cards first."""
    cards = []
    for button, other in zip(QUEENS_WIN["button"], QUEENS_WIN["other"], strict=True):
        cards += ofc_env.parse_cards(button) + ofc_env.parse_cards(other)
    return cards + [card for card in range(54) if card not in cards]


BUTTON_SCRIPT = [
    "Qs>t Kd>m Kh>m Ah>b Ac>b",
    "Qh>t 5s>m 4d>x",
    "9h>b 9d>b 4c>x",
    "2d>m 3c>t 4h>x",
    "2s>m 3d>b 5d>x",
]
OTHER_SCRIPT = [
    "Tc>m Td>m 7h>b 6d>t 2c>b",
    "8s>t 7c>x 4s>b",
    "Jc>b 9s>m 5h>x",
    "8d>m 6s>t 3h>x",
    "Jd>m Th>x 6c>b",
]


class Scripted(agents.Agent):
    """Plays written placements, turn by turn."""

    def __init__(self, script):
        self.script = [ofc_env.Placement.parse(line) for line in script]
        self.slots = []

    def act(self, observation):
        if not self.slots:
            seen = ofc_env.decode_observation(observation["observation"])
            hand = ofc_env.Hand.from_observation(observation["observation"], 0)
            self.slots = list(hand.actions_of(self.script[seen.turn]))
        return self.slots.pop(0)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("learner_is_button", [True, False])
def test_the_learner_earns_its_own_points_in_either_seat(seat, learner_is_button):
    """The button wins every row of the scripted hand (6), 7 for queens: +13 for it, -13 for the other."""
    button, other = Scripted(BUTTON_SCRIPT), Scripted(OTHER_SCRIPT)
    learner, opponent = (button, other) if learner_is_button else (other, button)
    environment = OFCPineappleEnv(opponent=opponent, seat=seat)
    options = {"deck": scripted_deck(), "button": seat if learner_is_button else 1 - seat}
    rewards, info = play(environment, learner, options=options)
    assert rewards[:-1] == [0.0] * (len(rewards) - 1)
    assert rewards[-1] == (13.0 if learner_is_button else -13.0)
    assert info["results"][0].raw_score[seat] == rewards[-1]
    assert info["results"][0].busted[seat] is not learner_is_button


@pytest.mark.parametrize("seat", [0, 1, None])
def test_rewards_and_observations_equal_the_engine(seat):
    """Every step against the same hand played directly."""
    environment = OFCPineappleEnv(opponent="random:seed=9", seat=seat)
    opponent, learner = agents.make("random:seed=9"), agents.make("random:seed=1")
    for episode in range(40):
        observation, info = environment.reset(seed=episode)
        hand, own = environment.hand, environment.learner_seat
        assert seat is None or own == seat
        over = False
        while not over:
            assert hand.player == own
            assert (observation == hand.observation(own)).all()
            assert (info["action_mask"] == hand.action_mask()).all()
            assert (environment.action_masks() == info["action_mask"].astype(bool)).all()
            action = learner.act({"observation": observation, "action_mask": info["action_mask"]})
            observation, reward, over, _, info = environment.step(action)
            hand.step(action)
            while not hand.finished and hand.player != own:
                hand.step(opponent.act(as_observation(hand, hand.player)))
            assert over == hand.finished
            assert reward == (hand.result().raw_score[own] if over else 0.0)
        assert (observation == hand.observation(own)).all()
        assert not info["action_mask"].any()
        assert not environment.action_masks().any()


@pytest.mark.parametrize("preset", ["equity", "shaped"])
def test_reward_presets_are_the_learners_own(preset):
    config = ofc_env.RewardConfig.preset(preset)
    for seat in (0, 1):
        environment = OFCPineappleEnv(seat=seat, reward=preset)
        for seed in range(20):
            rewards, info = play(environment, FirstSlot(), seed=seed)
            assert rewards[-1] == pytest.approx(config.hand_rewards(info["results"][0])[seat])


@pytest.mark.parametrize("seat", [0, 1, None])
def test_sessions_pay_the_learner_its_own_chips(seat):
    """Hand by hand, fantasyland hands of either side included; every result is told once."""
    rules = ofc_env.Rules(fantasyland_pairs=[14] * 13, chips=100, stop_gap=1000)
    environment = OFCPineappleEnv(seat=seat, episode="session", rules=rules)
    player = agents.make("random:seed=2")
    for seed in range(8):
        observation, info = environment.reset(seed=seed)
        own, earned, results, over = environment.learner_seat, 0.0, [], False
        while not over:
            action = player.act({"observation": observation, "action_mask": info["action_mask"]})
            observation, reward, over, _, info = environment.step(action)
            earned += reward
            results += info.get("results", [])
            if not over:
                assert observation[-2] * 200 == pytest.approx(100 + earned)
        assert earned == sum(result.actual_score[own] for result in results)
        assert results[-1].chips[own] == 100 + earned


# ---------------------------------------------------------------- seats, seeds, options


def test_every_seat_and_role_comes_in_four_episodes():
    environment = OFCPineappleEnv()
    environment.reset(seed=3)
    seen = []
    for _ in range(8):
        environment.reset()
        seen.append((environment.learner_seat, environment.hand.button))
    assert set(seen[:4]) == set(seen[4:]) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_fixed_seat_has_the_button_in_turn():
    environment = OFCPineappleEnv(seat=1)
    buttons = []
    for _ in range(6):
        environment.reset()
        assert environment.learner_seat == 1
        buttons.append(environment.hand.button)
    assert buttons == [buttons[0], 1 - buttons[0]] * 3


def test_seed_fixes_everything():
    first, second = OFCPineappleEnv(), OFCPineappleEnv()
    second.reset(seed=77)
    for seed in range(5):
        runs = []
        for environment in (first, second):
            rewards, _ = play(environment, LastSlot(), seed=seed)
            hands = [environment.hand]
            for _ in range(3):
                rewards += play(environment, LastSlot())[0]
                hands.append(environment.hand)
            runs.append((rewards, hands))
        assert runs[0] == runs[1]


@pytest.mark.parametrize("seed", [None, 9])
@pytest.mark.parametrize("options", [{"deck": [0] * 54}, {"chips": (-1, 401)}, {"button": 2}, {"seat": 2}])
def test_a_refused_reset_leaves_everything(seed, options):
    """The hand in play and the episodes after it are those of an untouched twin."""
    environment = OFCPineappleEnv(opponent=FirstSlot())
    environment.reset(seed=4)
    twin = copy.deepcopy(environment)
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        environment.reset(seed=seed, options=options)
    for _ in range(4):
        assert environment.hand == twin.hand
        assert environment.learner_seat == twin.learner_seat
        assert environment.np_random_seed == twin.np_random_seed
        environment.reset()
        twin.reset()


def test_options_set_deck_button_chips_and_seat():
    environment = OFCPineappleEnv(seat=0)
    options = {"deck": list(range(54)), "button": 1, "chips": (100, 300), "seat": 1}
    observation, _ = environment.reset(seed=1, options=options)
    assert environment.learner_seat == 1
    assert environment.hand.deck == list(range(54))
    assert observation[-2:].tolist() == [1.5, 0.5]
    environment.reset()
    assert environment.learner_seat == 0


def test_the_opponent_is_reset_for_every_hand():
    opponent = FirstSlot()
    environment = OFCPineappleEnv(opponent=opponent)
    for episode in range(1, 4):
        environment.reset(seed=episode)
        assert opponent.resets >= episode


# ---------------------------------------------------------------- refusals


def test_illegal_action_ends_the_episode():
    environment = OFCPineappleEnv()
    _, info = environment.reset(seed=1)
    assert not info["action_mask"][149]
    _, reward, terminated, truncated, info = environment.step(149)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, True)
    assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.step(30)
    environment.reset()


@pytest.mark.parametrize(
    "action",
    [
        *(150, -1, 2.5, None, "x", [30], 10**30, float("nan")),
        *(np.float64(30), np.bool_(True), np.array([30]), np.array(30.0), np.zeros(1000), np.uint8(200)),
    ],
    ids=repr,
)
def test_actions_outside_the_space_are_refused(action):
    environment = OFCPineappleEnv()
    environment.reset(seed=1)
    before = environment.hand
    with pytest.raises(ValueError, match="is not one of the slots 0 to 149"):
        environment.step(action)
    assert environment.hand == before


@pytest.mark.parametrize("kind", [int, np.int64, np.int8, np.uint8, np.array])
def test_slots_of_any_whole_kind_are_played(kind):
    environment = OFCPineappleEnv()
    environment.reset(seed=1)
    assert not environment.step(kind(30))[4]["illegal_action"]


@pytest.mark.parametrize("episode", ["hand", "session"])
def test_infos_always_have_the_same_keys(episode):
    """A recorder that takes the first info for its layout can take every other one."""
    environment = OFCPineappleEnv(episode=episode)
    environment.action_space.seed(0)
    shapes, ends = set(), 0
    for seed in range(4):
        _, info = environment.reset(seed=seed)
        over = False
        while not over:
            shapes.add(tuple((key, type(value)) for key, value in info.items()))
            slot = 149 if ends == 2 else environment.action_space.sample(info["action_mask"])
            _, _, over, _, info = environment.step(slot)
            ends += over
        shapes.add(tuple((key, type(value)) for key, value in info.items()))
        assert info["illegal_action"] is (ends == 3)
        assert bool(info["results"]) is (ends != 3)
    assert shapes == {(("action_mask", np.ndarray), ("results", list), ("illegal_action", bool))}


def test_step_before_reset_is_refused():
    with pytest.raises(gymnasium.error.ResetNeeded):
        OFCPineappleEnv().step(30)


@pytest.mark.parametrize(
    "arguments",
    [
        *({"seat": value} for value in (2, "left")),
        *({"opponent": value} for value in ("nobody", None, [5])),
        *({"episode": value} for value in ("life", ["hand"])),
        *({"reward": value} for value in ("gold", 5)),
        *({"rules": value} for value in ("x", 5)),
    ],
    ids=repr,
)
def test_bad_arguments_get_a_sentence(arguments):
    for make in (OFCPineappleEnv, wrappers.OFCPineappleVectorEnv):
        with pytest.raises((ValueError, TypeError), match=r"^[^\n]*\w+ [^\n]* \w+[^\n]*$"):
            make(**arguments)


def test_rewards_in_their_text_form():
    wanted = ofc_env.RewardConfig.preset("equity").replace(foul=10.0)
    assert ofc_env.raw_env(reward="equity foul=10").reward == wanted


# ---------------------------------------------------------------- ecosystems


@pytest.mark.parametrize(
    "arguments",
    [{"seat": 0}, {"seat": None}, {"episode": "session"}]
    + [{"episode": episode, "rules": "chips=500 scoop=6 stop_gap=60"} for episode in ("hand", "session")],
    ids=repr,
)
def test_gymnasium_check(arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        check_env(gymnasium.make("OFCPineapple-v0", **arguments).unwrapped)


def test_sb3_check():
    env_checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env_checker.check_env(OFCPineappleEnv())


def test_registered():
    assert wrappers.OFCPineappleEnv is OFCPineappleEnv
    environment = gymnasium.make("wrappers:OFCPineapple-v0", opponent="random:seed=2", render_mode="ansi")
    environment.reset(seed=1)
    assert "to act" in str(environment.render())
    assert environment.get_wrapper_attr("action_masks")().shape == (150,)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_the_same_hand(duplicate):
    environment = OFCPineappleEnv()
    observation, info = environment.reset(seed=4)
    observation, _, _, _, info = environment.step(FirstSlot().act({"action_mask": info["action_mask"]}))
    twin = duplicate(environment)
    over = False
    while not over:
        action = FirstSlot().act({"action_mask": info["action_mask"]})
        observation, reward, over, _, info = environment.step(action)
        twin_observation, twin_reward, twin_over, _, _ = twin.step(action)
        assert (observation == twin_observation).all()
        assert (reward, over) == (twin_reward, twin_over)
    assert (environment.reset()[0] == twin.reset()[0]).all()


def test_random_masked_play_never_meets_an_illegal_action():
    environment = OFCPineappleEnv()
    environment.action_space.seed(0)
    _, info = environment.reset(seed=0)
    for _ in range(2000):
        _, _, over, _, info = environment.step(environment.action_space.sample(info["action_mask"]))
        assert not info["illegal_action"]
        if over:
            _, info = environment.reset()
    assert np.isfinite(environment.reset()[0]).all()
