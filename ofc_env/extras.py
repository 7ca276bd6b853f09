"""Packages that only some of this needs: a missing one is named in one sentence with its install line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib.util import find_spec

# The top-level module of each optional package -> the extra of pyproject.toml that brings it.
EXTRAS = {
    **dict.fromkeys(("torch", "stable_baselines3", "sb3_contrib", "tensorboard"), "train"),
    **dict.fromkeys(("scipy", "matplotlib", "tqdm"), "train"),
    **dict.fromkeys(("fastapi", "starlette", "uvicorn", "websockets"), "server"),
    **dict.fromkeys(("onnx", "onnxscript", "onnxruntime"), "onnx"),
    "PIL": "render",
    "ray": "ray",
    "rlcard": "bench",
    **dict.fromkeys(("torchrl", "tensordict", "tianshou", "minari", "h5py"), "frameworks"),
    "pyspiel": "openspiel",
    "ziglang": "site",
}
NAMES = {"PIL": "Pillow", "pyspiel": "OpenSpiel"}  # of packages that are called otherwise than their modules


class MissingExtra(ImportError, ValueError):
    """An optional package is not installed; a ValueError too, so that whoever shows refusals shows this."""


def installed(package: str) -> bool:
    """Whether a package can be imported; found out without importing it."""
    return find_spec(package) is not None


def missing(package: str, what: str) -> MissingExtra:
    """The refusal: `what` (such as "the agent 'bc'") needs a package that is not installed."""
    name = NAMES.get(package, package)
    return MissingExtra(
        f"{what} needs {name}, which is not installed: pip install 'ofc-env[{EXTRAS[package]}]'"
    )


def needs(package: str, what: str) -> None:
    """Refuse to go on without a package of `EXTRAS`."""
    if not installed(package):
        raise missing(package, what)


@contextlib.contextmanager
def explained(what: str) -> Iterator[None]:
    """Imports inside the block that fail for want of an optional package are refused with its sentence."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise missing(package, what) from None
