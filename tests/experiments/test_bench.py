"""`make bench`: the spread of a row, and the comparison of two runs."""

import json
import time
from pathlib import Path

import pytest

from experiments import bench
from experiments.benches import portable
from experiments.benches.compare import compare, comparison_table, read_report
from experiments.benches.table import Bench, Measurement, SkippedError
from ofc_env import _core


def measured(name, value, spread=0.0, most=False):
    return Measurement(name, f"the row {name}", value, 1.0, "units", 1.0, True, "", most, spread)


def earlier(**values):
    rows = [{"name": name, "value": value, "spread": spread} for name, (value, spread) in values.items()]
    return {"date": "2026-11-16", "rows": rows}


@pytest.mark.parametrize(
    ("now", "before", "most", "ratio", "verdict"),
    [
        ((120.0, 0.0), (100.0, 0.0), False, 1.2, "better"),
        ((80.0, 0.0), (100.0, 0.0), False, 0.8, "worse"),
        ((120.0, 0.15), (100.0, 0.1), False, 1.2, ""),  # both spreads together explain it
        ((80.0, 0.15), (100.0, 0.15), False, 0.8, ""),
        ((103.0, 0.0), (100.0, 0.0), False, 1.03, ""),  # no two runs are the same
        ((80.0, 0.0), (100.0, 0.0), True, 1.25, "better"),  # milliseconds
        ((125.0, 0.0), (100.0, 0.0), True, 0.8, "worse"),
    ],
)
def test_changes_beyond_the_noise_are_marked(now, before, most, ratio, verdict):
    (found,) = compare([measured("a", now[0], now[1], most)], earlier(a=before))
    assert found.ratio == pytest.approx(ratio)
    assert found.verdict == verdict


def test_rows_of_one_run_only_are_left_out(tmp_path):
    report = earlier(a=(100.0, 0.0), b=(7.0, 0.0))
    report["rows"].append({"name": "skipped", "value": None})
    found = compare([measured("a", 50.0), measured("new", 3.0), measured("skipped", 1.0)], report)
    assert [item.name for item in found] == ["a"]
    text = comparison_table(found, report, tmp_path / "bench.json")
    assert "100 units" in text
    assert "50 units" in text
    assert "0.50" in text
    assert "WORSE" in text


def test_the_spread_of_a_row_is_that_of_its_slices():
    slices = Bench(seconds=1.0)
    slices.record_spread([80.0, 100.0, 90.0])
    assert slices.spread == pytest.approx(0.2)

    def work():
        time.sleep(0.002)
        return 1

    steady = Bench(seconds=0.09)
    rate = steady.rate(work)
    assert 0 < rate <= 500
    assert 0 <= steady.spread < 1


def test_a_second_run_keeps_both(tmp_path, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    bench.main(["tables", "--output", str(first)])
    bench.main(["tables", "--output", str(second), "--against", str(first)])
    report = json.loads(second.read_text())
    assert report["against"]["report"] == json.loads(first.read_text())
    (row,) = report["against"]["rows"]
    assert (row["name"], row["ratio"], row["verdict"]) == ("tables", 1.0, "")
    assert row["before"] == row["now"] == report["rows"][0]["value"]
    assert f"against {first}" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "[]", '{"rows": [{"name": "a"}]}', '{"rows": 3}'])
def test_what_is_no_report_is_refused(tmp_path, content):
    path = tmp_path / "bench.json"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a report of make bench"):
        read_report(path)
    with pytest.raises(ValueError, match="there is no report"):
        read_report(tmp_path / "none.json")


def test_two_cores_play_in_turn(monkeypatch):
    """The installed one against itself; a build of one kind of vectors has nothing to be compared with."""
    monkeypatch.setattr(portable, "native_core", lambda: Path(_core.__file__))
    monkeypatch.setattr(_core, "vector_paths", lambda: ["wide", "narrow"])
    row = Bench(seconds=0.1)
    assert 10 < portable.bench_portable(row) < 1000
    assert row.note.startswith(f"{_core.vector_path()}; processor time, 9 turns")
    monkeypatch.setattr(_core, "vector_paths", lambda: ["wide"])
    with pytest.raises(SkippedError, match="built for this machine"):
        portable.bench_portable(row)
