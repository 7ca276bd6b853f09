"""The position editor on the page: by address, mouse, keys and text, in both languages, on a phone."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ofc_env import Hand, card_names
from tests.server.browser import ROWS, TablePage
from tests.server.test_browser_access import LOW_CONTRAST, NAMELESS
from tests.server.test_browser_own_hands import PHONE

pytestmark = pytest.mark.browser

TURN = "?top=Qs&middle=2d+3d&bottom=Kh+Kd&hand=Qh+X1+10c&opponent_bottom=Ah+Ac+As+4c+4d"


def cards_at(table: TablePage, place: str) -> list[str]:
    """What lies in a place of the editor."""
    return table.page.eval_on_selector_all(
        f"[data-place={place}] [data-card]", "all => all.map(card => card.dataset.card)"
    )


def address(table: TablePage) -> dict[str, str]:
    """The position that the address holds."""
    return {name: values[0] for name, values in parse_qs(urlsplit(table.address()).query).items()}


def overflow(table: TablePage) -> int:
    """Pixels by which the page is wider than the screen; a phone's window grows with what is too wide."""
    size = table.page.viewport_size
    assert size is not None
    return int(table.page.evaluate("document.documentElement.scrollWidth")) - size["width"]


def test_a_position_of_the_address_is_analysed_at_once(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(f"{url}/editor.html{TURN}")
    table.page.wait_for_selector("#answer tbody tr")
    assert cards_at(table, "hand") == ["Qh", "X1", "Tc"]
    assert cards_at(table, "opponent_bottom") == ["Ah", "Ac", "As", "4c", "4d"]
    assert address(table)["hand"] == "Qh X1 Tc"
    values = [
        float(text.split(" ± ")[0].replace("−", "-"))
        for text in table.page.locator("#answer tbody tr td:nth-of-type(1)").all_inner_texts()
    ]
    assert len(values) > 2
    assert values == sorted(values, reverse=True)
    table.expect("#answer tbody tr:first-child td:nth-of-type(3)").to_contain_text("%")
    table.expect("#answer-title").to_have_text("Turn 1")
    assert table.page.inner_text("#sentence").startswith("Best: Top")
    table.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    assert table.box("#sentence")["y"] >= 0  # in sight from everywhere
    table.expect("#say").to_contain_text("best placements")
    assert table.page.evaluate(NAMELESS) == []
    assert table.page.evaluate(LOW_CONTRAST) == []
    table.shoot("editor", full=True)


def test_an_opening_by_keys_alone(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(f"{url}/editor.html")
    table.page.wait_for_selector("#deck [data-card]")
    table.expect("#sentence").to_contain_text("five for an opening")
    for key in "ah1" + "0c" + "QsX1":
        table.page.keyboard.press(key)
    assert cards_at(table, "hand") == ["Ah", "Tc", "Qs", "X1"]
    table.expect("#sentence").to_contain_text("4 cards in hand")
    table.page.focus("#deck [data-card=Ah]")
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        table.page.keyboard.press(key)
    assert cards_at(table, "hand") == ["Ah", "Tc", "Qs", "X1", "Kd"]
    table.page.wait_for_selector("#answer tbody tr")
    table.page.keyboard.press("Backspace")
    assert cards_at(table, "hand") == ["Ah", "Tc", "Qs", "X1"]
    table.page.focus("#place-hand")
    table.page.keyboard.press("ArrowDown")
    table.page.keyboard.press("k")
    table.page.keyboard.press("s")
    assert cards_at(table, "discards") == ["Ks"]
    assert address(table) == {"hand": "Ah Tc Qs X1", "discards": "Ks"}


def test_by_mouse_and_back(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(f"{url}/editor.html")
    table.page.click("[data-place=top] .place-cards")
    for card in ("Qs", "Qh", "3c", "4c"):
        table.page.click(f"#deck [data-card='{card}']")
    assert cards_at(table, "top") == ["Qs", "Qh", "3c"]
    assert cards_at(table, "middle") == ["4c"]  # a full row leads to the next place
    table.page.click("[data-place=top] [data-card=Qh]")
    assert cards_at(table, "top") == ["Qs", "3c"]
    table.page.click("#deck [data-card='4c']")  # from the deck, too, a card is taken back
    assert cards_at(table, "middle") == []
    table.page.click("#clear")
    assert address(table) == {}
    table.expect(".place [data-card]").to_have_count(0)


def test_a_line_of_a_log_says_what_was_played(open_page: Any, url: str) -> None:
    hand = Hand(seed=4, button=0)
    worst = next(each for each in hand.placements() if len(each.top) == 3 and len(each.middle) == 2)
    line = {
        **{name: {row: [] for row in ROWS} for name in ("board_self", "board_opponent")},
        "btn": 0,
        "is_btn": True,
        "chips": [200, 200],
        "known_discards_self": [],
        "dealt_cards": card_names(hand.dealt),
        "action": {
            "placements": [[name, row] for row in ROWS for name in card_names(getattr(worst, row))],
            "discard": None,
        },
    }
    table = open_page()
    table.page.goto(f"{url}/editor.html")
    table.page.fill("#text", json.dumps(line))
    table.page.click("#read button")
    table.page.wait_for_selector("#answer tr.marked")
    table.expect("#answer-summary").to_contain_text("points lost")
    table.expect("#answer tr.marked").to_contain_text("Played")
    assert "played" in address(table)
    table.page.reload()  # the address keeps that too
    table.page.wait_for_selector("#answer tr.marked")
    table.expect_refusals(422)
    table.page.fill("#text", "hand: 1z")
    table.page.click("#read button")
    table.expect("#toast").to_contain_text("unknown card '1z'")
    assert len(cards_at(table, "hand")) == 5


def test_on_a_phone_in_japanese(open_page: Any, url: str) -> None:
    table = open_page(locale="ja-JP", **PHONE)
    table.page.goto(f"{url}/editor.html{TURN}")
    table.page.wait_for_selector("#answer tbody tr")
    table.expect("h1").to_have_text("局面エディタ")
    assert "局面エディタ" in table.page.title()
    assert overflow(table) <= 0
    assert table.page.evaluate(NAMELESS) == []
    table.shoot("editor_phone_japanese", full=True)
    table.page.tap("[data-place=hand] [data-card=Tc]")
    table.page.tap("#deck [data-card='9c']")
    assert cards_at(table, "hand") == ["Qh", "X1", "9c"]
    table.page.click("[data-language=en]")
    table.expect("h1").to_have_text("Position editor")


def test_from_the_lobby(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(url)
    table.page.click("a[href='./editor.html']")
    table.page.wait_for_selector("#deck [data-card]")
    table.page.click(".brand")
    table.page.wait_for_selector("#ai-form")
