"""The REST side of the opening explorer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.openings import table_of_openings
from tests.server.live import PATIENCE, LiveServer, run_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    path = tmp_path_factory.mktemp("data") / "openings.bin"
    table_of_openings().write(path)
    with run_server(agent="random", openings=str(path)) as running:
        yield running


def test_a_page_of_a_pattern(server: LiveServer) -> None:
    found = server.get("/api/openings?cards=AKQJT&suits=5")
    assert (found["total"], found["classes"], found["rules"]) == (1, 152646, "house")
    opening = found["openings"][0]
    assert opening["cards"] == ["Ah", "Kh", "Qh", "Jh", "Th"]
    assert opening["deals"] == 4
    first = opening["best"][0]
    assert sorted([*first["top"], *first["middle"], *first["bottom"]]) == sorted(opening["cards"])
    every = [server.get(f"/api/openings?cards=AKQJT&first={first}")["openings"] for first in (0, 20, 40, 60)]
    assert [len(page) for page in every] == [20, 20, 11, 0]
    assert len({each["number"] for page in every for each in page}) == 51


def test_five_cards_lead_to_their_class(server: LiveServer) -> None:
    found = server.get("/api/openings?cards=Qs+7d+X2+Qc+10s")["openings"]
    assert [opening["cards"][0] for opening in found] == ["X2"]
    assert set(found[0]["cards"]) == {"Qs", "7d", "X2", "Qc", "Ts"}


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("cards=Ah+Ah+2c+3c+4c", "Ah"),
        ("cards=AKQJT9", "6 ranks"),
        ("suits=9", "do not fall"),
        ("order=x", "order"),
    ],
)
def test_refusals_are_a_sentence(server: LiveServer, query: str, sentence: str) -> None:
    answer = httpx.get(f"{server.url}/api/openings?{query}", timeout=PATIENCE)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_a_table_comes_and_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "openings.bin"
    with run_server(agent="random", openings=str(path)) as server:
        answer = httpx.get(f"{server.url}/api/openings", timeout=PATIENCE)
        assert answer.status_code == 404
        assert "experiments/openings.py" in answer.json()["detail"]
        table = table_of_openings()
        table.write(path)
        assert server.get("/api/openings")["raced"] == 0
        table.records["race"][:9] = 100
        table.write(path)
        assert server.get("/api/openings")["raced"] == 9
