"""Zips of SB3 become weights without running what they hold."""

import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO

import agents
from agents.players.ppo import PpoAgent
from experiments.ppo import build_environment, build_model
from experiments.ppo_zip import main, read_zip
from tests.experiments.test_ppo import TINY, positions
from wrappers.sb3_vec_env import OFCPineappleVecEnv


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("trap.txt"),)


SETTINGS = '{"policy_kwargs": {}}'


def pack(path, settings, weights):
    """A zip with SB3's names."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data", settings)
        file.writestr("policy.pth", weights)


@pytest.mark.parametrize("network", ["placements", "slots", "raw"])
def test_a_zip_plays_as_before(network, tmp_path):
    config = replace(TINY, network=network, policy_layers=(8, 4))
    model = build_model(config, build_environment(config))
    model.save(tmp_path / "model.zip")
    assert main([str(tmp_path / "model.zip"), str(tmp_path / "weights.safetensors")]) == 0
    observations, masks = positions()
    expected = PpoAgent(network=model.policy.playing_network()).act_batch(observations, masks)
    found = agents.make(f"ppo:weights={tmp_path / 'weights.safetensors'}").act_batch(observations, masks)
    assert (found == expected).all()


def test_sb3s_own_policy_is_read(tmp_path):
    options = {"net_arch": {"pi": [16], "vf": [8]}, "activation_fn": torch.nn.ReLU}
    environment = OFCPineappleVecEnv(4)
    model = MaskablePPO(
        "MlpPolicy", environment, n_steps=4, batch_size=16, policy_kwargs=options, device="cpu"
    )
    model.save(tmp_path / "model.zip")
    observations, masks = positions()
    expected = model.predict(observations, deterministic=True, action_masks=masks)[0]
    assert (
        PpoAgent(network=read_zip(tmp_path / "model.zip")).act_batch(observations, masks) == expected
    ).all()


def test_nothing_in_a_zip_is_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    torch.save({"trap": Trap()}, "trap.pth")
    torch.save([1, 2], "list.pth")
    torch.save({}, "empty.pth")
    packed = {
        "data": (pickle.dumps(Trap()), Path("empty.pth").read_bytes()),
        "weights": (SETTINGS, pickle.dumps(Trap())),
        "torch": (SETTINGS, Path("trap.pth").read_bytes()),
        "list": (SETTINGS, Path("list.pth").read_bytes()),
        "settings": ('{"policy_kwargs": 3}', Path("empty.pth").read_bytes()),
    }
    for name, (settings, weights) in packed.items():
        pack(Path(f"{name}.zip"), settings, weights)
    Path("text.zip").write_text("no zip")
    for name in ("text", *packed):
        with pytest.raises(ValueError, match=r"that can be read safely|something else than weights"):
            read_zip(Path(f"{name}.zip"))
    assert main(["data.zip", "out.safetensors"]) == 2
    assert "that can be read safely" in capsys.readouterr().err
    assert not Path("trap.txt").exists()


def test_other_networks_get_a_sentence(tmp_path):
    torch.save({"mlp_extractor.policy_net.0.weight": torch.zeros(4, 99)}, tmp_path / "policy.pth")
    pack(tmp_path / "model.zip", SETTINGS, (tmp_path / "policy.pth").read_bytes())
    with pytest.raises(ValueError, match="its first layer takes 99 numbers"):
        read_zip(tmp_path / "model.zip")


def test_layers_that_would_play_wrongly_get_a_sentence(tmp_path):
    """SB3's default is Tanh, which the weights do not show."""
    model = MaskablePPO("MlpPolicy", OFCPineappleVecEnv(4), n_steps=4, batch_size=16, device="cpu")
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match="has layers of Tanh, and only ReLU is played here"):
        read_zip(tmp_path / "model.zip")
