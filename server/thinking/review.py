"""Finished hands looked at again: what each decision of a seat was worth beside an agent's own choice."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import levels
from ofc_env import InformationSet, Placement, Rules
from ofc_env.records.lines import placement_of_action
from server.protocol.messages import ROWS, placement_body
from server.thinking.client import Thinking

SECONDS = 60.0
"""Longest wait for one judgement: the first may have to wait for the agent to load."""


async def review(hands: list[dict[str, Any]], seat: int, rules: Rules, thinking: Thinking) -> dict[str, Any]:
    """Every decision of a seat in finished hands of `Journal.session_log`, in the order of play.

    They are judged by the rules they were played by; ValueError with a sentence if nobody can do that.
    Fantasyland hands are left out (the solver's answer is exact, and offered while they are set), and so are
    turns that the clock placed. TimeoutError and RuntimeError if the thinking process does not answer.
    """
    agent = await thinking.cast(levels.REVIEWERS, rules)
    decisions = []
    for hand in hands:
        for line in hand["turns"]:
            is_own = line["is_btn"] == (hand["btn"] == seat)
            if not is_own or line["think_time_ms"] < 0:
                continue
            played = placement_of_action(line["action"])
            known = seen(line, seat, hand["fantasyland"][1 - seat], rules)
            judgement = await asyncio.wait_for(thinking.judge(agent, known, played), SECONDS)
            decisions.append(
                {
                    "hand_number": hand["hand_number"],
                    "turn": line["turn"],
                    "board": line["board_self"],
                    "dealt_cards": line["dealt_cards"],
                    "played": placement_body(played),
                    "best": placement_body(Placement.parse(judgement["best"])),
                    "cost": judgement["cost"],
                    "error": judgement["error"],
                    "at_least": judgement["at_least"],
                    "too_close": judgement["too_close"],
                }
            )
    return {"seat": seat, "agent": agent, "decisions": decisions}


def seen(line: dict[str, Any], seat: int, opponent_fantasyland: int, rules: Rules) -> InformationSet:
    """What the seat knew when it placed."""
    return InformationSet(
        **{row: line["board_self"][row] for row in ROWS},
        **{f"opponent_{row}": line["board_opponent"][row] for row in ROWS},
        hand=line["dealt_cards"],
        discards=line["known_discards_self"],
        turn=line["turn"],
        button=line["is_btn"],
        opponent_fantasyland=opponent_fantasyland,
        chips=line["chips"][seat],
        opponent_chips=line["chips"][1 - seat],
        rules=rules,
    )
