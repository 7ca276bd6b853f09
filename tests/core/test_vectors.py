"""Networks are summed up with the vectors that the processor has: every kind says the same within 0.001.

OFC_VECTORS is read once, when the core is imported, so each kind answers in a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from ofc_env import _core
from tests.self_play import decisions

SIZES = [(64, 1, 1), (192, 17, 1), (320, 33, _core.NETWORK_STAGES), (1024, 64, 1)]  # hidden, second, sets
NEAR = 0.001
CORE = Path(__file__).parents[2] / "core"


def in_process(code: str, vectors: str | None, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "OFC_VECTORS"}
    if vectors is not None:
        environment["OFC_VECTORS"] = vectors
    words = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(words, env=environment, capture_output=True, text=True)


def answers_of(code: str, vectors: str, *arguments: object) -> list[str]:
    """The lines that it prints, the first of which says what it was summed up with."""
    ran = in_process("from ofc_env import _core\nprint(_core.vector_path())\n" + code, vectors, *arguments)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0] == vectors
    return lines[1:]


# ---------------------------------------------------------------- the choice


def test_the_widest_is_used_unless_another_is_named() -> None:
    paths = _core.vector_paths()
    assert len(set(paths)) == len(paths) > 0
    for vectors in (None, "", *paths):
        ran = in_process("from ofc_env import _core; print(_core.vector_path())", vectors)
        assert ran.stdout.strip() == (vectors or paths[0]), ran.stderr


@pytest.mark.parametrize("name", ["mmx", "AVX2", "avx2,sse", "日本"])
def test_another_name_is_refused_at_the_import(name: str) -> None:
    last_line = in_process("import ofc_env", name).stderr.strip().splitlines()[-1]
    assert last_line == (
        f"ImportError: OFC_VECTORS={name} is not possible here: leave it out, or use one of "
        + ", ".join(_core.vector_paths())
    )


@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nm")), reason="no g++ here")
def test_kernels_bring_no_function_that_others_might_share(tmp_path: Path) -> None:
    """One copy of an inline function serves the whole core: it must not be one with wide vectors."""
    source, made = CORE / "network" / "kernels.cpp", tmp_path / "kernels.o"
    words = f"g++ -std=c++20 -O0 -DOFC_KERNELS=some_kernels -I {CORE} -c {source} -o {made}"
    subprocess.run(words.split(), check=True)
    symbols = subprocess.run(["nm", "-C", made], check=True, capture_output=True, text=True).stdout
    shared = [line.split(maxsplit=1)[1] for line in symbols.splitlines() if line[17] in "TDBRWVu"]
    assert shared == ["D ofc::some_kernels"]


# ---------------------------------------------------------------- the same values

EVALUATE = """
import sys
import numpy as np
with np.load(sys.argv[1]) as stored:
    states = stored["states"]
    networks = [_core.Network(*(stored[f"{number} {part}"] for part in range(6)))
                for number in range(int(stored["networks"]))]
np.save(sys.argv[2], np.stack([network.evaluate(states) for network in networks]))
"""


def networks() -> list[list[Any]]:
    """Weights of sizes that are summed up in different ways, and some whose sums pass what 16 bits hold."""
    generator = np.random.default_rng(5)

    def numbers(scale: float, *shape: int) -> NDArray[np.float32]:
        return generator.normal(0, scale, shape).astype(np.float32)

    features, heads = _core.NETWORK_FEATURES, _core.NETWORK_HEADS
    found = []
    for hidden, second, sets in SIZES:
        layers = [(hidden, features, 0.1), (sets * second, hidden, 0.1), (sets * heads, second, 0.5)]
        found.append([part for n, m, scale in layers for part in (numbers(scale, n, m), numbers(scale, n))])
    full = [np.ones_like(part) for part in found[0]]
    full[2] /= 100
    return [*found, full]


def some_states() -> NDArray[np.uint64]:
    """Positions of all turns, also against fantasyland, packed."""
    seen = [
        decision.history[-1] for width in (0, 0, 14, 17) for decision in decisions(8, "random", width, width)
    ]
    return _core.pack_observations(np.stack(seen))


@pytest.mark.parametrize("path", _core.vector_paths())
def test_every_size_has_the_same_values(path: str, tmp_path: Path) -> None:
    states, given = some_states(), networks()
    arrays: dict[str, Any] = {
        f"{number} {part}": weights
        for number, network in enumerate(given)
        for part, weights in enumerate(network)
    }
    np.savez(tmp_path / "given.npz", states=states, networks=len(given), **arrays)
    answers_of(EVALUATE, path, tmp_path / "given.npz", tmp_path / "found.npy")
    wanted = np.stack([_core.Network(*network).evaluate(states) for network in given])
    found = np.load(tmp_path / "found.npy")
    assert found == pytest.approx(wanted, abs=NEAR)
    assert wanted[:-1].std(axis=1).min() > 0  # every head of every network says something
    if path == _core.vector_path():
        assert (found == wanted).all()


SEARCH = """
import json, sys
from pathlib import Path
from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from ofc_env import InformationSet
search = _core.NetworkSearch(load_native(CHAMPION), sims=int(sys.argv[2]))
for line in Path(sys.argv[1]).read_text().splitlines():
    found = search.search(InformationSet.parse(line), 1)
    print(json.dumps([(str(each.placement), each.mean) for each in found]))
"""


def choices_differ(sims: int, path: str, positions: int, folder: Path) -> tuple[int, float]:
    """How many choices of the champion cost more than 0.001, and how far values lie apart."""
    lines = [str(decision.information) for decision in decisions(positions // 8, seed=9)][:positions]
    assert len(lines) == positions
    (folder / "positions").write_text("\n".join(lines))
    search = _core.NetworkSearch(load_native(CHAMPION), sims=sims)
    others, apart = 0, 0.0
    for line, answer in zip(lines, answers_of(SEARCH, path, folder / "positions", sims), strict=True):
        wanted = {
            str(each.placement): each.mean for each in search.search(_core.InformationSet.parse(line), 1)
        }
        found = dict(json.loads(answer))
        best, other = next(iter(wanted)), next(iter(found))  # what is played
        assert wanted.keys() == found.keys()
        apart = max(apart, *(abs(wanted[each] - found[each]) for each in wanted))
        others += abs(wanted[best] - wanted[other]) > NEAR
    return others, apart


@pytest.mark.parametrize("path", _core.vector_paths())
def test_a_thousand_positions_are_judged_alike(path: str, tmp_path: Path) -> None:
    others, apart = choices_differ(0, path, 1000, tmp_path)
    assert others == 0
    assert apart < NEAR


@pytest.mark.prove
@pytest.mark.parametrize("path", _core.vector_paths())
def test_a_thousand_positions_are_searched_alike(path: str, tmp_path: Path) -> None:
    others, _ = choices_differ(50, path, 1000, tmp_path)
    assert others == 0
