"""Arrows point one way: core ← ofc_env ← agents ← wrappers ← {experiments, server}; none points upward.

Inside core: game ← solvers ← env ← players ← search ← network ← review ← drills; positions and openings need
the game alone; the bindings include everything.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "ofc_env": set(),
    "agents": {"ofc_env"},
    "wrappers": {"ofc_env", "agents"},
    "experiments": {"ofc_env", "agents", "wrappers"},
    "server": {"ofc_env", "agents", "wrappers"},
}
_GAME = {"game", "solvers", "env", "players", "search", "network", "json", "review"}
_TRAINING = {"positions", "openings", "drills"}
MAY_INCLUDE = {
    "game": set(),
    "json": set(),
    "solvers": {"game"},
    "env": {"game", "solvers"},
    "players": {"game", "solvers", "env"},
    "search": {"game", "solvers", "players"},
    "network": {"game", "solvers", "players", "search"},
    "review": _GAME - {"review"},
    "positions": {"game", "json"},
    "openings": {"game"},
    "drills": _GAME,
    "bindings": _GAME | _TRAINING,
    "wasm": _GAME | _TRAINING,
}


def imported_packages(path: Path) -> set[str]:
    """The top-level packages that a file imports anywhere in it."""
    packages: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            packages.add(node.module.partition(".")[0])
    return packages


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nothing_imports_upward(package):
    own = set(MAY_IMPORT)
    for path in sorted((ROOT / package).rglob("*.py")):
        upward = imported_packages(path) & own - MAY_IMPORT[package] - {package}
        assert not upward, f"{path.relative_to(ROOT)} imports {', '.join(sorted(upward))}"
        assert "tests" not in imported_packages(path), f"{path.relative_to(ROOT)} imports the tests"


def upward_includes(folder: str, text: str) -> set[str]:
    """The files of the core that a source text of that folder includes and may not."""
    own_files = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.MULTILINE)
    return {name for name in own_files if name.partition("/")[0] not in MAY_INCLUDE[folder] | {folder}}


def test_no_include_points_upward():
    core = ROOT / "core"
    paths = sorted(core.rglob("*.[ch]pp"))
    assert {path.relative_to(core).parts[0] for path in paths} == set(MAY_INCLUDE)
    for path in paths:
        upward = upward_includes(path.relative_to(core).parts[0], path.read_text())
        assert not upward, f"{path.relative_to(ROOT)} includes {', '.join(sorted(upward))}"


def test_an_upward_include_is_seen():
    text = '#include <array>\n\n#include "game/hand.hpp"\n#  include "solvers/last_turn.hpp"\n'
    assert upward_includes("game", text) == {"solvers/last_turn.hpp"}
    assert upward_includes("players", text) == set()
    assert upward_includes("search", '#include "network/network.hpp"') == {"network/network.hpp"}
    assert upward_includes("network", '#include "bindings/bindings.hpp"') == {"bindings/bindings.hpp"}
    assert upward_includes("game", '#include "../solvers/setting.hpp"') == {"../solvers/setting.hpp"}


# What a part of the server may know, lowest first; `settings` and the parts below it.
SERVER_LAYERS = ("settings", "protocol", "thinking", "play", "web", "site", "__main__")


def test_the_layers_of_the_server_point_one_way():
    server = ROOT / "server"
    parts = [path for path in server.iterdir() if path.name[:2] != "__" and path.suffix in ("", ".py")]
    found = {path.stem for path in parts}
    assert found | {"__main__"} == set(SERVER_LAYERS)
    for path in sorted(server.rglob("*.py")):
        layer = path.relative_to(server).parts[0].removesuffix(".py")
        if layer == "__init__":
            continue
        imported = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
        ]
        for module in filter(None, (node.module for node in imported)):
            if module.startswith("server."):
                below = SERVER_LAYERS.index(module.split(".")[1]) <= SERVER_LAYERS.index(layer)
                assert below, f"{path.relative_to(ROOT)} imports {module}, which is above it"


def test_the_core_knows_no_python():
    for path in sorted((ROOT / "core").rglob("*.[ch]pp")):
        if "bindings" in path.parts:
            continue
        text = path.read_text()
        for word in ("Python.h", "nanobind", "pybind11"):
            assert word not in text, f"{path.name} mentions {word}"


def loaded_after(statement: str) -> set[str]:
    """The top-level modules of a fresh process that has run the statement."""
    script = f"{statement}\nimport sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.splitlines()[-1].split())


def test_import_is_light():
    loaded = loaded_after("import ofc_env")
    assert not loaded & {"torch", "PIL", "stable_baselines3", "matplotlib", "agents", "wrappers", "pygame"}


PLAY_THE_CHAMPION = """
import agents, experiments.analyze, ofc_env
from agents.arena import MatchSettings, play_match
from agents.positions.ranking import rank, ranking_table
champion, hand = agents.make('alphazero:sims=0'), ofc_env.Hand(seed=1)
observation = {'observation': hand.observation(0), 'action_mask': hand.action_mask()}
hand.step(champion.act(observation))
ranking_table(rank(agents.make('alphazero:sims=8'), observation))
play_match('alphazero:sims=0', 'heuristic', 2, MatchSettings(progress=False))
experiments.analyze.main(['--hand', 'Ah Kd 2c 2d 9s', '--agent', 'alphazero:sims=8'])
"""


def test_the_champion_plays_ranks_and_analyses_without_torch():
    loaded = loaded_after(PLAY_THE_CHAMPION)
    assert not loaded & {"torch", "scipy", "matplotlib", "tqdm", "gymnasium", "pettingzoo"}


def test_the_champion_is_ready_at_once():
    """Under 60 MB with its first move made; a fresh process takes 0.3 seconds where nothing else runs."""
    script = (
        "import time; start = time.process_time()\n"
        "import agents, ofc_env\n"
        "champion, hand = agents.make('alphazero:sims=0'), ofc_env.Hand(seed=1)\n"
        "champion.act({'observation': hand.observation(0), 'action_mask': hand.action_mask()})\n"
        "seconds = time.process_time() - start\n"
        # The peak of this program alone: getrusage would count the process that it was forked from.
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(seconds, peak.split()[1])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    seconds, kilobytes = map(float, run.stdout.split())
    assert kilobytes < 60 * 1024
    assert seconds < 1.5


def test_agents_and_wrappers_start_without_torch():
    loaded = loaded_after("import agents, wrappers, ofc_env.symmetry; agents.make('random')")
    assert not loaded & {"torch", "PIL", "stable_baselines3"}
