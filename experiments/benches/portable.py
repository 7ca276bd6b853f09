"""The row of `make bench` that compares the installed core, which starts anywhere, with one for this machine.

The second one is built beside it the first time, which takes some minutes. Each plays in a process of its
own; they take turns, and processor time counts, so that other work on the machine hardly matters.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from experiments.benches.table import Bench, SkippedError, row
from ofc_env import _core

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "native"
TURNS = 9

# Takes the core of a given file, then answers every line with the processor time of so many hands.
PLAYER = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("ofc_env._core", sys.argv[1])
core = importlib.util.module_from_spec(spec)
sys.modules["ofc_env._core"] = core
spec.loader.exec_module(core)
from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
network = load_native(CHAMPION)
for line in sys.stdin:
    start = time.process_time()
    core.self_play(network, int(line), 1, simulations=200, candidates=8, opening_width=48)
    print(time.process_time() - start, flush=True)
"""


def native_core() -> Path:
    """The core built with every instruction of this machine, from the sources beside this file."""
    if not (ROOT / "core" / "CMakeLists.txt").is_file():
        raise SkippedError("the sources of the core are not here")
    words = [sys.executable, "-m", "pip", "-qq", "wheel", ".", "--no-deps", "--no-build-isolation"]
    options = ["-C", f"build-dir={BUILD}", "-C", "cmake.define.OFC_NATIVE_ARCH=ON", "-w", str(BUILD)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # cmake and ninja
    built = subprocess.run(
        words + options, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    if built.returncode:
        raise SkippedError("the core for this machine cannot be built: run make venv")
    (core,) = BUILD.glob("_core.*")
    return core


@row("portable", "self-play: speed of a core that starts anywhere v one built for this machine", 95, "%")
def bench_portable(bench: Bench) -> float:
    """Processor time of the same hands at 200 simulations a decision, in turn."""
    if len(_core.vector_paths()) == 1:
        raise SkippedError("the installed core has one kind of vectors: it was built for this machine")
    cores = [Path(_core.__file__), native_core()]
    players = [
        subprocess.Popen(
            [sys.executable, "-c", PLAYER, str(core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for core in cores
    ]

    def spent(player: subprocess.Popen[str], hands: int) -> float:
        if player.stdin is None or player.stdout is None:
            raise RuntimeError("a player has no pipes")
        print(hands, file=player.stdin, flush=True)
        return float(player.stdout.readline())

    try:
        first = [spent(player, 10) for player in players]
        hands = max(5, round(10 * bench.seconds / TURNS / max(first)))
        times = np.array([[spent(player, hands) for player in players] for _ in range(TURNS)])
    finally:
        for player in players:
            player.communicate()
    bench.record_spread((times[:, 1] / times[:, 0]).tolist())
    bench.note = f"{_core.vector_path()}; processor time, {TURNS} turns of {hands} hands each"
    return float(100 * np.median(times[:, 1] / times[:, 0]))
