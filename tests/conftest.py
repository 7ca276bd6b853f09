"""Fixtures for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser for a module, or the reason why its tests are skipped."""
    from tests.server.browser import NoBrowser, open_browser  # they need the server's packages

    try:
        with open_browser() as browser:
            yield browser
    except NoBrowser as reason:
        pytest.skip(str(reason))
