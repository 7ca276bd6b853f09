"""Export a trained network to ONNX and check that it answers the same there.

    python experiments/export_onnx.py runs/bc/policy.safetensors --out runs/bc/policy.onnx

A policy has the inputs `observation` (N, 490) float32 and `action_mask` (N, 150) int8, and the output
`probabilities` (N, 150). A value network has the input `observation` and an output for each head that cloning
trains: `royalty_ev`, `bust_prob`, `fl_prob`. A network of experiments/alphazero.py, such as the champion, has
the input `features` (N, 1663) float32, which `ofc_env._core.network_features` makes of packed states, and the
output `heads` (N, 5): value, foul and fantasyland as logits, royalties, preference.
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
from agents.networks.observation import PolicyNetwork, ValueNetwork, Values, load_network
from agents.players.bc import WEIGHTS
from experiments.common.command_line import run
from experiments.common.options import option, read
from ofc_env import BatchEnv, Rules, _core
from ofc_env.afterstates import afterstates
from ofc_env.files import new_file
from ofc_env.layout import TURN

OPSET = 18
OPENING_STEP = 0.125  # what stands at TURN between the two steps of an opening
LARGEST_DIFFERENCE = 1e-4
# Logs know how a board ended, not what the hand was worth: cloning leaves the fourth head as it was made.
TRAINED_HEADS = Values._fields[:3]

Exported = PolicyNetwork | ValueNetwork | AfterstateNetwork


class _Probabilities(nn.Module):
    """A policy network with its softmax."""

    def __init__(self, policy: PolicyNetwork) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        return self.policy.probabilities(observation, action_mask)


class _Heads(nn.Module):
    """The heads of a value network that are trained, as a plain tuple."""

    def __init__(self, value: ValueNetwork) -> None:
        super().__init__()
        self.value = value

    def forward(self, observation: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.value(observation))[: len(TRAINED_HEADS)]


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
        arrays = {"observation": observations}
        if isinstance(network, PolicyNetwork):
            module, outputs = _Probabilities(network), ["probabilities"]
            arrays["action_mask"] = masks
        else:
            module, outputs = _Heads(network), list(TRAINED_HEADS)
    module.eval()
    inputs, names = tuple(torch.from_numpy(array) for array in arrays.values()), list(arrays)
    expected = module(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
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
def _judging_every_slot(network: Exported) -> Iterator[None]:
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
    network: Exported
    if kind == "afterstate":
        network = load_afterstate(config.network)
    elif kind == ValueNetwork.kind:
        network = load_network(config.network, ValueNetwork)
    elif kind == PolicyNetwork.kind:
        network = load_network(config.network, PolicyNetwork)
    else:
        raise ValueError(
            f"{config.network} holds a {kind} network, which is not exported: "
            "give a policy, a value or an afterstate network"
        )
    difference = export_network(network, config.out)
    print(f"{config.out}: a network of kind {kind}, equal to torch within {difference:.1e}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: export(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
