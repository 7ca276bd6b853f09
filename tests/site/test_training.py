"""Drills, positions and openings: WebAssembly answers what the server does, by the same sentences."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents.drills import BANDS, KINDS, make_drill, mistake
from agents.openings import Table
from agents.positions.position import PLACES, Position, information_of
from agents.positions.text import position_dict, read_text
from agents.review.positions import is_setting
from ofc_env import Placement, Rules, card_names
from ofc_env.layout import ROWS
from server.play.repetition import RESTS, after_answer
from server.site.build import OPENINGS
from tests.site.wasm import WasmCore

TEXTS = (
    "",
    "10c 2d 3d 4d 5h",
    "A♥ 10♣ Q♤ kD 2♧",
    "hand: Ah　Kd Qs Qh 5c",
    "top: Qs; middle: 2d 3d\nBOTTOM: Kh Kd hand = 10h X1 5c opponent-middle: 4c 4d opponent bottom: Ah Ac As",
    "hand: Ah hand: Kd",
    "chips: it's hand: Ah",
    "chips: 150 button: yes hand: Ah Kd Qs Qh 5c played: Ah>t Kd>m Qs>b Qh>b 5c>b",
    "rules: standard+scoop=6 hand: Ah Kd Qs Qh 5c",
    "rules: poker",
    "hand: Ah Kd Qs Qh 5c turn: 3",
    "hand: 1c é [[[[[[[[[[[[[[[[[[[",
    "top: Qs Qh hand: 10c 2d",
    "{",
    "{}",
    '{"a":' + "[" * 500,
    '{"board_self": {"top": ["7c"], "middle": [], "bottom": ["Kh", "Kd", "2c", "3c"]}, "board_opponent": '
    '{"top": [], "middle": [], "bottom": [], "fantasyland": 15}, "btn": 1, "is_btn": false, '
    '"chips": [190, 210], "dealt_cards": ["Qh", "X1", "5c"], "known_discards_self": [], '
    '"action": {"placements": [["Qh", "top"], ["X1", "bottom"]], "discard": "5c"}}',
)


def told(question: Callable[[], Any]) -> Any:
    """An answer, or the sentence it was refused with."""
    try:
        return question()
    except ValueError as refusal:
        return str(refusal)


def question_body(kind: str, seed: int, rules: str) -> dict[str, Any]:
    """A drill as the site's worker is given it."""
    drill = make_drill(kind, seed, rules)
    known = drill.position
    placed = Placement() if drill.placement is None else Placement.parse(drill.placement)
    return {
        "kind": kind,
        "information": drill.information,
        "rules": known.rules.name,
        "turn": known.turn,
        "button": known.button,
        "board": {row: card_names(sorted([*getattr(known, row), *getattr(placed, row)])) for row in ROWS},
        "opponent_board": {row: card_names(getattr(known, f"opponent_{row}")) for row in ROWS},
        "opponent_fantasyland": known.opponent_fantasyland,
        "hand": card_names(known.hand),
        "discards": card_names(known.discards),
        "fantasyland": is_setting(known),
        "placement": drill.placement,
        "bands": None if drill.placement is None else [list(band) for band in BANDS],
        "seconds": drill.seconds,
    }


@pytest.mark.parametrize("rules", ["house", "standard", "no_fantasyland"])
def test_questions_by_seed(wasm: WasmCore, rules: str) -> None:
    for kind in (*KINDS, "bluff"):
        for seed in (*range(12), 2**32, 2**48 - 1):
            found = told(lambda: wasm.ask("drill", kind, seed, rules))
            assert found == told(lambda: question_body(kind, seed, rules))


def test_a_mistake_is_asked_as_the_seat_knew_it(wasm: WasmCore) -> None:
    known = make_drill("foul", 3).position
    found = wasm.ask("mistake", str(known))
    assert (found["kind"], found["information"]) == ("mistake", mistake(known).information)
    assert found["hand"] == card_names(known.hand)
    assert found["bands"] is None


def test_mistakes_rest_as_long(wasm: WasmCore) -> None:
    now = datetime(2031, 1, 2, tzinfo=UTC)
    for box in range(len(RESTS) + 3):
        for right in (True, False):
            moved, due = after_answer(box, right, now)
            assert wasm.ask("rest", box, int(right)) == [moved, (due - now) / timedelta(minutes=1)]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_read_alike(wasm: WasmCore, text: str) -> None:
    def native() -> dict[str, Any]:
        written = read_text(text, Rules.parse("fixed14"))
        played = None if written.played is None else str(written.played)
        return {"position": position_dict(written.position), "played": played}

    found = told(lambda: wasm.ask("read_position", "fixed14", text))
    assert found == told(native)
    if isinstance(found, str):
        return
    position = found["position"]
    cards = [" ".join(position[place]) for place in PLACES]
    button = "" if position["button"] is None else int(position["button"])
    numbers = ["" if position[name] is None else position[name] for name in ("chips", "opponent_chips")]
    asked = (position["rules"], *cards, button, *numbers, position["opponent_fantasyland"])
    known = told(lambda: wasm.ask("position", *asked))
    wanted = told(lambda: information_of(read_text(text, Rules.parse("fixed14")).position))
    if isinstance(wanted, str):
        assert known == wanted
    else:
        assert known["information"] == str(wanted)
        assert (known["turn"], known["button"]) == (wanted.turn, wanted.button)
        assert known["position"] == position_dict(
            Position(**{**position, "rules": Rules.parse(position["rules"])})
        )


def test_openings_are_found_alike(wasm: WasmCore) -> None:
    table = Table.read(OPENINGS)
    assert "no table" in str(told(lambda: wasm.ask("openings", "QQ", "", "ranks", 0, 20)))
    assert wasm.ask("load_openings_file", str(OPENINGS)) == len(table.classes)
    for text in ("", "QQ7", "qq 10", "X", "Qs 7d X2 Qc 2s", "AhKd", "AKQJT9", "Zh"):
        for shape, order, first in (
            ("", "ranks", 0),
            ("311", "best", 20),
            ("", "close", 0),
            ("6", "worst", 0),
            ("", "suits", 0),
        ):
            found = told(lambda: wasm.ask("openings", text, shape, order, first, 20))
            wanted = told(lambda: table.find(text, shape, order, first, 20).to_dict())
            if isinstance(wanted, str):
                assert found == wanted
                continue
            assert {name: found[name] for name in wanted} == wanted
            assert (found["rules"], found["first"]) == (table.rules.name, first)
            assert (found["raced"], found["classes"]) == (int(table.raced.sum()), len(table.classes))
