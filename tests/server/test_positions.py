"""The REST side of the position editor: what is read, what is judged, what is refused, and how much of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from ofc_env import InformationSet, Placement, Rules, solve_fantasyland
from ofc_env.layout import ROWS
from tests.server.live import PATIENCE, LiveServer, run_server

OPENING = {"hand": "Ah Kd Qs Qh 10c"}
LAST_TURN = {
    "top": "Qs Qh",
    "middle": "2d 2h 7c 7d",
    "bottom": "Kh Kd Ac Ad 3s",
    "hand": "9h 4c X1",
    "discards": "8s 8h 8d",
    "opponent_top": "Js Jh",
    "opponent_middle": "5d 5h 6c 6d",
    "opponent_bottom": "Kc Ks As 3d 3h",
}


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with run_server() as server:
        yield server


def ask(server: LiveServer, path: str, body: Any, **headers: str) -> httpx.Response:
    """A request with any body."""
    headers["Content-Type"] = "application/json"
    return httpx.post(f"{server.url}/api/{path}", content=json.dumps(body), headers=headers, timeout=PATIENCE)


def placement_of(body: dict[str, Any]) -> Placement:
    """A placement as the engine has it."""
    rows = {row: [card for card, place in body["placements"] if place == row] for row in ROWS}
    return Placement(**rows, discards=body["discards"])


def test_an_opening_is_judged(server: LiveServer) -> None:
    answer = ask(server, "analyse", OPENING)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["position"]["hand"] == ["Ah", "Kd", "Qs", "Qh", "Tc"]
    assert (body["turn"], body["button"]) == (0, True)
    decision = body["decision"]
    legal = InformationSet.parse(decision["information"]).placements()
    values = [option["value"] for option in decision["options"]]
    assert values[0] == max(values)
    assert len(values) == 6
    for option in decision["options"]:
        assert placement_of(option["placement"]) in legal
        assert option["error"] > 0
        chances = option["chances"]
        assert 0 <= chances["foul"] <= 1
        assert 0 <= sum(chances["fantasyland"]) <= 1
    assert decision["best"] == decision["played"] == decision["options"][0]["placement"]
    assert (decision["cost"], decision["grade"]) == (0, "best")


def test_what_was_played_is_charged(server: LiveServer) -> None:
    body = ask(server, "analyse", {**OPENING, "played": "Qs>t Qh>t Tc>t Ah>m Kd>m"}).json()
    decision = body["decision"]
    assert decision["grade"] == "blunder"
    assert 3 < decision["low"] <= decision["cost"] <= decision["high"]
    assert decision["played"] in [option["placement"] for option in decision["options"]]
    assert decision["played"] != decision["best"]


def test_a_fantasyland_hand_is_set_by_the_solver(server: LiveServer) -> None:
    cards = "Ah Kd Qs Qh 10c 2c 3c 4c 5c 7d 8d 9d 9h 6s"
    decision = ask(server, "analyse", {"hand": cards}).json()["decision"]
    assert placement_of(decision["best"]) == solve_fantasyland(cards.replace("10c", "Tc")).placement
    assert decision["options"][0]["chances"]["foul"] == 0


def test_a_text_is_read_whether_play_can_reach_it_or_not(server: LiveServer) -> None:
    body = ask(server, "positions", {"text": "top: Qs Qh hand: 10c 2d"}).json()
    assert body["position"]["top"] == ["Qs", "Qh"]
    assert body["position"]["hand"] == ["Tc", "2d"]
    assert "2 cards on one's own board" in body["problem"]
    whole = ask(server, "positions", {"text": "10c 2d 3d 4d 5h"}).json()
    assert whole["problem"] is None
    assert whole["position"]["rules"] == "house"


def test_the_server_s_rules_are_those_of_a_text_that_names_none() -> None:
    with run_server(rules=Rules.parse("standard")) as server:
        assert ask(server, "positions", {"text": "10c 2d"}).json()["position"]["rules"] == "standard"
        assert ask(server, "analyse", {"hand": "10c 2d 3d 4d X1"}).status_code == 422
        assert ask(server, "positions", {"text": "10c rules: house"}).json()["position"]["rules"] == "house"


HOSTILE: list[tuple[str, Any]] = [
    ("analyse", None),
    ("analyse", []),
    ("analyse", {}),
    ("analyse", {"hand": ["Ah"]}),
    ("analyse", {"hand": "Ah Ah Kd Ks Kc"}),
    ("analyse", {"hand": "Ah " * 60}),
    ("analyse", {"hand": "A" * 201}),
    ("analyse", {"hand": "Ah Kd Qs Qh 5c", "top": "Ah"}),
    ("analyse", {"hand": "Ah Kd Qs", "bottom": "2c 3c 4c 5c 6c"}),
    ("analyse", {**OPENING, "discards": "2c"}),
    ("analyse", {**OPENING, "chips": 0}),
    ("analyse", {**OPENING, "chips": 10**30}),
    ("analyse", {**OPENING, "chips": 400}),
    ("analyse", {**OPENING, "opponent_fantasyland": 13}),
    ("analyse", {**OPENING, "opponent_fantasyland": -1}),
    ("analyse", {**OPENING, "rules": "nonsense"}),
    ("analyse", {**OPENING, "rules": "standard scoop=6"}),  # nobody has measured its fantasyland
    ("analyse", {**OPENING, "rules": "x" * 1001}),
    ("analyse", {**OPENING, "played": "Ah>t"}),
    ("analyse", {**OPENING, "played": "2c>t"}),
    ("analyse", {**OPENING, "played": "' OR 1=1 --"}),
    ("analyse", {**OPENING, "played": "Ah>t " * 40}),
    ("analyse", {**OPENING, "__class__": 1}),
    ("analyse", {**OPENING, "hand": "\ud800"}),
    ("positions", {}),
    ("positions", {"text": 5}),
    ("positions", {"text": "x" * 8001}),
    ("positions", {"text": '{"a":' + "[" * 7000}),
    ("positions", {"text": "\x00"}),
    ("positions", {"text": "hand: Ah\x00Kd"}),
    ("positions", {"text": "<script>alert(1)</script>"}),
]


@pytest.mark.parametrize(("path", "body"), HOSTILE)
def test_hostile_requests_are_refused_in_a_sentence(server: LiveServer, path: str, body: Any) -> None:
    answer = ask(server, path, body)
    assert answer.status_code == 422, answer.text
    detail = answer.json()["detail"]
    assert 0 < len(detail) <= 300
    assert "\n" not in detail
    assert "Traceback" not in detail


def test_after_all_that_the_judge_still_answers(server: LiveServer) -> None:
    first, again = (ask(server, "analyse", LAST_TURN) for _ in range(2))
    assert first.status_code == 200, first.text
    assert first.json() == again.json()
    assert {option["error"] for option in first.json()["decision"]["options"]} == {0}  # solved


def test_a_page_elsewhere_and_a_huge_body_stay_outside(server: LiveServer) -> None:
    assert ask(server, "analyse", OPENING, Origin="https://elsewhere.example").status_code == 403
    assert ask(server, "positions", {"text": "x" * 100_000}).status_code == 413


def stub_judge(server: LiveServer, answer: Any) -> None:
    """Let the server's judge answer by `answer()` instead of thinking."""

    async def analyse(information: Any, played: Any) -> Any:
        return await answer()

    server.lobby.thinking.analyse = analyse  # type: ignore[assignment,method-assign]


def test_an_address_has_so_many_judged_and_no_more() -> None:
    with run_server(analysis_rate=0.001, analysis_burst=2) as server:

        async def fail() -> Any:
            raise TimeoutError

        stub_judge(server, fail)
        answers = [ask(server, "analyse", OPENING) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [503, 503, 429, 429]
        assert "did not answer" in answers[0].text
        assert "wait a moment" in answers[-1].text
        assert ask(server, "analyse", {"hand": "zz"}).status_code == 422  # refused before it costs anything
        assert ask(server, "positions", {"text": "10c"}).status_code == 200


def test_so_many_are_judged_at_a_time() -> None:
    with run_server(max_analyses=2) as server, ThreadPoolExecutor(5) as pool:
        release, entered = threading.Event(), threading.Semaphore(0)

        async def wait() -> Any:
            entered.release()
            while not release.is_set():
                await asyncio.sleep(0.01)
            raise ValueError("it was a test")

        stub_judge(server, wait)
        held = [pool.submit(ask, server, "analyse", OPENING) for _ in range(2)]
        for _ in held:
            assert entered.acquire(timeout=PATIENCE)
        assert ask(server, "analyse", OPENING).status_code == 503
        release.set()
        assert [future.result().status_code for future in held] == [422, 422]
        assert (
            ask(server, "analyse", OPENING).json()["detail"] == "it was a test"
        )  # every place was given back
