"""What the log keeps of a player's drills: days that add up, mistakes that begin anew, and whose they are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ofc_env.records import Records
from ofc_env.records import drills as kept
from ofc_env.records.players import forget_player, token_digest

ANN, BOB = token_digest("ann"), token_digest("bob")
EARLY, LATE = "2031-01-02T00:00:00.000Z", "2031-02-02T00:00:00.000Z"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def add(
    records: Records, player: str = ANN, information: str = "hand=Ah", due_at: str = EARLY
) -> kept.Mistake:
    return kept.add_mistake(records, player, information, "Ah>t", "hand", "a-link", due_at)


def test_answers_of_a_day_and_kind_add_up(log: Path) -> None:
    moments = iter(datetime(2031, 1, day, 23, 59, tzinfo=UTC) for day in (2, 2, 2, 2, 2, 2, 3, 3))
    with Records(log, clock=lambda: next(moments)) as records:
        for correct, lost in ((True, 0.0), (False, 2.5), (False, None)):
            kept.count_answer(records, ANN, "opening", correct=correct, lost=lost, think_time_ms=100)
        kept.count_answer(records, ANN, "opening", correct=True, lost=0.5, think_time_ms=7)
    days = kept.days_of(log, ANN)
    assert [(day["day"], day["answered"], day["correct"], day["lost"]) for day in days] == [
        ("2031-01-02", 3, 1, 2.5),
        ("2031-01-03", 1, 1, 0.5),
    ]
    assert [day["think_time_ms"] for day in days] == [300, 7]
    assert kept.days_of(log, BOB) == []


def test_a_mistake_is_kept_once_and_begins_anew(log: Path) -> None:
    with Records(log) as records:
        first = add(records)
        kept.reschedule(records, ANN, first.id, box=3, due_at=LATE, correct=True)
        assert kept.find_mistake(log, ANN, first.id) == kept.Mistake(
            first.id, "hand=Ah", "Ah>t", "hand", "a-link", first.added_at, 3, LATE, 1, 1
        )
        again = add(records)
        assert (again.id, again.box, again.due_at, again.answered) == (first.id, 0, EARLY, 1)
        assert len(kept.mistakes_of(log, ANN)) == 1


def test_what_is_due_longest_comes_first(log: Path) -> None:
    with Records(log) as records:
        late, early = add(records, due_at=LATE), add(records, information="hand=Kh")
        assert kept.next_mistake(log, ANN, "2030-01-01T00:00:00.000Z") is None
        assert kept.next_mistake(log, ANN, EARLY) == early
        assert [each.id for each in kept.mistakes_of(log, ANN)] == [early.id, late.id]
        kept.drop_mistake(records, ANN, early.id)
        assert kept.next_mistake(log, ANN, LATE) == late


def test_nobody_touches_the_mistakes_of_others(log: Path) -> None:
    with Records(log) as records:
        own = add(records)
        other = add(records, BOB)
        assert own.id != other.id
        kept.reschedule(records, BOB, own.id, box=9, due_at=LATE, correct=True)
        kept.drop_mistake(records, BOB, own.id)
        assert kept.find_mistake(log, ANN, own.id) == own
        assert kept.find_mistake(log, BOB, own.id) is None
        kept.count_answer(records, ANN, "foul", correct=True, lost=0.0, think_time_ms=1)
        forget_player(records, ANN)
        assert (kept.mistakes_of(log, ANN), kept.days_of(log, ANN)) == ([], [])
        assert kept.mistakes_of(log, BOB) == [other]


def test_there_is_an_end_to_mistakes(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_MISTAKES", 2)
    with Records(log) as records:
        for name in ("hand=Ah", "hand=Kh", "hand=Ah"):
            add(records, information=name)
        with pytest.raises(ValueError, match="2 mistakes are enough"):
            add(records, information="hand=Qh")
        assert len(kept.mistakes_of(log, ANN)) == 2
