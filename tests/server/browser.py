"""Helpers for driving the web page: a browser if there is one, and the table as a player uses it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from websockets.sync.client import connect

from ofc_env import Placement, Session, card_names, solve_fantasyland
from tests.server.live import PATIENCE
from tests.server.stress import slow_down, stress

if TYPE_CHECKING:
    from playwright.sync_api import Browser, LocatorAssertions, Page

SCREENSHOTS = Path(__file__).resolve().parents[2] / "runs" / "screenshots"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ROWS = ("top", "middle", "bottom")
ROW_SIZES = {"top": 3, "middle": 5, "bottom": 5}
HAND_CARDS = (5, 3, 3, 3, 3)
BOX = """selector => {
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return box?.height && { x: box.x, y: box.y, width: box.width, height: box.height };
}"""
CARD_NAMES = "all => all.map(card => card.dataset.card)"


class NoBrowser(Exception):
    """Why the page cannot be tried here, in a sentence."""


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A headless chromium; NoBrowser says why there is none."""
    try:
        from playwright.sync_api import Error, expect, sync_playwright
    except ImportError:
        raise NoBrowser("the package playwright is not installed: pip install playwright") from None
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        raise NoBrowser("no chromium was found: apt-get install chromium, or set CHROMIUM to its path")
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=executable, args=ARGUMENTS, slow_mo=stress().get("slow", 0.0)
            )
        except Error as error:
            raise NoBrowser(f"{executable} does not start: {error.message.splitlines()[0]}") from None
        try:
            yield browser
        finally:
            browser.close()


class RoomClient:
    """A seat taken by REST: the first of a new room, or the free one of `room`."""

    def __init__(self, url: str, room: str | None = None, **options: Any) -> None:
        self.url = url
        path = "/api/rooms" if room is None else f"/api/rooms/{room}/join"
        answer = httpx.post(url + path, json=options, timeout=PATIENCE)
        answer.raise_for_status()
        body = answer.json()
        self.id: str = body["room_id"]
        self.player_id: str = body["player_id"]
        self.token: str = body["token"]

    def socket_address(self) -> str:
        """Where the seat plays."""
        return (
            f"{self.url.replace('http', 'ws', 1)}/ws/{self.id}?player_id={self.player_id}&token={self.token}"
        )

    def play(self, choose: Any, until: str) -> dict[str, Any]:
        """Play the seat without a page, by what `choose(deal)` says, until a message of the type `until`."""
        agreed = False
        with connect(self.socket_address(), open_timeout=PATIENCE, ping_timeout=PATIENCE) as socket:
            while True:
                message: dict[str, Any] = json.loads(socket.recv(timeout=PATIENCE))
                kind = message["type"]
                if kind == until:
                    return message
                if kind == "error":
                    raise AssertionError(message["message"])
                # A hand that ends the session is followed by no pause; agreeing then would be a rematch.
                goes_on = kind == "hand_end" and message["next_hand_seconds"] is not None
                if goes_on or (kind == "ready_to_start" and not agreed):
                    agreed = True
                    socket.send(json.dumps({"type": "game_start"}))
                elif kind == "deal":
                    socket.send(json.dumps(place_message(choose(message))))


def machine_room(url: str, **options: Any) -> RoomClient:
    """A room against the quickest machine."""
    return RoomClient(url, **{"mode": "ai", "level": "regular", "agent": "random", "name": "Ann", **options})


def place_message(placement: Placement) -> dict[str, Any]:
    """A placement as the protocol has it."""
    pairs = [[name, row] for row in ROWS for name in card_names(getattr(placement, row))]
    discards = card_names(placement.discards)
    extra = {"discards": discards} if len(discards) > 1 else {"discard": discards[0] if discards else None}
    return {"type": "place", "placements": pairs, **extra}


def first_fit(deal: dict[str, Any]) -> Placement:
    """The cards of a deal into the first free places from the bottom up, the last one discarded."""
    rows: dict[str, list[str]] = {row: [] for row in ROWS}
    cards = list(deal["cards"])
    to_place = 13 if deal["fantasyland"] else 5 if deal["turn"] == 0 else 2
    for card in cards[:to_place]:
        row = next(r for r in reversed(ROWS) if len(deal["board"][r]) + len(rows[r]) < ROW_SIZES[r])
        rows[row].append(card)
    return Placement(**rows, discards=cards[to_place:])


def seed_with_fantasyland(seat: int = 0) -> tuple[int, list[Placement]]:
    """A seed whose first hand can bring the seat to fantasyland, and the five placements that do it."""
    for seed in range(5000):
        route = _fantasyland_route(seed, seat)
        if route is not None:
            return seed, route
    raise AssertionError("no seed below 5000 leads to fantasyland")


def _fantasyland_route(seed: int, seat: int) -> list[Placement] | None:
    hand = Session(seed, auto_fantasyland=False).hand
    turns: list[list[int]] = []
    dealt = 0
    for count in HAND_CARDS:
        start = dealt if hand.button == seat else dealt + count
        turns.append(hand.deck[start : start + count])
        dealt += 2 * count
    # The solver sets all 17 cards at once: that is a route if each turn discards one of its own three.
    solution = solve_fantasyland([card for cards in turns for card in cards])
    if not solution.board.fantasyland_cards:
        return None
    whole, route = solution.placement, []
    for turn, cards in enumerate(turns):
        rows = {row: [card for card in cards if card in getattr(whole, row)] for row in ROWS}
        discards = [card for card in cards if card in whole.discards]
        if len(discards) != (turn > 0):
            return None
        route.append(Placement(**rows, discards=discards))
    return route


class TablePage:
    """The page as somebody uses it who sits at a table."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        self.meant: list[str] = []
        slow_down(page)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda line: self._report(line.text) if line.type == "error" else None)

    def _report(self, line: str) -> None:
        if not any(words in line for words in self.meant):
            self.errors.append(line)

    def expect_refusals(self, status: int) -> None:
        """Requests will be refused with this status on purpose; the browser reports each of them."""
        self.meant.append(f"status of {status}")

    def address(self) -> str:
        """The page's address; the one that playwright keeps follows it a moment later."""
        return str(self.page.evaluate("location.href"))

    def sit(self, room: RoomClient) -> None:
        """Open a room's page as the holder of a seat."""
        seat = json.dumps({"player_id": room.player_id, "token": room.token})
        self.page.add_init_script(f"localStorage.setItem('ofc.seat.{room.id}', {json.dumps(seat)})")
        self.page.goto(f"{self.url}/?room={room.id}")

    def wait_for_turn(self) -> list[str]:
        """Wait until cards lie in the hand; their names, as they lie there."""
        self.page.wait_for_selector("#table[data-acting=own] #hand .card")
        return self.hand()

    def hand(self) -> list[str]:
        """Names of the cards in the hand."""
        return self.page.eval_on_selector_all("#hand [data-card]", CARD_NAMES)

    def row(self, row: str, player: str = "own") -> list[str]:
        """Names of the cards in a row."""
        selector = f"#{player} .row[data-row={row}] [data-card]"
        return self.page.eval_on_selector_all(selector, CARD_NAMES)

    def board(self, player: str = "own") -> dict[str, list[str]]:
        """A board, each row sorted by name."""
        return {row: sorted(self.row(row, player)) for row in ROWS}

    def free(self, row: str) -> int:
        """Free places of an own row."""
        return ROW_SIZES[row] - len(self.row(row))

    def click(self, card: str, target: str) -> None:
        """Put a card to a place by two clicks."""
        self.page.click(f"#hand [data-card='{card}']")
        self.page.click(f"[data-drop={target}] .slot-target")

    def drag(self, card: str, target: str) -> None:
        """Put a card to a place by dragging it there with the mouse."""
        start = self.centre(f".card-movable[data-card='{card}']")
        end = self.centre(f"[data-drop={target}]")
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
        mouse.move(*end, steps=3)
        mouse.up()

    def touch_drag(self, card: str, target: str) -> None:
        """Put a card to a place by dragging it there with a finger."""
        start = self.centre(f".card-movable[data-card='{card}']")
        end = self.centre(f"[data-drop={target}]")
        session = self.page.context.new_cdp_session(self.page)
        steps = [start, *(tuple(a + (b - a) * part / 5 for a, b in zip(start, end)) for part in range(1, 6))]
        for number, (x, y) in enumerate(steps):
            kind = "touchMove" if number else "touchStart"
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        session.detach()

    def box(self, selector: str) -> dict[str, float]:
        """Where an element lies in the window, in pixels, once it is shown."""
        # In one step: the page may draw it anew at any time.
        box: dict[str, float] = self.page.wait_for_function(BOX, arg=selector).json_value()
        return box

    def centre(self, selector: str) -> tuple[float, float]:
        """Middle of an element, in pixels."""
        box = self.box(selector)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def lay_out(self, put: Any) -> None:
        """Place all cards that this turn asks for, bottom first, each by `put(card, row)`."""
        hand = self.hand()
        count = 5 if len(hand) == 5 else 2
        for card in hand[:count]:
            put(card, next(row for row in reversed(ROWS) if self.free(row)))

    def confirm(self) -> None:
        """Press the confirm button and wait for the server's word."""
        sequence = self.page.get_attribute("#table", "data-sequence")
        self.page.click("#confirm")
        self.page.wait_for_selector(f"#table:not([data-sequence='{sequence}'])")

    def wait_for_result(self) -> None:
        """Wait until the hand's result is shown."""
        self.page.wait_for_selector("#result .result-table")

    def expect(self, selector: str) -> LocatorAssertions:
        """Assertions about an element that wait until they hold."""
        from playwright.sync_api import expect

        return expect(self.page.locator(selector))

    def shoot(self, name: str, full: bool = False) -> None:
        """Keep a picture of the page, where somebody wants pictures."""
        if "OFC_SCREENSHOTS" in os.environ:
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            self.page.wait_for_timeout(150)  # let hints arrive and cards come to rest
            self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full)
