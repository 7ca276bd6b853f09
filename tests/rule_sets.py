"""Ten rule sets, drawn by hand so that every field of the rules is touched: what the proof is held over.

`RULE_SETS` are the core's values, `oracle_rules` reads one as the oracle's own.
"""

from __future__ import annotations

from ofc_env import Rules
from tests import oracle

RULE_SETS: dict[str, Rules] = {
    "house": Rules(),
    "standard": Rules.preset("standard"),
    "fixed14": Rules.preset("fixed14"),
    "no_fantasyland": Rules.preset("no_fantasyland"),
    # One joker; a foul costs nothing beside the other's royalties; no scoop; only empty stacks end a session.
    "one_joker": Rules(jokers=1, foul=0, scoop=0, chips=60, stop_gap=120, stay_middle="quads", stay_cards=0),
    # The button last with both jokers; a dear foul; pairs from sixes on; but not for trips; stay with 16.
    "button_last": Rules(
        button_acts="last",
        foul=10,
        fantasyland_pairs=[0] * 4 + [14] * 3 + [15] * 3 + [16] * 2 + [17],
        fantasyland_trips=0,
        stay_cards=16,
    ),
    # Any row may stay: a pair on top, a full house in the middle, a flush on the bottom.
    "easy_stay": Rules(
        stay_top="pair",
        stay_middle="full_house",
        stay_bottom="flush",
        stay_cards=0,
        fantasyland_pairs=[14] * 13,
        fantasyland_trips=15,
        scoop=6,
        chips=90,
        stop_gap=25,
    ),
    # Royalties that do not rise with the row, also for rows that usually have none.
    "odd_royalties": Rules(
        top_pairs=[9, 0, 8, 1, 7, 2, 6, 3, 5, 4, 0, 12, 1],
        top_trips=[22, 3, 20, 5, 18, 7, 16, 9, 14, 11, 12, 13, 0],
        middle=[3, 1, 0, 9, 2, 15, 4, 0, 40, 7],
        bottom=[5, 0, 2, 1, 8, 3, 12, 0, 6, 30],
        stay_top="none",
        stay_middle="trips",
        stay_bottom="none",
    ),
    # 52 cards, button first, the lowest bars: everybody who does not foul stays, with 17.
    "always_stay": Rules(
        jokers=0,
        stay_top="high_card",
        stay_bottom="none",
        stay_cards=17,
        fantasyland_pairs=[15] * 12 + [0],
        fantasyland_trips=16,
        chips=40,
        stop_gap=0,
        scoop=4,
        foul=3,
    ),
    # One joker, button last; nobody ever stays; a poor game of few points and short clocks.
    "never_stay": Rules(
        jokers=1,
        button_acts="last",
        top_pairs=[0] * 13,
        top_trips=[1] * 13,
        middle=[0] * 9 + [2],
        bottom=[0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
        stay_top="none",
        stay_bottom="none",
        fantasyland_pairs=[17] + [0] * 10 + [14, 15],
        chips=15,
        stop_gap=12,
        turn_seconds=5,
        fantasyland_seconds=7,
    ),
}

_CATEGORIES = (
    *("high_card", "pair", "two_pair", "trips", "straight"),
    *("flush", "full_house", "quads", "straight_flush"),
)


def oracle_rules(rules: Rules) -> oracle.OracleRules:
    """The same rules as the oracle writes them."""
    bars = [
        None if name == "none" else _CATEGORIES.index(name)
        for name in (rules.stay_top, rules.stay_middle, rules.stay_bottom)
    ]
    return oracle.OracleRules(
        jokers=rules.jokers,
        button_first=rules.button_acts == "first",
        top_pairs=tuple(rules.top_pairs),
        top_trips=tuple(rules.top_trips),
        middle=tuple(rules.middle),
        bottom=tuple(rules.bottom),
        scoop=rules.scoop,
        foul=None if rules.foul == -1 else rules.foul,
        fantasyland_pairs=tuple(rules.fantasyland_pairs),
        fantasyland_trips=rules.fantasyland_trips,
        stay_from=(bars[0], bars[1], bars[2]),
        stay_cards=rules.stay_cards,
        chips=rules.chips,
        stop_gap=rules.stop_gap,
    )
