"""The table as one seat sees it, as text: made from what it knows, so that nothing hidden can slip in."""

from __future__ import annotations

from ofc_env import InformationSet
from ofc_env.layout import ROW_SIZES, ROWS
from ofc_env.rendering import card_text

LABEL_WIDTH = 10
COLUMN_WIDTH = 26


def cards_text(
    cards: list[int], room: int = 0, colour: bool = False, pending: frozenset[int] = frozenset()
) -> str:
    """Cards in a row, dots for free places, a star behind each card that is not confirmed yet."""
    words = [card_text(card, colour) + ("*" if card in pending else "") for card in cards]
    return " ".join(words + ["··"] * (room - len(cards)))


def seat_text(
    seen: InformationSet,
    names: tuple[str, str] = ("you", "opponent"),
    colour: bool = False,
    pending: dict[int, str] | None = None,
) -> str:
    """The table of a seat.

    Args:
        seen: what the seat knows.
        names: one's own and the opponent's.
        pending: cards of the hand that are put somewhere but not confirmed: row name or "discards".
    """
    pending = pending or {}
    lines = [_headline(seen, names)]
    titles = [f"{names[0]}, {seen.chips} chips", f"{names[1]}, {seen.opponent_chips} chips"]
    lines.append(" " * LABEL_WIDTH + "".join(title.ljust(COLUMN_WIDTH) for title in titles))
    for row, room in zip(ROWS, ROW_SIZES, strict=True):
        own = getattr(seen, row) + [card for card, place in pending.items() if place == row]
        other = getattr(seen, f"opponent_{row}")
        left = cards_text(own, room, colour, frozenset(pending))
        stars = sum(card in pending for card in own)
        gap = " " * max(1, COLUMN_WIDTH - (3 * room - 1) - stars)
        right = "(face down)" if seen.opponent_fantasyland else cards_text(other, room, colour)
        lines.append(f"{row:<{LABEL_WIDTH}}{left}{gap}{right}")
    thrown = seen.discards + [card for card, place in pending.items() if place == "discards"]
    lines.append(f"{'discards':<{LABEL_WIDTH}}{cards_text(thrown, 0, colour, frozenset(pending))}")
    held = [card for card in seen.hand if card not in pending]
    lines.append(f"{'in hand':<{LABEL_WIDTH}}{cards_text(held, 0, colour)}")
    return "\n".join(line.rstrip() for line in lines)


def _headline(seen: InformationSet, names: tuple[str, str]) -> str:
    if seen.opponent_fantasyland:
        order = f"{names[1]} is in fantasyland with {seen.opponent_fantasyland} cards"
    else:
        acts = f"{seen.rules.button_acts} to act"
        order = f"{names[0] if seen.button else names[1]} on the button, {acts}"
    return f"turn {seen.turn} of 4, {order}"
