"""What a judge makes of its network's opinions: factors that keep order and sign, and a measured start."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.players.alphazero import CHAMPION
from agents.review import Effort, Judge, review_hand
from agents.review import calibration as module
from agents.review.calibration import KNEE, Calibration, calibration_of
from agents.review.judge import digest_of
from agents.rewards import equity
from ofc_env import Hand, Rules
from tests.reviewed import played_hand

QUICK = Effort(simulations=60, worlds=24, played_on=4, shown=3, boards=12, redeals=8, openings=32)
STEEP = Calibration(start=0.25, slopes=((0.5, 2.0), (1.5, 1.0), (1.0, 1.0), (0.9, 1.2)))
LEVELS = ("heuristic:careless=0.4,temperature=0.6", "heuristic")


def test_points_behind_are_multiplied_up_to_a_knee_and_beyond_it() -> None:
    assert STEEP.factor(0, 0.4) * 0.4 == pytest.approx(0.2)
    assert STEEP.factor(0, 3.0) * 3.0 == pytest.approx(0.5 * KNEE + 2.0 * (3.0 - KNEE))
    assert STEEP.factor(0, -0.2) == 0.5
    assert STEEP.factor(4, 3.0) == 1.0  # the last turn is solved
    for turn in range(4):
        behind = np.linspace(-1.0, 8.0, 200)
        corrected = np.array([each * STEEP.factor(turn, float(each)) for each in behind])
        assert np.all(np.diff(corrected) > 0)
        assert np.abs(np.diff(corrected)).max() < 2.0 * (behind[1] - behind[0]) + 1e-9  # no jump at the knee


def test_costs_errors_and_intervals_follow_the_factor() -> None:
    plain, steep = (Judge(effort=QUICK, calibration=each) for each in (Calibration(), STEEP))
    changed = 0
    for seed in (1, 2):
        hand = played_hand(LEVELS, seed=seed)
        for before, after in zip(
            review_hand(hand, 0, plain).decisions, review_hand(hand, 0, steep).decisions, strict=True
        ):
            assert (before.best, before.played) == (after.best, after.played)
            behind = {option.placement: option for option in before.options}
            for option in after.options:
                was = behind[option.placement]
                factor = STEEP.factor(after.turn, was.behind)
                assert option.behind == pytest.approx(factor * was.behind, abs=2e-4)
                assert option.behind_error == pytest.approx(factor * was.behind_error, abs=2e-4)
            if before.grade != "best" and before.turn in (0, 1, 3):
                changed += after.cost != before.cost
            if before.turn == 4:
                assert after == before
    assert changed >= 3


def test_against_fantasyland_nothing_is_corrected() -> None:
    hand = played_hand(LEVELS, seed=3, widths=(0, 14))
    plain, steep = (
        review_hand(hand, 0, Judge(effort=QUICK, calibration=each)) for each in (Calibration(), STEEP)
    )
    assert plain.decisions == steep.decisions


def test_a_measured_start_is_taken() -> None:
    judge = Judge(effort=QUICK, calibration=STEEP)
    assert judge.start_value(Hand(seed=1), 0) == 0.25
    assert judge.start_value(Hand(seed=1), 1) == -0.25
    assert judge.start_value(Hand(seed=1, button=1), 1) == 0.25
    judged = Judge(effort=QUICK, calibration=Calibration()).start_value(Hand(seed=1), 0)
    assert judged != 0.25
    assert abs(judged) < 3


def test_a_judge_uses_what_was_measured_for_its_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "calibration.json"
    monkeypatch.setattr(module, "FILE", file)
    calibration_of.cache_clear()
    try:
        unknown = Judge(effort=QUICK)
        assert unknown.calibration == Calibration()
        assert not unknown.name.endswith("calibrated")
        calibration_of.cache_clear()
        entry = {"start": 0.25, "slopes": STEEP.slopes, "rules": "house"}
        file.write_text(json.dumps({digest_of(CHAMPION): entry, "other": {**entry, "start": 9.0}}))
        known = Judge(effort=QUICK)
        assert known.calibration == STEEP
        assert known.name == f"{unknown.name} calibrated"  # what was kept of the other is not taken for its
        other = equity(Rules(), (1.0, 2.0, 3.0, 4.0))
        assert Judge(effort=QUICK, reward=other).calibration == Calibration()  # measured in other points
    finally:
        calibration_of.cache_clear()


@pytest.mark.prove
def test_the_champion_was_measured() -> None:
    found = calibration_of(digest_of(CHAMPION))
    assert found is not None, "the champion was replaced: python experiments/calibrate_judge.py --write"
    for below, above in found.slopes:
        assert 0.5 < below < 2.0
        assert 0.5 < above < 2.0
