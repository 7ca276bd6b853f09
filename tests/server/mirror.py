"""The same session in the engine beside the one on the server: what was played, what each viewer may know."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ofc_env import Hand, HandResult, Placement, Rules, Session, card_names

Message = dict[str, Any]
ROWS = ("top", "middle", "bottom")
CARD = re.compile(r"(?<![A-Za-z0-9_-])(?:[2-9TJQKA][hdcs]|X[12])(?![A-Za-z0-9_-])")

# Every key a message may have. A new key is a decision, not an accident.
KEYS: dict[str, set[str]] = {
    "state": {
        *("phase", "room", "rules", "your_seat", "connected", "ready", "spectators", "session_id", "hand_id"),
        *("seconds", "limit", "next_hand_seconds", "session_result", "hand_number", "btn", "chips", "turn"),
        *("fantasyland", "boards", "set", "hand", "discards", "to_act", "sequence", "last_result"),
    },
    "presence": {"connected", "names", "spectators"},
    "waiting_for_opponent": set(),
    "ready_to_start": {"ready"},
    "hand_over": {"ready", "next_hand_seconds"},
    "session_ended_awaiting_restart": {"ready"},
    "session_start": {"session_id", "chips", "rules", "your_seat", "names"},
    "hand_start": {"hand_id", "hand_number", "btn", "your_seat", "chips", "fantasyland"},
    "deal": {
        *("turn", "cards", "board", "opponent_board", "is_btn", "chips_self", "chips_opponent"),
        *("fantasyland", "sequence"),
    },
    "timer_start": {"seat", "seconds", "limit"},
    "placed": {"seat", "sequence", "turn", "board", "hidden", "timeout", "hand", "discards", "substitute"},
    "opponent_placed": {"seat", "sequence", "turn", "opponent_board", "hidden", "timeout", "substitute"},
    "timeout": {"seat", "auto_placement"},
    "fantasyland_result": {"player", "board", "fl_stay"},
    "hand_end": {"result", "hand_id", "hand_number", "next_hand_seconds"},
    "session_end": {"winner", "final_chips", "hands_played", "reason"},
    "error": {"message", "code"},
}


def cards_in(text: str) -> set[str]:
    """Every card that a text names."""
    return set(CARD.findall(text))


@dataclass(frozen=True)
class Turn:
    """One placement of the mirrored session."""

    before: Hand
    placement: Placement
    result: HandResult | None

    @property
    def seat(self) -> int:
        """Who placed."""
        assert self.before.player is not None
        return self.before.player


class Mirror:
    """The engine's own session, moved on by the placements that the server acknowledged."""

    def __init__(self, seed: int, rules: Rules | None = None) -> None:
        self.session = Session(seed, rules, auto_fantasyland=False)
        self.start = self.session.hand
        self.turns: list[Turn] = []

    def place(self, placement: Placement) -> None:
        """What the server has accepted."""
        before, played = self.session.hand, self.session.hands_played
        self.session.place(placement)
        ended = self.session.hands_played > played
        self.turns.append(Turn(before, placement, self.session.history[-1] if ended else None))

    def hand_after(self, sequence: int) -> Hand | None:
        """The hand in play after so many placements; None if the session was over."""
        if sequence < len(self.turns):
            return self.turns[sequence].before
        return None if self.session.finished else self.session.hand

    def known(self, viewer: int | None, sequence: int, hand_is_shown: bool) -> set[str]:
        """The cards a viewer may have heard of in one hand, once `sequence` placements were told.

        Args:
            viewer: a seat, or None for a spectator.
            sequence: placements told so far.
            hand_is_shown: whether the hand after them has begun; otherwise it is the one that just ended.
        """
        cards: set[int] = set()
        hand = self.hand_after(sequence) if hand_is_shown else None
        if hand is not None and viewer is not None and hand.player == viewer:
            cards.update(hand.dealt)
        first = hand_is_shown
        for turn in reversed(self.turns[:sequence]):
            if turn.result is not None:
                if first:
                    break
                first = True
                for board in turn.result.boards:
                    cards.update(board.top + board.middle + board.bottom)
            if turn.seat == viewer:
                cards.update(turn.before.dealt)
            elif not turn.before.fantasyland[turn.seat]:
                cards.update(turn.placement.top + turn.placement.middle + turn.placement.bottom)
        return set(card_names(sorted(cards)))


def scan(frames: list[str], viewer: int | None, mirror: Mirror, sent: list[str]) -> int:
    """Check every byte a client was sent against what it may know; returns how many frames named cards.

    Args:
        frames: in the order they came.
        viewer: the seat, or None for a spectator.
        mirror: of the only session of the room.
        sent: what the client itself sent; an answer may quote it.
    """
    sequence, shown, named = 0, False, 0
    quoted = cards_in(" ".join(sent))
    for text in frames:
        message = json.loads(text)
        kind = message.pop("type")
        assert kind in KEYS, f"unknown message {kind}"
        assert set(message) <= KEYS[kind], f"{kind} has keys {set(message) - KEYS[kind]}"
        assert str(mirror.session.seed) not in text
        if kind == "hand_start":
            shown = True
        elif kind in ("placed", "opponent_placed"):
            sequence = message["sequence"]
            shown = shown and mirror.turns[sequence - 1].result is None
        elif kind == "timeout":  # told just before its `placed`
            assert message["seat"] == viewer
        elif kind == "state" and "sequence" in message:
            sequence, shown = message["sequence"], message["phase"] == "playing"
            if (last := message.pop("last_result")) is not None:
                assert last in [turn.result.to_dict() for turn in mirror.turns[:sequence] if turn.result]
        found = cards_in(json.dumps(message))
        named += bool(found)
        allowed = mirror.known(viewer, sequence, shown)
        if kind == "error":
            allowed |= quoted
        assert found <= allowed, f"viewer {viewer} was told {sorted(found - allowed)} by {text}"
    return named
