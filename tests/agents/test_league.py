"""Ratings: right on matches whose answer is known, and saved so that people and programs can read them."""

import csv
import json
import sys

import numpy as np
import pytest

from agents.arena import MatchSettings
from agents.arena.estimates import Estimate, estimate, ratio, student_quantile
from agents.arena.league import bradley_terry, least_squares, play_league, rate, save_league
from agents.arena.results import MatchResult

QUIET = MatchSettings(progress=False)


def match(first, second, equities):
    """A match of known results, equity = points."""
    points = np.stack([equities, equities], axis=1)
    shape = (len(equities), 2, 2)
    arrays = {"points": points, "value": np.stack([points, -points], axis=2)}
    arrays |= {name: np.zeros(shape, dtype=np.int64) for name in ("foul", "fantasyland", "royalties")}
    arrays |= {"seconds": np.ones(2), "decisions": np.full(2, 10)}
    return MatchResult.from_arrays((first, second), 0, arrays)


def test_elo_of_two_agents_is_the_odds():
    pairs = np.array([[0, 1]])
    elo = bradley_terry(2, pairs, np.array([[909.0], [500.0], [1000.0]]), 1000)
    assert elo.sum(axis=1) == pytest.approx(3000)
    assert elo[0, 0] - elo[0, 1] == pytest.approx(400, abs=2)
    assert elo[1, 0] - elo[1, 1] == pytest.approx(0, abs=1)
    assert 1000 < elo[2, 0] - elo[2, 1] < 1500, "a clean sweep has a finite rating"


def test_elo_fits_a_chain():
    strengths = np.array([4.0, 2.0, 1.0])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    chances = np.array([[strengths[a] / (strengths[a] + strengths[b]) for a, b in pairs]])
    elo = bradley_terry(3, pairs, chances * 1e6, 10**6)[0]
    assert elo[0] - elo[1] == pytest.approx(400 * np.log10(2), abs=0.5)
    assert elo[1] - elo[2] == pytest.approx(400 * np.log10(2), abs=0.5)


def test_least_squares_gives_the_margins_back():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    ratings = least_squares(3, pairs, np.array([[2.0, 5.0, 3.0]]))[0]
    assert ratings == pytest.approx([7 / 3, 1 / 3, -8 / 3])


def test_intervals_hold_the_truth():
    generator = np.random.default_rng(0)
    names = ["a", "b", "c"]
    inside = 0
    for trial in range(60):
        matches = [
            match(first, second, generator.normal(lead, 10, 200))
            for first, second, lead in (("a", "b", 1), ("a", "c", 3), ("b", "c", 2))
        ]
        best = next(r for r in rate(names, matches, seed=trial, draws=200) if r.name == "a")
        inside += best.equity_low < 4 / 3 < best.equity_high
    assert 50 <= inside <= 60  # 57 expected


def test_ratings_are_sorted_and_describe_habits():
    ratings = rate(["weak", "strong"], [match("weak", "strong", np.array([-1.0, -2.0, 0.0, -1.0]))])
    assert [rating.name for rating in ratings] == ["strong", "weak"]
    assert ratings[0].equity == pytest.approx(0.5)
    assert ratings[0].milliseconds == pytest.approx(100)
    assert ratings[0].elo_low <= ratings[0].elo <= ratings[0].elo_high


def test_league_is_played_and_saved(tmp_path):
    names = ["random", "random:seed=1", "random:seed=2"]
    league = play_league(names, 30, QUIET, tmp_path / "matches")
    assert [match.agents for match in league.matches] == [
        ("random", "random:seed=1"),
        ("random", "random:seed=2"),
        ("random:seed=1", "random:seed=2"),
    ]
    assert sorted(rating.name for rating in league.ratings) == names
    assert league.equity("random:seed=1", "random") == -league.equity("random", "random:seed=1")
    assert np.isnan(league.equity("random", "random"))
    paths = save_league(league, tmp_path / "out", "table")
    assert [path.name for path in paths] == ["table.json", "table.csv", "table.png"]
    data = json.loads(paths[0].read_text())
    assert (data["deals"], len(data["matches"]), len(data["ratings"])) == (30, 3, 3)
    with paths[1].open() as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [rating.name for rating in league.ratings]
    assert float(rows[0]["elo"]) == league.ratings[0].elo
    assert paths[2].read_bytes().startswith(b"\x89PNG")
    for name in names:
        assert name in league.text()

    again = play_league(names, 30, QUIET, tmp_path / "matches", resume=True)
    assert [rating.elo for rating in again.ratings] == [rating.elo for rating in league.ratings]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["random"], "a league of 1 has no match"),
        (["random", "random"], "random is named twice"),
        (["random", "nobody"], "no agent is named 'nobody'"),
    ],
)
def test_leagues_refuse_with_a_sentence(names, sentence):
    with pytest.raises(ValueError, match=sentence):
        play_league(names, 3, QUIET)
    with pytest.raises(ValueError, match="a league ranks its agents"):
        play_league(["random", "random:seed=1"], 3, MatchSettings(allow_open=True))


# ---------------------------------------------------------------- estimates


def test_estimates():
    numbers = estimate([1.0, 2.0, 3.0, 4.0])
    assert (numbers.mean, numbers.count) == (2.5, 4)
    assert numbers.error == pytest.approx(np.sqrt(5 / 3) / 2)
    assert numbers.margin == pytest.approx(3.182 * numbers.error, rel=0.01)
    assert numbers.low == numbers.mean - numbers.margin
    assert numbers.text() == "+2.50 ± 2.04"
    assert numbers.scaled(-2).mean == -5
    assert numbers.scaled(-2).error == 2 * numbers.error
    assert Estimate(-0.0, 0.0, 9).text() == "+0.00 ± 0.00"
    assert estimate([]).text() == "-"
    assert estimate([3.0]).to_dict() == {"mean": 3.0, "error": None, "low": None, "high": None, "count": 1}


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (1000, 1.962)]
)
def test_student(freedom, value):
    assert student_quantile(freedom) == pytest.approx(value, rel=0.01)


def test_ratio():
    generator = np.random.default_rng(1)
    hands = generator.integers(5, 50, size=4000)
    fouls = generator.binomial(hands, 0.3)
    share = ratio(fouls, hands)
    assert share.mean == fouls.sum() / hands.sum()
    assert share.error == pytest.approx(np.sqrt(0.3 * 0.7 / hands.sum()), rel=0.1)
    assert np.isnan(ratio([0, 0], [0, 0]).mean)


def test_a_league_is_kept_without_matplotlib(tmp_path, monkeypatch, capsys):
    league = play_league(["random", "random:seed=1"], 4, QUIET)
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    paths = save_league(league, tmp_path, "table")
    assert [path.name for path in paths] == ["table.json", "table.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv", "table.json"]
    assert "needs matplotlib, which is not installed: pip install 'ofc-env[train]'" in capsys.readouterr().out
