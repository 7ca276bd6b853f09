"""Drills, positions and openings: WebAssembly answers what the server does, by the same sentences."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents.drills import BANDS, KINDS, Drill, judge_foul, judge_placement, make_drill, mistake
from agents.openings import Table
from agents.positions.position import PLACES, Position, information_of
from agents.positions.text import position_dict, read_text
from agents.review.positions import analysed
from agents.review.report import plain
from ofc_env import InformationSet, Placement, Rules, card_names
from ofc_env.layout import ROWS
from server.play.repetition import after_answer
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


def told(question: Callable[..., Any], *arguments: object) -> Any:
    """An answer, or the sentence it was refused with."""
    try:
        return question(*arguments)
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
        "fantasyland": known.in_fantasyland,
        "placement": drill.placement,
        "bands": None if drill.placement is None else [list(band) for band in BANDS],
        "seconds": drill.seconds,
    }


@pytest.mark.parametrize("rules", ["house", "standard", "no_fantasyland"])
def test_questions_by_seed(wasm: WasmCore, rules: str) -> None:
    for kind in (*KINDS, "bluff"):
        for seed in (*range(12), 2**32, 2**48 - 1):
            found = told(wasm.ask, "drill", kind, seed, rules)
            assert found == told(question_body, kind, seed, rules)


def test_a_mistake_is_asked_as_the_seat_knew_it(wasm: WasmCore) -> None:
    known = make_drill("foul", 3).position
    found = wasm.ask("mistake", str(known))
    assert (found["kind"], found["information"]) == ("mistake", mistake(known).information)
    assert found["hand"] == card_names(known.hand)
    assert found["bands"] is None


def test_mistakes_rest_as_long(wasm: WasmCore) -> None:
    now = datetime(2031, 1, 2, tzinfo=UTC)
    for box in range(9):
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
    known = told(lambda: wasm.ask("given_position", *asked))
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
            found = told(wasm.ask, "openings", text, shape, order, first, 20)
            native = told(table.find, text, shape, order, first, 20)
            if isinstance(native, str):
                assert found == native
                continue
            wanted = native.to_dict()
            assert {name: found[name] for name in wanted} == wanted
            assert (found["rules"], found["first"]) == (table.rules.name, first)
            assert (found["raced"], found["classes"]) == (int(table.raced.sum()), len(table.classes))


LAST = (
    "turn=4 top=Qs,Qh middle=2d,2h,7c,7d bottom=Kh,Kd,Ac,Ad,3s hand=9h,4c,X1 discards=8s,8h,8d "
    "opponent_top=Js,Jh opponent_middle=5d,5h,6c,6d opponent_bottom=Kc,Ks,As,3d,3h"
)


def test_a_position_is_analysed_alike(wasm: WasmCore) -> None:
    """On the last turn all is solved: the same to the last digit."""
    known = InformationSet.parse(LAST)
    for placement in (None, known.placements()[1]):
        asked = "" if placement is None else str(placement)
        assert wasm.ask("analyse", str(known), asked) == plain(analysed(known, placement))
    assert told(lambda: wasm.ask("analyse", LAST, "Ah>t")) == told(
        lambda: analysed(known, Placement(top="Ah"))
    )


def test_answers_are_judged_alike(wasm: WasmCore) -> None:
    setting = make_drill("fantasyland", 3)
    cards = setting.position.hand
    dealt = Placement(cards[:3], cards[3:8], cards[8:13], cards[13:])
    found = wasm.ask("judge_drill", setting.information, "", str(dealt), "")
    wanted = judge_placement(setting, dealt)
    assert (found["right"], found["comes_back"]) == (wanted.right, wanted.comes_back) == (False, True)
    assert found["cost"] == pytest.approx(wanted.cost, abs=0.01)
    foul = make_drill("foul", 2)
    placed = foul.placement or ""
    for band in ("", 0, 4):
        found = wasm.ask("judge_drill", foul.information, placed, "", band)
        judged = judge_foul(foul, None if band == "" else int(band))
        assert (found["right"], found["cost"]) == (judged.right, None)
        assert (found["foul"]["certain"], found["foul"]["bands"]) == (judged.certain, list(judged.bands))
        # A last digit may turn a hand that is played on.
        assert found["foul"]["chance"] == pytest.approx(judged.chance, abs=0.01)
    certain = Drill("foul", LAST.replace("X1", "Td").replace("2d,2h", "2d,9c"), "9h>t Td>m 4c>x")
    assert wasm.ask("judge_drill", certain.information, certain.placement, "", 4)["foul"] == {
        "chance": 1,
        "low": 1,
        "high": 1,
        "certain": True,
        "bands": [4],
        "off": 0,
    }
    for words in (("", "", 1), (placed, placed, ""), (placed, "", 5)):
        with pytest.raises(ValueError, match=r"asks for|no band"):
            wasm.ask("judge_drill", foul.information, *words)
