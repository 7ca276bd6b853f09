"""The one weights file: safetensors with a description in its header, read and written by numpy alone.

    write_weights(path, "afterstate", config, tensors, notes={"command": "..."})
    weights = read_weights(path, "afterstate")

The header says what the numbers are: `format`, `kind` (one of `KINDS`), `config` (sizes, JSON), `rules` (that
it was trained by, the text of `ofc_env.Rules`) and `notes` (JSON: command, results). Nothing in a file is
executed. Whatever does not fit is refused by a ValueError of one sentence, before memory is taken for its
numbers. Files of the three earlier formats open too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ofc_env import Rules
from ofc_env.files import new_file

FORMAT = "ofc-weights-1"
KINDS = ("afterstate", "policy", "value", "placements")

Shapes = Mapping[str, tuple[int, ...]]
Tensors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Description:
    """What a weights file says about itself."""

    kind: str
    config: dict[str, Any]  # sizes
    rules: Rules  # that it was trained by
    notes: dict[str, Any]  # what else a reader should know
    shapes: dict[str, tuple[int, ...]]  # of every tensor


@dataclass(frozen=True)
class Weights(Description):
    """A whole file: its description and its numbers, all float32."""

    tensors: Tensors


def write_weights(
    path: Path | str,
    kind: str,
    config: Mapping[str, Any],
    tensors: Mapping[str, NDArray[np.float32]],
    *,
    rules: Rules = Rules(),
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write a file that appears when it is complete.

    Args:
        kind: one of `KINDS`.
        config: sizes, JSON-ready.
        tensors: the numbers by name, float32.
        rules: that the network was trained by.
        notes: what else a reader should know (command, date, results), JSON-ready.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind of network {kind!r}: use one of {', '.join(KINDS)}")
    for name, tensor in tensors.items():
        _verify_tensor(f"cannot write {path}", name, tensor.dtype.name, tensor.shape, tensor.shape)
    metadata = {
        "format": FORMAT,
        "kind": kind,
        "config": json.dumps(dict(config)),
        "rules": str(rules),
        "notes": json.dumps(dict(notes or {})),
    }
    with new_file(path) as partial:
        whole = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
        partial.write_bytes(save(whole, metadata))  # save_file hides what it writes from other users


def read_weights(
    path: Path | str,
    kind: str | None = None,
    shapes: Callable[[dict[str, Any]], Shapes] | None = None,
) -> Weights:
    """Read a file.

    Args:
        kind: refuse a file that holds another kind; None takes any.
        shapes: gives the shape of every tensor from the file's config, and raises for one that it cannot use;
            None takes the shapes as they are.
    """
    path = Path(path)
    with _Opened(path) as file:
        found = _described(path, file)
        if kind not in (None, found.kind):
            raise ValueError(f"{path} holds a {found.kind} network, and a {kind} network is needed")
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - not a dict
        actual = found.shapes
        expected = actual if shapes is None else _expected(path, shapes, found.config)
        if odd := sorted(actual.keys() ^ expected.keys()):
            raise ValueError(f"{path} does not fit its configuration: {odd[0]!r} is missing or too much")
        for name, part in parts.items():
            what = f"{path} does not fit its configuration"
            _verify_tensor(
                what, name, _DTYPES.get(part.get_dtype(), part.get_dtype()), actual[name], expected[name]
            )
        tensors = {name: file.get_tensor(name) for name in parts}
    for name, tensor in tensors.items():
        if not np.isfinite(tensor).all():
            raise ValueError(f"{path} is damaged: {name} holds numbers that are not finite")
    return Weights(found.kind, found.config, found.rules, found.notes, found.shapes, tensors)


def describe(path: Path | str) -> Description:
    """What a file says about itself, without reading its numbers."""
    path = Path(path)
    with _Opened(path) as file:
        return _described(path, file)


def verify_trained_for(trained: Rules, wanted: Rules | None, what: object) -> None:
    """Refuse to play by rules under which a hand is another game than the one that a network learned."""
    if wanted is not None and not trained.same_hand(wanted):
        raise ValueError(
            f"{what} was trained by the rules {trained.name!r} and cannot play by {wanted.name!r}: "
            "give a network that was, or train one (alphazero.py, ppo.py, behaviour_cloning.py --rules)"
        )


# ---------------------------------------------------------------- inside

_DTYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


class _Opened:
    """A safetensors file as a context; one that is missing or cut off is refused."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ValueError(f"there is no network at {path}: train one or give another file")
        try:
            self._file: Any = safe_open(path, framework="numpy")
        except (SafetensorError, OSError, ValueError) as error:
            raise ValueError(
                f"{path} is not a whole safetensors file ({error}): copy or train it again"
            ) from None

    def __enter__(self) -> Any:
        return self._file.__enter__()

    def __exit__(self, *error: object) -> None:
        self._file.__exit__(*error)


def _described(path: Path, file: Any) -> Description:
    """The description in the header of an open file, of this format or of an earlier one."""
    metadata: Mapping[str, str] = file.metadata() or {}
    shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - not a dict
    format_, kind = metadata.get("format"), metadata.get("kind")
    if format_ == FORMAT:
        notes = _json_object(path, metadata, "notes")
    elif format_ is None and kind == "ofc-afterstate-1":
        kind, notes = "afterstate", _json_object(path, metadata, "notes")
    elif format_ in ("ofc-network-1", "ofc-placements-1"):
        kind = "placements" if format_ == "ofc-placements-1" else kind
        notes = {key: text for key, text in metadata.items() if key not in ("format", "kind", "config")}
    else:
        raise ValueError(
            f"{path} does not hold a network of this version (its format is {format_ or kind!r}): "
            "train it again or give another file"
        )
    if kind not in KINDS:
        raise ValueError(
            f"{path} holds a network of an unknown kind {kind!r}: give one of {', '.join(KINDS)}"
        )
    try:
        rules = Rules.parse(metadata["rules"]) if format_ == FORMAT else Rules()
    except (KeyError, ValueError) as error:
        raise ValueError(f"{path} does not tell its rules ({error}): train it again") from None
    return Description(kind, _json_object(path, metadata, "config"), rules, notes, shapes)


def _json_object(path: Path, metadata: Mapping[str, str], field: str) -> dict[str, Any]:
    try:
        found = json.loads(metadata[field])
        if not isinstance(found, dict):
            raise ValueError(f"{found!r} is not an object")
    except (KeyError, ValueError, RecursionError) as error:
        what = "configuration" if field == "config" else field
        raise ValueError(f"the {what} of {path} cannot be read ({error}): train it again") from None
    return found


def _expected(
    path: Path, shapes: Callable[[dict[str, Any]], Shapes], config: dict[str, Any]
) -> Mapping[str, tuple[int, ...]]:
    try:
        return {name: tuple(shape) for name, shape in shapes(config).items()}
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, OverflowError) as error:
        sentence = str(error).partition("\n")[0]
        raise ValueError(f"the configuration of {path} cannot be read ({sentence}): train it again") from None


def _verify_tensor(
    what: str, name: str, dtype: str, shape: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    if dtype != "float32" or shape != expected:
        raise ValueError(f"{what}: {name} is {dtype} {shape} and should be float32 {expected}")
