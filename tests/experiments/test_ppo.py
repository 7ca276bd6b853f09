"""Masked PPO: whose reward it is, masks, resuming, the pool, and that lean means equal."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

import agents
import ofc_env
from agents.players.ppo import PpoAgent
from experiments import ppo
from experiments.masked_ppo import checkpoints as ppo_checkpoints
from experiments.masked_ppo import config as ppo_config
from experiments.masked_ppo.config import PRESETS, PpoConfig
from experiments.masked_ppo.policies import CountFeatures, LeanPPO, SlotPolicy
from experiments.masked_ppo.pool import OpponentPool
from experiments.masked_ppo.warm_start import Lessons, _returns, imitate, watch
from experiments.ppo import Run, build_environment, build_model
from tests.players import FirstSlot, LastSlot
from wrappers.gymnasium_env import OFCPineappleEnv
from wrappers.sb3_vec_env import OFCPineappleVecEnv

TINY = PpoConfig(
    steps=1024,
    opponents=("random",),
    units=8,
    policy_layers=(8,),
    value_layers=(8,),
    teacher="none",
    gae_lambda=0.95,
    envs=32,
    rollout=16,
    batch_size=256,
    epochs=2,
    stretch=1,
    deals=0,
)


pytestmark = pytest.mark.usefixtures("one_thread")


# ---------------------------------------------------------------- whose reward


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("button", [0, 1])
def test_a_scripted_hand_pays_the_learner_its_own_points(seat, button):
    """The learner lays out three winning rows card by card, the opponent the losing ones, in every seat."""
    winner = ["2c 2d 2s Qc Qd", "Ah Kh 3h", "Jh 9h 3c", "4d 4s 3s", "Qh 5c 5d"]
    loser = ["Js Ts 8s 6s 2h", "7s 7d 9d", "8c 6c Td", "9c Jd Ac", "3d 4c Ks"]
    winner_plays = ["2c>b 2d>b 2s>b Qc>t Qd>t", "Ah>m Kh>m 3h>x", "Jh>m 9h>m 3c>x", "4d>b 4s>b 3s>x"]
    winner_plays += ["Qh>m 5c>t 5d>x"]
    loser_plays = ["Js>b Ts>b 8s>b 6s>b 2h>t", "7s>b 7d>m 9d>x", "8c>m 6c>m Td>x", "9c>m Jd>m Ac>x"]
    loser_plays += ["3d>t 4c>t Ks>x"]
    first, second = (winner, loser) if seat == button else (loser, winner)
    deck = [card for pair in zip(first, second, strict=True) for cards in pair for card in cards.split()]
    deck += [ofc_env.card_name(card) for card in range(54) if ofc_env.card_name(card) not in deck]

    class Script(agents.Agent):
        def __init__(self):
            self.waiting: list[int] = []

        def act(self, observation):
            if not self.waiting:
                hand = environment.hand
                plays = winner_plays if hand.player == seat else loser_plays
                self.waiting = hand.actions_of(ofc_env.Placement.parse(plays[hand.turn]))
            return self.waiting.pop(0)

    environment = OFCPineappleEnv(opponent=Script())
    learner = Script()
    environment.reset(options={"deck": deck, "button": button, "seat": seat})
    rewards, over = [], False
    while not over:
        _, reward, over, _, info = environment.step(learner.act({}))
        rewards.append(reward)
    # Queens on top (7), a flush in the middle (8), a full house at the bottom (6), all three rows with the
    # scoop (6); the opponent's bottom flush is worth 4.
    assert not any(rewards[:-1])
    assert rewards[-1] == 7 + 8 + 6 + 6 - 4
    assert info["results"][0].raw_score[seat] == rewards[-1]


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_rewards_of_the_tables_are_the_learners_own(seat):
    """Every table's hands are played again by hand from a copy taken at their start."""
    environment = OFCPineappleVecEnv(8, FirstSlot(), seat=seat, seed=5)
    environment.seed(9)
    environment.reset()
    learners, learner = environment.learners, LastSlot()
    expected: list[int | None] = [None] * 8
    seen = set()
    for _ in range(40):
        for table in range(8):
            if expected[table] is None:  # the opponent may have moved already: the rest is played on
                hand, own = learners.batch.hand(table), int(learners.seats[table])
                seen.add((own, hand.button))
                while not hand.finished:
                    legal = hand.legal_actions()
                    hand.step(legal[-1] if hand.player == own else legal[0])
                expected[table] = hand.result().raw_score[own]
        slots = learner.act_batch(learners.observations, learners.action_masks)
        _, rewards, dones, _ = environment.step(slots)
        for table in range(8):
            assert rewards[table] == (expected[table] if dones[table] else 0)
            if dones[table]:
                expected[table] = None
    assert seen == {(own, button) for own in ((0, 1) if seat is None else (seat,)) for button in (0, 1)}


# ---------------------------------------------------------------- masks


def test_masks_are_never_violated_in_a_million_steps():
    """Slots drawn by the policy as in a rollout; the native batch refuses an illegal one as well."""
    tables, steps = 4096, 245
    environment = OFCPineappleVecEnv(tables, "random", seed=2)
    model = LeanPPO(
        SlotPolicy,
        environment,
        n_steps=1,
        batch_size=64,
        policy_kwargs={"net_arch": [4]},
        seed=1,
        device="cpu",
    )
    observations = environment.reset()
    every, played = np.arange(tables), 0
    for _ in range(steps):
        masks = environment.action_masks()
        with torch.no_grad():
            slots = model.policy(torch.as_tensor(np.asarray(observations)), action_masks=masks)[0].numpy()
        assert masks[every, slots].all()
        observations, _, _, _ = environment.step(slots)
        played += tables
    assert played > 1_000_000


# ---------------------------------------------------------------- resuming


def weights_of(run):
    return {name: tensor.clone() for name, tensor in run.model.policy.state_dict().items()}


@pytest.mark.parametrize("network", ["placements", "slots"])
def test_a_resumed_run_equals_an_uninterrupted_one(network, tmp_path):
    config = replace(TINY, network=network, opponents=("random", "pool"), steps=4 * TINY.steps_per_update)
    whole = Run(config, tmp_path / "whole", quiet=True)
    whole.train(stretches=2)
    third, fourth = [], []
    whole.train(stretches=1)
    third = weights_of(whole)
    whole.train()
    fourth = weights_of(whole)

    broken = Run(config, tmp_path / "broken", quiet=True)
    broken.train(stretches=2)
    del broken
    resumed = Run.resumed(tmp_path / "broken", quiet=True)
    assert resumed.progress.steps == 2 * config.steps_per_update
    resumed.train(stretches=1)
    assert all(torch.equal(third[name], tensor) for name, tensor in weights_of(resumed).items())
    resumed.train()
    assert all(torch.equal(fourth[name], tensor) for name, tensor in weights_of(resumed).items())
    assert resumed.progress.steps == whole.progress.steps == config.steps
    assert any(not torch.equal(third[name], fourth[name]) for name in third)


def test_a_run_stopped_after_its_lessons_takes_them_once(tmp_path):
    config = replace(
        TINY, teacher="heuristic", lessons=2000, opponents=("pool",), deals=2, evaluate=("random",)
    )
    whole = Run(config, tmp_path / "whole", quiet=True)
    whole.train(stretches=1)
    Run(config, tmp_path / "broken", quiet=True).train(stretches=0)
    resumed = Run.resumed(tmp_path / "broken", quiet=True)
    resumed.train(stretches=1)
    expected = weights_of(whole)
    assert all(torch.equal(expected[name], tensor) for name, tensor in weights_of(resumed).items())
    assert resumed.progress.curve == whole.progress.curve


def test_a_run_can_be_prolonged(tmp_path):
    Run(TINY, tmp_path, quiet=True).train()
    longer = Run.resumed(tmp_path, steps=2 * TINY.steps, quiet=True)
    longer.train()
    assert longer.progress.steps == 2 * TINY.steps


def test_checkpoints_hold_numbers_only(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no checkpoint in"):
        ppo_checkpoints.read(tmp_path)
    Run(TINY, tmp_path, quiet=True).train(stretches=1)
    path = tmp_path / ppo_checkpoints.FILE
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match="cannot be read"):
        ppo_checkpoints.read(tmp_path)
    (tmp_path / "policy.safetensors").replace(path)
    with pytest.raises(ValueError, match=r"not a checkpoint of experiments/ppo\.py"):
        ppo_checkpoints.read(tmp_path)


# ---------------------------------------------------------------- the pool


def positions(count=64, rounds=8):
    batch = ofc_env.BatchEnv(count, seed=3)
    for _ in range(rounds):
        batch.step(batch.random_actions())
    return batch.observations.copy(), batch.action_masks.copy()


def test_the_pool_plays_old_weights(tmp_path):
    """Copies answer as the learner did when they were taken, not as it does now; from files too."""
    fast: dict[str, Any] = {"learning_rate": 0.02, "final_learning_rate": 0.02, "target_kl": 0.0}
    config = replace(TINY, opponents=("pool", "heuristic"), steps=4 * TINY.steps_per_update, **fast)
    run = Run(config, tmp_path, quiet=True)
    observations, masks = positions(count=512)
    answers = {}
    for _ in range(4):
        run.train(stretches=1)
        agent = PpoAgent(network=run.model.policy.playing_network(), temperature=1.0, seed=config.seed)
        answers[run.progress.steps] = agent.act_batch(observations, masks)
    assert run.pool.steps == [0, *answers]
    newest = answers[run.progress.steps]
    fresh = OpponentPool(config.opponents, tmp_path / "pool", config.pool_size, config.seed)
    fresh.restore(run.pool.steps)
    drawn = set()
    for step in range(60):
        for pool in (run.pool, fresh):
            past, named = pool.draw(step)
            assert named.name == "heuristic"
            taken = int(past.name.partition("@")[2])
            drawn.add(taken)
            if taken in answers:
                assert (past.act_batch(observations, masks) == answers[taken]).all()
            if taken != run.progress.steps:
                assert (past.act_batch(observations, masks) != newest).any()
    assert drawn == {0, *answers}


def test_the_pool_seats_its_copies_at_the_tables(tmp_path):
    config = replace(TINY, opponents=("pool", "random"))
    run = Run(config, tmp_path, quiet=True)
    run.train(stretches=2)
    names = [opponent.name for opponent in run.environment.learners.opponents]
    assert names[1] == "random"
    assert names[0] in {"pool@0", f"pool@{config.steps_per_update}"}


def test_the_pool_keeps_the_first_and_the_latest(tmp_path):
    pool = OpponentPool(["pool"], tmp_path, size=3, seed=0)
    with pytest.raises(ValueError, match="the pool is empty"):
        pool.draw(0)
    network = build_model(TINY, build_environment(TINY)).policy.playing_network()
    for step in range(6):
        pool.add(network, step)
    assert pool.steps == [0, 4, 5]
    for names, size in (([], 3), (["pool"], 0)):
        with pytest.raises(ValueError, match=r"no opponents given|is empty: keep 1 or more"):
            OpponentPool(names, tmp_path, size, 0)


# ---------------------------------------------------------------- lean means equal


@pytest.mark.parametrize("counts", [False, True])
def test_the_lean_policy_equals_sb3s_own(counts):
    """Same weights, same masks: values, chances and entropies of sb3-contrib's policy."""
    environment = OFCPineappleVecEnv(4)
    options: dict[str, Any] = {"net_arch": {"pi": [16, 8], "vf": [12]}, "activation_fn": torch.nn.ReLU}
    if counts:
        options["features_extractor_class"] = CountFeatures
    spaces = environment.observation_space, environment.action_space
    lean = SlotPolicy(*spaces, lambda _: 1e-3, **options)
    plain = MaskableActorCriticPolicy(*spaces, lambda _: 1e-3, **options)
    plain.load_state_dict(lean.state_dict())
    observations, masks = (torch.from_numpy(part) for part in positions())
    slots = masks.argmax(dim=1)
    values, chances, entropies = lean.evaluate_actions(observations, slots, masks)
    plain_values, plain_chances, plain_entropies = plain.evaluate_actions(observations, slots, masks)
    assert torch.allclose(values, 20 * plain_values, atol=1e-4)  # lean values are in units of 20 points
    assert torch.allclose(chances, plain_chances, atol=1e-5)
    assert plain_entropies is not None
    assert torch.allclose(entropies, plain_entropies, atol=1e-5)
    best = plain.predict(observations.numpy(), deterministic=True, action_masks=masks.numpy())[0]
    assert (
        lean.predict(observations.numpy(), deterministic=True, action_masks=masks.numpy())[0] == best
    ).all()
    assert (
        PpoAgent(network=lean.playing_network()).act_batch(observations.numpy(), masks.numpy()) == best
    ).all()
    assert torch.allclose(lean.predict_values(observations), values, atol=1e-5)  # masks found by itself


def test_value_and_policy_sizes_are_separate():
    config = replace(TINY, network="raw", policy_layers=(32, 16), value_layers=(8,))
    shapes = {
        name: tuple(tensor.shape)
        for name, tensor in build_model(config, build_environment(config)).policy.state_dict().items()
    }
    assert shapes["mlp_extractor.policy_net.0.weight"] == (32, 490)
    assert shapes["mlp_extractor.value_net.0.weight"] == (8, 490)
    assert shapes["action_net.weight"] == (150, 16)


# ---------------------------------------------------------------- lessons and whole runs


def test_lessons_pay_every_seat_its_own_return():
    reward = ofc_env.RewardConfig.preset("points")
    lesson = next(watch(agents.make("heuristic"), reward, "hand", ofc_env.Rules(), seed=4))
    assert (lesson.masks[np.arange(len(lesson.slots)), lesson.slots] != 0).all()
    assert abs(lesson.returns.mean()) < 1.0  # points are zero-sum over the seats
    assert lesson.returns.std() > 5
    rewards = np.zeros((5, 1, 2), dtype=np.float32)
    rewards[1], rewards[4] = (3, -3), (-8, 8)
    ends = np.array([[False], [True], [False], [False], [True]])
    seats = np.array([[0], [1], [1], [0], [1]], dtype=np.int8)
    returns, known = _returns(rewards, ends, seats)
    assert returns[:, 0].tolist() == [3, -3, 8, -8, 8]
    assert known.all()
    assert _returns(rewards[:4], ends[:4], seats[:4])[1][:, 0].tolist() == [True, True, False, False]


def test_lessons_are_learned():
    torch.manual_seed(0)
    config = replace(TINY, units=64)
    policy = build_model(config, build_environment(config)).policy
    reward = ofc_env.RewardConfig.preset("equity")
    lesson = next(watch(agents.make("heuristic"), reward, "hand", ofc_env.Rules(), seed=4))
    few = Lessons(lesson.observations[:512], lesson.masks[:512], lesson.slots[:512], lesson.returns[:512])
    seen = []
    imitate(policy, iter([few] * 40), 40 * 512, 256, report=lambda learned, losses: seen.append(losses))
    assert seen[-1]["policy_loss"] < 0.5 * seen[0]["policy_loss"]
    assert seen[-1]["value_loss"] < seen[0]["value_loss"]
    assert seen[-1]["agreement"] > 0.6


@pytest.mark.parametrize(
    "changes",
    [
        {"reward": "shaped", "opponents": ("heuristic",)},
        {"episode": "session", "reward": "mixed", "teacher": "random", "lessons": 2000},
        {"network": "slots", "reward": "points", "opponents": ("random", "heuristic:exact=on", "pool")},
    ],
)
def test_whole_runs(changes, tmp_path):
    """Every kind of run learns with finite losses, is measured, drawn and can play."""
    run = Run(replace(TINY, deals=4, evaluate=("random",), **changes), tmp_path, quiet=True)
    run.train()
    assert all(bool(torch.isfinite(tensor).all()) for tensor in weights_of(run).values())
    assert {line["step"] for line in run.progress.curve} == {0, TINY.steps}
    assert (tmp_path / "curve.png").stat().st_size > 5000
    assert json.loads((tmp_path / "curve.json").read_text())[0]["opponent"] == "random"
    assert list(tmp_path.glob("events.out.tfevents.*"))
    agents.make(f"ppo:weights={tmp_path / 'policy.safetensors'}").act_batch(*positions())


def test_it_learns_a_simple_lesson(tmp_path):
    """Paid only for not fouling, a small network soon fouls less against random play."""
    config = replace(
        TINY, steps=40_000, units=16, envs=128, rollout=16, batch_size=512, learning_rate=5e-3, stretch=100,
        reward="shaped", entropy=0.0,
    )  # fmt: skip
    run = Run(config, tmp_path, quiet=True)
    rates = []
    original = ppo.HandStatistics._on_rollout_end

    def keep(self):
        rates.append(self.sums[1] / max(1, self.hands))
        original(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppo.HandStatistics, "_on_rollout_end", keep)
        run.train()
    assert np.mean(rates[-5:]) < np.mean(rates[:3]) - 0.1


# ---------------------------------------------------------------- settings and the command line


def test_settings_survive_text():
    for preset in PRESETS.values():
        config = PpoConfig(**preset)
        assert PpoConfig.from_json(config.to_json()) == config
    for text in ("[]", "{", '{"speed": 3}'):
        with pytest.raises(ValueError, match="are not settings of a PPO run"):
            PpoConfig.from_json(text)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"network": "big"}, "there is no network 'big'"),
        ({"episode": "year"}, "there is no episode 'year'"),
        ({"reward": "mixed"}, "reward mixed pays for whole sessions: add --episode session"),
        ({"envs": 0}, "--envs is 0"),
        ({"reward": "fame"}, "fame"),
    ],
)
def test_bad_settings_get_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        PpoConfig(**changes)


def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ppo, "RUNS", tmp_path)
    small = ["--envs=16", "--rollout=8", "--steps=128", "--deals=2", "--units=8", "--lessons=500"]
    small += ["--evaluate", "random"]
    assert ppo.main(["--preset", "smoke", "--name", "one", "--opponents", "random", "pool", *small]) == 0
    assert 'agents.make("ppo:weights=' in capsys.readouterr().out
    config = PpoConfig.from_json((tmp_path / "one" / "config.json").read_text())
    assert config.opponents == ("random", "pool")
    assert config.units == 8
    assert ppo.main(["--resume", str(tmp_path / "one"), "--steps", "256"]) == 0
    start = ["--preset", "smoke", "--name", "two", "--init", str(tmp_path / "one"), *small]
    assert ppo.main(start) == 0
    for wrong in (
        ["--name", "one"],
        ["--resume", str(tmp_path / "none")],
        ["--name", "x", "--network", "big"],
        ["--resume", str(tmp_path / "one"), "--units", "9"],
    ):
        assert ppo.main(wrong) == 2
    message = capsys.readouterr().err
    assert "holds a run" in message
    assert "here or in" in message
    assert "there is no network 'big'" in message
    assert "leave out --units" in message


def test_stopping_a_run_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def stop(run):
        run.begun = begun
        raise KeyboardInterrupt

    monkeypatch.setattr(ppo, "RUNS", tmp_path)
    monkeypatch.setattr(Run, "train", stop)
    begun = True
    assert ppo.main(["--preset", "smoke", "--name", "one"]) == 130
    shown = capsys.readouterr()
    assert f"run one, in {tmp_path / 'one'}: " in shown.out
    assert f"--resume {tmp_path / 'one'} goes on" in shown.err
    begun = False
    assert ppo.main(["--preset", "smoke", "--name", "one"]) == 130
    assert capsys.readouterr().err == "\nstopped before the first checkpoint: begin again\n"


def test_every_setting_is_an_option():
    words = ["--opponents", "a", "b", "--policy-layers", "4", "5", "--clip", "0.1"]
    start, settings = ppo_config.read_settings(words, None)
    config = PpoConfig(**{**PRESETS[start.preset], **settings})
    assert config.opponents == ("a", "b")
    assert config.policy_layers == (4, 5)
    assert config.clip == 0.1
    assert config.steps == PRESETS["laptop"]["steps"]


def test_the_example_learns():
    from experiments.examples.ppo_one_file import train

    curve = train(updates=30, tables=48)
    assert np.mean(curve[-5:]) > np.mean(curve[:5]) + 0.2
    assert Path("experiments/examples/ppo_one_file.py").is_file()
