"""Positions with a short deck, and all that can still happen in them.

A short deck lacks cards that are nowhere: real boards late in a hand, but so few cards left that a test can
try every one of them. `short_position` makes such positions; `last_turn_values` answers a last turn by trying
everything; `outcomes` lists, for a seat with two turns left, every draw of the opponent, every answer to it
and every draw of the seat's own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from ofc_env import InformationSet, Placement, Rules
from tests import oracle
from tests.boards import random_pair
from tests.oracle_play import Pay, Setting, last_placement_values, legal_settings
from tests.rule_sets import oracle_rules

ROWS = ("top", "middle", "bottom")


def boards_of(info: InformationSet) -> tuple[oracle.Rows, oracle.Rows]:
    """The seat's rows and the opponent's."""
    return (info.top, info.middle, info.bottom), (
        info.opponent_top,
        info.opponent_middle,
        info.opponent_bottom,
    )


def fewest_undealt(turn: int, first: bool) -> int:
    """Cards that the rest of a hand deals after those in the hand of the seat to act."""
    return 6 * (4 - turn) + (3 if first else 0)


def short_position(
    rng: random.Random,
    turn: int,
    first: bool,
    undealt: int,
    rules: Rules,
    chips: tuple[int, int] = (200, 200),
) -> InformationSet:
    """A seat with three cards to place on turn 1 to 4, first to act or second, with so many left to deal.

    The boards are on the way to rows worth having, of which one at least need not foul; the cards that would
    finish them are in hand, unseen or nowhere.
    """
    plain = oracle_rules(rules)
    while True:
        boards = random_pair(rng, plain.jokers > 0 and rng.random() < 0.5, plain.jokers)
        if not all(oracle.read_board(rows, plain).fouled for rows in boards):
            break
    spare = [card for card in plain.deck if not any(card in row for rows in boards for row in rows)]
    rng.shuffle(spare)
    placed_before = 3 + 2 * turn
    rows: list[list[list[int]]] = []
    missing: list[list[int]] = []
    for board, count in zip(boards, (placed_before, placed_before + (0 if first else 2)), strict=True):
        arrivals = rng.sample([(card, row) for row in range(3) for card in board[row]], 13)
        rows.append([[card for card, row in arrivals[:count] if row == each] for each in range(3)])
        missing.append([card for card, _ in arrivals[count:]])
    held = [missing[0].pop(), missing[0].pop() if rng.random() < 0.7 else spare.pop(), spare.pop()]
    discards = [spare.pop() for _ in range(turn - 1)]
    unseen = (turn - 1 if first else turn) + undealt
    outs = rng.sample([*missing[0], *missing[1]], min(len(missing[0] + missing[1]), unseen // 2))
    outs += [spare.pop() for _ in range(unseen - len(outs))]
    here = {*held, *discards, *outs, *(card for board in rows for row in board for card in row)}
    fields: dict = dict(zip(ROWS, rows[0], strict=True))
    fields |= {f"opponent_{name}": cards for name, cards in zip(ROWS, rows[1], strict=True)}
    return InformationSet(
        **fields,
        hand=held,
        discards=discards,
        nowhere=[card for card in plain.deck if card not in here],
        turn=turn,
        button=first == plain.button_first,
        chips=chips[0],
        opponent_chips=chips[1],
        rules=rules,
    )


def last_turn_values(info: InformationSet, pay: Pay) -> dict[int, float]:
    """Slot -> what a seat on its last turn is paid; before the opponent's last draw the mean over all draws,
    each answered best."""
    chips = info.chips, info.opponent_chips
    return last_placement_values(
        boards_of(info), info.hand, info.unseen, pay, chips, oracle_rules(info.rules)
    )


class Outcome(NamedTuple):
    """What may happen between a seat's placement on turn 3 and its last turn."""

    draw: tuple[int, ...]  # the opponent's three cards
    answer: Setting  # where it puts them; the seat sees all but the discard
    own_draw: tuple[int, ...]
    position: InformationSet  # the seat's last turn, after all this


def outcomes(info: InformationSet, placement: Placement) -> Iterator[Outcome]:
    """Every outcome of a placement on turn 3 against an opponent that plays normally.

    Every pair of an opponent's draw and an own draw is equally likely, whatever lies among the opponent's
    earlier discards: all unseen cards are alike. Which answer is given is the opponent's choice, so that a
    mean needs a rule for it.
    """
    assert (info.turn, len(info.hand), info.opponent_fantasyland) == (3, 3, 0)
    mine, theirs = boards_of(info)
    placed: dict = {name: [*row, *getattr(placement, name)] for name, row in zip(ROWS, mine, strict=True)}
    for draw in combinations(info.unseen, 3):
        rest = [card for card in info.unseen if card not in draw]
        for answer in sorted(legal_settings(list(draw), theirs)):
            shown: dict = {f"opponent_{name}": [*theirs[row], *answer[row]] for row, name in enumerate(ROWS)}
            for own_draw in combinations(rest, 3):
                yield Outcome(
                    draw,
                    answer,
                    own_draw,
                    InformationSet(
                        **placed,
                        **shown,
                        hand=own_draw,
                        discards=[*info.discards, *placement.discards],
                        nowhere=info.nowhere,
                        turn=4,
                        button=info.button,
                        chips=info.chips,
                        opponent_chips=info.opponent_chips,
                        rules=info.rules,
                    ),
                )
