"""The REST side of drills: questions, answers that count, mistakes that come back, whose they are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from agents.drills import make_drill
from ofc_env import InformationSet, Placement, card_names
from ofc_env.layout import ROWS
from ofc_env.records import drills as kept
from ofc_env.records.players import token_digest
from tests.server.live import PATIENCE, LiveServer, run_server
from tests.server.owned import ANN, BOB, EVE, SEED, play_session

RIGHT = {"right": True, "cost": 0.0, "comes_back": False}
WRONG = {"right": False, "cost": 4.0, "comes_back": True}


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    """Its judge says at once what a test wants to hear: what it says by itself is tested in tests/agents."""
    with run_server() as server:
        server.verdict = WRONG  # type: ignore[attr-defined]

        async def judge_drill(drill: Any, answer: Any) -> dict[str, Any]:
            verdict = server.verdict  # type: ignore[attr-defined]
            placed = str(answer) if isinstance(answer, Placement) else "Ah>t"
            grade = "best" if verdict["right"] else "blunder"
            decision = {"played": placed, "best": "Ah>t", "options": [], "grade": grade}
            if drill.placement is not None:
                found = {"off": 0.25, "chance": 0.2, "low": 0.1, "high": 0.3, "certain": False, "bands": [1]}
                return {"right": verdict["right"], "decision": decision, **found}
            return {**verdict, "decision": decision}

        server.lobby.thinking.judge_drill = judge_drill  # type: ignore[method-assign]
        yield server


@pytest.fixture(scope="module")
def hand(server: LiveServer) -> dict[str, Any]:
    """A finished hand of Ann and Bob, as Ann sees it."""
    play_session(server, SEED)
    link = ask(server, "/api/history", ANN).json()["sessions"][0]["hands"][0]["link"]
    return dict(ask(server, f"/api/hands/{link}", ANN).json())


def ask(
    server: LiveServer, path: str, player: str | None = None, method: str = "GET", body: Any = None
) -> httpx.Response:
    """A request of somebody."""
    headers = {} if player is None else {"X-Player-Token": player}
    content = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(body)
    return httpx.request(method, server.url + path, headers=headers, content=content, timeout=PATIENCE)


def answer(server: LiveServer, name: str, player: str | None, verdict: dict[str, Any], **given: Any) -> Any:
    """An answer that is judged as told."""
    server.verdict = verdict  # type: ignore[attr-defined]
    found = ask(server, "/api/drills/answers", player, "POST", {"id": name, **given})
    assert found.status_code == 200, found.text
    return found.json()


def first_placement(name: str) -> dict[str, Any]:
    """A legal answer to an opening."""
    placement = make_drill("opening", int(name.split("-")[1])).position.placements()[0]
    pairs = [[card, row] for row in ROWS for card in card_names(getattr(placement, row))]
    return {"placements": pairs, "discards": []}


def test_questions_are_those_of_their_seeds(server: LiveServer) -> None:
    for kind in ("opening", "fantasyland", "foul"):
        body = ask(server, f"/api/drills/next?kind={kind}&seed=7").json()["drill"]
        drill = make_drill(kind, 7)
        assert body["id"] == f"{kind}-7"
        assert body["hand"] == card_names(drill.position.hand)
        assert (body["bands"] is not None) == (body["placement"] is not None) == (kind == "foul")
        assert (body["seconds"] is not None) == body["fantasyland"] == (kind == "fantasyland")
    board = ask(server, "/api/drills/next?kind=foul&seed=7").json()["drill"]
    assert {card for card, _ in board["placement"]["placements"]} <= {
        card for row in ROWS for card in board["board"][row]
    }
    ids = {ask(server, "/api/drills/next?kind=opening").json()["drill"]["id"] for _ in range(4)}
    assert len(ids) == 4


def test_answers_count_for_their_player_alone(server: LiveServer) -> None:
    body = answer(server, "opening-7", ANN, RIGHT, **first_placement("opening-7"), think_time_ms=1500)
    assert body["right"]
    assert body["mistake"] is None
    answer(server, "opening-8", ANN, WRONG, think_time_ms=500)  # gave up: nothing to come back from
    answer(server, "foul-7", ANN, WRONG, band=4)
    answer(server, "opening-7", None, WRONG, **first_placement("opening-7"))  # nobody's
    progress = ask(server, "/api/drills", ANN).json()
    counts = {day["kind"]: (day["answered"], day["correct"], day["lost"]) for day in progress["days"]}
    assert counts == {"opening": (2, 1, 4.0), "foul": (1, 0, 0.25)}
    assert sum(day["think_time_ms"] for day in progress["days"]) == 2000
    assert progress["mistakes"] == 0
    assert ask(server, "/api/drills", EVE).json() == {"days": [], "mistakes": 0, "due": 0, "next_due": None}


def test_a_blunder_in_a_drill_comes_back_later(server: LiveServer) -> None:
    body = answer(server, "opening-9", BOB, WRONG, **first_placement("opening-9"))
    name = body["mistake"]["id"]
    waiting = ask(server, "/api/drills/next?kind=mistake", BOB).json()
    assert waiting == {"drill": None, "due": 0, "next_due": body["mistake"]["due_at"]}
    # Before its time a right answer moves it no further.
    early = answer(server, name, BOB, RIGHT, **first_placement("opening-9"))
    assert early["mistake"] == body["mistake"]
    assert early["played"]["placements"] == first_placement("opening-9")["placements"]
    make_due(server, name)
    due = ask(server, "/api/drills/next?kind=mistake", BOB).json()
    assert due["drill"]["id"] == name
    assert due["due"] == 1
    later = answer(server, name, BOB, RIGHT, **first_placement("opening-9"))
    assert later["mistake"]["box"] == 1
    assert later["mistake"]["due_at"] > body["mistake"]["due_at"]
    make_due(server, name)
    again = answer(server, name, BOB, WRONG, **first_placement("opening-9"))
    assert again["mistake"]["box"] == 0
    # Others do not find it.
    for method, path in (("POST", "/api/drills/answers"), ("DELETE", f"/api/drills/mistakes/{name}")):
        for player in (EVE, None):
            refusal = ask(server, path, player, method, {"id": name} if method == "POST" else None)
            assert refusal.status_code in (401, 404), refusal.text
    assert ask(server, f"/api/drills/mistakes/{name}", BOB, "DELETE").status_code == 204
    assert ask(server, f"/api/drills/mistakes/{name}", BOB, "DELETE").status_code == 404
    assert ask(server, "/api/drills", BOB).json()["mistakes"] == 0


def make_due(server: LiveServer, name: str) -> None:
    """Let time pass for a mistake."""
    with closing(sqlite3.connect(server.settings.database, timeout=30)) as log, log:
        log.execute(
            "UPDATE drill_mistakes SET due_at = '2020-01-01T00:00:00.000Z' WHERE id = ?",
            (int(name.split("-")[1]),),
        )


def test_a_decision_of_a_hand_comes_back_as_the_seat_saw_it(server: LiveServer, hand: dict[str, Any]) -> None:
    for number, step in enumerate(hand["steps"]):
        added = ask(server, "/api/drills/mistakes", ANN, "POST", {"hand": hand["link"], "decision": number})
        assert added.status_code == 201, added.text
        found = kept.find_mistake(
            server.settings.database, token_digest(ANN), int(added.json()["id"].split("-")[1])
        )
        assert found is not None
        assert found.link == hand["link"]
        known = InformationSet.parse(found.information)
        own = step["boards"][step["seat"]]
        for row in ROWS:
            assert sorted(card_names(getattr(known, row))) == sorted(own[row])
        assert sorted(card_names(known.hand)) == sorted(step["dealt_cards"])
        assert sorted(card_names(known.discards)) == sorted(step["discards_before"])
    progress = ask(server, "/api/drills", ANN).json()
    assert progress["mistakes"] == progress["due"] == len(hand["steps"])
    again = ask(server, "/api/drills/mistakes", ANN, "POST", {"hand": hand["link"], "decision": 0})
    assert again.status_code == 201
    assert ask(server, "/api/drills", ANN).json()["mistakes"] == len(hand["steps"])  # the same one, once


def test_a_private_hand_gives_no_mistakes_to_others(server: LiveServer, hand: dict[str, Any]) -> None:
    body = {"hand": hand["link"], "decision": 0}
    path = "/api/drills/mistakes"
    assert ask(server, path, None, "POST", body).status_code == 401
    stranger = ask(server, path, EVE, "POST", body)
    nothing = ask(server, path, EVE, "POST", {**body, "hand": "no-such-hand"})
    assert (stranger.status_code, stranger.text) == (nothing.status_code, nothing.text)
    assert stranger.status_code == 404
    ask(server, f"/api/shares/{hand['link']}", ANN, "PUT")
    assert ask(server, path, EVE, "POST", body).status_code == 201
    ask(server, f"/api/shares/{hand['link']}", ANN, "DELETE")
    assert ask(server, path, EVE, "POST", body).status_code == 404
    for decision in (len(hand["steps"]), 100):
        refusal = ask(server, path, ANN, "POST", {**body, "decision": decision})
        assert refusal.status_code == 422
        assert "its decisions are 0 to" in refusal.json()["detail"]
    session = ask(server, "/api/history", ANN).json()["sessions"][0]["link"]
    assert ask(server, path, ANN, "POST", {**body, "hand": session}).status_code == 404


def test_everything_is_exported_and_forgotten(server: LiveServer, hand: dict[str, Any]) -> None:
    answer(server, "opening-11", EVE, WRONG, **first_placement("opening-11"))
    ask(server, "/api/drills/mistakes", EVE, "POST", {"hand": hand["link"], "decision": 0})
    content = ask(server, "/api/drills/export", EVE).json()
    assert [day["kind"] for day in content["days"]] == ["opening"]
    assert content["mistakes"][0]["information"]
    assert ask(server, "/api/drills/export").status_code == 401
    assert ask(server, "/api/player", EVE, "DELETE").status_code == 204
    assert ask(server, "/api/drills/export", EVE).json() == {"days": [], "mistakes": []}
    with closing(sqlite3.connect(server.settings.database, timeout=30)) as log:
        orphans = "SELECT count(*) FROM {} WHERE player NOT IN (SELECT id FROM players)"
        for table in ("drill_days", "drill_mistakes"):
            assert log.execute(orphans.format(table)).fetchone() == (0,)
    assert ask(server, "/api/drills", ANN).json()["days"]  # others stay


def test_a_player_has_so_many_mistakes_and_no_more(
    server: LiveServer, hand: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_MISTAKES", 1)
    path = "/api/drills/mistakes"
    body = {"hand": hand["link"], "decision": 0}
    statuses = [
        ask(server, path, BOB, "POST", {**body, "decision": number}).status_code for number in (0, 1, 0)
    ]
    assert statuses == [201, 422, 201]
    full = answer(server, "opening-12", BOB, WRONG, **first_placement("opening-12"))
    assert full["mistake"] is None  # the answer counts all the same


HOSTILE: list[tuple[str, str, Any]] = [
    ("GET", "/api/drills/next", None),
    ("GET", "/api/drills/next?kind=poker", None),
    ("GET", "/api/drills/next?kind=opening&seed=-1", None),
    ("GET", f"/api/drills/next?kind=opening&seed={2**48}", None),
    ("GET", "/api/drills/next?kind=opening&seed=x", None),
    ("POST", "/api/drills/answers", None),
    ("POST", "/api/drills/answers", {"id": 5}),
    ("POST", "/api/drills/answers", {"id": "opening"}),
    ("POST", "/api/drills/answers", {"id": "opening--1"}),
    ("POST", "/api/drills/answers", {"id": "opening-" + "9" * 50}),
    ("POST", "/api/drills/answers", {"id": "opening-١"}),
    ("POST", "/api/drills/answers", {"id": "poker-1"}),
    ("POST", "/api/drills/answers", {"id": "mistake-1' OR 1=1 --"}),
    ("POST", "/api/drills/answers", {"id": "x" * 65}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "band": 1}),
    ("POST", "/api/drills/answers", {"id": "foul-7", "placements": []}),
    ("POST", "/api/drills/answers", {"id": "foul-7", "band": 101}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "placements": [["zz", "top"]]}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "placements": [["Ah", "attic"]]}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "placements": [["Ah", "top"]] * 14}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "placements": [["Ah" * 999, "top"]]}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "think_time_ms": -1}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "think_time_ms": 10**30}),
    ("POST", "/api/drills/answers", {"id": "opening-7", "right": True}),
    ("POST", "/api/drills/mistakes", {"hand": "x" * 65, "decision": 0}),
    ("POST", "/api/drills/mistakes", {"hand": "x", "decision": -1}),
    ("POST", "/api/drills/mistakes", {"hand": "x", "decision": 10**30}),
    ("POST", "/api/drills/mistakes", {"hand": ["x"], "decision": 0}),
    ("DELETE", "/api/drills/mistakes/..%2f..", None),
    ("DELETE", "/api/drills/mistakes/opening-1", None),
    ("DELETE", "/api/drills/mistakes/" + "9" * 3000, None),
]


@pytest.mark.parametrize(("method", "path", "body"), HOSTILE)
def test_hostile_requests_are_refused_in_a_sentence(
    server: LiveServer, method: str, path: str, body: Any
) -> None:
    found = ask(server, path, ANN, method, body)
    assert found.status_code in (404, 405, 422), found.text
    detail = found.json()["detail"]
    assert 0 < len(detail) <= 300
    assert "\n" not in detail
