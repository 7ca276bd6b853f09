"""Practice tables and machines to watch in a real browser: both languages, a small phone, keys alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.server.browser import RoomClient, TablePage

pytestmark = pytest.mark.browser

SMALL_PHONE = {
    "viewport": {"width": 360, "height": 640},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}


def practice_room(url: str, **options: Any) -> RoomClient:
    return RoomClient(
        url, **{"mode": "practice", "level": "regular", "agent": "random", "name": "Ann", **options}
    )


def hand_number(table: TablePage) -> int:
    return int("".join(letter for letter in table.page.inner_text("#bar-info") if letter.isdigit()))


def fits(table: TablePage) -> bool:
    """Whether nothing has to be scrolled to, in either direction."""
    size = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    width, height = table.page.evaluate(size)
    view = table.page.viewport_size
    assert view is not None
    return bool(width <= view["width"] and height <= view["height"])


def test_practice_from_the_lobby_with_keys_alone(open_page: Any, url: str) -> None:
    table = open_page()
    page = table.page
    page.goto(url)
    table.expect("#ai-clock").to_be_visible()
    page.focus("#practice-choice")
    page.keyboard.press("Space")
    table.expect("#ai-clock").to_be_hidden()
    table.expect("#practice-line").to_be_visible()
    table.shoot("lobby_practice", full=True)
    page.focus("#ai-form .primary")
    page.keyboard.press("Enter")
    hand = table.wait_for_turn()
    table.expect("#practice").to_be_visible()
    table.expect("#take-back").to_be_disabled()
    table.expect(".clock:visible").to_have_count(0)
    page.keyboard.press("c")
    table.expect("#chances").to_contain_text("Played on well: Foul")
    table.shoot("practice_table")
    page.keyboard.press("h")
    table.expect("#hint-box li").to_have_count(3)
    table.expect("#hint-box :focus").to_have_text("Lay it out")
    table.shoot("practice_hint")
    page.keyboard.press("Enter")
    table.expect("#confirm").to_be_enabled()
    table.expect("#confirm").to_be_focused()
    table.expect("#chances").to_contain_text("This placement: Foul")
    placed = table.board()
    assert sorted(card for row in placed.values() for card in row) == sorted(hand)
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('#hand .card').length === 3")
    number = hand_number(table)
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelectorAll('#hand .card').length === 5")
    assert sorted(table.hand()) == sorted(hand)
    assert table.board() == {"top": [], "middle": [], "bottom": []}
    assert hand_number(table) == number + 1
    table.expect("#toast").to_contain_text("the log keeps the one before")


def test_a_certain_foul_is_asked_about_and_the_hand_played_again(open_page: Any, url: str) -> None:
    table = open_page()
    page = table.page
    table.sit(practice_room(url, seed=3))
    first = table.wait_for_turn()
    asked = False
    for turn in range(5):
        page.wait_for_function(
            "count => document.querySelectorAll('#hand .card').length === count", arg=5 if turn == 0 else 3
        )
        table.lay_out(fill_from_the_top(table))
        sequence = page.get_attribute("#table", "data-sequence")
        page.click("#confirm")
        page.wait_for_function(
            "sequence => document.querySelector('#foul-box').open "
            "|| document.querySelector('#table').dataset.sequence !== sequence",
            arg=sequence,
        )
        if page.locator("#foul-box[open]").count():
            asked = True
            table.shoot("practice_foul")
            page.click("#foul-box button[value=change]")
            table.expect("#confirm").to_be_enabled()  # nothing has been placed
            page.click("#confirm")
            table.expect("#foul-box").to_be_visible()
            page.click("#foul-box button[value=sure]")
            page.wait_for_selector("#foul-box:not([open])", state="attached")
    assert asked
    table.wait_for_result()
    table.shoot("practice_result")
    assert "(" not in page.inner_text("#proceed")  # nobody is pressed to go on
    page.click("#deal-again")
    assert sorted(table.wait_for_turn()) == sorted(first)
    table.expect("#toast").to_contain_text("The same deal again")


def test_a_position_that_is_being_taken_back_is_not_asked_about(open_page: Any, url: str) -> None:
    table = open_page()
    sent: list[str] = []

    def join(line: Any) -> None:
        server = line.connect_to_server()

        def pass_on(message: str) -> None:
            sent.append(json.loads(message)["type"])
            if sent[-1] != "take_back":  # the answer to this one is long on its way
                server.send(message)

        line.on_message(pass_on)

    table.page.route_web_socket("**/ws/**", join)
    table.sit(practice_room(url, seed=3))
    table.wait_for_turn()
    table.lay_out(table.click)
    table.confirm()
    table.wait_for_turn()
    table.page.evaluate("['show-chances', 'take-back'].forEach(id => document.getElementById(id).click())")
    table.page.wait_for_timeout(1500)  # longer than the page waits before it asks
    assert sent[-1] == "take_back"


def fill_from_the_top(table: TablePage) -> Any:
    """Strong cards on top, so that the board fouls: each card goes to the first row with a free place."""

    def put(card: str, _: str) -> None:
        row = next(row for row in ("top", "middle", "bottom") if table.free(row))
        table.click(card, row)

    return put


def test_practice_on_a_small_phone_in_japanese(open_page: Any, url: str) -> None:
    table = open_page(locale="ja-JP", **SMALL_PHONE)
    page = table.page
    page.goto(url)
    table.shoot("lobby_practice_phone_japanese", full=True)
    table.sit(practice_room(url, seed=11))
    table.wait_for_turn()
    table.expect("#practice").to_be_visible()
    page.tap("#show-chances")
    table.expect("#chances").to_contain_text("うまく続けた場合: ファウル")
    assert fits(table)
    table.shoot("practice_phone_japanese")
    page.tap("#hint")
    table.expect("#hint-box li").to_have_count(3)
    table.shoot("practice_hint_phone_japanese")
    page.tap("#hint-list li:nth-child(2) button")
    table.expect("#confirm").to_be_enabled()
    page.tap("#confirm")
    page.wait_for_function("() => document.querySelectorAll('#hand .card').length === 3")
    assert fits(table)
    page.tap("#take-back")
    page.wait_for_function("() => document.querySelectorAll('#hand .card').length === 5")
    table.expect("#toast").to_contain_text("戻しました")
    for button in ("#take-back", "#deal-again", "#hint", "#show-chances"):
        assert page.locator(button).inner_text()
    table.expect("#show-chances").to_have_attribute("aria-pressed", "true")


def test_no_practice_beside_other_tables(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(RoomClient(url, mode="ai", agent="random", name="Ann"))
    table.wait_for_turn()
    table.page.keyboard.press("h")
    table.page.keyboard.press("k")
    table.expect("#practice").to_be_hidden()
    table.expect("#hint-box").to_have_count(0)


def test_machines_are_watched_from_the_lobby(open_page: Any, url: str) -> None:
    table = open_page()
    page = table.page
    page.goto(url)
    page.select_option("#watch-level-0", "novice")
    page.select_option("#watch-level-1", "novice")
    page.click("#watch-machines")
    page.wait_for_selector("#table:not([hidden])")
    page.wait_for_function("() => document.querySelectorAll('#own .row [data-card]').length >= 5")
    table.expect("#bar-info").to_contain_text("You are watching")
    names = page.inner_text("#own .name"), page.inner_text("#other .name")
    assert len(set(names)) == 2
    table.shoot("machines_watched")


def test_a_wrong_code_is_answered_at_once(open_page: Any, url: str) -> None:
    for locale, sentence in (
        ("en-GB", "There is no table with this code."),
        ("ja-JP", "テーブルはありません"),
    ):
        table = open_page(locale=locale)
        table.expect_refusals(404)
        page = table.page
        page.goto(url)
        for code in ("wrong", " ", "..", "../../etc", "a b?&#", f"{url}/?room=gone", "x" * 64, "テーブル"):
            for button in ("#join", "#watch"):
                page.evaluate("document.getElementById('toast').textContent = ''")
                page.fill("#code", code)
                page.click(button)
                table.expect("#toast").to_contain_text(sentence)
                table.expect("#lobby").to_be_visible()
        table.shoot(f"wrong_code_{locale[:2]}")
        for address in ("?room=..&watch=1", "?room=gone&watch=1", "?room=gone"):
            page.goto(f"{url}/{address}")
            table.expect("#toast").to_contain_text(sentence)
            table.expect("#lobby").to_be_visible()
