"""What a practice table offers beside play: moves taken back, the deal played again, hints and chances.

Only a table at which one person plays a machine is one. Whatever is told comes from what the seat knows.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from ofc_env import InformationSet, Placement
from server.play.game import Game, Refusal
from server.play.journal import GameState
from server.play.seats import Seat
from server.protocol.connections import Connection
from server.protocol.messages import Ask, Message, Place, error, placement_body
from server.thinking.client import TROUBLE, Failure

logger = logging.getLogger("server")
ANSWER_SECONDS = 60.0
"""Longest wait for a hint: the first may have to wait for the judge to load."""


class Practice:
    """The extras of one practice table."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._is_asking = False

    async def take_back(self, seat: Seat, whole_hand: bool) -> Message:
        """Go back to before the seat's last placement, or to the deal; what everybody is told of it.

        The try that is given up stays in the log, and the deal begins again as a hand of its own.
        """
        game, current = self.game, self.game.current
        placed = None
        if current is not None and not (game.phase == "playing" and current.table.has_ended_hand):
            placed = current.table.placements_before(seat.number, whole_hand)
        if current is None or placed is None:
            raise Refusal("you have placed nothing in this hand: there is nothing to take back", "not_now")
        table = current.table.again(placed)
        again = GameState(current.session_id, f"{current.session_id}-{table.hand_number}", table)
        await game.journal.start_again(game.room_id, game.snapshot(again, game.seed), again)
        game.play_again(again)
        return {
            "type": "taken_back",
            "seat": seat.number,
            "whole_hand": whole_hand,
            "hand_id": again.hand_id,
            "hand_number": table.hand_number,
        }

    def ask(self, seat: Seat, connection: Connection, question: Ask) -> None:
        """Have a hint or chances worked out; the connection is told when they are there."""
        current = self._to_act(seat)
        table = current.table
        if question.sequence not in (None, table.sequence + 1):
            raise Refusal(f"placement {question.sequence} is not the one waited for", "stale")
        if question.placement is not None:
            try:
                table.try_placement(question.placement)
            except ValueError as refusal:
                raise Refusal(str(refusal), "illegal") from None
        if self._is_asking:
            raise Refusal("the last answer is still being worked out: wait for it", "busy")
        self._is_asking = True
        known = table.hand.information(seat.number)
        self.game.clock.run(self._answer(seat, connection, current, known, question))

    def fouls_for_certain(self, seat: Seat, message: Place) -> bool:
        """Whether a legal placement fouls whatever comes, and another one would not."""
        current = self.game.current
        if current is None or self.game.phase != "playing" or current.table.player != seat.number:
            return False
        try:
            current.table.try_placement(message.placement)
        except ValueError:
            return False
        return current.table.hand.information(seat.number).makes_foul_certain(message.placement)

    def _to_act(self, seat: Seat) -> GameState:
        current = self.game.current
        if current is None or self.game.phase != "playing" or current.table.player != seat.number:
            raise Refusal("it is not your turn: hints and chances are for cards in your hand", "not_now")
        return current

    async def _answer(
        self, seat: Seat, connection: Connection, current: GameState, known: InformationSet, question: Ask
    ) -> None:
        sequence = current.table.sequence
        try:
            if question.hint:
                asked = self.game.thinking.hint(known)
            else:
                asked = self.game.thinking.chances(known, question.placement)
            answer = await asyncio.wait_for(asked, ANSWER_SECONDS)
        except Failure as failure:
            answer = error(str(failure), "unavailable")
        except TROUBLE as trouble:
            logger.warning("a hint could not be given: %s", trouble)
            answer = error("the machine did not answer: try again in a moment", "internal")
        finally:
            self._is_asking = False
        still = self.game.current is current and current.table.sequence == sequence
        if still and seat.connection is connection:
            if answer.get("type") != "error":
                answer = _told(answer, sequence + 1, known, question)
            connection.send(answer)


def _told(answer: dict[str, Any], sequence: int, known: InformationSet, question: Ask) -> Message:
    """An answer of the thinking process as a message."""
    about: Message = {"sequence": sequence, "turn": known.turn}
    if not question.hint:
        placed = None if question.placement is None else placement_body(question.placement)
        return {"type": "chances", **about, "placement": placed, "chances": answer["chances"]}
    options = [
        {**option, "placement": placement_body(Placement.parse(option["placement"]))}
        for option in answer["options"]
    ]
    return {"type": "hint", **about, "options": options}
