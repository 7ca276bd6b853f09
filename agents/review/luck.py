"""The luck of a hand's deals, and what a seat is worth before any card is dealt; points of equity.

Luck is judged as in matches (agents/arena/luck.py, docs/arena.md): what the cards that came are worth above
others that nobody had been dealt before. It needs the true hand, so both players' cards must be known.
"""

from __future__ import annotations

import numpy as np

from agents.randomness import seed_of
from agents.review.endings import reward_of_width
from agents.review.hands import Played, PlayedHand
from agents.review.judge import Judge
from ofc_env import Hand, score_boards, solve_fantasyland

_STARTING, _DEALING = 3, 4  # streams of chance
BOTH_IN_FANTASYLAND = 200  # pairs of settings


def deal_luck(judge: Judge, hand: PlayedHand) -> list[float] | None:
    """The luck of the deal before each decision, for the seat that got it.

    None where somebody's cards are not known, or where nobody can judge them.
    """
    if judge.luck is None or not hand.whole:
        return None
    lucks = []
    for played in hand.decisions:
        # Other hands must not share these deals: what they err by would not average out.
        seed = seed_of(judge.seed, _DEALING, played.information.key())
        lucks.append(float(judge.luck.luck([_true_hand(played)], [seed])[0]))
    return lucks


def start_value(judge: Judge, start: Hand, seat: int) -> float:
    """What a hand is worth to a seat before anybody has been dealt a card.

    Args:
        start: the hand at its first decision; its cards and chips make no difference.
    """
    first = start.rules.first_to_act(button=start.button)
    widths = (start.fantasyland[first], start.fantasyland[1 - first])
    with judge.lock:
        if widths not in judge.starts:
            judge.starts[widths] = _first_to_act(judge, widths)
        found = judge.starts[widths]
    return found if seat == first else -found


def _first_to_act(judge: Judge, widths: tuple[int, int]) -> float:
    """Of the seat that acts first, whose width is the first one."""
    if widths[0] == widths[1]:
        if widths[0]:
            return 0.0
        measured = judge.calibration.start
        return _openings(judge) if measured is None else measured
    if all(widths):
        return _both_in_fantasyland(judge, widths)
    mine, theirs = (reward_of_width(judge.reward, width) if width else 0.0 for width in widths)
    return mine - theirs


def _openings(judge: Judge) -> float:
    """Where nobody has measured it: from openings of both seats, each in its own eyes.

    The best of 232 placements is in part the one that the network thinks too much of. It does so in both
    seats, and half the difference is free of it.
    """
    values: tuple[list[float], list[float]] = ([], [])
    button = 0
    first = judge.rules.first_to_act(button=button)
    for number in range(judge.effort.openings):
        hand = Hand(seed=seed_of(judge.seed, _STARTING, number), button=button, rules=judge.rules)
        for seat in (first, 1 - first):
            best = judge.network_alone.search(hand.information(seat))[0]
            values[seat != first].append(best.mean)
            hand.place(best.placement)
    return float(np.mean(values[0]) - np.mean(values[1])) / 2


def _both_in_fantasyland(judge: Judge, widths: tuple[int, int]) -> float:
    """From settings of the solver against each other."""
    rng = np.random.default_rng(seed_of(judge.seed, _STARTING))
    rules = judge.rules
    values = []
    for _ in range(BOTH_IN_FANTASYLAND):
        cards = rng.permutation(rules.num_cards)[: sum(widths)].tolist()
        mine, theirs = (
            solve_fantasyland(part, rules=rules).board for part in (cards[: widths[0]], cards[widths[0] :])
        )
        result = score_boards(mine, theirs, fantasyland=widths, rules=rules)
        values.append(judge.reward.hand_rewards(result)[0])
    return float(np.mean(values))


def _true_hand(played: Played) -> Hand:
    if played.hand is None:
        raise ValueError("the opponent's cards are not known: luck cannot be judged")
    return played.hand
