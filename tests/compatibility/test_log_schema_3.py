"""A log database of schema 3 (`README.md` says how it was made) opens, and has the review of a hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from agents.review.report import VERSION, HandReview
from ofc_env.records import Records
from ofc_env.records.players import token_digest
from ofc_env.records.reviews import hands_of_game, judges_of_player

SAMPLE = Path(__file__).parent / "schema_3" / "games.db"
WRITTEN = 1  # the version of the review in it


def test_its_review_is_read_or_made_again(tmp_path: Path):
    path = Path(shutil.copy(SAMPLE, tmp_path / "games.db"))
    with Records(path) as records:
        assert [row["session_id"] for row in records.sessions()] == ["live-5"]
    first, second = hands_of_game(path, WRITTEN, "live-5")
    assert second.review is None
    assert first.review is not None
    if VERSION == WRITTEN:
        review = HandReview.from_dict(json.loads(first.review))
        assert (len(review.decisions), review.seat) == (10, 0)
    judges = judges_of_player(path, VERSION, token_digest("ann-" * 8))
    of_now = {hand_id: each.judge is not None for hand_id, each in judges.items()}
    assert of_now == {"live-5-2": False, "live-5-1": VERSION == WRITTEN}
