"""How an episode is asked for: seeds and the options of `reset`, read once for every environment.

All of it is read before anything moves, so that a refused reset leaves an environment as it was.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

from ofc_env import _core
from ofc_env.refusals import shown


class EpisodeStart(NamedTuple):
    """What is fixed of an episode's first hand; None is left to the environment."""

    button: int | None = None
    deck: list[int] | None = None
    chips: tuple[int, int] | None = None


LEFT_TO_CHANCE = EpisodeStart()


def read_seed(seed: Any) -> int | None:
    """A seed from any whole number of 0 or more; None stays None."""
    if seed is None:
        return None
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"the seed {shown(seed)} is not a whole number: give 0 or more, or None") from None
    if number < 0:
        raise ValueError(f"the seed {shown(number)} is negative: give 0 or more")
    return number


def read_seat(seat: Any, what: str) -> int:
    """A seat, 0 or 1; `what` names it in a refusal."""
    try:
        number = operator.index(seat)
    except TypeError:
        raise TypeError(f"the {what} {shown(seat)} is not 0 or 1") from None
    if number not in (0, 1):
        raise ValueError(f"the {what} {shown(seat)} is not 0 or 1")
    return number


def read_options(options: Any) -> Mapping[str, Any]:
    """The options of a `reset` as a mapping; None is an empty one."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"the options {shown(options)} are no dictionary: give one, or None")
    return options


def read_start(options: Mapping[str, Any], episode: str, rules: _core.Rules) -> EpisodeStart:
    """The `button`, and in hand episodes `deck` and `chips`, of the options; other keys are left alone."""
    button, deck, chips = options.get("button"), options.get("deck"), options.get("chips")
    if button is not None:
        button = read_seat(button, "button")
    if deck is None and chips is None:
        return EpisodeStart(button)
    if episode == "session":
        raise ValueError("a session takes no deck or chips: set the chips by Rules(chips=...)")
    pair = None if chips is None else _read_chips(chips, rules)
    if deck is not None and not isinstance(deck, str):
        try:
            deck = list(islice(deck, _core.NUM_CARDS + 1))
        except TypeError:
            raise TypeError(
                f"the deck {shown(deck)} is not a list of cards: give the {rules.num_cards} of the rules"
            ) from None
    # The hand knows what a deck is, and how many chips it can count.
    hand = _core.Hand(seed=0 if deck is None else None, deck=deck, chips=pair or (0, 0), rules=rules)
    return EpisodeStart(button, None if deck is None else hand.deck, pair)


def _read_chips(chips: Any, rules: _core.Rules) -> tuple[int, int]:
    most = 2 * rules.chips
    refusal = f"cannot start with chips {shown(chips)}: give two whole numbers from 0 to {most}"
    try:
        first, second = map(operator.index, chips)
    except TypeError:
        raise TypeError(refusal) from None
    except ValueError:
        raise ValueError(refusal) from None
    if not (0 <= first <= most and 0 <= second <= most):
        raise ValueError(refusal)
    return first, second
