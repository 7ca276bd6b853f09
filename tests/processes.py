"""Processes that a test has started, looked at through /proc."""

from __future__ import annotations

import contextlib
from pathlib import Path


def children(process: int) -> set[int]:
    """The processes that one has started, those of threads included."""
    found: set[int] = set()
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended meanwhile
            found |= {int(word) for word in file.read_text().split()}
    return found
