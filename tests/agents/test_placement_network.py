"""The placement network: fast look-ups equal the slow way, and what is illegal stays so."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import ofc_env
from agents.networks.placement import ILLEGAL_LOGIT, PlacementConfig, PlacementNetwork, legal_slots
from agents.networks.row_table import card_keys, row_index
from ofc_env.afterstates import afterstates


def positions(count=64, rounds=40, seed=0, episode="hand"):
    """Positions of every turn from random play: observations and masks as tensors."""
    batch = ofc_env.BatchEnv(count, seed=seed, episode=episode)
    seen = []
    for _ in range(rounds):
        seen.append((batch.observations.copy(), batch.action_masks.copy()))
        batch.step(batch.random_actions())
    observations, masks = (np.concatenate(part) for part in zip(*seen, strict=True))
    return torch.from_numpy(observations), torch.from_numpy(masks)


@pytest.mark.parametrize("episode", ["hand", "session"])
def test_legal_slots_follow_from_the_observation(episode):
    observations, masks = positions(episode=episode)
    assert (legal_slots(observations) == masks.bool()).all()


def test_rows_after_every_slot_equal_the_slow_way():
    observations, masks = positions(rounds=12)
    found = PlacementNetwork(PlacementConfig(units=4)).afterstates(
        observations, *masks.nonzero(as_tuple=True)
    )
    after = afterstates(observations[found.positions].numpy(), found.slots.numpy())
    cards = after[:, : 54 * 9].reshape(-1, 54, 9)
    for row in range(3):
        keys = cards[:, :, row] @ card_keys()
        assert (row_index()[keys.astype(np.int64)] == found.rows[:, row].numpy()).all()
    left = cards[:, :52, 8].reshape(-1, 4, 13).sum(axis=2) / 8
    held = cards[:, :52, :3].reshape(-1, 4, 13, 3).sum(axis=2)  # (P, 4, 3) cards of each suit in each row
    for row in range(3):
        one_suit = held[:, :, row].max(axis=1) == held[:, :, row].sum(axis=1)
        longest = held[:, :, row].argmax(axis=1)
        expected = np.where(one_suit, left[np.arange(len(left)), longest], 0)
        in_one_suit = found.details[:, 21 + 7 * row : 21 + 7 * row + 6].sum(dim=1).numpy()
        assert np.allclose(in_one_suit, expected)


def test_logits_of_legal_slots():
    """Shapes, illegal slots, and the same answers one by one as in a batch."""
    network = PlacementNetwork()
    observations, masks = positions()
    logits, values = network(observations, masks)
    assert logits.shape == (len(observations), 150)
    assert values.shape == (len(observations),)
    assert (logits[masks == 0] == ILLEGAL_LOGIT).all()
    assert (logits[masks != 0] > -1e4).all()
    assert torch.allclose(network.logits(observations, masks), logits)
    single = torch.cat([network.logits(observations[i : i + 1], masks[i : i + 1]) for i in range(40)])
    assert torch.allclose(single, logits[:40], atol=1e-4)


def test_values_are_a_mean_over_the_policy():
    network = PlacementNetwork()
    observations, masks = positions(rounds=6)
    _, values = network(observations, masks)
    for row in range(5):
        legal = masks[row].nonzero()[:, 0]
        single = torch.zeros(len(legal), 150, dtype=masks.dtype)
        single[torch.arange(len(legal)), legal] = 1
        each = network(observations[row].expand(len(legal), -1), single)[1]
        assert each.min() - 1e-3 <= values[row] <= each.max() + 1e-3


def test_the_row_table_follows_the_weights():
    """The table that is kept between decisions is built again when the weights change."""
    network = PlacementNetwork(PlacementConfig(units=8))
    observations, masks = positions(rounds=3)
    with torch.no_grad():
        before = network.logits(observations, masks)
        network.row_weights.mul_(2)
        after = network.logits(observations, masks)
    assert not torch.allclose(before, after)
    assert torch.allclose(
        after, network.logits(observations, masks), atol=1e-5
    )  # with gradients: computed anew


def test_it_can_learn_64_hands():
    """Overfits what the heuristic plays in 64 hands."""
    import agents

    torch.manual_seed(0)
    observations, masks = positions(count=64, rounds=12)
    wanted = torch.from_numpy(agents.make("heuristic").act_batch(observations.numpy(), masks.numpy()))
    network = PlacementNetwork()
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    agreement = torch.zeros(())
    for step in range(120):
        loss = torch.nn.functional.cross_entropy(network.logits(observations, masks), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 9:
            agreement = (network.logits(observations, masks).argmax(dim=1) == wanted).float().mean()
        if agreement > 0.95:
            break
    assert agreement > 0.95


def test_sizes_are_checked():
    for bad in ({"units": 0}, {"policy": ()}, {"value": (0,)}, {"units": 10**6}):
        with pytest.raises(ValueError, match="are not possible"):
            PlacementConfig(**bad)
