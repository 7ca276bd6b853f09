"""The batched environment equals as many single hands stepped one by one."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from ofc_env import BatchEnv, Hand, RewardConfig, Rules
from tests import oracle
from tests.play import seat_to_act

Snapshot = dict[str, np.ndarray]
ARRAYS = {
    "observations": (np.float32, (490,)),
    "action_masks": (np.int8, (150,)),
    "players": (np.int8, ()),
    "buttons": (np.int8, ()),
    "rewards": (np.float32, (2,)),
    "dones": (np.bool_, ()),
    "fouls": (np.bool_, (2,)),
    "royalties": (np.float32, (2,)),
    "fantasyland": (np.int8, (2,)),
    "hand_ends": (np.bool_, ()),
}


def snapshot(env: BatchEnv) -> Snapshot:
    return {name: getattr(env, name).copy() for name in ARRAYS}


def equal(first: Snapshot, second: Snapshot) -> bool:
    return all(np.array_equal(first[name], second[name]) for name in ARRAYS)


def random_actions(rng: np.random.Generator, env: BatchEnv) -> np.ndarray:
    """A legal action of each environment, uniformly."""
    scores = rng.random(env.action_masks.shape) * env.action_masks
    return scores.argmax(axis=1).astype(np.int64)


def check_position(env: BatchEnv, number: int, hand: Hand) -> None:
    """Row `number` of every array describes this hand from the side of the seat to act."""
    assert env.players[number] == hand.player
    assert env.buttons[number] == hand.button
    np.testing.assert_array_equal(env.observations[number], hand.observation(seat_to_act(hand)))
    np.testing.assert_array_equal(env.action_masks[number], hand.action_mask())


def test_arrays_have_their_shapes_and_stay_in_place() -> None:
    env = BatchEnv(7, seed=1)
    assert env.num_envs == 7
    addresses = {}
    for name, (dtype, shape) in ARRAYS.items():
        array = getattr(env, name)
        assert array.dtype == dtype, name
        assert array.shape == (7, *shape), name
        addresses[name] = array.ctypes.data
    kept = env.observations
    before = kept.copy()
    env.step(random_actions(np.random.default_rng(1), env))
    assert not np.array_equal(kept, before)
    for name, address in addresses.items():
        assert getattr(env, name).ctypes.data == address, name
    env.reset()
    assert env.observations.ctypes.data == addresses["observations"]


@pytest.mark.parametrize(("count", "steps"), [(1, 200), (16, 300), (257, 40)])
def test_the_batch_equals_single_hands(count: int, steps: int) -> None:
    rng = np.random.default_rng(count)
    env = BatchEnv(count, seed=count, terminal_observations=True)
    hands = [env.hand(number) for number in range(count)]
    finished = 0
    for _ in range(steps):
        for number, hand in enumerate(hands):
            check_position(env, number, hand)
            assert env.hand(number) == hand
        actions = random_actions(rng, env)
        resting = rng.random(count) < 0.1
        actions[resting] = -1
        env.step(actions)
        for number, hand in enumerate(hands):
            if not resting[number]:
                hand.step(int(actions[number]))
            assert bool(env.dones[number]) == bool(env.hand_ends[number]) == hand.finished
            if not hand.finished:
                assert env.rewards[number].tolist() == [0.0, 0.0]
                continue
            finished += 1
            result = hand.result()
            assert env.rewards[number].tolist() == [float(points) for points in result.raw_score]
            assert env.fouls[number].tolist() == list(result.busted)
            assert env.royalties[number].tolist() == [float(each.total) for each in result.royalties]
            assert env.fantasyland[number].tolist() == list(result.fl_card_count)
            for seat in (0, 1):
                np.testing.assert_array_equal(env.terminal_observations[number, seat], hand.observation(seat))
            fresh = env.hand(number)
            assert fresh.turn == 0
            assert not fresh.finished
            assert list(fresh.dealt) == sorted(fresh.deck[:5])
            assert fresh.button != hand.button
            assert list(fresh.deck) != list(hand.deck)
            hands[number] = fresh
    assert finished > steps * count / 20


def test_minus_one_leaves_an_environment_alone() -> None:
    env = BatchEnv(5, seed=2)
    env.step(random_actions(np.random.default_rng(2), env))
    before = snapshot(env)
    hands = [env.hand(number) for number in range(5)]
    env.step(np.full(5, -1))
    assert [env.hand(number) for number in range(5)] == hands
    for name in ("observations", "action_masks", "players", "buttons"):
        np.testing.assert_array_equal(getattr(env, name), before[name])
    assert not env.rewards.any()
    assert not env.dones.any()
    assert not env.hand_ends.any()


def test_the_end_of_one_hand_does_not_linger() -> None:
    """Rewards and flags of a finished hand are gone after the next step, played or rested."""
    rng = np.random.default_rng(3)
    env = BatchEnv(4, seed=3)
    while not env.dones.any():
        env.step(random_actions(rng, env))
    done = env.dones.copy()
    actions = random_actions(rng, env)
    actions[done] = -1
    env.step(actions)
    assert not env.dones[done].any()
    assert not env.rewards[done].any()


def test_seeds_fix_everything() -> None:
    first, second, other = BatchEnv(8, seed=4), BatchEnv(8, seed=4), BatchEnv(8, seed=5)
    start = snapshot(first)
    assert equal(start, snapshot(second))
    assert not equal(start, snapshot(other))
    for seed_of_play in (1, 1):
        one, two = np.random.default_rng(seed_of_play), np.random.default_rng(seed_of_play)
        for _ in range(40):
            first.step(random_actions(one, first))
            second.step(random_actions(two, second))
            assert equal(snapshot(first), snapshot(second))
    first.reset(seed=4)
    again = snapshot(first)
    for name in ("fouls", "royalties", "fantasyland"):  # these speak of the last hand that ended
        again[name] = start[name]
    assert equal(again, start)
    first.reset()
    assert not equal(snapshot(first), start)
    assert len({tuple(BatchEnv(8, seed=4).hand(number).deck) for number in range(8)}) == 8


EASY = Rules(chips=30, stop_gap=25, fantasyland_pairs=[14] * 10 + [15, 16, 17])
EASY_ORACLE = oracle.OracleRules(chips=30, stop_gap=25, fantasyland_pairs=(14,) * 10 + (15, 16, 17))


def test_session_episodes() -> None:
    """Hands of a session follow one another; points are capped by chips; it ends when it must."""
    rng = np.random.default_rng(11)
    count = 64
    env = BatchEnv(count, seed=11, episode="session", rules=EASY)
    hands = [env.hand(number) for number in range(count)]
    seen: Counter[str] = Counter()
    for _ in range(600):
        for number, hand in enumerate(hands):
            check_position(env, number, hand)
        actions = random_actions(rng, env)
        env.step(actions)
        for number, hand in enumerate(hands):
            hand.step(int(actions[number]))
            assert bool(env.hand_ends[number]) == hand.finished
            if not hand.finished:
                assert not env.dones[number]
                assert env.rewards[number].tolist() == [0.0, 0.0]
                continue
            result, following = hand.result(), env.hand(number)
            chips = (result.chips[0], result.chips[1])
            widths = (result.fl_card_count[0], result.fl_card_count[1])
            assert not following.finished
            assert not following.in_fantasyland
            hands[number] = following
            if all(widths) and min(chips) > 0:
                seen["both in fantasyland, played inside the step"] += 1
                assert sum(env.rewards[number]) == 0
                if not env.dones[number]:
                    moved = [following.chips[seat] - hand.chips[seat] for seat in (0, 1)]
                    assert env.rewards[number].tolist() == moved
                continue
            assert bool(env.dones[number]) != oracle.session_goes_on(chips, widths, EASY_ORACLE)
            assert env.rewards[number].tolist() == list(result.actual_score)
            seen["capped"] += list(result.actual_score) != list(result.raw_score)
            if env.dones[number]:
                assert (tuple(following.chips), tuple(following.fantasyland)) == ((30, 30), (0, 0))
                seen["no chips" if min(chips) == 0 else "gap"] += 1
            else:
                assert (tuple(following.chips), tuple(following.fantasyland)) == (chips, widths)
                assert following.button == 1 - hand.button
                seen["fantasyland" if any(widths) else "normal"] += 1
    kinds = (
        "both in fantasyland, played inside the step",
        "capped",
        "no chips",
        "gap",
        "fantasyland",
        "normal",
    )
    assert all(seen[kind] > 1 for kind in kinds), seen


def test_the_session_return_comes_at_the_end() -> None:
    rng = np.random.default_rng(12)
    env = BatchEnv(32, seed=12, episode="session", reward="session", rules=EASY)
    plain = BatchEnv(32, seed=12, episode="session", rules=EASY)
    mixed = BatchEnv(32, seed=12, episode="session", reward="mixed", rules=EASY)
    total = np.zeros((32, 2))
    ends = 0
    for _ in range(400):
        actions = random_actions(rng, env)
        for each in (env, plain, mixed):
            each.step(actions)
        np.testing.assert_array_equal(env.observations, plain.observations)
        total += plain.rewards
        wanted = np.where(plain.dones[:, None], total / 30, 0.0)
        np.testing.assert_allclose(env.rewards, wanted, atol=1e-6)
        np.testing.assert_allclose(mixed.rewards, 0.7 * plain.rewards / EASY.chips + 0.3 * wanted, atol=1e-6)
        ends += int(plain.dones.sum())
        total[plain.dones] = 0
    assert ends > 100


def test_rewards_follow_their_configuration() -> None:
    rng = np.random.default_rng(6)
    config = RewardConfig.preset("equity")
    assert list(config.fantasyland_values) != [0, 0, 0, 0]
    env = BatchEnv(64, seed=6, reward=config)
    named = BatchEnv(64, seed=6, reward="equity")
    shaped = BatchEnv(64, seed=6, reward=RewardConfig.preset("shaped"))
    hands = [env.hand(number) for number in range(64)]
    entries = ends = 0
    for _ in range(400):
        actions = random_actions(rng, env)
        for each in (env, named, shaped):
            each.step(actions)
        np.testing.assert_array_equal(env.rewards, named.rewards)
        for number, hand in enumerate(hands):
            hand.step(int(actions[number]))
            if not hand.finished:
                continue
            ends += 1
            result = hand.result()
            widths = list(result.fl_card_count)
            worth = [config.fantasyland_values[width - 14] if width else 0.0 for width in widths]
            wanted = result.raw_score[0] + worth[0] - worth[1]
            np.testing.assert_allclose(env.rewards[number], [wanted, -wanted], rtol=1e-6)
            np.testing.assert_allclose(env.rewards[number], config.hand_rewards(result), rtol=1e-6)
            bonus = [
                15 * entry - 20 * foul for entry, foul in zip(result.fl_entry, result.busted, strict=True)
            ]
            chips = [result.raw_score[seat] + bonus[seat] for seat in (0, 1)]
            np.testing.assert_allclose(shaped.rewards[number], chips, rtol=1e-6)
            entries += any(widths)
            hands[number] = env.hand(number)
    assert ends > 1500
    assert entries >= 3


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(3, np.int64),
        np.zeros(5, np.int64),
        np.zeros((4, 1), np.int64),
        np.zeros(4, np.float32),
        np.zeros(4, np.bool_),
        np.array(["27"] * 4),
        27,
    ],
    ids=["short", "long", "two-dimensional", "float", "bool", "text", "number"],
)
def test_wrong_action_arrays_are_refused(actions: object) -> None:
    env = BatchEnv(4, seed=7)
    before = snapshot(env)
    with pytest.raises((ValueError, TypeError)):
        env.step(actions)  # type: ignore[arg-type]
    assert equal(snapshot(env), before)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_both_usual_integers_are_taken(dtype: type) -> None:
    env, other = BatchEnv(4, seed=8), BatchEnv(4, seed=8)
    env.step(np.full(4, 30, dtype))
    other.step(np.full(4, 30, np.int64))
    assert equal(snapshot(env), snapshot(other))


def test_one_illegal_action_changes_nothing_at_all() -> None:
    """Neither the environment that refuses nor those before and after it move."""
    rng = random.Random(9)
    env = BatchEnv(6, seed=9)
    for _ in range(30):
        legal = random_actions(np.random.default_rng(rng.randrange(1000)), env)
        for wrong in (-2, 150, 149, 91):
            before, hands = snapshot(env), [env.hand(number) for number in range(6)]
            actions = legal.copy()
            place = rng.randrange(6)
            actions[place] = wrong
            with pytest.raises(ValueError, match=str(wrong)) as refusal:
                env.step(actions)
            assert "\n" not in str(refusal.value)
            assert str(place) in str(refusal.value)
            assert equal(snapshot(env), before)
            assert [env.hand(number) for number in range(6)] == hands
        env.step(legal)


def test_wrong_environments_are_refused() -> None:
    for number in (0, -1):
        with pytest.raises(ValueError, match=str(number)):
            BatchEnv(number)
    with pytest.raises(ValueError, match="match"):
        BatchEnv(2, episode="match")
    with pytest.raises(ValueError, match="wishes"):
        BatchEnv(2, reward="wishes")
    env = BatchEnv(2)
    for number in (-1, 2):
        with pytest.raises((ValueError, IndexError), match=str(number)):
            env.hand(number)


def test_hand_is_a_copy() -> None:
    env = BatchEnv(2, seed=10)
    hand = env.hand(0)
    hand.step(hand.legal_actions()[0])
    assert env.hand(0) != hand
    check_position(env, 0, env.hand(0))
