"""Every framework's example learns from whole hands, and what it made plays in the arena."""

import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
import ofc_env
from agents.arena import MatchSettings, play_match

EXAMPLES = {
    "torchrl_ppo": ("torchrl", {"updates": 2, "hands": 4, "epochs": 2}),
    "tianshou_dqn": ("tianshou", {"updates": 2, "hands": 4, "batches": 2, "tables": 4}),
}


@pytest.fixture(params=EXAMPLES)
def example(request):
    """A module of an example, and arguments that make its training small."""
    package, small = EXAMPLES[request.param]
    pytest.importorskip(package)
    return importlib.import_module(f"experiments.examples.{request.param}"), small


def test_an_example_trains_and_its_agent_plays(example):
    module, small = example
    agent = module.train(**small)
    result = play_match(agent, "random", 8, MatchSettings(progress=False))
    assert result.deals == 8  # an illegal slot would have been refused
    untrained = module.train(**{**small, "updates": 0})
    again = module.train(**small)
    batch = _positions(200)
    assert (agent.act_batch(*batch) == again.act_batch(*batch)).all(), "the same seed, the same agent"
    assert (agent.act_batch(*batch) != untrained.act_batch(*batch)).any(), "it learned nothing"


def _positions(tables):
    batch = ofc_env.BatchEnv(tables, seed=3)
    for _ in range(4):
        batch.step(batch.random_actions())
    return batch.observations.copy(), batch.action_masks.copy()


def test_torchrl_pays_each_seat_its_own_points():
    pytest.importorskip("torchrl")
    import torch

    from experiments.examples.torchrl_ppo import earned, make_environment

    torch.manual_seed(5)
    environment = make_environment(seed=5)
    hands = [environment.rollout(100) for _ in range(8)]
    points = torch.cat([hand["next", "players", "reward"][-1:].expand(len(hand), 2, 1) for hand in hands])
    assert {-1, 1} <= set(points[:, 0, 0].sign().tolist())  # either seat won some
    assert torch.equal(earned(torch.cat(hands)), points)
    played = hands[0]
    rewards = played["next", "players", "reward"][..., 0].numpy()
    assert (rewards[:-1] == 0).all()
    assert rewards[-1].sum() == 0
    assert played["next", "done"].sum() == 1
    assert played["players", "mask"].sum(dim=-1).eq(1).all()
    slots = played["players", "action"][played["players", "mask"]]
    masks = played["players", "action_mask"][played["players", "mask"]]
    assert masks[np.arange(len(slots)), slots].all()


def test_torchrl_tries_slots_by_their_chances():
    pytest.importorskip("torchrl")
    import torch

    from experiments.examples.torchrl_ppo import make_actor, make_environment

    torch.manual_seed(5)
    environment, player = make_environment(seed=5), make_actor(("players",))
    with torch.no_grad():
        rows: Any = torch.cat([environment.rollout(100, player) for _ in range(10)])
    rows = rows["players"][rows["players", "mask"]]
    chances = rows["logits"].masked_fill(~rows["action_mask"], -torch.inf).softmax(dim=-1)
    likeliest = chances.max(dim=-1).values
    played = (chances.gather(1, rows["action"][:, None])[:, 0] == likeliest).float()
    # As often as it says itself: a player that never tried another slot would learn nothing of them.
    spread = float((likeliest * (1 - likeliest)).sum().sqrt()) / len(rows)
    assert abs(float(played.mean() - likeliest.mean())) < 4 * spread
    logged = rows["action_log_prob"].exp()
    assert torch.allclose(logged, chances.gather(1, rows["action"][:, None])[:, 0], atol=1e-5)


def test_tianshou_finds_mask_and_points_of_both_seats():
    pytest.importorskip("tianshou")
    from experiments.examples.tianshou_dqn import make_table

    table = make_table()
    seen, _ = table.reset(seed=5)
    over, draw = False, np.random.default_rng(5)
    while not over:
        seen, rewards, over, _, info = table.step(draw.choice(np.flatnonzero(seen["mask"])))
        assert info == {}  # tianshou's buffers would take a list of results for an array
    assert sum(rewards) == 0


def test_the_page_names_the_versions_that_are_tested():
    root = Path(__file__).parents[2]
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (root / "constraints.txt").read_text(), re.MULTILINE))
    versions_table = (root / "docs/frameworks.md").read_text().partition("\n## ")[0]
    table = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", versions_table, re.MULTILINE)
    said = {framework: re.findall(r"\d+\.\d+\.\d+", versions) for framework, versions in table}
    for framework, packages in {
        "Stable-Baselines3, sb3-contrib": ["stable_baselines3"],
        "Gymnasium, torch alone": ["gymnasium"],
        "none: torch on `BatchEnv`, self-play": ["torch"],
        "TorchRL": ["torchrl", "tensordict"],
        "tianshou": ["tianshou"],
        "Minari": ["minari"],
        "RLlib": ["ray"],
    }.items():
        assert said[framework] == [pins[package] for package in packages]


def test_a_function_is_an_agent():
    first = agents.FunctionAgent(lambda _, masks: masks.argmax(axis=1), "first slot", rules="standard")
    assert first.rules.num_cards == 52
    result = play_match(first, "random", 4, MatchSettings(progress=False, rules=first.rules))
    assert result.agents[0] == "first slot"


@pytest.mark.parametrize("answer", [lambda seen, _: np.zeros(len(seen)), lambda *_: 3, lambda *_: [1, 2]])
def test_what_is_no_slot_each_is_refused(answer):
    wrong = agents.FunctionAgent(answer)
    with pytest.raises(ValueError, match="it should give 3 slots"):
        wrong.act_batch(np.zeros((3, 490), np.float32), np.ones((3, 150), np.int8))
