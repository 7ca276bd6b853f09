"""The REST side: rooms, logs, export, hints, OpenAPI, page and command line."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from agents.levels import DEFAULT_LEVEL, LEVELS, NETWORKS, agent_of, is_playable, make_timed, playable
from ofc_env import Rules
from server.__main__ import main, parse_arguments, settings_of
from server.play.journal import Journal
from server.settings import Settings
from server.thinking.client import Thinking
from server.web.app import STATIC
from server.web.serving import uvicorn_config
from tests.server.bots import Bot, agent_chooser, play_in_engine, play_pair
from tests.server.live import OPERATOR, PATIENCE, LiveServer, begin, join, run, run_server

SEED = 5_000_000_000_000


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


def test_a_room_is_opened_listed_shown_and_joined(server: LiveServer):
    ticket = server.post("/api/rooms", mode="friend", name="Ann")
    assert (ticket["seat"], ticket["player_id"]) == (0, "p0")
    shown = server.get(f"/api/rooms/{ticket['room_id']}")
    assert shown["names"] == ["Ann", None]
    assert (shown["phase"], shown["seats_free"], shown["chips"]) == ("waiting", 1, [200, 200])
    assert shown in server.get("/api/rooms")["rooms"]
    joined = server.post(f"/api/rooms/{ticket['room_id']}/join", name="Bob")
    assert (joined["seat"], joined["room"]["names"]) == (1, ["Ann", "Bob"])
    assert ticket["token"] != joined["token"]
    assert "token" not in json.dumps(server.get("/api/rooms"))


def test_private_rooms_are_not_listed(server: LiveServer):
    ticket = server.post("/api/rooms", mode="friend", private=True)
    assert ticket["room_id"] not in json.dumps(server.get("/api/rooms"))
    assert server.get(f"/api/rooms/{ticket['room_id']}")["private"] is True


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "nothing"},
        {"mode": "ai", "level": "godlike"},
        {"mode": "ai", "agent": "no-such-agent"},
        {"mode": "ai", "agent": "pimc:rollouts=1000000000"},  # options are for the operator
        {"mode": "ai", "agent": "mcts-open"},
        {"mode": "friend", "seed": -1},
        {"mode": "friend", "name": 5},
        {"mode": "friend", "deck": []},
        [],
        "x",
    ],
)
def test_impossible_rooms_are_refused_with_a_reason(server: LiveServer, body: object):
    count = len(server.lobby.rooms)
    answer = httpx.post(f"{server.url}/api/rooms", json=body, timeout=PATIENCE)
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert len(server.lobby.rooms) == count


BAD_TEXTS = [
    '{"name": NaN}',
    '{"name": Infinity, "seed": -Infinity}',
    '{"seed": NaN}',
    '{"mode": "\\ud800"}',
    '{"agent": "\\udfff"}',
    '{"level": "\\ud800"}',
    '{"\\ud800": 1}',
    '{"seed": ' + "9" * 5000 + "}",
    "[" * 5000,
    '"\\ud800"',
    "NaN",
    "{",
    "",
]


@pytest.mark.parametrize("path", ["/api/rooms", "/api/evaluate", "/api/solve"])
def test_numbers_that_are_none_and_halves_of_characters_are_refused_in_a_sentence(
    server: LiveServer, path: str
):
    cards = ['{"top": ["\\ud800h"]}', '{"cards": ["\\ud800"]}', '{"top": [NaN]}', '{"cards": [Infinity]}']
    cards.append(json.dumps({"cards": ["\ud800h"] * 14}))
    for text in [*BAD_TEXTS, *cards]:
        answer = httpx.post(
            server.url + path, content=text, headers={"Content-Type": "application/json"}, timeout=PATIENCE
        )
        assert answer.status_code in (400, 422), (text[:50], answer.text)
        assert isinstance(answer.json()["detail"], str)


def test_a_name_is_taken_for_what_can_be_shown_of_it(server: LiveServer):
    body = '{"mode": "friend", "name": "\\ud800Ann"}'
    answer = httpx.post(
        f"{server.url}/api/rooms",
        content=body,
        headers={"Content-Type": "application/json"},
        timeout=PATIENCE,
    )
    if answer.status_code == 201:
        assert answer.json()["room"]["names"][0] == "Ann"
    else:
        assert isinstance(answer.json()["detail"], str)
        assert answer.status_code == 422


def test_seeds_are_refused_unless_allowed():
    with run_server(allow_seeds=False) as server:
        answer = httpx.post(f"{server.url}/api/rooms", json={"mode": "friend", "seed": 1}, timeout=PATIENCE)
        assert answer.status_code == 422
        assert "seed" in answer.json()["detail"]


def test_the_log_shows_finished_hands_and_never_the_one_in_play(server: LiveServer):
    mirror = play_in_engine(SEED, ("heuristic", "heuristic"))

    async def scenario() -> None:
        first, second, tickets = await begin(server, seed=SEED)
        for client in (first, second):
            await client.socket.close()
        room = server.get(f"/api/rooms/{tickets[0]['room_id']}")
        path = f"/api/games/{room['session_id']}/log"
        assert server.get(path)["hands"] == []
        bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in tickets]
        await play_pair(bots)
        log = server.get(path)
        assert len(log["hands"]) == mirror.session.hands_played
        assert (log["winner"], log["reason"]) == (mirror.session.winner, mirror.session.reason)
        assert str(SEED) not in json.dumps(log)
        assert "deck" not in json.dumps(log)
        for bot in bots:
            await bot.client.socket.close()

    run(scenario)
    assert (
        httpx.get(f"{server.url}/api/games/nothing/log", headers=OPERATOR, timeout=PATIENCE).status_code
        == 404
    )


def test_the_export_streams_finished_hands_as_lines(server: LiveServer):
    names = ("Exporter", "Other")

    async def scenario() -> None:
        first = server.post("/api/rooms", mode="friend", seed=SEED + 1, name=names[0])
        second = server.post(f"/api/rooms/{first['room_id']}/join", name=names[1])
        bots = [Bot(await join(server, ticket), agent_chooser("heuristic")) for ticket in (first, second)]
        await play_pair(bots)
        # A second session is left in the middle: nothing of it may come out.
        for bot in bots:
            await bot.send({"type": "game_start"})
        for bot in bots:
            await bot.client.until("session_start")
            await bot.client.socket.close()

    run(scenario)
    mirror = play_in_engine(SEED + 1, ("heuristic", "heuristic"))
    address = f"{server.url}/api/export?format=jsonl&player=Exporter"
    with httpx.stream("GET", address, headers=OPERATOR) as answer:
        lines = [json.loads(line) for line in answer.iter_lines()]
    assert {line["player"] for line in lines} == {"Exporter"}
    assert len({line["session_id"] for line in lines}) == 1
    own = [turn for turn in mirror.turns if turn.seat == 0]
    assert len(lines) == len(own)
    settings = [line for line in lines if line["turn"] is None]
    assert len(settings) == sum(turn.before.in_fantasyland for turn in own)
    lines = [line for line in lines if line["turn"] is not None]
    fields = (
        "session_id hand_id hand_number turn player btn is_btn chips board_self board_opponent dealt_cards "
    )
    fields += "known_discards_self action think_time_ms timestamp rules"
    assert set(lines[0]) == set(fields.split())
    everything = httpx.get(f"{server.url}/api/export", headers=OPERATOR, timeout=PATIENCE).text
    assert str(SEED + 1) not in everything
    assert (
        httpx.get(f"{server.url}/api/export?format=csv", headers=OPERATOR, timeout=PATIENCE).status_code
        == 422
    )
    assert (
        httpx.get(f"{server.url}/api/export?since=yesterday", headers=OPERATOR, timeout=PATIENCE).status_code
        == 422
    )
    assert httpx.get(f"{server.url}/api/export?player=nobody", headers=OPERATOR, timeout=PATIENCE).text == ""


def test_hints_evaluate_and_solve(server: LiveServer):
    answer = server.post("/api/evaluate", top=["Qs", "Qh", "3c"])
    assert answer["fantasyland"] == 14
    cards = ["Ah", "Ad", "Ac", "Kh", "Kd", "Qh", "Qd", "Jh", "Jd", "Th", "9h", "8h", "7h", "6h"]
    solved = server.post("/api/solve", cards=cards)
    rows = solved["top"] + solved["middle"] + solved["bottom"] + solved["discards"]
    assert sorted(rows) == sorted(cards)
    for path, body in (("/api/evaluate", {"top": ["Zz"]}), ("/api/solve", {"cards": ["Ah"] * 14})):
        refused = httpx.post(server.url + path, json=body, timeout=PATIENCE)
        assert refused.status_code == 422
        assert isinstance(refused.json()["detail"], str)


def test_openapi_describes_every_route(server: LiveServer):
    paths = server.get("/openapi.json")["paths"]
    assert {"get", "post"} <= set(paths["/api/rooms"])
    for path in ("/api/rooms/{room_id}", "/api/games/{session_id}/log", "/api/export", "/api/levels"):
        assert "get" in paths[path]
    assert "post" in paths["/api/rooms/{room_id}/join"]


def test_answers_carry_the_security_headers(server: LiveServer):
    for path in ("/api/rooms", "/nothing", "/openapi.json"):
        headers = httpx.get(server.url + path, timeout=PATIENCE).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


@pytest.mark.skipif(not (STATIC / "index.html").exists(), reason="the page is not there")
def test_the_page_is_served_with_its_files_and_nothing_else(server: LiveServer):
    page = httpx.get(server.url + "/", timeout=PATIENCE)
    assert page.headers["content-type"].startswith("text/html")
    links = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    assert links
    with httpx.Client(base_url=server.url) as browser:
        for link in links:
            answer = browser.get(link)
            assert answer.status_code == 200
            again = browser.get(link, headers={"If-None-Match": answer.headers["etag"]})
            assert again.status_code == 304
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/server/web/app.py"):
        assert httpx.get(server.url + path, timeout=PATIENCE).status_code == 404


# -------------------------------------------------------------------- levels and command line


def test_every_level_has_an_agent(server: LiveServer):
    shown = server.get("/api/levels")
    assert [level["name"] for level in shown["levels"]] == list(LEVELS)
    assert shown["agents"] == playable()
    for level in LEVELS:
        make_timed(agent_of(level), 1.0)
    assert shown["default"] == DEFAULT_LEVEL
    assert agent_of("expert", "pimc") == agent_of("strong", "pimc") == "pimc:rollouts=5000"
    assert agent_of("expert", "pimc:rollouts=7") == "pimc:rollouts=7"
    assert agent_of("expert", "random") == "random"
    assert agent_of("advanced", "pimc") == "pimc:rollouts=500"
    for level in LEVELS:
        for agent in LEVELS[level]:
            make_timed(agent, 1.0)
    assert not is_playable("mcts-open")
    assert not is_playable("nobody:checkpoint=x")
    with pytest.raises(ValueError, match="no level"):
        agent_of("godlike")
    with pytest.raises(ValueError, match="no agent"):
        agent_of("expert", "nobody")


def test_a_room_with_an_agent_of_ones_choice_gives_it_the_levels_budget(server: LiveServer):
    ticket = server.post("/api/rooms", mode="ai", level="advanced", agent="pimc")
    assert ticket["room"]["agent"] == agent_of("advanced", "pimc") == "pimc:rollouts=500"
    assert ticket["room"]["names"][1] == "AI (pimc:rollouts=500)"


def test_a_room_of_an_old_level_has_its_name_of_today(server: LiveServer):
    room = server.post("/api/rooms", mode="ai", level="weak")["room"]
    assert (room["level"], room["agent"]) == ("beginner", agent_of("beginner"))
    assert room["names"][1] == "AI (beginner)"


def test_the_command_line_makes_the_settings():
    settings = settings_of(
        parse_arguments(["--database", "x.db", "--level", "novice", "--turn-seconds", "5"])
    )
    assert (settings.database, settings.level, settings.turn_seconds) == ("x.db", "novice", 5.0)
    assert settings_of(parse_arguments(["--level", "weak"])).level == "beginner"
    assert set(settings.allow_hosts) == {"127.0.0.1", "localhost", "::1"}
    assert settings_of(parse_arguments(["--host", "0.0.0.0"])).allow_hosts == ()
    for wrong in (["--turn-seconds", "0"], ["--hand-pause", "-1"], ["--agent", "nobody"]):
        with pytest.raises(ValueError):
            settings_of(parse_arguments(wrong))


def test_a_port_that_no_machine_has_is_refused_in_a_sentence(tmp_path, capsys):
    assert main(["--port", "99999", "--database", str(tmp_path / "games.db")]) == 2
    assert re.fullmatch(r"python -m server: cannot listen on .* port 99999 .*\n", capsys.readouterr().err)


def test_the_handlers_of_the_process_stay_open(tmp_path: Path):
    """Some libraries' handlers close their stream with themselves, and that stream may be everybody's."""
    closed = []

    class Handler(logging.NullHandler):
        def close(self) -> None:
            closed.append(self)
            super().close()

    handler = Handler()
    uvicorn_config(Settings(database=str(tmp_path / "games.db")))
    assert not closed
    handler.close()


def test_a_database_serves_one_server_at_a_time(server: LiveServer):
    with pytest.raises(ValueError, match="another server"):
        Journal(server.settings.database)


def test_networks_are_looked_for_where_the_agents_load_them():
    pytest.importorskip("torch")
    from agents.players import alphazero, bc, ppo

    expected = {"alphazero": alphazero.CHAMPION, "ppo": ppo.WEIGHTS, "bc": bc.WEIGHTS / "clone.safetensors"}
    assert expected == NETWORKS
    assert set(NETWORKS) <= set(playable())  # all of them are shipped


def test_the_command_line_teaches_and_refuses_in_one_sentence(tmp_path: Path):
    text = subprocess.run(
        [sys.executable, "-m", "server", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for word in ("--database", "--allow-origin", "kill -9", "examples"):
        assert word in text
    broken = tmp_path / "broken.db"
    broken.write_text("this is not a database, and it is long enough to be looked at closely" * 20)
    refused = subprocess.run(
        [sys.executable, "-m", "server", "--port", "0", "--database", str(broken)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert refused.stderr.startswith("python -m server: ")
    assert refused.stderr.count("\n") == 1


def test_an_agent_that_cannot_play_is_refused_before_the_port_opens(tmp_path: Path):
    agent = "pimc:rollouts=bad"
    command = [sys.executable, "-m", "server", "--port", "0", "--database", str(tmp_path / "log.db")]
    refused = subprocess.run([*command, "--agent", agent], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.startswith(f"python -m server: the agent '{agent}' cannot play: ")
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("program", "package"),
    [
        ("server.__main__", "fastapi"),
        ("server.__main__", "uvicorn"),
        ("server.__main__", "websockets"),
        ("agents.live_player.player", "websockets"),
    ],
)
def test_a_missing_extra_is_one_sentence(program: str, package: str):
    script = f"import sys; sys.modules[{package!r}] = None; import {program} as program; "
    script += "sys.exit(program.main([]))"
    refused = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"{package} is not installed: pip install 'ofc-env[server]'" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_agents_are_tried_before_they_are_let_in():
    async def scenario() -> None:
        thinking = Thinking(2)
        try:
            for agent in ("random", "heuristic", "random"):
                assert await thinking.cast([agent], Rules()) == agent
            assert await thinking.cast(["heuristic:nonsense=1", "random"], Rules()) == "random"
            with pytest.raises(ValueError, match=r"'heuristic:nonsense=1' cannot play: .*nonsense"):
                await thinking.cast(["heuristic:nonsense=1"], Rules())
        finally:
            await thinking.close()

    run(scenario)


def test_the_first_answer_of_the_machine_does_not_wait_for_it_to_load():
    with run_server(warm=True, agent="heuristic") as server:
        thinking = server.lobby.thinking
        assert thinking._process is not None
        assert thinking._count >= 1  # asked, and answered, before the port was open
        assert not thinking._waiting
