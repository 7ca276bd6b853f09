"""Bodies of the requests and answers about drills, as OpenAPI shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["opening", "fantasyland", "foul", "mistake"]
Card = Annotated[str, Field(max_length=3)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Question(BaseModel):
    """A drill as it is asked."""

    id: str = Field(description="by which it is answered; the same id is the same question")
    kind: Kind
    rules: str
    turn: int
    button: bool | None
    board: dict[str, list[str]]
    opponent_board: dict[str, list[str]]
    opponent_fantasyland: int
    hand: list[str] = Field(description="to be placed; of `foul`, the cards that were just dealt")
    discards: list[str]
    fantasyland: bool = Field(description="the hand is a fantasyland hand")
    placement: dict[str, Any] | None = Field(description="of `foul`: what is placed; the board is after it")
    bands: list[list[float]] | None = Field(description="of `foul`: the answers, chances from … to …")
    seconds: float | None = Field(description="that the answer may take; the page keeps the clock")


class NextQuestion(BaseModel):
    """What to answer next."""

    drill: Question | None = Field(description="null: no mistake is due")
    due: int = Field(description="mistakes that are due now")
    next_due: str | None = Field(description="when the first of the others is, UTC")


class DrillAnswer(_Body):
    """An answer: a placement, a band, or neither for who has given up or run out of time."""

    id: str = Field(max_length=64)
    placements: list[tuple[Card, Literal["top", "middle", "bottom"]]] | None = Field(None, max_length=13)
    discards: list[Card] = Field(default_factory=list, max_length=4)
    band: int | None = Field(None, ge=0, le=100)
    think_time_ms: int = Field(0, ge=0, le=86_400_000)


class JudgedAnswer(BaseModel):
    """What an answer was worth."""

    right: bool
    cost: float | None = Field(description="points lost; null for `foul` and where nothing was answered")
    decision: dict[str, Any] = Field(
        description="best placement, options, cost with its interval and grade; of `foul` those of the "
        "placement that made the board"
    )
    foul: dict[str, Any] | None = Field(
        description="of `foul`: chance, low, high, certain, bands (right ones), off"
    )
    played: dict[str, Any] | None = Field(description="of `mistake`: what was placed when it was made")
    mistake: ScheduledMistake | None = Field(description="when this position comes back; null: it does not")


class NewMistake(_Body):
    """A decision of a finished hand that is to come back."""

    hand: str = Field(max_length=64, description="link or id of a hand that one may see")
    decision: int = Field(
        ge=0, le=100, description="its number among the `steps` of GET /api/hands/{hand}, from 0"
    )


class ScheduledMistake(BaseModel):
    """A position that comes back."""

    id: str
    box: int = Field(description="how often it was answered well in a row")
    due_at: str = Field(description="UTC")


class DrillDay(BaseModel):
    """What was answered of a kind on a day."""

    day: str = Field(description="UTC")
    kind: Kind
    answered: int
    correct: int
    lost: float = Field(description="points; of `foul` the distances between answers and chances")
    think_time_ms: int


class Progress(BaseModel):
    """How a player has done."""

    days: list[DrillDay]
    mistakes: int
    due: int
    next_due: str | None


class DrillExport(BaseModel):
    """Everything that is kept of a player's drills."""

    days: list[DrillDay]
    mistakes: list[dict[str, Any]]


JudgedAnswer.model_rebuild()
