"""Minari datasets: what was played, with masks, a card and a way back to the environment."""

import numpy as np
import pytest

pytest.importorskip("minari")
pytest.importorskip("h5py")

import minari

import agents
import ofc_env
from experiments import export_minari
from experiments.export_minari import KINDS, Config, export

CHAMPION = "alphazero:sims=0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All four datasets, of six hands each."""
    out = tmp_path_factory.mktemp("minari")
    assert export_minari.main(["--hands", "6", "--champion", CHAMPION, "--out", str(out)]) == 0
    return out


@pytest.fixture
def load(folder, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return minari.load_dataset


@pytest.mark.parametrize("kind", KINDS)
def test_episodes_are_hands_of_the_environment(load, kind):
    dataset = load(f"ofc/{kind}-v0")
    assert dataset.total_episodes == 12
    environment = dataset.recover_environment()
    assert dataset.observation_space == environment.observation_space
    assert dataset.action_space == environment.action_space
    returns = []
    for episode in dataset.iterate_episodes():
        steps = len(episode.actions)
        assert steps in (5, 6)
        assert episode.observations.shape == (steps + 1, 490)
        masks = episode.infos["action_mask"]
        assert masks.shape == (steps + 1, 150)
        assert masks[np.arange(steps), episode.actions].all()
        assert not masks[-1].any()
        assert episode.terminations.tolist() == [False] * (steps - 1) + [True]
        assert not episode.truncations.any()
        for numbers, mask in zip(episode.observations[:-1], masks):
            information = ofc_env.decode_observation(numbers)
            np.testing.assert_array_equal(information.action_mask(), mask)
        last = ofc_env.decode_observation(episode.observations[-1])
        assert len(last.top) + len(last.middle) + len(last.bottom) == 13
        returns.append(episode.rewards.sum())
    np.testing.assert_allclose(np.add(returns[::2], returns[1::2]), 0, atol=1e-4)  # both seats of a hand
    assert np.any(returns)


@pytest.mark.parametrize(("kind", "name"), [("heuristic", "heuristic"), ("champion", CHAMPION)])
def test_decisions_are_the_agents_own(load, kind, name):
    agent = agents.make(name)
    for episode in load(f"ofc/{kind}-v0").iterate_episodes():
        masks = episode.infos["action_mask"][:-1]
        np.testing.assert_array_equal(agent.act_batch(episode.observations[:-1], masks), episode.actions)


def test_the_card_tells_what_is_there(load, folder):
    for kind in KINDS:
        text = (folder / f"ofc/{kind}-v0" / "README.md").read_text(encoding="utf-8")
        dataset = load(f"ofc/{kind}-v0")
        assert f"12 episodes with {dataset.total_steps} decisions" in text
        assert dataset.storage.metadata["description"] in text
    assert f"--datasets mixed --hands 6 --champion {CHAMPION}\n" in text
    assert f"| `{CHAMPION}` |" in text
    assert "| `random` |" in text


def test_the_same_seed_writes_the_same_episodes(folder, tmp_path, monkeypatch):
    for kind in ("random", "mixed"):
        export(kind, Config(hands=6, champion=CHAMPION, out=tmp_path))
        monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
        again = list(minari.load_dataset(f"ofc/{kind}-v0").iterate_episodes())
        monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
        first = list(minari.load_dataset(f"ofc/{kind}-v0").iterate_episodes())
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one.observations, other.observations)
            np.testing.assert_array_equal(one.actions, other.actions)


def test_rules_and_reward_are_those_asked_for(tmp_path, monkeypatch):
    _, where = export("heuristic", Config(hands=2, rules="standard", reward="points", out=tmp_path))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    dataset = minari.load_dataset("ofc/heuristic-v0")
    environment = dataset.recover_environment().unwrapped
    assert environment.rules == ofc_env.Rules.preset("standard")
    assert environment.opponent.name == "heuristic"
    for episode in dataset.iterate_episodes():
        assert ofc_env.decode_observation(episode.observations[0], rules="standard").rules.num_cards == 52
        assert float(episode.rewards.sum()).is_integer()
    assert "rules `standard`" in (where / "README.md").read_text(encoding="utf-8")


def test_what_is_there_is_not_overwritten_and_half_a_dataset_does_not_stay(
    folder, tmp_path, monkeypatch, capsys
):
    words = ["--hands", "2", "--datasets", "random", "--out"]
    assert export_minari.main([*words, str(folder)]) == 2
    assert "is there already: take another --version or --out" in capsys.readouterr().err

    def fail(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(export_minari, "write_whole", fail)
    assert export_minari.main([*words, str(tmp_path)]) == 2
    assert "the disk is full" in capsys.readouterr().err
    assert not (tmp_path / "ofc" / "random-v0").exists()


def test_an_agent_that_remembers_is_refused(tmp_path, capsys):
    words = ["--datasets", "champion", "--champion", "pimc:belief=on", "--hands", "1", "--out", str(tmp_path)]
    assert export_minari.main(words) == 2
    assert "remembers the hand it plays" in capsys.readouterr().err


def test_a_clone_learns_from_one(tmp_path, monkeypatch):
    """More than it would by choosing at random among the legal slots."""
    from experiments.examples.minari_clone import train

    export("heuristic", Config(hands=60, out=tmp_path))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    clone, agreement = train("ofc/heuristic-v0", passes=12)
    assert clone.name == "clone of ofc/heuristic-v0"
    assert agreement > 0.15
