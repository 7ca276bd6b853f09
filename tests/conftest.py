"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.arena.workers import one_torch_thread


@pytest.fixture
def one_thread() -> Iterator[None]:
    """One thread for torch while a test runs: the suite runs in several processes."""
    with one_torch_thread():
        yield
