"""Positions as people write them: spellings, places by name, lines of logs, and texts that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.positions.position import Position, information_of, read_cards, spelled
from agents.positions.text import LONGEST_TEXT, position_dict, read_text
from agents.turns import seat_to_act
from ofc_env import Hand, Rules, card_names, parse_cards
from ofc_env.layout import ROWS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("10c", "Tc"),
        ("10c 10H td", "Tc Th Td"),
        ("ahKD,x1", "Ah Kd X1"),
        ("A♥ 10♣ Q♤", "Ah Tc Qs"),
        ("AhKdX1X2", "Ah Kd X1 X2"),
    ],
)
def test_spellings(text: str, names: str) -> None:
    assert parse_cards(spelled(text)) == parse_cards(names)


@pytest.mark.parametrize("text", ["1c", "10", "Ahh", "X3", "Ah10", "é", "0", "10x", "A h"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unknown card"):
        read_cards(Position(hand=text))


def test_a_long_word_is_not_repeated() -> None:
    with pytest.raises(ValueError) as refusal:
        read_cards(Position(hand="[" * 5000))
    assert len(str(refusal.value)) < 200


def test_places_by_name() -> None:
    places = "top: Qs; middle: 2d 3d\nBOTTOM: Kh Kd hand = 10h X1 5c"
    written = read_text(f"{places} opponent-middle: 4c 4d opponent bottom: Ah Ac As")
    content = position_dict(written.position)
    assert content["hand"] == ["Th", "X1", "5c"]
    assert content["opponent_middle"] == ["4c", "4d"]
    assert content["rules"] == "house"
    assert written.played is None
    assert information_of(written.position).turn == 1
    assert read_text("Ah Kd Qs Qh 10c").position.hand == "Ah Kd Qs Qh 10c"


@pytest.mark.parametrize("rules", ["house", "standard", "standard scoop=6"])
def test_the_text_of_every_information_set_is_read(rules: str) -> None:
    hand = Hand(seed=5, rules=Rules.parse(rules), chips=(180, 220))
    while not hand.finished:
        known = hand.information(seat_to_act(hand))
        assert information_of(read_text(str(known)).position) == known
        hand.place(hand.placements()[0])


def test_rules_are_those_of_the_text_or_those_given() -> None:
    standard = Rules.parse("standard")
    assert read_text("Ah Kd Qs Qh Tc", standard).position.rules == standard
    assert read_text("hand: Ah Kd Qs Qh Tc rules: house", standard).position.rules == Rules()


def line_of(hand: Hand) -> dict[str, Any]:
    """The turn to come as a line of a log, the first placement played."""
    known, placement = hand.information(seat_to_act(hand)), hand.placements()[0]
    return {
        "board_self": {row: card_names(getattr(known, row)) for row in ROWS},
        "board_opponent": {row: card_names(getattr(known, f"opponent_{row}")) for row in ROWS},
        "btn": hand.button,
        "is_btn": known.button,
        "chips": [200, 200],
        "dealt_cards": card_names(known.hand),
        "known_discards_self": card_names(known.discards),
        "action": {
            "placements": [[name, row] for row in ROWS for name in card_names(getattr(placement, row))],
            "discard": next(iter(card_names(placement.discards)), None),
        },
    }


def test_lines_of_a_log_say_what_was_played() -> None:
    hand = Hand(seed=5)
    while not hand.finished:
        written = read_text(f"  {json.dumps(line_of(hand))}\n")
        assert information_of(written.position) == hand.information(seat_to_act(hand))
        assert written.played == hand.placements()[0]
        hand.place(written.played)


def test_a_fantasyland_hand_is_a_position() -> None:
    hand = Hand(seed=3, fantasyland=(15, 0), button=1)
    known = hand.information(0)
    assert information_of(read_text(str(known)).position) == known
    for words, extra in (("rows and discards out", "top: X1"), ("leave its board out", "opponent top: X1")):
        with pytest.raises(ValueError, match=words):
            information_of(read_text(f"{known} {extra}".replace("turn=0 ", "")).position)
    with pytest.raises(ValueError, match="an opening has 5, a fantasyland hand 14 to 17"):
        information_of(Position(hand=known.hand[:13]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "paste one whole line"),
        ("{" * 3000, "paste one whole line"),
        ('{"a":' + "[" * 7000, "paste one whole line"),
        ("{}", "it has no 'board_self'"),
        ('{"board_self": 3, "board_opponent": []}', "not a turn of a game log"),
        ("hand: Ah hand: Kd", "hand is written twice"),
        ("chips: -3 hand: Ah", "'-3' is not a number"),
        ("chips: ١٢ hand: Ah", "is not a number"),
        ("button: maybe", "neither yes nor no"),
        ("rules: poker", "unknown rules"),
        ("hand: Ah Kd Qs Qh 5c turn: 3", "not of turn 3"),
        ("bottom: Ah opening_step: 1 hand: Kd Qs Qh 5c", "half an opening"),
        ("hand: Ah Kd Qs Qh 5c played: Ah>q", "cannot read"),
        ("A" * (LONGEST_TEXT + 1), "a position needs fewer"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        read_text(text)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300
