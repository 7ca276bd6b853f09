"""Arrows point one way: core ← ofc_env ← agents ← wrappers ← {experiments, server}; none points upward."""

import ast
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


# What a part of the server may know, lowest first; `settings` and the parts below it.
SERVER_LAYERS = ("settings", "protocol", "thinking", "play", "web", "__main__")


def test_the_layers_of_the_server_point_one_way():
    server = ROOT / "server"
    found = {path.stem if path.is_file() else path.name for path in server.iterdir() if path.name[:2] != "__"}
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
    script = f"{statement}; import sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


def test_import_is_light():
    loaded = loaded_after("import ofc_env")
    assert not loaded & {"torch", "PIL", "stable_baselines3", "matplotlib", "agents", "wrappers", "pygame"}


def test_agents_and_wrappers_start_without_torch():
    loaded = loaded_after("import agents, wrappers, ofc_env.symmetry; agents.make('random')")
    assert not loaded & {"torch", "PIL", "stable_baselines3"}
