"""What docs/ppo.md shows is what the program does."""

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

import agents
from agents.networks.files import describe
from agents.players.ppo import WEIGHTS
from experiments import ppo, ppo_compare
from experiments.masked_ppo.config import PRESETS, PpoConfig
from experiments.ppo import Run

PAGE = (Path(__file__).parents[2] / "docs" / "ppo.md").read_text(encoding="utf-8")


def test_commands_on_the_page_are_commands(tmp_path, monkeypatch):
    """Each is read by its own parser and reaches its work, with settings that are allowed."""
    started: list[str] = []
    monkeypatch.setattr(ppo, "RUNS", tmp_path)
    (tmp_path / "first").mkdir()  # a run to go on with
    monkeypatch.setattr(Run, "train", lambda run: started.append("train"))
    monkeypatch.setattr(Run, "resumed", lambda folder, steps=None: Run(PpoConfig(envs=1), folder))
    monkeypatch.setattr(ppo_compare, "rows", lambda *settings: map(started.append, settings[:1]))
    programs = {"ppo": ppo.main, "ppo_compare": ppo_compare.main}
    commands = re.findall(r"python experiments/(ppo(?:_compare)?)\.py ([^`\n#]+)", PAGE)
    assert {program for program, _ in commands} == set(programs)
    for program, arguments in commands:
        before = len(started)
        assert programs[program](shlex.split(arguments)) == 0
        assert len(started) > before


def test_snippets_run():
    names: dict = {}
    for snippet in re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE):
        exec(compile(snippet, "docs/ppo.md", "exec"), names)
    import gymnasium

    environment = names["MaskInside"](gymnasium.make("wrappers:OFCPineapple-v0", opponent="random"))
    seen, _ = environment.reset(seed=1)
    assert environment.observation_space.contains(seen)
    over = False
    while not over:
        seen, _, over, _, _ = environment.step(int(seen["action_mask"].argmax()))
        assert environment.observation_space.contains(seen)


def test_every_preset_is_on_the_page():
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| `.*?\|", PAGE, re.MULTILINE)))) >= set(PRESETS)


def test_the_shipped_weights_name_the_command_that_made_them():
    settings = PpoConfig.from_json(describe(WEIGHTS).notes["settings"])
    assert settings == PpoConfig(**PRESETS["shipped"])
    assert "ppo" in agents.names()
