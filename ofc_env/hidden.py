"""Packages of this project that a folder of the same name hides.

`agents`, `wrappers`, `experiments` and `server` are installed side by side under these plain names. Python
looks in the folder of the script, or with `-m` in the current one, first: a package `agents` there is
imported instead, and what fails then is some import deep inside. `verify_neighbours` says what hides what.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def verify_neighbours(package: str, *names: str) -> None:
    """Refuse to go on where another folder hides a package that this one needs.

    Args:
        package: `__file__` of the package that asks, installed beside the others.
        names: the packages that it imports.
    """
    root = Path(package).parent.parent
    for name in names:
        spec = find_spec(name)
        found = Path(spec.origin).parent if spec and spec.origin else None
        if found and found.parent.resolve() != root.resolve():
            raise ImportError(
                f"{found} hides the package {name!r} of ofc-env, which is in {root}: "
                f"rename that folder, or start Python elsewhere"
            )
