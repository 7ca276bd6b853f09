"""Tables by other rules than the house's: played, shown, hinted, reviewed, found again after a restart."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from agents.live_player import LivePlayer, Ticket
from ofc_env import Rules, solve_fantasyland
from server.__main__ import parse_arguments, settings_of
from server.protocol.rules import PRESETS, rules_body
from server.settings import Settings
from server.thinking.client import candidates
from tests.server.bots import Bot, agent_chooser, play_in_engine, play_pair
from tests.server.live import PATIENCE, LiveServer, begin, join, placement_message, run, run_server
from tests.server.mirror import Mirror, scan
from tests.server.owned import reviewed

SEED = 8_000_000_000_000
# Nobody has measured what fantasyland is worth here, and hardly anybody will.
ODD = "standard jokers=1 scoop=7 foul=4 stay_middle=quads stay_cards=0"
ODD += " fantasyland_pairs=0,0,0,0,0,0,0,0,14,14,15,15,17"
MACHINES = "no_fantasyland button_acts=last scoop=5"  # heuristic and pimc play it, and no champion is shipped


PERSONS = ("heuristic:fantasyland_values=8/14/20/27", "random:seed=2")


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


def play(
    server: LiveServer, seed: int, rules: str, names: tuple[str, str] = PERSONS
) -> tuple[Mirror, str, list[Bot]]:
    """A session of two persons over the wire beside the same in the engine: it, its id, and both."""
    mirror = play_in_engine(seed, names, rules)
    bots: list[Bot] = []

    async def scenario() -> None:
        for ticket, name in zip(server.open_pair(seed=seed, rules=rules), names, strict=True):
            bots.append(Bot(await join(server, ticket), agent_chooser(name, rules)))
        await play_pair(bots)
        for bot in bots:
            await bot.client.socket.close()

    run(scenario)
    return mirror, bots[0].starts[0], bots


@pytest.mark.parametrize("rules", ["standard", ODD, MACHINES])
def test_a_session_of_two_persons_is_the_engines(server: LiveServer, rules: str):
    for seed in (SEED, SEED + 1):
        mirror, session_id, bots = play(server, seed, rules)
        for seat, bot in enumerate(bots):
            assert bot.results == [result.to_dict() for result in mirror.session.history]
            assert bot.ends[0]["final_chips"] == mirror.session.chips
            assert scan(bot.client.frames, seat, mirror, bot.sent) > 0
            state, start = (
                json.loads(bot.client.frames[0]),
                next(
                    message
                    for message in map(json.loads, bot.client.frames)
                    if message["type"] == "session_start"
                ),
            )
            assert Rules.parse(state["rules"]["text"]) == Rules.parse(rules) == Rules.parse(start["rules"])
        assert server.get(f"/api/games/{session_id}/log")["rules"] == Rules.parse(rules).name


def test_fantasyland_is_set_by_the_rules_of_the_table(server: LiveServer):
    """By rules under which the solver sets hands otherwise than by the house rules."""
    rules, fantasylands = "fixed14 bottom=0,0,0,0,0,0,0,0,0,0 stay_bottom=none stay_top=pair", 0
    for seed in range(SEED, SEED + 3):
        mirror, _, bots = play(server, seed, rules)
        assert bots[0].results == [result.to_dict() for result in mirror.session.history]
        fantasylands += sum(turn.before.in_fantasyland for turn in mirror.turns)
    assert fantasylands > 0
    ticket = server.post("/api/rooms", mode="ai", agent="random", rules=rules)
    cards = ["Ah", "Ad", "Ac", "Kh", "Kd", "Qh", "Qd", "Jh", "Jd", "Th", "9h", "8h", "7h", "6h"]
    solved = server.post("/api/solve", cards=cards, room=ticket["room_id"])
    exact = solve_fantasyland(cards, rules=Rules.parse(rules))
    assert (solved["royalties"], solved["stays"]) == (int(exact.royalties), exact.stays)
    assert solved != server.post("/api/solve", cards=cards)


def test_hints_speak_of_the_rules_of_the_table(server: LiveServer):
    rooms = {
        rules: server.post("/api/rooms", mode="friend", rules=rules)["room_id"]
        for rules in ("house", "fixed14", "no_fantasyland", "top_pairs=0,0,0,0,0,0,0,0,0,0,70,0,0")
    }
    hints = [server.post("/api/evaluate", top=["Qs", "Qh"], room=room) for room in rooms.values()]
    kings = [server.post("/api/evaluate", top=["Ks", "Kh"], room=room) for room in rooms.values()]
    assert [hint["fantasyland"] for hint in hints] == [14, 14, 0, 14]
    assert [hint["fantasyland"] for hint in kings] == [15, 14, 0, 15]
    assert [hint["royalties"]["top"] for hint in hints] == [7, 7, 7, 70]
    gone = httpx.post(f"{server.url}/api/evaluate", json={"top": ["Qs"], "room": "nothing"}, timeout=PATIENCE)
    assert gone.status_code == 404


@pytest.mark.parametrize(
    ("rules", "agent"), [("standard", "random"), (ODD, "random"), (MACHINES, "heuristic")]
)
def test_a_machine_plays_by_the_rules_of_the_table(server: LiveServer, rules: str, agent: str):
    mirror = play_in_engine(SEED, ("random:seed=1", agent), rules)

    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="ai", agent=agent, seed=SEED, rules=rules)
        bot = Bot(await join(server, ticket), agent_chooser("random:seed=1", rules))
        await bot.play()
        assert bot.results == [result.to_dict() for result in mirror.session.history]
        assert not any('"substitute":"' in frame for frame in bot.client.frames)
        await bot.client.socket.close()

    run(scenario)


def test_a_level_is_played_by_its_first_agent_that_can_and_the_room_says_who(server: LiveServer):
    room = server.post("/api/rooms", mode="ai", level="advanced", rules=MACHINES)["room"]
    assert candidates("advanced")[0].startswith("alphazero")
    assert room["agent"] == "pimc:rollouts=500"
    assert room["names"][1] == "AI (pimc:rollouts=500)"
    assert room["rules"] == Rules.parse(MACHINES).name


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"mode": "ai", "rules": ODD}, "fantasyland_value.py"),
        ({"mode": "ai", "agent": "heuristic", "rules": ODD}, "fantasyland_value.py"),
        ({"mode": "ai", "agent": "alphazero", "rules": ODD}, "no champion is shipped"),
        ({"mode": "friend", "rules": "nonsense"}, "unknown rules 'nonsense'"),
        ({"mode": "friend", "rules": "standard jokers=3"}, "jokers is 3, outside 0 to 2"),
        ({"mode": "friend", "rules": "x" * 1001}, "rules"),
    ],
)
def test_rules_that_cannot_be_read_or_played_are_refused_with_a_sentence(
    server: LiveServer, body: dict, sentence: str
):
    count = len(server.lobby.rooms)
    answer = httpx.post(f"{server.url}/api/rooms", json=body, timeout=PATIENCE)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert len(server.lobby.rooms) == count


def test_a_machine_that_does_not_answer_is_no_fault_of_the_rules(server: LiveServer, monkeypatch):
    async def dead(question: dict) -> dict:
        raise RuntimeError("the thinking process ended")

    monkeypatch.setattr(server.lobby.thinking, "_ask", dead)
    count = len(server.lobby.rooms)
    answer = httpx.post(f"{server.url}/api/rooms", json={"mode": "ai", "rules": MACHINES}, timeout=PATIENCE)
    assert answer.status_code == 503
    assert (len(server.lobby.rooms), server.lobby._opening) == (count, [])


def test_a_review_judges_by_the_rules_that_were_played(server: LiveServer):
    _, session_id, _ = play(server, SEED + 5, MACHINES, ("random:seed=1", "heuristic"))
    (found,) = reviewed(server, f"{session_id}-1", seat=1)["reviews"]
    assert found["review"]["judge"].startswith("pimc")
    assert found["review"]["rules"] == Rules.parse(MACHINES).name
    assert len(found["review"]["decisions"]) == 10
    assert found["review"]["balance"] is None  # nobody judges luck by these rules
    _, session_id, _ = play(server, SEED + 5, ODD)
    refused = reviewed(server, f"{session_id}-1")
    assert (refused["reviews"][0]["review"], refused["account"]) == (None, None)
    assert "fantasyland_value.py" in refused["progress"]["problem"]


def test_a_table_keeps_its_rules_over_a_restart(tmp_path: Path):
    database, rules = tmp_path / "log.db", f"{ODD} turn_seconds=45"
    with run_server(database) as server:

        async def begin_session() -> list[dict]:
            first, second, tickets = await begin(server, seed=SEED, rules=rules)
            button = (await first.until("hand_start"))["btn"]
            game = server.lobby.rooms[tickets[0]["room_id"]].game
            assert game.current is not None
            assert game.current.table.player == 1 - button  # who acts first is not the button here
            client = (first, second)[1 - button]
            assert (await client.until("timer_start"))["limit"] == 45
            await client.send(placement_message(server, tickets[0]["room_id"]))
            await client.until("placed")
            return list(tickets)

        tickets = asyncio.run(begin_session())
    with run_server(database, rules=Rules.preset("fixed14")) as server:
        assert server.get(f"/api/rooms/{tickets[0]['room_id']}")["rules"] == Rules.parse(rules).name

        async def go_on() -> None:
            bots = [
                Bot(await join(server, ticket), agent_chooser("random:seed=1", rules)) for ticket in tickets
            ]
            await play_pair(bots)
            state = json.loads(bots[0].client.frames[0])
            assert (state["sequence"], state["rules"]["jokers"], state["limit"]) == (1, 1, 45)
            assert state["rules"]["button_acts"] == "last"

        run(go_on)


def test_the_time_out_of_a_table_is_that_of_its_rules():
    with run_server() as server:

        async def scenario() -> None:
            first, second, _ = await begin(server, rules="standard turn_seconds=1")
            seat = 1 - (await first.until("hand_start"))["btn"]
            assert (await (first, second)[seat].until("timeout"))["seat"] == seat

        run(scenario)


@pytest.mark.parametrize(("rules", "agent"), [(ODD, "random:seed=5"), (MACHINES, "heuristic")])
def test_live_players_play_by_the_rules_of_the_table(server: LiveServer, rules: str, agent: str):
    mirror = play_in_engine(SEED + 9, (agent, "random:seed=2"), rules)

    async def scenario() -> None:
        tickets = server.open_pair(seed=SEED + 9, rules=rules)
        players = [
            LivePlayer(Ticket(server.url, body["room_id"], body["player_id"], body["token"]), name)
            for body, name in zip(tickets, (agent, "random:seed=2"), strict=True)
        ]
        ends = await asyncio.gather(*(player.run() for player in players))
        assert ends[0][0]["final_chips"] == mirror.session.chips
        assert players[0].agent.rules == Rules.parse(rules)

    run(scenario)


def test_a_live_player_that_cannot_play_by_the_rules_says_so(server: LiveServer):
    body = server.post("/api/rooms", mode="friend", rules=ODD)
    player = LivePlayer(Ticket(server.url, body["room_id"], body["player_id"], body["token"]), "pimc")
    with pytest.raises(ValueError, match=r"fantasyland_value\.py"):
        asyncio.run(asyncio.wait_for(player.run(), 60))


def test_the_servers_own_rules_are_those_of_a_table_that_names_none():
    rules = Rules.parse("standard scoop=6")
    with run_server(rules=rules) as server:
        assert server.post("/api/rooms", mode="friend")["room"]["rules"] == "standard scoop=6"
        assert server.post("/api/rooms", mode="friend", rules="house")["room"]["rules"] == "house"
        listed = server.get("/api/rules")
        assert listed["default"] == "standard scoop=6"
        assert [each["text"] for each in listed["rules"]] == ["standard scoop=6", *(p.name for p in PRESETS)]
        assert listed["rules"][0] == rules_body(rules, server.settings)
        assert {level["agent"] for level in server.get("/api/levels")["levels"]} == {None}
    with run_server(rules=Rules.parse(MACHINES)) as server:
        agents = {level["name"]: level["agent"] for level in server.get("/api/levels")["levels"]}
        assert (agents["skilled"], agents["expert"]) == ("heuristic", "pimc:rollouts=5000")


def test_every_preset_of_the_core_is_offered():
    assert [rules.name for rules in PRESETS] == Rules.presets()


def test_rules_as_data_say_who_acts_and_what_the_deck_holds():
    body = rules_body(Rules.preset("standard"), Settings(turn_seconds=7))
    assert (body["text"], body["jokers"], body["cards"], body["button_acts"]) == ("standard", 0, 52, "last")
    assert (body["turn_seconds"], body["fantasyland_seconds"]) == (7, 90)
    assert body["fantasyland"]["stay"] == {"top": "trips", "middle": "none", "bottom": "quads"}
    assert rules_body(Rules.preset("no_fantasyland"), Settings())["fantasyland"]["widths"] == []


def test_the_command_line_takes_rules_and_refuses_others_in_one_sentence(tmp_path: Path):
    settings = settings_of(parse_arguments(["--rules", "standard turn_seconds=30"]))
    assert settings.turn_limit(settings.rules, False) == 30
    command = [sys.executable, "-m", "server", "--port", "0", "--database", str(tmp_path / "log.db")]
    for more, sentence in (
        (["--rules", "nonsense"], "unknown rules 'nonsense'"),
        (["--rules", ODD, "--agent", "heuristic"], "fantasyland_value.py"),
    ):
        refused = subprocess.run([*command, *more], capture_output=True, text=True, check=False, timeout=1200)
        assert refused.returncode == 2
        assert sentence in refused.stderr
        assert refused.stderr.count("\n") == 1
