"""The web page in a real browser, against a real server: every way of playing a turn, and what goes wrong.

With OFC_SCREENSHOTS=1 pictures of what was seen are kept in runs/screenshots/.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from agents.levels import DEFAULT_LEVEL
from ofc_env import Board, Placement, Session, card_names, solve_fantasyland
from tests.server.browser import (
    ROWS,
    RoomClient,
    first_fit,
    machine_room,
    seed_with_fantasyland,
)
from tests.server.live import PATIENCE, run_server

pytestmark = pytest.mark.browser


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
    table.expect("#levels input:checked").to_have_value(DEFAULT_LEVEL)
    usual = table.page.inner_text("#level-line")
    table.page.click("#levels label:has(input[value=novice])")
    assert "foul" in table.page.inner_text("#level-line") != usual
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

    room = httpx.get(f"{url}/api/rooms/{table.address().split('room=')[1]}", timeout=PATIENCE).json()
    assert room["names"][0] == "Ann"
    assert room["level"] == "novice"
    table.expect("#own .chips").to_have_text(f"{room['chips'][0]} chips")
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
            table.expect("#discard-cards .card-staged").to_have_attribute("data-card", left)
        table.confirm()
    table.wait_for_result()
    board = Board(**{row: table.row(row) for row in ROWS})
    heading = table.expect(".result-table th:nth-child(2)")
    (heading.to_contain_text if board.fouled else heading.not_to_contain_text)("Foul")


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
    table.expect("#confirm").to_be_enabled()
    table.page.click("#clear")
    assert table.hand() == hand
    table.expect("#confirm").to_be_disabled()


def test_an_illegal_drop_is_refused(open_page: Any, url: str) -> None:
    table = open_page()
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    for card in hand[:3]:
        table.drag(card, "top")
    start, end = table.centre(f"[data-card='{hand[3]}']"), table.centre("[data-drop=top]")
    table.page.mouse.move(*start)
    table.page.mouse.down()
    table.page.mouse.move(*end, steps=4)
    table.page.wait_for_selector(".row.drop-bad")
    table.shoot("illegal_drop")
    table.page.mouse.up()
    table.expect("#toast").to_have_text("The Top row is full")
    table.expect("#alert").to_have_text("The Top row is full")
    assert (len(table.row("top")), table.hand()) == (3, hand[3:])
    table.drag(hand[3], "middle")
    table.page.keyboard.press("1")
    table.page.keyboard.press("x")
    table.expect("#toast").to_contain_text("first turn")
    assert table.hand() == hand[4:]


def test_foul_and_royalties_are_shown_as_the_rows_fill(open_page: Any, url: str) -> None:
    table = open_page()
    seed = next(seed for seed in range(500) if _pair(own_cards(seed, 0)))
    table.sit(machine_room(url, seed=seed))
    pair = _pair(table.wait_for_turn())
    for card in pair:
        table.click(card, "top")
    table.page.wait_for_selector("#own .board-note.risk")
    table.expect("#own .board-note").to_contain_text("top is above middle")
    top = "#own .row[data-row=top]"
    assert table.page.inner_text(f"{top} .row-name").startswith("Pair of")
    table.expect(f"{top} .row-royalty").to_have_text(f"+{'6789TJQKA'.index(pair[0][0]) + 1}")
    table.shoot("foul_warning")


def _pair(cards: list[str]) -> list[str]:
    """The only pair of these cards, if its rank earns royalties on top and there is no joker."""
    pairs = [[a, b] for i, a in enumerate(cards) for b in cards[i + 1 :] if a[0] == b[0]]
    jokers = any(card[0] == "X" for card in cards)
    return pairs[0] if len(pairs) == 1 and not jokers and pairs[0][0][0] in "6789TJQKA" else []


def test_time_runs_out(open_page: Any) -> None:
    with run_server(agent="random", turn_seconds=6.0, hand_pause=600.0) as server:
        table = open_page(server.url)
        table.sit(machine_room(server.url, seed=11))
        hand = table.wait_for_turn()
        table.click(hand[4], "bottom")
        table.page.wait_for_selector("#own .clock.low")
        table.expect("#alert").to_contain_text("seconds left")
        table.shoot("timer_warning")
        table.expect("#toast").to_contain_text("Time is up")
        assert table.board()["top"] == sorted(hand[:3])
        assert set(hand[3:]) <= set(table.row("middle"))  # more follow, if nobody looks for long
        table.page.close()  # before the server goes, which the page would report


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
    lines: list[Any] = []
    deals: list[Any] = []

    def join(line: Any) -> None:
        def pass_on(message: str) -> None:
            line.send(message)
            deals.extend([line] if json.loads(message)["type"] == "deal" else [])

        line.connect_to_server().on_message(pass_on)
        lines.append(line)

    table.page.route_web_socket("**/ws/**", join)
    table.sit(machine_room(url, seed=11))
    hand = table.wait_for_turn()
    table.click(hand[0], "bottom")
    lines[0].close(code=1012)  # as a server does that restarts
    table.expect("#toast").to_have_text("Connected again")
    patience = time.monotonic() + PATIENCE
    while len(deals) < 2:
        assert time.monotonic() < patience, "no deal came over the new connection"
        table.page.wait_for_timeout(10)
    assert deals == lines
    table.expect("#banner").to_be_hidden()
    assert (table.row("bottom"), table.hand()) == ([hand[0]], hand[1:])
    table.page.click("#clear")
    table.lay_out(table.click)
    table.confirm()


def test_two_windows_on_one_seat(open_page: Any, url: str) -> None:
    table, other = open_page(), open_page()
    room = machine_room(url, seed=11)
    table.sit(room)
    hand = table.wait_for_turn()
    other.sit(room)
    assert other.wait_for_turn() == hand
    table.page.wait_for_selector("#banner button")
    table.expect("#banner").to_contain_text("another tab")
    table.page.click("#banner button")
    assert table.wait_for_turn() == hand
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
    table.expect("#result").to_contain_text(f"fantasyland with {width} cards")
    table.shoot("fantasyland_won")
    table.page.click("#proceed")
    hand = table.wait_for_turn()
    assert len(hand) == width
    table.expect("#own .badge").to_contain_text("Fantasyland")
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
    table.expect("#sort").to_have_text("Sort: suit")
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
    guest.expect("#invite").to_contain_text("Waiting for the other player")
    host.page.click("#start-session")
    host.expect("#other .name").to_have_text("Ben")
    guest.expect("#other .name").to_have_text("Ann")
    host.expect(".dealer:visible").to_have_count(1)
    first, second = (host, guest) if host.page.is_visible("#own .dealer") else (guest, host)
    first.wait_for_turn()
    first.lay_out(first.click)
    first.confirm()
    second.wait_for_turn()
    assert second.board("other") == first.board()
    assert len(first.hand()) == 0


def test_the_host_frees_the_other_seat(open_page: Any, url: str) -> None:
    host, stranger = open_page(), open_page()
    host.page.goto(url)
    host.page.click("#friend-form button")
    host.page.wait_for_selector("#invite-link")
    host.expect("#free-seat").to_be_hidden()
    stranger.page.goto(host.page.input_value("#invite-link"))
    stranger.page.fill("#visit-name", "Eve")
    stranger.page.click("#visit-join")
    host.expect("#invite-text").to_contain_text("Eve")
    stranger.page.wait_for_selector("#start-session:visible")
    stranger.expect("#free-seat").to_be_hidden()
    host.shoot("free_seat")
    host.page.click("#free-seat")
    stranger.page.wait_for_selector("#lobby:visible")
    host.page.wait_for_selector("#copy-link:visible")
    host.expect("#free-seat").to_be_hidden()


def test_the_host_frees_the_other_seat_after_a_session(open_page: Any, url: str) -> None:
    ann = RoomClient(url, mode="friend", seed=1, name="Ann", private=True)
    ben = RoomClient(url, room=ann.id, name="Ben")
    with ThreadPoolExecutor() as pool:
        session_of_ann = pool.submit(ann.play, first_fit, "session_end")
        ben.play(first_fit, "session_end")
        session_of_ann.result()
    host, guest = open_page(), open_page()
    host.sit(ann)
    guest.sit(ben)
    for player in (host, guest):
        player.wait_for_result()
    guest.expect("#free-other-seat").to_be_hidden()
    host.expect("#free-other-seat").to_have_text("Play somebody else")
    host.page.click("[data-language=ja]")
    host.expect("#free-other-seat").to_have_text("別の人と対戦する")
    host.shoot("free_seat_after_session")
    host.page.click("#free-other-seat")
    guest.page.wait_for_selector("#lobby:visible")
    host.page.wait_for_selector("#copy-link:visible")


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
        player.wait_for_result()  # only who is connected is waited for
    for player in (host, guest):
        player.page.click("#proceed")
    guest.wait_for_turn()
    host.expect("#other .badge").to_contain_text("Fantasyland")
    guest.page.keyboard.press("s")
    guest.page.wait_for_selector("#confirm:enabled")
    guest.confirm()
    host.wait_for_turn()
    host.expect("#other .card-back").to_have_count(13)
    assert host.board("other") == {row: [] for row in ROWS}
    watcher.expect(".card-back").to_have_count(13)
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
    table.page.click("#review")
    table.expect("#review").to_be_disabled()
    table.expect(".review .lost").to_contain_text("points lost in", timeout=10_000 * PATIENCE)
    assert 1 <= table.page.locator(".review .worst > li").count() <= 3  # first fits lose points
    table.shoot("review", full=True)
    table.page.click("[data-language=ja]")
    table.expect(".review h3").to_have_text("損の大きい順")
    table.shoot("review_japanese", full=True)
    table.page.click("[data-language=en]")
    table.page.click("#proceed")
    table.wait_for_turn()
    table.expect(".review").to_be_hidden()
    table.expect("#own .chips").to_have_text("200 chips")
    table.page.click("#leave")
    table.expect("#tables").to_contain_text("Back to my seat")
