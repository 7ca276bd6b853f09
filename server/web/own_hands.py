"""The REST side of one's own hands: history, a hand step by step, sharing, and being forgotten."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from starlette.concurrency import run_in_threadpool

from ofc_env.records.players import Game, Reader
from server.play import history
from server.play.lobby import Lobby
from server.protocol.rules import rules_body
from server.web.bodies import History, PlayedHand, PlayedSession, PlayerSummary, Problem, Sharing
from server.web.readers import AnyReader, Player

NO_GAME = "there is no such session or hand, or it is private: ask one of its players for a shared link"
_PROBLEMS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (401, 403, 404, 422)}


async def readable(lobby: Lobby, name: str, reader: Reader) -> Game:
    """What a link or id leads a reader to; refused alike whether it is private or nothing at all."""
    game = await run_in_threadpool(lobby.journal.find_game, name, reader)
    if game is None:
        raise HTTPException(404, NO_GAME)
    return game


def make_own_router(lobby: Lobby) -> APIRouter:
    """The routes under /api that are about a player's own hands and what is shared of them."""
    router = APIRouter(prefix="/api", responses=_PROBLEMS)
    path = lobby.journal.path

    @router.get("/player")
    async def show_player(player: Player) -> PlayerSummary:
        """How much of a player is here."""
        return PlayerSummary(**await run_in_threadpool(history.player_body, path, player))

    @router.delete("/player", status_code=204)
    async def forget_player(player: Player) -> None:
        """Forget the player: token, name and shares go, the hands stay and are nobody's."""
        await lobby.forget(player)

    @router.get("/history")
    async def list_history(
        player: Player,
        before: Annotated[
            str | None, Query(max_length=64, description="link of the last session seen")
        ] = None,
    ) -> History:
        """A player's sessions with their finished hands, the newest first, some at a time."""
        return History(**await run_in_threadpool(history.history_body, path, player, before))

    @router.get("/sessions/{game}")
    async def show_session(game: str, reader: AnyReader) -> PlayedSession:
        """A session and its finished hands, by its link, or by its id for its players."""
        found = await readable(lobby, game, reader)
        if found.hand_id is not None:
            raise HTTPException(404, NO_GAME)
        return PlayedSession(**await run_in_threadpool(history.session_body, path, found, reader))

    @router.get("/hands/{game}")
    async def show_hand(game: str, reader: AnyReader) -> PlayedHand:
        """A finished hand, decision by decision, by its link, or by its id for its players."""
        found = await readable(lobby, game, reader)
        if found.hand_id is None:
            raise HTTPException(404, NO_GAME)
        body = await run_in_threadpool(history.hand_body, path, found, reader)
        return PlayedHand(**{**body, "rules": rules_body(body["rules"], lobby.settings)})

    @router.put("/shares/{game}")
    async def share(game: str, player: Player) -> Sharing:
        """Let everybody who has its link see a hand or session of one's own."""
        return await change(game, player, True)

    @router.delete("/shares/{game}")
    async def unshare(game: str, player: Player) -> Sharing:
        """Take that back; the other player's sharing stays."""
        return await change(game, player, False)

    async def change(name: str, player: str, shared: bool) -> Sharing:
        game = await readable(lobby, name, Reader(player))
        if not game.seats or game.link is None:
            raise HTTPException(403, "only who played a hand or session shares it: open your own history")
        await lobby.journal.set_shared(game.link, player, shared)
        return Sharing(link=game.link, shared=shared)

    return router
