"""Damaged logs: every kind of damage has its sentence, and none becomes data."""

import copy
import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from experiments.logs.lines import LineError, LoggedTurn, parse_line
from experiments.logs.replay import HandError, RowBuffer, replay_hand
from experiments.preprocess import preprocess
from ofc_env import card_name
from ofc_env.records import Records
from ofc_env.records.lines import FIELDS, iter_turns
from tests.logs import log_hands

Line = dict[str, Any]


@pytest.fixture(scope="module")
def hands(tmp_path_factory) -> list[list[Line]]:
    """Logged hands as lists of lines: of both players, of one of them, and against fantasyland."""
    path = tmp_path_factory.mktemp("logs") / "games.db"
    with Records(path, durable=False) as records, records.transaction():
        log_hands(records, "s", 60, 11, ((0, 0), (0, 0), (14, 0), (0, 16)))
    chosen: dict[str, list[Line]] = {}
    for line in iter_turns(path):
        chosen.setdefault(line["hand_id"], []).append(dict(line))
    for name, line in [(f"{line['hand_id']}-only", line) for line in iter_turns(path, player="ann")]:
        if line["hand_number"] % 4 < 2:
            chosen.setdefault(name, []).append({**line, "hand_id": name})
    return list(chosen.values())


def other_card(card: str, rng: random.Random) -> str:
    return card_name(rng.choice([index for index in range(54) if card_name(index) != card]))


def turn_of(number: int, line: Line) -> LoggedTurn:
    turn = parse_line(number, json.dumps(line))
    assert isinstance(turn, LoggedTurn)
    return turn


def refusal(lines: list[Line]) -> str:
    """Why the hand of these lines is refused."""
    rows = RowBuffer(16)
    try:
        turns = [turn_of(number, line) for number, line in enumerate(lines, start=1)]
        replay_hand(turns, rows)
    except (LineError, HandError) as error:
        assert len(rows) == 0
        return str(error)
    return ""


def changed(lines: list[Line], index: int, **fields: Any) -> list[Line]:
    return [{**line, **fields} if place == index else line for place, line in enumerate(lines)]


def test_each_damage_has_its_sentence(hands):
    hand = next(hand for hand in hands if len(hand) == 10)
    assert refusal(hand) == ""
    fourth, last = hand[4], hand[9]
    action, board = fourth["action"], fourth["board_self"]
    dealt = fourth["dealt_cards"]
    (first, first_row), second = action["placements"]
    full = copy.deepcopy(last["action"])
    rows = last["board_self"]
    full_row = next(row for row in rows if len(rows[row]) == (3 if row == "top" else 5))
    full["placements"][0][1] = full_row
    cases: list[tuple[dict[str, Any], str]] = [
        ({"dealt_cards": ["Zz", *dealt[1:]]}, "'Zz', which is not a card"),
        ({"dealt_cards": [hand[0]["dealt_cards"][0], *dealt[1:]]}, "was dealt already"),
        ({"dealt_cards": [dealt[0], dealt[0], dealt[1]]}, "twice"),
        ({"dealt_cards": dealt[:2]}, "2 cards and this turn deals 3"),
        ({"action": {**action, "discard": None}}, "this turn discards 1 card"),
        ({"action": {**action, "discard": first}}, "placed twice"),
        ({"action": {**action, "placements": [second]}}, "not placed"),
        ({"action": {**action, "placements": [[first, first_row]] * 2}}, "twice"),
        ({"action": {**action, "placements": [[first, "left"], second]}}, "not a card and its row"),
        ({"action": {**action, "placements": [[first], second]}}, "not a card and its row"),
        ({"action": {"placements": action["placements"]}}, "not made of placements and discard"),
        ({"board_self": {**board, "top": board["top"] + ["X1"]}}, "board_self does not follow"),
        ({"board_self": {**board, "top": 3 * board["bottom"]}}, "twice|two rows|board"),
        ({"board_self": [board]}, "not a board"),
        (
            {"board_self": {"top": [], "middle": [], "bottom": [], "fantasyland": 14}},
            "settings are not turns",
        ),
        ({"board_opponent": hand[2]["board_opponent"]}, "board_opponent does not follow"),
        ({"board_opponent": {"top": [], "middle": [], "bottom": [], "fantasyland": 14}}, "had 0"),
        ({"board_opponent": {**board, "fantasyland": 14}}, "shows cards"),
        ({"board_opponent": {"top": [], "middle": [], "bottom": [], "fantasyland": 13}}, "from 14 to 17"),
        ({"known_discards_self": []}, "known_discards_self does not follow"),
        ({"known_discards_self": "2h"}, "not a list of cards"),
        ({"turn": 3}, "stands where turn 2"),
        ({"turn": 2.0}, "not a whole number"),
        ({"turn": True}, "not a whole number"),
        ({"chips": [199, 201]}, "chips is"),
        ({"chips": [200]}, "not a pair"),
        ({"btn": 1 - fourth["btn"]}, "btn is|stands where"),
        ({"is_btn": not fourth["is_btn"]}, "player is|stands where"),
        ({"is_btn": 1}, "neither true nor false"),
        ({"player": "eve"}, "player is 'eve'"),
        ({"player": None}, "not text"),
        ({"hand_number": 7_000}, "hand_number is"),
        ({"think_time_ms": -2}, "think_time_ms is -2"),
        ({"think_time_ms": 1.5}, "not a whole number"),
        ({"timestamp": "yesterday"}, "timestamp is"),
        ({"extra": 1}, "'extra' does not belong"),
    ]
    for fields, sentence in cases:
        reason = refusal(changed(hand, 4, **fields))
        assert reason, fields
        assert any(part in reason for part in sentence.split("|")), (fields, reason)
    assert "the row already has" in refusal(changed(hand, 9, action=full))
    for name in FIELDS:
        missing = [{key: value for key, value in line.items() if key != name} for line in hand]
        # Lines of version 0.1 do not say their rules.
        assert refusal(missing) == ("" if name == "rules" else f"the field {name!r} is missing")
    for index in range(9):
        assert "stands where" in refusal(hand[:index] + hand[index + 1 :])
        assert "stands where" in refusal([*hand[:index], hand[index + 1], hand[index], *hand[index + 2 :]])
        assert "stands where" in refusal([*hand[: index + 1], *hand[index:]])
    assert "stops before turn 4" in refusal(hand[:9])
    assert "more lines than turns" in refusal([*hand, hand[9]])


def test_an_opponent_seen_by_one_player_must_grow_by_the_rules(hands):
    hand = next(hand for hand in hands if len(hand) == 5 and "fantasyland" not in hand[0]["board_opponent"])
    for index, line in enumerate(hand):
        board = line["board_opponent"]
        row = next((row for row in board if board[row]), None)
        if row is None:
            assert "holds cards before" in refusal(
                changed(hand, index, board_opponent=hand[1]["board_opponent"])
            )
            continue
        fewer = {**board, row: board[row][1:]}
        assert refusal(changed(hand, index, board_opponent=fewer))
        moved = {**fewer, "top": fewer["top"] + board[row][:1]} if row != "top" else fewer
        if index < 4:
            assert refusal(changed(hand, index, board_opponent=moved))
        mine = {**board, row: [hand[0]["dealt_cards"][0], *board[row][1:]]}
        assert refusal(changed(hand, index, board_opponent=mine))


def test_lines_that_are_no_lines():
    for text, sentence in (
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"a": NaN}', "NaN is not a number of a log"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ("[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        ("1" * 5000, "not JSON"),
        ("{}", "'action' is missing"),
    ):
        with pytest.raises(LineError, match=sentence):
            parse_line(1, text)


# ---------------------------------------------------------------- fuzzing


def _junk(rng: random.Random) -> Any:
    return rng.choice([None, "", "Ah", [], ["Ah"], {}, {"top": []}, -5, 5, 10**30, 0.5, True, [[]], "\ud7ff"])


def _card_places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where cards are named in a line."""
    if isinstance(value, str):
        return [path] if len(value) == 2 and path[0] not in ("player", "session_id", "hand_id") else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, part in items for place in _card_places(part, (*path, key))]


def _replace(line: Line, path: tuple[Any, ...], value: Any) -> Line:
    line = copy.deepcopy(line)
    target: Any = line
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return line


def _byte(lines: list[bytes], index: int, rng: random.Random) -> list[bytes]:
    text = bytearray(lines[index])
    place = rng.randrange(len(text))
    kind = rng.randrange(4)
    if kind == 0:
        text[place] = rng.randrange(256)
    elif kind == 1:
        del text[place]
    elif kind == 2:
        text.insert(place, rng.randrange(256))
    else:
        del text[place:]
    return [*lines[:index], bytes(text), *lines[index + 1 :]]


def _on_object(change: Callable[[Line, random.Random], Line]) -> Callable[..., list[bytes]]:
    def damage(lines: list[bytes], index: int, rng: random.Random) -> list[bytes]:
        line = change(json.loads(lines[index]), rng)
        return [*lines[:index], json.dumps(line).encode(), *lines[index + 1 :]]

    return damage


def _other_card(line: Line, rng: random.Random) -> Line:
    place = rng.choice(_card_places(line))
    value: Any = line
    for key in place:
        value = value[key]
    return _replace(line, place, other_card(value, rng))


def _misplaced_card(line: Line, rng: random.Random) -> Line:
    board = rng.choice(["board_self", "board_opponent"])
    row = rng.choice(["top", "middle", "bottom"])
    cards = [card_name(rng.randrange(54)), *line[board][row]][: rng.randrange(6)]
    changed_line = _replace(line, (board, row), cards)
    return changed_line if sorted(cards) != sorted(line[board][row]) else _replace(line, (board,), None)


DAMAGES: list[Callable[..., list[bytes]]] = [
    _byte,
    _byte,
    lambda lines, index, rng: lines[:index] + lines[index + 1 :],
    lambda lines, index, rng: [*lines[: index + 1], *lines[index:]],
    lambda lines, index, rng: [*lines[:index], b'{"hand_id": 3}', *lines[index + 1 :]],
    _on_object(lambda line, rng: {key: line[key] for key in rng.sample(FIELDS, len(FIELDS) - 1)}),
    _on_object(lambda line, rng: {**line, rng.choice(FIELDS): _junk(rng)}),
    _on_object(_other_card),
    _on_object(_other_card),
    _on_object(_misplaced_card),
    _on_object(lambda line, rng: {**line, "turn": (line["turn"] + rng.randint(1, 4)) % 5}),
    _on_object(lambda line, rng: {**line, "is_btn": not line["is_btn"]}),
    _on_object(lambda line, rng: {**line, "btn": 1 - line["btn"]}),
    _on_object(lambda line, rng: {**line, "chips": [chips + 1 for chips in line["chips"]]}),
    _on_object(lambda line, rng: {**line, "dealt_cards": line["dealt_cards"][::-1][:-1]}),
    _on_object(lambda line, rng: _replace(line, ("action", "placements"), line["action"]["placements"][1:])),
]


def another_possible_opponent(original: list[bytes], damaged: list[bytes]) -> bool:
    """Damage that no reader could see: an opponent without lines of its own may have placed so as well."""
    before, after = ([json.loads(line) for line in lines] for lines in (original, damaged))
    assert [{**line, "board_opponent": 0} for line in before] == [
        {**line, "board_opponent": 0} for line in after
    ]
    own = {card for line in after for card in line["dealt_cards"]}
    views = [
        {(card, row) for row, cards in line["board_opponent"].items() for card in cards} for line in after
    ]
    sizes = [0, 5, 7, 9, 11] if after[0]["is_btn"] else [5, 7, 9, 11, 13]
    return (
        len(original) == 5
        and [len(view) for view in views] == sizes
        and all(old < new for old, new in itertools.pairwise(views))
        and not own & {card for card, _ in views[-1]}
    )


def test_ten_thousand_damaged_lines(hands, tmp_path):
    """Each copy of a hand has one damage: it leaves with its hand, or it changed nothing that is data."""
    rng = random.Random(2)
    originals: list[list[bytes]] = []
    written: list[list[bytes]] = []
    for number in range(11_500):
        base = hands[number % len(hands)]
        lines = [json.dumps({**line, "hand_id": f"h{number}"}).encode() for line in base]
        originals.append(lines)
        damaged = rng.choice(DAMAGES)(lines, rng.randrange(len(lines)), rng) if number % 8 else lines
        written.append(damaged)
    damage_count = sum(before != after for before, after in zip(originals, written))
    assert damage_count >= 10_000
    log = tmp_path / "damaged.jsonl"
    log.write_bytes(b"".join(line + b"\n" for lines in written for line in lines))
    counts = preprocess(log, tmp_path / "data", progress=False)["counts"]
    assert counts["lines"] == sum(
        counts[name] for name in ("blank_lines", "used_turns", "timeouts", "refused_lines", "dropped_lines")
    )
    check_survivors(hands, originals, written, tmp_path / "data")


def check_survivors(hands, originals, written, folder):
    """Every row that came through is a row of the undamaged hand, and every undamaged hand came through."""
    expected = []
    for hand in hands:
        rows = RowBuffer(16)
        replay_hand([turn_of(1, line) for line in hand], rows)
        expected.append(content(rows.states, rows.masks, rows.actions, slice(len(rows))))
    states, masks, actions, indices = (
        np.load(folder / f"{name}.npy") for name in ("states", "valid_masks", "actions", "hand_index")
    )
    names = json.loads((folder / "hands.json").read_text())
    borders = np.searchsorted(indices, np.arange(len(names) + 1))
    parts = [slice(start, end) for start, end in itertools.pairwise(borders.tolist())]
    found = {name: content(states, masks, actions, part) for name, part in zip(names, parts, strict=True)}
    assert len(found) == len(names)
    harmless = beyond_knowing = 0
    for number, (original, lines) in enumerate(zip(originals, written)):
        rows_found, wanted = found.pop(f"h{number}", None), expected[number % len(hands)]
        if lines == original:
            assert rows_found == wanted, f"hand {number} was not damaged and is not there"
        elif rows_found is None:
            continue
        elif rows_found == wanted:
            assert may_be_harmless(original, lines), lines
            harmless += 1
        else:
            assert another_possible_opponent(original, lines), lines
            beyond_knowing += 1
    assert not found, "a hand came through that was never played"
    assert harmless < 400
    assert beyond_knowing < 60


def content(states: Any, masks: Any, actions: Any, part: slice) -> tuple[Any, ...]:
    return states[part].tobytes(), masks[part].tobytes(), actions[part].tolist()


def may_be_harmless(original: list[bytes], lines: list[bytes]) -> bool:
    """Whether the damage spared everything that becomes data: think time, time of day, the order in a row."""
    try:
        pairs = [
            (json.loads(before), json.loads(after)) for before, after in zip(original, lines, strict=True)
        ]
    except ValueError:
        return False

    def data(line: Line) -> Any:
        skipped = ("think_time_ms", "timestamp", "player", "session_id", "hand_id", "hand_number")
        kept = {key: value for key, value in line.items() if key not in skipped}
        return {**kept, "rules": line.get("rules") or "house"}  # a line that says none means the house's

    return all(data(before) == data(after) for before, after in pairs)
