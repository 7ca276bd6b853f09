"""Credit by seat equals the obvious bookkeeping, and the points of the hands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.benches.credit import Arrays, PlainRollout
from ofc_env import BatchEnv, SeatRollout

EXACT = ("observations", "action_masks", "actions", "tables", "players", "log_probs", "values", "dones")
FIELDS = {*EXACT, "rewards", "next_values", "advantages", "returns"}


def draws(seed: int, tables: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and logarithms of chances, at random."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=tables).astype(np.float32), -rng.random(tables).astype(np.float32)


def assert_equal(native: Arrays, plain: Arrays) -> None:
    assert set(native) == FIELDS
    for name in EXACT:
        np.testing.assert_array_equal(native[name], plain[name], err_msg=name)
    for name in FIELDS - set(EXACT):
        np.testing.assert_allclose(native[name], plain[name], rtol=1e-5, atol=1e-4, err_msg=name)


@pytest.mark.parametrize(
    ("episode", "reward"), [("hand", "points"), ("hand", "equity"), ("session", "mixed")]
)
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.3), (1.0, 1.0), (0.99, 0.0)])
def test_equal_to_plain_python(episode: str, reward: str, gamma: float, gae_lambda: float) -> None:
    """Through several rollouts, each of which holds decisions over, with tables left alone at times."""
    ours, theirs = (BatchEnv(12, seed=4, episode=episode, reward=reward) for _ in range(2))
    native, plain = SeatRollout(ours), PlainRollout(theirs)
    rng = np.random.default_rng(9)
    paid = 0
    for rollout in range(4):
        for step in range(17 + rollout):
            actions = ours.random_actions()
            actions[rng.random(12) < 0.2] = -1
            noted = draws(100 * rollout + step, 12)
            native.step(actions, *noted)
            plain.step(actions, *noted)
        assert len(native) == len(plain.decisions)
        lessons = native.finish(gamma=gamma, gae_lambda=gae_lambda)
        assert_equal(lessons, plain.finish(gamma, gae_lambda))
        paid += int(np.count_nonzero(lessons["rewards"]))
        assert len(native) == len(plain.decisions) > 0  # held over
    assert paid > 20


def test_returns_are_the_points_of_the_hand() -> None:
    """Undiscounted and to the end of the hand, whatever the values are: what each seat was paid for it."""
    env = BatchEnv(40, seed=2)
    rollout = SeatRollout(env)
    playing, points = np.ones(40, bool), np.zeros((40, 2))
    while playing.any():
        rollout.step(np.where(playing, env.random_actions(), -1), *draws(len(rollout), 40))
        points[env.dones] = env.rewards[env.dones]
        playing &= ~env.dones
    lessons = rollout.finish(gamma=1.0, gae_lambda=1.0)
    assert len(rollout) == 0
    np.testing.assert_allclose(lessons["returns"], points[lessons["tables"], lessons["players"]], atol=1e-4)
    assert lessons["dones"].sum() == 80  # the last decision of each seat
    counts = np.bincount(2 * lessons["tables"] + lessons["players"], minlength=80)
    assert set(counts) <= {5, 6}  # an opening of one or two steps, and four turns


def test_every_decision_comes_back_once() -> None:
    env = BatchEnv(5, seed=3)
    rollout, made, returned = SeatRollout(env), 0, 0
    for _ in range(30):
        rollout.step(env.random_actions(), np.zeros(5, np.float32))
        made += 5
        returned += len(rollout.finish()["actions"])
        assert made == returned + len(rollout)
        assert len(rollout) <= 10  # one a seat
    assert returned > 100
    rollout.clear()
    assert len(rollout) == 0
    assert rollout.finish()["observations"].shape == (0, 490)


def test_other_arrays_than_numpys() -> None:
    torch = pytest.importorskip("torch")
    env = BatchEnv(3, seed=3)
    rollout = SeatRollout(env)
    for _ in range(14):
        rollout.step(torch.as_tensor(env.random_actions()), torch.ones(3), torch.zeros(3))
    assert (rollout.finish()["values"] == 1).all()


# ---------------------------------------------------------------- refusals


def test_tables_that_others_moved_are_refused() -> None:
    env = BatchEnv(2, seed=1)
    rollout, values = SeatRollout(env), np.zeros(2, np.float32)
    rollout.step(env.random_actions(), values)
    for move in (
        lambda: env.step(env.random_actions()),
        lambda: env.reset(seed=1),
        lambda: env.reset(seed=1, envs=[0]),
        lambda: env.skip([1]),
    ):
        move()
        with pytest.raises(ValueError, match="by somebody else"):
            rollout.step(env.random_actions(), values)
        rollout.clear()
        rollout.step(env.random_actions(), values)
        assert len(rollout) == 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"actions": np.array([149, 149])}, "environment 0"),
        ({"actions": np.array([0])}, r"actions should be .* \(2,\)"),
        ({"values": np.zeros(3, np.float32)}, r"values should be .* float32 of shape \(2,\), not"),
        ({"values": np.zeros(2)}, "values should be .* not of float64"),
        ({"values": np.array([0, np.nan], np.float32)}, "the value at table 1 is not a finite number"),
        ({"log_probs": np.zeros((2, 1), np.float32)}, "log_probs should be"),
    ],
)
def test_a_refusal_leaves_all_as_it_was(change: dict[str, np.ndarray], sentence: str) -> None:
    env = BatchEnv(2, seed=1)
    rollout = SeatRollout(env)
    right: dict[str, Any] = {"actions": env.random_actions(), "values": np.zeros(2, np.float32)}
    rollout.step(**right)
    before = env.observations.copy()
    right["actions"] = env.random_actions()
    with pytest.raises(ValueError, match=sentence):
        rollout.step(**{**right, **change})
    assert len(rollout) == 2
    np.testing.assert_array_equal(env.observations, before)
    rollout.step(**right)
    assert len(rollout) == 4


@pytest.mark.parametrize("shares", [{"gamma": 1.5}, {"gae_lambda": -0.1}, {"gamma": float("nan")}])
def test_discounts_are_shares(shares: dict[str, float]) -> None:
    rollout = SeatRollout(BatchEnv(2))
    with pytest.raises(ValueError, match=f"{next(iter(shares))} is .*, outside 0 to 1"):
        rollout.finish(**shares)


def test_the_rollout_keeps_its_tables_alive() -> None:
    rollout = SeatRollout(BatchEnv(2, seed=1))
    rollout.step(np.array([-1, -1]), np.zeros(2, np.float32))
    assert len(rollout) == 0


def test_a_mover_is_read_from_the_game_not_from_the_buffer() -> None:
    env = BatchEnv(2, seed=1)
    rollout, movers = SeatRollout(env), env.players.copy()
    env.players[:] = 100
    actions = env.random_actions()
    rollout.step(actions, np.zeros(2, np.float32))
    for _ in range(12):
        rollout.step(env.random_actions(), np.zeros(2, np.float32))
    first = rollout.finish()
    np.testing.assert_array_equal(first["players"][:2], movers)
