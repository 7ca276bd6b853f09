"""Behaviour cloning: it can overfit, splits by session, resumes exactly, and one command does it all."""

import json
import math
import random
from itertools import pairwise

import numpy as np
import pytest
import torch

import agents
from agents import Agent
from agents.networks.afterstate import VALUE, AfterstateNetwork
from agents.networks.afterstate import load_network as load_torch
from agents.networks.native import load_native
from agents.players import bc
from agents.players.alphazero import AlphaZeroAgent
from experiments import behaviour_cloning
from experiments.alphazero import Run
from experiments.cloning.ceiling import ceiling
from experiments.cloning.data import Batch, Split, TrainingSet, batches, split_by_session
from experiments.cloning.metrics import auc, calibration, evaluation, evaluation_table, predict
from experiments.cloning.training import Fit, FitConfig, clone_loss, clone_losses, log_chances
from experiments.export_logs import export_logs
from experiments.preprocess import ARRAYS, preprocess
from experiments.selfplay.config import Config
from ofc_env import Hand, _core
from ofc_env.records import Records
from tests.logs import log_hands

TINY = ["--hidden", "64", "--epochs", "3", "--patience", "3", "--batch-size", "64"]


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


@pytest.fixture(scope="module")
def turns(data):
    return data.turns()


pytestmark = pytest.mark.usefixtures("one_thread")


# ---------------------------------------------------------------- learning


def test_64_hands_can_be_overfitted(turns):
    """A network that cannot learn random moves and their outcomes by heart cannot learn anything."""
    torch.manual_seed(0)
    network, rows = AfterstateNetwork(128), np.arange(len(turns))
    config = FitConfig(
        learning_rate=3e-3, weight_decay=0.0, batch_size=64, epochs=30, patience=30, augment=False
    )
    Fit(network, config).run(turns, Split(rows, rows[:64], rows), show=False)
    scores = predict(network, turns, rows).scores()
    assert scores.top1 > 0.95
    assert scores.bust_auc > 0.98
    assert scores.royalty_mae < 1.0
    batch = next(batches(turns, rows, len(rows)))
    values = network.judge(batch.states)[batch.played, 0].detach().numpy()
    assert np.corrcoef(values, turns.values)[0, 1] > 0.8


def test_a_policy_is_a_softmax_over_the_placements_of_a_turn():
    preferences = torch.tensor([1.0, 2.0, 0.5, 80.0, -3.0, 7.0])
    starts = torch.tensor([0, 3, 4, 6])
    found = log_chances(preferences, starts)
    for first, last in ((0, 3), (3, 4), (4, 6)):
        torch.testing.assert_close(found[first:last], torch.log_softmax(preferences[first:last], dim=0))


def test_every_head_is_taught_and_unknown_results_teach_no_value(turns):
    network = AfterstateNetwork(64)
    batch = next(batches(turns, np.arange(100), 100))
    losses = clone_losses(network, batch)
    assert set(losses) == {"policy", "ranking", "value", "heads"}
    clone_loss(network, batch).backward()
    gradient = network.heads.weight.grad
    assert gradient is not None
    assert (gradient.abs().sum(dim=1) > 0).all()
    unknown = Batch(**{**vars(batch), "values": torch.full_like(batch.values, torch.nan)})
    for name, taught in (("value", []), ("ranking", [VALUE])):  # what was played is known all the same
        network.zero_grad()
        clone_losses(network, unknown)[name].backward()
        gradient = network.heads.weight.grad
        assert gradient is not None
        assert gradient.abs().sum(dim=1).nonzero().flatten().tolist() == taught


def test_the_value_of_a_clone_orders_placements_as_its_player_did(turns):
    torch.manual_seed(1)
    network, batch = AfterstateNetwork(64), next(batches(turns, np.arange(40), 40))
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for _ in range(150):
        optimizer.zero_grad()
        clone_loss(network, batch).backward()
        optimizer.step()
    values = network.judge(batch.states, batch.starts)[:, VALUE].detach()
    starts = batch.starts.tolist()
    best = [first + int(values[first:last].argmax()) for first, last in pairwise(starts)]
    assert np.mean(np.array(best) == np.asarray(batch.played)) > 0.8


def test_a_resumed_run_ends_like_an_unbroken_one(turns, tmp_path):
    split = split_by_session(turns.session_index, 0)

    def fit(name):
        torch.manual_seed(4)
        config = FitConfig(epochs=5, patience=3, batch_size=100, learning_rate=0.02, seed=9)
        return Fit(AfterstateNetwork(64), config, tmp_path / name)

    def stop_after_two(entry):
        if entry["epoch"] == 2:
            raise KeyboardInterrupt

    whole = fit("whole")
    assert not whole.resume()
    whole.run(turns, split, show=False)
    with pytest.raises(KeyboardInterrupt):
        fit("broken").run(turns, split, stop_after_two, show=False)
    resumed = fit("broken")
    assert resumed.resume()
    assert resumed.progress.epoch == 2
    resumed.run(turns, split, show=False)
    assert resumed.progress == whole.progress
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, resumed.network.state_dict()[name]), name
    (tmp_path / "broken").write_bytes(b"rubbish")
    with pytest.raises(ValueError, match="does not fit this run"):
        fit("broken").resume()


def test_early_stopping_keeps_the_best_weights(turns):
    split = split_by_session(turns.session_index, 0)
    config = FitConfig(epochs=40, patience=3, batch_size=64, learning_rate=0.01, augment=False)
    fit = Fit(AfterstateNetwork(64), config)
    fit.run(turns, split, show=False)
    assert fit.progress.epoch < 40
    assert fit.progress.epoch - fit.progress.best_epoch == 3
    assert fit.mean_loss(turns, split.validation) == pytest.approx(fit.progress.best_loss, abs=1e-6)
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


def test_rows_become_whole_turns(data, turns):
    """The state after the placement that was played is the one that the seat saw next."""
    assert len(turns) == 64 * 10
    assert (np.bincount(turns.turn) == 128).all()
    states, starts = _core.placement_states(turns.positions)
    assert set(np.diff(starts)[turns.turn == 0]) == {232}
    played = states[starts[:-1] + turns.chosen]
    checked = 0
    for number, row in enumerate(turns.rows.tolist()):
        hand = Hand.from_observation(data.states[row], 0)
        hand.step(int(data.actions[row]))
        if turns.turn[number] == 0 and hand.opening_step:
            assert turns.rows[number + 1] == row + 2
            hand.step(int(data.actions[row + 1]))
        board = played[number, :3].tolist()
        assert [sum(1 << card for card in cards) for cards in rows_of(hand.board(0))] == board
        checked += 1
    assert checked == len(turns)
    assert np.isfinite(turns.values).all()
    # Both seats of a hand have the opposite of each other's value.
    first, second = (turns.values[turns.turn == 0][seat::2] for seat in (0, 1))
    np.testing.assert_allclose(first, -second, atol=1e-4)
    for wrong in (data.actions[1:8], data.actions[:8] * 0 + 26):
        with pytest.raises(ValueError, match="row "):
            _core.pack_turns(data.states[:8][: len(wrong)], np.ascontiguousarray(wrong))
    with pytest.raises(ValueError, match="without its second step"):
        _core.pack_turns(data.states[:1], data.actions[:1])
    with pytest.raises(ValueError, match="without its first"):
        _core.pack_turns(data.states[1:2], data.actions[1:2])


def rows_of(board):
    return [board.top, board.middle, board.bottom]


def test_batches_are_turns_or_their_relabelled_copies(turns):
    numbers = np.arange(len(turns))
    plain = list(batches(turns, numbers, 50))
    assert sum(len(batch.played) for batch in plain) == len(turns)
    assert all(batch.seed is None for batch in plain)
    np.testing.assert_array_equal(
        np.concatenate([batch.royalties.numpy() for batch in plain]), turns.royalties
    )
    rng = np.random.default_rng(1)
    batch = next(batches(turns, numbers, 200, rng, augment=True))
    assert batch.seed is not None
    inputs, begins = _core.network_inputs(batch.states, batch.starts, batch.seed)
    again, _ = _core.network_inputs(batch.states, batch.starts, batch.seed)
    np.testing.assert_array_equal(inputs, again)
    known = {row.tobytes() for row in _core.network_features(np.repeat(batch.states[:1], 3000, axis=0), 7)}
    dense = np.zeros(_core.NETWORK_FEATURES, dtype=np.float32)
    dense[inputs[: begins[1]]] = 1
    assert dense.tobytes() in known


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
    assert [(entry["turns"], entry["came"]) for entry in bins] == [(2, 0.5), (2, 1.0)]


def test_an_evaluation_is_overall_and_by_turn(turns):
    rows = np.arange(len(turns))
    report = evaluation(predict(AfterstateNetwork(64), turns, rows))
    assert sum(scores["turns"] for scores in report["by_turn"].values()) == len(turns)
    assert report["overall"]["turns"] == len(turns)
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

    last = np.flatnonzero(data.turn == 4)[:60]
    report = ceiling(Memory(), data, last, deals=2)
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
    assert "; the network there: " in printed
    for name in ("clone.safetensors", "evaluation.json", "report.png", "games.db"):
        assert (output / name).stat().st_size > 0
    assert any((output / "tensorboard").iterdir())
    report = json.loads((output / "evaluation.json").read_text())
    assert report["teacher"] == "random"
    assert report["ceiling"]["network"]["turns"] == report["ceiling"]["overall"]["positions"] == 20
    assert report["command"].startswith("python experiments/behaviour_cloning.py --teacher random")
    behaviour_cloning.main([*command, "--resume"])  # nothing is left to do
    states = _core.placement_states(TrainingSet.load(output / "data").turns().positions[:40])[0]
    shipped, again = (bc.BehaviourCloningAgent(folder).network for folder in (None, output))
    np.testing.assert_array_equal(shipped.evaluate(states), again.evaluate(states))


def test_a_clone_is_a_network_like_any_other(folder, tmp_path, capsys):
    """It is played, searched on, cloned further, and self-play goes on from it."""
    first, further = tmp_path / "first", tmp_path / "further"
    behaviour_cloning.main(["--log", str(folder), "--out", str(first), *TINY])
    begun = ["--log", str(folder), "--out", str(further), "--init", str(first), *TINY, "--epochs", "1"]
    behaviour_cloning.main([*begun, "--learning-rate", "1e-9"])
    states = _core.placement_states(TrainingSet.load(folder).turns().positions[:40])[0]
    answers = [load_native(path).evaluate(states) for path in (first, further / "clone.safetensors")]
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-4)
    hand = Hand(seed=1)
    assert len(AlphaZeroAgent(first, sims=20).rank(hand.information(0))) > 10
    assert (
        agents.make(f"bc:folder={first}").act(
            {"observation": hand.observation(0), "action_mask": hand.action_mask()}
        )
        in hand.legal_actions()
    )
    run = Run(Config(init=str(first), iterations=1), tmp_path / "run", show=False)
    assert run.state.champion.hidden == 64
    np.testing.assert_allclose(run.state.champion.native().evaluate(states), answers[0], atol=1e-4)
    assert behaviour_cloning.main(["--log", str(folder), "--init", str(tmp_path), "--out", str(further)]) == 2
    assert "holds no clone.safetensors" in capsys.readouterr().err


def test_logs_of_every_form_are_taken(folder, tmp_path, capsys):
    database = folder.parent / "games.db"
    export_logs(database, tmp_path / "turns.jsonl.gz", progress=False)
    tables = []
    for log in (database, tmp_path / "turns.jsonl.gz", folder):
        behaviour_cloning.main(["--log", str(log), "--output", str(tmp_path / log.stem), *TINY])
        tables.append(capsys.readouterr().out.split("turn ", 1)[1].split(": trained")[0].rsplit("\n", 1)[0])
    assert tables[0] == tables[1] == tables[2]
    behaviour_cloning.main(
        ["--log", str(database), "--player", "ann", "--output", str(tmp_path / "ann"), *TINY]
    )
    assert json.loads((tmp_path / "ann" / "data" / "metadata.json").read_text())["players"] == ["ann"]


def test_a_clone_is_trained_further_on_several_logs_and_judged_on_another(folder, tmp_path, capsys):
    """Logs of several forms are one set; a player is chosen from each; the clone before is told beside."""
    database = folder.parent / "games.db"
    with Records(tmp_path / "more.db", durable=False) as records, records.transaction():
        for session in range(4):
            log_hands(records, f"more{session}", 5, seed=100 + session)
    export_logs(tmp_path / "more.db", tmp_path / "more.jsonl.gz", progress=False)
    first, further = tmp_path / "first", tmp_path / "further"
    behaviour_cloning.main(["--log", str(database), "--out", str(first), *TINY])
    words = ["--log", str(database), "--log", str(tmp_path / "more.jsonl.gz"), "--player", "ann"]
    assert behaviour_cloning.main([*words, "--init", str(first), "--out", str(further), *TINY]) == 0
    data = TrainingSet.load(further / "data")
    assert data.metadata["players"] == ["ann"]
    assert data.metadata["counts"]["used_turns"] == 5 * (64 + 20)
    report = json.loads((further / "evaluation.json").read_text())
    assert report["init"]["turns"] == report["overall"]["turns"]
    assert f"{first} chose the placement played" in capsys.readouterr().out
    before = (further / "clone.safetensors").read_bytes()
    words = ["--evaluate", str(further), "--log", str(tmp_path / "more.db"), "--player", "ann"]
    assert behaviour_cloning.main(words) == 0
    table = capsys.readouterr().out.split("turn ", 1)[1].splitlines()
    assert table[-1].split()[:2] == ["all", "100"]
    turns = TrainingSet.load(further / "data").turns()
    of_more = np.isin(
        turns.session_index, [data.metadata["sessions"].index(f"more{number}") for number in range(4)]
    )
    expected = evaluation(predict(load_torch(further), turns, np.flatnonzero(of_more)))["overall"]
    assert table[-1].split()[2] == f"{expected['top1']:.1%}"
    assert (further / "clone.safetensors").read_bytes() == before
    assert behaviour_cloning.main(["--log", str(folder), str(database), "--out", str(tmp_path / "no")]) == 2
    assert "is a folder of arrays, which is taken whole" in capsys.readouterr().err


def test_refusals_are_sentences(tmp_path, capsys):
    for arguments, sentence in (
        (["--teacher", "random", "--log", "x.db"], "two sources"),
        (["--teacher", "nobody"], "no agent is named"),
        (["--log", str(tmp_path / "none.db")], "there is no log database"),
        (["--log", str(tmp_path / "none.db"), "--ceiling", "5"], "together with --teacher"),
        (["--log", str(tmp_path / "none.jsonl")], "there is no log at"),
        (["--log", str(tmp_path / "none.jsonl"), "--player", "ann"], "there is no log at"),
        (["--evaluate", str(tmp_path), "--log", "x.db", "--epochs", "3"], "leave out --epochs"),
        (["--teacher", "random", "--hidden", "65"], "use a multiple of 64"),
    ):
        assert behaviour_cloning.main([*arguments, "--output", str(tmp_path / "run")]) == 2
        assert sentence in capsys.readouterr().err
    assert behaviour_cloning.main(["--evaluate", str(tmp_path), "--log", "x.db"]) == 2
    assert "holds no clone.safetensors" in capsys.readouterr().err


def test_settings_of_another_run(folder, tmp_path, capsys):
    first, second = tmp_path / "first", tmp_path / "second"
    assert behaviour_cloning.main(["--log", str(folder), "--out", str(first), *TINY]) == 0
    words = ["--config", str(first / "config.json"), "--out", str(second)]
    assert behaviour_cloning.main(words) == 0
    states = _core.placement_states(TrainingSet.load(folder).turns().positions[:40])[0]
    answers = [load_native(path).evaluate(states) for path in (first, second)]
    np.testing.assert_array_equal(answers[0], answers[1])
    capsys.readouterr()
    assert behaviour_cloning.main(["--resume", str(second), "--log", str(folder), *TINY]) == 0
    assert "resumed at epoch 3" in capsys.readouterr().out
    assert behaviour_cloning.main([*words, "--resume", str(first)]) == 2
    assert "leave out --resume" in capsys.readouterr().err
