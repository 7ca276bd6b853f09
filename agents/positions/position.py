"""Any position, written down by a person or held in a log, as the 490 numbers that a seat sees."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Observation
from ofc_env import InformationSet, Rules, card_name, parse_cards
from ofc_env.layout import ROWS

Cards = str | Iterable[str | int]
# A card as people write it: ten in digits, small letters, suits as signs, several without a blank between.
_WRITTEN_CARD = re.compile(r"(10|[2-9tjqka])([hdcs♥♦♣♠♡♢♧♤])|x([12])", re.IGNORECASE)
_WRITTEN_CARDS = re.compile(f"(?:{_WRITTEN_CARD.pattern})+", re.IGNORECASE)
LONGEST_WORD = 12  # that a refusal repeats
_SUIT_OF_SIGN = dict(zip("♥♦♣♠♡♢♧♤", "hdcshdcs", strict=True))

# Where a card can lie, in the order of the observation's nine places, and how many fit there (None: any).
PLACE_NAMES: tuple[tuple[str, str, int | None], ...] = (
    ("top", "the top", 3),
    ("middle", "the middle", 5),
    ("bottom", "the bottom", 5),
    ("opponent_top", "the opponent's top", 3),
    ("opponent_middle", "the opponent's middle", 5),
    ("opponent_bottom", "the opponent's bottom", 5),
    ("hand", "the hand", None),
    ("discards", "the discards", 4),
)

FANTASYLAND_WIDTHS = range(14, 18)


@dataclass(frozen=True)
class Position:
    """What a seat knows when it is to act. Cards as text ("Ah Kd X1"), names or indices."""

    top: Cards = ""
    middle: Cards = ""
    bottom: Cards = ""
    opponent_top: Cards = ""
    opponent_middle: Cards = ""
    opponent_bottom: Cards = ""
    hand: Cards = ""  # in hand, to be placed now
    discards: Cards = ""  # one's own
    button: bool | None = None  # whether one has it; None: as the number of placed cards tells
    chips: int | None = None  # one's own, before the hand; None: what the rules begin with
    opponent_chips: int | None = None  # None: the rest of both players' chips
    opponent_fantasyland: int = 0  # cards of the opponent's fantasyland, 0 in normal play
    opening_step: int = 0  # 1 if the bottom of the opening is placed and top and middle are to come
    rules: Rules = Rules()  # that are played by


def information_of(position: Position) -> InformationSet:
    """What the seat of a position knows; ValueError, one sentence, for a position that play cannot reach."""
    cards = read_cards(position)
    turn = _turn(cards, position.opening_step)
    button = _button(cards, turn, position)
    both = 2 * position.rules.chips
    own_chips = position.rules.chips if position.chips is None else position.chips
    opponent_chips = both - own_chips if position.opponent_chips is None else position.opponent_chips
    for owner, chips in (("one", own_chips), ("the opponent", opponent_chips)):
        if not 1 <= chips < both:
            raise ValueError(f"{owner} cannot have {chips} chips in a hand: the chips are 1 to {both - 1}")
    places: dict[str, Any] = dict(cards)
    return InformationSet(
        **places,
        turn=turn,
        opening_step=position.opening_step,
        button=button,
        opponent_fantasyland=position.opponent_fantasyland,
        chips=own_chips,
        opponent_chips=opponent_chips,
        rules=position.rules,
    )


def observation_of(position: Position) -> NDArray[np.float32]:
    """The 490 numbers of a position."""
    return information_of(position).observation()


def with_mask(numbers: NDArray[np.float32], rules: Rules = Rules()) -> Observation:
    """What an agent is given: the 490 numbers and the mask of the slots that are legal there."""
    return {
        "observation": numbers,
        "action_mask": InformationSet.from_observation(numbers, rules).action_mask(),
    }


def read_cards(position: Position) -> dict[str, list[int]]:
    """The cards of each place as indices, each card once."""
    found: dict[int, str] = {}
    cards: dict[str, list[int]] = {}
    for name, words, room in PLACE_NAMES:
        try:
            cards[name] = parse_cards(spelled(getattr(position, name)))
        except ValueError as error:
            raise ValueError(f"{words}: {error}") from None
        for card in cards[name]:
            if card in found:
                where = f"twice in {words}" if found[card] == words else f"in {found[card]} and in {words}"
                raise ValueError(f"{card_name(card)} stands {where}: every card exists once")
            found[card] = words
        if room is not None and len(cards[name]) > room:
            raise ValueError(f"{words} has {len(cards[name])} cards: at most {room} fit")
    return cards


def spelled(cards: Cards) -> Cards:
    """Cards as the engine names them, however a person spelled them: `10c ahKD` is `Tc Ah Kd`.

    What is no card is left as it is, for the engine to refuse.
    """
    if isinstance(cards, str):
        return re.sub(r"[^\s,]+", lambda word: " ".join(_spelled_word(word[0])), cards)
    return [" ".join(_spelled_word(each)) if isinstance(each, str) else each for each in cards]


def _spelled_word(word: str) -> list[str]:
    if not _WRITTEN_CARDS.fullmatch(word):
        return [word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}…"]
    names = []
    for rank, suit, joker in _WRITTEN_CARD.findall(word):
        suit = _SUIT_OF_SIGN.get(suit, suit.lower())
        names.append(f"X{joker}" if joker else f"{'T' if rank == '10' else rank.upper()}{suit}")
    return names


def _turn(cards: Mapping[str, list[int]], opening_step: int) -> int:
    """The turn that one's own cards belong to, 0 to 4."""
    placed = sum(len(cards[row]) for row in ROWS)
    held, thrown = len(cards["hand"]), len(cards["discards"])
    if opening_step:
        if placed != len(cards["bottom"]) or placed + held != 5 or not held or thrown:
            raise ValueError(
                "the second step of an opening has cards on the bottom only, and the rest of the five in hand"
            )
        return 0
    if not held:
        raise ValueError("no cards in hand: say which cards are to be placed")
    if held in FANTASYLAND_WIDTHS:
        if placed or thrown:
            raise ValueError("a fantasyland hand is set all at once: leave your rows and discards out")
        return 0
    turns = {0: 0, 5: 1, 7: 2, 9: 3, 11: 4}
    if placed not in turns:
        raise ValueError(f"{placed} cards on one's own board: before a turn there are 0, 5, 7, 9 or 11")
    turn = turns[placed]
    if not turn and held > 5:
        raise ValueError(f"{held} cards in hand: an opening has 5, a fantasyland hand 14 to 17")
    if held != (3 if turn else 5):
        raise ValueError(f"{held} cards in hand: with {placed} cards placed there are {3 if turn else 5}")
    if thrown != max(0, turn - 1):
        raise ValueError(f"{thrown} discards: with {placed} cards placed there are {max(0, turn - 1)}")
    return turn


def _button(cards: Mapping[str, list[int]], turn: int, position: Position) -> bool:
    """Whether the seat has the button: the opponent's board tells who acts first, the rules the rest."""
    placed = sum(len(cards[f"opponent_{row}"]) for row in ROWS)
    width = position.opponent_fantasyland
    if width:
        if width not in FANTASYLAND_WIDTHS:
            raise ValueError(f"a fantasyland has 14 to 17 cards, not {width}")
        if placed:
            raise ValueError("the opponent is in fantasyland: its board lies face down, leave it out")
        return bool(position.button)
    if len(cards["hand"]) in FANTASYLAND_WIDTHS:
        if placed:
            raise ValueError("a fantasyland hand is set before the opponent places: leave its board out")
        return bool(position.button)
    first, second = (5 + 2 * (turn - 1) if turn else 0), 5 + 2 * turn
    if placed not in (first, second):
        raise ValueError(
            f"{placed} cards on the opponent's board: on turn {turn} it has {first} if one acts first, "
            f"otherwise {second}"
        )
    button_first = position.rules.first_to_act(button=0) == 0
    button = (placed == first) == button_first
    if position.button is not None and position.button != button:
        role, expected = ("with", first) if position.button else ("without", second)
        if not button_first:
            expected = first + second - expected
        raise ValueError(
            f"{role} the button the opponent's board has {expected} cards on turn {turn}, not {placed}"
        )
    return button


# ---------------------------------------------------------------- from a log


def position_of_line(line: Mapping[str, Any]) -> Position:
    """The position before a turn of a game log, from one object of its JSONL form."""
    try:
        own, other = line["board_self"], line["board_opponent"]
        seat = line["btn"] if line["is_btn"] else 1 - line["btn"]
        return Position(
            **{row: own[row] for row in ROWS},
            **{f"opponent_{row}": other[row] for row in ROWS},
            hand=line["dealt_cards"],
            discards=line["known_discards_self"],
            button=bool(line["is_btn"]),
            chips=line["chips"][seat],
            opponent_chips=line["chips"][1 - seat],
            opponent_fantasyland=other.get("fantasyland") or 0,
            rules=Rules.parse(line.get("rules", "")),
        )
    except KeyError as missing:
        raise ValueError(f"not a turn of a game log: it has no {missing}") from None
    except (TypeError, IndexError, AttributeError):
        raise ValueError("not a turn of a game log: boards, chips or seats have the wrong shape") from None


def read_log_line(path: Path, number: int) -> dict[str, Any]:
    """Line `number` of a JSONL log, plain or gzipped, the first being 1."""
    if number < 1:
        raise ValueError(f"there is no line {number}: the first line of a log is 1")
    if not path.is_file():
        raise ValueError(f"there is no log {path}: name a file of JSON lines")
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        count = 0
        for count, text in enumerate(lines, start=1):
            if count == number:
                try:
                    line = json.loads(text)
                except json.JSONDecodeError:
                    raise ValueError(f"line {number} of {path} is not JSON") from None
                if not isinstance(line, dict):
                    raise ValueError(f"line {number} of {path} is not a turn: it must be a JSON object")
                return line
    raise ValueError(f"{path} has {count} lines: there is no line {number}")
