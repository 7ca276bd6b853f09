"""The REST side of drills: a question, what an answer is worth, mistakes that come back, and the progress."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.concurrency import run_in_threadpool

from agents.drills import BANDS, Drill, make_drill, mistake
from ofc_env import InformationSet, Placement, card_names
from ofc_env.layout import ROWS
from ofc_env.records import drills as kept
from ofc_env.records.database import Records
from ofc_env.records.lines import placement_of_action, timestamp_text
from ofc_env.records.players import Reader
from ofc_env.records.replay import steps_of_hand
from server.play.lobby import Lobby
from server.play.repetition import after_answer, first_due
from server.protocol.messages import placement_body
from server.web.bodies import Problem
from server.web.drill_bodies import (
    DrillAnswer,
    DrillDay,
    DrillExport,
    JudgedAnswer,
    Kind,
    NewMistake,
    NextQuestion,
    Progress,
    Question,
    ScheduledMistake,
)
from server.web.judging import Judging, placement_cards, refused
from server.web.own_hands import NO_GAME, readable
from server.web.readers import AnyReader, Player

SEED_BITS = 48
MISTAKE = "mistake"
NO_MISTAKE = "there is no such mistake of yours: ask for the next one"
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (401, 403, 404, 422, 429, 503)
}


def make_drills_router(lobby: Lobby, judging: Judging) -> APIRouter:
    """The routes under /api/drills."""
    router = APIRouter(prefix="/api/drills", responses=_PROBLEMS)
    path, journal = lobby.journal.path, lobby.journal

    async def asked(name: str, player: str | None) -> tuple[Drill, kept.Mistake | None]:
        """The question of an id; a mistake is found for its player alone."""
        kind, _, number = name.partition("-")
        if not (number.isascii() and number.isdecimal() and len(number) <= 18):
            raise HTTPException(404, "there is no such drill: ask for the next one")
        if kind != MISTAKE:
            return refused(lambda: make_drill(kind, int(number), lobby.settings.rules)), None
        if player is None:
            raise HTTPException(404, NO_MISTAKE)
        found = await run_in_threadpool(kept.find_mistake, path, player, int(number))
        if found is None:
            raise HTTPException(404, NO_MISTAKE)
        return mistake(InformationSet.parse(found.information)), found

    @router.get("")
    async def show_progress(player: Player) -> Progress:
        """What the player has answered by day, and how many mistakes wait."""
        waiting = await run_in_threadpool(_waiting, player)
        return Progress(days=await run_in_threadpool(_days, player), **waiting)

    @router.get("/next")
    async def next_drill(
        kind: Kind,
        reader: AnyReader,
        seed: Annotated[int | None, Query(ge=0, lt=2**SEED_BITS, description="this question again")] = None,
    ) -> NextQuestion:
        """A question of a kind; of mistakes the one that has been due for longest."""
        waiting: dict[str, Any] = {"due": 0, "next_due": None}
        if reader.player is not None:
            waiting = await run_in_threadpool(_waiting, reader.player)
            waiting.pop("mistakes")
        if kind == MISTAKE:
            if reader.player is None:
                raise HTTPException(401, "mistakes come back to a player: send a player token")
            due = await run_in_threadpool(kept.next_mistake, path, reader.player, _now_text())
            name = None if due is None else f"{MISTAKE}-{due.id}"
        else:
            name = f"{kind}-{secrets.randbits(SEED_BITS) if seed is None else seed}"
        if name is None:
            return NextQuestion(drill=None, **waiting)
        drill, _ = await asked(name, reader.player)
        return NextQuestion(drill=_question(name, drill), **waiting)

    @router.post("/answers")
    async def answer(body: DrillAnswer, request: Request, reader: AnyReader) -> JudgedAnswer:
        """What an answer is worth. With a player token it counts, and what went wrong comes back."""
        drill, back = await asked(body.id, reader.player)
        given = refused(lambda: _given(body, drill))
        judged = await judging.ask(request, lambda: lobby.thinking.judge_drill(drill, given))
        right, lost = bool(judged["right"]), judged.get("cost", judged.get("off"))
        scheduled = None
        if reader.player is not None:
            player = reader.player

            def keep(records: Records) -> ScheduledMistake | None:
                kept.count_answer(
                    records,
                    player,
                    drill.kind,
                    correct=right,
                    lost=lost,
                    think_time_ms=body.think_time_ms,
                )
                return _schedule(records, player, drill, back, judged, given)

            scheduled = await journal.write(keep)
        decision = judged["decision"]
        foul = {name: value for name, value in judged.items() if name not in ("decision", "right")}
        return JudgedAnswer(
            right=right,
            cost=judged.get("cost"),
            decision=placement_cards(decision),
            foul=foul if drill.placement is not None else None,
            played=None if back is None else placement_body(Placement.parse(back.played)),
            mistake=scheduled,
        )

    @router.post("/mistakes", status_code=201)
    async def add_mistake(body: NewMistake, player: Player) -> ScheduledMistake:
        """Let a decision of a finished hand come back; the hand must be one that the player may see."""
        game = await readable(lobby, body.hand, Reader(player))
        if game.hand_id is None:
            raise HTTPException(404, NO_GAME)
        steps = await run_in_threadpool(steps_of_hand, path, game.session_id, game.hand_id)
        if body.decision >= len(steps):
            raise HTTPException(
                422, f"the hand has no decision {body.decision}: its decisions are 0 to {len(steps) - 1}"
            )
        step = steps[body.decision]
        information, played = str(step.before.information(step.seat)), str(step.decision.placement)
        due = timestamp_text(first_due(_now()))

        def keep(records: Records) -> kept.Mistake:
            return kept.add_mistake(records, player, information, played, "hand", game.link, due)

        try:
            return _scheduled(await journal.write(keep))
        except ValueError as refusal:
            raise HTTPException(422, str(refusal)) from None

    @router.delete("/mistakes/{mistake_id}", status_code=204)
    async def drop_mistake(mistake_id: str, player: Player) -> None:
        """Let a mistake come back no more."""
        _, found = await asked(mistake_id, player)
        if found is None:
            raise HTTPException(404, NO_MISTAKE)
        await journal.write(lambda records: kept.drop_mistake(records, player, found.id))

    @router.get("/export")
    async def export(player: Player) -> DrillExport:
        """Everything that is kept of the player's drills."""
        days = await run_in_threadpool(_days, player)
        mistakes = await run_in_threadpool(kept.mistakes_of, path, player)
        return DrillExport(days=days, mistakes=[asdict(each) for each in mistakes])

    def _days(player: str) -> list[DrillDay]:
        return [DrillDay(**day) for day in kept.days_of(path, player)]

    def _waiting(player: str) -> dict[str, Any]:
        dues = [each.due_at for each in kept.mistakes_of(path, player)]
        now = _now_text()
        later = [due for due in dues if due > now]
        return {"mistakes": len(dues), "due": len(dues) - len(later), "next_due": min(later, default=None)}

    return router


def _now() -> datetime:
    return datetime.now(UTC)


def _now_text() -> str:
    return timestamp_text(_now())


def _given(body: DrillAnswer, drill: Drill) -> Placement | int | None:
    """A placement, a band, or None; ValueError for what does not answer the drill."""
    if drill.placement is not None:
        if body.placements is not None:
            raise ValueError("this drill asks for a chance, not for a placement: choose a band")
        return body.band
    if body.band is not None:
        raise ValueError("this drill asks for a placement, not for a chance: place the cards")
    if body.placements is None:
        return None
    return placement_of_action({"placements": body.placements, "discards": body.discards})


def _schedule(
    records: Records,
    player: str,
    drill: Drill,
    back: kept.Mistake | None,
    judged: dict[str, Any],
    given: Placement | int | None,
) -> ScheduledMistake | None:
    """When the position of an answer comes back; None if it does not."""
    right = bool(judged["right"])
    box, due = after_answer(0 if back is None else back.box, right, _now())
    due_at = timestamp_text(due)
    if back is not None:
        if back.due_at > _now_text():  # answered before its time, or twice: that proves nothing
            return _scheduled(back)
        kept.reschedule(records, player, back.id, box=box, due_at=due_at, correct=right)
        return ScheduledMistake(id=f"{MISTAKE}-{back.id}", box=box, due_at=due_at)
    if not isinstance(given, Placement) or not judged["comes_back"]:
        return None
    try:
        added = kept.add_mistake(records, player, drill.information, str(given), drill.kind, None, due_at)
    except ValueError:  # as many as a player may have: the answer counts all the same
        return None
    return _scheduled(added)


def _scheduled(found: kept.Mistake) -> ScheduledMistake:
    return ScheduledMistake(id=f"{MISTAKE}-{found.id}", box=found.box, due_at=found.due_at)


def _question(name: str, drill: Drill) -> Question:
    known = drill.position
    board: dict[str, list[int]] = {row: list(getattr(known, row)) for row in ROWS}
    placement = None
    if drill.placement is not None:
        placed = Placement.parse(drill.placement)
        placement = placement_body(placed)
        board = {row: [*board[row], *getattr(placed, row)] for row in ROWS}
    return Question(
        id=name,
        kind=drill.kind,  # type: ignore[arg-type]
        rules=known.rules.name,
        turn=known.turn,
        button=known.button,
        board={row: card_names(cards) for row, cards in board.items()},
        opponent_board={row: card_names(getattr(known, f"opponent_{row}")) for row in ROWS},
        opponent_fantasyland=known.opponent_fantasyland,
        hand=card_names(known.hand),
        discards=card_names(known.discards),
        fantasyland=known.in_fantasyland,
        placement=placement,
        bands=None if drill.placement is None else [list(band) for band in BANDS],
        seconds=drill.seconds,
    )
