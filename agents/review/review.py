"""The review of finished hands: every decision judged, luck and skill apart."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from agents.review.hands import PlayedHand
from agents.review.judge import Judge, judge_for
from agents.review.report import HandReview, plain, read


def review_hand(hand: PlayedHand, seat: int, judge: Judge | None = None) -> HandReview:
    """A hand from a seat's side; the champion of its rules judges unless another judge is given."""
    return review_hands([hand], [seat], judge)[0]


def review_hands(
    hands: Sequence[PlayedHand],
    seats: Sequence[int],
    judge: Judge | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[HandReview]:
    """Several hands, on all cores.

    Args:
        hands: each by its own rules.
        seats: the seat from whose side each is told.
        judge: of the rules of all hands; the champion of the rules of each if None.
        threads: decisions judged at a time; as many as there are cores if None. Results do not depend on it.
        progress: told how many decisions are judged, and of how many.
    """
    if len(hands) != len(seats):
        raise ValueError(f"{len(hands)} hands need as many seats, not {len(seats)}")
    judges = [judge or judge_for(hand.rules.of_a_hand()) for hand in hands]
    jobs = [(number, played) for number, hand in enumerate(hands) for played in hand.decisions]
    decisions: list[list[str]] = [[] for _ in hands]
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        lucks = [pool.submit(deal_luck, each, hand) for each, hand in zip(judges, hands, strict=True)]
        judged = [pool.submit(judges[number].judged_text, played) for number, played in jobs]
        for count, ((number, _), future) in enumerate(zip(jobs, judged, strict=True), start=1):
            decisions[number].append(future.result())
            if progress is not None:
                progress(count, len(jobs))
        return [
            _told(hand, seat, each, found, luck.result())
            for hand, seat, each, found, luck in zip(hands, seats, judges, decisions, lucks, strict=True)
        ]


def deal_luck(judge: Judge, hand: PlayedHand) -> list[float] | None:
    """The luck of the deal before each decision, for the seat that got it; points of equity.

    It is judged as in matches (docs/arena.md): what the cards that came are worth above others that nobody
    had been dealt before. None where somebody's cards are not known, or where nobody can judge them.
    """
    if judge.network is None or not hand.decisions:
        return None
    lucks = []
    for played in hand.decisions:
        luck = None if played.hand is None else judge.core.luck(played.hand)
        if luck is None:
            return None
        lucks.append(luck)
    return lucks


def _told(
    hand: PlayedHand, seat: int, judge: Judge, decisions: list[str], lucks: list[float] | None
) -> HandReview:
    known = {
        "rules": hand.rules.name,
        "button": hand.button,
        "fantasyland": hand.fantasyland,
        "lucks": lucks,
        "outcome": plain(hand.outcome),
    }
    return read(HandReview, json.loads(judge.core.told(json.dumps(known), seat, decisions)))
