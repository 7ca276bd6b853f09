"""Lines of an exported log, read with suspicion: every field is checked before anything is believed.

`read_lines` opens plain or gzipped JSONL; `parse_line` makes a `LoggedTurn` or a `LoggedSetting` of one line
or raises a `LineError` with one sentence. Whether the lines of a hand fit together, `logs.replay` says.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ofc_env import Placement, Rules, card_name
from ofc_env.layout import ROWS
from ofc_env.records.lines import FIELDS, PRACTICE, SETTING_FIELDS, rules_of_text

LONGEST_LINE = 1 << 16  # bytes; a true line has under 1,500
MOST_CHIPS = 60_000  # of a seat: both stacks of the largest game
CARD_INDEX = {card_name(card): card for card in range(54)}
CARD_BIT = {name: 1 << card for name, card in CARD_INDEX.items()}

_bit = CARD_BIT.__getitem__
_FIELDS = frozenset(FIELDS)
_FIELDS_OF_0_1 = _FIELDS - {"rules"}
_SETTING_FIELDS = frozenset(SETTING_FIELDS)
_ROW_NUMBERS = {row: number for number, row in enumerate(ROWS)}
_BOARD = frozenset(ROWS)
_HIDDEN_BOARD = frozenset((*ROWS, "fantasyland"))
_ACTION = frozenset(("placements", "discard"))
_SETTING_ACTION = frozenset(("placements", "discards"))
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)


class LineError(ValueError):
    """A line that cannot be what a game wrote.

    Attributes:
        hand: session_id and hand_id, where the line still tells them.
    """

    def __init__(self, reason: str, hand: tuple[str, str] | None = None) -> None:
        super().__init__(reason)
        self.hand = hand


class LoggedTurn(NamedTuple):
    """One line. Boards are three bit sets of cards (bit = card index): top, middle, bottom."""

    line: int  # number in the file, from 1
    session_id: str
    hand_id: str
    hand_number: int
    turn: int
    player: str
    button: int  # seat
    seat: int
    chips: tuple[int, int]
    own_board: tuple[int, int, int]
    opponent_board: tuple[int, int, int]
    opponent_fantasyland: int  # cards of a face-down fantasyland board, 0 in normal play
    dealt: tuple[int, ...]  # card indices
    discards: int  # bit set, of earlier turns
    placed: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # card indices by row
    discard: int | None
    think_time_ms: int
    rules: Rules  # that the hand was played by
    timestamp: str  # UTC

    @property
    def hand(self) -> tuple[str, str]:
        """What tells hands apart."""
        return (self.session_id, self.hand_id)

    @property
    def placement(self) -> Placement:
        """What the player did; ValueError for cards that no placement can hold."""
        return Placement(*self.placed, () if self.discard is None else (self.discard,))


class LoggedSetting(NamedTuple):
    """One line of a fantasyland hand that its player has set."""

    line: int
    session_id: str
    hand_id: str
    hand_number: int
    player: str
    button: int  # seat
    seat: int
    chips: tuple[int, int]
    opponent_fantasyland: int  # cards of the opponent's, 0 if it plays turns
    dealt: tuple[int, ...]  # 14 to 17 card indices
    placement: Placement
    think_time_ms: int
    rules: Rules
    timestamp: str

    @property
    def hand(self) -> tuple[str, str]:
        """What tells hands apart."""
        return (self.session_id, self.hand_id)

    @property
    def width(self) -> int:
        """Number of cards dealt."""
        return len(self.dealt)


def read_lines(path: Path) -> Iterator[tuple[int, bytes | LineError]]:
    """Numbered lines of a file, gzipped if its name ends in .gz; a place that cannot be read is an error."""
    number = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        while True:
            number += 1
            try:
                line = file.readline(LONGEST_LINE)
                if not line:
                    return
                too_long = not line.endswith(b"\n") and len(line) == LONGEST_LINE
                while too_long and line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST_LINE)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                yield number, LineError(f"the compressed file is damaged from here on ({error})")
                return
            yield number, LineError(f"the line is longer than {LONGEST_LINE} bytes") if too_long else line


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise LineError("a field stands twice in the line")
    return fields


def _no_constant(name: str) -> None:
    raise LineError(f"{name} is not a number of a log")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def parse_line(number: int, text: bytes | str) -> LoggedTurn | LoggedSetting:
    """The turn or setting of one line, or a `LineError` that says what is wrong with it."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        fields = _DECODER.decode(text)
    except LineError:
        raise
    except UnicodeDecodeError:
        raise LineError("the line is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise LineError(f"the line is not JSON: {error}") from None
    if type(fields) is not dict:
        raise LineError("the line is not a JSON object")
    session_id, hand_id = fields.get("session_id"), fields.get("hand_id")
    known = (session_id, hand_id) if type(session_id) is str and type(hand_id) is str else None
    try:
        if fields.get(PRACTICE) is True:
            raise LineError(
                "the hand was played at a practice table, where moves are taken back and hints given"
            )
        return _setting(number, fields) if "fantasyland" in fields else _turn(number, fields)
    except LineError as error:
        raise LineError(str(error), known) from None


def _turn(number: int, fields: dict[str, Any]) -> LoggedTurn:
    if fields.keys() != _FIELDS and fields.keys() != _FIELDS_OF_0_1:
        missing = sorted(_FIELDS_OF_0_1 - fields.keys())
        raise LineError(
            f"the field {missing[0]!r} is missing"
            if missing
            else f"the field {min(fields.keys() - _FIELDS)!r} does not belong to a turn"
        )
    turn, button, chips = fields["turn"], fields["btn"], fields["chips"]
    _whole(turn, "turn", 0, 4)
    _verify_header(fields)
    own_board, own_width = _board(fields["board_self"], "board_self")
    opponent_board, width = _board(fields["board_opponent"], "board_opponent")
    if own_width:
        raise LineError("board_self cannot be a face-down fantasyland board: settings are not turns")
    placed, discard = _action(fields["action"])
    dealt = _cards(fields["dealt_cards"], "dealt_cards", 3 if turn else 5)
    discards = _card_set(fields["known_discards_self"], "known_discards_self")
    rules = _rules(fields.get("rules", ""))
    if rules.num_cards < len(CARD_INDEX):
        _verify_deck((*own_board, *opponent_board, discards, *(1 << card for card in dealt)), rules)
    return LoggedTurn(
        number,
        fields["session_id"],
        fields["hand_id"],
        fields["hand_number"],
        turn,
        fields["player"],
        button,
        button if fields["is_btn"] else 1 - button,
        (chips[0], chips[1]),
        own_board,
        opponent_board,
        width,
        dealt,
        discards,
        placed,
        discard,
        fields["think_time_ms"],
        rules,
        fields["timestamp"],
    )


def _setting(number: int, fields: dict[str, Any]) -> LoggedSetting:
    if fields.keys() != _SETTING_FIELDS:
        missing = sorted(_SETTING_FIELDS - fields.keys())
        raise LineError(
            f"the field {missing[0]!r} is missing"
            if missing
            else f"the field {min(fields.keys() - _SETTING_FIELDS)!r} does not belong to a setting"
        )
    _verify_header(fields)
    if fields["turn"] is not None:
        raise LineError(f"turn is {fields['turn']!r}, and a fantasyland setting is none: it should be null")
    _whole(fields["fantasyland"], "fantasyland", 14, 17)
    button, chips, empty = fields["btn"], fields["chips"], (0, 0, 0)
    opponent_board, opponent_width = _board(fields["board_opponent"], "board_opponent")
    if _board(fields["board_self"], "board_self") != (empty, 0) or opponent_board != empty:
        raise LineError("a board holds cards before the fantasyland hand is set")
    if fields["known_discards_self"] != []:
        raise LineError("known_discards_self holds cards before the fantasyland hand is set")
    dealt = _cards(fields["dealt_cards"], "dealt_cards", fields["fantasyland"])
    rules = _rules(fields["rules"])
    if rules.num_cards < len(CARD_INDEX):
        _verify_deck(tuple(1 << card for card in dealt), rules)
    return LoggedSetting(
        number,
        fields["session_id"],
        fields["hand_id"],
        fields["hand_number"],
        fields["player"],
        button,
        button if fields["is_btn"] else 1 - button,
        (chips[0], chips[1]),
        opponent_width,
        dealt,
        _set_hand(fields["action"], dealt),
        fields["think_time_ms"],
        rules,
        fields["timestamp"],
    )


def _set_hand(action: Any, dealt: tuple[int, ...]) -> Placement:
    """What was made of a fantasyland hand: full rows, and all other cards thrown away."""
    if type(action) is dict and action.keys() == _SETTING_ACTION:
        discards = tuple(CARD_INDEX[name] for name in _card_names(action["discards"], "discards"))
        placed, _ = _action({"placements": action["placements"], "discard": None})
    else:
        placed, discard = _action(action)
        discards = () if discard is None else (discard,)
    if tuple(map(len, placed)) != (3, 5, 5) or sorted(sum(placed, discards)) != sorted(dealt):
        raise LineError(
            "action does not set the cards dealt: 3, 5 and 5 of them in rows, the others thrown away"
        )
    return Placement(*placed, discards)


def _verify_header(fields: dict[str, Any]) -> None:
    """What a turn and a setting have in common."""
    is_button, chips = fields["is_btn"], fields["chips"]
    for name in ("session_id", "hand_id", "player", "timestamp"):
        if type(fields[name]) is not str:
            raise LineError(f"{name} is {fields[name]!r}, which is not text")
    if not _TIMESTAMP.fullmatch(fields["timestamp"]):
        raise LineError(f"timestamp is {fields['timestamp']!r}, which is not like 2031-01-02T03:04:05.678Z")
    _whole(fields["hand_number"], "hand_number", 0, 1 << 53)
    _whole(fields["btn"], "btn", 0, 1)
    _whole(fields["think_time_ms"], "think_time_ms", -1, 1 << 53)
    if type(is_button) is not bool:
        raise LineError(f"is_btn is {is_button!r}, which is neither true nor false")
    if type(chips) is not list or len(chips) != 2:
        raise LineError(f"chips is {chips!r}, which is not a pair")
    _whole(chips[0], "chips", 0, MOST_CHIPS)
    _whole(chips[1], "chips", 0, MOST_CHIPS)


def _whole(value: Any, name: str, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise LineError(f"{name} is {value!r}, which is not a whole number from {low} to {high}")


def _rules(text: Any) -> Rules:
    if type(text) is not str:
        raise LineError(f"rules is {text!r}, which is not text")
    try:
        return rules_of_text(text)
    except (ValueError, TypeError) as error:
        raise LineError(f"rules is {text!r}, which are no rules: {error}") from None


def _verify_deck(places: tuple[int, ...], rules: Rules) -> None:
    """Refuse cards that the deck of the rules does not have: jokers."""
    for name, bit in CARD_BIT.items():
        if bit >> rules.num_cards and any(cards & bit for cards in places):
            raise LineError(f"the line holds {name}, which is not in the deck of the rules {rules.name!r}")


def _card_set(names: Any, what: str) -> int:
    if type(names) is not list:
        raise LineError(f"{what} is {names!r}, which is not a list of cards")
    try:
        cards = sum(map(_bit, names))
    except (KeyError, TypeError):
        stranger = next(name for name in names if type(name) is not str or name not in CARD_BIT)
        raise LineError(f"{what} holds {stranger!r}, which is not a card") from None
    if cards.bit_count() != len(names):  # equal bits carry over and leave fewer
        twice = next(name for name in names if names.count(name) > 1)
        raise LineError(f"{what} holds {twice} twice")
    return cards


def _card_names(names: Any, what: str) -> list[str]:
    _card_set(names, what)
    return list(names)


def _cards(names: Any, what: str, count: int) -> tuple[int, ...]:
    cards = tuple(CARD_INDEX[name] for name in _card_names(names, what))
    if len(cards) != count:
        raise LineError(f"{what} holds {len(cards)} cards and this turn deals {count}")
    return cards


def _board(value: Any, what: str) -> tuple[tuple[int, int, int], int]:
    """The rows of a board as bit sets, and the width of a face-down one."""
    if type(value) is not dict or (value.keys() != _BOARD and value.keys() != _HIDDEN_BOARD):
        raise LineError(f"{what} is not a board of top, middle and bottom")
    top = _card_set(value["top"], "top")
    middle = _card_set(value["middle"], "middle")
    bottom = _card_set(value["bottom"], "bottom")
    if top.bit_count() > 3 or middle.bit_count() > 5 or bottom.bit_count() > 5:
        raise LineError(f"a row of {what} holds more cards than it has room for")
    if (top & middle) | (top & bottom) | (middle & bottom):
        raise LineError(f"{what} holds a card in two rows")
    width = value.get("fantasyland", 0)
    if len(value) == 4:
        _whole(width, f"{what}.fantasyland", 14, 17)
        if top | middle | bottom:
            raise LineError(f"{what} shows cards of a face-down fantasyland board")
    return (top, middle, bottom), width


def _action(value: Any) -> tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], int | None]:
    """The cards placed in each row, and the discard."""
    if type(value) is not dict or value.keys() != _ACTION or type(value["placements"]) is not list:
        raise LineError("action is not made of placements and discard")
    rows: tuple[list[int], list[int], list[int]] = ([], [], [])
    for pair in value["placements"]:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not str:
            raise LineError(f"{pair!r} is not a card and its row")
        card, row = CARD_INDEX.get(pair[0]), _ROW_NUMBERS.get(pair[1])
        if card is None or row is None:
            raise LineError(f"{pair!r} is not a card and its row")
        rows[row].append(card)
    discard = value["discard"]
    if discard is not None:
        if type(discard) is not str or discard not in CARD_INDEX:
            raise LineError(f"discard is {discard!r}, which is not a card")
        discard = CARD_INDEX[discard]
    return (tuple(rows[0]), tuple(rows[1]), tuple(rows[2])), discard
