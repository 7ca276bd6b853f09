"""What decisions lose, measured by playing them on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.regret import Config, losses, measure, report

SMALL = Config(decisions=16, candidates=4, deals=32, seed=5)


def test_losses_of_known_values() -> None:
    # The second placement is a point better in every deal; the third only looks good in even ones.
    values = np.array([[1.0, 3.0, 1.0, 3.0], [2.0, 4.0, 2.0, 4.0], [9.0, -9.0, 9.0, -9.0]])
    # By even deals the third is best, and loses 12 in the odd ones; by odd ones the second, and gains 1.
    assert losses(values) == pytest.approx(((-12.0 + 1.0) / 2, 1.0))
    assert losses(values[:2]) == pytest.approx((1.0, 1.0))
    assert losses(values[1::-1]) == (0.0, 0.0)


def test_random_decisions_lose_more_than_the_judges_own() -> None:
    def lost(agent: str) -> float:
        return sum(turn.at_least.mean for turn in measure(Config(agent, "heuristic", 16, 4, 32, seed=5)))

    assert lost("random") > lost("heuristic") + 5.0


def test_the_bounds_are_in_order_and_repeat() -> None:
    turns = measure(SMALL)
    assert [turn.turn for turn in turns] == [0, 1, 2, 3]
    assert all(turn.at_least.mean <= turn.at_most.mean + 1e-9 and turn.at_least.count == 4 for turn in turns)
    assert all(turn.at_most.mean >= 0.0 for turn in turns)
    assert measure(SMALL) == turns


def test_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report(Config("heuristic", "heuristic", 8, 3, 8, out=str(tmp_path / "regret.json")))
    assert "a hand: between" in capsys.readouterr().out
    assert len(json.loads((tmp_path / "regret.json").read_text())["turns"]) == 4


@pytest.mark.parametrize(("name", "value"), [("decisions", 7), ("candidates", 1), ("deals", 1)])
def test_too_little_to_measure_is_refused(name: str, value: int) -> None:
    changes: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"--{name} is {value}"):
        measure(replace(SMALL, **changes))
