"""Packages that a script may lack: one sentence that says how to get them.

A script that cannot do without some imports them inside `with needed_by(__name__):`, before its other
imports. Whoever runs it without them reads the sentence, and the script's page if that is what was asked for;
whoever imports it gets it as an ImportError.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ofc_env.extras import EXTRAS, MissingExtra, missing


def script_name() -> str:
    """The script that runs, as it is called in the sentences that it writes."""
    path = Path(sys.argv[0])
    return path.parent.name if path.name == "__main__.py" else path.name


def missing_package(error: ImportError) -> str:
    """What is missing, in a sentence with the line that installs it."""
    package = (error.name or "").partition(".")[0]
    if isinstance(error, MissingExtra) or package not in EXTRAS:
        return " ".join(str(error).split())
    return str(missing(package, "this"))


@contextmanager
def needed_by(module: str) -> Iterator[None]:
    """Around imports that not everybody has; `module` is the importing module's own `__name__`."""
    try:
        yield
    except ImportError as error:
        if module != "__main__":
            raise ImportError(missing_package(error), name=error.name) from error
        help_is_wanted = not {"-h", "--help"}.isdisjoint(sys.argv)
        if help_is_wanted:
            print(f"{sys.modules['__main__'].__doc__}\nThe options are listed here once it can run:")
        print(f"{script_name()}: {missing_package(error)}", file=sys.stdout if help_is_wanted else sys.stderr)
        sys.exit(0 if help_is_wanted else 2)
