"""The batched environments against the engine, table by table, and the Gymnasium vector contract."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

import agents
import ofc_env
import wrappers
from agents.randomness import choose_evenly
from tests.players import FirstSlot, LastSlot
from wrappers import OFCPineappleVectorEnv
from wrappers.learner_batch import LearnerBatch


def as_observation(hand):
    return {"observation": hand.observation(hand.player), "action_mask": hand.action_mask()}


def random_actions(masks, generator):
    return choose_evenly(masks, generator.integers(2**63, size=len(masks), dtype=np.uint64))


def played_on(hand, action, seat, opponent):
    """The hand after the learner's action and the opponent's answers."""
    hand.step(int(action))
    while not hand.finished and hand.player != seat:
        hand.step(opponent.act(as_observation(hand)))
    return hand


@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("opponents", [["random:seed=5"], ["random:seed=5", "random:seed=6", FirstSlot()]])
def test_every_table_equals_the_engine(seat, opponents):
    """Rewards, ends, final and next observations of each table against its hand played directly."""
    count, generator = 9, np.random.default_rng(1)
    learners = LearnerBatch(count, opponents, seat=seat, seed=3)
    players = [agents.make(one) if isinstance(one, str) else one for one in opponents]
    ended = 0
    for _ in range(60):
        hands = [learners.batch.hand(table) for table in range(count)]
        actions = random_actions(learners.action_masks, generator)
        learners.step(actions)
        for table, hand in enumerate(hands):
            own = int(learners.seats[table])
            assert hand.player == own
            hand = played_on(hand, actions[table], own, players[table % len(players)])
            assert learners.dones[table] == learners.hand_ends[table] == hand.finished
            if hand.finished:
                ended += 1
                result = hand.result()
                assert learners.rewards[table] == result.raw_score[own]
                assert (learners.final_observations[table] == hand.observation(own)).all()
                assert learners.fouls[table] == result.busted[own]
                assert learners.royalties[table] == result.royalties[own].total
                assert learners.fantasyland[table] == result.fl_card_count[own]
            else:
                assert learners.rewards[table] == 0
                assert hand == learners.batch.hand(table)
            now = learners.batch.hand(table)
            assert now.player == own
            assert (learners.observations[table] == now.observation(own)).all()
            assert (learners.action_masks[table] == now.action_mask()).all()
    assert ended > 50
    if seat is None:
        assert learners.seats.tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]


def test_the_learner_has_the_button_half_of_the_time():
    learners, generator = LearnerBatch(64, seat=0, seed=2), np.random.default_rng(0)
    mine = ends = 0
    for _ in range(100):
        before = learners.batch.buttons.copy()
        learners.step(random_actions(learners.action_masks, generator))
        mine += int((before[learners.dones] == 0).sum())
        ends += int(learners.dones.sum())
    assert abs(mine / ends - 0.5) < 0.03


def test_opponents_can_be_changed():
    learners = LearnerBatch(6, "random", seed=1)
    learners.set_opponents([LastSlot(), FirstSlot()])
    generator = np.random.default_rng(1)
    for _ in range(12):
        hands = [learners.batch.hand(table) for table in range(6)]
        actions = random_actions(learners.action_masks, generator)
        learners.step(actions)
        for table, hand in enumerate(hands):
            opponent = (LastSlot(), FirstSlot())[table % 2]
            hand = played_on(hand, actions[table], int(learners.seats[table]), opponent)
            assert hand.finished or hand == learners.batch.hand(table)
    with pytest.raises(ValueError, match="no opponent given"):
        learners.set_opponents([])


@pytest.mark.parametrize("opponent", ["pimc:belief=on", ["random", "pimc:belief=on"]])
def test_opponents_that_remember_are_refused(opponent):
    learners = LearnerBatch(4, LastSlot(), seed=1)
    seated = learners.opponents
    with pytest.raises(ValueError, match=r"pimc:belief=on.* remembers the hand it plays"):
        learners.set_opponents(opponent)
    assert learners.opponents is seated
    with pytest.raises(ValueError, match="turn its belief off"):
        OFCPineappleVectorEnv(num_envs=2, opponent=opponent)


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        (np.full(4, 150), "150 is not one of the slots 0 to 149"),
        (np.array([-1, 30, 30, 30]), "negative"),
        (np.full(3, 30), "give 4 integers"),
        (np.full(4, 30.0), "give 4 integers"),
        (np.full((4, 1), 30), "give 4 integers"),
    ],
)
def test_bad_actions_change_nothing(actions, sentence):
    learners = LearnerBatch(4, seed=1)
    before = learners.observations.copy()
    with pytest.raises(ValueError, match=sentence):
        learners.step(actions)
    assert (learners.observations == before).all()
    learners.step(random_actions(learners.action_masks, np.random.default_rng(0)))


# Any pair on top earns fantasyland, so that random play meets it often, the learner's own too.
EASY_FANTASYLAND = ofc_env.Rules(fantasyland_pairs=[14] * 13, chips=40, stop_gap=1000)


@pytest.mark.parametrize("seat", [0, 1, None])
def test_sessions_pay_the_learner_its_own_chips(seat):
    """The learner's chips in its observation are those it began with and all it has earned since."""
    learners = LearnerBatch(12, seat=seat, episode="session", rules=EASY_FANTASYLAND, seed=8)
    generator, earned, ended = np.random.default_rng(3), np.zeros(12), 0
    for _ in range(250):
        learners.step(random_actions(learners.action_masks, generator))
        earned += learners.rewards
        assert (np.abs(earned) <= 40).all()
        ended += int(learners.dones.sum())
        earned[learners.dones] = 0
        assert (learners.batch.players == learners.seats).all()
        assert learners.observations[:, -2] * 200 == pytest.approx(40 + earned)
        assert learners.observations[:, -1] * 200 == pytest.approx(40 - earned)
    assert ended > 10


# ---------------------------------------------------------------- Gymnasium


def test_made_by_name():
    environment = gymnasium.make_vec("wrappers:OFCPineapple-v0", num_envs=5, opponent="random:seed=3", seat=1)
    assert isinstance(environment, OFCPineappleVectorEnv)
    assert wrappers.OFCPineappleVectorEnv is OFCPineappleVectorEnv
    assert environment.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert environment.single_observation_space.shape == (490,)
    assert environment.action_space.shape == (5,)
    observations, infos = environment.reset(seed=1)
    assert environment.observation_space.contains(observations)
    assert infos["action_mask"].shape == (5, 150)
    assert infos["action_mask"].dtype == np.int8


def test_the_same_id_also_makes_synchronous_vectors():
    environment = gymnasium.make_vec("OFCPineapple-v0", num_envs=3, vectorization_mode="sync")
    observations, _ = environment.reset(seed=1)
    assert observations.shape == (3, 490)


def test_steps_follow_the_vector_contract():
    environment, generator = OFCPineappleVectorEnv(num_envs=8), np.random.default_rng(0)
    observations, infos = environment.reset(seed=5)
    kept = []
    for _ in range(40):
        actions = random_actions(infos["action_mask"], generator)
        before = observations.copy()
        observations_next, rewards, terminations, truncations, infos = environment.step(actions)
        assert (observations == before).all()  # what was returned belongs to the caller
        observations = observations_next
        kept.append((observations, observations.copy()))
        assert environment.observation_space.contains(observations)
        assert (infos["action_mask"] == environment.action_masks()).all()
        assert infos["_action_mask"].all()
        assert rewards.shape == terminations.shape == truncations.shape == (8,)
        assert not truncations.any()
        assert not rewards[~terminations].any()
        assert (infos["_final_obs"] == terminations).all()
        for table in np.flatnonzero(terminations):
            final = ofc_env.decode_observation(infos["final_obs"][table])
            assert [len(final.top), len(final.middle), len(final.bottom)] == [3, 5, 5]
            assert ofc_env.decode_observation(observations[table]).turn == 0
        for table in np.flatnonzero(~terminations):
            assert infos["final_obs"][table] is None
        assert infos["final_info"]["royalties"].shape == (8,)
    for returned, copy_then in kept:
        assert (returned == copy_then).all()


def layout(infos):
    """The keys of infos with the shapes and types under them."""
    if isinstance(infos, dict):
        return {key: layout(value) for key, value in infos.items()}
    return infos.shape, infos.dtype.str


@pytest.mark.parametrize("episode", ["hand", "session"])
def test_infos_always_have_the_same_keys(episode):
    """After a reset, a step, an end and an illegal slot; what did not happen is None, 0 or False."""
    environment = OFCPineappleVectorEnv(num_envs=4, episode=episode, rules="stop_gap=10")
    generator = np.random.default_rng(0)
    _, first = environment.reset(seed=5)
    assert not first["_final_obs"].any()
    infos, ends = first, 0
    for step in range(80):
        actions = random_actions(infos["action_mask"], generator)
        if step == 40:
            actions[3] = 149
        _, _, terminations, _, infos = environment.step(actions)
        assert layout(infos) == layout(first)
        assert (infos["_final_info"] == terminations).all()
        for key in ("fouls", "royalties", "fantasyland", "illegal_action"):
            assert not infos["final_info"][key][~terminations].any()
            assert (infos["final_info"][f"_{key}"] == terminations).all()
        ends += int(terminations.sum())
    assert ends > 4
    assert layout(environment.reset(options={"reset_mask": np.array([True] + [False] * 3)})[1]) == layout(
        first
    )


@pytest.mark.parametrize("rules", ["", "chips=500 scoop=6 stop_gap=60"])
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_gymnasium_statistics(rules, episode):
    """Gymnasium's statistics of whole episodes, and every observation in its space, also on other rules."""
    environment = OFCPineappleVectorEnv(num_envs=4, episode=episode, rules=rules)
    wrapped = vector.RecordEpisodeStatistics(environment)
    generator, returns = np.random.default_rng(1), np.zeros(4)
    _, infos = wrapped.reset(seed=2)
    ends = 0
    for _ in range(150):
        actions = random_actions(infos["action_mask"], generator)
        observations, rewards, terminations, _, infos = wrapped.step(actions)
        assert wrapped.observation_space.contains(observations)
        returns += rewards
        for table in np.flatnonzero(terminations):
            assert infos["episode"]["r"][table] == pytest.approx(returns[table])
            assert environment.single_observation_space.contains(infos["final_obs"][table])
        returns[terminations] = 0
        ends += int(terminations.sum())
    assert ends > 1


def test_a_vector_is_not_copied():
    """One sentence, rather than two vectors that share their tables."""
    environment = OFCPineappleVectorEnv(num_envs=2)
    for duplicate in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot pickle"):
            duplicate(environment)


def test_vectors_in_threads_do_not_meet():
    def run(seed):
        environment = OFCPineappleVectorEnv(num_envs=16, opponent="heuristic")
        generator, trace = np.random.default_rng(seed), []
        _, infos = environment.reset(seed=seed)
        for _ in range(30):
            observations, *_, infos = environment.step(random_actions(infos["action_mask"], generator))
            trace.append(observations)
        return np.stack(trace)

    alone = [run(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for ours, theirs in zip(alone, pool.map(run, range(4)), strict=True):
            assert (ours == theirs).all()


def test_seed_fixes_everything():
    def run(environment):
        generator = np.random.default_rng(4)
        observations, infos = environment.reset(seed=21)
        trace = [observations]
        for _ in range(30):
            observations, rewards, *_, infos = environment.step(
                random_actions(infos["action_mask"], generator)
            )
            trace += [observations, rewards]
        return trace

    first, second = OFCPineappleVectorEnv(num_envs=4), OFCPineappleVectorEnv(num_envs=4)
    second.reset()
    for ours, theirs in zip(run(first), run(second), strict=True):
        assert (ours == theirs).all()


def test_unseeded_tables_differ():
    first, second = OFCPineappleVectorEnv(num_envs=4), OFCPineappleVectorEnv(num_envs=4)
    assert (first.reset()[0] != second.reset()[0]).any()


def test_bad_arguments_get_a_sentence():
    with pytest.raises(ValueError, match="render a single environment"):
        OFCPineappleVectorEnv(num_envs=2, render_mode="ansi")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the seat 5"):
        OFCPineappleVectorEnv(num_envs=2, seat=5)
