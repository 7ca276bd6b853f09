"""Who a client says it is, in the form that messages and requests carry."""

from __future__ import annotations

import re

from ofc_env.records.players import token_digest

# 22 characters of base64 hold 128 random bits, what a page makes has 32; nothing else is ever looked up.
PLAYER_TOKEN = re.compile(r"[A-Za-z0-9_-]{22,128}")


def player_of(token: object) -> str:
    """The hash of a player's token, by which the log knows the player; ValueError if it is none.

    A refusal repeats nothing of it: it may be a true token with a blank too many.
    """
    if not isinstance(token, str) or not PLAYER_TOKEN.fullmatch(token):
        what = f"this has {len(token)} characters" if isinstance(token, str) else "this is no text"
        raise ValueError(f"a player token is 22 to 128 letters, digits, - and _, and {what}: copy it again")
    return token_digest(token)
