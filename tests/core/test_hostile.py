"""Whatever Python passes to the core, it is answered or refused: never a signal, never a hang."""

import pytest

from tests import hostile


def test_hostile_values_are_answered_or_refused() -> None:
    assert len(hostile.targets()) > 200
    assert hostile.crashes(0, 3000) == []


@pytest.mark.prove
@pytest.mark.parametrize("part", range(8))
def test_many_hostile_values_are_answered_or_refused(part: int) -> None:
    assert hostile.crashes(10_000_000 * (part + 1), 25_000) == []
