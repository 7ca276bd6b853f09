"""Positions as people write them: cards spelled this way or that, places by name, or a line of a game log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.positions.position import Position, read_cards
from ofc_env import Placement, Rules, _core, card_names

LONGEST_TEXT: int = _core.LONGEST_POSITION_TEXT
"""Characters that are read."""


@dataclass(frozen=True)
class Written:
    """What somebody wrote down: a position, and what was played in it if that was said too."""

    position: Position
    played: Placement | None = None


def read_text(text: str, rules: Rules = Rules()) -> Written:
    """A position from a text; ValueError, one sentence, for one that cannot be read.

    A line of a game log; or places by name, such as `top: Qs  hand: Qh X1 5c  opponent middle: 4c 4d`, which
    is also the text of an `InformationSet`; or cards alone, which are the hand. Whether play can reach the
    position is `information_of`'s to say.

    Args:
        text: as somebody wrote or pasted it.
        rules: of a text that names none; a line of a log is by its own.
    """
    fields, played = _core.read_position(text, rules)
    return Written(Position(**fields), played)


def position_dict(position: Position) -> dict[str, Any]:
    """A position JSON-ready: every place as a list of names, the rest as it is, rules by their name."""
    content: dict[str, Any] = {name: card_names(cards) for name, cards in read_cards(position).items()}
    for name in ("button", "chips", "opponent_chips", "opponent_fantasyland"):
        content[name] = getattr(position, name)
    return {**content, "rules": position.rules.name}
