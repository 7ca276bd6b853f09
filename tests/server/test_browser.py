"""The web page in a real browser, against a real server: every way of playing a turn, and what goes wrong.

Pictures of what was seen are kept in runs/screenshots/.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from ofc_env import Board, Placement, Session, card_names, solve_fantasyland
from tests.server.browser import (
    ROWS,
    NoBrowser,
    RoomClient,
    TablePage,
    first_fit,
    open_browser,
    seed_with_fantasyland,
)
from tests.server.live import run_server

pytestmark = pytest.mark.browser

DESKTOP = {"width": 1280, "height": 800}
PHONE = {
    "viewport": {"width": 390, "height": 760},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
PAGE_BYTES = 200_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        with open_browser() as browser:
            yield browser
    except NoBrowser as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def url(browser: Any) -> Iterator[str]:
    with run_server(agent="random", turn_seconds=120.0, hand_pause=120.0) as server:
        yield server.url


@pytest.fixture
def open_page(browser: Any, url: str) -> Iterator[Any]:
    """Opens pages in windows of their own; none of them may report an error."""
    pages: list[TablePage] = []

    def open_one(address: str = url, **options: Any) -> TablePage:
        options.setdefault("viewport", DESKTOP)
        options.setdefault("locale", "en-GB")
        options.setdefault("reduced_motion", "reduce")  # so that a card is where it is seen
        page = TablePage(browser.new_context(**options).new_page(), address)
        pages.append(page)
        return page

    yield open_one
    for page in pages:
        page.page.context.close()
    assert [page.errors for page in pages if page.errors] == []


def machine_room(url: str, **options: Any) -> RoomClient:
    """A room against the quickest machine."""
    return RoomClient(url, **{"mode": "ai", "level": "normal", "agent": "random", "name": "Ann", **options})


def own_cards(seed: int, turn: int) -> list[str]:
    """What the first seat is dealt in a turn of the first hand, in the order dealt."""
    hand = Session(seed, auto_fantasyland=False).hand
    counts = (5, 3, 3, 3, 3)
    start = 2 * sum(counts[:turn]) + (0 if hand.button == 0 else counts[turn])
    return card_names(hand.deck[start : start + counts[turn]])


def test_lobby_to_a_whole_hand_by_clicks(open_page: Any, url: str) -> None:
    table = open_page(reduced_motion="no-preference")
    table.page.goto(url)
    table.page.fill("#name", "Ann")
    table.page.click("#levels label:has(input[value=weak])")
    table.shoot("lobby")
    table.page.click("#ai-form button[type=submit]")
    for turn in range(5):
        hand = table.wait_for_turn()
        assert len(hand) == (5 if turn == 0 else 3)
        table.lay_out(table.click)
        if turn in (0, 2):
            table.shoot(f"clicks_turn_{turn}")
        staged = table.board()
        table.confirm()
        if turn < 4:
            table.wait_for_turn()
            assert table.board() == staged
    table.wait_for_result()
    table.shoot("clicks_result")

    room = httpx.get(f"{url}/api/rooms/{table.page.url.split('room=')[1]}").json()
    assert room["names"][0] == "Ann"
    assert room["level"] == "weak"
    assert table.page.inner_text("#own .chips") == f"{room['chips'][0]} chips"
    total = table.page.inner_text(".result-table .total .points").replace("−", "-")
    assert 200 + int(total) == room["chips"][0]


def test_a_whole_hand_by_drag(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    for turn in range(5):
        assert table.wait_for_turn() == own_cards(11, turn)
        table.lay_out(table.drag)
        if turn == 1:
            left = own_cards(11, 1)[2]
            assert table.page.get_attribute("#discard-cards .card-staged", "data-card") == left
        table.confirm()
    table.wait_for_result()
    board = Board(**{row: table.row(row) for row in ROWS})
    shown = table.page.inner_text(".result-table")
    assert ("Foul" in shown) or board.fouled is False
    assert "Foul" not in shown.split("\n")[0]


def test_undo_taking_back_and_starting_over(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    table.click(hand[0], "bottom")
    table.click(hand[1], "top")
    table.page.click("#undo")
    assert (table.row("bottom"), table.row("top")) == ([hand[0]], [])
    assert table.hand() == hand[1:]
    table.page.click(f"#own [data-card='{hand[0]}']")  # a click on a card of this turn takes it back
    assert table.hand() == hand
    table.page.click("#undo")
    assert table.row("bottom") == [hand[0]]
    table.drag(hand[0], "middle")  # and it may change its row
    assert (table.row("bottom"), table.row("middle")) == ([], [hand[0]])
    table.drag(hand[0], "hand")
    assert table.hand() == hand
    table.lay_out(table.click)
    assert table.page.is_enabled("#confirm")
    table.page.click("#clear")
    assert table.hand() == hand
    assert table.page.is_disabled("#confirm")


def test_an_illegal_drop_is_refused(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    for card in hand[:3]:
        table.drag(card, "top")
    table.page.wait_for_timeout(250)
    start, end = table.centre(f"[data-card='{hand[3]}']"), table.centre("[data-drop=top]")
    table.page.mouse.move(*start)
    table.page.mouse.down()
    table.page.mouse.move(*end, steps=4)
    assert table.page.is_visible(".row.drop-bad")
    table.shoot("illegal_drop")
    table.page.mouse.up()
    assert "full" in table.toast()
    assert table.page.inner_text("#alert") == table.toast()
    assert (len(table.row("top")), table.hand()) == (3, hand[3:])
    table.drag(hand[3], "middle")
    table.page.keyboard.press("1")
    table.page.keyboard.press("x")
    assert "first turn" in table.toast()
    assert table.hand() == hand[4:]


def test_foul_and_royalties_are_shown_as_the_rows_fill(open_page: Any, url: str) -> None:
    table = open_page()
    seed = next(seed for seed in range(500) if _pair(own_cards(seed, 0)))
    table.sit(machine_room(url, seed=seed))
    pair = _pair(table.wait_for_turn())
    for card in pair:
        table.click(card, "top")
    table.page.wait_for_selector("#own .board-note.risk")
    assert "top is above middle" in table.page.inner_text("#own .board-note")
    top = "#own .row[data-row=top]"
    assert table.page.inner_text(f"{top} .row-name").startswith("Pair of")
    assert table.page.inner_text(f"{top} .row-royalty") == f"+{'6789TJQKA'.index(pair[0][0]) + 1}"
    table.shoot("foul_warning")


def _pair(cards: list[str]) -> list[str]:
    """The only pair of these cards, if its rank earns royalties on top and there is no joker."""
    pairs = [[a, b] for i, a in enumerate(cards) for b in cards[i + 1 :] if a[0] == b[0]]
    jokers = any(card[0] == "X" for card in cards)
    return pairs[0] if len(pairs) == 1 and not jokers and pairs[0][0][0] in "6789TJQKA" else []


def test_time_runs_out(open_page: Any) -> None:
    with run_server(turn_seconds=2.5, hand_pause=120.0) as server:
        table = open_page(server.url)
        table.sit(machine_room(server.url, seed=11))
        hand = table.wait_for_turn()
        table.click(hand[4], "bottom")
        table.page.wait_for_selector("#own .clock.low")
        assert "seconds left" in table.page.inner_text("#alert")
        table.shoot("timer_warning")
        table.page.wait_for_selector("#toast.shown.bad", timeout=6000)
        assert "Time is up" in table.toast()
        assert table.board()["top"] == sorted(hand[:3])
        assert table.board()["middle"] == sorted(hand[3:])
        assert table.row("bottom") == []


def test_reload_in_mid_hand(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    table.wait_for_turn()
    for _ in range(2):
        table.lay_out(table.click)
        table.confirm()
        table.wait_for_turn()
    before = (table.hand(), table.board(), table.board("other"), table.page.inner_text("#discard"))
    table.page.reload()
    table.wait_for_turn()
    assert (table.hand(), table.board(), table.board("other"), table.page.inner_text("#discard")) == before
    table.lay_out(table.click)
    table.confirm()


def test_a_broken_connection_keeps_the_layout(open_page: Any, url: str) -> None:
    table = open_page()
    room = machine_room(url, seed=11)
    table.sit(room)
    hand = table.wait_for_turn()
    table.click(hand[0], "bottom")
    other = open_page()  # a second window takes the seat
    other.sit(room)
    assert other.wait_for_turn() == hand
    table.page.wait_for_selector("#banner button")
    assert "another tab" in table.page.inner_text("#banner")
    table.page.click("#banner button")
    table.wait_for_turn()
    other.page.wait_for_selector("#banner button")


def test_fantasyland_by_solver_and_by_hand(open_page: Any, url: str) -> None:
    seed, route = seed_with_fantasyland()
    room = machine_room(url, seed=seed)
    turns = iter(route)
    end = room.play(lambda deal: next(turns), until="hand_end")
    width = end["result"]["fl_card_count"][0]
    assert width >= 14

    table = open_page()
    table.sit(room)
    table.wait_for_result()
    assert f"fantasyland with {width} cards" in table.page.inner_text("#result")
    table.shoot("fantasyland_won")
    table.page.click("#proceed")
    hand = table.wait_for_turn()
    assert len(hand) == width
    assert "Fantasyland" in table.page.inner_text("#own .badge")
    table.shoot("fantasyland")

    table.page.click("#solve")
    table.page.wait_for_selector("#confirm:enabled")
    solved = {row: table.row(row) for row in ROWS}
    assert not Board(**solved).fouled
    assert len(table.page.query_selector_all("#discard-cards .card-staged")) == width - 13
    table.shoot("fantasyland_solved")
    table.page.click("#clear")
    assert sorted(table.hand()) == sorted(hand)

    table.page.click("#sort")
    assert table.page.inner_text("#sort") == "Sort: suit"
    for row in ROWS:
        for card in solved[row]:
            (table.drag if row == "top" else table.click)(card, row)
    assert {row: sorted(cards) for row, cards in solved.items()} == table.board()
    table.confirm()
    table.wait_for_result()
    table.shoot("fantasyland_result")


def test_a_friend_comes_by_a_link(open_page: Any, url: str) -> None:
    host, guest = open_page(), open_page()
    host.page.goto(url)
    host.page.fill("#name", "Ann")
    host.page.click("#friend-form button")
    host.page.wait_for_selector("#invite-link")
    host.shoot("invitation")
    guest.page.goto(host.page.input_value("#invite-link"))
    guest.page.fill("#visit-name", "Ben")
    guest.shoot("visit")
    guest.page.click("#visit-join")
    guest.page.click("#start-session")
    assert "Waiting for the other player" in guest.page.inner_text("#invite")
    host.page.click("#start-session")
    for page in (host, guest):
        page.page.wait_for_selector("#table .name")
    assert host.page.inner_text("#other .name") == "Ben"
    assert guest.page.inner_text("#other .name") == "Ann"
    acting = "#table[data-acting=own]"
    first, second = (host, guest) if host.page.locator(acting).count() else (guest, host)
    first.wait_for_turn()
    first.lay_out(first.click)
    first.confirm()
    second.wait_for_turn()
    assert second.board("other") == first.board()
    assert len(first.hand()) == 0


def test_a_fantasyland_board_stays_face_down(open_page: Any, url: str) -> None:
    seed, route = seed_with_fantasyland(seat=1)
    ann = RoomClient(url, mode="friend", seed=seed, name="Ann", private=True)
    ben = RoomClient(url, room=ann.id, name="Ben")
    turns = iter(route)
    with ThreadPoolExecutor() as pool:
        hand_of_ann = pool.submit(ann.play, first_fit, "hand_end")
        ben.play(lambda deal: next(turns), "hand_end")
        hand_of_ann.result()

    host, guest, watcher = open_page(), open_page(), open_page()
    host.sit(ann)
    guest.sit(ben)
    watcher.page.goto(f"{url}/?room={ann.id}&watch=1")
    watcher.page.wait_for_selector("#table .name")
    for player in (host, guest):
        player.wait_for_result()
        player.page.click("#proceed")
    guest.wait_for_turn()
    assert host.page.locator("#other .badge").is_visible()
    guest.page.keyboard.press("s")
    guest.page.wait_for_selector("#confirm:enabled")
    guest.confirm()
    host.wait_for_turn()
    watcher.page.wait_for_selector(".card-back")
    assert host.page.locator("#other .card-back").count() == 13
    assert host.board("other") == {row: [] for row in ROWS}
    assert watcher.page.locator(".card-back").count() == 13
    assert watcher.hand() == []
    host.shoot("opponent_in_fantasyland")
    watcher.shoot("spectator")


def test_session_end_and_rematch(open_page: Any, url: str) -> None:
    seed, route = seed_with_fantasyland()  # many points in few hands
    room = machine_room(url, seed=seed)
    turns = iter(route)

    def choose(deal: dict[str, Any]) -> Placement:
        if deal["fantasyland"]:
            return solve_fantasyland(deal["cards"]).placement
        return next(turns, None) or first_fit(deal)

    end = room.play(choose, until="session_end")
    table = open_page()
    table.sit(room)
    table.wait_for_result()
    shown = table.page.inner_text("#result")
    assert ("You win the session" in shown) == (end["winner"] == 0)
    assert f"Ann {end['final_chips'][0]}" in shown
    table.shoot("session_end")
    table.page.click("#proceed")
    table.wait_for_turn()
    assert table.page.inner_text("#own .chips") == "200 chips"
    table.page.click("#leave")
    assert "Back to my seat" in table.page.inner_text("#tables")


def test_japanese_and_the_switch(open_page: Any, url: str) -> None:
    table = open_page(locale="ja-JP")
    table.page.goto(url)
    assert table.page.inner_text("#ai-form h2") == "AIと対戦"
    table.shoot("lobby_japanese", full=True)
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    table.click(hand[0], "bottom")
    assert table.page.get_attribute("html", "lang") == "ja"
    assert "あなたの番" in table.page.inner_text("#status")
    assert "ボトム" in (table.page.get_attribute("#own .row[data-row=bottom]", "aria-label") or "")
    table.shoot("table_japanese")
    table.page.click("[data-language=en]")
    assert table.page.inner_text("#status").startswith("Your turn")
    table.page.reload()
    table.wait_for_turn()
    assert table.page.get_attribute("html", "lang") == "en"  # the choice is remembered


def test_both_languages_have_every_text(open_page: Any, url: str) -> None:
    table = open_page()
    table.page.goto(url)
    load = "name => import(`/static/js/strings_${name}.js`).then(file => file.default)"
    english, japanese = table.page.evaluate(load, "en"), table.page.evaluate(load, "ja")
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        assert text
        assert japanese[key]
        parameters = [set(words.replace("}", "{").split("{")[1::2]) for words in (text, japanese[key])]
        assert parameters[0] == parameters[1], key


def test_narrow_screen_with_a_finger(open_page: Any, url: str) -> None:
    table = open_page(**PHONE)
    table.page.goto(url)
    assert _overflow(table) <= 0
    table.shoot("phone_lobby", full=True)
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    table.shoot("phone_deal")
    assert _overflow(table) <= 0
    table.touch_drag(hand[0], "bottom")
    assert table.row("bottom") == [hand[0]]
    table.page.wait_for_timeout(500)  # a tap at once after a quick drag is taken for a part of it
    table.page.tap(f"#hand [data-card='{hand[1]}']")
    table.page.tap("[data-drop=middle] .slot-target")
    assert table.row("middle") == [hand[1]]
    table.page.click("#clear")
    for turn in range(5):
        table.wait_for_turn()
        table.lay_out(table.touch_drag if turn == 1 else table.click)
        if turn == 3:
            table.shoot("phone_turn")
        assert table.page.locator("#confirm").bounding_box()["y"] < PHONE["viewport"]["height"]  # type: ignore[index]
        table.confirm()
    table.wait_for_result()
    assert _overflow(table) <= 0
    table.shoot("phone_result", full=True)


def _overflow(table: TablePage) -> int:
    """Pixels by which the page is wider than the window."""
    return int(table.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def test_a_turn_by_keyboard_alone(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    press = table.page.keyboard.press
    focused = "document.activeElement.dataset.card ?? document.activeElement.id"
    assert table.page.evaluate(focused) == hand[0]  # a deal brings the focus
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
    assert table.page.evaluate(focused) == "confirm"
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
    assert table.page.is_visible("#help")
    table.shoot("help")
    press("Escape")
    assert not table.page.is_visible("#help")


def test_names_for_screen_readers(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    label = table.page.get_attribute(f"#hand [data-card='{hand[0]}']", "aria-label") or ""
    assert " of " in label
    assert label in table.page.inner_text("#say")
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
    table.page.wait_for_timeout(200)
    assert table.page.evaluate(LOW_CONTRAST) == []
    table.sit(machine_room(url, seed=11))
    table.wait_for_turn()
    table.lay_out(table.click)
    table.page.wait_for_timeout(500)
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
    bodies: dict[str, int] = {}
    page.on("response", lambda response: bodies.update({response.url: len(response.body())}))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    context.close()
    assert all(address.startswith(url) for address in bodies), bodies
    assert 20_000 < sum(bodies.values()) < PAGE_BYTES, bodies
