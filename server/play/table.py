"""One session at the table: whose turn it is, what each chair may know, what a slow player is given.

Knows the engine, and nothing of connections, clocks or files. A viewer is a seat, or None for a spectator.
"""

from __future__ import annotations

from dataclasses import dataclass

from ofc_env import Board, Hand, HandResult, Placement, Session, _core, card_names
from ofc_env.layout import ROWS
from server.protocol.messages import Message, board_body

EMPTY_BOARD: dict[str, list[str]] = {row: [] for row in ROWS}


def automatic_placement(hand: Hand) -> Placement:
    """What the server plays for a seat whose time is up: the cards as dealt in the first free slots."""
    if hand.player is None:
        raise ValueError("no placement can be made: the hand is over")
    return _core.first_free_slots(hand.dealt_in_order, hand.board(hand.player))


@dataclass(frozen=True)
class Played:
    """A placement that the engine has accepted, with the table as it was before and as it is after."""

    seat: int
    placement: Placement
    before: Hand
    after: Session
    sequence: int
    """Number of this placement in the session, from 1."""
    result: HandResult | None
    """The result of the hand that this placement ended, if it did."""
    board: Board
    """The seat's board after it."""
    discards: list[int]
    """All the seat's discards of the hand after it."""


class Table:
    """A session in play.

    Args:
        session: where it stands; it is never moved on itself.
        sequence: placements played so far.
        retries: how often a deal of it was begun again, at a practice table.
    """

    def __init__(self, session: Session, sequence: int = 0, retries: int = 0) -> None:
        self.session = session
        self.retries = retries
        self.begun = session
        """The session at the start of the hand in play, or of the one that has just ended."""
        self.line: list[tuple[Played, int]] = []
        """The placements of that hand in order, each with its think time in ms."""
        self.hand = session.hand
        """The hand being played, a copy: it is never moved on by itself."""
        self.sequence = sequence
        """Placements played so far in the session."""

    @property
    def has_ended_hand(self) -> bool:
        """Whether `line` is that of a hand that is over."""
        return self.session.hands_played > self.begun.hands_played

    @property
    def hand_number(self) -> int:
        """The number in the log of the hand in play or dealt next: every try at a deal has its own."""
        return self.session.hands_played + 1 + self.retries

    def placements_before(self, seat: int, whole_hand: bool) -> int | None:
        """How many placements of the hand stay if a seat takes its last one back; None if it has made none.

        Args:
            whole_hand: whether everything is taken back instead.
        """
        own = [number for number, (played, _) in enumerate(self.line) if played.seat == seat]
        return None if not own else 0 if whole_hand else own[-1]

    def again(self, kept: int) -> Table:
        """The same deal as it was after so many placements: another try at the hand."""
        table = Table(self.begun, self.sequence - len(self.line), self.retries + 1)
        for played, think_time_ms in self.line[:kept]:
            table.accept(table.try_placement(played.placement), think_time_ms)
        return table

    @property
    def player(self) -> int | None:
        """The seat to act; None once the session is over."""
        return None if self.session.finished else self.hand.player

    def try_placement(self, placement: Placement) -> Played:
        """The table after a placement by the seat to act, without moving there; ValueError if illegal."""
        seat = self.player
        if seat is None:
            raise ValueError("the session is over: start another")
        after = self.session.clone()
        after.place(placement)
        ended = after.hands_played > self.session.hands_played
        result = after.history[-1] if ended else None
        board = result.boards[seat] if result is not None else after.hand.board(seat)
        discards = sorted(self.hand.discards(seat) + placement.discards)
        return Played(seat, placement, self.hand, after, self.sequence + 1, result, board, discards)

    def accept(self, played: Played, think_time_ms: int = 0) -> None:
        """Move on to where `try_placement` looked."""
        if not self.line or self.has_ended_hand:
            self.begun, self.line = self.session, []
        self.line.append((played, think_time_ms))
        self.session = played.after
        self.hand = self.session.hand
        self.sequence = played.sequence

    def is_hidden(self, seat: int, viewer: int | None) -> bool:
        """Whether a viewer may not see a seat's board: it is set in fantasyland and the hand is not over."""
        return seat != viewer and bool(self.hand.fantasyland[seat])

    def board(self, seat: int, viewer: int | None) -> dict[str, list[str]]:
        """A seat's board as a viewer may see it."""
        return EMPTY_BOARD if self.is_hidden(seat, viewer) else board_body(self.hand.board(seat))

    def has_set(self, seat: int) -> bool:
        """Whether a seat in fantasyland has set its hand."""
        return bool(self.hand.fantasyland[seat]) and self.hand.board(seat).complete

    def hand_start(self, viewer: int | None, hand_id: int | str) -> Message:
        """The message that opens a hand."""
        return {
            "type": "hand_start",
            "hand_id": hand_id,
            "hand_number": self.hand_number,
            "btn": self.session.button,
            "your_seat": viewer,
            "chips": self.session.chips,
            "fantasyland": self.session.fantasyland,
        }

    def deal(self) -> Message:
        """The cards of the seat to act: for that seat alone."""
        seat = self.player
        if seat is None:
            raise ValueError("no cards to deal: the session is over")
        chips = self.session.chips
        return {
            "type": "deal",
            "turn": self.hand.turn,
            "cards": card_names(self.hand.dealt_in_order),
            "board": self.board(seat, seat),
            "opponent_board": self.board(1 - seat, seat),
            "is_btn": self.hand.button == seat,
            "chips_self": chips[seat],
            "chips_opponent": chips[1 - seat],
            "fantasyland": self.hand.fantasyland[seat],
            "sequence": self.sequence + 1,
        }

    def view(self, viewer: int | None, between_hands: bool) -> Message:
        """The game part of a `state` message.

        Between hands the next hand is dealt but shown to nobody: number, button and fantasyland widths are
        those of the hand that has ended.
        """
        session, hand = self.session, self.hand
        shown = not between_hands and not session.finished
        to_act = self.player if shown else None
        mine = shown and viewer is not None
        ended = session.history[-1] if session.history else None
        return {
            "hand_number": self.hand_number if shown else self.hand_number - 1,
            "btn": session.button if shown or session.finished else 1 - session.button,
            "chips": session.chips,
            "fantasyland": hand.fantasyland if shown else ended.fantasyland if ended is not None else [0, 0],
            "turn": hand.turn if shown else None,
            "boards": [self.board(seat, viewer) if shown else EMPTY_BOARD for seat in (0, 1)],
            "set": [shown and self.has_set(seat) for seat in (0, 1)],
            "hand": card_names(hand.dealt_in_order) if mine and to_act == viewer else [],
            "discards": card_names(hand.discards(viewer)) if mine and viewer is not None else [],
            "to_act": to_act,
            "sequence": self.sequence,
            "last_result": ended.to_dict() if ended is not None else None,
        }

    def session_end(self) -> Message:
        """The message that closes a session."""
        session = self.session
        return {
            "type": "session_end",
            "winner": session.winner,
            "final_chips": session.chips,
            "hands_played": session.hands_played,
            "reason": session.reason,
        }


def played_messages(
    played: Played, viewer: int | None, timed_out: bool, substitute: str | None = None
) -> list[Message]:
    """What a viewer is told of a placement: the acknowledgement, the opponent's news or a spectator's.

    Args:
        played: the placement.
        viewer: a seat, or None for a spectator.
        timed_out: whether the seat's time was up.
        substitute: who chose it, if not the seat itself.
    """
    hidden = bool(played.before.fantasyland[played.seat]) and viewer != played.seat
    board = EMPTY_BOARD if hidden else board_body(played.board)
    shared: Message = {
        "seat": played.seat,
        "sequence": played.sequence,
        "turn": played.before.turn,
        "hidden": hidden,
        "timeout": timed_out,
        "substitute": substitute,
    }
    if viewer == 1 - played.seat:
        return [{"type": "opponent_placed", "opponent_board": board, **shared}]
    discards = card_names(played.discards) if viewer == played.seat else []
    return [{"type": "placed", "board": board, "hand": [], "discards": discards, **shared}]


def hand_end_messages(
    played: Played, hand_id: int | str, hand_number: int, next_hand_seconds: float | None
) -> list[Message]:
    """What everybody is told when a hand is over: all boards are public now, no discard ever is."""
    result = played.result
    if result is None:
        raise ValueError("the hand is not over: nothing may be shown yet")
    messages: list[Message] = [
        {
            "type": "fantasyland_result",
            "player": seat,
            "board": board_body(result.boards[seat]),
            "fl_stay": result.fl_stay[seat],
        }
        for seat in (0, 1)
        if played.before.fantasyland[seat]
    ]
    messages.append(
        {
            "type": "hand_end",
            "result": result.to_dict(),
            "hand_id": hand_id,
            "hand_number": hand_number,
            "next_hand_seconds": next_hand_seconds,
        }
    )
    return messages
