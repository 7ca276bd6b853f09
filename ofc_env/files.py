"""Files and folders that are whole or absent: written beside their name, put on the disk, then renamed.

write_whole(path, text)                 # a file in one go
with new_file(path) as partial: ...     # a file that something else writes, by its name
with new_folder(path) as partial: ...   # several files that belong together
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part; text as UTF-8."""
    with new_file(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def new_file(path: Path | str) -> Iterator[Path]:
    """A file to write that takes its name only when it is complete; on an exception it is removed.

    Folders above it are made. When the block is left, the file is on the disk under its name.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The ending stays, because it may choose the format.
    partial = path.with_name(f".partial-{os.getpid()}-{path.name}")
    try:
        yield partial
        _to_disk(partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _to_disk(path.parent)


@contextlib.contextmanager
def new_folder(path: Path | str, overwrite: bool = False) -> Iterator[Path]:
    """A folder to fill that takes its name only when it is complete; on an exception it is removed.

    Args:
        path: the final name; folders above it are made.
        overwrite: whether a folder that is there already may be replaced.
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already: choose another name or say --overwrite")
    path.parent.mkdir(parents=True, exist_ok=True)
    partial, old = path.with_name(f".{path.name}.partial"), path.with_name(f".{path.name}.old")
    for left_over in (partial, old):
        shutil.rmtree(left_over, ignore_errors=True)
    partial.mkdir()
    try:
        yield partial
        for each in (*partial.rglob("*"), partial):
            _to_disk(each)
        if path.exists():
            path.rename(old)
        partial.rename(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _to_disk(path.parent)
    shutil.rmtree(old, ignore_errors=True)


def _to_disk(path: Path) -> None:
    """Wait until a file or folder is on the disk itself."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
