"""What the referee found is taught: to a network alone, beside data, and beside self-play."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.networks.afterstate import PREFERENCE, VALUE, AfterstateNetwork
from agents.networks.native import load_native
from experiments import alphazero, regret
from experiments.referee.labels import read_labels
from experiments.referee.learning import Lessons, label_losses
from experiments.regret import Config
from ofc_env import Rules

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    """Sixteen decisions that the heuristic judged."""
    out = tmp_path_factory.mktemp("labels")
    config = Config(
        agent="heuristic", judge="heuristic", decisions=16, worlds=16, block=8, fresh=8, processes=1
    )
    regret.report(replace(config, out=str(out)))
    return out / "decisions.jsonl"


def test_draws_are_whole_decisions(labels):
    lessons, found = Lessons([labels, labels], Rules()), read_labels(labels)
    assert len(lessons) == 32
    drawn = lessons.draw(200, np.random.default_rng(1))
    pieces = {found.states[a:b].tobytes() for a, b in zip(found.offsets, found.offsets[1:], strict=False)}
    taken = [drawn.states[a:b].tobytes() for a, b in zip(drawn.offsets, drawn.offsets[1:], strict=False)]
    assert len(taken) == 200
    assert set(taken) == pieces
    assert len(drawn.values) == len(drawn.errors) == drawn.offsets[-1]


def test_a_network_learns_values_and_policy_of_labels(labels):
    torch.manual_seed(0)
    network, found = AfterstateNetwork(64), read_labels(labels)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    before = label_losses(network, found, 5.0, 0.3, None).item()
    for _ in range(200):
        loss = label_losses(network, found, 5.0, 0.3, None)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert label_losses(network, found, 5.0, 0.3, None).item() < 0.5 * before
    heads = network.judge(found.states).detach().numpy()
    pieces = [slice(*pair) for pair in zip(found.offsets, found.offsets[1:], strict=False)]
    pieces = [piece for piece in pieces if piece.stop - piece.start > 4]
    alike = [np.corrcoef(heads[piece, VALUE], found.values[piece])[0, 1] for piece in pieces]
    assert np.mean(alike) > 0.7
    chosen = [found.values[piece][heads[piece, PREFERENCE].argmax()] for piece in pieces]
    best, usual = ([by(found.values[piece]) for piece in pieces] for by in (np.max, np.mean))
    assert np.mean(np.subtract(best, chosen)) < 0.3 * np.mean(np.subtract(best, usual))


def test_labels_in_doubt_hardly_count(labels):
    """One label of a decision that is far off: no matter if its error says so."""
    found, network = read_labels(labels), AfterstateNetwork(64)
    number = int(np.diff(found.offsets).argmax())
    odd = int(found.offsets[number])
    errors, values = np.full_like(found.errors, 0.5), found.values.copy()
    values[odd] += 30

    def loss(labels):
        return label_losses(network, labels, 1.0, 0.0, None).item()

    usual = loss(replace(found, errors=errors))
    certain = loss(replace(found, errors=errors, values=values))
    errors[odd] = 1000
    doubtful = loss(replace(found, errors=errors, values=values))
    assert abs(doubtful - usual) < 0.05 * abs(certain - usual)


def test_scripts_take_labels(labels, tmp_path, capsys):
    data = tmp_path / "data"
    assert (
        alphazero.main(["selfplay", "--rollouts", "--hands", "20", "--out", str(data / "round_00000.npz")])
        == 0
    )
    words = ["train", "--data", str(data), "--hidden", "64", "--steps", "4", "--labels", str(labels)]
    weighted = ["--label-weight", "0", "--out", str(tmp_path / "without.safetensors")]
    assert alphazero.main([*words, "--out", str(tmp_path / "with.safetensors")]) == 0
    assert "labels " in capsys.readouterr().out
    assert alphazero.main([*words, *weighted]) == 0
    states = read_labels(labels).states
    taught, left = (
        load_native(tmp_path / f"{name}.safetensors").evaluate(states) for name in ("with", "without")
    )
    assert np.abs(taught - left).max() > 1e-3
    assert alphazero.main([*words, "--rules", "standard"]) == 2
    assert "are by the rules 'house', and the network is for 'standard'" in capsys.readouterr().err


def test_self_play_takes_labels(labels, tmp_path):
    config = alphazero.Config(
        iterations=1, hands=20, hidden=64, processes=0, warmup=1, gate_deals=2, evaluation_deals=2,
        opponents="random", labels=(str(labels),), batch=64, least_steps=2,
    )  # fmt: skip
    run = alphazero.Run(config, tmp_path, show=False)
    state = alphazero.train_run(run)
    assert state.curve[0]["losses"]["labels"] > 0
    assert json.dumps(state.curve)
