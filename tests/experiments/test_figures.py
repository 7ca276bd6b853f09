"""`make figures`: only the marked blocks of the page change, and each says where its figures come from."""

import re
from pathlib import Path

import pytest

from experiments import figures

README = Path(__file__).parents[2] / "README.md"
PAGE = """before
<!-- figures: speed -->
old
<!-- end of figures -->
between
<!-- figures: strength -->
<!-- end of figures -->
after
"""


def test_only_the_block_changes():
    assert figures.replace_block(PAGE, "speed", r"new \1") == PAGE.replace("old", r"new \1")


@pytest.mark.parametrize("text", ["", PAGE.replace("speed", "sped"), PAGE + PAGE])
def test_a_page_without_the_block_is_refused(text):
    with pytest.raises(ValueError, match="has no block of the form"):
        figures.replace_block(text, "speed", "new")


def test_readme_has_every_block():
    text = README.read_text(encoding="utf-8")
    for name in figures.BLOCKS:
        figures.replace_block(text, name, "")
    assert text.count("<!-- figures:") == len(figures.BLOCKS)


def test_what_is_measured_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "SPEEDS", ("tables",))
    monkeypatch.setattr(figures, "MATCHES", {"house": (("heuristic", "random", 40),)})
    monkeypatch.setattr(figures, "SESSIONS", ("heuristic", "random", 2))
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert figures.main(["--page", str(page), "--deals", "0.5", "--processes", "1"]) == 0
    text = page.read_text()
    assert re.search(r"\| lookup tables, ready at import \| [\d.]+ MB \|", text)
    number = r"\+\d+\.\d\d ± \d+\.\d\d"
    assert re.search(rf"\| house \| `heuristic` \| `random` \| 20 \| {number} \| {number} \|", text)
    assert "over 2 duplicate sessions" in text
    assert len(re.findall(r"\*`make figures` at commit \S+, \d{4}-\d\d-\d\d; .*\.\*", text)) == 2
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    again = text
    assert (
        figures.main(["--page", str(page), "--deals", "0.5", "--processes", "1", "--only", "strength"]) == 0
    )
    strip_times = re.compile(r"\S+ \|$", flags=re.MULTILINE)  # milliseconds differ
    assert strip_times.sub("", page.read_text()) == strip_times.sub("", again)


def test_a_missing_page_is_one_sentence(tmp_path, capsys):
    assert figures.main(["--page", str(tmp_path / "none.md")]) == 2
    assert "none.md" in capsys.readouterr().err
