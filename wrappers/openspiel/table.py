"""A hand whose cards come one at a time: the core deals a turn in whole, OpenSpiel asks chance card by card.

The cards of a deal come lowest first, with the chances that make every set of cards equally likely, so that
each deal is reached in one way. Until its last card has come the core's hand holds stand-ins; then they
change places with the cards that came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from typing import Any

from ofc_env import Board, Hand, InformationSet, RewardConfig, Rules, card_names, solve_last_turn
from ofc_env.layout import ROWS

SIDES = tuple(f"{side}{row}" for side in ("", "opponent_") for row in ROWS)
FIELDS = (*SIDES, "hand", "discards", "turn", "opening_step", "button", "opponent_fantasyland")
FIELDS += ("chips", "opponent_chips", "nowhere", "rules")

Change = tuple[tuple[int, ...], ...]  # the cards that a step puts on top, in the middle, at the bottom, away


@dataclass(frozen=True, slots=True)
class Table:
    """A moment of a hand: somebody decides, cards are being dealt, or it is over. Never changed."""

    hand: Hand  # while cards are being dealt those in hand are stand-ins
    pool: tuple[int, ...]  # cards that were never dealt, ascending, those of the deal under way among them
    awaited: int  # cards of the deal under way that are still to come
    drawn: tuple[int, ...] = ()  # those that have come, lowest first
    decided: tuple[InformationSet | None, InformationSet | None] = (
        None,
        None,
    )  # at each seat's last decision
    face_up: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # discards that a start shows, by seat
    last: Table | None = None  # while cards are being dealt: the table before

    def __deepcopy__(self, memo: object) -> Table:
        """Itself: it never changes."""
        return self

    @property
    def player(self) -> int | None:
        """The seat that decides; None while cards are dealt and at the end."""
        return None if self.awaited else self.hand.player

    # ---------------------------------------------------------------- chance

    def outcomes(self) -> list[tuple[int, float]]:
        """The cards that may come next, ascending, with their chances."""
        left = [card for card in self.pool if not self.drawn or card > self.drawn[-1]]
        ways = comb(len(left), self.awaited)
        after = [comb(len(left) - 1 - place, self.awaited - 1) for place in range(len(left))]
        return [(card, count / ways) for card, count in zip(left, after, strict=True) if count]

    def deal(self, card: int) -> Table:
        """The table when the next card has come."""
        drawn = (*self.drawn, card)
        if self.awaited > 1:
            return replace(self, drawn=drawn, awaited=self.awaited - 1)
        return replace(
            self,
            hand=exchanged(self.hand, self.hand.dealt, drawn),
            pool=tuple(each for each in self.pool if each not in drawn),
            awaited=0,
            drawn=(),
            last=None,
        )

    # ---------------------------------------------------------------- decisions

    def step(self, slot: int) -> Table:
        """The table after a slot; its cards are dealt next, unless an opening goes on or the hand is over."""
        knew = self.deciding()
        hand = self.hand.clone()
        hand.step(slot)
        decided = (knew, self.decided[1]) if self.dealt_to == 0 else (self.decided[0], knew)
        awaited = 0 if hand.finished or hand.opening_step else len(hand.dealt)
        return replace(self, hand=hand, awaited=awaited, decided=decided, last=self if awaited else None)

    def change(self, slot: int) -> Change:
        """What a slot does with the cards in hand."""
        seat = self.dealt_to
        after = self.hand.clone()
        after.step(slot)
        before, then = piles(self.hand, seat), piles(after, seat)
        return tuple(tuple(sorted({*more} - {*less})) for more, less in zip(then, before, strict=True))

    @property
    def reply_left(self) -> bool:
        """Whether all that is left is the deal and the placement of the seat that acts last."""
        return self.awaited > 0 and not self.drawn and self.hand.board(1 - self.dealt_to).complete

    @property
    def dealt_to(self) -> int:
        """The seat that acts next, or that is being dealt its cards."""
        if self.hand.player is None:
            raise ValueError("the hand is over: nobody is to act")
        return self.hand.player

    # ---------------------------------------------------------------- what a seat knows

    def known(self, seat: int) -> InformationSet | None:
        """What a seat sees; None before the first deal.

        While cards are dealt that is what it saw before: a placement is seen together with the deal after it.
        """
        if self.awaited:
            return self.last.known(seat) if self.last else None
        information = self.hand.information(seat)
        if shown := self.face_up[1 - seat]:
            information = retold(information, nowhere=sorted((*information.nowhere, *shown)))
        return information

    def last_decision(self, seat: int) -> InformationSet | None:
        """What a seat knew at its last decision, with those before as its history."""
        return (self.last if self.awaited and self.last else self).decided[seat]

    def deciding(self) -> InformationSet:
        """What the seat to act knows, with its earlier decisions as history."""
        seat = self.dealt_to
        now, before = self.known(seat), self.decided[seat]
        if self.awaited or now is None:
            raise ValueError(f"seat {seat} does not decide yet: its cards are being dealt")
        return now.following(before) if before else now


@lru_cache(maxsize=16)  # asked for every slot of a decision in turn
def replied(table: Table, reward: RewardConfig) -> dict[int, float]:
    """What the slots of a decision pay its seat if the last placement of all, after them, is a best one.

    Exact: the mean over all deals of what is truly left. Whoever places last sees all that matters.
    """
    known = table.deciding()
    hidden = {*known.unseen} - {*table.pool}
    return solve_last_turn(retold(known, nowhere=sorted({*known.nowhere} | hidden)), reward)


def piles(hand: Hand, seat: int) -> tuple[Sequence[int], ...]:
    """The rows of a seat and what it has thrown away."""
    board: Board = hand.board(seat)
    return board.top, board.middle, board.bottom, hand.discards(seat)


def exchanged(hand: Hand, cards: Sequence[int], others: Sequence[int]) -> Hand:
    """The hand in which two sets of equally many cards have changed places."""
    gone = [card for card in cards if card not in others]
    come = [card for card in others if card not in cards]
    return hand.renamed([*gone, *come], [*come, *gone])


def retold(information: InformationSet, **changes: Any) -> InformationSet:
    """The same knowledge with some fields changed; the core refuses what no seat can know."""
    return InformationSet(**{**{name: getattr(information, name) for name in FIELDS}, **changes})


def dealt_from_the_deck(rules: Rules, button: int) -> Table:
    """A hand from its first card on."""
    hand = Hand(seed=0, button=button, rules=rules)
    return Table(hand, tuple(rules.deck), len(hand.dealt))


def set_up(start: InformationSet) -> Table:
    """A hand late in its course, before a deal: what the seat knows that has just placed, and now waits.

    That seat is 0. All discards so far lie face up and out of the game; those of the other seat are the first
    of the cards that are nowhere.
    """
    if start.to_act:
        holds = " ".join(card_names(start.hand))
        raise ValueError(f"a start is known by the seat that waits, and this one holds {holds}: {start}")
    hand = Hand.from_observation(start, 0)
    if any(hand.fantasyland):
        raise ValueError(f"a start is a hand that both play normally, not one with fantasyland: {start}")
    if hand.finished or hand.opening_step or hand.player != 1:
        raise ValueError(f"a start is a moment before the other seat's deal: {start}")
    count = len(hand.discards(1))
    thrown, nowhere = start.nowhere[:count], start.nowhere[count:]
    if len(thrown) < count:
        raise ValueError(
            f"a start names at least {count} cards that are nowhere, for the other seat's discards: {start}"
        )
    hand = Hand.from_observation(retold(start, nowhere=nowhere), 0)
    hand = exchanged(hand, hand.discards(1), thrown)
    table = Table(
        hand,
        tuple(start.unseen),
        len(hand.dealt),
        face_up=(tuple(start.discards), tuple(thrown)),
    )
    after = table
    for card in start.unseen[: table.awaited]:
        after = after.deal(card)
    for seat in (0, 1):
        after.known(seat)  # the core refuses a deck that is too short for what either seat knows
    return table
