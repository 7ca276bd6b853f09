"""The 48 relabellings under which the game is the same: 24 orders of the suits, jokers swapped or not.

A relabelling renames every card. The hand is sorted by card before its slots are numbered, so renaming the
cards of a hand can reorder it: the slots of masks, actions and policies change with the observation.

    copies = relabel(observations, masks, actions, permutation=17)

With one joker in the deck, or none, there are 24: `of_rules` gives their numbers.

Everything is vectorised over rows, and `permutation` may be one number or one for each row.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ofc_env._core import Rules
from ofc_env.layout import (
    BOTTOM_SLOTS,
    CARD_NUMBERS,
    CARDS,
    FIRST_JOKER,
    IN_HAND,
    OPENING_SETS,
    RANKS,
    SLOTS,
    SUITS,
    TOP_SLOTS,
    TURN_SLOTS,
    TurnSlot,
    card_places,
    cards_at,
    opening_set,
    turn_slot,
)

COUNT = 48
IDENTITY = 0


def _card_maps() -> NDArray[np.int64]:
    """(48, 54): the card that each becomes. Number = 2 * suit order + jokers swapped; 0 changes nothing."""
    maps = np.empty((COUNT, CARDS), dtype=np.int64)
    first, second = FIRST_JOKER, FIRST_JOKER + 1
    for index, suits in enumerate(permutations(range(SUITS))):
        naturals = [suits[card // RANKS] * RANKS + card % RANKS for card in range(FIRST_JOKER)]
        maps[2 * index] = [*naturals, first, second]
        maps[2 * index + 1] = [*naturals, second, first]
    return maps


def _slot_maps() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How a new order of the hand moves the slots.

    Returns:
        The slot that each slot becomes, (120, 150), for every order of up to five cards in hand; and the row
        of that table for an order written as a number in base 5, (3125,).
    """
    maps = np.empty((120, SLOTS), dtype=np.int64)
    row_of_code = np.zeros(5**5, dtype=np.int64)
    for row, order in enumerate(permutations(range(5))):
        row_of_code[int(np.dot(order, _CODE_WEIGHTS))] = row
        maps[row] = np.arange(SLOTS)
        for bits in range(OPENING_SETS):
            moved = sum(1 << order[place] for place, chosen in enumerate(opening_set(bits)) if chosen)
            maps[row, BOTTOM_SLOTS + bits] = BOTTOM_SLOTS + moved
            maps[row, TOP_SLOTS + bits] = TOP_SLOTS + moved
        if order[3:] == (3, 4):  # only three cards move: the placing slots apply
            for slot in range(TURN_SLOTS, BOTTOM_SLOTS):
                maps[row, slot] = _moved_turn_slot(slot, order[:3])
    return maps, row_of_code


def _moved_turn_slot(slot: int, order: tuple[int, ...]) -> int:
    """The slot of the same discard and rows when card `i` of three has become card `order[i]`."""
    moves = turn_slot(slot)
    first, second = (order[place] for place in moves.kept)
    rows = (moves.first_row, moves.second_row) if first < second else (moves.second_row, moves.first_row)
    return TurnSlot(order[moves.discard], *rows).slot


_CODE_WEIGHTS = 5 ** np.arange(5)
CARD_MAPS = _card_maps()
INVERSE_CARD_MAPS = np.argsort(CARD_MAPS, axis=1)
_SLOT_MAPS, _ROW_OF_CODE = _slot_maps()
_INDEX_OF_MAP = {tuple(cards): index for index, cards in enumerate(CARD_MAPS.tolist())}


def of_rules(rules: Rules | str | None = None) -> NDArray[np.int64]:
    """The numbers of the relabellings that turn a deck of the rules into itself, each another one."""
    both = Rules.of(rules).jokers == 2
    return np.arange(0, COUNT, 1 if both else 2)


def inverse(permutation: int) -> int:
    """The relabelling that undoes this one."""
    return _INDEX_OF_MAP[tuple(INVERSE_CARD_MAPS[_checked(permutation)].tolist())]


def compose(first: int, second: int) -> int:
    """The relabelling that does `first`, then `second`."""
    return _INDEX_OF_MAP[tuple(CARD_MAPS[_checked(second)][CARD_MAPS[_checked(first)]].tolist())]


def relabel_cards(cards: ArrayLike, permutation: int) -> list[int]:
    """The cards (indices) under their new names, in the order given."""
    renamed: list[int] = CARD_MAPS[_checked(permutation)][np.asarray(cards, dtype=np.int64)].tolist()
    return renamed


def slot_map(observations: NDArray[np.float32], permutation: ArrayLike) -> NDArray[np.int64]:
    """The slot that each slot becomes in N positions.

    Args:
        observations: (N, 490), before relabelling.
        permutation: one number from 0 to 47, or N of them.

    Returns:
        (N, 150): every row is an order of the 150 slots; those that cannot be legal now may stay in place.
    """
    numbers = _numbers(permutation, len(observations))
    in_hand = cards_at(observations, IN_HAND) != 0  # (N, 54)
    renamed = np.take_along_axis(in_hand, INVERSE_CARD_MAPS[numbers], axis=1)
    rows, cards = np.nonzero(in_hand)
    places = (np.cumsum(in_hand, axis=1) - 1)[rows, cards]
    new_places = (np.cumsum(renamed, axis=1) - 1)[rows, CARD_MAPS[numbers[rows], cards]]
    orders = np.tile(np.arange(5), (len(observations), 1))
    orders[rows, places] = new_places
    return _SLOT_MAPS[_ROW_OF_CODE[orders @ _CODE_WEIGHTS]]


def relabel_observation(observations: NDArray[np.float32], permutation: ArrayLike) -> NDArray[np.float32]:
    """The observations (N, 490) with every card renamed."""
    numbers = _numbers(permutation, len(observations))
    renamed = observations.copy()
    cards = np.take_along_axis(card_places(observations), INVERSE_CARD_MAPS[numbers][:, :, None], axis=1)
    renamed[:, :CARD_NUMBERS] = cards.reshape(len(observations), -1)
    return renamed


def relabel(
    observation: NDArray[np.float32], mask: NDArray[Any], action: ArrayLike, permutation: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[np.int64]]:
    """The same positions under other card names.

    Args:
        observation: (490,) or (N, 490).
        mask: (150,) or (N, 150): a mask, or any numbers by slot such as a policy.
        action: one slot or N of them; -1 stays -1.
        permutation: one number from 0 to 47, or N of them.

    Returns:
        Observation, mask and action of the same shapes.
    """
    single = observation.ndim == 1
    observations, masks = np.atleast_2d(observation), np.atleast_2d(mask)
    actions = np.atleast_1d(np.asarray(action, dtype=np.int64))
    moved = slot_map(observations, permutation)
    new_masks = np.empty_like(masks)
    np.put_along_axis(new_masks, moved, masks, axis=1)
    new_actions = np.take_along_axis(moved, np.maximum(actions, 0)[:, None], axis=1)[:, 0]
    new_actions[actions < 0] = -1
    new_observations = relabel_observation(observations, permutation)
    if single:
        return new_observations[0], new_masks[0], new_actions[0]
    return new_observations, new_masks, new_actions


def relabel_all(
    observation: NDArray[np.float32], mask: NDArray[Any], action: int, rules: Rules | str | None = None
) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[np.int64]]:
    """All K copies of one position: (K, 490), (K, 150) and (K,); the first is the position itself.

    K is 48, or 24 by rules without two jokers.
    """
    numbers = of_rules(rules)
    return relabel(
        np.repeat(observation[None], len(numbers), axis=0),
        np.repeat(mask[None], len(numbers), axis=0),
        np.full(len(numbers), action, dtype=np.int64),
        numbers,
    )


def _checked(permutation: int) -> int:
    if not 0 <= permutation < COUNT:
        raise ValueError(f"there is no relabelling {permutation}: give a number from 0 to {COUNT - 1}")
    return permutation


def _numbers(permutation: ArrayLike, rows: int) -> NDArray[np.int64]:
    """One relabelling number for each row."""
    numbers = np.asarray(permutation, dtype=np.int64)
    if numbers.ndim > 1 or (numbers.ndim == 1 and len(numbers) != rows):
        raise ValueError(
            f"cannot relabel {rows} rows by numbers of shape {numbers.shape}: give one or {rows}"
        )
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < COUNT):
        raise ValueError(
            f"there is no relabelling {numbers.min()} or {numbers.max()}: give numbers 0 to {COUNT - 1}"
        )
    return np.broadcast_to(numbers, (rows,))
