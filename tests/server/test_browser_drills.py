"""Drills on the page: keys alone, mouse, both languages, a phone; the progress and what comes back."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from agents.drills import make_drill
from ofc_env import card_names, solve_fantasyland
from ofc_env.layout import ROWS
from tests.server.browser import TablePage
from tests.server.live import PATIENCE
from tests.server.test_browser_access import LOW_CONTRAST, NAMELESS
from tests.server.test_browser_editor import overflow
from tests.server.test_browser_own_hands import PHONE, TOKEN, hand_of, play_hand

pytestmark = pytest.mark.browser

CARDS = "all => all.map(card => card.dataset.card)"


def open_drill(table: TablePage, url: str, kind: str, seed: int) -> None:
    """A certain question."""
    table.page.goto(f"{url}/drills.html?kind={kind}&seed={seed}")
    table.page.wait_for_selector(f"#drill[data-drill='{kind}-{seed}']")


def headers(table: TablePage) -> dict[str, str]:
    """Those of the page's player."""
    return {"X-Player-Token": table.page.evaluate(TOKEN)}


def test_an_opening_by_keys_alone(open_page: Any, url: str) -> None:
    table = open_page()
    open_drill(table, url, "opening", 1)
    names = card_names(make_drill("opening", 1).position.hand)
    assert table.page.eval_on_selector_all("#hand [data-card]", CARDS) == names
    table.expect(f"#hand [data-card='{names[0]}']").to_be_focused()
    table.expect("#say").to_contain_text("Turn 0")
    press = table.page.keyboard.press
    for row in "tttmm":  # three cards of a bad top: surely a mistake
        press("1")
        press(row)
    table.expect("#confirm").to_be_focused()
    table.shoot("drill_opening")
    press("Enter")
    table.page.wait_for_selector("#feedback")
    table.expect("#verdict").to_have_text("Not the best")
    table.expect("#verdict-line").to_contain_text("points lost")
    table.expect("#placements dd").to_have_count(2)
    table.expect("#options tr.marked").to_have_count(1)
    table.expect("#comes-back").to_contain_text("comes back")
    table.expect("#alert").to_contain_text("Not the best")
    table.expect("#next").to_be_focused()
    assert table.page.evaluate(NAMELESS) == []
    assert table.page.evaluate(LOW_CONTRAST) == []
    table.shoot("drill_feedback", full=True)
    table.expect("#progress-rows tr:first-child td:nth-of-type(1)").to_have_text("1")
    table.expect("#progress-mistakes").to_contain_text("Mistakes kept: 1")
    press("n")
    table.page.wait_for_selector("#drill:not([data-drill='opening-1'])")
    table.expect("#hand [data-card]").to_have_count(5)


def test_the_best_placement_is_right_and_leads_to_the_editor(open_page: Any, url: str) -> None:
    table = open_page()
    open_drill(table, url, "fantasyland", 3)
    table.page.wait_for_selector("#drill-clock:not([hidden])")
    solution = solve_fantasyland(make_drill("fantasyland", 3).position.hand).placement
    for row in ROWS:
        for card in card_names(getattr(solution, row)):
            table.page.focus(f"#hand [data-card='{card}']")
            table.page.keyboard.press(row[0])
    table.shoot("drill_fantasyland")
    table.page.keyboard.press("Enter")
    table.page.wait_for_selector("#feedback.good")
    table.expect("#verdict").to_have_text("Right")
    table.expect("#verdict-line").to_have_text("Best")
    table.expect("#comes-back").to_have_text("")
    table.page.click("#to-editor")
    table.page.wait_for_selector("#answer tr.marked")
    table.expect("[data-place=hand] [data-card]").to_have_count(17)


def test_time_runs_out_in_fantasyland(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.clock.install()
    table.page.goto(f"{url}/drills.html?kind=fantasyland&seed=3")
    table.page.wait_for_selector("#drill[data-drill='fantasyland-3'] #hand [data-card]")
    table.page.clock.run_for(91_000)
    table.page.wait_for_selector("#feedback")
    table.expect("#verdict").to_have_text("The best placement")
    table.expect("#own [data-card]").to_have_count(13)  # the solver's setting


def test_foul_or_not_with_a_digit(open_page: Any, url: str) -> None:
    table = open_page()
    open_drill(table, url, "foul", 3)
    drill = make_drill("foul", 3)
    shown = table.page.eval_on_selector_all("#own [data-card]", CARDS)
    assert len(shown) == 7
    table.expect("#own .card-fresh").to_have_count(2)
    assert len(drill.position.opponent_bottom) == table.page.locator("#other [data-row=bottom] .card").count()
    table.shoot("drill_foul")
    table.page.keyboard.press("5")
    table.page.wait_for_selector("#feedback")
    table.expect("#verdict-line").to_contain_text("It fouls in")
    table.expect("#verdict-line").to_contain_text("You were off by")
    table.expect("#progress-rows tr:nth-child(3) td:nth-of-type(1)").to_have_text("1")


def test_a_mistake_of_a_hand_comes_back_and_rests(open_page: Any, url: str) -> None:
    table = open_page()
    play_hand(table, url)
    link = httpx.get(f"{url}/api/history", headers=headers(table), timeout=PATIENCE).json()["sessions"][0][
        "hands"
    ][0]["link"]
    step = hand_of(table, url, link)["steps"]
    number = next(number for number, each in enumerate(step) if each["seat"] == 0 and each["turn"] == 4)
    body = {"hand": link, "decision": number}
    added = httpx.post(f"{url}/api/drills/mistakes", json=body, headers=headers(table), timeout=PATIENCE)
    assert added.status_code == 201, added.text
    table.page.goto(f"{url}/drills.html?kind=mistake")
    table.page.wait_for_selector(f"#drill[data-drill='{added.json()['id']}']")
    assert sorted(table.page.eval_on_selector_all("#hand [data-card]", CARDS)) == sorted(
        step[number]["dealt_cards"]
    )
    table.expect("#kinds").to_contain_text("My mistakes (1)")
    table.page.click("#give-up")
    table.page.wait_for_selector("#feedback")
    table.expect("#placements").to_contain_text("When it happened")
    table.expect("#kinds").not_to_contain_text("(1)")
    table.page.click("#drop")
    table.expect("#toast").to_contain_text("no more")
    table.page.keyboard.press("n")
    table.expect("#question").to_contain_text("No mistakes are kept yet")


def test_the_progress_is_downloaded(open_page: Any, url: str) -> None:
    table = open_page()
    open_drill(table, url, "foul", 5)
    table.page.keyboard.press("1")
    table.page.wait_for_selector("#feedback")
    with table.page.expect_download() as download:
        table.page.click("#download")
    content = download.value.path().read_text()
    assert '"kind": "foul"' in content
    assert '"answered": 1' in content


def test_on_a_phone_an_opening_is_seen_whole(open_page: Any, url: str) -> None:
    table = open_page(**PHONE)
    open_drill(table, url, "opening", 3)
    assert overflow(table) <= 0
    for selector in ("#question", "#other .name", "#confirm"):
        box = table.box(selector)
        assert 0 <= box["y"] <= box["y"] + box["height"] <= PHONE["viewport"]["height"]  # type: ignore[index]
    table.shoot("drill_phone")


def test_on_a_phone_the_progress_is_seen_whole(open_page: Any, url: str) -> None:
    table = open_page(**PHONE)
    open_drill(table, url, "foul", 3)
    table.page.keyboard.press("1")
    table.expect("#verdict").to_have_text(re.compile("^(Right|Not so)$"))  # a band is no placement
    table.expect("#progress-rows tr:nth-child(3) td:nth-child(2)").to_have_text("1")
    wider = "box => box.scrollWidth - box.clientWidth"
    assert table.page.locator("#progress .scroll").evaluate(wider) == 0


def test_on_a_phone_in_japanese(open_page: Any, url: str) -> None:
    table = open_page(locale="ja-JP", **PHONE)
    open_drill(table, url, "opening", 3)
    assert "ドリル" in table.page.title()
    assert overflow(table) <= 0
    for row in ("bottom", "bottom", "middle", "middle", "top"):
        table.page.tap("#hand [data-card]")
        table.page.tap(f"[data-drop={row}] .slot-target")
    assert overflow(table) <= 0
    box = table.box("#confirm")
    assert box["y"] + box["height"] <= PHONE["viewport"]["height"]  # type: ignore[index]
    table.shoot("drill_phone_japanese")
    table.page.tap("#confirm")
    table.page.wait_for_selector("#feedback")
    assert overflow(table) <= 0
    table.shoot("drill_phone_japanese_feedback", full=True)
    open_drill(table, url, "foul", 3)
    assert overflow(table) <= 0
    table.shoot("drill_phone_foul")
    open_drill(table, url, "fantasyland", 3)
    assert overflow(table) <= 0
    table.shoot("drill_phone_fantasyland")


def test_both_languages_have_every_text(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(f"{url}/drills.html")
    load = "name => import(`/static/js/strings_${name}.js`).then(file => file.default)"
    english, japanese = (table.page.evaluate(load, f"training_{language}") for language in ("en", "ja"))
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        parameters = [set(words.replace("}", "{").split("{")[1::2]) for words in (text, japanese[key])]
        assert parameters[0] == parameters[1], key
        assert text
        assert japanese[key]
