"""Hindsight as a second opinion: what the fit says of made-up opinions, and the script on a few labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import hindsight, regret
from experiments.referee.labels import read_decisions, read_measurement
from experiments.referee.second_opinion import Opinions, fit, held_out_choices, line_of, opinions_of
from ofc_env import InformationSet, Placement, _core

LABELS = regret.Config(
    agent="heuristic", judge="heuristic", decisions=32, worlds=16, block=8, fresh=8, processes=1, seed=5
)
QUICK = ["--judge", "heuristic", "--futures", "16", "--first", "3", "--folds", "2", "--processes", "1"]


# --- made-up opinions ----------------------------------------------------------------------


def made_up(share: float, decisions: int = 400, noise: float = 0.3, seed: int = 1) -> list[Opinions]:
    """Placements that are worth what the network says and a share of what hindsight says."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(decisions):
        network, second = generator.normal(size=(2, 6)) + generator.normal(0, 9, (2, 1))
        level = generator.normal(0, 9)
        values = network + share * second + level + generator.normal(0, noise, 6)
        found.append(Opinions(0, network, second, values, np.full(6, noise), int(np.argmax(network))))
    return found


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_the_fit_finds_what_was_put_in(share: float) -> None:
    network, second = fit(made_up(share))
    assert network.low < 1 < network.high
    assert second.low < share < second.high
    assert network.count == 400
    assert 0.001 < second.error < 0.02


def test_intervals_are_as_wide_as_fits_differ() -> None:
    fits = [fit(made_up(0.2, decisions=60, noise=1.0, seed=seed))[1] for seed in range(200)]
    spread = np.std([each.mean for each in fits])
    assert spread == pytest.approx(np.mean([each.error for each in fits]), rel=0.15)


def test_a_decision_is_one_sample() -> None:
    """The same placements twice over make nobody surer."""
    once = made_up(0.2, decisions=50)
    twice = [
        replace(
            each,
            network=np.tile(each.network, 2),
            hindsight=np.tile(each.hindsight, 2),
            values=np.tile(each.values, 2),
            errors=np.tile(each.errors, 2),
        )
        for each in once
    ]
    for first, second in zip(fit(once), fit(twice), strict=True):
        assert first.mean == pytest.approx(second.mean)
        assert first.error == pytest.approx(second.error)


def test_placements_with_wide_errors_count_less() -> None:
    decisions = made_up(0.0, decisions=100)
    for each in decisions:
        each.values[0] += 5 * each.hindsight[0]  # one placement of each tells another story
    loud = fit(decisions)[1].mean
    for each in decisions:
        each.errors[0] = 50.0
    assert abs(fit(decisions)[1].mean) < 0.05 < loud


def test_a_mixture_gains_where_there_is_something_and_nothing_elsewhere() -> None:
    useful = line_of("all", made_up(0.8), 10)
    assert useful.mixture.low > 0.1
    assert useful.hindsight.mean < useful.mixture.mean
    assert useful.shares[1.0].low > 0
    assert useful.agent.mean == 0
    assert useful.above_agent == useful.mixture
    assert useful.changed.hits > 50
    useless = line_of("all", made_up(0.0), 10)
    assert useless.mixture.low < 0 < useless.mixture.high or useless.changed.hits == 0
    assert useless.hindsight.high < -0.5


def test_choices_are_made_without_the_decision_itself() -> None:
    decisions = made_up(0.8, decisions=20)
    before = held_out_choices(decisions, 5)
    decisions[7] = Opinions(
        0, decisions[7].network, decisions[7].hindsight, -1000 * decisions[7].values, decisions[7].errors, 0
    )
    assert held_out_choices(decisions, 5)[7] == before[7]


def test_equals_go_to_the_network() -> None:
    each = Opinions(0, np.array([1.0, 3.0, 2.0]), np.zeros(3), np.array([5.0, 6.0, 8.0]), np.ones(3), 2)
    assert each.by(0, 1) == 1
    assert each.gain(2) == 2
    assert each.gain(each.by(1, 0)) == 0


# --- the script ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    regret.measure(LABELS, folder)
    return folder / "decisions.jsonl"


def run(labels: Path, folder: Path, *words: str) -> int:
    return hindsight.main(["--labels", str(labels), "--out", str(folder), *QUICK, *words])


def weighed(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "opinions.jsonl").read_text().splitlines()[1:]
    found = {line["first"]: line["results"]["decision"][0] for line in map(json.loads, lines)}
    return [found[number] for number in sorted(found)]


def test_the_script(labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(labels, tmp_path, "--fresh", "8") == 0
    text = capsys.readouterr().out
    assert "mixture gains" in text
    report = json.loads((tmp_path / "hindsight.json").read_text())
    plain = [each for _, each in sorted(read_decisions(labels)) if each["drawn"] == "plain"]
    assert sum(line["agent"]["count"] for line in report["lines"]) == len(plain)
    found = weighed(tmp_path)
    assert [each["turn"] for each in found] == [each["turn"] for each in plain]
    for decision, each in zip(plain, found, strict=True):
        places = each["placements"]
        assert {0, 1, decision["chosen"]} <= set(places)
        assert each["network"] == [decision["priors"][place] for place in places]
        assert len(each["values"]) == len(each["hindsight"]) == len(places) <= 7
        assert places[opinions_of(each).agent] == decision["chosen"]
    # What a placement is worth is not the luck of the race, nor what hindsight says.
    assert any(abs(a - b) > 0.01 for each in found for a, b in zip(each["values"], each["hindsight"]))
    # A run that was cut off goes on to the same.
    kept = (tmp_path / "opinions.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "opinions.jsonl").write_text("".join(kept[:5]))
    assert run(labels, tmp_path, "--fresh", "8", "--resume") == 0
    assert weighed(tmp_path) == found
    assert json.loads((tmp_path / "hindsight.json").read_text())["lines"] == report["lines"]


def test_by_the_labels_own_worlds(labels: Path, tmp_path: Path) -> None:
    assert run(labels, tmp_path, "--fresh", "0", "--turns", "0", "2") == 0
    found = weighed(tmp_path)
    assert {each["turn"] for each in found} == {0, 2}
    judged = [each for _, each in sorted(read_decisions(labels)) if each["drawn"] == "plain"]
    first = next(each for each in judged if each["turn"] == 0)
    assert found[0]["placements"] == first["judged"]
    assert found[0]["values"] == first["fresh"]["means"]


def test_hindsight_is_that_of_the_core(labels: Path, tmp_path: Path) -> None:
    assert run(labels, tmp_path, "--fresh", "0", "--turns", "3", "--futures", "4000", "--foul", "20") == 0
    each = weighed(tmp_path)[0]
    decision = next(each for _, each in sorted(read_decisions(labels)) if each["turn"] == 3)
    information = InformationSet.parse(decision["information"])
    placements = [Placement.parse(decision["placements"][place]) for place in each["placements"]]
    again = _core.completions(information, placements, 4000, seed=99, foul=20.0)
    assert again.mean(axis=1) == pytest.approx(np.array(each["hindsight"]), abs=2.0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--judge", "alphazero"], "give the judge of the labels"),
        (["--fresh", "1"], "--fresh is 1"),
        (["--folds", "30", "--fresh", "0"], "no turn has 60 decisions"),
        (["--labels", "nowhere.jsonl"], "there are no labels at nowhere.jsonl"),
        (["--turns", "4"], "--turns"),
        (["--look-ahead", "4"], "heuristic has no network that could look ahead"),
    ],
)
def test_refusals(
    labels: Path, tmp_path: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(labels, tmp_path, *words) == 2
    assert sentence in capsys.readouterr().err


def test_what_the_labels_say_of_themselves(labels: Path, tmp_path: Path) -> None:
    assert read_measurement(labels)["judge"] == "heuristic"
    other = tmp_path / "other.jsonl"
    other.write_text("nothing\n")
    with pytest.raises(ValueError, match="holds no judged decisions"):
        read_measurement(other)


def test_a_network_may_look_ahead(tmp_path: Path) -> None:
    """Turn 3 by the champion's network; what it says then is what its search's worlds say."""
    folder = tmp_path / "labels"
    regret.measure(replace(LABELS, judge="alphazero", decisions=16, worlds=2, block=2, fresh=2), folder)
    words = ["--labels", str(folder / "decisions.jsonl"), "--turns", "3", "--futures", "2", "--fresh", "4"]
    words += ["--first", "2", "--processes", "1"]
    said = []
    for worlds in ("0", "8"):
        out = tmp_path / worlds
        hindsight.main([*words, "--look-ahead", worlds, "--out", str(out)])
        said.append(weighed(out))
    plain, ahead = said
    assert plain
    assert [each["values"] for each in plain] == [each["values"] for each in ahead]
    assert [each["hindsight"] for each in plain] == [each["hindsight"] for each in ahead]
    assert all(each["network"] != other["network"] for each, other in zip(plain, ahead, strict=True))
