"""Files that version 0.1 wrote (`README.md` beside this says how) open today and hold what 0.1 read in them.

`0.1/expected.json` is what 0.1 itself answered: counts, digests, results of matches, slots that
networks chose.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.arena import MatchSettings, play_match, play_sessions
from agents.turns import set_fantasyland
from experiments.export_logs import export_logs
from experiments.preprocess import preprocess
from ofc_env import Session
from ofc_env.records import Records

SAMPLES = Path(__file__).parent / "0.1"
EXPECTED: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text())


def digest(content: bytes) -> str:
    """A short fingerprint."""
    return hashlib.sha256(content).hexdigest()[:16]


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """A copy that may be written to; the samples themselves stay as they are."""
    return Path(shutil.copytree(SAMPLES, tmp_path / "samples"))


def unpacked(archive: str, folder: Path) -> Path:
    """The run folder in an archive."""
    with tarfile.open(SAMPLES / archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "sample"


# ---------------------------------------------------------------- games


def test_the_database_opens_with_all_that_is_in_it(samples: Path):
    expected = EXPECTED["database"]
    with Records(samples / "games.db") as records:
        sessions = list(records.sessions())
        assert [{name: row[name] for name in expected["sessions"][0]} for row in sessions] == expected[
            "sessions"
        ]
        names = [row["session_id"] for row in sessions]
        assert [len(list(records.hands(name, finished=False))) for name in names] == expected["hands"]
        settings = [len(list(records.fantasyland_settings(name, finished=False))) for name in names]
        assert settings == expected["fantasyland"]
        lines: list[dict[str, Any]] = [dict(line) for line in records.iter_turns()]
        assert len(lines) == expected["turns"]
        assert {line.pop("rules") for line in lines} == {"house"}  # 0.1 did not write them
        assert digest(json.dumps(lines, sort_keys=True).encode()) == expected["lines"]
        # A broken-off live session goes on from its snapshot.
        assert records.snapshots().keys() == {"live-5"}
        saved = Session.from_json(records.snapshots()["live-5"])
        assert saved == Session.from_json((samples / "session.json").read_text())


def test_the_database_can_be_written_on(samples: Path):
    with Records(samples / "games.db") as records:
        session = Session.from_json(records.snapshots()["live-5"])
        placement = session.hand.placements()[0]
        records.record_turn("live-5-2", session.hand, placement, think_time_ms=900)
    with Records(samples / "games.db") as records:
        assert len(list(records.iter_turns())) == EXPECTED["database"]["turns"] + 1


def test_the_export_equals_the_export_of_0_1(samples: Path, tmp_path: Path):
    """The old database gives the very bytes of the old lines, at the end of each the rules; and settings."""
    export_logs(samples / "games.db", tmp_path / "turns.jsonl.gz", progress=False)
    old, new = (
        gzip.decompress((folder / "turns.jsonl.gz").read_bytes()).splitlines()
        for folder in (samples, tmp_path)
    )
    turns = [line for line in new if b'"turn":null' not in line]
    assert turns == [line.removesuffix(b"}") + b',"rules":"house"}' for line in old]
    assert len(new) - len(turns) == 2


def test_a_saved_session_is_played_on_to_the_same_end():
    expected = EXPECTED["session"]
    session = Session.from_json((SAMPLES / "session.json").read_text())
    assert list(session.chips) == expected["chips"]
    assert (session.hands_played, session.hand.turn) == (expected["hands_played"], expected["turn"])
    while not session.finished:
        hand = session.hand
        session.place(set_fantasyland(hand.dealt) if hand.in_fantasyland else hand.placements()[0])
    assert {
        "chips": list(session.chips),
        "hands_played": session.hands_played,
        "winner": session.winner,
        "reason": session.reason,
        "points": [result.raw_score[0] for result in session.history],
    } == expected["final"]


# ---------------------------------------------------------------- training data


@pytest.fixture(scope="module")
def training_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What today's code makes of the old lines."""
    folder = tmp_path_factory.mktemp("compatibility") / "set"
    metadata = preprocess(SAMPLES / "turns.jsonl.gz", folder, progress=False)
    assert metadata["counts"] == EXPECTED["preprocess"]["counts"]
    return folder


def test_old_lines_become_the_same_arrays(training_set: Path):
    for name, fingerprint in EXPECTED["preprocess"]["arrays"].items():
        assert digest(np.load(training_set / f"{name}.npy").tobytes()) == fingerprint, name


def test_an_old_training_set_is_loaded():
    pytest.importorskip("torch")
    from experiments.cloning.data import TrainingSet

    data = TrainingSet.load(SAMPLES / "training_set")
    assert len(data) == 11
    assert data.metadata["sessions"] == ["live-5"]
    for name, fingerprint in EXPECTED["training_set"].items():
        assert digest(getattr(data, name).tobytes()) == fingerprint, name


# ---------------------------------------------------------------- weights

OF_THEN = {"sims": 0, "exact": False, "opening_width": 32}  # all openings are judged since
WEIGHTS: dict[str, tuple[str, dict[str, Any]]] = {
    "alphazero": ("alphazero", {"checkpoint": "afterstate.safetensors", **OF_THEN}),
    "placements": ("ppo", {"weights": "placements.safetensors"}),
    "slots": ("ppo", {"weights": "plain/policy.safetensors"}),
    "plain-1": ("ppo", {"weights": "plain/policy.safetensors"}),
    "counts-1": ("ppo", {"weights": "counts/policy.safetensors"}),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_old_weights_choose_the_same_slots(kind: str, training_set: Path):
    """Every kind of network that is still played, in all positions of the log."""
    name, options = WEIGHTS[kind]
    if name != "alphazero":
        pytest.importorskip("torch")
    paths = {
        option: str(SAMPLES / "weights" / str(value))
        if option in ("checkpoint", "weights", "folder")
        else value
        for option, value in options.items()
    }
    agent = agents.make(name, **paths)
    states, masks = np.load(training_set / "states.npy"), np.load(training_set / "valid_masks.npy")
    assert agent.act_batch(states, masks).tolist() == EXPECTED["slots"][kind]


def test_old_clones_are_refused_with_a_sentence():
    """Clones are networks after a placement now; a policy over slots plays as `ppo:weights=FILE`."""
    pytest.importorskip("torch")
    for name in ("plain", "counts", "by_slot"):
        with pytest.raises(ValueError, match="but a policy of an earlier version: make one with"):
            agents.make(f"bc:folder={SAMPLES / 'weights' / name}")
    with pytest.raises(ValueError, match="no longer played: clone the log again"):
        agents.make(f"ppo:weights={SAMPLES / 'weights' / 'by_slot' / 'policy.safetensors'}")


# ---------------------------------------------------------------- matches


@pytest.mark.parametrize(("kind", "deals", "more"), [("match_hands", 4, 6), ("match_sessions", 2, 3)])
def test_an_old_match_is_resumed(samples: Path, kind: str, deals: int, more: int):
    """As far as it went nothing is played again, and its further deals give what 0.1 gave for them."""
    store = samples / f"{kind}.jsonl"
    lines = store.read_text()
    settings = MatchSettings(seed=5, progress=False)

    def means(count: int) -> list[float]:
        if kind == "match_hands":
            hands = play_match("heuristic", "random", count, settings, store=store, resume=True)
            return [hands.equity.mean, hands.points.mean]
        sessions = play_sessions("heuristic", "random", count, settings, store=store, resume=True)
        return [sessions.chips.mean, sessions.wins.mean]

    assert means(deals) == pytest.approx(EXPECTED[kind]["stored"])
    assert store.read_text() == lines
    assert means(more) == pytest.approx(EXPECTED[kind]["resumed"])


# ---------------------------------------------------------------- runs


def run_script(*words: str, folder: Path) -> None:
    """A command of the project in a process of its own, in a folder of its own."""
    ran = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, timeout=1200, cwd=folder
    )
    assert ran.returncode == 0, ran.stderr[-3000:]


def test_an_old_replay_is_read(tmp_path: Path):
    pytest.importorskip("torch")
    from experiments.selfplay.training import Replay

    replay = Replay(unpacked("alphazero_run.tar.xz", tmp_path) / "replay", 4)
    replay.load(up_to=1)
    assert {number: len(part["chosen"]) for number, part in replay.parts.items()} == {
        int(number): count for number, count in EXPECTED["replay"]["decisions"].items()
    }
    for number, fields in EXPECTED["replay"]["digests"].items():
        for name, fingerprint in fields.items():
            assert digest(np.ascontiguousarray(replay.parts[int(number)][name]).tobytes()) == fingerprint


def test_an_old_training_run_goes_on(tmp_path: Path):
    """Configuration, checkpoint, optimiser, replay and curve of `experiments.alphazero`."""
    pytest.importorskip("torch")
    from safetensors.numpy import load_file

    run = unpacked("alphazero_run.tar.xz", tmp_path)
    before = json.loads((run / "curve.json").read_text())["curve"]
    assert len(before) == 2
    run_script("experiments.alphazero", "--resume", str(run), "--iterations", "3", folder=tmp_path)
    after = json.loads((run / "curve.json").read_text())
    assert after["curve"][:2] == before
    assert len(after["curve"]) == 3
    assert (after["curve"][2]["hands"], after["curve"][2]["losses"]["steps"]) == (18, 1)
    # AdamW has counted on from the two steps of the old checkpoint.
    moments = load_file(run / "checkpoint_00003" / "optimizer.safetensors")
    assert {float(value) for name, value in moments.items() if name.endswith(".step")} == {3.0}
    assert agents.make("alphazero", checkpoint=str(run / "champion.safetensors"), sims=0)


def test_an_old_ppo_run_goes_on(tmp_path: Path):
    """Checkpoint with optimiser, pool of earlier copies and curve of `experiments.ppo`."""
    pytest.importorskip("sb3_contrib")
    run = unpacked("ppo_run.tar.xz", tmp_path)
    before = json.loads((run / "curve.json").read_text())
    run_script("experiments.ppo", "--resume", str(run), "--steps", "128", folder=tmp_path)
    after = json.loads((run / "curve.json").read_text())
    assert after[: len(before)] == before
    assert [entry["step"] for entry in after] == [0, 64, 128]
    assert {0, 128} <= {int(copy.stem.partition("_")[2]) for copy in (run / "pool").iterdir()}
    assert agents.make("ppo", weights=str(run / "policy.safetensors"))
