"""Comparisons of PPO runs: what differs, what is shared, and that a comparison goes on where it stopped."""

from dataclasses import asdict

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from experiments import ppo_compare
from experiments.ppo_compare import COMPARISONS, VARIANTS, main, settings_of

SMALL = {"envs": 16, "rollout": 8, "batch_size": 64, "units": 4, "policy_layers": (4,), "value_layers": (4,)}


@pytest.fixture
def small(monkeypatch):
    """Runs of some seconds instead of minutes."""
    monkeypatch.setattr(ppo_compare, "_BASELINE", {**ppo_compare._BASELINE, **SMALL, "lessons": 200})
    for name, changes in list(VARIANTS.items()):
        if "policy_layers" in changes:
            monkeypatch.setitem(VARIANTS, name, {**changes, **SMALL})


def differences(first, second):
    one, other = asdict(settings_of(first, 1000, 0)), asdict(settings_of(second, 1000, 0))
    return {name for name in one if one[name] != other[name]}


def test_runs_differ_in_one_thing():
    assert differences("baseline", "points") == differences("points", "shaped") == {"reward"}
    assert differences("baseline", "pool") == {"opponents"}
    assert differences("raw", "slots") == differences("raw-from-nothing", "slots-from-nothing") == {"network"}
    assert differences("slots", "baseline") == {"network", "policy_layers", "value_layers"}
    assert {variant for variants in COMPARISONS.values() for variant in variants} == set(VARIANTS)


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_a_comparison_is_a_table(comparison, small, tmp_path, capsys):
    command = [comparison, "--steps", "128", "--deals", "2", "--out", str(tmp_path)]
    assert main(command) == 0
    table = capsys.readouterr().out
    header, _, *rows = table.splitlines()
    assert header.startswith(f"| {comparison} | seed |")
    assert [row.split(" | ")[0] for row in rows] == [f"| {variant}" for variant in COMPARISONS[comparison]]
    assert all(row.count("|") == header.count("|") for row in rows)
    duels = [row.split("|")[5].strip() for row in rows]
    assert duels[0] == ""
    assert all("±" in duel for duel in duels[1:])
    trained = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/policy.safetensors")}
    assert len(trained) == len(rows)
    assert main(command) == 0  # measured again, not trained again
    assert capsys.readouterr().out == table
    assert {path: path.stat().st_mtime_ns for path in trained} == trained


def test_other_settings_in_the_folder_get_a_sentence(small, tmp_path, capsys):
    command = ["from-nothing", "--deals", "2", "--out", str(tmp_path), "--steps"]
    assert main([*command, "128"]) == 0
    assert main([*command, "256"]) == 2
    assert "raw-from-nothing-0 holds a run with other settings" in capsys.readouterr().err


def test_several_seeds_end_with_their_means(small, tmp_path, capsys):
    """A mean's interval is over the figures of the seeds, not over deals; processes change nothing."""
    command = ["reward", "--steps", "128", "--deals", "3", "--seeds", "4", "5", "6", "--out"]
    assert main([*command, str(tmp_path / "one")]) == 0
    table = capsys.readouterr().out
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    assert [row[1] for row in cells] == [*"444555666", *["mean of 3"] * 3]
    for number, variant in enumerate(COMPARISONS["reward"]):
        runs, mean = cells[number:9:3], cells[9 + number]
        assert {row[0] for row in (*runs, mean)} == {variant}
        for column in (2, 3, 4) if number else (2, 3):
            figures = [float(row[column].split()[0]) for row in runs]
            found, margin = map(float, mean[column].split(" ± "))
            assert found == pytest.approx(np.mean(figures), abs=0.01)
            assert margin == pytest.approx(4.303 * np.std(figures, ddof=1) / 3**0.5, abs=0.03)
        fouls = [float(row[5].rstrip("%")) for row in runs]
        assert float(mean[5].split(" ± ")[0]) == pytest.approx(np.mean(fouls), abs=0.1)
    assert main([*command, str(tmp_path / "two"), "--processes", "2"]) == 0
    assert capsys.readouterr().out == table


def test_a_seed_counts_once(tmp_path, capsys):
    assert main(["reward", "--seeds", "1", "1", "--out", str(tmp_path)]) == 2
    assert "--seeds 1 1 has one twice: give each once" in capsys.readouterr().err
