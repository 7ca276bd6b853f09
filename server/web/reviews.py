"""The REST side of reviews: asked for, followed, read, and put together as a player's rating."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from server.play.lobby import Lobby
from server.play.reviews import Busy
from server.thinking.client import TROUBLE
from server.web.bodies import GameReviews, PlayerRating, Problem, ReviewProgress
from server.web.own_hands import readable
from server.web.readers import AnyReader, Player
from server.web.streams import Export, Places

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (401, 403, 404, 422, 503)
}


def make_review_router(lobby: Lobby, exports: Places) -> APIRouter:
    """The routes under /api that are about reviews; who may see a hand may have it reviewed."""
    router = APIRouter(prefix="/api", responses=_PROBLEMS)
    reviews = lobby.reviews

    def begin(name: str, hands: dict[str, str]) -> ReviewProgress:
        try:
            return ReviewProgress(**reviews.ask(name, hands))
        except Busy as busy:
            raise HTTPException(503, str(busy)) from None

    @router.post("/reviews/{game}", status_code=202)
    async def begin_review(game: str, reader: AnyReader) -> ReviewProgress:
        """Have the finished hands of a session, or one hand, reviewed in the background.

        Asking again asks for the hands that are still missing, and for those of an earlier judge.
        """
        found = await readable(lobby, game, reader)
        return begin(f"game {found.session_id} {found.hand_id or ''}", await reviews.of_game(found))

    @router.get("/reviews/{game}/progress")
    async def follow_review(game: str, reader: AnyReader) -> ReviewProgress:
        """How many of these hands are reviewed."""
        found = await readable(lobby, game, reader)
        return ReviewProgress(**reviews.progress(await reviews.of_game(found)))

    @router.get("/reviews/{game}")
    async def show_reviews(
        game: str,
        reader: AnyReader,
        seat: Annotated[
            int | None, Query(ge=0, le=1, description="from whose side; your own, or else 0")
        ] = None,
    ) -> GameReviews:
        """The reviews that there are of a session's hands, or of one hand."""
        found = await readable(lobby, game, reader)
        return GameReviews(**await reviews.reviews_body(found, reader.player, seat))

    @router.get("/rating")
    async def show_rating(player: Player) -> PlayerRating:
        """How well a player plays, from the reviews that there are of the newest 1000 hands."""
        try:
            return PlayerRating(**await reviews.rating_body(player))
        except TROUBLE:
            raise HTTPException(503, "the rating could not be made: try again later") from None

    @router.post("/rating", status_code=202)
    async def begin_rating(player: Player) -> ReviewProgress:
        """Have all finished hands of a player reviewed in the background, the newest first."""
        return begin(f"player {player}", await reviews.of_player(player))

    @router.get("/rating/progress")
    async def follow_rating(player: Player) -> ReviewProgress:
        """How many of a player's hands are reviewed."""
        return ReviewProgress(**reviews.progress(await reviews.of_player(player)))

    @router.get("/rating/export", response_class=StreamingResponse)
    async def export_reviews(player: Player) -> StreamingResponse:
        """Every review of one's own hands from one's own side, a JSON object per line, the newest first."""
        exports.take()
        chunks = reviews.export_chunks(player)
        try:
            first = await run_in_threadpool(next, chunks, b"")
        except BaseException:
            exports.leave()
            raise
        return Export(first, chunks, exports.leave)

    return router
