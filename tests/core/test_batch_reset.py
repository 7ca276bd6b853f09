"""Some environments of a batch begun anew, as asked for, while the others stay as they are."""

import numpy as np
import pytest

from ofc_env import BatchEnv, Rules
from ofc_env._core import row_royalties

DECK = list(range(54))


def hands(batch):
    return [batch.hand(env) for env in range(batch.num_envs)]


def played(seed=1, **arguments):
    """A batch of four in the middle of its hands."""
    batch = BatchEnv(4, seed=seed, **arguments)
    for _ in range(3):
        batch.step(batch.random_actions())
    return batch


@pytest.mark.parametrize("episode", ["hand", "session"])
def test_named_environments_begin_as_a_whole_reset_would(episode):
    batch, whole = played(episode=episode), BatchEnv(4, seed=9, episode=episode)
    before = hands(batch)
    batch.reset(seed=9, envs=np.array([2, 0]))
    after = hands(batch)
    assert [after[env] == before[env] for env in range(4)] == [False, True, False, True]
    for env in (0, 2):
        assert after[env] == whole.hand(env)
        assert (batch.observations[env] == whole.observations[env]).all()
        assert (batch.action_masks[env] == whole.action_masks[env]).all()
    for _ in range(40):  # and go on like it, ends and next decks included
        actions = batch.random_actions()
        batch.step(actions)
        legal = np.where([env in (0, 2) for env in range(4)], actions, -1)
        whole.step(legal)
        assert (batch.rewards[[0, 2]] == whole.rewards[[0, 2]]).all()
        assert (batch.dones[[0, 2]] == whole.dones[[0, 2]]).all()


def test_skipped_episodes_pay_nothing_and_pass_the_button_on():
    batch = played(terminal_observations=True)
    before, rewards = hands(batch), batch.rewards.copy()
    batch.skip([1, 3])
    after = hands(batch)
    assert (batch.rewards == rewards).all()
    assert [after[env] == before[env] for env in range(4)] == [True, False, True, False]
    for env in (1, 3):
        assert after[env].button == 1 - before[env].button
        assert (after[env].turn, after[env].player) == (0, after[env].button)
        assert (batch.players[env], batch.buttons[env]) == (after[env].player, after[env].button)
        assert (batch.observations[env] == after[env].observation(after[env].player)).all()


@pytest.mark.parametrize(
    "arguments",
    [
        *({"envs": value} for value in (7, [4], [-1], ["x"], [0.5], [10**30], None)),
        *({"envs": [0], "buttons": value} for value in (0, [2], [0, 1], ["x"], [0.5], "ab")),
        *({"envs": [0], "chips": value} for value in ((1, 2), [(1,)], [(-1, 1)], [(1, 10**9)], [5])),
        *({"envs": [0], "decks": value} for value in (DECK, [DECK[1:]], [[0] * 54], [()], [7], [""])),
        {"envs": [0, 1], "decks": [DECK, DECK[1:]], "buttons": [0, 1]},
    ],
    ids=repr,
)
def test_refused_resets_change_nothing(arguments):
    if arguments["envs"] is None:
        arguments = {"buttons": [0] * 4}
    batch = played()
    before, observations = hands(batch), batch.observations.copy()
    with pytest.raises((ValueError, TypeError), match=r"^[^\n]*\w+ [^\n]* \w+[^\n]*$"):
        batch.reset(seed=3, **arguments)
    assert hands(batch) == before
    assert (batch.observations == observations).all()


def test_sessions_take_a_button_only():
    batch = played(episode="session")
    before = hands(batch)
    for arguments in ({"chips": [(1, 2)]}, {"decks": [DECK]}):
        with pytest.raises(ValueError, match="a session takes no deck or chips"):
            batch.reset(seed=3, envs=[0], **arguments)
    assert hands(batch) == before
    batch.reset(seed=3, envs=[0, 1, 2, 3], buttons=[1, None, 0, 1])
    assert batch.buttons[[0, 2, 3]].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "wrong", [np.zeros(490, np.float32), np.zeros((2, 489), np.float32), np.zeros((2, 490))]
)
def test_row_royalties_take_observations_only(wrong):
    with pytest.raises(ValueError, match="observations should be"):
        row_royalties(wrong)
    assert row_royalties(np.zeros((3, 490), np.float32), Rules()).tolist() == [[0] * 6] * 3
