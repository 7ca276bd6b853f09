"""Own and shared hands: who reads what, step by step, and everybody who tries to read more."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import httpx
import pytest

from ofc_env import Board
from ofc_env.layout import ROWS
from server.__main__ import OPERATOR_KEY as KEY_VARIABLE
from server.__main__ import parse_arguments, settings_of
from server.play import history
from tests.server.live import OPERATOR, PATIENCE, LiveServer, Message, join, run, run_server
from tests.server.owned import ANN, BOB, EVE, SEED, ask, play_session

WITH_FANTASYLAND = SEED + 31  # heuristic against itself: both seats set some


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


@pytest.fixture(scope="module")
def session(server: LiveServer) -> Message:
    """A session that Ann and Bob have played, as Ann's history lists it."""
    (session_id,) = play_session(server, WITH_FANTASYLAND)
    listed: Message = server.get("/api/history", ANN)["sessions"][0]
    return {**listed, "session_id": session_id}


# -------------------------------------------------------------------- own and shared


def test_a_name_proves_nothing(server: LiveServer, session: Message):
    for name in ("Ann", session["names"][0]):
        assert ask(server, f"/api/export?player={name}", EVE).text == ""
        assert ask(server, f"/api/export?player={name}").status_code == 401
    both = ask(server, f"/api/export?session={session['session_id']}", ANN).text
    assert both == ask(server, f"/api/export?session={session['session_id']}", BOB).text != ""


def test_a_stranger_reads_nothing_of_a_private_session(server: LiveServer, session: Message):
    hand = session["hands"][0]["link"]
    names = [session["session_id"], f"{session['session_id']}-1", session["link"], hand]
    missing = ask(server, "/api/games/nothing/log", EVE)
    for name in names:
        for player in (EVE, None):
            for path in (f"games/{name}/log", f"reviews/{name}?seat=0", f"export?link={name}"):
                answer = ask(server, f"/api/{path}", player)
                # Word for word what a name that does not exist is answered: nobody learns which do.
                assert (answer.status_code, answer.text) == (404, missing.text), path
            for path in ("sessions", "hands"):
                assert ask(server, f"/api/{path}/{name}", player).text == missing.text
            assert ask(server, f"/api/reviews/{name}", player, "POST").text == missing.text
            assert ask(server, f"/api/reviews/{name}/progress", player).text == missing.text
        for method in ("PUT", "DELETE"):
            assert ask(server, f"/api/shares/{name}", EVE, method).text == missing.text
    assert ask(server, "/api/export", EVE).text == ""
    assert ask(server, f"/api/export?session={session['session_id']}", EVE).text == ""
    assert ask(server, "/api/history", EVE).json() == {"sessions": [], "more": False}
    assert ask(server, f"/api/history?before={session['link']}", EVE).json()["sessions"] == []
    for player in (ANN, BOB):
        assert len(ask(server, f"/api/games/{session['session_id']}/log", player).json()["hands"]) == len(
            session["hands"]
        )


INJECTIONS = ["' OR '1'='1", "x' UNION SELECT 1, id, NULL FROM sessions --", "%", "_" * 22, '"', "x;--", "*"]


@pytest.mark.parametrize("name", INJECTIONS)
def test_sql_text_finds_nothing(server: LiveServer, session: Message, name: str):
    for path in ("games/{}/log", "sessions/{}", "hands/{}"):
        answer = httpx.get(
            server.url + "/api/" + path.format(httpx.URL("http://x", params={"q": name}).query.decode()[2:]),
            headers={"X-Player-Token": EVE},
            timeout=PATIENCE,
        )
        assert answer.status_code == 404
    for field in ("link", "session", "player"):
        answer = httpx.get(
            f"{server.url}/api/export",
            params={field: name},
            headers={"X-Player-Token": EVE},
            timeout=PATIENCE,
        )
        assert (answer.status_code, answer.text)[: 1 + (field != "link")] in ((404,), (200, ""))
    assert server.get("/api/player", ANN)["sessions"] >= 1


def test_a_shared_hand_is_seen_by_its_link_and_nothing_else_is(server: LiveServer):
    (session_id,) = play_session(server, SEED + 3)
    whole = server.get(f"/api/sessions/{session_id}", ANN)
    first, second = (hand["link"] for hand in whole["hands"][:2])
    assert first not in (f"{session_id}-1", second)
    assert ask(server, f"/api/shares/{first}", ANN, "PUT").json() == {"link": first, "shared": True}
    for player in (EVE, None):
        hand = ask(server, f"/api/hands/{first}", player).json()
        assert (hand["session"], hand["previous"], hand["next"], hand["seats"]) == (None, None, None, [])
        assert len(ask(server, f"/api/games/{first}/log", player).json()["hands"]) == 1
        lines = ask(server, f"/api/export?link={first}", player).text.splitlines()
        assert {json.loads(line)["hand_number"] for line in lines} == {1}
        # The id of a session is in the list of rooms, and the number of a hand is easily counted on.
        for name in (session_id, f"{session_id}-1", f"{session_id}-2", second, whole["link"]):
            for path in (f"hands/{name}", f"sessions/{name}", f"games/{name}/log", f"export?link={name}"):
                assert ask(server, f"/api/{path}", player).status_code == 404, path
    assert ask(server, f"/api/shares/{first}", EVE, "DELETE").status_code == 403
    assert ask(server, "/api/export", EVE).text == ""
    # Bob's taking back is not Ann's.
    assert server.get(f"/api/hands/{first}", BOB)["shared"] == {"by_you": False, "by_other": True}
    ask(server, f"/api/shares/{first}", BOB, "DELETE")
    assert ask(server, f"/api/hands/{first}").status_code == 200
    ask(server, f"/api/shares/{first}", ANN, "DELETE")
    assert ask(server, f"/api/hands/{first}").status_code == 404


def test_a_shared_session_shows_all_its_hands_until_the_last_sharer_stops(server: LiveServer):
    (session_id,) = play_session(server, SEED + 4)
    link = server.get(f"/api/sessions/{session_id}", ANN)["link"]
    for player in (ANN, BOB):
        assert ask(server, f"/api/shares/{link}", player, "PUT").status_code == 200
        assert ask(server, f"/api/shares/{link}", player, "PUT").status_code == 200  # once is enough
    shown = ask(server, f"/api/sessions/{link}").json()
    assert len(shown["hands"]) == len(ask(server, f"/api/games/{link}/log").json()["hands"])
    for hand in shown["hands"]:
        assert ask(server, f"/api/hands/{hand['link']}").json()["session"] == link
    for player, status in ((ANN, 200), (BOB, 404)):
        ask(server, f"/api/shares/{link}", player, "DELETE")
        assert ask(server, f"/api/sessions/{link}").status_code == status
        assert ask(server, f"/api/hands/{shown['hands'][0]['link']}").status_code == status


def test_a_rematch_loses_nothing_and_the_history_is_read_page_by_page(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
):
    token, other = (secrets.token_urlsafe(16) for _ in range(2))
    ids = play_session(server, SEED + 5, (token, other), sessions=3)
    entire = server.get("/api/history", token)
    assert [each["link"] for each in entire["sessions"]] == [
        server.get(f"/api/sessions/{session_id}", token)["link"] for session_id in reversed(ids)
    ]
    assert entire["more"] is False
    assert server.get("/api/player", token) == {
        "since": server.get("/api/player", token)["since"],
        "sessions": 3,
        "hands": sum(len(each["hands"]) for each in entire["sessions"]),
    }
    for each in entire["sessions"]:
        assert each["seats"] == [0]
        assert each["names"] == ["Ann", "Player 2"]
        chips = [200 + sum(hand["points"][seat] for hand in each["hands"]) for seat in (0, 1)]
        assert chips == each["final_chips"]
        older = server.get(f"/api/history?before={each['link']}", token)["sessions"]
        assert older == entire["sessions"][entire["sessions"].index(each) + 1 :]
    monkeypatch.setattr(history, "SESSIONS_A_PAGE", 2)
    first = server.get("/api/history", token)
    assert first == {"sessions": entire["sessions"][:2], "more": True}
    rest = server.get(f"/api/history?before={first['sessions'][-1]['link']}", token)
    assert rest == {"sessions": entire["sessions"][2:], "more": False}


def test_the_hand_in_play_has_no_link_and_shows_nothing(server: LiveServer):
    token = secrets.token_urlsafe(24)

    async def scenario() -> None:
        ticket = server.post("/api/rooms", token, mode="ai", agent="random", seed=SEED)
        client = await join(server, ticket)
        await client.until("ready_to_start")
        await client.send({"type": "game_start"})
        hand_id = (await client.until("hand_start"))["hand_id"]
        session_id = hand_id.rpartition("-")[0]
        await client.until("deal")
        assert server.get(f"/api/sessions/{session_id}", token)["hands"] == []
        assert server.get("/api/history", token)["sessions"] == []
        for player in ({"X-Player-Token": token}, OPERATOR):
            assert (
                httpx.get(f"{server.url}/api/hands/{hand_id}", headers=player, timeout=PATIENCE).status_code
                == 404
            )
            assert (
                httpx.get(
                    f"{server.url}/api/export?session={session_id}", headers=player, timeout=PATIENCE
                ).text
                == ""
            )
        await client.socket.close()

    run(scenario)


def test_no_cache_keeps_what_a_token_opens(server: LiveServer, session: Message):
    for path in ("history", "export", f"sessions/{session['link']}", f"hands/{session['hands'][0]['link']}"):
        answer = ask(server, f"/api/{path}", ANN)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"


def test_a_machine_is_known_by_its_level(server: LiveServer):
    async def scenario() -> None:
        ticket = server.post("/api/rooms", ANN, mode="ai", level="skilled", name="heuristic")
        client = await join(server, ticket)
        await client.until("ready_to_start")
        await client.send({"type": "game_start"})
        session_id = (await client.until("session_start"))["session_id"]
        shown = server.get(f"/api/sessions/{session_id}", ANN)
        assert (shown["names"], shown["levels"]) == (["heuristic", "heuristic"], [None, "skilled"])
        await client.socket.close()

    run(scenario)


# -------------------------------------------------------------------- step by step


def board_fouled(board: dict[str, list[str]]) -> bool:
    """Whether a full board is a foul by the house rules."""
    return Board(top=board["top"], middle=board["middle"], bottom=board["bottom"]).fouled


def test_a_hand_is_stepped_through_as_the_engine_replays_it(server: LiveServer, session: Message):
    widths = set()
    for summary in session["hands"]:
        hand = server.get(f"/api/hands/{summary['link']}", BOB)
        log = server.get(f"/api/games/{summary['link']}/log", BOB)["hands"][0]
        assert hand["seats"] == [1]
        boards: list[dict[str, list[str]]] = [{row: [] for row in ROWS} for _ in range(2)]
        for step in hand["steps"]:
            assert step["boards"] == boards
            placed = {row: [card for card, at in step["placements"] if at == row] for row in ROWS}
            seat = step["seat"]
            for row in ROWS:
                boards[seat][row] = boards[seat][row] + placed[row]
            assert [{row: sorted(cards) for row, cards in each.items()} for each in step["boards_after"]] == [
                {row: sorted(cards) for row, cards in each.items()} for each in boards
            ]
            boards = step["boards_after"]
            cards = [card for card, _ in step["placements"]] + step["discards"]
            assert sorted(cards) == sorted(step["dealt_cards"])
        assert boards == hand["result"]["boards"]
        assert hand["result"] == log["result"]
        assert [board_fouled(board) for board in boards] == hand["busted"]
        for line in log["turns"]:
            seat = line["btn"] if line["is_btn"] else 1 - line["btn"]
            (step,) = (each for each in hand["steps"] if (each["seat"], each["turn"]) == (seat, line["turn"]))
            assert step["dealt_cards"] == line["dealt_cards"]
            assert step["boards"][seat] == line["board_self"]
            assert step["discards_before"] == line["known_discards_self"]
            assert (step["discards"] or [None]) == [line["action"]["discard"]]
            assert step["opponent_hidden"] == ("fantasyland" in line["board_opponent"])
        settings = [step for step in hand["steps"] if step["fantasyland"]]
        assert len(settings) == len(log["fantasyland_settings"])
        widths |= {len(step["dealt_cards"]) for step in settings}
        assert hand["evaluations"] == hand["steps"][-1]["evaluations"]
    links = [hand["link"] for hand in session["hands"]]
    for place, link in enumerate(links):
        hand = server.get(f"/api/hands/{link}", ANN)
        assert hand["previous"] == (links[place - 1] if place else None)
        assert hand["next"] == (links[place + 1] if place + 1 < len(links) else None)
        assert hand["session"] == session["link"]
    assert widths


# -------------------------------------------------------------------- the operator


def test_everything_is_for_the_operator_alone(server: LiveServer, session: Message):
    lines = ask(server, "/api/export", **OPERATOR).text.splitlines()
    assert session["session_id"] in {json.loads(line)["session_id"] for line in lines}
    assert server.get(f"/api/hands/{session['hands'][0]['link']}")["seats"] == []
    for key in ("", "wrong", OPERATOR["X-Operator-Key"] + "x", OPERATOR["X-Operator-Key"][:-1], "é"):
        for path in ("export", f"games/{session['session_id']}/log", f"sessions/{session['link']}"):
            answer = httpx.get(
                f"{server.url}/api/{path}", headers={b"X-Operator-Key": key.encode()}, timeout=PATIENCE
            )
            assert answer.status_code == 403
            assert "operator" in answer.json()["detail"]
        # A wrong key beside a right token is a wrong key.
        assert ask(server, "/api/export", ANN, **{"X-Operator-Key": "wrong"}).status_code == 403


def test_without_a_key_nobody_is_the_operator():
    with run_server(operator_key=None) as server:
        for key in ("", "None", "null"):
            assert ask(server, "/api/export", **{"X-Operator-Key": key}).status_code == 403


def test_the_key_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    assert settings_of(parse_arguments([])).operator_key is None
    monkeypatch.setenv(KEY_VARIABLE, "from-the-environment")
    settings = settings_of(parse_arguments([]))
    assert settings.operator_key == "from-the-environment"
    assert "from-the" not in repr(settings)
    file = tmp_path / "key"
    file.write_text("from-a-file-of-mine\n")
    assert (
        settings_of(parse_arguments(["--operator-key-file", str(file)])).operator_key == "from-a-file-of-mine"
    )
    for content in ("", "short", "é" * 20, "two\nlines of sixteen and more"):
        file.write_text(content)
        with pytest.raises(ValueError, match="key"):
            settings_of(parse_arguments(["--operator-key-file", str(file)]))
    with pytest.raises(ValueError, match="cannot read"):
        settings_of(parse_arguments(["--operator-key-file", str(tmp_path / "none")]))
    monkeypatch.setenv(KEY_VARIABLE, "short")
    with pytest.raises(ValueError, match="5 characters: give 16"):
        settings_of(parse_arguments([]))


# -------------------------------------------------------------------- pages elsewhere


def test_a_page_of_another_origin_gets_nowhere_with_a_token(server: LiveServer, session: Message):
    elsewhere = {"Origin": "https://elsewhere.example"}
    secret_headers = [{"X-Player-Token": ANN}, OPERATOR]
    for headers in secret_headers:
        for method, path in (
            ("GET", "/api/export"),
            ("GET", "/api/history"),
            ("GET", f"/api/sessions/{session['link']}"),
            ("PUT", f"/api/shares/{session['link']}"),
            ("DELETE", "/api/player"),
        ):
            answer = httpx.request(
                method, server.url + path, headers={**headers, **elsewhere}, timeout=PATIENCE
            )
            assert answer.status_code == 403, path
            assert "origins" in answer.json()["detail"]
    # A browser asks first whether it may send such a header at all.
    preflight = httpx.options(
        f"{server.url}/api/export",
        headers={
            **elsewhere,
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "x-player-token",
        },
    )
    assert preflight.status_code == 403
    assert not [name for name in preflight.headers if name.startswith("access-control")]
    assert server.get("/api/player", ANN)["sessions"] >= 1
    own = {"Origin": server.url, "X-Player-Token": ANN}
    assert httpx.get(f"{server.url}/api/history", headers=own, timeout=PATIENCE).status_code == 200
