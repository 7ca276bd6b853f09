"""The recipes of docs/recipes.md, followed literally: code and edits are taken from the page."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.base import InformedAgent
from agents.positions.ranking import rank
from ofc_env import Hand, InformationSet, Rules, ofc_pineapple_v0
from tests.self_play import decisions

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """The text under a heading of the page."""
    return re.split(r"^## ", PAGE.partition(f"## {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def blocks(heading: str, language: str) -> list[str]:
    """The fenced blocks of a section."""
    found = re.findall(rf"^```{language}\n(.*?)^```", section(heading), flags=re.DOTALL | re.MULTILINE)
    assert found
    return found


# ---------------------------------------------------------------- an agent


def test_an_agent_is_one_file_and_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "_BUILDERS", dict(agents._BUILDERS))
    monkeypatch.syspath_prepend(str(tmp_path))
    file, *snippets = blocks("An agent of one's own", "python")
    assert file.startswith("# cautious.py\n")
    (tmp_path / "cautious.py").write_text(file, encoding="utf-8")
    importlib.invalidate_caches()
    names: dict[str, Any] = {}
    try:
        for snippet in snippets:
            exec(compile(snippet, "docs/recipes.md", "exec"), names)
        assert "cautious" in agents.names()
        assert names["agent"].most == 2
        assert isinstance(names["agent"], InformedAgent)
        assert names["result"].equity.low > 0  # against random play
        with pytest.raises(ValueError, match="'cautious' has no option 'least': its options are most"):
            agents.make("cautious:least=3")
        careful = agents.make("cautious:most=0")
        for position in decisions(3, careful):
            slot = careful.act(position.observation)
            assert slot in position.hand.legal_actions()
            assert rank(careful, position.information)[0].actions[0] == slot
            if position.hand.turn < 3:
                assert position.information.top == []
    finally:
        sys.modules.pop("cautious", None)


def test_the_table_of_agents_has_the_form_that_the_recipe_gives() -> None:
    line = re.search(r'`("cautious": "agents\.players\.cautious:CautiousAgent")`', PAGE)
    assert line
    text = (ROOT / "agents" / "__init__.py").read_text(encoding="utf-8")
    for name, builder in agents._BUILDERS.items():
        assert isinstance(builder, str)
        assert re.fullmatch(r"agents\.players\.\w+:\w+", builder), name
        assert f'"{name}": "{builder}"' in text


# ---------------------------------------------------------------- a rule


def apply_edit(root: Path, edit: str) -> None:
    """Make one edit of the page in a tree: the lines that stay or go must be there, together and once."""
    first, *lines = edit.splitlines()
    path = root / first.removeprefix("+++ ")
    before = "".join(line[1:] + "\n" for line in lines if line[0] in " -")
    after = "".join(line[1:] + "\n" for line in lines if line[0] in " +")
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{path.name}: {before!r}"
    path.write_text(text.replace(before, after), encoding="utf-8")


def tree_with_the_rule(folder: Path) -> Path:
    """A copy of what the core is built from, with the recipe's edits made."""
    for part in ("core", "ofc_env", "experiments/common"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (folder / "experiments" / "__init__.py").touch()
    (folder / "docs").mkdir()
    for edit in blocks("A rule that is a number", "diff"):
        apply_edit(folder, edit)
    return folder


def test_the_edits_of_the_rule_fit_the_tree(tmp_path: Path) -> None:
    root = tree_with_the_rule(tmp_path)
    text = (root / "core" / "game" / "rules.hpp").read_text(encoding="utf-8")
    assert text.count("points_per_row") == 4  # the member, its use, its name in the list, the member there
    assert "points_per_row" not in (ROOT / "core" / "game" / "rules.hpp").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", [field.name for field in Rules.fields()])
def test_a_rule_has_one_place(field: str) -> None:
    """A member and a line of the list in one header; no file of the bindings lists the rules again."""
    members, listed, bound = [], [], []
    for path in sorted((ROOT / "core").rglob("*.[ch]pp")):
        text = path.read_text(encoding="utf-8")
        if "bindings" in path.parts:
            # As a member, by name, or in a signature. Others too are named middle, chips, scoop, foul,
            # and tables of openings are of a deck with so many jokers.
            forms = [rf"Rules::{field}\b"]
            if path.name == "rules.cpp" or field not in (
                "middle",
                "bottom",
                "chips",
                "scoop",
                "foul",
                "jokers",
            ):
                forms += [rf'"{field}"', rf"\b{field}: (?:int|typing)"]
            code = re.sub(r"//.*", "", text)
            bound += [(path.name, form) for form in forms if re.search(form, code)]
            continue
        struct = re.search(r"^struct Rules \{.*?^\};", text, flags=re.DOTALL | re.MULTILINE)
        if struct:
            kinds = r"(?:int|ByRank|ByCategory|ButtonActs|Least)"
            members += re.findall(
                rf"^    {kinds} (?:[^;\n]*, )?{field} ?[={{].*?;", struct.group(), flags=re.MULTILINE
            )
            listed += re.findall(rf'\b(?:Field\{{(?:\.name = )?|width\(|least\()"{field}",\s', struct.group())
    assert len(members) == 1
    assert len(listed) == 1
    assert bound == []


WITHOUT_THE_INSTALLED = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, "")
import ofc_env
assert ofc_env.__file__.startswith({root!r}), ofc_env.__file__
"""


@pytest.mark.prove
def test_a_rule_is_added(tmp_path: Path) -> None:
    """Built from the edited copy: keyword, text form, refusal, score, stub and page know the new rule."""
    root = tree_with_the_rule(tmp_path)

    def run(*command: str) -> str:
        ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr[-4000:]
        return ran.stdout

    def python(script: str) -> str:
        return run(sys.executable, "-c", WITHOUT_THE_INSTALLED.format(root=str(root)) + script)

    folder = run(sys.executable, "-m", "nanobind", "--cmake_dir").strip()
    build = ["-S", "core", "-B", "build", "-G", "Ninja", f"-Dnanobind_DIR={folder}"]
    tools = Path(sys.executable).parent
    cmake = str(tools / "cmake") if (tools / "cmake").exists() else "cmake"
    ninja = shutil.which("ninja", path=f"{tools}:{Path(cmake).parent}") or shutil.which("ninja") or "ninja"
    run(cmake, *build, f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_MAKE_PROGRAM={ninja}")
    run(cmake, "--build", "build")
    (library,) = (root / "build").glob("_core*.so")
    shutil.copy(library, root / "ofc_env")

    python(
        """
from ofc_env import Board, Rules, score_boards
rules = Rules(points_per_row=2)
assert rules.points_per_row == 2 and Rules().points_per_row == 1
assert Rules.parse(str(rules)) == rules == Rules.parse("points_per_row=2")
assert rules == Rules().replace(points_per_row=2)
assert "points_per_row=2" in str(rules).split()
assert rules.name == "house points_per_row=2"
try:
    Rules(points_per_row=-1)
except ValueError as refusal:
    assert str(refusal) == "rules: points_per_row is -1, outside 0 to 1000", refusal
else:
    raise AssertionError("not refused")
good = Board("2h 3d 4d", "5c 6c 7d 8d Td", "Th Jh Kh Ah 9h", rules=rules)
fouled = Board("Qh Qd 2c", "3h 4h 5h 6h 8h", "9s Ts 2s Qs 4c", rules=rules)
points = {each: score_boards(good, fouled, rules=Rules(points_per_row=each)).raw_score for each in (1, 2)}
assert fouled.fouled and not good.fouled
assert points[2][0] == points[1][0] + 3, points
"""
    )
    python("from nanobind.stubgen import main; main(['-m', 'ofc_env._core', '-o', 'ofc_env/_core.pyi'])")
    stub = (root / "ofc_env" / "_core.pyi").read_text(encoding="utf-8")
    assert "points_per_row: int = 1" in stub
    assert "def points_per_row(self) -> int:" in stub
    page = python("from experiments.common.settings_page import page; print(page())")
    row = "| `points_per_row` | whole number | 1 | 0 to 1000 | points for winning a row |"
    assert row in page.splitlines()


# ---------------------------------------------------------------- an observation


def recipe_names(heading: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for snippet in blocks(heading, "python"):
        exec(compile(snippet, "docs/recipes.md", "exec"), names)
    return names


def test_another_observation_leaves_agents_as_they_are() -> None:
    """Every agent that speaks InformationSet plays the toy version as it plays the shipped one."""
    names = recipe_names("Another observation")
    assert not names["environment"].agents  # the page's own episode was played to its end
    for player in ("random", "heuristic:exact=on", "pimc:rollouts=30", "pimc:rollouts=30,belief=on"):
        first, second = (agents.make(player) for _ in range(2))
        assert isinstance(first, InformedAgent)
        assert isinstance(second, InformedAgent)
        shipped: Any
        shipped, other = ofc_pineapple_v0.env(), names["env_v1"](ofc_pineapple_v0.env())
        for environment in (shipped, other):
            environment.reset(seed=11)
        steps = 0
        for name in shipped.agent_iter():
            assert other.agent_selection == name
            seen, reward, ended, *_ = shipped.last()
            seen_v1, reward_v1, ended_v1, *_ = other.last()
            assert (reward_v1, ended_v1) == (reward, ended)
            np.testing.assert_array_equal(seen_v1["action_mask"], seen["action_mask"])
            assert other.observation_space(name).contains(seen_v1)
            slot = None if ended else first.act(seen)
            if not ended:
                assert second.choose(names["information_v1"](seen_v1["observation"])) == slot
                steps += 1
            shipped.step(slot)
            other.step(slot)
        assert steps >= 10
        assert not other.agents


def test_the_other_numbers_hold_all_that_a_seat_knows() -> None:
    names = recipe_names("Another observation")
    for width in (0, 16):
        for position in decisions(4, seed=3, width=width):
            known: InformationSet = position.hand.information(position.seat)
            numbers = names["observation_v1"](known)
            assert numbers.shape == (60,)
            assert names["information_v1"](numbers) == known
    hand = Hand(seed=1)
    waiting = hand.information(1)
    assert names["information_v1"](names["observation_v1"](waiting)) == waiting


def test_the_places_that_the_recipe_names_exist() -> None:
    text = section("Another observation")
    header = (ROOT / "core" / "env" / "observation.hpp").read_text(encoding="utf-8")
    for function in ("write_observation", "decode_observation"):
        assert f"`{function}_v1(" in text
        assert re.search(rf"\b{function}\(", header)
    assert (ROOT / "ofc_env" / "layout.py").exists()
    assert ofc_pineapple_v0.raw_env.metadata["name"] == "ofc_pineapple_v0"
