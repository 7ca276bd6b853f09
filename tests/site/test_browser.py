"""The static site in a real browser, also with the network off: the page, the worker and what it keeps."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.drills import make_drill
from experiments.logs.lines import LineError, LoggedTurn, parse_line
from ofc_env import card_names, solve_fantasyland
from ofc_env.layout import ROWS
from ofc_env.records import Records
from ofc_env.records.lines import iter_lines
from ofc_env.records.replay import steps_of_hand
from server.site.build import first_visit
from tests.logs import log_hands
from tests.server.browser import TablePage
from tests.server.live import PATIENCE
from tests.site.hosts import Quiet

pytestmark = pytest.mark.browser
# A short session with time to play it in.
RULES = "house chips=30 stop_gap=40 turn_seconds=600 fantasyland_seconds=600"
REVIEWED = 600_000  # milliseconds that nobody waits for
OPEN_ROOM = """async options => {
  const { ask } = await import(new URL("static/js/api.js", location.href));
  const { storeSeat } = await import(new URL("static/js/protocol.js", location.href));
  const ticket = await ask("POST", "/api/rooms", options);
  storeSeat(ticket.room_id, ticket);
  return ticket.room_id;
}"""
EXPORT = """async () => {
  const { api } = await import(new URL("static/js/protocol.js", location.href));
  return (await api.exportHands()).text();
}"""
ASK = """async ([method, path, body]) => {
  const { ask } = await import(new URL("static/js/api.js", location.href));
  return ask(method, path, body);
}"""


TABLES = (Path(__file__).parent / "tables.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(site.parents[1]))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/games/ofc/"
    server.shutdown()


@pytest.fixture
def table(browser: Any, url: str) -> Iterator[TablePage]:
    """The site, opened once and installed; its page may report no error."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce"
    )
    table = TablePage(context.new_page(), url.rstrip("/"))
    table.page.goto(url)
    table.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    yield table
    context.close()
    assert table.errors == []


def at_table(table: TablePage, script: str, **options: Any) -> Any:
    """What a script of tables.js hears at a new table."""
    return table.page.evaluate(f"options => {{ {TABLES}\nreturn {script}(options); }}", options)


def play_hand(table: TablePage) -> None:
    """Play the hand on the table to its result."""
    page = table.page
    while True:
        page.wait_for_selector("#table[data-acting=own] #hand .card, #result .result-table")
        if page.query_selector("#result:not([hidden]) .result-table"):
            return
        if len(table.hand()) > 5:
            page.click("#solve")
            page.wait_for_selector("#confirm:not([disabled])")
        else:
            table.lay_out(table.click)
        table.confirm()


def _timeout() -> type[Exception]:
    from playwright.sync_api import TimeoutError

    return TimeoutError


def go_on(table: TablePage) -> None:
    """Ask for the next hand, or find it dealt: it comes by itself after a pause."""
    page = table.page
    page.wait_for_selector("#table[data-acting=own] #hand .card, #proceed:visible")
    if page.query_selector("#result:not([hidden]) #proceed"):
        with contextlib.suppress(_timeout()):  # dealt in the last moment
            page.click("#proceed", timeout=5000)
    table.wait_for_turn()  # the result of the hand before is gone by then


def test_a_whole_session_without_a_network(table: TablePage, url: str) -> None:
    page = table.page
    page.context.set_offline(True)
    page.goto(url)  # the page itself comes from the service worker
    room = page.evaluate(
        OPEN_ROOM, {"mode": "ai", "level": "expert", "name": "Ann", "rules": RULES, "seed": 4}
    )
    page.goto(f"{url}?room={room}")
    table.wait_for_turn()
    table.shoot("site_table")
    hands = 0
    while True:
        play_hand(table)
        hands += 1
        if page.evaluate(ASK, ["GET", f"/api/rooms/{room}", None])["phase"] == "session_over":
            break
        if hands == 1:  # the table is found again as it was left
            page.goto(f"{url}?room={room}")
        go_on(table)
    assert hands > 1
    history = page.evaluate(ASK, ["GET", "/api/history", None])["sessions"]
    assert [len(session["hands"]) for session in history] == [hands]
    assert history[0]["names"] == ["Ann", "alphazero:sims=0,temperature=0.65"]
    assert history[0]["reason"] in ("no_chips", "chip_gap")
    page.goto(f"{url}?history=1")
    page.wait_for_selector("#history [data-page]")
    table.shoot("site_history", full=True)
    page.goto(f"{url}?hand={history[0]['hands'][0]['link']}")
    page.wait_for_selector("#replay:not([hidden])")
    table.shoot("site_replay")
    look_at_reviews(table, url, history[0]["link"], hands)


def look_at_reviews(table: TablePage, url: str, session: str, hands: int) -> None:
    """Have a session of a browser without a network reviewed, and its player rated."""
    page = table.page
    page.goto(f"{url}?session={session}")
    page.click("#ask-review")
    table.expect("#history-review .review .lost").to_be_visible(timeout=REVIEWED)
    table.shoot("site_review", full=True)
    body = page.evaluate(ASK, ["GET", f"/api/reviews/{session}", None])
    assert body["progress"] == {
        "hands": hands,
        "reviewed": hands,
        "earlier": 0,
        "running": False,
        "problem": None,
    }
    for balance in [body["account"]["balance"], *(each["review"]["balance"] for each in body["reviews"])]:
        explained = balance["start"] + balance["luck"] - balance["opponent_luck"]
        explained += balance["opponent_cost"] - balance["cost"] + balance["unexplained"]
        assert explained == pytest.approx(balance["result"], abs=1e-6)
    for each in body["reviews"]:
        assert len(each["positions"]) == len(each["review"]["decisions"])
    page.goto(f"{url}?hand={body['reviews'][0]['hand']}&step=0")  # as it is kept
    table.expect("#replay-verdict .verdict").to_be_visible()
    page.goto(f"{url}?rating=1")
    table.expect("#rating .score-number strong").to_be_visible()
    table.expect("#rating #review-all").to_have_count(0)
    table.shoot("site_rating", full=True)
    rating = page.evaluate(ASK, ["GET", "/api/rating", None])
    assert rating["rated"] == hands
    assert rating["rating"]["band"] in rating["rating"]["levels"]


def test_the_lobby_says_what_needs_a_server(table: TablePage) -> None:
    page = table.page
    table.expect("#site-line").to_contain_text("open a server's page")
    table.expect("#friend-form").to_be_hidden()
    table.expect("#join-form").to_be_hidden()
    page.click("[data-language=ja]")
    table.expect("#site-line").to_contain_text("サーバー")
    page.click("[data-language=en]")
    table.shoot("site_lobby", full=True)
    page.click("#ai-form button[type=submit]")
    table.wait_for_turn()


def test_games_go_out_and_come_in(table: TablePage, url: str, browser: Any, tmp_path: Path) -> None:
    page = table.page
    room = page.evaluate(OPEN_ROOM, {"level": "novice", "name": "Ann", "rules": RULES, "seed": 11})
    page.goto(f"{url}?room={room}")
    table.wait_for_turn()
    play_hand(table)
    text = page.evaluate(EXPORT)
    turns = [
        parse_line(number, line) for number, line in enumerate(text.splitlines(), 1)
    ]  # as a script reads it
    assert [turn.turn for turn in turns if isinstance(turn, LoggedTurn)] == [
        turn for turn in range(5) for _ in range(2)
    ]
    assert {turn.player for turn in turns} == {
        "Ann",
        json.loads(text.splitlines()[0])["player"],
        turns[1].player,
    }
    before = page.evaluate(ASK, ["GET", "/api/history", None])["sessions"][0]
    assert page.evaluate(ASK, ["POST", "/api/import", {"text": text}]) == {
        "sessions": 0,
        "hands": 0,
        "known": 1,
        "left_out": 0,
    }

    other = browser.new_context()  # another browser
    fresh = TablePage(other.new_page(), url).page
    fresh.goto(f"{url}?history=1")
    file = tmp_path / "games.jsonl"
    file.write_text(text + "\n".join(text.splitlines()[:3]).replace('-1"', '-2"'))
    fresh.set_input_files("#games-file", file)
    fresh.wait_for_selector("#history [data-page]")
    patience = time.monotonic() + PATIENCE  # the page is there before the games are
    while not (sessions := fresh.evaluate(ASK, ["GET", "/api/history", None])["sessions"]):
        assert time.monotonic() < patience, "the games do not come in"
        fresh.wait_for_timeout(50)
    after = sessions[0]
    assert after["hands"] == before["hands"]
    hand = [
        each.evaluate(ASK, ["GET", f"/api/hands/{before['hands'][0]['link']}", None])
        for each in (page, fresh)
    ]
    assert hand[0]["steps"] == hand[1]["steps"]
    assert hand[0]["result"] == hand[1]["result"]
    other.close()


def test_hands_with_a_fantasyland_go_from_a_log_to_the_site_and_back(
    table: TablePage, tmp_path: Path
) -> None:
    page, path = table.page, tmp_path / "games.db"
    with Records(path, durable=False) as records:
        log_hands(records, "s", 4, 7, ((0, 0), (14, 0), (0, 17), (16, 15)))
    lines = [json.dumps(line) for line in iter_lines(path, finished=True)]
    turns = [line for line in lines if '"turn": null' not in line]  # as exports were that had no settings
    counts = page.evaluate(ASK, ["POST", "/api/import", {"text": "\n".join(turns)}])
    assert counts == {"sessions": 1, "hands": 1, "known": 0, "left_out": 2}
    counts = page.evaluate(ASK, ["POST", "/api/import", {"text": "\n".join(lines)}])
    assert counts == {"sessions": 0, "hands": 3, "known": 1, "left_out": 0}
    for number in range(1, 5):
        hand = page.evaluate(ASK, ["GET", f"/api/hands/s-{number}", None])
        steps = steps_of_hand(path, "s", f"s-{number}")
        assert hand["result"] == steps[-1].after.result().to_dict()
        assert hand["fantasyland"] == list(steps[0].before.fantasyland)
        assert [step["seat"] for step in hand["steps"]] == [step.seat for step in steps]
    assert page.evaluate(EXPORT).splitlines() == [
        json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False) for line in lines
    ]


def test_practice_is_marked_in_the_history_and_in_lines(table: TablePage, url: str) -> None:
    page = table.page
    at_table(table, "finish", mode="practice", level="novice", name="Ann", seed=11)
    lines = page.evaluate(EXPORT).splitlines()
    assert lines
    assert all(json.loads(line)["practice"] is True for line in lines)
    with pytest.raises(LineError, match="practice table"):
        parse_line(1, lines[0])
    page.goto(f"{url}?history=1")
    table.expect("#history-list .session").to_contain_text("Practice table")


def test_a_practice_table_gives_hints_and_takes_back(table: TablePage) -> None:
    said = at_table(table, "practise", mode="practice", level="novice", name="Ann", seed=3)
    options = said["hint"]["options"]
    assert len(options) == 3
    assert [option["value"] for option in options] == sorted(
        (each["value"] for each in options), reverse=True
    )
    assert 0 <= said["chances"]["chances"]["foul"] <= 1
    assert said["chances"]["placement"] == options[0]["placement"]
    assert said["placed"]["seat"] == 0
    assert said["then"]["turn"] == 1
    assert said["back"]["hand_number"] == 2  # every try has its own number
    assert said["again"]["cards"] == said["deal"]["cards"] == said["state"]["hand"]
    assert said["refused"]["code"] == "not_now"
    assert said["illegal"]["code"] == "illegal"
    assert said["timer"] == "none"
    assert [each["hand_number"] for each in said["tries"]] == [1]
    assert said["hands"] == 0  # a try that was given up is kept, and is no finished hand
    assert said["state"]["seconds"] is None


def test_a_practice_table_asks_before_a_certain_foul(table: TablePage) -> None:
    said = at_table(table, "foul", mode="practice", level="novice", name="Ann", seed=3)
    assert said["asked"] == {"type": "certain_foul", "sequence": said["sequence"]}
    assert said["phase"] == "playing"
    assert (said["placed"]["seat"], said["placed"]["sequence"]) == (0, said["sequence"])


def test_machines_play_each_other_while_somebody_watches(table: TablePage) -> None:
    said = at_table(table, "watch", mode="watch", level="novice", opponent_level="beginner", seed=3)
    assert said["token"] is None
    assert said["refused"]["code"] == "refused"
    assert (said["before"]["discards"], said["before"]["hand"]) == ([], [])
    state = said["state"]
    assert (state["your_seat"], state["hand"], state["discards"], state["seconds"]) == (None, [], [], None)
    # While nobody watched, at most the placement that was under way was made.
    assert said["after"]["sequence"] == state["sequence"] + 1
    assert state["sequence"] <= said["before"]["sequence"] + 1
    assert all(len(board["top"]) == 3 for board in said["ended"]["result"]["boards"])
    assert (said["room"]["mode"], said["room"]["levels"]) == ("watch", ["novice", "beginner"])
    assert (said["player"]["sessions"], said["player"]["hands"]) == (0, 0)  # what is watched is nobody's


def test_machines_are_watched_from_the_lobby(table: TablePage) -> None:
    page = table.page
    page.select_option("#watch-level-0", "novice")
    page.select_option("#watch-level-1", "novice")
    page.click("#watch-machines")
    table.expect("#table .name").to_have_count(2)
    table.expect("#bar-info").to_contain_text("You are watching")
    table.expect("#result .result-table").to_be_visible()
    table.shoot("site_watched")


def test_what_does_not_go_together_is_refused(table: TablePage) -> None:
    for options, sentence in (
        ({"mode": "watch", "clock": "fast"}, "has no clock"),
        ({"mode": "ai", "opponent_level": "expert"}, "has one level"),
        ({"mode": "watch", "opponent_level": "perfect"}, "there is no level 'perfect'"),
        ({"mode": "solo"}, "there is no mode 'solo'"),
        ({"mode": "friend"}, "needs a server"),
    ):
        with pytest.raises(Exception, match=sentence):
            table.page.evaluate(ASK, ["POST", "/api/rooms", options])


def test_it_installs_as_an_app(table: TablePage) -> None:
    session = table.page.context.new_cdp_session(table.page)
    found = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # A window without a profile is never installed from; nothing else may be in the way.
    assert {error["errorId"] for error in found} <= {"in-incognito"}


def test_a_first_visit_is_small(site: Path) -> None:
    sizes = first_visit(site)
    assert sum(name.endswith(".safetensors") for name in sizes) == 1
    assert sum(sizes.values()) < 2_000_000, sizes


LAST_TURN = (
    "top: Qs Qh middle: 2d 2h 7c 7d bottom: Kh Kd Ac Ad 3s hand: 9h 4c X1 discards: 8s 8h 10d "
    "opponent top: Js Jh opponent middle: 5d 5h 6c 6d opponent bottom: Kc Ks As 3d 3h"
)


def open_drill(table: TablePage, url: str, kind: str, seed: int) -> None:
    """A certain question."""
    table.page.goto(f"{url}drills.html?kind={kind}&seed={seed}")
    table.page.wait_for_selector(f"#drill[data-drill='{kind}-{seed}']")


def test_drills_without_a_network(table: TablePage, url: str) -> None:
    page = table.page
    page.context.set_offline(True)
    press = page.keyboard.press
    open_drill(table, url, "opening", 1)
    for row in "tttmm":  # three cards of a bad top: surely a mistake
        press("1")
        press(row)
    press("Enter")
    table.expect("#verdict").to_have_text("Not the best")
    table.expect("#comes-back").to_contain_text("comes back")
    table.expect("#options tr.marked").to_have_count(1)
    table.shoot("site_drill", full=True)
    open_drill(table, url, "fantasyland", 3)
    solution = solve_fantasyland(make_drill("fantasyland", 3).position.hand).placement
    for row in ROWS:
        for card in card_names(getattr(solution, row)):
            page.focus(f"#hand [data-card='{card}']")
            press(row[0])
    press("Enter")
    table.expect("#feedback.good #verdict").to_have_text("Right")
    open_drill(table, url, "foul", 2)
    press("1")
    table.expect("#feedback").to_be_visible()
    table.expect("#verdict-line").not_to_be_empty()
    # A decision of a hand that was played here comes back at once.
    room = page.evaluate(OPEN_ROOM, {"level": "novice", "name": "Ann", "rules": RULES, "seed": 11})
    page.goto(f"{url}?room={room}")
    table.wait_for_turn()
    play_hand(table)
    link = page.evaluate(ASK, ["GET", "/api/history", None])["sessions"][0]["hands"][0]["link"]
    page.evaluate(ASK, ["POST", "/api/drills/mistakes", {"hand": link, "decision": 2}])
    page.goto(f"{url}drills.html?kind=mistake")
    page.click("#give-up")
    table.expect("#placements dd").to_have_count(2)  # the best, and what was played then
    page.reload()
    for kind in range(1, 5):
        table.expect(f"#progress-rows tr:nth-child({kind}) td:nth-of-type(1)").to_have_text("1")
    table.expect("#progress-mistakes").to_contain_text("Mistakes kept: 2")
    kept = page.evaluate(ASK, ["GET", "/api/drills/export", None])
    assert [day["kind"] for day in kept["days"]] == ["fantasyland", "foul", "mistake", "opening"]
    assert {each["source"] for each in kept["mistakes"]} == {"opening", "hand"}


def test_the_editor_and_the_openings_without_a_network(table: TablePage, url: str) -> None:
    page = table.page
    page.goto(f"{url}openings.html?cards=QQ7")  # the table is fetched when somebody first looks
    table.expect("#found .opening").to_have_count(20)
    page.context.set_offline(True)
    page.goto(f"{url}openings.html?cards=Qs+7d+X2+Qc+2s")
    table.expect("#found .opening").to_have_count(1)
    table.expect("#found .best-place").to_have_count(3)
    table.shoot("site_openings")
    page.goto(f"{url}editor.html")
    page.fill("#text", LAST_TURN)
    page.click("#read button")
    table.expect("#answer-table tbody tr").not_to_have_count(0)
    table.expect("#answer-table tbody tr:first-child").to_contain_text("+")
    table.shoot("site_editor", full=True)
