"""What scripts share: errors as one sentence, files that are whole or absent, and a note of the machine."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import ofc_env
from agents.arena.workers import WorkerError
from experiments.common.options import OUT
from experiments.common.packages import missing_package, script_name
from ofc_env.files import write_whole


def run(work: Callable[[], None], when_stopped: str = "stopped") -> int:
    """Do the work of a script; its exit code.

    A refusal or a missing package becomes one sentence on standard error and code 2; Ctrl-C one and 130.
    """
    _import_from_here()
    try:
        work()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has gone; Python writes the rest of it when it ends
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, WorkerError) as refusal:
        print(f"{script_name()}: {refusal}", file=sys.stderr)
        return 2
    except sqlite3.Error as refusal:  # somebody else holds the file, or the disk is full
        print(f"{script_name()}: the log database cannot be used: {refusal}", file=sys.stderr)
        return 2
    except ImportError as missing:
        print(f"{script_name()}: {missing_package(missing)}", file=sys.stderr)
        return 2
    except BrokenExecutor:
        print(f"{script_name()}: a process was killed before its work was done", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"\n{stop if stop.args else when_stopped}", file=sys.stderr)
        return 130
    return 0


def _import_from_here() -> None:
    """Let agents come from modules of the current folder, as `python -m` does, not of the script's own."""
    if sys.path and Path(sys.path[0] or ".").resolve() == Path(__file__).resolve().parent.parent:
        sys.path[0] = os.getcwd()


def run_folder(name: str, runs: Path) -> Path:
    """The folder of a run, by its name in `runs` or by its path."""
    for folder in (Path(name), runs / name):
        if folder.is_dir():
            return folder
    raise ValueError(f"there is no run {name}, here or in {runs}: give the name of a folder of {runs}")


def folder_of(out: str | Path, resume: str) -> Path:
    """The folder that a script writes to: of the run it goes on with, or a new one."""
    return run_folder(resume, Path("runs")) if resume not in ("", OUT) else Path(out)


def picture(draw: Callable[[], None], path: Path) -> str:
    """Draw a picture; where it is, or how to get one."""
    try:
        draw()
    except ImportError as missing:
        return f"no picture ({missing_package(missing)})"
    return str(path)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a report, with the machine it was made on, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({**content, "machine": machine()}, indent=2, allow_nan=False) + "\n")


def machine() -> dict[str, Any]:
    """When and where a figure was measured, as far as it matters for comparing figures."""
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "version": ofc_env.__version__,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def duration(seconds: float) -> str:
    """Such as "45 s" or "2 min 05 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
