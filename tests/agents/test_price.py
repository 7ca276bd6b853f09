"""Luck is judged where that is cheaper than more deals; the choice is said, kept, and one for a league."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import agents
from agents.arena import Adjusting, MatchSettings, match, play_match, play_sessions
from agents.arena.league import play_league
from agents.arena.price import Price, measure
from agents.base import Observation
from agents.rewards import equity
from ofc_env import Rules
from tests.players import FirstSlot, LastSlot

PLAIN = MatchSettings(seed=3, progress=False)
AUTO = replace(PLAIN, adjust=Adjusting(redeals=2, always=False))
ALWAYS = replace(PLAIN, adjust=Adjusting(redeals=2))


class Slow(LastSlot):
    """Thinks for three milliseconds of processor time."""

    def act(self, observation: Observation) -> int:
        until = time.process_time() + 0.003
        while time.process_time() < until:
            pass
        return super().act(observation)


def never(*_: Any) -> Any:
    raise AssertionError("nothing is to be measured here")


def test_cheaper_is_what_reaches_a_width_sooner() -> None:
    """As good as 8 times the deals: it may cost up to 7 times the play, beside the play itself."""
    assert Price(play=1, judge=6.9, gain=8).pays
    assert not Price(play=1, judge=7.1, gain=8).pays
    assert not Price(play=1, judge=0, gain=0.9).pays
    assert Price(1, 6.9, 8).sentence() == (
        "judging luck takes 6.9 times the time of play and is as good as about 8 times the deals: "
        "luck is judged"
    )
    assert "takes 14 times the time of play" in Price(0.5, 7.1, 8).sentence()
    assert (
        Price(0.5, 7.1, 8)
        .sentence()
        .endswith("more plain deals are cheaper, so luck is not judged (--adjust 24 or Adjusting() does)")
    )
    assert Price.together([Price(1, 2, 3), Price(3, 4, 5)]) == Price(2, 3, 4)


def test_the_gain_is_measured_where_deals_are_cheap() -> None:
    """Of fast players 64 deals are played: between these two, judging takes most of the noise away."""
    players = (agents.make("alphazero:sims=0"), agents.make("heuristic"))
    price = measure(Adjusting(), "hands", players, 3, Rules(), equity(Rules()))
    result = play_match("alphazero:sims=0", "heuristic", 64, replace(PLAIN, adjust=Adjusting()))
    assert result.adjusted is not None
    assert price.gain == pytest.approx((result.equity.error / result.adjusted.error) ** 2)
    assert price.judge > price.play > 0


@pytest.mark.parametrize("play", [play_match, play_sessions])
def test_fast_players_play_plain_deals(play: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = play("heuristic", "random", 4, replace(AUTO, progress=True))
    assert found.adjusted is None
    assert "so luck is not judged" in capsys.readouterr().err
    assert found.to_dict()["agents"] == play("heuristic", "random", 4, PLAIN).to_dict()["agents"]
    assert play("heuristic", "random", 4, ALWAYS).adjusted is not None, "who asks for it gets it"


def test_slow_players_have_their_luck_judged(capsys: pytest.CaptureFixture[str]) -> None:
    found = play_match(Slow(), "heuristic", 3, replace(AUTO, progress=True))
    assert capsys.readouterr().err.splitlines()[0].endswith("luck is judged")
    assert found.adjusted == play_match(Slow(), "heuristic", 3, ALWAYS).adjusted


def test_a_match_goes_on_as_it_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "measure", never)
    for begun in (PLAIN, ALWAYS):
        store = tmp_path / "match.jsonl"
        play_match("heuristic", "random", 3, begun, store)
        resumed = play_match("heuristic", "random", 5, AUTO, store, resume=True)
        whole = play_match("heuristic", "random", 5, begun)
        assert (resumed.equity, resumed.adjusted) == (whole.equity, whole.adjusted)
    other = replace(AUTO, adjust=Adjusting(redeals=3, always=False))
    with pytest.raises(ValueError, match="holds another match"):
        play_match("heuristic", "random", 5, other, store, resume=True)


def test_a_damaged_file_is_told_by_whoever_reads_it(tmp_path: Path) -> None:
    store = tmp_path / "match.jsonl"
    store.write_text("not a match\n{}\n")
    with pytest.raises(ValueError, match="is damaged in line 1"):
        play_match("heuristic", "random", 2, AUTO, store, resume=True)


@pytest.mark.parametrize("pays", [True, False])
def test_a_league_decides_once(pays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings of matches with and without luck would not be on one scale."""
    asked = []

    def price(adjust: Adjusting, kind: str, players: Any, *_: Any) -> Price:
        asked.append([type(player) for player in players])
        return Price(play=1, judge=0.1 if pays or len(asked) == 1 else 100, gain=8)

    monkeypatch.setattr(match, "measure", price)
    names = ["heuristic", "random", "random:seed=1"]
    league = play_league(names, 2, AUTO, tmp_path)
    assert [found.adjusted is not None for found in league.matches] == [pays] * 3
    assert len(asked) == 3
    monkeypatch.setattr(match, "measure", never)
    again = play_league(names, 3, AUTO, tmp_path, resume=True)
    assert [found.adjusted is not None for found in again.matches] == [pays] * 3


def test_without_a_judge_deals_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    spoken = replace(AUTO, progress=True)
    rules = replace(spoken, rules=Rules.preset("fixed14"), fantasyland_values=(8, 0, 0, 0))
    assert play_match("random", "random:seed=1", 2, rules).adjusted is None
    assert "luck is not judged: no network is shipped for the rules 'fixed14'" in capsys.readouterr().err
    seeing = replace(spoken, allow_open=True)
    assert play_match("mcts-open:simulations=5", "random", 2, seeing).adjusted is None
    assert "luck is not judged: an agent sees the deck" in capsys.readouterr().err


def test_objects_play_the_match_that_names_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured beforehand changes nothing of the match."""
    assert (
        play_match(FirstSlot(), LastSlot(), 4, AUTO).equity
        == play_match("tests.players:FirstSlot", "tests.players:LastSlot", 4, PLAIN).equity
    )
