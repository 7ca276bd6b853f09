"""Calibrating the rating: a table of levels, and going on with a run to the same numbers."""

import json

from agents.review import HandReview
from experiments import calibrate_rating

SMALL = ["--worlds", "8", "--played-on", "4"]


def test_levels_are_reviewed_and_gone_on_with(tmp_path, capsys):
    words = ["--levels", "novice", "alphazero:sims=0", *SMALL]
    assert calibrate_rating.main([*words, "--hands", "6", "--out", str(tmp_path / "whole")]) == 0
    assert "LEVEL_LOSS = {'novice': " in capsys.readouterr().out
    report = json.loads((tmp_path / "whole" / "rating.json").read_text())
    novice, network = report["levels"]
    assert novice["lost"]["mean"] > network["lost"]["mean"]
    assert abs(sum(novice["grades"].values()) - 1) < 1e-9
    assert report["unexplained"]["count"] == 12
    assert (tmp_path / "whole" / "rating.md").read_text().count("\n") == 4

    parted = tmp_path / "parted"
    assert calibrate_rating.main([*words, "--hands", "2", "--out", str(parted)]) == 0
    with (parted / "hands.jsonl").open("a") as file:
        file.write('{"agent": "cut o')
    assert calibrate_rating.main([*words, "--hands", "6", "--out", str(parted), "--resume"]) == 0
    again = json.loads((parted / "rating.json").read_text())
    assert again["levels"] == report["levels"]
    lines = (parted / "hands.jsonl").read_text().splitlines()[1:]
    assert len(lines) == 12
    assert all(HandReview.from_dict(json.loads(line)["review"]).balance for line in lines)


def test_a_run_with_other_settings_is_not_gone_on_with(tmp_path, capsys):
    words = ["--levels", "novice", *SMALL, "--hands", "2", "--out", str(tmp_path)]
    assert calibrate_rating.main(words) == 0
    assert calibrate_rating.main([*words, "--seed", "1", "--resume"]) == 2
    assert "was measured with other settings" in capsys.readouterr().err
