"""The REST side of the position editor: a text becomes a position, and a position is judged."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from agents.positions.position import Position, information_of
from agents.positions.text import LONGEST_TEXT, Written, position_dict, read_text
from ofc_env import Placement, Rules
from server.play.lobby import Lobby
from server.web.bodies import Problem
from server.web.judging import Judging, placement_cards, refused

_PROBLEMS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (422, 429, 503)}


def _cards(where: str) -> Any:
    return Field("", max_length=200, description=f"{where}, such as Ah 10c X1")


class PositionBody(BaseModel):
    """What a seat knows when it is to act; cards as text."""

    model_config = ConfigDict(extra="forbid")

    top: str = _cards("the seat's own top")
    middle: str = _cards("its middle")
    bottom: str = _cards("its bottom")
    opponent_top: str = _cards("the opponent's top")
    opponent_middle: str = _cards("its middle")
    opponent_bottom: str = _cards("its bottom")
    hand: str = _cards("to be placed now; 14 to 17 cards are a fantasyland hand")
    discards: str = _cards("the seat's own")
    button: bool | None = Field(None, description="null: as the boards tell")
    chips: int | None = Field(None, ge=0, le=10**6, description="null: what the rules begin with")
    opponent_chips: int | None = Field(None, ge=0, le=10**6)
    opponent_fantasyland: int = Field(0, ge=0, le=17, description="cards of the opponent's fantasyland")
    rules: str | None = Field(None, max_length=1000, description="the server's by default")
    played: str | None = Field(
        None, max_length=200, description="a placement whose cost is asked, such as Ah>t Kd>b 2c>x"
    )


class PositionText(BaseModel):
    """A position as somebody wrote it."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=LONGEST_TEXT, description="cards by place, or a line of a game log")


class ReadPosition(BaseModel):
    """A position whose cards could be read."""

    position: dict[str, Any] = Field(description="cards by place, chips, button, rules")
    played: str | None = Field(description="what the text says was played")
    problem: str | None = Field(description="why play cannot reach it; null: POST /api/analyse judges it")


class Analysis(BaseModel):
    """A position judged."""

    position: dict[str, Any] = Field(description="as it was read, cards by place")
    turn: int
    button: bool | None
    decision: dict[str, Any] = Field(
        description="options, best first, each with value, error, behind, behind_error and chances; and what "
        "`played` cost with its 95 % interval, `played` being the best placement where none was asked about"
    )


def make_positions_router(lobby: Lobby, judging: Judging) -> APIRouter:
    """The routes under /api that are about positions."""
    router = APIRouter(prefix="/api", responses=_PROBLEMS)

    def position_of(body: PositionBody) -> Written:
        content = body.model_dump(exclude={"played", "rules"})
        rules = lobby.settings.rules if body.rules is None else Rules.parse(body.rules)
        played = None if body.played is None else Placement.parse(body.played)
        return Written(Position(**content, rules=rules), played)

    @router.post("/positions")
    async def read_position(body: PositionText) -> ReadPosition:
        """The cards of a text by place; a line of a log brings what was played too."""

        def read() -> ReadPosition:
            written = read_text(body.text, lobby.settings.rules)
            played = None if written.played is None else str(written.played)
            content = position_dict(written.position)
            try:
                information_of(written.position)
            except ValueError as sentence:
                return ReadPosition(position=content, played=played, problem=str(sentence))
            return ReadPosition(position=content, played=played, problem=None)

        return refused(read)

    @router.post("/analyse")
    async def analyse(body: PositionBody, request: Request) -> Analysis:
        """Every placement worth looking at: value, interval, chances of foul and fantasyland."""
        written = refused(lambda: position_of(body))
        information = refused(lambda: information_of(written.position))
        decision = await judging.ask(request, lambda: lobby.thinking.analyse(information, written.played))
        return Analysis(
            position=position_dict(written.position),
            turn=information.turn,
            button=information.button,
            decision=placement_cards(decision),
        )

    return router
