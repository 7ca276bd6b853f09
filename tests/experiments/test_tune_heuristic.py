"""Hill climbing of the heuristic: seeded, within bounds, and able to leave a bad start."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.tune_heuristic import NAMES, changed, main
from ofc_env import _core


def test_changes_are_few_and_within_bounds() -> None:
    generator = np.random.default_rng(1)
    start = tuple(_core.Heuristic.default_weights)
    assert len(start) == len(NAMES)
    for _ in range(200):
        weights = changed(start, 1.0, generator)
        assert 1 <= sum(a != b for a, b in zip(weights, start, strict=True)) <= 2
        assert all(weight > 0 for weight in weights)
        assert max(weights[:2]) <= 1


def test_a_bad_start_is_left(tmp_path: Path) -> None:
    """A heuristic that does not mind fouls learns to mind them; the same seed climbs the same way."""
    contents = []
    for name in ("one.json", "two.json"):
        out = tmp_path / name
        start = ["--start", "0.6", "0.15", "0.09", "0.95", "0.01", "0.22", "3.0"]
        sizes = ["--steps", "25", "--deals", "60", "--final-deals", "300"]
        assert main([*start, *sizes, "--out", str(out)]) == 0
        contents.append(json.loads(out.read_text()))
    assert contents[0]["found"] == contents[1]["found"]
    assert contents[0]["taken"]
    assert contents[0]["gain"]["mean"] > 0


def test_bad_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--final-deals", "0"]) == 2
    assert "--final-deals is 0" in capsys.readouterr().err
