"""Opening fives that differ by the names of suits alone, or by which joker it is, are one class.

With two jokers in the deck there are 152,646; the core numbers them (core/openings/classes.hpp).

    openings = classes_of(2)
    number, cards = openings.find(parse_cards("Qs 7d X2 Qh 2s"))  # the five in the order of the class's own
    openings.cards(number)  # its own: X1 Qh Qd 7c 2h
"""

from __future__ import annotations

from ofc_env._core import OpeningClasses as Classes

__all__ = ["Classes", "classes_of"]


def classes_of(jokers: int) -> Classes:
    """Those of a deck with 0, 1 or 2 jokers; made once."""
    return Classes.of(jokers)
