"""The pages for readers: their code runs as it stands there, and what they name is where they say."""

import json
import re
from pathlib import Path

import pytest

from tests.notebook import code_cells, run_cells

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs"


@pytest.mark.parametrize(
    "page", ["../README.md", "rules.md", "environment.md", "frameworks.md", "openspiel.md"]
)
def test_snippets_run(page):
    """All snippets of a page in order, with one set of names, as a reader would paste them."""
    if page == "openspiel.md":
        pytest.importorskip("pyspiel")
    text = (PAGES / page).read_text(encoding="utf-8")
    snippets = list(re.finditer(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE))
    assert snippets
    names: dict[str, object] = {}
    for snippet in snippets:
        lines_before = text[: snippet.start(1)].count("\n")
        code = "\n" * lines_before + snippet.group(1)  # so that an error names the line of the page
        exec(compile(code, str(PAGES / page), "exec"), names)


# ---------------------------------------------------------------- the three walks

STEP = re.compile(r"^\|[^|]*\| `([^`]+)` \| `([^`]+)` \|$", flags=re.MULTILINE)
IN_PASSING = re.compile(r"`((?:core|ofc_env|agents|wrappers|server|experiments)/[\w/.]+)`[^`|]*?`(\w+)`")


def defines(path: Path, name: str) -> bool:
    """Whether a source file defines a function, class or method of this name, or a class's members."""
    text = path.read_text(encoding="utf-8")
    owner, _, member = name.rpartition("::")
    if path.suffix == ".py":
        return re.search(rf"^(def|class) {re.escape(name)}\b", text, re.MULTILINE) is not None
    if owner:  # a method, in the .cpp file
        return re.search(rf"\b{owner}::{member}\(", text) is not None
    if re.search(rf"^(struct|class) {member}\b[^;]*\{{", text, re.MULTILINE):
        return True
    if re.search(rf"^\w[^;=]*\b{member}\([^;]*\)[^;]*\{{", text, re.MULTILINE):  # a function with its body
        return True
    return re.search(rf"\b{member}::~?\w+\(", text) is not None  # the class's methods


def walks() -> list[tuple[str, str]]:
    """(file, name) of every step, and of what the text names beside."""
    text = (PAGES / "architecture.md").read_text(encoding="utf-8")
    return STEP.findall(text) + IN_PASSING.findall(re.sub(r"^\|.*$", "", text, flags=re.MULTILINE))


def test_there_are_three_walks():
    text = (PAGES / "architecture.md").read_text(encoding="utf-8")
    tables = [STEP.findall(part) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]
    assert [len(steps) > 8 for steps in tables] == [True, True, True]
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| step")]
    assert len(rows) == sum(map(len, tables)), "a row of a walk has not the form | step | `file` | `name` |"
    assert len(walks()) == len(rows) + 4, "files named in the text between the tables are checked too"


@pytest.mark.parametrize(("file", "name"), walks())
def test_a_step_is_where_the_page_says(file, name):
    assert (ROOT / file).is_file(), f"{file} is gone: change docs/architecture.md"
    assert defines(ROOT / file, name), f"{file} does not define {name}: change docs/architecture.md"


def test_a_name_that_is_elsewhere_is_found_missing():
    """The check itself: neither a mention nor a call counts as a definition."""
    assert not defines(ROOT / "core/game/hand.cpp", "Hand::settle")
    assert not defines(ROOT / "core/game/session.cpp", "score_boards")
    assert not defines(ROOT / "agents/arena/match.py", "MatchStore")
    assert not defines(ROOT / "core/game/information.hpp", "Board")


# ---------------------------------------------------------------- links and paths

LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#[\w-]*)?\)")
PATH = re.compile(r"`((?:core|ofc_env|agents|wrappers|server|experiments|tests|docs)/[\w/.-]+\w)`")


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{p.name}" for p in PAGES.glob("*.md"))]
)
def test_links_and_paths_of_a_page_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [link for link in LINK.findall(text) if not (ROOT / page).parent.joinpath(link).exists()]
    missing += [path for path in PATH.findall(text) if not (ROOT / path).exists()]
    assert not missing


# ---------------------------------------------------------------- the notebook


def test_the_notebook_goes_from_import_to_a_learning_curve():
    """All its cells, as they stand; what it stores is the curve and a few lines."""
    pytest.importorskip("torch")
    path = PAGES / "first_run.ipynb"
    ran = run_cells(path)
    assert len(code_cells(ran["notebook"])) == 10
    curve = ran["names"]["curve"]
    assert sum(curve[-10:]) < sum(curve[:10]), "it learned nothing"
    stored = json.loads(path.read_text(encoding="utf-8"))
    kinds = [output["output_type"] for cell in code_cells(stored) for output in cell["outputs"]]
    assert kinds.count("display_data") == 1, "run `python -m tests.notebook docs/first_run.ipynb`"
    assert path.stat().st_size < 60_000
