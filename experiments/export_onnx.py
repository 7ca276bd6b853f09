"""Export a trained network to ONNX and check that it answers the same there.

    python experiments/export_onnx.py agents/weights/ppo.safetensors --out runs/ppo.onnx

Every network that is shipped or trained here can be exported. One after a placement (champions, clones, all
that experiments/alphazero.py makes) has the input `features` (N, 1663) float32, which
`ofc_env._core.network_features` makes of packed states, and the output `heads` (N, 5): value, foul and
fantasyland as logits, royalties, preference. A policy of experiments/ppo.py has the inputs
`observation` (N, 490) float32 and `action_mask` (N, 150) int8, and the output `probabilities` (N, 150).
"""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch
    from torch import Tensor, nn

from agents.networks.afterstate import AfterstateNetwork
from agents.networks.afterstate import load_network as load_afterstate
from agents.networks.files import describe
from agents.networks.native import KIND, network_file
from agents.networks.placement import PlacementNetwork
from agents.players.alphazero import CHAMPION
from agents.players.ppo import PlayingNetwork, load_policy, policy_logits
from experiments.common.command_line import run
from experiments.common.options import option, read
from ofc_env import BatchEnv, Rules, _core
from ofc_env.afterstates import afterstates
from ofc_env.files import new_file
from ofc_env.layout import TURN

OPSET = 18
OPENING_STEP = 0.125  # what stands at TURN between the two steps of an opening
LARGEST_DIFFERENCE = 1e-4

Exported = PlayingNetwork | AfterstateNetwork


class _Probabilities(nn.Module):
    """A policy with its softmax."""

    def __init__(self, policy: PlayingNetwork) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        return torch.softmax(policy_logits(self.policy, observation, action_mask), dim=1)


def positions(
    count: int, seed: int = 0, rules: Rules | None = None
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Observations (count, 490) and masks (count, 150) from all turns of random play."""
    batch, rng = BatchEnv(count, seed=seed, rules=rules), np.random.default_rng(seed)
    for step in range(8):
        # Every environment stops after its own number of steps, so that all turns are there.
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
        batch.step(np.where(np.arange(count) % 8 > step, actions, -1))
    return batch.observations.copy(), batch.action_masks.copy()


def states(count: int, seed: int = 0, rules: Rules | None = None) -> NDArray[np.uint64]:
    """Packed states (count, 8) after placements of random play."""
    observations, masks = positions(4 * count, seed, rules)
    turns = observations[:, TURN]
    after = afterstates(observations, masks.argmax(axis=1))
    return _core.pack_observations(after[(turns != 0) & (turns != OPENING_STEP)][:count], rules)


def export_network(network: Exported, path: Path) -> float:
    """Write the network as ONNX, once it is shown to answer the same.

    Returns:
        The largest difference of any output over 256 positions.
    """
    arrays: dict[str, NDArray[Any]]
    if isinstance(network, AfterstateNetwork):
        module: nn.Module = network
        features = _core.network_features(states(256, rules=network.rules), None, network.rules)
        arrays, outputs = {"features": features}, ["heads"]
    else:
        observations, masks = positions(256, rules=network.rules)
        arrays = {"observation": observations, "action_mask": masks}
        module, outputs = _Probabilities(network), ["probabilities"]
    module.eval()
    inputs, names = tuple(torch.from_numpy(array) for array in arrays.values()), list(arrays)
    with torch.no_grad():
        expected = (module(*inputs),)
    with new_file(path) as partial:
        with torch.no_grad(), _in_exported_form(network), _quiet():
            torch.onnx.export(
                module,
                inputs,
                str(partial),
                input_names=names,
                output_names=outputs,
                opset_version=OPSET,
                dynamic_shapes=tuple({0: torch.export.Dim("rows", min=1)} for _ in inputs),
                external_data=False,
                dynamo=True,
                verbose=False,
            )
        difference = _difference(partial, names, tuple(arrays.values()), expected)
        if not difference < LARGEST_DIFFERENCE:
            raise ValueError(
                f"the ONNX form of the network answers differently, by {difference}: it is not written"
            )
    return difference


def _difference(
    path: Path, names: list[str], inputs: tuple[NDArray[np.generic], ...], expected: tuple[Tensor, ...]
) -> float:
    """The largest difference between onnxruntime and torch, over the whole batch and over a single row."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    largest = 0.0
    for rows in (slice(None), slice(0, 1)):
        answers = session.run(None, {name: array[rows] for name, array in zip(names, inputs)})
        for answer, wanted in zip(answers, expected, strict=True):
            largest = max(largest, float(np.abs(answer - wanted.detach().numpy()[rows]).max()))
    return largest


@contextlib.contextmanager
def _in_exported_form(network: Exported) -> Iterator[None]:
    """An exported graph cannot choose what to judge by the masks: it judges all slots."""
    if not isinstance(network, PlacementNetwork):
        yield
        return
    network.exported = True
    try:
        yield
    finally:
        network.exported = False


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The exporter reports its inner workings; only its exceptions matter here."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


@dataclass(frozen=True)
class Config:
    """What is exported."""

    network: Path = option(
        CHAMPION,
        "a .safetensors file of any network, or the folder of a clone",
        positional=True,
        shown="the champion",
    )
    out: Path = option(
        Path("runs/network.onnx"), "the ONNX file", metavar="FILE", old=("--output",), old_position=True
    )


def export(config: Config) -> None:
    """Export and say how well it agrees."""
    import onnx  # noqa: F401 - asked for before the work begins
    import onnxscript  # noqa: F401

    path = network_file(config.network)
    kind = describe(path).kind
    network: Exported = load_afterstate(path) if kind == KIND else load_policy(path)
    difference = export_network(network, config.out)
    print(f"{config.out}: a network of kind {kind}, equal to torch within {difference:.1e}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: export(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
