"""The equations behind the fantasyland table, on chains whose values are known, and a short run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import fantasyland_value
from experiments.fantasyland_value import VALUES, main, solve_states, values_of, write_values
from experiments.standings import fantasyland_hands
from experiments.standings.fantasyland_hands import STATES, WIDTHS, Outcomes, Round, Settings
from ofc_env import Rules


def outcomes_of(points: float, moves: dict[tuple[int, int], float]) -> Outcomes:
    """Two deals that both say the same: points of seat 0, and chances of the pairs that are left."""
    table = np.zeros((2, len(STATES), len(STATES)))
    for (mine, theirs), chance in moves.items():
        table[:, STATES.index(mine), STATES.index(theirs)] = chance
    return Outcomes(np.full(2, points), table, np.zeros((2, 2)), np.zeros(2))


def solved(single: dict[int, Outcomes], both: Outcomes) -> np.ndarray:
    outcomes = {(width, 0): outcome for width, outcome in single.items()}
    outcomes.update(dict.fromkeys(Settings().pairs, both))
    return solve_states(outcomes, lambda lines: lines.mean(axis=0))


def test_a_chain_of_stays_is_a_geometric_series() -> None:
    """10 points a hand and half the hands stay with 14 cards: V14 = 20; the others stay into that."""
    single = {width: outcomes_of(float(width), {(14, 0): 0.5, (0, 0): 0.5}) for width in WIDTHS}
    single[14] = outcomes_of(10.0, {(14, 0): 0.5, (0, 0): 0.5})
    states = solved(single, outcomes_of(0.0, {(0, 0): 1.0}))
    assert values_of(states) == pytest.approx([20, 25, 26, 27])
    assert states == pytest.approx(-states.T)
    assert states[0, 0] == 0


def test_what_the_opponent_wins_is_taken_off() -> None:
    """No stays; the opponent wins 14 cards in a quarter of its hands: V = 12 - V / 4."""
    single = {width: outcomes_of(12.0, {(0, 14): 0.25, (0, 0): 0.75}) for width in WIDTHS}
    states = solved(single, outcomes_of(0.0, {(0, 0): 1.0}))
    assert values_of(states)[0] == pytest.approx(9.6)
    assert values_of(states)[1:] == pytest.approx([12 - 9.6 / 4] * 3)


def test_both_in_fantasyland_is_a_state_of_its_own() -> None:
    """From (w, 0) always to (14, 15): V = 1 + h(14, 15), and that pair is worth -5, and then nothing."""
    single = {width: outcomes_of(1.0, {(14, 15): 1.0}) for width in WIDTHS}
    states = solved(single, outcomes_of(-5.0, {(0, 0): 1.0}))
    assert values_of(states) == pytest.approx([-4] * 4)
    assert states[STATES.index(15), STATES.index(14)] == pytest.approx(5)


def test_a_short_run_writes_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.json"
    assert main(["--hands", "50", "--both", "50", "--boards", "2", "--out", str(out)]) == 0
    content = json.loads(out.read_text())
    assert out.with_suffix(".png").stat().st_size > 1000
    assert [line["cards"] for line in content["widths"]] == list(WIDTHS)
    values = [line["value"] for line in content["widths"]]
    assert values == sorted(values)
    assert all(5 < value < 45 for value in values)
    assert all(0 < line["margin"] < 15 for line in content["widths"])
    assert content["command"].endswith(str(out))
    assert "both in fantasyland" in capsys.readouterr().out


SHORT = ["--hands", "60", "--both", "50", "--boards", "2", "--start", "11", "18", "25", "31"]


def test_a_run_that_was_stopped_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed in the middle of a line, it finds the same values; what was played is not played again."""

    out = tmp_path / "table.json"

    def found(*more: str) -> dict[str, Any]:
        assert main([*SHORT, "--out", str(out), *more]) == 0
        content = json.loads(out.read_text())
        return {part: content[part] for part in ("rounds", "widths", "both_in_fantasyland")}

    monkeypatch.setattr(fantasyland_value, "RESAMPLES", 30)
    whole = found()
    rounds = [tmp_path / f"table.round_{number + 1}.jsonl" for number in range(len(whole["rounds"]))]
    assert len(rounds) > 1
    rounds[-1].unlink()
    lines = rounds[-2].read_text().splitlines(keepends=True)
    rounds[-2].write_text("".join(lines[:5]) + lines[5][:70])
    out.unlink()
    assert found("--resume", "--processes", "2") == whole
    assert rounds[-2].read_text().splitlines(keepends=True)[:5] == lines[:5]

    monkeypatch.setattr(fantasyland_hands, "play", None)  # all of it is there
    assert found("--resume") == whole
    assert main([*SHORT, "--resume", "--out", str(out), "--seed", "1"]) == 2
    assert "holds another match (seed was 0 and is now 1)" in capsys.readouterr().err


def test_deals_of_a_round_are_those_of_its_pairs() -> None:
    """However it is cut up; every pair has all of its deals once."""
    played = Round(Settings(rules="fixed14 stay_cards=16"), (8, 8, 8, 8), 30, 20)
    assert played.deals == {(14, 0): 30, (16, 0): 30, (14, 16): 20}
    for size in (7, 30, 80):
        found: dict[tuple[int, int], list[int]] = {}
        for first in range(0, 80, size):
            for pair, deals in played.pieces(first, min(size, 80 - first)):
                found.setdefault(pair, []).extend(deals)
        assert found == {pair: list(range(deals)) for pair, deals in played.deals.items()}


@pytest.mark.parametrize(("option", "value"), [("--hands", "3"), ("--boards", "0"), ("--agent", "nobody")])
def test_bad_options_are_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option, value]) == 2
    assert value in capsys.readouterr().err


def test_only_fantasylands_that_can_be_won_or_kept_are_played() -> None:
    assert Settings().pairs == [(w, u) for w in WIDTHS for u in WIDTHS if w < u]
    assert Settings(rules="fixed14").pairs == []
    assert Settings(rules="fixed14 stay_cards=16").pairs == [(14, 16)]


def test_values_by_rules_are_written_into_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / VALUES.name
    table.write_text(VALUES.read_text())
    monkeypatch.setattr(fantasyland_value, "VALUES", table)
    words = ["--hands", "50", "--both", "50", "--boards", "2", "--out", str(tmp_path / "values.json")]
    rules = "fixed14 jokers=1 button_acts=last"
    odd = f"{rules} chips=77"
    assert main([*words, "--rules", odd, "--start", "8", "8", "8", "8", "--write"]) == 0
    assert "make build takes it in" in capsys.readouterr().out
    content = json.loads((tmp_path / "values.json").read_text())
    assert [line["cards"] for line in content["widths"]] == [14]
    assert content["rules"] == str(Rules.parse(odd))
    *kept, line = table.read_text().splitlines()
    assert kept == VALUES.read_text().splitlines()
    value = content["widths"][0]["value"]  # stacks make no difference to a hand, so the line leaves them out
    begin = f'{{"{rules}", {{{value:.1f}, 0.0, 0.0, 0.0}}}},  // python experiments/fantasyland_value.py'
    assert line.startswith(begin)

    write_values(table, Rules.parse(odd), [1.3], "again")  # in place of the older ones
    assert table.read_text().splitlines() == [*kept, f'{{"{rules}", {{1.3, 0.0, 0.0, 0.0}}}},  // again']


def test_rules_without_fantasyland_have_nothing_to_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rules", "no_fantasyland"]) == 2
    assert "nobody wins a fantasyland under the rules 'no_fantasyland'" in capsys.readouterr().err
