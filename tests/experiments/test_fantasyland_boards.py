"""What fantasyland set against likely boards gains: the same hands twice, scored against the same boards."""

import json

import numpy as np
import pytest

from agents import make
from experiments import fantasyland_boards
from experiments.fantasyland_boards import Config, gain_of, opponent_boards, play
from ofc_env import Rules, solve_fantasyland


def test_a_small_run(tmp_path, capsys):
    out = tmp_path / "boards.json"
    words = ["--agent", "heuristic", "--hands", "30", "--boards", "8", "--opponents", "2", "--sessions", "2"]
    assert fantasyland_boards.main([*words, "--processes", "1", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "14 cards v heuristic" in printed
    assert "14 cards v 14 cards" in printed
    assert "heuristic:fantasyland_boards=8 v heuristic, 2 duplicate sessions" in printed
    found = json.loads(out.read_text())
    assert [line["widths"] for line in found["widths"]] == [[14, 0], [15, 0], [16, 0], [17, 0], [14, 14]]
    assert all(line["equity"]["count"] == 30 and line["changed"] > 0 for line in found["widths"])


@pytest.mark.parametrize("rules", ["house", "standard"])
def test_opponents_hold_only_what_is_left(rules):
    """By either order of play, and the one in fantasyland is set by the solver."""
    played_by = Rules.parse(rules)
    deck = np.random.default_rng(3).permutation(played_by.num_cards).tolist()
    agent = make("heuristic", played_by)
    normal, fantasyland = (
        opponent_boards(agent, (15, other), deck[:15], [deck[15:]], played_by)[0] for other in (0, 14)
    )
    assert {*normal.top, *normal.middle, *normal.bottom} <= set(deck[15:32])
    assert fantasyland == solve_fantasyland(deck[15:29], rules=played_by).board


def played(hands, config):
    """Hands of 14 cards against normal play, (hands, 3)."""
    agent = make("heuristic")
    return np.array([play(agent, (14, 0), number, config) for number in range(hands)])


def test_a_run_that_was_stopped_goes_on(tmp_path, monkeypatch, capsys):
    """Killed in the middle of a line it finds the same, and more hands go on where fewer ended."""
    words = ["--agent", "heuristic", "--boards", "8", "--opponents", "2", "--sessions", "2"]

    def found(name, hands, *more):
        out = tmp_path / f"{name}.json"
        assert fantasyland_boards.main([*words, "--hands", str(hands), "--out", str(out), *more]) == 0
        content = json.loads(out.read_text())
        times = [side.pop("seconds_per_decision") for side in content["sessions"]["sides"]]
        assert len(times) == 2
        return content["widths"], content["sessions"]

    monkeypatch.setattr(fantasyland_boards, "CHUNK", 20)
    whole = found("whole", 24, "--processes", "1")
    found("cut", 16, "--processes", "2")
    hands = tmp_path / "cut.hands.jsonl"
    lines = hands.read_text().splitlines(keepends=True)
    hands.write_text("".join(lines[:3]) + lines[3][:40])
    assert found("cut", 24, "--processes", "2", "--resume") == whole
    assert hands.read_text().splitlines(keepends=True)[:3] == lines[:3]
    monkeypatch.setattr(fantasyland_boards, "play", None)  # all of it is there
    assert found("cut", 24, "--resume") == whole
    out = ["--out", str(tmp_path / "cut.json")]
    assert fantasyland_boards.main([*words, "--hands", "24", "--resume", "--seed", "9", *out]) == 2
    assert "holds another match (seed was 0 and is now 9)" in capsys.readouterr().err


def test_gains_are_of_the_settings_alone():
    """Hands that are set alike gain nothing; points and stays are counted apart."""
    gains = played(12, Config(agent="heuristic", boards=8, opponents=2))
    assert gains.shape == (12, 3)
    assert not gains[gains[:, 2] == 0].any()
    gain = gain_of((15, 0), np.array([[1.0, 0.0, 1.0], [2.0, -1.0, 1.0], [0.0, 0.0, 0.0]]), Rules())
    assert gain.points.mean == pytest.approx(1.0)
    assert gain.equity.mean == pytest.approx(1.0 - 8.3 / 3)
    assert gain.changed == pytest.approx(2 / 3)


def test_boards_gain_points():
    """Against boards of the very player that samples them: a mean well above 0."""
    gain = gain_of((14, 0), played(150, Config(agent="heuristic", boards=32, seed=5)), Rules())
    assert gain.equity.low > 0


def test_refusals(tmp_path, capsys):
    out = ["--out", str(tmp_path / "boards.json")]
    assert fantasyland_boards.main(["--rules", "no_fantasyland", *out]) == 2
    assert "nobody wins fantasyland by the rules 'no_fantasyland'" in capsys.readouterr().err
    assert fantasyland_boards.main(["--boards", "0", *out]) == 2
    assert "--boards is 0: it must be 1 or more" in capsys.readouterr().err
    assert fantasyland_boards.main(["--boards", "5000", *out]) == 2
    assert "--boards is 5000: it must be 4096 or less" in capsys.readouterr().err
