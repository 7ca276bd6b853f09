"""Fixtures of the browser tests: one server for a module, pages as they are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.browser import TablePage
from tests.server.live import run_server

DESKTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def url(browser: Any) -> Iterator[str]:
    with run_server(agent="random", turn_seconds=120.0, hand_pause=120.0) as server:
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
