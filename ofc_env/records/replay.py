"""Logged hands played again through the engine: the position before each decision, and what was decided."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ofc_env._core import Hand, Placement, parse_cards
from ofc_env.records.lines import iter_table, rules_of_text

FANTASYLAND_TURN = -1
"""Stands for the turn of a fantasyland setting, which is none."""
_OF_SESSION = """JOIN sessions s ON s.id = h.session
    WHERE s.session_id = :session AND h.hand_id = coalesce(:hand, h.hand_id)"""
_HANDS = f"""SELECT h.hand_number, h.button, h.chips_0, h.chips_1, h.fantasyland_0, h.fantasyland_1, h.deck,
    s.rules FROM hands h {_OF_SESSION}"""
_TURNS = f"""SELECT h.hand_number, t.turn, t.seat, t.placements, t.discard, t.think_time_ms
    FROM turns t JOIN hands h ON h.id = t.hand {_OF_SESSION}"""
_BOARDS = f"""SELECT h.hand_number, f.seat, f.board, f.discards, f.think_time_ms
    FROM fantasyland f JOIN hands h ON h.id = f.hand {_OF_SESSION}"""


@dataclass(frozen=True)
class Decision:
    """What a seat placed."""

    placement: Placement
    think_time_ms: int
    """-1: it did not choose itself, its time was up."""


@dataclass(frozen=True)
class Step:
    """A decision with the hand as it was before and after it."""

    seat: int
    before: Hand
    decision: Decision
    after: Hand


def decisions_of(
    path: str | Path, session_id: str, hand_id: str | None = None
) -> dict[tuple[int, int, int], Decision]:
    """What was placed in a session, by hand number, turn (or `FANTASYLAND_TURN`) and seat; or in one hand."""
    which = {"session": session_id, "hand": hand_id}
    found: dict[tuple[int, int, int], Decision] = {}
    for row in iter_table(path, _TURNS, which):
        discard = f" {row['discard']}>x" if row["discard"] else ""
        placement = Placement.parse(row["placements"] + discard)
        found[row["hand_number"], row["turn"], row["seat"]] = Decision(placement, row["think_time_ms"])
    for row in iter_table(path, _BOARDS, which):
        top, middle, bottom = row["board"].split("/")
        placement = Placement(top, middle, bottom, row["discards"])
        found[row["hand_number"], FANTASYLAND_TURN, row["seat"]] = Decision(placement, row["think_time_ms"])
    return found


def key_of_turn(hand: Hand, hand_number: int) -> tuple[int, int, int]:
    """Under which key `decisions_of` has what the seat to act placed."""
    if hand.player is None:
        raise ValueError("the hand is finished and nobody is to act: ask before its last placement")
    return hand_number, FANTASYLAND_TURN if hand.in_fantasyland else hand.turn, hand.player


def steps_of_hand(path: str | Path, session_id: str, hand_id: str) -> list[Step]:
    """The decisions of a logged hand in the order of play; ValueError if they do not make a whole hand."""
    rows = list(iter_table(path, _HANDS, {"session": session_id, "hand": hand_id}))
    if not rows:
        raise ValueError(f"there is no hand {hand_id!r} of session {session_id!r} in {path}: give its ids")
    hand, number, decisions = _dealt(rows[0]), rows[0]["hand_number"], decisions_of(path, session_id, hand_id)
    steps: list[Step] = []
    while not hand.finished:
        decision = decisions.get(key_of_turn(hand, number))
        if decision is None or hand.player is None:
            raise ValueError(
                f"hand {hand_id!r} is not in the log to its end: only finished hands are replayed"
            )
        after = hand.clone()
        after.place(decision.placement)
        steps.append(Step(hand.player, hand, decision, after))
        hand = after
    return steps


def _dealt(row: dict[str, Any]) -> Hand:
    return Hand(
        deck=parse_cards(row["deck"]),
        button=row["button"],
        chips=(row["chips_0"], row["chips_1"]),
        fantasyland=(row["fantasyland_0"], row["fantasyland_1"]),
        rules=rules_of_text(row["rules"]),
    )
