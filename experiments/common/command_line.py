"""What scripts share: errors as one sentence, files that are whole or absent, and a note of the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ofc_env
from agents.arena.workers import WorkerError
from ofc_env.files import write_whole


def run(work: Callable[[], None], when_stopped: str = "stopped") -> int:
    """Do the work of a script; its exit code.

    A refusal becomes one sentence on standard error and code 2; Ctrl-C one and 130.
    """
    try:
        work()
    except BrokenPipeError:  # whoever read the output has gone
        return 0
    except (ValueError, OSError, WorkerError) as refusal:
        print(f"{Path(sys.argv[0]).name}: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\n{when_stopped}", file=sys.stderr)
        return 130
    return 0


def script_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser whose help begins with the script's own page."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_match_options(parser: argparse.ArgumentParser, default: Any) -> None:
    """The options of every script that plays matches; `default` is its configuration."""
    parser.add_argument(
        "--deals",
        type=int,
        default=default.deals,
        help="decks a match, each played twice with the agents swapped (default %(default)s)",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=default.processes,
        help="processes at work; the result does not depend on it (default %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=default.seed, help="fixes every deal (default %(default)s)"
    )
    parser.add_argument("--out", default=default.out, help="folder of the results (default %(default)s)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with an interrupted run, or play more deals of it"
    )
    add_rules_option(parser)


def add_rules_option(parser: argparse._ActionsContainer) -> None:
    """The rules to play by, as text; `ofc_env.Rules.parse` reads it."""
    parser.add_argument(
        "--rules",
        default="",
        metavar="TEXT",
        help='what differs from the standard rules, such as "scoop=2 chips=500" (default: nothing)',
    )


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
