"""The opening explorer in a browser: by typing, by buttons, by keys, in both languages, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.openings import classes_of
from ofc_env import parse_cards
from tests.openings import table_of_openings
from tests.server.live import run_server

PHONE = {"width": 360, "height": 640}


@pytest.fixture(scope="module")
def url(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("data") / "openings.bin"
    table = table_of_openings()
    table.records["race"][::2] = table.records["network"][::2] + 10
    table.records["error"][::2] = 25
    table.write(path)
    with run_server(agent="random", openings=str(path)) as server:
        yield server.url


def cards_of(page: Any) -> list[list[str]]:
    """The cards of every opening that is shown."""
    script = "all => all.map(one => [...one.querySelectorAll('[data-card]')].map(card => card.dataset.card))"
    found: list[list[str]] = page.locator(".opening-cards").evaluate_all(script)
    return found


def until(page: Any, text: str) -> None:
    page.locator("#sentence", has_text=text).wait_for()


def test_openings_by_ranks_suits_and_pages(open_page: Any, url: str) -> None:
    opened = open_page()
    page = opened.page
    page.goto(f"{url}/openings.html")
    until(page, "Openings: 152,646, 100.0 % of all deals.")
    assert len(cards_of(page)) == 20
    assert page.title() == "Opening explorer · OFC Pineapple"
    for rank in "QQ":
        page.locator(f"#ranks [data-rank={rank}]").click()
    queens = int((classes_of(2).rank_counts[:, parse_cards("Qh")[0]] >= 2).sum())
    until(page, f"Openings: {queens:,},")
    assert page.locator("#cards").input_value() == "QQ"
    page.locator("#ranks [data-rank=X]").click()
    page.wait_for_url("**cards=QQX*")
    page.locator("#suits").select_option("31")
    page.wait_for_url("**suits=31*")
    page.locator(".opening").first.wait_for()
    for cards in cards_of(page):
        assert sum(card[0] == "Q" for card in cards) >= 2
        assert any(card[0] == "X" for card in cards)
    page.locator("#next").click()
    page.locator("#place", has_text="21 to 40").wait_for()
    second = cards_of(page)
    page.reload()  # the address keeps it all
    page.locator("#place", has_text="21 to 40").wait_for()
    assert cards_of(page) == second
    page.go_back()
    page.locator("#place", has_text="1 to 20").wait_for()
    assert page.locator("#previous").is_disabled()
    opened.shoot("openings", full=True)


def test_five_cards_by_keys_alone(open_page: Any, url: str) -> None:
    opened = open_page()
    page = opened.page
    page.goto(f"{url}/openings.html")
    until(page, "152,646")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "cards":
            break
    page.keyboard.type("Qs 7d X2 Qc 10s")
    page.keyboard.press("Enter")
    until(page, "Openings: 1,")
    assert [set(cards) for cards in cards_of(page)] == [{"Qs", "7d", "X2", "Qc", "Ts"}]
    placements = page.locator(".best-place")
    assert placements.count() == 3
    label = placements.first.get_attribute("aria-label")
    assert "queen of spades" in label
    assert "Top: " in label
    opened.expect_refusals(422)
    page.locator("#cards").fill("Qs Qs")
    page.keyboard.press("Enter")
    until(page, "is no opening")
    assert cards_of(page) == []


def test_in_japanese_on_a_phone(open_page: Any, url: str) -> None:
    opened = open_page(viewport=PHONE, locale="ja-JP")
    page = opened.page
    page.goto(f"{url}/openings.html?cards=AAK&order=best")
    until(page, "通り(全配札の")
    assert page.title().startswith("初手図鑑")
    assert page.locator("html").get_attribute("lang") == "ja"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    boxes = "all => all.map(one => one.getBoundingClientRect()).map(box => Math.min(box.width, box.height))"
    assert min(page.locator("button:visible, select:visible, input:visible").evaluate_all(boxes)) >= 24
    opened.shoot("openings_phone")
    page.locator("[data-language=en]").click()
    until(page, "Openings: ")
    assert page.locator("[data-rank=X]").get_attribute("aria-label") == "Add joker"


def test_both_languages_have_every_text_of_the_openings(open_page: Any, url: str) -> None:
    page = open_page().page
    page.goto(url)
    load = "name => import(`/static/js/strings_openings_${name}.js`).then(file => file.default)"
    english, japanese = (page.evaluate(load, language) for language in ("en", "ja"))
    assert english.keys() == japanese.keys()
    for key in english:
        assert english[key]
        assert japanese[key]
        assert english[key].count("{") == japanese[key].count("{"), key


def test_without_a_table(browser: Any, open_page: Any) -> None:
    with run_server(agent="random", openings="none.bin") as server:
        opened = open_page(server.url)
        page = opened.page
        opened.expect_refusals(404)
        page.goto(f"{server.url}/openings.html")
        until(page, "has no table of openings")
