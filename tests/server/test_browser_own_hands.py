"""One's own hands on the page: history, a hand step by step, sharing, another browser, being forgotten."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from ofc_env.layout import ROWS
from tests.server.browser import TablePage, first_fit, machine_room, seed_with_fantasyland
from tests.server.live import PATIENCE

pytestmark = pytest.mark.browser

PHONE = {
    "viewport": {"width": 360, "height": 640},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
RANKS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
]
TOKEN = "() => localStorage.getItem('ofc.player')"


def play_hand(table: TablePage, url: str, seed: int = 11) -> None:
    """A whole hand against the machine, with the page looking on from its end."""
    room = machine_room(url, seed=seed)
    room.play(first_fit, until="hand_end")
    table.sit(room)
    table.wait_for_result()


def shown(table: TablePage, player: str) -> dict[str, list[str]]:
    """The rows of a board of the hand that is looked at again."""
    return {row: sorted(table.row(row, f"replay-{player}")) for row in ROWS}


def swipe(table: TablePage, across: int, down: int = 0) -> None:
    """A finger over the page, so many pixels."""
    session = table.page.context.new_cdp_session(table.page)
    for kind, part in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0)):
        point = {"x": 180 + across * part, "y": 200 + down * part}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def hand_of(table: TablePage, url: str, link: str) -> dict[str, Any]:
    """The hand as the server gives it to the page's player."""
    answer = httpx.get(
        f"{url}/api/hands/{link}", headers={"X-Player-Token": table.page.evaluate(TOKEN)}, timeout=PATIENCE
    )
    answer.raise_for_status()
    body: dict[str, Any] = answer.json()
    return body


def test_from_the_result_to_the_hand_step_by_step_with_keys_alone(open_page: Any, url: str) -> None:
    table = open_page()
    play_hand(table, url)
    table.page.focus("#look-again")
    with table.page.context.expect_page() as opened:
        table.page.keyboard.press("Enter")
    page = TablePage(opened.value, url)
    page.page.wait_for_selector("#share-session")
    page.page.focus(".session-hands a")
    page.page.keyboard.press("Enter")
    page.page.wait_for_selector("#replay[data-step='0']")
    link = page.address().split("hand=")[1]
    hand = hand_of(page, url, link)
    page.expect("#replay-title").to_be_focused()
    for number, step in enumerate(hand["steps"]):
        page.page.wait_for_selector(f"#replay[data-step='{number}']")
        for player, seat in (("own", 0), ("other", 1)):
            assert shown(page, player) == {row: sorted(step["boards_after"][seat][row]) for row in ROWS}
        marked = page.page.eval_on_selector_all(
            "#replay .card-fresh", "all => all.map(card => card.dataset.card)"
        )
        assert sorted(marked) == sorted(card for card, _ in step["placements"])
        lines = page.page.eval_on_selector_all(
            "#replay-cards .review-line", "all => all.map(line => line.querySelectorAll('.mini').length)"
        )
        assert lines[:2] == [len(step["dealt_cards"])] * 2
        if number == 3:
            page.shoot("replay_step")
        page.page.keyboard.press("ArrowRight")
        if number + 1 < len(hand["steps"]):
            words = f"Dealt: {card_word(hand['steps'][number + 1]['dealt_cards'][0])}"
            page.expect("#say").to_contain_text(words)
    page.page.wait_for_selector("#replay-cards .result-table")
    page.shoot("replay_result")
    total = page.page.inner_text("#replay-cards .total .points").replace("−", "-")
    assert int(total) == hand["result"]["raw_score"][0]
    page.page.keyboard.press("ArrowRight")  # there is nothing behind the end
    page.page.keyboard.press("ArrowLeft")
    page.page.wait_for_selector(f"#replay[data-step='{len(hand['steps']) - 1}']")
    page.page.keyboard.press("Home")
    page.page.wait_for_selector("#replay[data-step='0']")
    page.expect("#step-back").to_be_disabled()
    page.page.keyboard.press("End")
    page.page.wait_for_selector(f"#replay[data-step='{len(hand['steps'])}']")
    page.page.close()
    assert page.errors == []


def card_word(card: str) -> str:
    """A card as English screen readers are told it."""
    if card[0] == "X":
        return f"joker {card[1]}"
    ranks = dict(zip("23456789TJQKA", RANKS, strict=True))
    suits = {"h": "hearts", "d": "diamonds", "c": "clubs", "s": "spades"}
    return f"{ranks[card[0]]} of {suits[card[1]]}"


def test_history_by_keyboard_a_rematch_and_the_way_back(open_page: Any, url: str) -> None:
    table = open_page()
    play_hand(table, url, seed=11)
    play_hand(table, url, seed=12)
    table.page.goto(url)
    table.page.focus("#open-history")
    table.page.keyboard.press("Enter")
    table.expect(".sessions > li").to_have_count(2)
    table.shoot("history")
    table.expect("#history-title").to_be_focused()
    table.page.keyboard.press("Tab")  # to the lobby
    table.page.keyboard.press("Tab")  # the newest session
    table.page.keyboard.press("Enter")
    table.page.wait_for_selector("#share-session")
    table.page.click(".session-hands a")
    table.page.wait_for_selector("#replay[data-step='0']")
    table.page.go_back()
    table.page.wait_for_selector("#share-session")
    table.page.go_back()
    table.expect(".sessions > li").to_have_count(2)


def test_a_private_hand_is_shared_opened_elsewhere_and_taken_back(open_page: Any, url: str) -> None:
    table, stranger = open_page(), open_page(locale="ja-JP")
    play_hand(table, url)
    table.page.goto(f"{url}/?history=1")
    table.page.click(".session-hands a")
    table.page.wait_for_selector("#share-hand")
    address = table.address()
    stranger.expect_refusals(404)
    stranger.page.goto(address)
    stranger.expect("#toast").to_contain_text("非公開")
    stranger.page.wait_for_selector("#lobby:not([hidden])")
    table.page.click("#share-hand")
    table.page.wait_for_selector(".share-link")
    table.expect(".share-link").to_have_value(address)
    table.expect("#share-hand").to_be_focused()
    table.shoot("replay_shared")
    stranger.page.goto(address)
    stranger.page.wait_for_selector("#replay[data-step='0']")
    assert stranger.page.query_selector("#share-hand") is None
    assert stranger.page.query_selector("#replay-ways a") is None  # this hand alone was shared
    stranger.shoot("replay_japanese")
    table.page.click("#share-hand")
    table.page.wait_for_selector(".share-link", state="detached")
    stranger.page.reload()
    stranger.expect("#toast").to_contain_text("非公開")


def test_on_a_phone_with_a_finger(open_page: Any, url: str) -> None:
    table = open_page(**PHONE)
    play_hand(table, url)
    assert overflow(table) <= 0
    table.page.goto(f"{url}/?history=1")
    table.page.wait_for_selector(".session-hands a")
    assert overflow(table) <= 0
    table.shoot("phone_history", full=True)
    table.page.tap(".session-hands a")
    table.page.wait_for_selector("#replay[data-step='0']")
    assert overflow(table) <= 0
    for selector in ("#replay-own .name", "#replay-other .name", "#step-on"):
        box = table.box(selector)
        assert 0 <= box["y"] <= 640 - box["height"], selector
    swipe(table, -120)
    table.page.wait_for_selector("#replay[data-step='1']")
    swipe(table, -90)
    table.page.wait_for_selector("#replay[data-step='2']")
    table.shoot("phone_replay")
    swipe(table, 110)
    table.page.wait_for_selector("#replay[data-step='1']")
    swipe(table, -20)  # a tap, and a scroll, are no swipes
    swipe(table, -60, 150)
    table.page.tap("#step-on")
    table.page.wait_for_selector("#replay[data-step='2']")
    table.page.tap("#step-last")
    table.page.wait_for_selector("#replay-cards .result-table")
    assert overflow(table) <= 0
    table.shoot("phone_replay_result", full=True)


def test_a_fantasyland_hand_on_a_phone(open_page: Any, url: str) -> None:
    table = open_page(**PHONE)
    seed, route = seed_with_fantasyland()
    room = machine_room(url, seed=seed)
    turns = iter(route)
    room.play(lambda deal: next(turns), until="hand_end")
    table.sit(room)
    table.wait_for_result()
    table.page.click("#proceed")
    width = len(table.wait_for_turn())
    table.page.click("#solve")
    table.page.wait_for_selector("#confirm:enabled")
    table.page.click("#confirm")
    table.wait_for_result()
    with table.page.context.expect_page() as opened:
        table.page.click("#look-again")  # this hand: the page has seen its end
    page = TablePage(opened.value, url)
    page.page.wait_for_selector("#replay[data-step='0']")
    page.expect("#replay-status").to_contain_text("Fantasyland")
    assert page.page.locator("#replay-cards .review-line").first.locator(".mini").count() == width
    assert overflow(page) <= 0
    page.shoot("phone_replay_fantasyland", full=True)
    page.page.tap("#step-on")
    page.expect("#replay-cards").to_contain_text("lay face down")
    assert overflow(page) <= 0
    assert page.errors == []


def overflow(table: TablePage) -> int:
    """Pixels by which the page is wider than the window."""
    return int(table.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def test_another_browser_becomes_the_same_player(open_page: Any, url: str) -> None:
    table, other = open_page(), open_page()
    play_hand(table, url)
    table.page.goto(f"{url}/?history=1")
    table.page.click("#player-show")
    text = table.page.input_value("#player-text")
    assert text == f"ofc-player:{table.page.evaluate(TOKEN)}"
    table.shoot("player_secret")
    other.page.goto(f"{url}/?history=1")
    other.expect("#history-note").to_be_visible()
    other.page.fill("#player-other", "not a secret")
    other.page.keyboard.press("Enter")
    other.expect("#toast").to_contain_text("not a player's secret")
    before = other.page.evaluate(TOKEN)
    other.page.fill("#player-other", f"  {text} ")
    other.page.keyboard.press("Enter")
    other.expect(".sessions > li").to_have_count(1)
    assert other.page.evaluate(TOKEN) == table.page.evaluate(TOKEN) != before
    with other.page.expect_download() as download:
        other.page.click("#player-download")
    lines = download.value.path().read_text().splitlines()
    assert {json.loads(line)["hand_number"] for line in lines} == {1}
    assert len(lines) == 10


def test_forget_me_asks_first_and_says_what_stays(open_page: Any, url: str) -> None:
    table = open_page()
    play_hand(table, url, seed=13)
    token = table.page.evaluate(TOKEN)
    table.page.goto(f"{url}/?history=1")
    table.expect(".sessions > li").to_have_count(1)
    table.page.click("#player-forget")
    table.expect("#forget").to_contain_text("What stays, without your name")
    table.shoot("forget")
    table.page.keyboard.press("Escape")
    table.page.click("#player-forget")
    table.page.click("#forget [value=cancel]")
    assert table.page.evaluate(TOKEN) == token
    table.page.click("#player-forget")
    table.page.click("#forget [value=forget]")
    table.expect("#toast").to_contain_text("forgotten")
    table.page.goto(f"{url}/?history=1")
    table.expect("#history-note").to_be_visible()
    assert table.page.evaluate(TOKEN) not in (token, None)
    known = httpx.get(f"{url}/api/player", headers={"X-Player-Token": token}, timeout=PATIENCE).json()
    assert known == {"since": None, "sessions": 0, "hands": 0}


def test_everything_has_a_name_for_screen_readers(open_page: Any, url: str) -> None:
    table = open_page()
    play_hand(table, url)
    nameless = """root => [...document.querySelectorAll(
            `${root} :is(button, a, input, [role=img], [role=group])`)]
        .filter(each => each.checkVisibility() && !each.ariaLabel && !each.innerText?.trim()
            && !each.labels?.[0]?.innerText.trim())
        .map(each => each.outerHTML)"""
    table.page.goto(f"{url}/?history=1")
    table.page.wait_for_selector(".session-hands a")
    table.page.click("#player-show")
    assert table.page.evaluate(nameless, "#history") == []
    assert (table.page.get_attribute(".session-hands a", "aria-label") or "").startswith("Hand 1: ")
    table.page.click(".session-hands a")
    table.page.click("#share-hand")
    table.page.wait_for_selector(".share-link")
    assert table.page.evaluate(nameless, "#replay") == []
    table.expect("#replay-own .name").to_have_text("Ann")
    assert "Board of Ann" in (table.page.get_attribute("#replay-own", "aria-label") or "")
