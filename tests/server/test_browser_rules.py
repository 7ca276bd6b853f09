"""The web page at tables by other rules: the choice in the lobby, and what the table and its help say."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from ofc_env import Rules
from tests.server.browser import ROWS, machine_room
from tests.server.live import PATIENCE, run_server

pytestmark = pytest.mark.browser

SMALL = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1280, "height": 800}}
WORDS = {
    "en-GB": ("Standard", "52 cards without jokers", "Button: acts last", "no joker"),
    "ja-JP": ("スタンダード", "ジョーカーなしの52枚", "ボタン(後手)", "ジョーカーはありません"),
}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("size", ["small", "wide"])
@pytest.mark.parametrize("locale", WORDS)
def test_rules_are_chosen_in_the_lobby_and_shown_at_the_table(
    open_page: Any, url: str, locale: str, size: str
) -> None:
    title, line, button, no_joker = WORDS[locale]
    table = open_page(locale=locale, **(SMALL if size == "small" else WIDE))
    page = table.page
    page.goto(url)
    table.expect("#rules-choice input[value=house]").to_be_checked()
    table.expect("#fan [data-card=X1]").to_have_count(1)
    page.locator("#rules-choice label", has_text=title).click()
    table.expect("#rules-line").to_contain_text(line)
    table.expect("#fan [data-card^=X]").to_have_count(0)
    page.click("#lobby-rules summary")
    table.expect("#lobby-rules-text").to_contain_text(no_joker)
    assert page.evaluate(OVERFLOW) <= 0
    table.shoot(f"rules_lobby_{locale}_{size}", full=True)
    page.click("#friend-form .primary")
    table.expect("#invite-rules").to_contain_text(title)
    table.expect("#invite-rules").to_contain_text(line)
    room = table.address().partition("room=")[2]
    assert httpx.get(f"{url}/api/rooms/{room}", timeout=PATIENCE).json()["rules"] == "standard"
    page.go_back()
    table.expect("#tables li small").to_contain_text([title])  # one's own room, with its rules
    page.click("#ai-form .primary")
    table.wait_for_turn()
    table.expect("#bar-info").to_contain_text(title)
    dealer = page.locator(".dealer:visible")
    assert (dealer.get_attribute("title"), dealer.get_attribute("aria-label")) == (button, button)
    page.click("#open-help")
    page.click("#help-rules summary")
    table.expect("#help-rules-text").to_contain_text(no_joker)
    table.shoot(f"rules_help_{locale}_{size}")
    page.keyboard.press("Escape")
    table.shoot(f"rules_table_{locale}_{size}")
    assert page.evaluate(OVERFLOW) <= 0


def test_with_the_button_last_the_other_seat_begins(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, rules="standard", seed=11))
    table.wait_for_turn()
    own_button = table.page.is_visible("#own .dealer")
    placed = [card for row in ROWS for card in table.row(row, "other")]
    assert bool(placed) == own_button


def test_a_result_and_the_help_speak_of_odd_rules(open_page: Any, url: str) -> None:
    rules = "no_fantasyland jokers=1 scoop=7 foul=2 chips=50 stop_gap=11"
    table = open_page()
    page = table.page
    table.sit(machine_room(url, rules=rules, seed=12))
    for _ in range(5):
        table.wait_for_turn()
        table.lay_out(table.click)
        table.confirm()
    table.wait_for_result()
    lines = page.locator("#result tbody tr")
    shown = [lines.nth(number).locator(".points").inner_text() for number in range(lines.count())]
    points = [int(text.replace("−", "-")) for text in shown]
    assert sum(points[:-1]) == points[-1]  # rows, what comes on top of them, royalties: the total
    table.expect("#bar-info").to_contain_text("No fantasyland jokers=1")
    assert Rules.parse(rules).name == page.inner_text("#bar-info").split(" · ")[0].replace(
        "No fantasyland", "no_fantasyland"
    )
    page.click("#open-help")
    page.click("#help-rules summary")
    for words in (
        "53 cards, one of them a joker",
        "7 more",
        "2 points",
        "There is no fantasyland",
        "50 chips",
    ):
        table.expect("#help-rules-text").to_contain_text(words)
    table.expect("#bar-info").to_have_attribute("title", "53 cards · the button acts first · no fantasyland")


def test_a_refusal_of_the_rules_is_shown_in_the_lobby(browser: Any, open_page: Any) -> None:
    with run_server(rules=Rules.parse("fixed14 scoop=9")) as server:
        table = open_page(server.url)
        table.expect_refusals(422)
        table.page.goto(server.url)
        table.expect("#rules-line").to_contain_text("54 cards · the button acts first · fantasyland 14")
        table.page.click("#ai-form .primary")
        table.expect("#toast").to_contain_text("fantasyland_value.py")
