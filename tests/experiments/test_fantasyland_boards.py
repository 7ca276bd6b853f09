"""What fantasyland set against likely boards gains: the same hands twice, scored against the same boards."""

import json

import numpy as np
import pytest

from agents import make
from experiments import fantasyland_boards
from experiments.fantasyland_boards import Config, Task, gain_of, opponent_boards, play
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
    config = Config(agent="heuristic", rules=rules)
    deck = np.random.default_rng(3).permutation(Rules.parse(rules).num_cards).tolist()
    agent = make("heuristic", Rules.parse(rules))
    normal, fantasyland = (
        opponent_boards(Task((15, other), 0, 1, config), deck[:15], [deck[15:]], agent)[0]
        for other in (0, 14)
    )
    assert {*normal.top, *normal.middle, *normal.bottom} <= set(deck[15:32])
    assert fantasyland == solve_fantasyland(deck[15:29], rules=Rules.parse(rules)).board


def test_gains_are_of_the_settings_alone():
    """Hands that are set alike gain nothing; points and stays are counted apart."""
    gains = play(Task((14, 0), 0, 12, Config(agent="heuristic", boards=8, opponents=2)))
    assert gains.shape == (12, 3)
    assert not gains[gains[:, 2] == 0].any()
    assert (play(Task((14, 0), 4, 3, Config(agent="heuristic", boards=8, opponents=2))) == gains[4:7]).all()
    gain = gain_of((15, 0), np.array([[1.0, 0.0, 1.0], [2.0, -1.0, 1.0], [0.0, 0.0, 0.0]]), Rules())
    assert gain.points.mean == pytest.approx(1.0)
    assert gain.equity.mean == pytest.approx(1.0 - 8.3 / 3)
    assert gain.changed == pytest.approx(2 / 3)


def test_boards_gain_points():
    """Against boards of the very player that samples them: a mean well above 0."""
    gains = np.concatenate(
        [
            play(Task((14, 0), first, 50, Config(agent="heuristic", boards=32, seed=5)))
            for first in (0, 50, 100)
        ]
    )
    gain = gain_of((14, 0), gains, Rules())
    assert gain.equity.low > 0


def test_refusals(tmp_path, capsys):
    out = ["--out", str(tmp_path / "boards.json")]
    assert fantasyland_boards.main(["--rules", "no_fantasyland", *out]) == 2
    assert "nobody wins fantasyland by the rules 'no_fantasyland'" in capsys.readouterr().err
    assert fantasyland_boards.main(["--boards", "0", *out]) == 2
    assert "--boards is 0: it must be 1 or more" in capsys.readouterr().err
    assert fantasyland_boards.main(["--boards", "5000", *out]) == 2
    assert "--boards is 5000: it must be 4096 or less" in capsys.readouterr().err
