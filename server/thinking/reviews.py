"""Reviews that a log keeps: one from a seat's side, and all of a player's as a rating."""

from __future__ import annotations

import json
from typing import Any

from agents.review.hands import outcome_of
from agents.review.rating import LEVEL_LOSS, rating_body, statistics_body
from agents.review.report import VERSION
from agents.review.sessions import text_from_side
from ofc_env import InformationSet, card_names
from ofc_env.layout import ROWS
from ofc_env.records.reviews import ReviewedHand, hands_of_player

MOST_RATED = 1000
"""Hands of one rating, the newest."""


def review_from_side(hand: ReviewedHand, seat: int) -> str | None:
    """The review that is kept of a hand, from a seat's side, as JSON; None if there is none."""
    outcome = outcome_of(json.loads(hand.result))
    if hand.review is None or outcome is None:
        return None
    return text_from_side(hand.review, seat, outcome)


def position_body(information: str) -> dict[str, Any]:
    """What a seat knew when it decided, as the page shows it: both boards, the cards to place."""
    known = InformationSet.parse(information)
    return {
        "board": {row: card_names(getattr(known, row)) for row in ROWS},
        "opponent_board": {row: card_names(getattr(known, f"opponent_{row}")) for row in ROWS},
        "opponent_hidden": bool(known.opponent_fantasyland),
        "dealt_cards": card_names(known.hand),
    }


def rate(path: str, player: str) -> dict[str, Any]:
    """How well a player plays; `player` is the hash of the token, `path` the log with the reviews.

    For the thinking process, which has the time to read a thousand reviews.
    """
    newest = hands_of_player(path, VERSION, player, MOST_RATED)
    found = [review_from_side(hand, hand.seat or 0) for hand in newest]
    reviews = [review for review in reversed(found) if review is not None]
    rating, statistics = rating_body(reviews), statistics_body(reviews)
    return {"rated": len(reviews), "rating": {**rating, "levels": LEVEL_LOSS}, "statistics": statistics}
