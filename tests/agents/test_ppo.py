"""The PPO agent: plays its weights, draws by its temperature, and loads numbers only."""

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from safetensors.torch import save_file

import agents
import ofc_env
from agents.arena import MatchSettings, play_match
from agents.networks.observation import NetworkConfig, PolicyNetwork
from agents.networks.placement import PlacementConfig, PlacementNetwork
from agents.players.ppo import WEIGHTS, PpoAgent, load_policy, save_policy
from tests.weights import header


def positions(count=64, rounds=12, seed=0):
    batch = ofc_env.BatchEnv(count, seed=seed)
    seen = []
    for _ in range(rounds):
        seen.append((batch.observations.copy(), batch.action_masks.copy()))
        batch.step(batch.random_actions())
    observations, masks = zip(*seen, strict=True)
    return np.concatenate(observations), np.concatenate(masks)


def networks():
    torch.manual_seed(3)
    return [
        PlacementNetwork(PlacementConfig(units=16, policy=(8, 4), value=(8,))).eval(),
        PolicyNetwork(NetworkConfig(hidden=(16,), dropout=0.0, counts=True)).eval(),
    ]


def test_the_shipped_weights_play():
    agent = agents.make("ppo")
    observations, masks = positions()
    slots = agent.act_batch(observations, masks)
    assert masks[np.arange(len(slots)), slots].all()
    first = {"observation": observations[5], "action_mask": masks[5]}
    assert agent.act(first) == slots[5]
    assert WEIGHTS.stat().st_size < 4_000_000
    match = play_match("ppo", "random", 40, MatchSettings(chunk=40, progress=False))
    assert match.equity.low > 6


@pytest.mark.parametrize("network", networks(), ids=["placements", "slots"])
def test_weights_survive_a_file(network, tmp_path):
    path = tmp_path / "weights.safetensors"
    save_policy(network, path, {"note": "of a test"})
    loaded = load_policy(path)
    assert type(loaded) is type(network)
    observations, masks = positions()
    first = PpoAgent(network=network).logits(observations, masks)
    assert (PpoAgent(path).logits(observations, masks) == first).all()
    assert (
        agents.make(f"ppo:weights={path}").act_batch(observations, masks).tolist() == first.argmax(1).tolist()
    )


def test_draws_follow_the_policy():
    """Many draws of one position come as often as the policy says; each is fixed by seed and observation."""
    network = networks()[0]
    observations, masks = positions(count=1, rounds=4)
    observation, mask = observations[-1:], masks[-1:]
    every = PpoAgent(network=network).logits(observation, mask)
    logits = every[0]
    chances = np.exp(logits.astype(np.float64) - logits.max())
    chances /= chances.sum()
    players = [PpoAgent(network=network, temperature=1.0, seed=seed) for seed in range(1500)]
    slots = [int(player._drawn(every, observation)[0]) for player in players]
    for player, slot in zip(players[:40], slots, strict=False):
        assert player.act_batch(observation, mask)[0] == slot
    counts = np.bincount(slots, minlength=150) / len(slots)
    assert (counts[mask[0] == 0] == 0).all()
    assert np.abs(counts - chances).max() < 0.06
    again = PpoAgent(network=network, temperature=1.0, seed=4)
    assert again.act_batch(observation, mask)[0] == slots[4]
    cold = PpoAgent(network=network, temperature=1e-6).act_batch(observation, mask)
    assert cold[0] == logits.argmax()
    for wrong in (-1, float("inf")):
        with pytest.raises(ValueError, match=f"temperature of {wrong} is not possible"):
            PpoAgent(network=network, temperature=wrong)


def test_exact_endings():
    agent = PpoAgent(network=networks()[0], exact=True)
    observations, masks = positions(rounds=24)
    last = np.flatnonzero((observations[:, 486] == 1.0) & (masks.sum(axis=1) > 1))[:20]
    slots = agent.act_batch(observations[last], masks[last])
    for row, slot in zip(last, slots, strict=True):
        values = ofc_env.solve_last_turn(observations[row])
        assert values[int(slot)] == max(values.values())


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("trap.txt"),)


def test_files_that_are_not_weights_get_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("weights.safetensors")
    save_policy(networks()[0], path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="is not a whole safetensors file"):
        load_policy(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ValueError, match="is not a whole safetensors file"):
        load_policy(path)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("data", pickle.dumps(Trap()))
    Path("model.zip").write_bytes(archive.getvalue())
    with pytest.raises(ValueError, match=r"turn it into weights with python experiments/ppo_zip\.py"):
        load_policy(Path("model.zip"))
    assert not Path("trap.txt").exists()
    with pytest.raises(ValueError, match="there is no network at"):
        agents.make("ppo:weights=nowhere.safetensors")


def test_weights_that_do_not_fit_get_a_sentence(tmp_path):
    path = tmp_path / "weights.safetensors"
    network = networks()[0]
    save_policy(network, path)
    notes = header(path)
    weights = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    for change, sentence in (
        ({"table.bias": torch.zeros(3)}, r"table.bias is float32 \(3,\)"),
        ({"table.bias": torch.full((16,), float("nan"))}, "holds numbers that are not finite"),
        ({"more": torch.zeros(1)}, "'more' is missing or too much"),
    ):
        save_file({**weights, **change}, path, notes)
        with pytest.raises(ValueError, match=sentence):
            load_policy(path)
    save_file(weights, path, {**notes, "config": '{"units": "many"}'})
    with pytest.raises(ValueError, match="cannot be read"):
        load_policy(path)


def test_a_seat_that_is_not_to_act_gets_a_sentence():
    observations, masks = positions(count=2, rounds=1)
    masks[1] = 0
    with pytest.raises(ValueError, match="row 1 of the masks allows no slot"):
        PpoAgent(network=networks()[0]).act_batch(observations, masks)
