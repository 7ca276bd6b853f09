"""Fixtures of the server's tests: patience; one server for a module, pages as they are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.browser import TablePage
from tests.server.live import PATIENCE, run_server

# What the server grants to its thinking process, whose low priority leaves it little on a busy machine.
LIMITS = (
    "server.thinking.client.ANALYSIS_SECONDS",
    "server.thinking.client.LOADING_SECONDS",
    "server.play.reviews.HAND_SECONDS",
    "server.play.reviews.RATING_SECONDS",
)
DESKTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="session", autouse=True)
def patient_servers() -> Iterator[None]:
    """Servers of tests give nobody up but who hangs."""
    with pytest.MonkeyPatch.context() as patches:
        for limit in LIMITS:
            patches.setattr(limit, 10 * PATIENCE)
        yield


@pytest.fixture(scope="module")
def url(browser: Any) -> Iterator[str]:
    with run_server(agent="random", turn_seconds=600.0, hand_pause=600.0) as server:
        yield server.url


@pytest.fixture
def open_page(browser: Any, url: str) -> Iterator[Any]:
    """Opens pages in windows of their own; none of them may report an error."""
    pages: list[TablePage] = []

    def open_one(address: str = url, **options: Any) -> TablePage:
        options.setdefault("viewport", DESKTOP)
        options.setdefault("locale", "en-GB")
        options.setdefault("reduced_motion", "reduce")  # so that a card is where it is seen
        page = TablePage(browser.new_context(**options).new_page(), address)
        pages.append(page)
        return page

    yield open_one
    for page in pages:
        page.page.context.close()
    assert [page.errors for page in pages if page.errors] == []
