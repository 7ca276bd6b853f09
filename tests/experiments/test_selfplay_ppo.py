"""The one-file learner: what it writes, that it repeats itself, and that it refuses in a sentence."""

import csv
import json
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

import numpy as np
import torch
from safetensors.numpy import load_file

import ofc_env
from experiments.examples import selfplay_ppo
from experiments.examples.selfplay_ppo import Config, PolicyAndValue, collect, learn, policy_file, train

SMALL: dict[str, Any] = {
    "decisions": 1000,
    "tables": 16,
    "steps": 14,
    "hidden": (16,),
    "epochs": 2,
    "batch": 64,
    "deals": 2,
}


def test_a_run_leaves_its_figures_and_weights(tmp_path, capsys):
    words = [f"--{name} {value}" for name, value in SMALL.items() if name != "hidden"]
    words += ["--hidden 16", "--evaluate-every 2", "--opponents random", f"--out {tmp_path}"]
    assert selfplay_ppo.main(" ".join(words).split()) == 0
    assert capsys.readouterr().out.count("against random") == 3  # updates 2, 4 and the last, 5
    with (tmp_path / "progress.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [int(line["decisions"]) for line in lines] == [224, 448, 672, 896, 1120]
    assert [bool(line["against random"]) for line in lines] == [False, True, False, True, True]
    assert all(np.isfinite([float(line[name]) for line in lines]).all() for name in ("value_loss", "entropy"))
    assert json.loads((tmp_path / "config.json").read_text())["tables"] == 16
    assert list(tmp_path.glob("events.out.tfevents.*"))
    assert {part.shape for part in load_file(tmp_path / "policy.safetensors").values()} >= {
        (16, 490),
        (151, 16),
    }


@pytest.mark.parametrize(
    "more", [{}, {"episode": "session", "reward": "mixed", "rules": "standard chips=40"}]
)
def test_the_same_seed_learns_the_same(tmp_path, more):
    learned = []
    for seed in (1, 1, 2):
        config = Config(**SMALL, **more, seed=seed, evaluate_every=0, out=tmp_path)
        figures = list(train(config))
        learned.append(load_file(policy_file(config)))
    assert figures[-1]["hands"] > 0
    for name, part in learned[0].items():
        assert (part == learned[1][name]).all()
        assert (part != learned[2][name]).any()


def test_learning_follows_advantages_and_returns():
    """Where the first legal slot is praised its chances rise, and the value comes nearer what was earned."""
    config = Config(**{**SMALL, "epochs": 1, "batch": 1000}, entropy=0.0)
    env = ofc_env.BatchEnv(64, seed=1)
    rollout = ofc_env.SeatRollout(env)
    torch.manual_seed(1)
    network = PolicyAndValue(config.hidden, config.value_scale)
    collect(network, rollout, env, 14)
    lessons = rollout.finish()
    first = torch.as_tensor(lessons["action_masks"].argmax(axis=1))
    lessons["advantages"] = np.where(lessons["actions"] == first.numpy(), 1, -1).astype(np.float32)
    chances = []
    losses = []
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for _ in range(20):
        with torch.no_grad():
            judged, _ = network(lessons["observations"], lessons["action_masks"])
            chances.append(float(judged.log_prob(first).exp().mean()))
        losses.append(learn(network, optimizer, lessons, config)["value_loss"])
    assert chances[-1] > chances[0] + 0.02
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--gamma 2", "--gamma is 2.0: it must be 1 or less"),
        ("--reward nothing", "nothing"),
        ("--episode year", "there is no episode 'year'"),
        ("--opponents nobody", "nobody"),
    ],
)
def test_wrong_settings_are_refused(words, sentence, tmp_path, capsys):
    assert selfplay_ppo.main([*words.split(), "--out", str(tmp_path)]) == 2
    assert sentence in capsys.readouterr().err
