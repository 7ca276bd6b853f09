"""Fixtures for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from agents.arena.workers import one_torch_thread


def pytest_configure() -> None:
    """Hear Ctrl-C, and let children hear it: a shell starts what runs in its background deaf to it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """One thread for torch while a test runs: the suite runs in several processes."""
    with one_torch_thread():
        yield
