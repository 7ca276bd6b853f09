"""The training job: it learns, it survives kill -9 to the bit, and it refuses what cannot be run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import agents
from agents.arena import SessionResult
from agents.networks.afterstate import load_network, save_network
from agents.networks.files import describe
from experiments.alphazero import Run, main, run_training, train_run
from experiments.common.command_line import write_json
from experiments.export_logs import export_logs
from experiments.selfplay import config as alphazero_config
from experiments.selfplay.config import PRESETS, Config, parse
from experiments.selfplay.lost_positions import lost_hands, lost_positions
from experiments.selfplay.state import checkpoints, first_state, load_state, round_seed, save_state
from experiments.selfplay.training import Replay, TrainingSettings, losses, train
from experiments.selfplay.workers import joined, make_workers
from ofc_env import Hand, InformationSet, _core, solve_last_turn
from ofc_env.records import Records
from tests.logs import log_hand
from tests.play import seat_to_act
from tests.processes import children
from tests.trained_networks import random_network, trained_network

ROOT = Path(__file__).parents[2]
TINY = Config(
    iterations=2,
    processes=0,
    hidden=64,
    hands=60,
    chunk=20,
    warmup=0,
    simulations=12,
    opening_width=24,
    passes=6.0,
    least_steps=20,
    batch=128,
    learning_rate=3e-3,
    gate_every=2,
    gate_deals=6,
    evaluate_every=2,
    opponents="random",
    evaluation_deals=4,
    final_opponents="random",
    final_deals=4,
    final_sims=8,
)


def options(config: Config) -> list[str]:
    """A configuration as words of the command line."""
    words = []
    for name, value in vars(config).items():
        if value != getattr(Config(), name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def tensors(folder: Path) -> dict[str, torch.Tensor]:
    """Every number of a run's newest checkpoint."""
    path = checkpoints(folder)[-1]
    return {
        f"{file.stem}/{name}": tensor
        for file in sorted(path.glob("*.safetensors"))
        for name, tensor in load_file(file).items()
    }


def assert_same_run(first: Path, second: Path) -> None:
    one, other = tensors(first), tensors(second)
    assert one.keys() == other.keys()
    assert any(name.startswith("optimizer/") for name in one)
    for name in one:
        assert torch.equal(one[name], other[name]), name
    curves = [json.loads((checkpoints(folder)[-1] / "state.json").read_text()) for folder in (first, second)]
    for curve in curves:
        curve.pop("seconds")
        for entry in curve["curve"]:
            entry.pop("seconds")
    assert curves[0] == curves[1]


# ---------------------------------------------------------------- learning


def test_two_rounds_lower_both_losses(tmp_path: Path) -> None:
    """Judged on hands that were not learned from, before and after."""
    config = replace(TINY, bootstrap=2, hands=120)
    run = Run(config, tmp_path, show=False)
    fresh = _core.self_play(None, 60, 999, by_rollouts=True, simulations=12)

    def judged() -> dict[str, float]:
        with torch.no_grad():
            found = losses(run.state.learner, fresh, TrainingSettings(), 1)
        return {name: float(part) for name, part in found.items()}

    before = judged()
    state = train_run(run)
    after = judged()
    for name in ("value", "policy", "heads"):
        assert after[name] < before[name], name
    assert [entry["round"] for entry in state.curve] == [0, 1]
    assert state.curve[1]["losses"]["value"] < state.curve[0]["losses"]["value"]
    assert state.curve[1]["losses"]["policy"] < state.curve[0]["losses"]["policy"]
    assert state.hands == 240


def test_a_network_can_learn_some_hands_by_heart(tmp_path: Path) -> None:
    decisions = _core.self_play(random_network().native(), 8, 1, simulations=8)
    replay = Replay(tmp_path, 1)
    replay.add(0, decisions)
    network = random_network(2)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    settings = TrainingSettings(batch=64, outcome_share=0.0, augment=False)
    first = train(network, optimizer, replay, 1, settings, np.random.default_rng(0))
    train(network, optimizer, replay, 250, settings, np.random.default_rng(1))
    last = train(network, optimizer, replay, 20, settings, np.random.default_rng(2))
    assert last["value"] < 0.2 * first["value"]
    assert last["heads"] < 0.2 * first["heads"]


def test_the_champion_is_replaced_only_if_the_arena_says_so(tmp_path: Path) -> None:
    run = Run(replace(TINY, gate_deals=40, warmup=0), tmp_path, show=False)
    run.state.champion = trained_network()
    verdict = run.gate(1, last=False)  # the learner knows nothing
    assert verdict is not None
    assert verdict["promoted"] == 0
    assert verdict["equity"] < 0
    assert run.state.champion is trained_network()
    run.state.learner, run.state.champion = trained_network(), run.state.learner
    verdict = run.gate(3, last=False)
    assert verdict is not None
    assert verdict["promoted"] == 1
    assert run.state.champion_round == 4
    assert run.gate(4, last=False) is None  # not its turn
    assert run.gate(4, last=True) is not None


def test_sessions_can_be_the_objective(tmp_path: Path) -> None:
    """The 0.7 / 0.3 mix: states carry the chips of sessions, and the loop runs on them."""
    run = Run(replace(TINY, reward="mixed", gate_every=1, warmup=0), tmp_path, show=False)
    state = train_run(run)
    assert all(entry["gate"]["deals"] == TINY.gate_deals for entry in state.curve)
    chips = np.concatenate([part["states"][:, 0, 7] >> np.uint64(32) for part in run.replay.parts.values()])
    assert len(np.unique(chips)) > 5


@pytest.mark.parametrize("reward", ["session", "win"])
def test_sessions_judge_what_sessions_taught(
    tmp_path: Path, reward: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Gate, evaluation and the matches at the end are duplicate sessions, counted by the reward."""
    config = replace(TINY, reward=reward, gate_every=1, iterations=1)
    results = run_training(config, tmp_path / "run", "a test", show=False)
    assert all(isinstance(result, SessionResult) and result.paid is not None for result in results)
    entry = json.loads((tmp_path / "run" / "curve.json").read_text())["curve"][0]
    assert entry["gate"]["promoted"] == (entry["gate"]["paid"] > 0)
    for match in (entry["gate"], *entry["evaluation"].values()):
        wanted = 2 * match["wins"] - 1 if reward == "win" else match["chips"] / 200
        assert match["paid"] == pytest.approx(wanted, abs=1e-6)
        assert match["deals"] in (TINY.gate_deals, TINY.evaluation_deals)
    champion = tmp_path / "run" / "champion.safetensors"
    assert describe(champion).notes["reward"] == reward

    words = ["evaluate", "--checkpoint", str(champion), "--sims", "0", "--opponents", "random"]
    assert main([*words, "--deals", "4", "--processes", "1"]) == 0
    assert "chips a session" in capsys.readouterr().out


def test_a_network_plays_for_what_it_learned(tmp_path: Path) -> None:
    """Its file says the reward; a name may say another."""
    path = tmp_path / "network.safetensors"
    save_network(random_network(), path, {"reward": "win"})
    rng = random.Random(3)
    differ = 0
    for seed in range(40):
        hand = Hand(seed=seed, chips=(218, 182))
        while hand.turn < 4 or hand.player == hand.button:
            hand.step(rng.choice(hand.legal_actions()))
        information = hand.information(seat_to_act(hand))
        values = solve_last_turn(hand, reward="win")
        slots = {
            name: agents.make(f"alphazero:sims=0,checkpoint={path}{name}").act(
                information_observation(information)
            )
            for name in ("", ",reward=win", ",reward=equity")
        }
        assert slots[""] == slots[",reward=win"]
        assert values[slots[""]] == pytest.approx(max(values.values()), abs=1e-6)
        differ += slots[""] != slots[",reward=equity"]
    assert differ > 0


def information_observation(information: InformationSet) -> dict[str, np.ndarray]:
    return {"observation": information.observation(), "action_mask": information.action_mask()}


def test_the_warm_up_has_no_gate(tmp_path: Path) -> None:
    run = Run(replace(TINY, warmup=3, bootstrap=1, hands=300), tmp_path, show=False)
    assert [run.hands(number) for number in range(5)] == [300, 100, 200, 300, 300]
    assert run.gate(2, last=False) == {"promoted": 1}
    assert Run(replace(TINY, warmup=None), tmp_path, show=False).warmup == 10
    assert [run.window(number) for number in (0, 10, 40, 400)] == [4, 5, 20, 30]


# ---------------------------------------------------------------- killed and resumed


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="workers are found through /proc")
def test_a_killed_run_goes_on_to_the_bit(tmp_path: Path) -> None:
    """kill -9 in the middle, then --resume with another number of workers: the same weights in the end."""
    config = replace(TINY, iterations=5, hands=40)
    whole = tmp_path / "whole"
    run_training(config, whole, "a test", show=False)

    words = [sys.executable, "-m", "experiments.alphazero", *options(replace(config, processes=1))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.Popen(
        [*words, "--name", "killed"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE
    )
    folder = tmp_path / "runs" / "alphazero" / "killed"
    workers: set[int] = set()
    deadline = time.monotonic() + 1200
    while len(checkpoints(folder)) < 1:
        assert killed.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        workers |= children(killed.pid)
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    assert workers
    while any(Path(f"/proc/{process}").exists() for process in workers):  # they follow their parent
        assert time.monotonic() < deadline
        time.sleep(0.05)
    state = load_state(folder, config.weight_decay)
    assert state is not None
    assert 1 <= state.round < 5

    resumed = [sys.executable, "-m", "experiments.alphazero", "--resume", "killed", "--processes", "0"]
    subprocess.run(resumed, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert_same_run(whole, folder)
    assert (folder / "curve.png").stat().st_size > 10_000
    assert json.loads((folder / "curve.json").read_text())["hands"] == 200


def test_a_round_that_was_finished_is_not_played_again(tmp_path: Path) -> None:
    """Killed between self-play and checkpoint: the round on the disk is used."""
    config = replace(TINY, iterations=3)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    train_run(Run(config, whole, show=False))
    train_run(Run(replace(config, iterations=2), cut, show=False))
    run = Run(config, cut, show=False)
    assert run.state.round == 2
    assert sorted(run.replay.parts) == [0, 1]
    saved = Replay(whole / "replay", 9).read(2)
    assert saved is not None
    Replay(cut / "replay", 9).add(2, saved)
    (cut / "replay" / "round_00009.npz").write_bytes(b"of a run that is no more")
    again = Run(config, cut, show=False)
    assert not (cut / "replay" / "round_00009.npz").exists()
    assert again.begin_round(None, 2, again.state.player).done  # type: ignore[arg-type]


def test_checkpoints_are_whole_or_absent(tmp_path: Path) -> None:
    state = first_state(random_network(), 1e-4)
    for number in (1, 2, 3):
        state.round = number
        save_state(state, tmp_path)
    assert [path.name for path in checkpoints(tmp_path)] == ["checkpoint_00002", "checkpoint_00003"]
    (tmp_path / "checkpoint_00004.part").mkdir()
    restored = load_state(tmp_path, 1e-4)
    assert restored is not None
    assert restored.round == 3
    weights = tmp_path / "checkpoint_00003" / "learner.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="not a whole"):
        load_state(tmp_path, 1e-4)
    (tmp_path / "checkpoint_00002" / "state.json").write_text("{")
    weights.parent.rename(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="damaged"):
        load_state(tmp_path, 1e-4)
    assert load_state(tmp_path / "nothing", 1e-4) is None


def test_replay_keeps_what_the_last_checkpoint_needs(tmp_path: Path) -> None:
    replay = Replay(tmp_path, 2)
    part = _core.self_play(random_network().native(), 2, 1, simulations=4)
    for number in range(5):
        replay.add(number, part)
    assert sorted(replay.parts) == [3, 4]
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"round_{n:05d}.npz" for n in (2, 3, 4)]
    before = Replay(tmp_path, 2)
    before.load(3)  # killed between the round and its checkpoint
    assert sorted(before.parts) == [2, 3]
    rows = [batch["chosen"] for batch in replay.batches(16, 2, np.random.default_rng(0))]
    joined = np.concatenate([part["chosen"], part["chosen"]])
    drawn = np.random.default_rng(0)
    for row in rows:
        assert (row == joined[drawn.integers(0, len(joined), 16)]).all()


def test_seeds_are_all_different() -> None:
    seeds = {round_seed(s, r, w, p) for s in range(3) for r in range(9) for w in range(4) for p in range(9)}
    assert len(seeds) == 3 * 9 * 4 * 9
    assert max(seeds) < 1 << 63


# ---------------------------------------------------------------- starts


def test_lost_positions(tmp_path: Path) -> None:
    """Two hands of a session: the loser of the first is known by chips, of the second by both boards."""
    rng = random.Random(3)
    chips, losers = (200, 200), []
    with Records(tmp_path / "games.db") as records:
        records.start_session("s", 1, ("ann", "bob"), Hand(seed=0).rules, kind="test")
        for number in (1, 2):
            hand = Hand(seed=number + 20, button=number % 2, chips=chips)
            log_hand(records, "s", number, hand, rng)
            result = hand.result()
            assert result.raw_score[0] != 0
            losers.append(0 if result.raw_score[0] < 0 else 1)
            chips = (result.chips[0], result.chips[1])
    log = tmp_path / "turns.jsonl"
    export_logs(tmp_path / "games.db", log, progress=False)
    starts = lost_positions(log)
    assert len(starts) == 10  # five turns of the loser in each hand
    assert [hand.turn for hand in starts] == [0, 1, 2, 3, 4] * 2
    for number, hand in enumerate(starts):
        assert (hand.player == hand.button) == (losers[number // 5] == (1 if number < 5 else 0))
    named = lost_positions(log, ("ann", "bob")[losers[0]])
    assert len(named) == 5 * losers.count(losers[0])
    run = Run(replace(TINY, starts=(str(log),), start_share=1.0), tmp_path / "run", show=False)
    assert len(run.starts) == 10
    both = (str(log), str(tmp_path / "games.db"))  # the same hands: each counts once
    winner = ("ann", "bob")[1 - losers[0]]
    config = replace(TINY, starts=both, starts_player=winner, start_share=1.0)
    assert len(Run(config, tmp_path / "run", show=False).starts) == 5 * losers.count(losers[0])
    worst = lost_positions([tmp_path / "games.db"], most=1)
    assert len(worst) == 5
    points = [abs(each.points) for each in lost_hands([log])]
    assert worst == starts[5 * points.index(max(points)) :][:5]
    with pytest.raises(ValueError, match="no position that anybody lost to 'nobody'"):
        lost_positions(log, against="nobody")
    with pytest.raises(ValueError, match="--starts-player is for the logs of --starts"):
        replace(TINY, starts_player="ann").verify()
    with pytest.raises(ValueError, match="there is no log"):
        lost_positions(tmp_path / "nothing.jsonl")
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.raises(ValueError, match="line 1 of"):
        lost_positions(tmp_path / "bad.jsonl")


# ---------------------------------------------------------------- command line


def test_presets_and_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphazero_config, "RUNS", tmp_path)
    assert parse([], None)[0] == Config()
    assert parse(["--preset", "hour", "--hands", "7"], None)[0] == replace(
        Config(), **{**PRESETS["hour"], "hands": 7}
    )
    assert parse(["--ray"], None)[0].ray == "local"
    assert parse(["--ray", "10.0.0.1:6379"], None)[0].ray == "10.0.0.1:6379"
    for preset in PRESETS.values():
        replace(Config(), **preset).verify()
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"config": vars(replace(Config(), name="mine", hands=9))}))
    assert parse(["--resume", "mine", "--minutes", "3"], None) == (
        replace(Config(), name="mine", hands=9, minutes=3.0),
        folder,
    )
    for words, sentence in (
        (["--name", "mine"], "exists already"),
        (["--resume", "other"], "there is no run other"),
    ):
        with pytest.raises(ValueError, match=sentence):
            parse(words, None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reward": "gold"}, "unknown"),
        (
            {"reward": "win", "fantasyland": 0.2},
            "--fantasyland is for hands, and --reward win plays sessions",
        ),
        ({"reward": "mixed", "starts": "log.jsonl"}, "--starts is for hands, and --reward mixed plays"),
        ({"reward": "win", "labels": ("labels.jsonl",)}, "--labels is for --reward equity"),
        ({"reward": "session", "label_weight": 2.0}, "--label-weight is for --reward equity"),
        ({"reward": "win", "rules": "standard chips=300"}, "nobody has measured the chance to win"),
        ({"iterations": 0, "minutes": 0.0}, "no length"),
        ({"iterations": -1}, "--iterations is -1"),
        ({"candidates": 9}, "--candidates is 9"),
        ({"opponents": "random nobody"}, "no agent is named 'nobody'"),
        ({"final_opponents": "nobody"}, "no agent is named 'nobody'"),
        ({"hands": 0}, "--hands is 0"),
        ({"gate_deals": 1}, "--gate-deals is 1"),
        ({"name": "a,b"}, "cannot be a run's name"),
        ({"init": "nowhere.safetensors"}, "there is no network"),
        ({"noise": 0.25}, "--noise is for --root tree, and --root is halving"),
        ({"policy_target": "visits"}, "--policy-target is for --root tree"),
        ({"root": "best"}, "no root 'best'"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path: Path, change: dict[str, object], words: str) -> None:
    folder = tmp_path / "run"
    with pytest.raises(ValueError, match=words) as refusal:
        run_training(replace(TINY, **change), folder, "a test")  # type: ignore[arg-type]
    assert "\n" not in str(refusal.value)
    assert not folder.exists()


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """selfplay, train and evaluate one after the other; a wrong name is a sentence."""
    data, network = tmp_path / "data", tmp_path / "network.safetensors"
    words = ["--rollouts", "--hands", "20", "--processes", "0", "--out", str(data / "round_00000.npz")]
    assert main(["selfplay", *words]) == 0
    train_words = ["--data", str(data), "--hidden", "64", "--steps", "4", "--out", str(network)]
    assert main(["train", *train_words]) == 0
    wider = tmp_path / "wider.safetensors"
    wider_words = ["--init", str(network), "--hidden", "128", "--staged", "--steps", "1", "--out", str(wider)]
    assert main(["train", "--data", str(data), *wider_words]) == 0
    assert (load_network(wider).hidden, load_network(wider).staged) == (128, True)
    more = ["--checkpoint", str(network), "--hands", "4", "--processes", "0"]
    assert main(["selfplay", *more, "--simulations", "4", "--out", str(data / "round_00001.npz")]) == 0
    assert main(["selfplay", *more, "--root", "tree", "--out", str(data / "round_00002.npz")]) == 0
    judge = ["--checkpoint", str(network), "--sims", "0", "--opponents", "random", "--deals", "4"]
    assert main(["evaluate", *judge, "--processes", "1"]) == 0
    shown = capsys.readouterr().out
    assert "network:sims=0" in shown
    assert "20 hands" in shown
    assert main(["dance"]) == 2
    assert main(["train", "--data", str(tmp_path / "none"), "--out", "x"]) == 2
    errors = capsys.readouterr().err
    assert "there is no command 'dance'" in errors
    assert "round_*.npz" in errors


def test_the_end_of_a_run_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_network(random_network(), tmp_path / "first.safetensors")
    config = replace(TINY, iterations=1, init=str(tmp_path / "first.safetensors"), hands=20)
    results = run_training(config, tmp_path / "run", "the command")
    shown = capsys.readouterr().out
    assert len(results) == 3
    for words in (
        "champion:sims=8",
        "curve.png",
        "--init agents/weights/alphazero.safetensors",
        "--resume run",
    ):
        assert words in shown.replace(str(ROOT) + "/", "")
    champion = tmp_path / "run" / "champion.safetensors"
    assert describe(champion).notes["command"] == "the command"
    assert load_network(champion).hidden == 64
    assert list((tmp_path / "run" / "tensorboard").iterdir())


def test_settings_of_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What config.json wrote is read again, options win over it, and what is no setting is refused."""
    monkeypatch.setattr(alphazero_config, "RUNS", tmp_path)
    other = replace(
        Config(), name="other", hands=7, temperatures=(0.1, 0.2, 0.3), labels=("a",), starts=("b",)
    )
    file = tmp_path / "config.json"
    write_json(file, {"config": asdict(other), "command": "made by a test"})
    assert parse(["--config", str(file)], None)[0] == replace(other, name="")
    assert parse(["--config", str(file), "--hands", "9"], None)[0] == replace(other, name="", hands=9)
    write_json(
        file, {"config": {**asdict(Config()), "starts": None, "teacher": "somebody"}}
    )  # as they once were
    assert parse(["--config", str(file)], None)[0] == Config()
    for content, words, sentence in (
        ({"config": {"hand": 3}}, [], "sets 'hand', which is no setting here"),
        ([], [], "holds no settings"),
        ({"config": {}}, ["--preset", "hour"], "leave out --preset"),
    ):
        file.write_text(json.dumps(content))
        with pytest.raises(ValueError, match=sentence):
            parse(["--config", str(file), *words], None)
    with pytest.raises(ValueError, match="there are no settings at"):
        parse(["--config", str(tmp_path / "none.json")], None)


def test_exploration_is_set_by_options() -> None:
    """Temperatures reach the hands, and those of the other search are refused."""
    usual = {setting.name: setting.default for setting in _core.self_play_fields()}
    assert list(Config().temperatures) == pytest.approx(usual["temperatures"])
    assert Config().full_turns == usual["full_turns"]
    assert Config().noise_alpha == pytest.approx(usual["noise_alpha"])
    with pytest.raises(ValueError, match="--temperatures is for --root halving"):
        replace(Config(), root="tree", temperatures=(1.0, 1.0, 1.0)).verify()
    with pytest.raises(ValueError, match="--last-simulations is for --root halving"):
        replace(Config(), root="tree", last_simulations=9).verify()
    with pytest.raises(ValueError, match="--noise-alpha is for --root tree"):
        replace(Config(), noise_alpha=1.0).verify()
    played = []
    for temperatures, full_turns in (((0.7, 1.5, 3.0), 3), ((90.0, 90.0, 90.0), 3), ((0.7, 1.5, 3.0), 0)):
        config = replace(TINY, temperatures=temperatures, full_turns=full_turns, bootstrap=0, exploring=1.0)
        run = Run(config, Path("never-written"), show=False)
        with make_workers(0) as workers:
            job = run.begin_round(workers, 0, run.state.player)
            played.append(joined(job.results())["chosen"])
    assert any(len(one) != len(played[0]) or (one != played[0]).any() for one in played[1:2])
    assert any(len(one) != len(played[0]) or (one != played[0]).any() for one in played[2:])
