"""The table of winning chances: its equations, its file, and that it can be stopped."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from experiments import win_table
from experiments.standings.equations import mirrored, outcomes_by_state, solve
from experiments.win_table import TABLE, main
from ofc_env import Rules

NO_FANTASYLAND = Rules.preset("no_fantasyland")
SMALL = ["--agent", "heuristic", "--rules", "fixed14", "--hands", "200", "--against", "200", "--both", "200"]
SMALL += ["--boards", "1", "--sessions", "300"]


def test_a_fair_coin_is_the_gamblers_ruin() -> None:
    """Steps of ten chips, and an end at twenty."""
    chances = solve({(0, 0): {(10, 0, 0): 0.5, (-10, 0, 0): 0.5}}, NO_FANTASYLAND)[0, 0, 0]
    wanted = {-20: 0.0, -15: 0.2, -10: 0.25, -5: 0.4, 0: 0.5, 5: 0.6, 10: 0.75, 15: 0.8, 20: 1.0}
    for lead, chance in wanted.items():
        assert chances[200 + lead] == pytest.approx(chance, abs=1e-5), lead
    assert chances[200 + 19] == pytest.approx(0.5 + 0.5 * chances[200 + 9], abs=1e-5)


def test_the_button_changes_hands() -> None:
    """Whoever has it wins twenty: the first one wins, and so the second one loses."""
    chances = solve({(0, 0): {(20, 0, 0): 1.0}}, NO_FANTASYLAND)[0, 0, :, 200]
    assert chances == pytest.approx([1.0, 0.0])
    # Where each gives back what the other won, it is nobody's.
    even = solve({(0, 0): {(10, 0, 0): 0.9, (-10, 0, 0): 0.1}}, NO_FANTASYLAND)[0, 0, :, 200]
    assert even == pytest.approx([0.5, 0.5], abs=1e-4)


def test_a_fantasyland_goes_on_behind_the_limit() -> None:
    """Thirty behind, with a fantasyland that brings forty, then is over."""
    means = {(0, 0): {(10, 0, 0): 0.5, (-10, 0, 0): 0.5}, (14, 0): {(40, 0, 0): 0.5, (0, 0, 0): 0.5}}
    means[14, 14] = {(0, 0, 0): 1.0}
    chances = solve(means, Rules.preset("fixed14")).mean(axis=2)
    assert chances[1, 0, 200 - 30] == pytest.approx(0.5 * chances[0, 0, 200 + 10], abs=1e-5)
    assert chances[1, 0, 200] == pytest.approx(0.5 + 0.5 * 0.5, abs=1e-5)
    assert chances[1, 1, 200 + 30] == pytest.approx(1.0)
    assert chances[0, 1] == pytest.approx(1 - chances[1, 0][::-1], abs=1e-5)


def test_points_are_capped_by_chips() -> None:
    means = {(0, 0): {(0, 0, 0): 1.0}, (14, 0): {(450, 14, 0): 0.5, (-450, 14, 0): 0.5}}
    means[14, 14] = {(0, 0, 0): 1.0}
    chances = solve(means, Rules.preset("fixed14")).mean(axis=2)
    assert chances[1, 0, 1:-1] == pytest.approx(0.5, abs=1e-5)  # the next hand takes all that somebody has


def test_outcomes_are_seen_from_both_sides() -> None:
    block = {(7, 14, 0): 0.25, (-3, 0, 16): 0.75}
    assert mirrored(block) == {(-7, 0, 14): 0.25, (3, 16, 0): 0.75}
    found = outcomes_by_state({(0, 0): block, (14, 14): {(5, 0, 0): 1.0}})
    assert found[0, 0, 0] == block
    assert found[0, 0, 1] == mirrored(block)
    assert found[14, 14, 0] == {(5, 0, 0): 0.5, (-5, 0, 0): 0.5}


def test_the_core_has_what_was_written() -> None:
    """Every number of the file, by the core's own reading of it."""
    text = TABLE.read_text()
    for name, body in re.findall(r'^\{"([^"]+)", \{\{[^\n]*\n(.*?)^\}\}\},$', text, re.MULTILINE | re.DOTALL):
        rules = Rules.parse(name)
        rows = re.findall(r"\{(\d+), (\d+), \{([\d,]+)\}\}", body)
        widths = [0, *rules.widths]
        assert {(int(w), int(u)) for w, u, _ in rows} == {(w, u) for w in widths for u in widths if w >= u}
        for w, u, numbers in rows:
            for lead, number in enumerate(map(int, numbers.split(",")), start=-win_table.REACH):
                chips = rules.chips + lead, rules.chips - lead
                if min(chips) >= 0 and int(w) > int(u):
                    assert rules.win_chance(chips, (int(w), int(u))) == pytest.approx(number / 1e4, abs=1e-6)
    assert '{"house", ' in text


def test_a_run_that_was_stopped_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut off in the middle of a line and resumed, it ends with the bytes of a run that was not."""
    monkeypatch.setattr(win_table, "RESAMPLES", 3)
    whole, cut = tmp_path / "whole.json", tmp_path / "cut.json"
    assert main([*SMALL, "--out", str(whole)]) == 0
    blocks = whole.with_suffix(".blocks.jsonl").read_text()
    cut.with_suffix(".blocks.jsonl").write_text(blocks[: len(blocks) // 2])
    assert main([*SMALL, "--out", str(cut), "--resume"]) == 0
    assert cut.with_suffix(".blocks.jsonl").read_text() == blocks
    found, wanted = (json.loads(path.read_text()) for path in (cut, whole))
    assert found["rows"] == wanted["rows"]
    assert found["check"] == wanted["check"]
    assert main([*SMALL, "--out", str(cut), "--resume", "--seed", "9"]) == 2  # other deals than those kept
    path = cut.with_suffix(".blocks.jsonl")
    for begun in ("", blocks[:9]):  # killed before the first line was whole
        path.write_text(begun)
        assert main([*SMALL, "--out", str(cut), "--resume"]) == 0
        assert path.read_text() == blocks
    for number, line in ((1, b"{"), (2, b"\xff"), (2, b"[]"), (2, b'{"pair": [0, 0]}')):
        lines = blocks.encode().split(b"\n")
        path.write_bytes(b"\n".join([*lines[: number - 1], line, *lines[number:]]))
        assert main([*SMALL, "--out", str(cut), "--resume"]) == 2
        assert f"damaged in line {number}" in capsys.readouterr().err

    normal = wanted["rows"][0]
    assert (normal["mine"], normal["theirs"]) == (0, 0)
    at = win_table.REACH
    assert normal["chances"][at] == 0.5
    assert normal["chances"][at - 19] < 0.5 < normal["chances"][at + 19]
    assert 0 < normal["margins"][at + 10] < 0.2
    assert wanted["check"]


def test_the_table_is_written_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "win_chances.inc"
    file.write_text("// a line\n")
    monkeypatch.setattr(win_table, "TABLE", file)
    rows = [{"mine": 0, "theirs": 0, "chances": list(np.linspace(0, 1, 2 * win_table.REACH + 1))}]
    for name, command in (("house", "first"), ("standard", "second"), ("house", "third")):
        win_table.write_core({"name": name, "command": command, "commit": "c", "rows": rows})
    text = file.read_text()
    assert text.startswith("// a line\n")
    assert "first" not in text
    assert text.index("third") < text.index("second")
    assert text.count("{0, 0, {0,50,100,") == 2
