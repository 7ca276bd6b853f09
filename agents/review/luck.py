"""The luck of a hand's deals, and what a seat is worth before any card is dealt; points of equity.

Luck is judged as in matches (agents/arena/luck.py, docs/arena.md): what the cards that came are worth above
others that nobody had been dealt before. It needs the true hand, so both players' cards must be known.
"""

from __future__ import annotations

import numpy as np

from agents.randomness import seed_of
from agents.review.hands import Played, PlayedHand
from agents.review.judge import Judge
from ofc_env import Hand, score_boards, solve_fantasyland

_STARTING, _DEALING = 3, 4  # streams of chance
FANTASYLAND_DEALS = 16  # of a fantasyland opponent, among which the openings are shared out
BOTH_IN_FANTASYLAND = 200  # pairs of settings


def deal_luck(judge: Judge, hand: PlayedHand) -> list[float] | None:
    """The luck of the deal before each decision, for the seat that got it.

    None where somebody's cards are not known, or where nobody can judge them.
    """
    if judge.luck is None or not hand.whole:
        return None
    lucks = []
    for number, played in enumerate(hand.decisions):
        true_hand = _true_hand(played)
        if number == 0 and not any(hand.fantasyland):  # the whole deck is to come: its mean is known better
            actual, _ = judge.luck.judge(true_hand, 0)
            lucks.append(actual - start_value(judge, true_hand, played.seat))
        else:
            seed = seed_of(judge.seed, _DEALING, played.information.turn, int(played.seat == hand.button))
            lucks.append(float(judge.luck.luck([true_hand], [seed])[0]))
    return lucks


def start_value(judge: Judge, start: Hand, seat: int) -> float:
    """What a hand is worth to a seat before anybody has been dealt a card.

    Args:
        start: the hand at its first decision; its cards make no difference.
    """
    widths, chips = tuple(start.fantasyland), tuple(start.chips)
    key = (start.button, widths, chips)
    with judge.lock:
        found = judge.starts.get(key)
    if found is None:
        found = _both_in_fantasyland(judge, widths) if all(widths) else _openings(judge, start)
        with judge.lock:
            judge.starts[key] = found
    return found if seat == 0 else -found


def _openings(judge: Judge, start: Hand) -> float:
    """Of seat 0, from the openings of whoever plays normally and acts first."""
    if judge.starting is None:
        raise ValueError(f"nobody can judge what a seat is worth by the rules {judge.rules.name!r}")
    deals = FANTASYLAND_DEALS if any(start.fantasyland) else 1
    means = []
    for number in range(deals):
        hand = Hand(
            seed=seed_of(judge.seed, _STARTING, number),
            button=start.button,
            chips=start.chips,
            fantasyland=start.fantasyland,
            rules=start.rules,
        )
        if hand.in_fantasyland:
            hand.set_fantasyland()
        opener = hand.player
        _, others = (judge.luck if deals > 1 and judge.luck else judge.starting).judge(hand, number)
        means.append(float(np.mean(others)) * (1 if opener == 0 else -1))
    return float(np.mean(means))


def _both_in_fantasyland(judge: Judge, widths: tuple[int, ...]) -> float:
    """Of seat 0, from settings of the solver against each other."""
    if widths[0] == widths[1]:
        return 0.0
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
