"""The compiled core of an installed copy, for sources that have none beside them.

After `pip install .`, Python started in the folder of the sources imports `ofc_env` from there, and only the
installed copy has the compiled core. `extended_path` lets the sources use that one, if it is theirs.
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from importlib.metadata import distributions
from pathlib import Path
from pkgutil import extend_path


def extended_path(sources: list[str], version: str) -> list[str]:
    """The folders of the package `ofc_env`: those of its sources, and the one of the installed core.

    Args:
        sources: the package's `__path__`.
        version: the sources' own.
    """
    folders = extend_path(sources, "ofc_env")
    here = Path(sources[0])
    core = PathFinder.find_spec("ofc_env._core", folders)
    if core is None or core.origin is None:
        raise ImportError(f"ofc_env in {here} has no compiled core: run pip install . in {here.parent}")
    installed = Path(core.origin).parent
    versions = [each.version for each in distributions(name="ofc-env", path=[str(installed.parent)])]
    # The stubs are written from the core: where they differ, the core that these sources call is another.
    if versions != [version] or _stubs(here) != _stubs(installed):
        raise ImportError(
            f"ofc_env in {here} and the compiled core in {installed} are of different versions: "
            f"run pip install . in {here.parent}, or start Python elsewhere"
        )
    return folders


def _stubs(folder: Path) -> bytes:
    stubs = folder / "_core.pyi"
    return stubs.read_bytes() if stubs.is_file() else b""
