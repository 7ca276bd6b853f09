"""Positions as people write them: cards spelled this way or that, places by name, or a line of a game log."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from agents.positions.position import PLACE_NAMES, Position, information_of, position_of_line, read_cards
from ofc_env import Placement, Rules, card_names
from ofc_env.records.lines import placement_of_action
from ofc_env.refusals import shown

LONGEST_TEXT = 8000
"""Characters that are read: a line of a log has about 700."""
_PLACES = tuple(name for name, _, _ in PLACE_NAMES)
_NUMBERS = ("chips", "opponent_chips", "opponent_fantasyland", "opening_step", "turn")
_NAMES = (*_PLACES, *_NUMBERS, "button", "rules", "played")
# "opponent top:" and "opponent_top=" alike; longer names first, for "top" ends the name of another place.
_NAME = re.compile(
    rf"(?<![\w-])({'|'.join(name.replace('_', '[ _-]') for name in sorted(_NAMES, key=len, reverse=True))})"
    r"\s*[:=]",
    re.IGNORECASE,
)
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


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
    text = text.strip()
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"the text has {len(text)} characters: a position needs fewer than {LONGEST_TEXT}")
    if text.startswith("{"):
        return _of_line(text)
    found = list(_NAME.finditer(text))
    before = text[: found[0].start()] if found else text
    values: dict[str, str] = {"hand": before} if before.strip(" \t\r\n,;") else {}
    for match, following in zip_longest(found, found[1:]):
        name = re.sub("[ -]", "_", match[1].lower())
        if name in values:
            raise ValueError(f"{name} is written twice: give each place once")
        values[name] = text[match.end() : following.start() if following else None]
    return _of_values({name: value.strip(" \t\r\n,;") for name, value in values.items()}, rules)


def _of_values(values: Mapping[str, str], rules: Rules) -> Written:
    options: dict[str, Any] = {"rules": rules}
    for name, value in values.items():
        if name in _PLACES:
            options[name] = value
        elif name in _NUMBERS:
            if not re.fullmatch(r"\d{1,6}", value, re.ASCII):
                raise ValueError(f"{name} {shown(value)} is not a number: write it in digits")
            options[name] = int(value)
        elif name == "button":
            if value.lower() not in (*_YES, *_NO):
                raise ValueError(f"button {shown(value)} is neither yes nor no")
            options[name] = value.lower() in _YES
        elif name == "rules":
            options[name] = Rules.parse(value.replace("+", " "))  # as InformationSet writes them
    if options.pop("opening_step", 0):
        raise ValueError("half an opening is placed: give all five cards as the hand")
    turn = options.pop("turn", None)
    written = Written(Position(**options), Placement.parse(values["played"]) if "played" in values else None)
    if turn is not None:
        known = information_of(written.position)
        if known.turn != turn:
            raise ValueError(f"the cards are those of turn {known.turn}, not of turn {turn}: leave turn out")
    return written


def _of_line(text: str) -> Written:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("this begins like a line of a log and is not JSON: paste one whole line") from None
    position = position_of_line(line)
    action = line.get("action")
    return Written(position, placement_of_action(action) if isinstance(action, dict) else None)


def position_dict(position: Position) -> dict[str, Any]:
    """A position JSON-ready: every place as a list of names, the rest as it is, rules by their name."""
    content: dict[str, Any] = {name: card_names(cards) for name, cards in read_cards(position).items()}
    for name in ("button", "chips", "opponent_chips", "opponent_fantasyland"):
        content[name] = getattr(position, name)
    return {**content, "rules": position.rules.name}
