"""A log database of schema 4 and its export (`README.md` says how they were made): drills, a fantasyland."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

from experiments.export_logs import export_logs
from experiments.logs.replay import RowBuffer, hand_as_dealt, replay_hand
from experiments.logs.sources import logged_hands
from ofc_env.records import Records, drills
from ofc_env.records.players import token_digest
from ofc_env.records.replay import steps_of_hand

SAMPLES = Path(__file__).parent / "schema_4"
ANN = token_digest("ann-" * 8)


def test_drills_are_kept(tmp_path: Path):
    path = Path(shutil.copy(SAMPLES / "games.db", tmp_path / "games.db"))
    with Records(path) as records:
        assert [row["session_id"] for row in records.sessions()] == ["live-5", "live-6"]
    days = [(day["day"], day["kind"], day["answered"], day["lost"]) for day in drills.days_of(path, ANN)]
    assert days == [("2026-11-18", "foul", 1, 0.0), ("2026-11-18", "opening", 1, 1.5)]
    (mistake,) = drills.mistakes_of(path, ANN)
    assert (mistake.source, mistake.due_at) == ("opening", "2026-11-19T14:00:00.000Z")


def test_its_export_is_the_same_and_replayed_with_the_fantasyland(tmp_path: Path):
    path = Path(shutil.copy(SAMPLES / "games.db", tmp_path / "games.db"))
    export_logs(path, tmp_path / "turns.jsonl.gz", progress=False)
    old, new = (gzip.decompress((folder / "turns.jsonl.gz").read_bytes()) for folder in (SAMPLES, tmp_path))
    assert old == new

    def refuse(*refusal: object) -> None:
        raise AssertionError(refusal)

    *_, last = logged_hands([SAMPLES / "turns.jsonl.gz"], refuse)
    assert last.key == ("live-6", "live-6-1")
    replay_hand(last.turns, RowBuffer(12), settings=last.settings)
    hand = hand_as_dealt(last.turns, last.settings)
    for line in last.lines:
        hand.place(line.placement)
    ended = steps_of_hand(path, "live-6", "live-6-1")[-1].after
    assert hand.result() == ended.result()
