"""The static site in a real browser, also with the network off: the page, the worker and what it keeps."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.drills import make_drill
from experiments.logs.lines import parse_line
from ofc_env import card_names, solve_fantasyland
from ofc_env.extras import installed
from ofc_env.layout import ROWS
from server.site.build import build_site, first_visit
from tests.server.browser import NoBrowser, TablePage, open_browser

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


# Sits down at a practice table and answers by a script: what came, until the last answer.
PRACTISE = """async options => {
  const { ask } = await import(new URL("static/js/api.js", location.href));
  const { WebSocket } = await import(new URL("static/js/transport.js", location.href));
  const { room_id, token } = await ask("POST", "/api/rooms", options);
  const socket = new WebSocket(`ws://site/ws/${room_id}?player_id=p0&token=${token}`);
  const heard = [];
  const waiting = [];
  socket.onmessage = ({ data }) => {
    heard.push(JSON.parse(data));
    waiting.splice(0).forEach(wake => wake());
  };
  const next = async type => {
    for (;;) {
      const found = heard.findIndex(message => message.type === type);
      if (found >= 0) return heard.splice(0, found + 1).at(-1);
      await new Promise(resolve => waiting.push(resolve));
    }
  };
  const say = (message, type) => (socket.send(JSON.stringify(message)), next(type));
  await next("ready_to_start");
  const deal = await say({ type: "game_start" }, "deal");
  const hint = await say({ type: "hint", sequence: deal.sequence }, "hint");
  const best = hint.options[0].placement;
  const chances = await say({ type: "chances", ...best }, "chances");
  const placed = await say({ type: "place", ...best, sequence: deal.sequence }, "placed");
  const then = await next("deal");
  const back = await say({ type: "take_back" }, "taken_back");
  const state = await next("state");
  const again = await next("deal");
  const refused = await say({ type: "take_back" }, "error");
  const illegal = await say({ type: "place", placements: [[deal.cards[0], "top"]], discard: null }, "error");
  const timer = (await ask("GET", `/api/rooms/${room_id}`)).clock;
  const answered = asked => new Promise(resolve => { asked.onsuccess = () => resolve(asked.result); });
  const base = await answered(indexedDB.open("ofc"));
  const tries = await answered(base.transaction(["hands"]).objectStore("hands").getAll());
  const { hands } = await ask("GET", "/api/player");
  return { tries, hands, deal, hint, chances, placed, then, back, state, again, refused, illegal, timer };
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, without a line for each."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not installed("ziglang"):
        pytest.skip("the core cannot be compiled: pip install ziglang")
    # Not at the root: a site works in any folder of a host.
    folder = tmp_path_factory.mktemp("host") / "games" / "ofc"
    build_site(folder)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        with open_browser() as browser:
            yield browser
    except NoBrowser as reason:
        pytest.skip(str(reason))


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
    assert body["progress"] == {"hands": hands, "reviewed": hands, "running": False, "problem": None}
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
    assert [turn.turn for turn in turns] == [turn for turn in range(5) for _ in range(2)]
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
    fresh = other.new_page()
    fresh.goto(f"{url}?history=1")
    file = tmp_path / "games.jsonl"
    file.write_text(text + "\n".join(text.splitlines()[:3]).replace('-1"', '-2"'))
    fresh.set_input_files("#games-file", file)
    fresh.wait_for_selector("#history [data-page]")
    for _ in range(200):  # the page is there before the games are
        sessions = fresh.evaluate(ASK, ["GET", "/api/history", None])["sessions"]
        if sessions:
            break
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


def test_a_practice_table_gives_hints_and_takes_back(table: TablePage) -> None:
    said = table.page.evaluate(PRACTISE, {"mode": "practice", "level": "novice", "name": "Ann", "seed": 3})
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
