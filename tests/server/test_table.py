"""The table without a network: what is shown to whom, and what a slow player is given."""

from __future__ import annotations

import json

import pytest

from ofc_env import Hand, Placement, Session, parse_cards, solve_fantasyland
from server.play.table import EMPTY_BOARD, Played, Table, automatic_placement, played_messages
from server.protocol.messages import _ready_encoder
from tests.server.mirror import Mirror, cards_in

DECK = "5h X1 2c Kd 9s " + "3c 3d 3h 3s 4c " + "Ah Ad 2h " + "Qc Qd Qh " + "7c 8c 9c " + "Tc Jc Kc"


def hand_of(deck: str, **options: object) -> Hand:
    """A hand dealt from the front of a deck that begins like this."""
    front = parse_cards(deck)
    return Hand(deck=front + [card for card in range(54) if card not in front], **options)  # type: ignore[arg-type]


def test_cards_are_shown_in_the_order_dealt():
    hand = hand_of(DECK)
    assert hand.dealt_in_order == parse_cards("5h X1 2c Kd 9s")


def test_a_slow_player_gets_the_first_free_slots_in_the_order_dealt():
    hand = hand_of(DECK)
    assert automatic_placement(hand) == Placement(top="5h X1 2c", middle="Kd 9s")
    hand.place(automatic_placement(hand))
    assert automatic_placement(hand) == Placement(top="3c 3d 3h", middle="3s 4c")
    hand.place(Placement(top="3c", middle="3d 3h", bottom="3s 4c"))
    assert automatic_placement(hand) == Placement(middle="Ah Ad", discards="2h")
    hand.place(Placement(bottom="Ah 2h", discards="Ad"))
    assert automatic_placement(hand) == Placement(top="Qc Qd", discards="Qh")
    hand.place(automatic_placement(hand))
    assert automatic_placement(hand) == Placement(middle="7c 8c", discards="9c")


@pytest.mark.parametrize("width", [14, 15, 16, 17])
def test_a_slow_fantasyland_player_gets_thirteen_cards_and_discards_the_rest(width: int):
    hand = Hand(seed=width, button=0, fantasyland=(0, width))
    cards = hand.dealt_in_order
    placement = automatic_placement(hand)
    assert placement == Placement(top=cards[:3], middle=cards[3:8], bottom=cards[8:13], discards=cards[13:])
    hand.place(placement)


@pytest.mark.parametrize("seed", range(20))
def test_automatic_placements_always_play_a_whole_hand(seed: int):
    hand = Hand(seed=seed, button=seed % 2)
    while not hand.finished:
        hand.place(automatic_placement(hand))
    assert [hand.board(seat).complete for seat in (0, 1)] == [True, True]


def fantasyland_session() -> Session:
    """A session whose hand has one seat in fantasyland, about to set it."""
    for seed in range(1000):
        session = Session(seed, auto_fantasyland=False)
        while not session.finished and session.hands_played < 4:
            hand = session.hand
            if hand.in_fantasyland and 0 in hand.fantasyland:
                return session
            if hand.in_fantasyland:
                session.place(solve_fantasyland(hand.dealt).placement)
            else:
                session.place(hand.placements()[seed % len(hand.placements())])
    raise AssertionError("no session reached fantasyland")


def test_a_fantasyland_board_lies_face_down_for_everybody_but_its_owner():
    table = Table(fantasyland_session())
    seat = table.player
    assert seat is not None
    played = table.try_placement(solve_fantasyland(table.hand.dealt).placement)
    for viewer in (1 - seat, None):
        (message,) = played_messages(played, viewer, timed_out=False)
        assert message["hidden"] is True
        assert not cards_in(str(message))
    (message,) = played_messages(played, seat, timed_out=False)
    assert message["hidden"] is False
    assert len(message["board"]["bottom"]) == 5
    table.accept(played)
    assert table.has_set(seat)
    for viewer in (1 - seat, None):
        view = table.view(viewer, between_hands=False)
        assert view["boards"][seat] == EMPTY_BOARD
        assert view["set"][seat] is True
        assert view["discards"] == []
    view = table.view(seat, between_hands=False)
    assert view["boards"][seat] == message["board"]
    assert view["discards"] == message["discards"]


@pytest.mark.parametrize("make_native", [getattr(json.encoder, "c_make_encoder", None), None])
def test_messages_are_written_as_json_writes_them(make_native: object, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json.encoder, "c_make_encoder", make_native)
    encode = _ready_encoder()
    table = Table(fantasyland_session())
    played = table.try_placement(automatic_placement(table.hand))
    messages = [table.deal(), table.view(0, False), *played_messages(played, 1, True, "ann")]
    messages.append({"a": '"é\n\ud83d', "b": [0.1, None, True]})
    for message in messages:
        assert encode(message) == json.dumps(message, separators=(",", ":"))
    with pytest.raises(TypeError):
        encode({"a": object()})


def test_an_illegal_placement_leaves_the_table_as_it_was():
    table = Table(Session(5, auto_fantasyland=False))
    before = table.session.clone()
    with pytest.raises(ValueError):
        table.try_placement(Placement(top="Ah"))
    assert table.session == before


def play_to_end(table: Table) -> list[Played]:
    """Play the first placement each time."""
    turns = []
    while table.player is not None:
        hand = table.hand
        in_order = hand.in_fantasyland
        placement = solve_fantasyland(hand.dealt).placement if in_order else hand.placements()[-1]
        turns.append(table.try_placement(placement))
        table.accept(turns[-1])
    return turns


def test_views_never_show_more_than_a_viewer_knows():
    mirror = Mirror(7)
    table = Table(Session(7, auto_fantasyland=False))
    for played in play_to_end(Table(Session(7, auto_fantasyland=False))):
        for viewer in (0, 1, None):
            view = table.view(viewer, between_hands=False)
            view.pop("last_result")
            assert cards_in(str(view).replace("'", '"')) <= mirror.known(viewer, table.sequence, True)
        assert cards_in(str(table.deal())) <= mirror.known(played.seat, table.sequence, True)
        mirror.place(played.placement)
        table.accept(played)
    assert table.session == mirror.session
