"""A width fixed beforehand: as many deals as it takes by their spread, whatever they say of the players."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.arena import Adjusting, MatchSettings, play_match, play_sessions
from agents.arena.estimates import Estimate, estimate
from agents.arena.league import play_league
from experiments import benchmark

PLAIN = MatchSettings(seed=4, progress=False)
JUDGED = replace(PLAIN, adjust=Adjusting(redeals=4))


def test_samples_follow_from_the_spread_alone() -> None:
    """Half the width takes four times the samples, and a fiftieth; the mean has no say."""
    wide = Estimate(mean=0.0, error=1.0, count=1001)
    assert wide.samples_for(wide.margin) == wide.samples_for(5.0) == 1001
    assert wide.samples_for(wide.margin / 2) == pytest.approx(1.02 * 4 * 1001, abs=1)
    for mean in (-7.0, 0.01, 40.0):
        assert replace(wide, mean=mean).samples_for(0.3) == wide.samples_for(0.3)
    assert estimate(np.zeros(5)).samples_for(0.1) == 5, "equal players need no more"


def test_intervals_that_end_at_a_width_hold_the_truth() -> None:
    """In 95 of 100 measurements of samples with a long tail; nobody is called better more often than that."""
    generator = np.random.default_rng(7)
    inside, above = 0, 0
    for _ in range(1000):
        samples = generator.gamma(1.0, 10.0, 100) - 10
        while (found := estimate(samples)).samples_for(0.9) > len(samples):
            more = found.samples_for(0.9) - len(samples)
            samples = np.concatenate([samples, generator.gamma(1.0, 10.0, more) - 10])
        inside += found.low < 0 < found.high
        above += found.low > 0
    assert 930 < inside < 970
    assert above < 40


@pytest.mark.parametrize("settings", [PLAIN, JUDGED], ids=["plain", "less luck"])
def test_a_match_goes_on_until_it_has_its_width(settings: MatchSettings, tmp_path: Path) -> None:
    wanted = replace(settings, width=2.0)
    found = play_match("heuristic", "random", 20, wanted)
    assert found.deals > 20
    assert found.worth.margin <= 2.0
    assert found.worth is (found.equity if settings is PLAIN else found.adjusted)
    whole = play_match("heuristic", "random", found.deals, settings)
    assert found.worth == whole.worth, "the same deals as any match of so many"

    store = tmp_path / "match.jsonl"
    play_match("heuristic", "random", 25, settings, store)  # begun by somebody, some way on
    resumed = play_match("heuristic", "random", 20, replace(wanted, processes=2), store, resume=True)
    assert (resumed.deals, resumed.worth) == (found.deals, found.worth)
    assert play_match("heuristic", "heuristic", 5, wanted).deals == 5


def test_sessions_have_a_width_in_chips() -> None:
    found = play_sessions("heuristic", "random", 4, replace(PLAIN, width=20.0))
    assert found.sessions > 4
    assert found.chips.margin <= 20.0


@pytest.mark.parametrize("kept", [True, False])
def test_all_matches_of_a_league_have_the_width_on_the_same_deals(kept: bool, tmp_path: Path) -> None:
    names = ["heuristic", "random", "random:seed=1"]
    league = play_league(names, 20, replace(PLAIN, width=2.5), tmp_path if kept else None)
    assert {match.deals for match in league.matches} == {league.deals}
    assert all(match.equity.margin <= 2.5 for match in league.matches)
    again = play_league(names, league.deals, PLAIN)
    assert [match.equity for match in again.matches] == [match.equity for match in league.matches]


def test_benchmark_takes_a_width(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--agents", "heuristic", "random", "--deals", "20", "--processes", "1", "--out", str(tmp_path)]
    assert benchmark.main([*words, "--width", "2", "--sessions", "1"]) == 0
    report = json.loads((tmp_path / "benchmark.json").read_text())
    interval = report["matches"][0]["equity"]
    assert report["deals"] > 20
    assert (interval["high"] - interval["low"]) / 2 <= 2
    assert report["sessions"][0]["sessions"] == 1
    for bad, sentence in (("0", "--width is 0.0: it must be more than 0"), ("wide", "wide")):
        assert benchmark.main([*words, "--width", bad]) == 2
        assert sentence in capsys.readouterr().err
    assert benchmark.main(["--protocol", "v1", "--width", "1"]) == 2
    assert "--width is fixed by protocol v1" in capsys.readouterr().err


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"no match has an interval of ± -1: give a width above 0"):
        play_match("random", "random", 4, replace(PLAIN, width=-1))
    with pytest.raises(ValueError, match="the spread of 1 deals is not known: begin with 2 or more"):
        play_match("random", "random", 1, replace(PLAIN, width=1))
    with pytest.raises(ValueError, match="give a width above 0"):
        play_league(["random", "heuristic"], 4, replace(PLAIN, width=float("nan")))
