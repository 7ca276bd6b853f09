"""Starts late in a hand, with decks so short that exact algorithms can look at every card."""

from __future__ import annotations

import random

from ofc_env import Hand, InformationSet
from wrappers.openspiel.table import retold, set_up

# The last turn of both seats with nine cards that nobody has seen: `short_start` of a hand that the heuristic
# plays against itself, as tests/wrappers/test_openspiel.py finds it again.
SHORT_START = (
    "nowhere=3h,5h,6h,7h,9h,Jh,3d,4d,7d,Jd,2c,3c,5c,Qc,7s,8s,9s,Ts,Js,X1 "
    "top=Kh,As middle=4h,3s,4s,X2 bottom=5d,6d,8d,Qd,Kd "
    "opponent_top=Qh,Ad,Ac opponent_middle=2d,6c,2s opponent_bottom=Th,Td,Tc,Kc,Ks "
    "discards=2h,5s,6s turn=3 button=off"
)


def short_start(hand: Hand, seed: int = 0) -> InformationSet:
    """The rest of a hand with the shortest deck that the core takes: what the seat that waits knows.

    Args:
        hand: whose seat to act has just been dealt its cards; they count as not dealt.
        seed: fixes which of the unseen cards are left in the game.
    """
    if hand.player is None or hand.opening_step:
        raise ValueError("a start is a moment between two turns: the hand is over or within an opening")
    known = hand.information(1 - hand.player)
    unseen = random.Random(seed).sample(known.unseen, len(known.unseen))
    for size in range(len(unseen) + 1):
        try:
            start = retold(known, nowhere=sorted((*known.nowhere, *unseen[size:])))
            set_up(start)
        except ValueError:  # the core finds it too short
            continue
        return start
    raise ValueError(f"no shorter deck can go on from here: {known}")
