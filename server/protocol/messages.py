"""The wire form of the live protocol: reading what clients send, and writing cards, boards and placements.

Nothing a client sends is believed: `read` gives back a checked value or raises ValueError with a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ofc_env import Board, Placement, card_names
from ofc_env.layout import ROWS
from ofc_env.records.lines import action_of_placement
from server.protocol.identity import player_of

MOST_CARDS = 17
CARDS = frozenset(card_names(range(54)))
Message = dict[str, Any]
_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)


def _ready_encoder() -> Callable[[Message], str]:
    """What `_ENCODER.encode` does, with the native part made once: making it is half of a message's cost."""
    make_native = getattr(json.encoder, "c_make_encoder", None)
    if make_native is None:  # a Python without it
        return _ENCODER.encode
    native = make_native(
        None, _ENCODER.default, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True
    )
    return lambda message: "".join(native(message, 0))


_encode = _ready_encoder()


@dataclass(frozen=True)
class GameStart:
    """A seat agrees to begin: the first session, a rematch, or the next hand."""


@dataclass(frozen=True)
class Wait:
    """A seat wants to look at the result: the next hand is to come when it is asked for."""


@dataclass(frozen=True)
class FreeSeat:
    """The host takes the other seat back from whoever sits there."""


@dataclass(frozen=True)
class Identify:
    """A seat says which player it is."""

    player: str
    """Hash of the player's token."""


@dataclass(frozen=True)
class Place:
    """A whole turn of one seat."""

    placement: Placement
    sequence: int | None
    """Number of the placement that the client means, or None if it did not say."""
    sure: bool = False
    """Whether it is meant even if it fouls for certain; only practice tables ask."""


@dataclass(frozen=True)
class TakeBack:
    """At a practice table: back to before the seat's last placement, or to the deal."""

    whole_hand: bool


@dataclass(frozen=True)
class Ask:
    """At a practice table: a hint, or the chances of a placement."""

    hint: bool
    placement: Placement | None
    """Whose chances are asked for; None: of the best one."""
    sequence: int | None


Request = GameStart | Wait | FreeSeat | Identify | Place | TakeBack | Ask
"""Whatever a client may send."""


def encode(message: Message) -> str:
    """A message as compact JSON text."""
    return _encode(message)


def error(message: str, code: str) -> Message:
    """The answer to anything that cannot be done."""
    return {"type": "error", "message": message, "code": code}


def read(text: str) -> Request:
    """A client's message, checked as far as it can be without knowing the game."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError('this is not JSON: send an object such as {"type": "game_start"}') from None
    if not isinstance(body, dict):
        raise ValueError(f"a message is a JSON object, not {_shown(body)}")
    kind = body.get("type")
    if kind == "game_start":
        return GameStart()
    if kind == "wait":
        return Wait()
    if kind == "free_seat":
        return FreeSeat()
    if kind == "identify":
        return Identify(player_of(body.get("player_token")))
    if kind == "place":
        return _read_place(body)
    if kind in ("take_back", "replay"):
        return TakeBack(kind == "replay")
    if kind == "hint":
        return Ask(True, None, _read_sequence(body))
    if kind == "chances":
        placed = None if body.get("placements") is None else _read_place(body).placement
        return Ask(False, placed, _read_sequence(body))
    known = "game_start, wait, place, identify, free_seat, take_back, replay, hint or chances"
    raise ValueError(f"unknown message type {_shown(kind)}: send {known}")


def _shown(value: object) -> str:
    """A client's value for an error message: short, and never more than was sent."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _card(value: object) -> str:
    if not isinstance(value, str) or value not in CARDS:
        raise ValueError(f"{_shown(value)} is not a card: write rank and suit such as 'Ah', or a joker 'X1'")
    return value


def _read_place(body: Message) -> Place:
    pairs = body.get("placements")
    if not isinstance(pairs, list) or len(pairs) > MOST_CARDS:
        raise ValueError('`placements` must be a list such as [["Ah", "top"], ["Kd", "bottom"]]')
    rows: dict[str, list[str]] = {row: [] for row in ROWS}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f'{_shown(pair)} is not a placement: write ["Ah", "top"]')
        card, row = pair
        if not isinstance(row, str) or row not in rows:
            raise ValueError(f"{_shown(row)} is not a row: use top, middle or bottom")
        rows[row].append(_card(card))
    sequence, sure = _read_sequence(body), body.get("sure", False)
    if not isinstance(sure, bool):
        raise ValueError(f"`sure` must be true or false, not {_shown(sure)}")
    return Place(Placement(**rows, discards=_read_discards(body)), sequence, sure)


def _read_sequence(body: Message) -> int | None:
    sequence = body.get("sequence")
    if sequence is not None and (not isinstance(sequence, int) or isinstance(sequence, bool)):
        raise ValueError(f"`sequence` must be a whole number, not {_shown(sequence)}")
    return sequence


def _read_discards(body: Message) -> list[str]:
    single, several = body.get("discard"), body.get("discards")
    if single is not None and several is not None:
        raise ValueError("give `discard` for a turn or `discards` for a fantasyland hand, not both")
    if several is None:
        return [] if single is None else [_card(single)]
    if not isinstance(several, list) or len(several) > MOST_CARDS:
        raise ValueError(f"`discards` must be a list of cards, not {_shown(several)}")
    return [_card(card) for card in several]


def board_body(board: Board) -> dict[str, list[str]]:
    """A board as {"top": [names], "middle": [names], "bottom": [names]}."""
    return board.to_dict()


def placement_body(placement: Placement) -> Message:
    """A placement as {"placements": [[name, row]...], "discards": [names]}."""
    placements = action_of_placement(placement)["placements"]
    return {"placements": placements, "discards": card_names(placement.discards)}
