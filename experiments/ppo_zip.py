"""Turn a zip of Stable-Baselines3 into weights that this program loads: numbers alone.

    python experiments/ppo_zip.py model.zip --out weights.safetensors

Such a zip holds pickled objects, and `MaskablePPO.load` runs them: load only zips of your own that way. This
script opens `policy.pth` with torch's reader that builds nothing but tensors, and finds the sizes of the
network from the shapes. The settings in `data` are read as text, for the name of the activation alone.
"""

from __future__ import annotations

import io
import json
import pickle
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from experiments.common.packages import needed_by

with needed_by(__name__):
    import sb3_contrib  # noqa: F401 - the policies below build on it
    import torch
    from torch import Tensor

from agents.networks.observation import CountLayer, PolicyNetwork
from agents.networks.placement import PlacementConfig, PlacementNetwork
from agents.players.ppo import PlayingNetwork, save_policy
from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option
from experiments.masked_ppo.policies import slot_network
from ofc_env import OBSERVATION_SIZE, Rules

_WEIGHTS, _SETTINGS = "policy.pth", "data"
_MOST_BYTES = 500_000_000
_SAFE_READER = (2, 6)  # torch from which on weights_only keeps its promise (CVE-2025-32434 before)


def read_zip(path: Path, rules: Rules = Rules()) -> PlayingNetwork:
    """The policy in a zip of `MaskablePPO.save`: a policy of `masked_ppo.policies`, or SB3's own.

    Args:
        path: the zip.
        rules: that it was trained by, which a zip does not tell.
    """
    if tuple(map(int, torch.__version__.split(".")[:2])) < _SAFE_READER:
        raise ValueError(f"torch {torch.__version__} does not read weights safely: install 2.6 or later")
    try:
        with zipfile.ZipFile(path) as archive:
            content = io.BytesIO(_member(archive, _WEIGHTS))
            settings = json.loads(_member(archive, _SETTINGS))["policy_kwargs"]
            activation = str(settings.get("activation_fn", "Tanh"))  # SB3's own default
        weights = torch.load(content, map_location="cpu", weights_only=True)
    except (
        zipfile.BadZipFile, KeyError, OSError, RuntimeError, pickle.UnpicklingError, ValueError, TypeError,
        AttributeError,
    ) as error:  # fmt: skip
        raise ValueError(f"{path} is not a zip of SB3 that can be read safely ({error})") from None
    if not isinstance(weights, dict) or not all(isinstance(value, Tensor) for value in weights.values()):
        raise ValueError(f"{path} holds something else than weights: give a zip of MaskablePPO.save")
    network = network_of(weights, rules)
    if isinstance(network, PolicyNetwork) and "ReLU" not in activation:
        raise ValueError(
            f"{path} has layers of {activation}, and only ReLU is played here: "
            'train with policy_kwargs={"activation_fn": torch.nn.ReLU}'
        )
    return network


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one file in the zip, if they are not too many."""
    member = archive.getinfo(name)
    if member.file_size > _MOST_BYTES:
        raise ValueError(f"its {name} takes {member.file_size} bytes, which is too much")
    return archive.read(member)


def network_of(weights: dict[str, Tensor], rules: Rules = Rules()) -> PlayingNetwork:
    """The network that plays an SB3 policy's weights; its sizes follow from their shapes."""
    if "network.row_weights" not in weights:
        width = weights.get("mlp_extractor.policy_net.0.weight", torch.empty(0, 0)).shape[1]
        if width not in (OBSERVATION_SIZE, CountLayer().width):
            raise ValueError(
                f"its first layer takes {width} numbers: train on the 490, or with the count layer"
            )
        return slot_network(weights, width != OBSERVATION_SIZE, rules)
    own = {
        name.removeprefix("network."): value for name, value in weights.items() if name.startswith("network.")
    }
    network = PlacementNetwork(
        PlacementConfig(own["row_weights"].shape[2], _hidden(own, "policy"), _hidden(own, "value")), rules
    )
    network.load_state_dict(own)
    return network.eval()


def _hidden(weights: dict[str, Tensor], head: str) -> tuple[int, ...]:
    """Widths of a head's hidden layers."""
    layers = sorted(
        int(name.split(".")[1]) for name in weights if name.startswith(f"{head}.") and name.endswith(".bias")
    )
    return tuple(len(weights[f"{head}.{layer}.bias"]) for layer in layers[:-1])


@dataclass(frozen=True)
class Config:
    """What is converted."""

    zip: Path = option(Path("model.zip"), "what MaskablePPO.save wrote", positional=True)
    out: Path = option(
        Path("runs/ppo.safetensors"),
        "the weights file",
        metavar="FILE",
        old=("--output", "--weights"),
        old_position=True,
    )
    rules: str = rules_option()


def convert(config: Config) -> None:
    """Convert and say how to play it."""
    network = read_zip(config.zip, Rules.parse(config.rules))
    config.out.parent.mkdir(parents=True, exist_ok=True)
    save_policy(network, config.out, {"source": config.zip.name})
    print(f'plays as agents.make("ppo:weights={config.out}")')


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: convert(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
