"""The web page for everybody: both languages, a phone, a keyboard alone, a screen reader, a slow line."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from server.web.app import STATIC
from tests.server.browser import TablePage, machine_room
from tests.server.live import PATIENCE

pytestmark = pytest.mark.browser

PHONE = {
    "viewport": {"width": 390, "height": 760},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
PAGE_BYTES = 200_000


def test_japanese_and_the_switch(open_page: Any, url: str) -> None:
    table = open_page(locale="ja-JP")
    table.page.goto(url)
    table.expect("#ai-form h2").to_have_text("AIと対戦")
    table.shoot("lobby_japanese", full=True)
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    table.click(hand[0], "bottom")
    table.expect("html").to_have_attribute("lang", "ja")
    table.expect("#status").to_contain_text("あなたの番")
    assert "ボトム" in (table.page.get_attribute("#own .row[data-row=bottom]", "aria-label") or "")
    table.shoot("table_japanese")
    table.page.click("[data-language=en]")
    assert table.page.inner_text("#status").startswith("Your turn")
    table.page.reload()
    table.wait_for_turn()
    table.expect("html").to_have_attribute("lang", "en")  # the choice is remembered


def test_a_refusal_says_why_in_both_languages(open_page: Any, url: str) -> None:
    for locale, words in (
        ("en-GB", "refused this placement"),
        ("ja-JP", "この置き方は受け付けられませんでした"),
    ):
        table = open_page(locale=locale)
        lines: list[Any] = []

        def join(line: Any, lines: list[Any] = lines) -> None:
            line.connect_to_server()
            lines.append(line)

        table.page.route_web_socket("**/ws/**", join)
        table.sit(machine_room(url, seed=11))
        hand = table.wait_for_turn()
        reason = f"cannot place {hand[0]} on top: the row already has 3 cards"
        lines[0].send(json.dumps({"type": "error", "code": "illegal", "message": reason}))
        table.expect("#toast").to_contain_text(words)
        table.expect("#toast").to_contain_text(reason)
        assert table.hand() == hand


@pytest.mark.parametrize("kind", ["", "training_"])
def test_both_languages_have_every_text(open_page: Any, url: str, kind: str) -> None:
    table = open_page()
    table.page.goto(url)
    load = "name => import(`/static/js/strings_${name}.js`).then(file => file.default)"
    english, japanese = table.page.evaluate(load, "en"), table.page.evaluate(load, "ja")
    for part in ("review_strings", "practice_strings"):
        more = table.page.evaluate("part => import(`/static/js/${part}.js`).then(file => file.TEXTS)", part)
        assert not english.keys() & more["en"].keys()
        english, japanese = {**english, **more["en"]}, {**japanese, **more["ja"]}
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        assert text
        assert japanese[key]
        parameters = [set(words.replace("}", "{").split("{")[1::2]) for words in (text, japanese[key])]
        assert parameters[0] == parameters[1], key


def test_one_japanese_word_for_royalties() -> None:
    """Whoever has learned a word at the table meets it in reviews and drills."""
    texts = {path.name: path.read_text() for path in (STATIC / "js").glob("*.js")}
    assert any("ロイヤルティ" in text for text in texts.values())
    assert [name for name, text in texts.items() if "ロイヤリティ" in text] == []


@pytest.mark.parametrize("code", ["nosuchtable", "http://127.0.0.1/?room=%zz", "<b>?</b>", "../../x"])
def test_a_wrong_code_is_answered_at_once(open_page: Any, url: str, code: str) -> None:
    table = open_page()
    table.page.goto(url)
    table.expect("#levels label >> nth=0").to_be_visible()
    table.page.fill("#code", code)
    table.page.press("#code", "Enter")
    table.expect("#toast.shown").to_have_text("There is no table with this code.")
    if code == "nosuchtable":
        assert len(table.errors) == 1  # the browser's own line about the 404
        table.errors.clear()


def test_a_long_note_on_a_phone_uses_the_width(open_page: Any, url: str) -> None:
    table = open_page(viewport={"width": 360, "height": 640})
    table.page.goto(url)
    table.expect("#levels label >> nth=0").to_be_visible()
    table.page.evaluate("import('/static/js/announce.js').then(({ note }) => note('Long words '.repeat(12)))")
    table.expect("#toast.shown").to_be_visible()
    assert table.page.locator("#toast").evaluate("toast => toast.offsetWidth") > 300


def test_on_a_phone_no_note_hides_the_button_that_confirms(open_page: Any, url: str) -> None:
    """Royalties in every row and a danger on both boards: all that can be said of them at once."""
    table = open_page(**{**PHONE, "viewport": {"width": 360, "height": 640}})
    table.sit(machine_room(url, seed=3))
    for _ in range(2):
        table.wait_for_turn()
        table.lay_out(table.click)
        table.confirm()
    table.wait_for_turn()
    bottom = table.page.evaluate(
        """() => {
          for (const mark of document.querySelectorAll("#table .row-royalty")) mark.textContent = "+25";
          for (const name of document.querySelectorAll("#table .row-name")) name.textContent = "Royal flush";
          for (const note of document.querySelectorAll("#table .board-note"))
            note.textContent = "△ Danger of a foul: top is above middle · Royalties 34";
          return document.getElementById("confirm").getBoundingClientRect().bottom;
        }"""
    )
    assert bottom <= 640


def test_the_help_begins_at_its_beginning(open_page: Any, url: str) -> None:
    table = open_page(**{**PHONE, "viewport": {"width": 360, "height": 640}})
    table.sit(machine_room(url, seed=3))
    table.wait_for_turn()
    table.page.keyboard.press("?")
    table.expect("#help-title").to_be_focused()
    assert table.box("#help-title")["y"] >= table.box("#help")["y"]


def test_narrow_screen_with_a_finger(open_page: Any, url: str) -> None:
    table = open_page(**PHONE)
    table.page.goto(url)
    assert _overflow(table) <= 0
    table.shoot("phone_lobby", full=True)
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    table.shoot("phone_deal")
    assert _overflow(table) <= 0
    table.page.tap(f"#hand [data-card='{hand[1]}']")
    table.page.tap("[data-drop=middle] .slot-target")
    table.page.wait_for_selector(f"#own [data-row=middle] [data-card='{hand[1]}']")
    table.touch_drag(hand[0], "bottom")
    table.page.wait_for_selector(f"#own [data-row=bottom] [data-card='{hand[0]}']")
    table.page.click("#clear")
    for turn in range(5):
        table.wait_for_turn()
        table.lay_out(table.touch_drag if turn == 1 else table.click)
        if turn == 3:
            table.shoot("phone_turn")
        assert table.box("#confirm")["y"] < PHONE["viewport"]["height"]  # type: ignore[index]
        table.confirm()
    table.wait_for_result()
    assert _overflow(table) <= 0
    table.shoot("phone_result", full=True)


def test_a_short_phone_shows_a_whole_turn_at_once(open_page: Any, url: str) -> None:
    table = open_page(**{**PHONE, "viewport": {"width": 340, "height": 600}})
    table.sit(machine_room(url, seed=11))
    for turn in range(5):
        table.wait_for_turn()
        table.lay_out(table.click)
        table.expect("#own [data-row=bottom] .row-name").not_to_be_empty()
        assert _overflow(table) <= 0
        for selector in ("#other .name", "#own .name", "#confirm"):
            box = table.box(selector)
            assert box["y"] >= 0, selector
            assert box["y"] + box["height"] <= 600, selector
        if turn == 3:
            table.shoot("short_phone")
        table.confirm()


def _overflow(table: TablePage) -> int:
    """Pixels by which the page is wider than the window."""
    return int(table.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def test_a_turn_by_keyboard_alone(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    press = table.page.keyboard.press
    table.expect(f"#hand [data-card='{hand[0]}']").to_be_focused()  # a deal brings the focus
    press("3")
    press("b")
    assert table.row("bottom") == [hand[2]]
    press("ArrowRight")
    press("t")
    assert len(table.row("top")) == 1
    press("u")
    press("Control+z")
    assert table.hand() == hand
    for key, row in (("1", "m"), ("1", "m"), ("1", "b"), ("1", "b"), ("1", "t")):
        press(key)
        press(row)
    table.shoot("keyboard")
    table.expect("#confirm").to_be_focused()
    press("Enter")
    second = table.wait_for_turn()
    assert len(second) == 3
    assert len(table.row("middle")) == 2

    # And without letters: Tab, Space and Enter are enough.
    table.page.focus(f"#hand [data-card='{second[0]}']")
    press("Space")
    table.page.focus("[data-drop=top] .slot-target")
    press("Enter")
    assert second[0] in table.row("top")
    press("?")
    table.expect("#help").to_be_visible()
    table.shoot("help")
    press("Escape")
    table.expect("#help").to_be_hidden()


def test_names_for_screen_readers(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    label = table.page.get_attribute(f"#hand [data-card='{hand[0]}']", "aria-label") or ""
    assert " of " in label
    table.expect("#say").to_contain_text(label)
    assert table.page.evaluate(NAMELESS) == []


NAMELESS = """() => {
  const label = e => e.getAttribute("aria-label") || e.getAttribute("aria-labelledby");
  const named = e => label(e) || e.textContent.trim() || e.labels?.length;
  return [...document.querySelectorAll("button, input, a, [role=img], [role=group], dialog, article")]
    .filter(e => e.checkVisibility() && !named(e)).map(e => e.outerHTML.slice(0, 90));
}"""


def test_text_has_enough_contrast(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(url)
    table.page.click(".rules summary")
    table.expect(".rules table").to_be_visible()
    assert table.page.evaluate(LOW_CONTRAST) == []
    table.sit(machine_room(url, seed=11))
    table.wait_for_turn()
    table.lay_out(table.click)
    table.expect("#own [data-row=bottom] .row-name").not_to_be_empty()
    assert table.page.evaluate(LOW_CONTRAST) == []


# Text whose contrast to what lies behind it is below 4.5:1 (WCAG AA). Where nothing opaque lies behind, the
# lightest part of the felt does, the worst case for light text. Gradients count as their first colour.
LOW_CONTRAST = """() => {
  const parse = text => {
    const numbers = (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return [...numbers.slice(0, 3), numbers[3] ?? 1];
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
  const linear = v => v / 255 <= .03928 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4;
  const light = c => .2126 * linear(c[0]) + .7152 * linear(c[1]) + .0722 * linear(c[2]);
  const ground = e => {
    if (!e || e === document.body) return [26, 83, 71];
    const style = getComputedStyle(e);
    const image = style.backgroundImage.match(/rgba?\\([^)]*\\)/);
    return over(parse(image ? image[0] : style.backgroundColor), ground(e.parentElement));
  };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || !e.checkVisibility({visibilityProperty: true})) continue;
    if (e.closest(":disabled, .unseen, .skip, .toast, svg")) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) low.push(`${e.className || e.tagName} "${e.textContent.trim().slice(0, 20)}" ${ratio}`);
  }
  return low;
}"""


def test_page_load_is_small_and_stays_at_home(browser: Any, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    responses: list[Any] = []
    page.on("response", lambda response: responses.append(response))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    bodies = {response.url: len(response.body()) for response in responses}
    context.close()
    assert all(address.startswith(url) for address in bodies), bodies
    assert 20_000 < sum(bodies.values()) < PAGE_BYTES, bodies
    # All that the first sight needs is asked for at once, and nothing that it does not.
    index = (STATIC / "index.html").read_text()
    preloaded = re.findall(r'"modulepreload" href="/static/js/(\w+\.js)"', index)
    assert sorted({"main.js", *preloaded}) == sorted(
        address.split("/js/")[1] for address in bodies if "/js/" in address
    )
