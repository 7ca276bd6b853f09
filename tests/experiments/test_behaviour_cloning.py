"""Behaviour cloning: it can overfit, splits by session, resumes exactly, and one command does it all."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents import Agent
from agents.networks.observation import NetworkConfig, PolicyNetwork, ValueNetwork
from agents.players import bc
from experiments import behaviour_cloning
from experiments.cloning.ceiling import ceiling
from experiments.cloning.data import NO_ACTION, Split, TrainingSet, batches, split_by_session
from experiments.cloning.metrics import auc, calibration, evaluation, evaluation_table, predict
from experiments.cloning.training import Fit, FitConfig, policy_loss, value_loss
from experiments.export_logs import export_logs
from experiments.preprocess import ARRAYS, preprocess
from ofc_env import Hand, symmetry
from ofc_env.records import Records
from tests.logs import log_hands

TINY = [
    *("--policy-hidden", "16", "8", "--value-hidden", "16", "--epochs", "3", "--patience", "3"),
    *("--batch-size", "64"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A training set of 64 random hands in 8 sessions."""
    path = tmp_path_factory.mktemp("set")
    with Records(path / "games.db", durable=False) as records, records.transaction():
        for session in range(8):
            log_hands(records, f"s{session}", 8, seed=session)
    export_logs(path / "games.db", path / "turns.jsonl", progress=False)
    preprocess(path / "turns.jsonl", path / "data", progress=False)
    return path / "data"


@pytest.fixture(scope="module")
def data(folder):
    return TrainingSet.load(folder)


pytestmark = pytest.mark.usefixtures("one_thread")


# ---------------------------------------------------------------- learning


@pytest.mark.parametrize("by_slot", [False, True])
def test_64_hands_can_be_overfitted(data, by_slot):
    """A network that cannot learn random moves by heart cannot learn anything."""
    torch.manual_seed(0)
    sizes = (64, 32) if by_slot else (256, 128)
    network = PolicyNetwork(NetworkConfig(sizes, dropout=0.0, counts=True, by_slot=by_slot))
    rows = np.arange(len(data))
    epochs = 25 if by_slot else 60
    config = FitConfig(
        learning_rate=3e-3, weight_decay=0.0, batch_size=64, epochs=epochs, patience=epochs, augment=False
    )
    fit = Fit(network, policy_loss, config)
    fit.run(data, Split(rows, rows[:64], rows), show=False)
    scores = predict(network, ValueNetwork(NetworkConfig((4,))), data, rows).scores()
    assert scores.top1 > 0.95


@pytest.mark.parametrize("by_slot", [False, True])
def test_outcomes_can_be_overfitted(data, by_slot):
    torch.manual_seed(0)
    sizes = (64, 32) if by_slot else (128, 64)
    network = ValueNetwork(NetworkConfig(sizes, dropout=0.0, counts=True, by_slot=by_slot))
    rows = np.arange(len(data))
    config = FitConfig(
        learning_rate=2e-3, weight_decay=0.0, batch_size=64, epochs=30, patience=30, augment=False
    )
    Fit(network, value_loss, config).run(data, Split(rows, rows[:64], rows), show=False)
    scores = predict(PolicyNetwork(NetworkConfig((4,))), network, data, rows).scores()
    assert scores.bust_auc > 0.98
    assert scores.royalty_mae < 0.5


def test_losses_are_finite_and_need_no_value_head(data):
    batch = next(batches(data, np.arange(len(data)), 100))
    policy, value = PolicyNetwork(NetworkConfig((8,))), ValueNetwork(NetworkConfig((8,)))
    assert math.isfinite(policy_loss(policy, batch).item())
    loss = value_loss(value, batch)
    loss.backward()
    gradient = value.heads.weight.grad
    assert gradient is not None
    assert gradient[:3].abs().sum() > 0
    assert gradient[3].abs().sum() == 0


def test_a_resumed_run_ends_like_an_unbroken_one(data, tmp_path):
    split = split_by_session(data.session_index, 0)

    def fit(name):
        torch.manual_seed(4)
        network = PolicyNetwork(NetworkConfig((12, 6), dropout=0.3, by_slot=True))
        config = FitConfig(epochs=5, patience=3, batch_size=100, learning_rate=0.02, seed=9)
        return Fit(network, policy_loss, config, tmp_path / name)

    def stop_after_two(entry):
        if entry["epoch"] == 2:
            raise KeyboardInterrupt

    whole = fit("whole")
    assert not whole.resume()
    whole.run(data, split, show=False)
    with pytest.raises(KeyboardInterrupt):
        fit("broken").run(data, split, stop_after_two, show=False)
    resumed = fit("broken")
    assert resumed.resume()
    assert resumed.progress.epoch == 2
    resumed.run(data, split, show=False)
    assert resumed.progress == whole.progress
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, resumed.network.state_dict()[name]), name
    (tmp_path / "broken").write_bytes(b"rubbish")
    with pytest.raises(ValueError, match="does not fit this run"):
        fit("broken").resume()


def test_early_stopping_keeps_the_best_weights(data):
    split = split_by_session(data.session_index, 0)
    network = PolicyNetwork(NetworkConfig((64,), dropout=0.0))
    config = FitConfig(epochs=40, patience=3, batch_size=64, learning_rate=0.01, augment=False)
    fit = Fit(network, policy_loss, config)
    fit.run(data, split, show=False)
    assert fit.progress.epoch < 40
    assert fit.progress.epoch - fit.progress.best_epoch == 3
    assert fit.mean_loss(data, split.validation) == pytest.approx(fit.progress.best_loss, abs=1e-6)
    rates = [entry["learning_rate"] for entry in fit.progress.curve]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] < 0.01


# ---------------------------------------------------------------- data


def test_a_split_never_parts_a_session(data):
    for seed in range(20):
        split = split_by_session(data.session_index, seed)
        parts = [
            set(data.session_index[rows].tolist()) for rows in (split.train, split.validation, split.test)
        ]
        assert all(parts)
        assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
        together = np.concatenate([split.train, split.validation, split.test])
        assert sorted(together.tolist()) == list(range(len(data)))
    sizes = [len(split_by_session(np.repeat(np.arange(50), 20), 1).test)]
    assert sizes == [100]
    assert len(split_by_session(np.array([0, 1, 2]), 0).train) == 1
    with pytest.raises(ValueError, match="2 sessions cannot be split"):
        split_by_session(np.array([0, 0, 1]), 0)


def test_batches_are_rows_or_their_relabelled_copies(data):
    rows = np.arange(len(data))
    plain = list(batches(data, rows, 50))
    assert torch.equal(torch.cat([batch.states for batch in plain]), torch.from_numpy(data.states))
    assert torch.equal(torch.cat([batch.actions for batch in plain]), torch.from_numpy(data.actions))
    rng = np.random.default_rng(1)
    batch = next(batches(data, rows, 200, rng, augment=True))
    assert (batch.masks.gather(1, batch.actions[:, None]) == 1).all()
    for state, mask in zip(batch.states[:60].numpy(), batch.masks[:60].numpy(), strict=True):
        np.testing.assert_array_equal(Hand.from_observation(state, 0).action_mask(), mask)
    known = {
        symmetry.relabel_observation(state[None], number).tobytes()
        for state in data.states[:12]
        for number in range(48)
    }
    copies = next(batches(data, np.arange(12), 12, rng, augment=True)).states.numpy()
    assert all(state.tobytes() in known for state in copies)
    mixed = next(batches(data, rows, 400, np.random.default_rng(2), augment=True, after=True))
    moved = (mixed.actions == NO_ACTION).numpy()
    in_hand = (mixed.states[:, 6:486:9] != 0).sum(dim=1).numpy()
    assert 0.3 < (in_hand == 0).mean() < 0.6
    assert moved[in_hand == 0].all()
    kept = ~moved
    assert (mixed.masks[kept].gather(1, mixed.actions[kept][:, None]) == 1).all()


def test_a_value_network_by_slot_learns_what_is_played(data):
    """Its means are over the slots that it expects; a batch of afterstates alone has none to learn."""
    network = ValueNetwork(NetworkConfig((8,), dropout=0.0, by_slot=True))
    batch = next(batches(data, np.arange(100), 100))
    none = replace(batch, actions=torch.full_like(batch.actions, NO_ACTION))
    plain = value_loss(network.eval(), batch).item()
    assert value_loss(network.train(), none).item() == pytest.approx(plain)
    logits = network.raw_with_logits(batch.states)[1]
    assert logits is not None
    played = torch.nn.functional.cross_entropy(logits, batch.actions).item()
    assert value_loss(network, batch).item() == pytest.approx(plain + played, rel=1e-5)


def test_a_damaged_set_is_refused(folder, tmp_path):
    with pytest.raises(ValueError, match="is not a training set"):
        TrainingSet.load(tmp_path)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    assert len(TrainingSet.load(copy)) == len(TrainingSet.load(folder))
    for name in ARRAYS:
        whole = (copy / f"{name}.npy").read_bytes()
        for content in (whole[: len(whole) // 2], b"", b"junk" * 50):
            (copy / f"{name}.npy").write_bytes(content)
            with pytest.raises(ValueError, match="preprocess again"):
                TrainingSet.load(copy)
        np.save(copy / f"{name}.npy", np.zeros(3, dtype=np.complex64))
        with pytest.raises(ValueError, match="not as its metadata says"):
            TrainingSet.load(copy)
        (copy / f"{name}.npy").write_bytes(whole)


# ---------------------------------------------------------------- figures


def test_auc_is_the_chance_of_the_right_order():
    rng = random.Random(3)
    for _ in range(20):
        scores = [rng.randrange(6) for _ in range(40)]
        truth = [rng.random() < 0.4 for _ in scores]
        pairs = [
            1.0 if high > low else 0.5 if high == low else 0.0
            for high, positive in zip(scores, truth)
            for low, other in zip(scores, truth)
            if positive and not other
        ]
        assert auc(scores, truth) == pytest.approx(sum(pairs) / len(pairs))
    assert math.isnan(auc([1, 2], [True, True]))


def test_calibration_counts_what_came():
    chances = np.array([0.05, 0.05, 0.95, 1.0], dtype=np.float32)
    bins = calibration(chances, np.array([False, True, True, True]))
    assert [(entry["rows"], entry["came"]) for entry in bins] == [(2, 0.5), (2, 1.0)]


def test_an_evaluation_is_overall_and_by_turn(data):
    rows = np.arange(len(data))
    predictions = predict(PolicyNetwork(NetworkConfig((4,))), ValueNetwork(NetworkConfig((4,))), data, rows)
    report = evaluation(predictions)
    assert (
        sum(scores["rows"] for scores in report["by_turn"].values()) == report["overall"]["rows"] == len(data)
    )
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    table = evaluation_table(report).splitlines()
    assert len(table) == 7
    assert table[-1].split()[0] == "all"


def test_the_ceiling_knows_what_is_settled(data):
    """On the last turn nothing is left to the cards: whoever knows the player foresees everything."""

    class Memory(Agent):
        """Plays what was logged."""

        moves = {
            state.tobytes(): slot for state, slot in zip(data.states, data.actions.tolist(), strict=True)
        }

        def act(self, observation):
            first = int(np.flatnonzero(observation["action_mask"])[0])
            return self.moves.get(observation["observation"].tobytes(), first)

    last = np.flatnonzero(data.turn == 4)
    report = ceiling(Memory(), data, last, positions=60, deals=2)
    assert report["overall"]["positions"] == report["by_turn"]["4"]["positions"] == 60
    assert report["overall"]["royalty_mae"] == report["overall"]["median_mae"] == 0
    assert report["overall"]["bust_auc"] in (1.0, None)
    assert report["by_turn"]["0"]["positions"] == 0


# ---------------------------------------------------------------- the command


def test_one_command_from_a_teacher_to_a_player(tmp_path, monkeypatch, capsys):
    output = tmp_path / "run"
    command = ["--teacher", "random", "--hands", "160", "--output", str(output), *TINY]
    monkeypatch.setattr(bc, "WEIGHTS", tmp_path / "shipped")
    behaviour_cloning.main([*command, "--ship", "--ceiling", "20"])
    printed = capsys.readouterr().out
    assert "trained in" in printed
    assert "the best possible, on 20 test positions" in printed
    assert "; the networks there: " in printed
    for name in ("policy.safetensors", "value.safetensors", "evaluation.json", "report.png", "games.db"):
        assert (output / name).stat().st_size > 0
    assert any((output / "tensorboard").iterdir())
    report = json.loads((output / "evaluation.json").read_text())
    assert report["teacher"] == "random"
    assert report["ceiling"]["networks"]["rows"] == report["ceiling"]["overall"]["positions"] == 20
    assert report["command"].startswith("python experiments/behaviour_cloning.py --teacher random")
    behaviour_cloning.main([*command, "--resume"])  # nothing is left to do
    shipped, again = bc.BehaviourCloningAgent(), bc.BehaviourCloningAgent(folder=output)
    for name, weights in shipped.policy.state_dict().items():
        assert torch.equal(weights, again.policy.state_dict()[name])


def test_logs_of_every_form_are_taken(folder, tmp_path, capsys):
    database = folder.parent / "games.db"
    export_logs(database, tmp_path / "turns.jsonl.gz", progress=False)
    tables = []
    for log in (database, tmp_path / "turns.jsonl.gz", folder):
        behaviour_cloning.main(["--log", str(log), "--output", str(tmp_path / log.stem), *TINY])
        tables.append(capsys.readouterr().out.split("turn ", 1)[1].split(": trained")[0].rsplit("\n", 1)[0])
    assert tables[0] == tables[1] == tables[2]
    behaviour_cloning.main(
        ["--log", str(database), "--player", "ann", "--output", str(tmp_path / "ann"), *TINY, "--plain"]
    )
    assert json.loads((tmp_path / "ann" / "data" / "metadata.json").read_text())["players"] == ["ann"]


def test_refusals_are_sentences(tmp_path, capsys):
    for arguments, sentence in (
        (["--teacher", "random", "--log", "x.db"], "two sources"),
        (["--teacher", "nobody"], "no agent is named"),
        (["--log", str(tmp_path / "none.db")], "there is no log database"),
        (["--log", str(tmp_path / "none.db"), "--ceiling", "5"], "together with --teacher"),
        (["--log", str(tmp_path / "none.jsonl")], "there is no log at"),
        (["--log", str(tmp_path / "none.jsonl"), "--player", "ann"], "choose the player when exporting"),
        (["--teacher", "random", "--policy-hidden", "0"], "hidden layers"),
    ):
        assert behaviour_cloning.main([*arguments, "--output", str(tmp_path / "run")]) == 2
        assert sentence in capsys.readouterr().err
