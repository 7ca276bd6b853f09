"""Export a trained network to ONNX and check that it answers the same there.

    python experiments/export_onnx.py runs/bc/policy.safetensors --out runs/bc/policy.onnx

A policy has the inputs `observation` (N, 490) float32 and `action_mask` (N, 150) int8, and the output
`probabilities` (N, 150). A value network has the input `observation` and an output for each of its four
heads.
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

import numpy as np
from numpy.typing import NDArray

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch
    from torch import Tensor, nn

from agents.networks.files import describe
from agents.networks.observation import PolicyNetwork, ValueNetwork, Values, load_network
from agents.players.bc import WEIGHTS
from experiments.common.command_line import run
from experiments.common.options import option, read
from ofc_env import BatchEnv
from ofc_env.files import new_file

OPSET = 18
LARGEST_DIFFERENCE = 1e-4


class _Probabilities(nn.Module):
    """A policy network with its softmax."""

    def __init__(self, policy: PolicyNetwork) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        return self.policy.probabilities(observation, action_mask)


class _Heads(nn.Module):
    """A value network with its heads as a plain tuple."""

    def __init__(self, value: ValueNetwork) -> None:
        super().__init__()
        self.value = value

    def forward(self, observation: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.value(observation))


def positions(count: int, seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Observations (count, 490) and masks (count, 150) from all turns of random play."""
    batch, rng = BatchEnv(count, seed=seed), np.random.default_rng(seed)
    for step in range(8):
        # Every environment stops after its own number of steps, so that all turns are there.
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
        batch.step(np.where(np.arange(count) % 8 > step, actions, -1))
    return batch.observations.copy(), batch.action_masks.copy()


def export_network(network: PolicyNetwork | ValueNetwork, path: Path) -> float:
    """Write the network as ONNX, once it is shown to answer the same.

    Returns:
        The largest difference of any output over 256 positions.
    """
    observations, masks = positions(256)
    policy = isinstance(network, PolicyNetwork)
    module: nn.Module = _Probabilities(network) if isinstance(network, PolicyNetwork) else _Heads(network)
    module.eval()
    inputs = (torch.from_numpy(observations), torch.from_numpy(masks))[: 2 if policy else 1]
    names = ["observation", "action_mask"][: len(inputs)]
    outputs = ["probabilities"] if policy else list(Values._fields)
    expected = module(*inputs)
    with new_file(path) as partial:
        with _judging_every_slot(network), _quiet():
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
        difference = _difference(
            partial, names, (observations, masks), expected if not policy else (expected,)
        )
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
def _judging_every_slot(network: PolicyNetwork | ValueNetwork) -> Iterator[None]:
    """An exported graph cannot choose what to judge by the masks: it judges all slots."""
    slots = getattr(network, "slots", None)
    if slots is not None:
        slots.every_slot = True
    try:
        yield
    finally:
        if slots is not None:
            slots.every_slot = False


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
        WEIGHTS / "policy.safetensors",
        "a .safetensors file of a policy or value network, as experiments/behaviour_cloning.py writes them",
        positional=True,
        shown="the shipped policy of bc",
    )
    out: Path = option(
        Path("runs/policy.onnx"), "the ONNX file", metavar="FILE", old=("--output",), old_position=True
    )


def export(config: Config) -> None:
    """Export and say how well it agrees."""
    import onnx  # noqa: F401 - asked for before the work begins
    import onnxscript  # noqa: F401

    kind = describe(config.network).kind
    network: PolicyNetwork | ValueNetwork = (
        load_network(config.network, ValueNetwork)
        if kind == ValueNetwork.kind
        else load_network(config.network, PolicyNetwork)
    )
    difference = export_network(network, config.out)
    print(f"{config.out}: a {network.kind} network, equal to torch within {difference:.1e}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: export(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
