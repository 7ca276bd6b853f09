"""Reviews by the core as WebAssembly: the same decisions, grades and numbers as the native core's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.review import HandReview, PlayedHand, review_hands
from agents.review.rating import LEVEL_LOSS, rating_of, statistics_of
from agents.review.report import plain
from agents.review.sessions import from_side, session_of
from ofc_env import card_names
from server.thinking.reviews import position_body
from tests.reviewed import compare, played_hand
from tests.site.wasm import WasmCore

LEVELS = ("heuristic:careless=0.4,temperature=0.6", "heuristic")
SAME = 0.02  # points: a rounding that differs now and then sends one of hundreds of worlds another way


def hands() -> list[PlayedHand]:
    widths = ((0, 0), (0, 14), (15, 0))
    return [
        played_hand(LEVELS, seed=20 + number, button=number % 2, widths=each)
        for number, each in enumerate(widths)
    ]


def lines_of(hand: PlayedHand) -> list[object]:
    """A finished hand as the worker gives it to the core."""
    first = hand.decisions[0].hand
    assert first is not None
    turns = [
        words
        for each in hand.decisions
        for words in (" ".join(card_names(each.information.hand)), str(each.placement))
    ]
    return [hand.rules.name, hand.button, *first.chips, *hand.fantasyland, *turns]


def reviewed(wasm: WasmCore, hand: PlayedHand) -> Any:
    """As engine/reviewer.js does it."""
    lines = lines_of(hand)
    judged = [wasm.ask("judged_decision", number, 0, *lines) for number in range(len(hand.decisions))]
    told = [words for each in judged for words in (json.dumps(each["decision"]), json.dumps(each["luck"]))]
    return wasm.ask("told_review", 0, len(judged), *told, *lines)


def test_reviews_are_those_of_the_native_core(wasm: WasmCore) -> None:
    played = hands()
    native = review_hands(played, [0] * len(played))
    found = [reviewed(wasm, hand) for hand in played]
    for mine, theirs in zip(found, native, strict=True):
        compare(mine, theirs.to_dict(), SAME)
        balance = mine["balance"]
        explained = balance["start"] + balance["luck"] - balance["opponent_luck"] - balance["cost"]
        explained += balance["opponent_cost"] + balance["unexplained"]
        assert explained == pytest.approx(balance["result"], abs=1e-9)
    texts = [json.dumps(each) for each in found]
    reviews = [HandReview.from_dict(each) for each in found]
    assert wasm.ask("session_account", *texts) == session_of(reviews).to_dict()
    outcome = played[1].outcome
    assert outcome is not None
    turned = wasm.ask("review_from_side", texts[1], 1, json.dumps(plain(outcome)))
    assert turned == from_side(reviews[1], 1, outcome).to_dict()
    levels = [words for level in LEVEL_LOSS.items() for words in level]
    rated = wasm.ask("rate", len(LEVEL_LOSS), *levels, *texts)
    assert rated == {"rating": rating_of(reviews).to_dict(), "statistics": statistics_of(reviews).to_dict()}
    for decision in reviews[0].decisions:
        assert wasm.ask("position_body", decision.information) == position_body(decision.information)


def test_nothing_is_rated_without_reviews(wasm: WasmCore) -> None:
    levels = [words for level in LEVEL_LOSS.items() for words in level]
    found = wasm.ask("rate", len(LEVEL_LOSS), *levels)
    assert found["rating"]["band"] is None
    assert found == {"rating": rating_of([]).to_dict(), "statistics": statistics_of([]).to_dict()}


def test_refusals_leave_the_core_usable(wasm: WasmCore) -> None:
    lines = lines_of(hands()[0])
    with pytest.raises(ValueError, match="10 decisions, none has the number 10"):
        wasm.ask("judged_decision", 10, 0, *lines)
    with pytest.raises(ValueError, match="not a review: 'version' is missing"):
        wasm.ask("session_account", "{}")
    assert wasm.ask("judged_decision", 9, 1, *lines)["decision"]["timed_out"]
