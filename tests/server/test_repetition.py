"""When a mistake comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from server.play.repetition import after_answer, first_due

FIRST_REST = timedelta(minutes=10)
RESTS = [timedelta(days=days) for days in (1, 3, 7, 16, 35, 90)]
NOW = datetime(2031, 1, 2, tzinfo=UTC)


def test_rests_grow_with_right_answers() -> None:
    box, now, rests = 0, first_due(NOW), []
    for _ in range(len(RESTS) + 2):
        box, due = after_answer(box, True, now)
        rests.append(due - now)
        now = due
    assert rests == [*RESTS, RESTS[-1], RESTS[-1]]
    assert rests == sorted(rests)
    assert box == len(RESTS) + 2


def test_a_wrong_answer_begins_anew_after_a_short_rest() -> None:
    assert after_answer(5, False, NOW) == (0, NOW + FIRST_REST)
    assert timedelta(0) < FIRST_REST < RESTS[0]
