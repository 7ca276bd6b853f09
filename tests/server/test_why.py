"""The sentences of a review, made by the page's own module in node: both languages, from the numbers."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

MODULE = Path(__file__).parents[2] / "server" / "web" / "static" / "js" / "why.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
RUN = """
const text = require("fs").readFileSync(process.argv[1], "utf8");
import("data:text/javascript," + encodeURIComponent(text)).then((module) => {
  const asked = JSON.parse(process.argv[2]);
  console.log(JSON.stringify(asked.map(([name, value, language]) => module[name](value, language))));
});
"""


def said(*asked: tuple[str, dict[str, Any], str]) -> list[str]:
    assert NODE is not None
    command = [NODE, "-e", RUN, str(MODULE), json.dumps(asked)]
    found: list[str] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def chances(foul: float, fantasyland: tuple[float, ...], royalties: float) -> dict[str, Any]:
    return {"foul": foul, "fantasyland": fantasyland, "royalties": royalties, "rows": (0.5, 0.4, 0.3)}


def decision(**changed: Any) -> dict[str, Any]:
    """A discard that fouls more for a chance of aces on top."""
    points = {
        "by_foul": -2.0,
        "by_fantasyland": 0.6,
        "by_royalties": 0.05,
        "by_rows": 0.0,
        "by_opponent": 0.0,
    }
    difference: dict[str, Any] = {
        "foul": 0.12,
        "foul_error": 0.02,
        "fantasyland": (0.0, 0.0, 0.08, 0.0),
        "any_fantasyland": 0.08,
        "any_fantasyland_error": 0.02,
        "royalties": 0.1,
        "royalties_error": 0.2,
        "rows": (0.0, 0.0, 0.0),
    }
    difference |= points | {f"{name}_error": 0.2 for name in points}
    return {
        "grade": "mistake",
        "cost": 1.42,
        "error": 0.1,
        "played": "Ah>t Kd>b 2c>x",
        "options": [
            {"placement": "Kd>m Ah>b 2c>x", "chances": chances(0.19, (0.0, 0.0, 0.12, 0.0), 6.0)},
            {"placement": "Ah>t Kd>b 2c>x", "chances": chances(0.31, (0.0, 0.0, 0.20, 0.0), 6.1)},
        ],
        "difference": {**difference, **changed},
    }


def test_losses_and_what_they_bought() -> None:
    english, japanese = said(("why", decision(), "en"), ("why", decision(), "ja"))
    assert english == (
        "Mistake: 1.4 ± 0.2 points lost. Here the board fouls in 31 % of the hands instead of 19 %. "
        "In return fantasyland is won in 20 % instead of 12 % (mostly of 16 cards)."
    )
    assert japanese == (
        "悪手: 1.4 ± 0.2点の損。この置き方ではファウルする割合が19%から31%になります。"
        "そのかわり、ファンタジーランド(主に16枚)に入る割合が12%から20%になります。"
    )


def test_nothing_is_said_that_is_not_sure() -> None:
    unsure = decision(
        foul_error=0.07, any_fantasyland_error=0.05, by_fantasyland_error=0.5, by_foul_error=1.1
    )
    assert said(("why", unsure, "en")) == ["Mistake: 1.4 ± 0.2 points lost. No single chance explains it."]


def test_the_greatest_part_comes_first() -> None:
    lower = decision(by_royalties=-2.5, royalties=-1.1)
    lower["options"][1]["chances"]["royalties"] = 4.9
    found = said(("why", lower, "en"))[0]
    assert "Here royalties come to 4.9 points instead of 6.0 and the board fouls" in found


def test_fewer_fouls_are_no_loss() -> None:
    """As of a board that gives fantasyland up: it fouls less, and yet loses where only one fouls."""
    timid = decision(
        by_foul=-3.0, foul=-0.19, by_fantasyland=-4.0, any_fantasyland=-0.54, fantasyland=(0, 0, -0.54, 0)
    )
    for option, foul, fantasyland in zip(timid["options"], (0.46, 0.27), (0.54, 0.0), strict=True):
        option["chances"] |= {"foul": foul, "fantasyland": (0.0, 0.0, fantasyland, 0.0)}
    english, japanese = said(("why", timid, "en"), ("why", timid, "ja"))
    assert english == (
        "Mistake: 1.4 ± 0.2 points lost. "
        "Here fantasyland is won in 0 % instead of 54 % (mostly of 16 cards). "
        "In return the board fouls in 27 % of the hands instead of 46 %."
    )
    assert "そのかわり、ファウルする割合が46%から27%になります。" in japanese
    # All of it where one of the two fouls and the other does not: what was given up is told all the same.
    assert "Here fantasyland" in said(("why", {**timid, **_parts(timid, by_fantasyland=0.0)}, "en"))[0]


def test_a_narrower_fantasyland_is_told_by_its_width() -> None:
    narrower = decision(
        foul=0.0,
        any_fantasyland=0.0,
        fantasyland=(0.15, 0.0, -0.15, 0.0),
        by_foul=0.0,
        by_fantasyland=-1.5,
    )
    for option, fantasyland in zip(narrower["options"], ((0, 0, 0.2, 0), (0.15, 0, 0.05, 0)), strict=True):
        option["chances"]["fantasyland"] = fantasyland
    assert said(("why", narrower, "en"))[0].endswith(
        "Here fantasyland of 16 cards is won in 5 % instead of 20 %."
    )


def _parts(whole: dict[str, Any], **changed: float) -> dict[str, Any]:
    return {"difference": {**whole["difference"], **changed}}


def test_rows_and_the_opponent() -> None:
    changed = decision(by_foul=0.0, foul=0.0, by_rows=-1.0, by_opponent=-0.9, rows=(0.0, -0.2, 0.0))
    alike = said(("why", changed, "en"))[0]
    assert "the middle" not in alike  # 40 % both
    changed["options"][1]["chances"]["rows"] = (0.5, 0.2, 0.3)
    assert (
        "the middle is won in 20 % instead of 40 % and the opponent's royalties"
        in said(("why", changed, "en"))[0]
    )


def test_best_and_close() -> None:
    best, close = (
        {**decision(), "grade": "best"},
        {**decision(), "grade": "close", "cost": -0.2, "error": 0.25},
    )
    assert said(("why", best, "en"), ("why", close, "en"), ("why", best, "ja"), ("why", close, "ja")) == [
        "The best placement.",
        "Too close to call: 0.0 ± 0.5 points.",
        "最善の置き方です。",
        "優劣不明: 0.0 ± 0.5点。",
    ]


def test_fouls() -> None:
    placed = {"certain_turn": 3, "certain_by": "placement", "lost_turn": 3}
    dealt = {"certain_turn": 4, "certain_by": "deal", "lost_turn": 1}
    unlucky = {**dealt, "lost_turn": None}
    assert said(*(("whyFoul", foul, "en") for foul in (placed, dealt, unlucky))) == [
        "The foul became certain with the placement of turn 3.",
        "The foul became certain with the cards of turn 4. It was lost on turn 1.",
        "The foul became certain with the cards of turn 4. No decision lost it: the cards did.",
    ]
    assert said(("whyFoul", dealt, "ja")) == [
        "ファウルはターン4に配られたカードで決まりました。分かれ目はターン1でした。"
    ]
