"""Ctrl-C ends long native work."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LONG = {
    "playouts": "ofc_env.random_playouts(10**12)",
    "pimc": "_core.Pimc(rollouts=10**8).search(info)",
    "ismcts": "_core.Ismcts(simulations=10**8).search(info)",
    "halving": "_core.NetworkSearch(network, sims=10**8).search(info)",
    "tree": "_core.NetworkSearch(network, sims=10**8, root='tree').search(info)",
    "tree on threads": "_core.NetworkSearch(network, sims=10**8, root='tree', threads=2).search(info)",
    "halving on threads": "_core.NetworkSearch(network, sims=10**8, threads=2).search(info)",
    "self_play by a tree": "_core.self_play(network, 10**9, 1, root='tree')",
    "play_out": "_core.Heuristic().play_out(hand, 10**12)",
    "referee": "_core.Referee(network, worlds=10**6, block=10**6).judge(info)",
    "placements compared": "_core.NetworkSearch(network).compare(info, info.placements()[:1], 2 * 10**6)",
    "placements played on": "_core.Referee(network).play(info, info.placements()[:1], 2 * 10**6)",
    "self_play": "_core.self_play(network, 10**9, 1)",
    "self_play by rollouts": "_core.self_play(None, 10**9, 1, by_rollouts=True)",
    "brute force": "[_core.brute_force_fantasyland(range(17)) for _ in range(1000)]",
}
SCRIPT = """
import ofc_env
from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from ofc_env import _core
network = load_native(CHAMPION)
hand = ofc_env.Hand(seed=3)
info = hand.information(0)
print("ready", flush=True)
{}
"""


@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_is_heard(name: str) -> None:
    command = [sys.executable, "-c", SCRIPT.format(LONG[name])]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=600)
        finally:
            child.kill()
    assert "KeyboardInterrupt" in errors
