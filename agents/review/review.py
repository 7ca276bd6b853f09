"""The review of finished hands: every decision judged, luck and skill apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from agents.review.endings import reward_of_width
from agents.review.fouls import LAST_TURN, foul_of
from agents.review.hands import Outcome, PlayedHand
from agents.review.judge import Judge, judge_for
from agents.review.luck import deal_luck, start_value
from agents.review.report import VERSION, Balance, Decision, Foul, HandReview, Step, rounded


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
    decisions: list[list[Decision]] = [[] for _ in hands]
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        lucks = [pool.submit(deal_luck, each, hand) for each, hand in zip(judges, hands, strict=True)]
        judged = [pool.submit(judges[number].judge, played) for number, played in jobs]
        for count, ((number, _), future) in enumerate(zip(jobs, judged, strict=True), start=1):
            decisions[number].append(future.result())
            if progress is not None:
                progress(count, len(jobs))
        return [
            _told(hand, seat, each, found, luck.result())
            for hand, seat, each, found, luck in zip(hands, seats, judges, decisions, lucks, strict=True)
        ]


def _told(
    hand: PlayedHand, seat: int, judge: Judge, decisions: list[Decision], lucks: list[float] | None
) -> HandReview:
    outcome = hand.outcome
    result = None if outcome is None else rounded(_equity(judge, outcome, seat))
    balance = None
    start = None
    if lucks is not None and result is not None and hand.decisions[0].hand is not None:
        start = rounded(start_value(judge, hand.decisions[0].hand, seat))
        balance = _balance(seat, start, decisions, lucks, result)
    fouls = [_foul(hand, who, decisions) for who in (0, 1)]
    return HandReview(
        version=VERSION,
        judge=judge.name,
        rules=hand.rules.name,
        seat=seat,
        button=hand.button,
        fantasyland=hand.fantasyland,
        decisions=tuple(decisions),
        steps=tuple(_steps(seat, start, decisions, lucks, result)),
        balance=balance,
        fouls=tuple(each for each in fouls if each is not None),
        points=None if outcome is None else float(outcome.points[seat]),
        won_fantasyland=None if outcome is None else outcome.next_fantasyland[seat],
        fouled=None if outcome is None else outcome.fouled[seat],
        royalties=None if outcome is None else float(outcome.royalties[seat]),
    )


def _equity(judge: Judge, outcome: Outcome, seat: int) -> float:
    """Points, and the worth of the fantasyland that was won less the opponent's."""
    mine, theirs = (outcome.next_fantasyland[who] for who in (seat, 1 - seat))
    future = _worth(judge, mine) - _worth(judge, theirs)
    return judge.reward.points * outcome.points[seat] + future


def _worth(judge: Judge, width: int) -> float:
    return reward_of_width(judge.reward, width) if width else 0.0


def _balance(
    seat: int, start: float, decisions: Sequence[Decision], lucks: Sequence[float], result: float
) -> Balance:
    """Every part as it is kept, so that the sum is exact."""
    luck, cost = [0.0, 0.0], [0.0, 0.0]
    for decision, of_deal in zip(decisions, lucks, strict=True):
        luck[decision.seat] += rounded(of_deal)
        cost[decision.seat] += decision.cost
    luck, cost = [rounded(each) for each in luck], [rounded(each) for each in cost]
    other = 1 - seat
    explained = start + luck[seat] - luck[other] - cost[seat] + cost[other]
    return Balance(
        start, luck[seat], luck[other], cost[seat], cost[other], rounded(result - explained), result
    )


def _steps(
    seat: int,
    start: float | None,
    decisions: Sequence[Decision],
    lucks: Sequence[float] | None,
    result: float | None,
) -> list[Step]:
    """What the hand was worth to the seat as it went on; each value is that of the seat which knew most."""
    steps = [] if start is None else [Step("start", None, None, start)]
    for number, decision in enumerate(decisions):
        sign = 1 if decision.seat == seat else -1
        best = decision.options[0].value
        played = next(each for each in decision.options if each.placement == decision.played).value
        luck = None if lucks is None else rounded(lucks[number])
        steps += [
            Step("deal", decision.turn, decision.seat, rounded(sign * best), luck=luck),
            Step("placement", decision.turn, decision.seat, rounded(sign * played), cost=decision.cost),
        ]
    return steps if result is None else [*steps, Step("end", None, None, result)]


def _foul(hand: PlayedHand, seat: int, decisions: Sequence[Decision]) -> Foul | None:
    """Of a board that was played normally."""
    if hand.fantasyland[seat]:
        return None
    own = [
        (played, each) for played, each in zip(hand.decisions, decisions, strict=True) if each.seat == seat
    ]
    if not own or own[-1][1].turn != LAST_TURN:
        return None
    return foul_of([played for played, _ in own], [each for _, each in own])
