"""Who asks over HTTP: a player by the token, the operator by the key, or somebody unknown.

Both come in headers of their own: no page elsewhere can have a browser send them without asking first, which
the gate refuses, and neither a proxy's log nor its own passwords (`Authorization`) get in the way.
"""

from __future__ import annotations

import hmac
from typing import Annotated

from fastapi import Depends, Header, HTTPException, Request

from ofc_env.records.players import Reader, token_digest
from server.protocol.identity import player_of

PLAYER_HEADER = "X-Player-Token"
OPERATOR_HEADER = "X-Operator-Key"
NOBODY = (
    f"whose hands? Send {PLAYER_HEADER} for your own, name the link of shared ones, "
    f"or send {OPERATOR_HEADER} for everything"
)


def _reader(
    request: Request,
    player_token: Annotated[
        str | None, Header(alias=PLAYER_HEADER, description="of a player: made by the client, and secret")
    ] = None,
    operator_key: Annotated[
        str | None, Header(alias=OPERATOR_HEADER, description="of the server's operator")
    ] = None,
) -> Reader:
    if operator_key is not None and not _is_key(operator_key, request.app.state.lobby.settings.operator_key):
        raise HTTPException(403, "this is not the operator's key: everything is for the operator alone")
    try:
        player = None if player_token is None else player_of(player_token)
    except ValueError as refusal:
        raise HTTPException(422, str(refusal)) from None
    return Reader(player, operator_key is not None)


def _is_key(given: str, key: str | None) -> bool:
    """Compared by hash: in constant time, and what differs in length differs no faster."""
    return key is not None and hmac.compare_digest(token_digest(given), token_digest(key))


def _player(reader: Annotated[Reader, Depends(_reader)]) -> str:
    if reader.player is None:
        raise HTTPException(401, f"this is for a player: send a player token as {PLAYER_HEADER}")
    return reader.player


AnyReader = Annotated[Reader, Depends(_reader)]
"""Who sent a request; wrong tokens and keys are refused."""
Player = Annotated[str, Depends(_player)]
"""The hash of the token of the player who sent a request; nobody else gets in."""
