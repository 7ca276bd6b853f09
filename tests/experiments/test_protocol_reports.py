"""Protocols from the command line: reports that anybody can check, and the tables of docs/benchmark.md."""

import hashlib
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from agents.arena.protocol import PROTOCOLS
from agents.players.alphazero import CHAMPION
from experiments import benchmark
from experiments.common.pages import replace_block
from experiments.common.protocols import read_reports, tables_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmark.md"


@pytest.fixture
def short(monkeypatch):
    """A protocol of a few deals."""
    v1 = PROTOCOLS["v1"]
    protocol = replace(v1, opponents=v1.opponents[1:3], deals=3, sessions=2, redeals=2)
    monkeypatch.setitem(PROTOCOLS, "v1", protocol)
    return protocol


def run(folder, *words):
    return benchmark.main(["--protocol", "v1", "--processes", "1", "--out", str(folder), *words])


def reports(folder):
    return {path: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}


def test_a_report_tells_all_that_it_hangs_on(short, tmp_path, capsys):
    assert run(tmp_path, "--agents", "alphazero:sims=0", "tests.players:LastSlot") == 0
    printed = capsys.readouterr().out
    found = reports(tmp_path / "v1")
    assert [report["agent"] for report in found.values()] == ["alphazero:sims=0", "tests.players:LastSlot"]
    path, report = next(iter(found.items()))
    assert report["digest"] == short.digest()
    assert report["weights"] == {"alphazero.safetensors": hashlib.sha256(CHAMPION.read_bytes()).hexdigest()}
    assert report["seeds"] == {"hands": 15001, "sessions": 15002}
    assert report["rules"] == short.rules
    assert not report["rehearsal"]
    assert list(report["against"]) == ["heuristic", "pimc:rollouts=300"]
    hands, sessions = (report["against"]["heuristic"][kind] for kind in ("hands", "sessions"))
    assert (hands["deals"], sessions["sessions"]) == (3, 2)
    assert hands["equity"]["mean"] != hands["adjusted"]["mean"]
    assert {"foul", "fantasyland", "royalties"} <= set(hands["sides"][0]["button"])
    assert hands["sides"][0]["seconds_per_decision"] > 0
    assert {"chips", "adjusted", "wins", "hands"} <= set(sessions)
    text = path.with_suffix(".md").read_text()
    assert text in printed
    for words in ("by protocol v1\n", "luck taken out", "| button |", "| other |", "sessions won"):
        assert words in text
    for content in (text, path.read_text()):
        assert str(ROOT) not in content, "a report is of no machine"
        assert str(tmp_path) not in content

    before = path.read_text()
    assert run(tmp_path, "--agents", "alphazero:sims=0", "--resume") == 0
    assert path.read_text() == before, "nothing was played again"


def test_a_rehearsal_is_marked_and_kept_apart(tmp_path, capsys):
    assert run(tmp_path, "--agents", "heuristic", "--rehearsal") == 0
    assert "# `heuristic` by protocol v1 — a rehearsal, not the protocol\n" in capsys.readouterr().out
    assert not list((tmp_path / "v1").glob("*.json"))
    ((_, report),) = reports(tmp_path / "v1" / "rehearsal").items()
    assert report["rehearsal"]
    assert report["digest"] == PROTOCOLS["v1"].digest()
    assert len(report["against"]) == 5
    with pytest.raises(ValueError, match="is of a rehearsal: measure the agent by the whole protocol"):
        read_reports(tmp_path / "v1" / "rehearsal", PROTOCOLS["v1"])


def test_reports_become_tables_on_a_page(short, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- figures: v1 -->\n<!-- end of figures -->\nafter\n")
    assert run(tmp_path, "--table", str(page)) == 2
    assert "has no reports: put the JSON files of --protocol v1 there" in capsys.readouterr().err
    assert run(tmp_path / "page", "--agents", "random", "heuristic") == 0
    assert run(tmp_path, "--table", str(page)) == 0
    text = page.read_text()
    tables = text.split("**Equity a hand, luck taken out**")[1].split("\n\n")
    assert [line.split(" | ")[0] for line in tables[1].splitlines()[2:]] == ["| `heuristic`", "| `random`"]
    assert "| `heuristic` | +0.00 ± 0.00 | " in tables[1]
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    for title in ("plain", "Points a hand", "Sessions won", "Chips a session", "How they play"):
        assert title in text
    assert run(tmp_path, "--table", str(page)) == 0
    assert page.read_text() == text
    path = next((tmp_path / "page" / "v1").glob("*.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "digest": "other"}))
    assert run(tmp_path, "--table", str(page)) == 2
    assert "is no report of protocol v1: take it out of the folder" in capsys.readouterr().err
    assert page.read_text() == text


def test_one_name_with_two_files_is_two_lines(short, tmp_path):
    """A champion that is replaced keeps its line, and its digest tells it from the next one."""
    assert run(tmp_path, "--agents", "heuristic") == 0
    (report,) = reports(tmp_path / "v1").values()
    named = [{**report, "weights": {"mine.safetensors": 16 * digit}} for digit in "ab"]
    assert "| `heuristic` | " in tables_of([report], short)
    tables = tables_of([*named, {**report, "agent": "random"}], short)
    assert tables.count("| `heuristic` aaaaaaaa | ") == tables.count("| `heuristic` bbbbbbbb | ") == 6
    assert tables.count("| `random` | ") == 6


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--protocol", "v1", "--deals", "600"], "--deals is fixed by protocol v1: leave it out"),
        (
            ["--protocol", "v1", "--fantasyland-values", "1", "2", "3", "4"],
            "--fantasyland-values is fixed by",
        ),
        (["--protocol", "v1", "--adjust", "0"], "--adjust is fixed by protocol v1"),
        (["--protocol", "v0"], "there is no protocol 'v0': choose from"),
        (["--rehearsal"], "--rehearsal belongs to a protocol: give --protocol v1 too"),
        (["--table", "page.md"], "--table belongs to a protocol"),
        (
            ["--protocol", "v1", "--rehearsal", "--agents", "mcts-open"],
            "looks at the true deck and cannot be",
        ),
    ],
)
def test_refusals(words, sentence, tmp_path, capsys):
    assert benchmark.main([*words, "--processes", "1", "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert "Traceback" not in error


# ---------------------------------------------------------------- docs/benchmark.md


def test_the_page_shows_the_reports_beside_it():
    protocol = PROTOCOLS["v1"]
    text = PAGE.read_text(encoding="utf-8")
    assert (
        replace_block(text, "v1", tables_of(read_reports(PAGE.with_suffix("") / "v1", protocol), protocol))
        == text
    )


def test_the_page_says_what_is_fixed():
    protocol, text = PROTOCOLS["v1"], PAGE.read_text(encoding="utf-8")
    for opponent in protocol.opponents:
        assert f"| `{opponent.name}` |" in text
    for number in (protocol.deals, protocol.sessions, protocol.seed, protocol.session_seed):
        assert re.search(rf"(?<![\d,]){number:,}(?![\d,])", text), number
    assert protocol.network[:16] in text


def test_commands_of_the_page_are_commands(tmp_path, monkeypatch):
    commands = re.findall(r"python experiments/benchmark\.py ([^`\n#]+)", PAGE.read_text(encoding="utf-8"))
    assert len(commands) >= 3
    for words in commands:
        assert benchmark.read_config(shlex.split(words)).protocol == "v1"
