"""Bodies of the REST requests and answers, as OpenAPI shows them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.levels import LEVELS

Mode = Literal["ai", "friend", "practice", "watch"]
Clock = Literal["none", "relaxed", "standard", "fast"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewRoom(_Body):
    """A room to open; who opens it sits down in seat 0, unless machines play each other."""

    mode: Mode = Field(
        "ai",
        description="practice: against a machine, where moves are taken back and hints given; watch: "
        "machines at both seats",
    )
    level: str | None = Field(None, max_length=20, description=f"of the machine: {', '.join(LEVELS)}")
    opponent_level: str | None = Field(
        None,
        max_length=20,
        description="of the machine in seat 1 where two are watched; `level` by default",
    )
    clock: Clock | None = Field(
        None,
        description="standard by default; relaxed is three times as long, fast half; practice has none",
    )
    agent: str | None = Field(
        None, max_length=40, description="instead of the level's own: a name of GET /api/levels"
    )
    name: str | None = Field(None, max_length=200, description="the person's name, as others see it")
    rules: str | None = Field(
        None,
        max_length=1000,
        description="a name of GET /api/rules, or text such as standard scoop=6; the server's by default",
    )
    private: bool | None = Field(
        None,
        description="leave the room out of the list: only its link leads to it; by default so "
        "for every room but a friend's",
    )
    seed: int | None = Field(
        None, ge=0, lt=2**63, description="of the cards; only a server for tests accepts one"
    )


class NewPlayer(_Body):
    """A person who takes the free seat of a room."""

    name: str | None = Field(None, max_length=200)


class RoomSummary(BaseModel):
    """A room as everybody may see it."""

    id: str
    mode: Mode
    level: str | None = Field(description="of the machine in seat 1")
    levels: list[str | None] = Field(description="of the machines, by seat")
    agent: str | None
    clock: Clock
    rules: str = Field(description="their text form, such as house or standard scoop=6")
    private: bool
    phase: Literal["waiting", "ready", "playing", "hand_over", "session_over"]
    names: list[str | None]
    seats_free: int
    session_id: str | None
    hand_number: int
    chips: list[int]
    spectators: int
    created: float = Field(description="seconds since 1970, UTC")


class RoomList(BaseModel):
    """The rooms that are not private, newest first."""

    rooms: list[RoomSummary]


class Ticket(BaseModel):
    """A seat: keep the token, it is given only once and is the only proof of who you are.

    There is none where machines play each other: open the WebSocket without it, to watch.
    """

    room_id: str
    player_id: str | None
    token: str | None
    seat: int | None
    ws_path: str = Field(description="where to open the WebSocket; add player_id and token as its query")
    room: RoomSummary


class Level(BaseModel):
    """A strength that an AI room can have."""

    name: str
    agent: str | None = Field(description="who plays it; null: nobody can by the server's rules")


class Levels(BaseModel):
    """What an AI room can be asked for."""

    levels: list[Level]
    default: str
    agents: list[str]


class RulesList(BaseModel):
    """What a table can be played by without writing rules; each as the `rules` of a `state` message."""

    rules: list[dict[str, Any]]
    default: str


class _AtTable(_Body):
    room: str | None = Field(
        None, max_length=32, description="by the rules of this room; the server's by default"
    )


class Rows(_AtTable):
    """A board, full or not."""

    top: list[str] = Field(default_factory=list, max_length=3)
    middle: list[str] = Field(default_factory=list, max_length=5)
    bottom: list[str] = Field(default_factory=list, max_length=5)


class FantasylandCards(_AtTable):
    """A fantasyland hand to be set."""

    cards: list[str] = Field(min_length=14, max_length=17)


class GameLog(BaseModel):
    """The finished hands of a session; each turn as a line of the JSONL export."""

    session_id: str
    players: list[str]
    rules: str
    started_at: str
    ended_at: str | None
    winner: int | None
    reason: str | None
    hands: list[dict[str, Any]]


class ReviewProgress(BaseModel):
    """How far reviews are that were asked for."""

    hands: int = Field(description="finished ones")
    reviewed: int = Field(description="by the present judge")
    earlier: int = Field(description="reviewed by a judge before the present one: asked again, made anew")
    running: bool = Field(description="whether some of the others are being reviewed, or wait for it")
    problem: str | None = Field(description="why one of the others could not be reviewed")


class HandReviewBody(BaseModel):
    """A hand and what was said of it."""

    hand: str = Field(description="its link, or its id where it has none")
    hand_number: int
    review: dict[str, Any] | None = Field(
        description="HandReview.to_dict(), see docs/getting-better.md; null: not reviewed yet"
    )
    positions: list[dict[str, Any]] = Field(
        description="of its decisions: board, opponent_board, opponent_hidden, dealt_cards"
    )


class GameReviews(BaseModel):
    """The reviews of a session's hands, or of one hand, in the order of play."""

    seat: int = Field(description="from whose side")
    reviews: list[HandReviewBody]
    account: dict[str, Any] | None = Field(
        description="SessionReview.to_dict() of all these hands; null until all are reviewed"
    )
    progress: ReviewProgress


class PlayerRating(BaseModel):
    """How well somebody plays."""

    rated: int = Field(description="hands that this is made from, the newest 1000 at most")
    rating: dict[str, Any] = Field(
        description="Rating.to_dict(), and in `levels` what our levels lose a hand"
    )
    statistics: dict[str, Any] = Field(description="Statistics.to_dict()")
    profile: dict[str, Any] = Field(description="Profile.to_dict(), each hand of `lost` with its link")
    progress: ReviewProgress


class PlayerSummary(BaseModel):
    """How much of a player the log has."""

    since: str | None = Field(
        description="null: the log does not know the token, because nothing was played or drilled"
    )
    sessions: int
    hands: int = Field(description="finished ones")


class Shared(BaseModel):
    """Who lets everybody with the link see something; private if nobody does."""

    by_you: bool
    by_other: bool


class Sharing(BaseModel):
    """What a request to share has come to."""

    link: str
    shared: bool = Field(description="by you")


class HandSummary(BaseModel):
    """A finished hand in a list."""

    link: str | None
    hand_number: int
    points: list[int] = Field(description="that changed hands, by seat")
    busted: list[bool]
    fantasyland: list[int] = Field(description="widths, 0 for normal play")
    shared: Shared


class PlayedSession(BaseModel):
    """A session and its finished hands."""

    link: str | None
    names: list[str] = Field(description="a machine's is that of its agent")
    levels: list[str | None] = Field(description="that a machine plays, by seat")
    seats: list[int] = Field(description="yours; none for somebody it was shared with")
    rules: str
    practice: bool = Field(description="whether it was played at a practice table")
    started_at: str
    ended_at: str | None
    winner: int | None
    reason: str | None
    final_chips: list[int] | None
    shared: Shared
    hands: list[HandSummary]


class History(BaseModel):
    """A page of a player's sessions, the newest first."""

    sessions: list[PlayedSession]
    more: bool = Field(description="whether there are older ones: ask with `before`")


class HandStep(BaseModel):
    """A decision: the position before it, what was dealt and what was played."""

    seat: int
    turn: int
    fantasyland: bool = Field(description="it sets a whole fantasyland hand")
    opponent_hidden: bool = Field(description="the other board lay face down for the seat")
    boards: list[dict[str, list[str]]] = Field(description="before it, by seat")
    dealt_cards: list[str]
    placements: list[list[str]]
    discards: list[str]
    discards_before: list[str] = Field(description="the seat's own of earlier turns")
    boards_after: list[dict[str, list[str]]]
    evaluations: list[dict[str, Any]] = Field(description="of the boards after it, as POST /api/evaluate")
    think_time_ms: int = Field(description="-1: the clock placed, or somebody for the seat")


class PlayedHand(HandSummary):
    """A finished hand, decision by decision."""

    session: str | None = Field(description="link of its session; null if you may see this hand alone")
    previous: str | None
    next: str | None
    names: list[str] = Field(description="a machine's is that of its agent")
    levels: list[str | None] = Field(description="that a machine plays, by seat")
    seats: list[int] = Field(description="yours; none for somebody it was shared with")
    rules: dict[str, Any]
    btn: int
    chips: list[int] = Field(description="before the hand")
    started_at: str
    ended_at: str | None
    steps: list[HandStep]
    result: dict[str, Any]
    evaluations: list[dict[str, Any]] = Field(description="of both boards at the end")


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str
