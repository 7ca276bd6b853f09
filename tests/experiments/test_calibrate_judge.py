"""Measuring what the judge errs by: the fit, the file, and that threads change nothing."""

import json

import numpy as np
import pytest

from agents.players.alphazero import CHAMPION
from agents.review import calibration
from agents.review.calibration import KNEE, Calibration
from agents.review.judge import digest_of
from experiments import calibrate_judge
from experiments.calibrate_judge import Measured, fitted, table_text
from ofc_env import Rules

FEW = ["--levels", "novice", "--hands", "8", "--played-on", "8", "--openings", "40", "--opened", "8"]


def test_the_fit_finds_the_slopes_that_made_the_points():
    rng = np.random.default_rng(1)
    made = ((0.8, 1.3), (1.0, 1.0), (1.2, 0.9), (0.7, 1.1))
    found = []
    for turn, (below, above) in enumerate(made):
        for ahead in rng.exponential(2.0, 4000):
            true = below * min(ahead, KNEE) + above * max(ahead - KNEE, 0.0)
            found.append(Measured(turn, ahead, true + rng.normal(0.0, 0.5)))
    slopes, errors = fitted(found)
    assert np.abs(np.array(slopes) - made).max() < 4 * np.array(errors).max() < 0.2
    lines = table_text(found, Calibration.parse({"start": 0.0, "slopes": slopes})).splitlines()
    corrected = float(lines[-1].split("|")[-2].split("±")[0])
    assert abs(corrected) < 0.02
    with pytest.raises(ValueError, match="0 decisions of turn 3 were not the best"):
        fitted([each for each in found if each.turn < 3])


def test_what_was_measured_is_written_under_the_weights(tmp_path, capsys, monkeypatch):
    file = tmp_path / "calibration.json"
    for module in (calibration, calibrate_judge):
        monkeypatch.setattr(module, "FILE", file)
    file.write_text(json.dumps({"another's": {"rules": "other"}, "old": {"rules": str(Rules())}}))
    monkeypatch.setattr(calibrate_judge, "fitted", few_will_do)
    found = []
    for threads in ("1", "2"):
        assert calibrate_judge.main([*FEW, "--threads", threads, "--write"]) == 0
        found.append(json.loads(file.read_text()))
    assert "written to" in capsys.readouterr().out
    digest = digest_of(CHAMPION)
    first, second = (each[digest] for each in found)
    assert {**first, "command": ""} == {**second, "command": ""}
    assert list(found[1]) == ["another's", digest]  # of the same rules only the newest
    assert first["decisions"] > 8
    Calibration.parse(first)


def few_will_do(found):
    """Slopes of a handful of decisions, which may lack a turn."""
    share = sum(each.played_on for each in found) / sum(each.ahead for each in found)
    return [[share, share]] * 4, [[0.1, 0.1]] * 4
