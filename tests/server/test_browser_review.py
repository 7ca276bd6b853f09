"""Reviews and the rating in a real browser: after play, by a link, by keyboard, on a phone, in two languages.

The hands of `reviewed` are judged with little effort, so that the page need not wait for them; one test plays
a hand and waits for the server's own judge.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.server.browser import TablePage, first_fit, machine_room
from tests.server.live import PATIENCE, LiveServer, run_server
from tests.server.owned import ANN, EVE, SEED, ask, play_session, review_quickly
from tests.server.test_browser_access import LOW_CONTRAST

pytestmark = pytest.mark.browser

AGENTS = ("heuristic:careless=0.5,temperature=0.8", "heuristic")
PHONE = {
    "viewport": {"width": 360, "height": 640},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
NAMELESS = """root => [...document.querySelectorAll(
        `${root} :is(button, a, input, progress, svg[role=img], [role=img], [role=group])`)]
    .filter(each => each.checkVisibility() && !each.ariaLabel && !each.textContent?.trim()
        && !each.labels?.[0]?.innerText.trim())
    .map(each => each.outerHTML)"""


@dataclass(frozen=True)
class Reviewed:
    """A server with a session of Ann's whose hands are all reviewed."""

    server: LiveServer
    session: str
    hands: list[str]
    body: dict[str, Any]


@pytest.fixture(scope="module")
def reviewed(browser: Any, tmp_path_factory: Any) -> Iterator[Reviewed]:
    database = Path(tmp_path_factory.mktemp("review"), "log.db")
    with run_server(database, turn_seconds=600.0, hand_pause=600.0, agent="random") as server:
        with ThreadPoolExecutor(1) as pool:  # the browser has the loop of this thread
            (session,) = pool.submit(play_session, server, SEED + 31, agents=AGENTS).result()
        review_quickly(server, session)
        body = server.get(f"/api/reviews/{session}", ANN)
        links = [each["hand"] for each in body["reviews"]]
        yield Reviewed(server, session, links, body)


@pytest.fixture(scope="module")
def url(reviewed: Reviewed) -> str:
    return reviewed.server.url


def as_player(table: TablePage, token: str) -> TablePage:
    """A browser whose player has this token."""
    table.page.add_init_script(f"localStorage.setItem('ofc.player', '{token}')")
    return table


def numbers(text: str) -> list[float]:
    """The signed numbers of a text."""
    return [float(found) for found in re.findall(r"-?\d+\.\d", text.replace("−", "-"))]


def overflow(table: TablePage) -> int:
    """Pixels by which the page is wider than the window."""
    return int(table.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def above_the_fold(table: TablePage, selector: str) -> bool:
    """Whether the beginning of an element is seen without scrolling, once it is shown at all."""
    table.expect(selector).to_be_visible()
    box = table.box(selector)
    height = table.page.evaluate("window.innerHeight")
    return bool(box["y"] >= 0 and box["y"] + min(box["height"], 40) <= height)


def test_a_session_says_what_was_lost_and_adds_up(open_page: Any, reviewed: Reviewed) -> None:
    url = reviewed.server.url
    table = as_player(open_page(), ANN)
    table.page.goto(f"{url}/?session={reviewed.session}")
    table.page.wait_for_selector(".review .balance")
    parts = [numbers(text)[0] for text in table.page.locator(".balance dd").all_inner_texts()]
    assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=1e-6)  # as it is read, to the last digit
    account = reviewed.body["account"]
    assert parts[-1] == pytest.approx(account["balance"]["result"], abs=0.051)
    costs = [numbers(text)[0] for text in table.page.locator(".worst h4 .points").all_inner_texts()]
    assert costs == sorted(costs)  # losses are negative: the worst one first
    assert len(costs) == len(account["worst"]) > 0
    chart = table.page.locator(".review svg.chart")
    assert (chart.get_attribute("aria-label") or "").startswith("Expected points through the session")
    table.expect(".review svg.chart .chart-break").to_have_count(len(reviewed.hands))
    table.expect(".review svg.chart polyline").to_have_count(1)
    # Many fouls are folded, so that the chart and the worst decisions are not far below.
    fouls = sum(len(each["review"]["fouls"]) for each in reviewed.body["reviews"])
    assert fouls > 2
    table.expect(".foul-list summary").to_have_text(f"Fouls: {fouls}")
    table.expect(".foul-list .foul-why").to_have_count(fouls)
    table.expect(".foul-list .foul-why >> nth=0").to_be_hidden()
    table.page.focus(".foul-list summary")
    table.page.keyboard.press("Enter")
    table.expect(".foul-list .foul-why >> nth=0").to_be_visible()
    first = table.page.locator(".worst > li").first
    for label in ("Board", "Opponent", "Dealt", "played", "best"):
        assert first.locator(".review-label", has_text=label).count() == 1, label
    assert table.page.evaluate(NAMELESS, "#history") == []
    assert table.page.evaluate(LOW_CONTRAST) == []
    table.shoot("review_session", full=True)
    table.page.click("[data-language=ja]")
    table.expect(".review h3").to_have_text("損の大きい順")
    table.shoot("review_session_japanese", full=True)


def test_marks_of_charts_have_names_and_answer_keys(open_page: Any, reviewed: Reviewed) -> None:
    table = as_player(open_page(), ANN)
    table.page.goto(f"{reviewed.server.url}/?session={reviewed.session}")
    chart = table.page.locator(".review svg.chart")
    hand = chart.get_by_role("button", name="Hand 1", exact=True)
    hand.focus()
    table.page.keyboard.press("Enter")
    table.page.wait_for_selector("#replay:not([hidden])")
    marks = table.page.locator("#replay-review svg.chart").get_by_role("button")
    decisions = reviewed.body["reviews"][0]["review"]["decisions"]
    table.expect("#replay-review svg.chart .chart-go").to_have_count(len(decisions))
    assert len(set(marks.evaluate_all("all => all.map(mark => mark.getAttribute('aria-label'))"))) > 1
    marks.nth(2).focus()
    table.page.keyboard.press("Space")
    table.page.wait_for_selector("#replay[data-step='2']")
    table.expect("#replay-review svg.chart .chart-go:focus").to_have_count(1)  # the chart was drawn anew


def test_from_the_worst_decision_to_the_hand_by_keys(open_page: Any, reviewed: Reviewed) -> None:
    url, account = reviewed.server.url, reviewed.body["account"]
    table = as_player(open_page(), ANN)
    table.page.goto(f"{url}/?session={reviewed.session}")
    table.page.wait_for_selector(".worst h4 a")
    table.page.focus(".worst h4 a")
    table.page.keyboard.press("Enter")
    worst = account["worst"][0]
    found = reviewed.body["reviews"][worst["hand"]]["review"]
    decision = found["decisions"][worst["decision"]]
    table.page.wait_for_selector(f"#replay[data-step='{worst['decision']}']")
    table.expect("#replay-verdict .verdict").to_contain_text(f"{decision['cost']:.1f} ±")
    table.expect("#replay-review .candidates caption").to_have_count(2)
    rows = table.page.locator("#replay-review .candidates").first.locator("tbody tr")
    assert rows.count() == len(decision["options"])
    marks = table.page.locator(".candidate-played .candidate-marks").inner_text()
    assert marks == "played"
    assert table.page.locator("#replay-own .card, #replay-other .card").count() > 0
    table.expect("#replay-review svg .chart-now").to_have_count(1)
    assert table.page.evaluate(NAMELESS, "#replay") == []
    assert table.page.evaluate(LOW_CONTRAST) == []
    table.shoot("review_hand", full=True)
    steps = len(found["decisions"])
    table.page.keyboard.press("Home")
    for number in range(steps):
        table.page.wait_for_selector(f"#replay[data-step='{number}']")
        grade = found["decisions"][number]["grade"]
        table.expect(f"#replay-verdict .verdict-{grade}").to_have_count(1)
        table.page.keyboard.press("ArrowRight")
    table.page.wait_for_selector(f"#replay[data-step='{steps}'] #replay-verdict .balance")
    fouls = len(found["fouls"])
    table.expect("#replay-verdict .foul-why").to_have_count(fouls)
    table.shoot("review_hand_end", full=True)
    # The list of the worst decisions goes to each of them.
    table.page.locator(".worst-steps button").first.focus()
    table.page.keyboard.press("Enter")
    first = next(place for place in range(steps) if found["decisions"][place]["cost"] == decision["cost"])
    table.page.wait_for_selector(f"#replay[data-step='{first}']")


def test_a_review_of_an_earlier_judge_is_offered_anew(open_page: Any, reviewed: Reviewed) -> None:
    """On the page of the hand by keys; the page of the session says so too."""
    url, hand_id = reviewed.server.url, f"{reviewed.session}-1"
    which = "hand = (SELECT id FROM hands WHERE hand_id = ?)"
    connection = sqlite3.connect(reviewed.server.lobby.journal.path)
    ((kept,),) = connection.execute(f"SELECT review FROM reviews WHERE {which}", (hand_id,))

    def keep(review: str) -> None:
        connection.execute(f"UPDATE reviews SET review = ? WHERE {which}", (review, hand_id))
        connection.commit()

    keep(json.dumps({**json.loads(kept), "judge": "alphazero:sims=500 0123456789abcdef calibrated"}))
    try:
        table = as_player(open_page(), ANN)
        table.page.goto(f"{url}/?session={reviewed.session}")
        table.expect(".review-earlier").to_contain_text(f"has reviewed 1 of {len(reviewed.hands)} hands")
        table.expect(".review .balance").to_be_visible()  # what there is, is shown
        table.page.goto(f"{url}/?hand={reviewed.hands[0]}")
        table.expect("#ask-again").to_be_visible()
        table.expect("#replay-verdict .verdict").to_be_visible()
        table.shoot("review_earlier", full=True)
        table.page.keyboard.press("v")
        table.expect("#ask-again").to_have_count(0)
        table.expect("#replay-verdict .verdict").to_be_visible()
        table.page.goto(f"{url}/?session={reviewed.session}")
        table.expect(".review .balance").to_be_visible()
        table.expect(".review-earlier").to_have_count(0)
    finally:
        keep(kept)
        connection.close()


def test_on_a_phone_in_japanese(open_page: Any, reviewed: Reviewed) -> None:
    url, account = reviewed.server.url, reviewed.body["account"]
    table = as_player(open_page(**PHONE, locale="ja-JP"), ANN)
    table.page.goto(f"{url}/?session={reviewed.session}")
    table.page.wait_for_selector(".review .balance")
    assert overflow(table) <= 0
    for selector in (".review .lost", ".review .balance"):
        assert above_the_fold(table, selector), selector
    table.shoot("phone_review_session", full=True)
    table.page.tap(".worst h4 a")
    step = account["worst"][0]["decision"]
    table.page.wait_for_selector(f"#replay[data-step='{step}']")
    assert overflow(table) <= 0
    assert table.page.evaluate("window.scrollY") == 0
    for selector in ("#replay-other .name", "#replay-status .grade", "#step-on", "#replay-verdict .verdict"):
        assert above_the_fold(table, selector), selector
    table.shoot("phone_review_hand")
    table.shoot("phone_review_hand_whole", full=True)
    table.page.tap("#step-last")
    table.page.wait_for_selector("#replay-verdict .balance")
    assert overflow(table) <= 0


def test_a_shared_hand_is_reviewed_for_a_second_browser(open_page: Any, reviewed: Reviewed) -> None:
    url, link = reviewed.server.url, reviewed.hands[1]
    stranger = as_player(open_page(), EVE)
    ask(reviewed.server, f"/api/shares/{link}", ANN, "PUT")
    stranger.page.goto(f"{url}/?hand={link}&step=2")
    stranger.page.wait_for_selector("#replay[data-step='2']")
    decision = reviewed.body["reviews"][1]["review"]["decisions"][2]
    stranger.expect(f"#replay-verdict .verdict-{decision['grade']}").to_be_visible()
    stranger.expect("#replay-review .balance").to_contain_text("Luck of Ann")  # nobody's own
    stranger.shoot("review_shared")
    ask(reviewed.server, f"/api/shares/{link}", ANN, "DELETE")
    stranger.expect_refusals(404)
    stranger.page.reload()
    stranger.page.wait_for_selector("#lobby:not([hidden])")


def test_what_is_too_close_to_call_and_what_luck_is_not_told(open_page: Any, reviewed: Reviewed) -> None:
    url, link = reviewed.server.url, reviewed.hands[0]
    body = json.loads(json.dumps(reviewed.server.get(f"/api/reviews/{link}", ANN)))
    review = body["reviews"][0]["review"]
    review["decisions"][0] |= {"grade": "close", "cost": -0.1, "error": 0.2}
    review["balance"] = body["account"]["balance"] = None
    table = as_player(open_page(), ANN)
    table.page.route(f"**/api/reviews/{link}", lambda route: route.fulfill(json=body))
    table.page.goto(f"{url}/?hand={link}")
    table.expect("#replay-verdict .verdict").to_contain_text("Too close to call: 0.0 ± 0.4 points.")
    table.expect("#replay-review .balance-none").to_contain_text("Luck is not told")
    table.page.click("[data-language=ja]")
    table.expect("#replay-verdict .verdict").to_contain_text("優劣不明")


def test_what_the_clock_placed_is_nobodys_mistake_to_practise(open_page: Any, reviewed: Reviewed) -> None:
    worst = reviewed.body["account"]["worst"][0]
    link = reviewed.hands[worst["hand"]]
    body = json.loads(json.dumps(reviewed.server.get(f"/api/reviews/{link}", ANN)))
    decision = body["reviews"][0]["review"]["decisions"][worst["decision"]]
    table = as_player(open_page(), ANN)
    table.page.route(f"**/api/reviews/{link}", lambda route: route.fulfill(json=body))
    for timed_out, buttons in ((False, 1), (True, 0)):
        decision["timed_out"] = timed_out
        table.page.goto(f"{reviewed.server.url}/?hand={link}&step={worst['decision']}")
        table.page.reload()
        table.page.wait_for_selector("#replay-verdict .verdict")
        table.expect("#replay-verdict .practise").to_have_count(buttons)


def test_a_mistake_comes_back_as_a_drill(open_page: Any, reviewed: Reviewed) -> None:
    """From the worst decision of a session to the question of a drill, by keys."""
    url, account = reviewed.server.url, reviewed.body["account"]
    worst = account["worst"][0]
    link = reviewed.hands[worst["hand"]]
    grade = reviewed.body["reviews"][worst["hand"]]["review"]["decisions"][worst["decision"]]["grade"]
    assert grade in ("mistake", "blunder")
    table = as_player(open_page(), ANN)
    table.page.goto(f"{url}/?hand={link}&step={worst['decision']}")
    table.page.focus("#replay-verdict .practise")
    table.page.keyboard.press("Enter")
    table.expect("#toast").to_contain_text("drills")
    table.page.goto(f"{url}/drills.html?kind=mistake")
    table.expect("#kinds").to_contain_text("My mistakes (1)")
    table.page.wait_for_selector("#drill[data-drill] #hand [data-card]")
    asked = table.page.eval_on_selector_all(
        "#hand [data-card]", "cards => cards.map(each => each.dataset.card)"
    )
    step = reviewed.server.get(f"/api/hands/{link}", ANN)["steps"][worst["decision"]]
    assert sorted(asked) == sorted(step["dealt_cards"])
    table.shoot("review_to_drill", full=True)


def test_the_rating_of_a_player(open_page: Any, reviewed: Reviewed) -> None:
    url = reviewed.server.url
    found = reviewed.server.get("/api/rating", ANN)
    for options, language, name in (
        ({}, "en", "rating"),
        ({"locale": "ja-JP"}, "ja", "rating_japanese"),
        (PHONE, "en", "phone_rating"),
    ):
        table = as_player(open_page(**options), ANN)
        table.page.goto(url)
        table.page.focus("#open-rating")
        table.page.keyboard.press("Enter")
        table.page.wait_for_selector(".score-number")
        table.expect("#rating-title").to_be_focused()
        table.expect(".score-number").to_contain_text(f"{found['rating']['lost']['mean']:.2f}")
        table.expect("html").to_have_attribute("lang", language)
        table.expect("#rating svg.chart .chart-mark").to_have_count(len(found["rating"]["course"]))
        table.expect("#rating table").to_have_count(3)
        intervals = table.page.locator("#rating table").first.locator("td:last-child").all_inner_texts()
        assert "100 % … 100 %" not in intervals
        assert intervals.count("–") == sum(
            found["statistics"][name]["low"] == found["statistics"][name]["high"]
            for name in ("foul", "fantasyland", "royalties", "result", "adjusted")
        )
        lost = found["profile"]["lost"]
        assert len(lost) > 0
        table.expect("#profile .lost-hands a").to_have_count(len(lost))
        first_lost = table.page.locator("#profile .lost-hands a").first
        assert lost[0]["hand"] in (first_lost.get_attribute("href") or "")
        assert overflow(table) <= 0
        assert above_the_fold(table, ".score-number")
        assert table.page.evaluate(NAMELESS, "#rating") == []
        assert table.page.evaluate(LOW_CONTRAST) == []
        table.shoot(name, full=True)
    foul = found["statistics"]["foul"]["mean"]
    assert f"{100 * foul:.0f} %" in table.page.locator("#rating table").first.inner_text()
    with table.page.expect_download() as download:
        table.page.click("#download-reviews")
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == len(reviewed.hands)
    nobody = as_player(open_page(), EVE)
    nobody.page.goto(f"{url}/?rating=1")
    nobody.expect("#rating").to_contain_text("play some hands first")


def test_progress_is_told_while_hands_are_reviewed(open_page: Any, url: str, reviewed: Reviewed) -> None:
    """On the pages of a session, a hand and the rating; the judge's time is played by this test."""
    with ThreadPoolExecutor(1) as pool:
        played = pool.submit(play_session, reviewed.server, SEED + 40, agents=AGENTS, sessions=3).result()
    table = as_player(open_page(), ANN)
    running: list[str] = []
    asked: list[str] = []

    def begin(route: Any) -> None:
        if route.request.method == "POST":
            route.fulfill(json={"hands": 4, "reviewed": 1, "running": True, "problem": None}, status=202)
        else:
            route.continue_()

    def follow(route: Any) -> None:
        asked.append(route.request.url)
        done = len(asked) % 3 == 0
        if done:
            review_quickly(reviewed.server, running.pop())
        body = {"hands": 4, "reviewed": 4 if done else 2, "running": not done, "problem": None}
        route.fulfill(json=body)

    table.page.route(re.compile(r"/api/(reviews/[^/?]+|rating)$"), begin)
    table.page.route(re.compile(r"/api/.*/progress$"), follow)
    for session, address, key, shown in (
        (played[0], f"session={played[0]}", "#ask-review", "#history-review .balance"),
        (played[1], f"hand={played[1]}-1", "v", "#replay-verdict .verdict"),
        (played[2], "rating=1", "#review-all", ".score-number"),
    ):
        running.append(session)
        table.page.goto(f"{url}/?{address}")
        table.page.wait_for_selector("#ask-review, #review-all")
        if key == "v":
            table.page.keyboard.press("v")
        else:
            table.page.focus(key)
            table.page.keyboard.press("Enter")
        table.page.wait_for_selector("progress")
        assert (table.page.get_attribute("progress", "aria-label") or "").startswith("Reviewing: ")
        table.expect("progress").to_have_count(0)
        table.page.wait_for_selector(shown)
    assert len(asked) == 9
    table.expect("#review-all").to_have_count(0)  # all of Ann's hands are reviewed


def test_play_review_and_the_link_in_a_second_browser(open_page: Any, url: str) -> None:
    """The server's own judge: a hand played on a phone, reviewed by a key, and seen by somebody else."""
    table, stranger = open_page(**PHONE), open_page(locale="ja-JP")
    table.sit(machine_room(url, seed=11))
    for _ in range(5):
        table.wait_for_turn()
        table.lay_out(table.click)
        table.confirm()
    table.wait_for_result()
    for selector in ("#result-title", "#proceed", "#review"):
        assert above_the_fold(table, selector), selector
    assert overflow(table) <= 0
    table.shoot("phone_result_reviewable")
    table.expect("#proceed").to_contain_text("Next hand (")
    table.page.keyboard.press("v")
    table.expect("#review").to_be_disabled()
    table.expect("#proceed").to_have_text("Next hand")  # whoever reads has time
    table.page.wait_for_selector("#result .review .balance", timeout=10_000 * PATIENCE)
    for selector in ("#result-title", "#result .review .lost", "#result .review .balance"):
        assert above_the_fold(table, selector), selector
    assert overflow(table) <= 0
    lost = table.page.inner_text("#result .review .lost")
    table.shoot("phone_result_review")
    table.shoot("phone_result_review_whole", full=True)
    with table.page.context.expect_page() as opened:
        table.page.click("#whole-review")
    own = TablePage(opened.value, url)
    own.page.wait_for_selector("#replay-verdict .verdict")  # it is kept: nobody waits twice
    own.page.click("#share-hand")
    own.page.wait_for_selector(".share-link")
    stranger.page.goto(own.page.input_value(".share-link"))
    stranger.page.wait_for_selector("#replay-verdict .verdict")
    stranger.page.keyboard.press("End")
    stranger.page.wait_for_selector("#replay-verdict .balance")
    stranger.shoot("review_second_browser", full=True)
    own.page.keyboard.press("End")
    own.page.wait_for_selector("#replay-verdict .balance")
    own.expect("#replay-verdict .lost").to_have_text(lost)
    balances = [
        page.page.locator("#replay-verdict .balance dd").all_inner_texts() for page in (own, stranger)
    ]
    assert balances[0] == balances[1]
    assert own.errors == []


def test_a_rematch_loses_nothing(open_page: Any, url: str, reviewed: Reviewed) -> None:
    table = open_page(**PHONE)
    room = machine_room(url, seed=12)
    room.play(first_fit, until="session_end")
    session = reviewed.server.lobby.rooms[room.id].game.current
    assert session is not None
    review_quickly(reviewed.server, session.session_id)
    table.sit(room)
    table.wait_for_result()
    assert above_the_fold(table, "#review")
    table.page.click("#review")
    table.page.wait_for_selector("#result .review .balance")
    assert above_the_fold(table, "#result .review .lost")
    assert 1 <= table.page.locator("#result .worst > li").count() <= 3
    lost = table.page.inner_text("#result .review .lost")
    table.shoot("phone_session_review", full=True)
    table.page.click("#proceed")
    for _ in range(5):
        table.wait_for_turn()
        table.expect("#result .review").to_be_hidden()
        table.lay_out(table.click)
        table.confirm()
    table.wait_for_result()
    with table.page.context.expect_page() as opened:
        table.page.click("#last-session")
    last = TablePage(opened.value, url)
    last.page.wait_for_selector("#history-review .balance")
    last.expect("#history-review .lost").to_have_text(lost)
    assert last.errors == []
