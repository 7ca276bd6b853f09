"""The one weights file: what is written comes back, earlier formats open, what does not fit is refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import agents
from agents.networks.files import FORMAT, describe, read_weights, write_weights
from agents.networks.native import load_native, shapes
from agents.players.alphazero import CHAMPION
from ofc_env import Hand, Rules, _core
from tests.weights import header

WEIGHTS = CHAMPION.parent
OF_EARLIER_FORMATS = {
    "protocol-v1.safetensors": ("afterstate", "hidden", "commands"),
    "ppo.safetensors": ("placements", "units", "settings"),
}


def write_small(path: Path, **changes) -> None:
    """A file of two tensors."""
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(2, dtype=np.float32)}
    write_weights(path, "policy", {"hidden": [2]}, {**tensors, **changes}, notes={"command": "a test"})


def test_what_is_written_comes_back(tmp_path):
    path = tmp_path / "deep" / "network.safetensors"
    rules = Rules.parse("scoop=6")
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3).T, "b": np.ones(2, dtype=np.float32)}
    write_weights(path, "value", {"hidden": [2, 3]}, tensors, rules=rules, notes={"matches": [1, 2]})
    found = read_weights(path, "value", lambda config: {"a": (3, 2), "b": (2,)})
    assert (found.kind, found.config, found.rules) == ("value", {"hidden": [2, 3]}, rules)
    assert found.notes == {"matches": [1, 2]}
    assert found.tensors.keys() == tensors.keys()
    assert all((found.tensors[name] == tensors[name]).all() for name in tensors)
    assert describe(path).notes == found.notes
    assert header(path)["format"] == FORMAT
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("name", OF_EARLIER_FORMATS)
def test_files_of_earlier_formats_open(name):
    kind, size, note = OF_EARLIER_FORMATS[name]
    assert header(WEIGHTS / name).get("format") != FORMAT
    found = read_weights(WEIGHTS / name)
    assert (found.kind, found.rules) == (kind, Rules())
    assert size in found.config
    assert note in found.notes
    assert not {"format", "kind", "config"} & found.notes.keys()
    assert found.tensors.keys() == load_file(WEIGHTS / name).keys()


def test_a_network_is_the_same_in_either_format(tmp_path):
    first, path = WEIGHTS / "protocol-v1.safetensors", tmp_path / "champion.safetensors"
    old = read_weights(first)
    write_weights(path, old.kind, old.config, old.tensors, notes=old.notes)
    assert describe(path) == describe(first)
    states = _core.pack_observations(np.stack([Hand(seed=seed).observation(0) for seed in range(20)]))
    assert (load_native(path).evaluate(states) == load_native(first).evaluate(states)).all()


def test_a_network_played_natively_is_the_one_of_torch():
    pytest.importorskip("torch")
    from agents.networks.afterstate import load_network

    states = _core.pack_observations(np.stack([Hand(seed=seed).observation(0) for seed in range(20)]))
    native = load_network(CHAMPION).native()
    assert (load_native(CHAMPION).evaluate(states) == native.evaluate(states)).all()


def test_files_that_do_not_fit_are_refused(tmp_path):
    good = tmp_path / "good.safetensors"
    write_small(good)
    whole, metadata, tensors = good.read_bytes(), header(good), load_file(good)

    def written(name, changes, **fields):
        save_file({**tensors, **changes}, tmp_path / name, {**metadata, **fields})
        return tmp_path / name

    (tmp_path / "cut").write_bytes(whole[:-4])
    (tmp_path / "folder").mkdir()
    save_file(tensors, tmp_path / "bare")
    nan = np.array([1, np.nan], dtype=np.float32)
    for path, sentence in (
        (tmp_path / "nowhere", "there is no network at .*nowhere: train one"),
        (tmp_path / "folder", "there is no network at"),
        (tmp_path / "cut", "not a whole safetensors file"),
        (tmp_path / "bare", "does not hold a network of this version"),
        (written("format", {}, format="ofc-weights-9"), "ofc-weights-9"),
        (written("kind", {}, kind="value"), "holds a value network, and a policy network is needed"),
        (written("unknown", {}, kind="oracle"), "unknown kind 'oracle'"),
        (written("config", {}, config="[1]"), "configuration of .* cannot be read"),
        (written("notes", {}, notes="{"), "notes of .* cannot be read"),
        (written("rules", {}, rules="scoop=many"), "does not tell its rules"),
        (written("more", {"c": nan}), "'c' is missing or too much"),
        (
            written("shape", {"b": np.ones(3, dtype=np.float32)}),
            r"b is float32 \(3,\) and should be float32 \(2,\)",
        ),
        (written("half", {"b": np.ones(2, dtype=np.float16)}), "b is float16"),
        (written("nan", {"b": nan}), "b holds numbers that are not finite"),
    ):
        with pytest.raises(ValueError, match=sentence) as refusal:
            read_weights(path, "policy", lambda config: {"a": (2, 3), "b": (2,)})
        assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match="there is no kind of network 'oracle'"):
        write_weights(good, "oracle", {}, {})
    with pytest.raises(ValueError, match="b is float64"):
        write_small(good, b=np.ones(2))
    assert good.read_bytes() == whole


def test_networks_that_cannot_be_played_are_refused(tmp_path):
    path = tmp_path / "network.safetensors"
    config = {"hidden": 64, "second": 32, "features": _core.NETWORK_FEATURES}

    def write(**changes):
        sizes = {**config, **changes}
        fitting = shapes({**sizes, "features": _core.NETWORK_FEATURES})
        tensors = {name: np.zeros(shape, dtype=np.float32) for name, shape in fitting.items()}
        write_weights(path, "afterstate", sizes, tensors)

    write()
    assert load_native(path) is not None
    for changes, sentence in (
        ({"hidden": 65}, "cannot be played"),
        ({"features": 7}, "takes 7 inputs and this version gives"),
    ):
        write(**changes)
        with pytest.raises(ValueError, match=sentence) as refusal:
            agents.make(f"alphazero:checkpoint={path}")
        assert "\n" not in str(refusal.value)
    huge = json.dumps({**config, "hidden": 10**15})
    save_file(load_file(path), path, {**header(path), "config": huge})
    with pytest.raises(ValueError, match="does not fit its configuration"):
        load_native(path)


def test_agents_that_need_torch_say_so():
    name = "ppo"
    script = (
        "import sys; sys.modules['torch'] = None; import agents, agents.levels\n"
        "print(agents.levels.playable())\n"
        f"try: agents.make({name!r})\n"
        "except ValueError as refusal: print(refusal)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    playable, sentence = run.stdout.splitlines()
    assert sentence == (
        f"the agent '{name}' needs torch, which is not installed: pip install 'ofc-env[train]'"
    )
    assert "alphazero" in playable
    assert "bc" in playable
    assert name not in playable
