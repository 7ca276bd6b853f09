"""What a seat at a live table knows, put together from the messages it was sent."""

from __future__ import annotations

import logging
from typing import Any

import ofc_env
from ofc_env import _core
from ofc_env.layout import ROWS
from ofc_env.records.lines import action_of_placement, placement_of_action

Message = dict[str, Any]
logger = logging.getLogger("live_player")


def table_rules(state: Message) -> ofc_env.Rules:
    """The rules of the table that a state message is of; those of the house if it does not tell them."""
    told = state.get("rules")
    text = told.get("text") if isinstance(told, dict) else None
    if not isinstance(text, str):
        return ofc_env.Rules()
    try:
        return ofc_env.Rules.parse(text)
    except ValueError as refusal:  # a later version's
        logger.warning("the table's rules cannot be read (%s): playing as in the house game", refusal)
        return ofc_env.Rules()


class SeatView:
    """The board, discards and cards of a seat; it needs only the messages that every server sends."""

    def __init__(self) -> None:
        self.seat: int | None = None
        self.rules = ofc_env.Rules()
        self.fantasyland = [0, 0]
        self.board: dict[str, list[str]] = {row: [] for row in ROWS}
        self.discards: list[str] = []
        self.deal: Message | None = None
        """The cards to place now."""
        self.sent: ofc_env.Placement | None = None
        """One's own placement that nothing has been heard of yet."""

    def hear(self, message: Message) -> None:
        """Take in a message of the server, of whatever type."""
        kind = message["type"]
        if kind == "state":
            self._restore(message)
        elif kind == "hand_start":
            self.seat = message["your_seat"]
            self.fantasyland = message.get("fantasyland", [0, 0])
            self.board, self.discards = {row: [] for row in ROWS}, []
            self.deal = self.sent = None
        elif kind == "deal":
            self._believe_sent()
            self.deal = message
            self.board = message.get("board", self.board)
        elif kind == "placed" and message["seat"] == self.seat:
            self.board, self.discards = message["board"], message["discards"]
            self.deal = self.sent = None
        elif kind == "timeout" and message.get("seat", self.seat) == self.seat:
            self.sent = placement_of_action(message["auto_placement"])
            self._believe_sent()
        elif kind == "opponent_placed":
            self._believe_sent()
        elif kind == "error":
            self.sent = None

    def information(self) -> ofc_env.InformationSet:
        """What the seat knows at the turn that was last dealt."""
        deal = self.deal
        if deal is None or self.seat is None:
            raise ValueError("no cards have been dealt to this seat: wait for a deal")
        cards: dict[str, Any] = {row: self.board[row] for row in ROWS}
        cards |= {f"opponent_{row}": deal["opponent_board"][row] for row in ROWS}
        return ofc_env.InformationSet(
            **cards,
            hand=deal["cards"],
            discards=self.discards,
            turn=deal["turn"],
            button=deal["is_btn"],
            opponent_fantasyland=self.fantasyland[1 - self.seat],
            chips=deal["chips_self"],
            opponent_chips=deal["chips_opponent"],
            rules=self.rules,
        )

    def anything(self) -> ofc_env.Placement:
        """A legal answer that needs no agent."""
        if self.deal is None:
            raise ValueError("no cards have been dealt to this seat: wait for a deal")
        return _core.first_free_slots(self.deal["cards"], ofc_env.Board(**self.board, rules=self.rules))

    def _restore(self, message: Message) -> None:
        self.rules = table_rules(message)
        self.seat = message["your_seat"]
        self.deal = self.sent = None
        if self.seat is not None and "boards" in message:
            self.fantasyland = message["fantasyland"]
            self.board, self.discards = message["boards"][self.seat], message["discards"]

    def _believe_sent(self) -> None:
        """The game has gone on, so the placement that was sent must have been accepted."""
        if self.sent is not None:
            sent = self.sent
            self.board = {row: self.board[row] + ofc_env.card_names(getattr(sent, row)) for row in ROWS}
            self.discards = self.discards + ofc_env.card_names(sent.discards)
            self.deal = self.sent = None


def place_message(placement: ofc_env.Placement, sequence: int | None = None) -> Message:
    """The message that plays a placement."""
    message: Message = {"type": "place", **action_of_placement(placement)}
    if sequence is not None:
        message["sequence"] = sequence
    return message
