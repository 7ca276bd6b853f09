"""What was played, for who may look at it again: sessions with their hands, and a hand decision by decision.

The positions come from the engine, which plays the logged decisions again; nothing here knows a rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agents.levels import LEVELS
from ofc_env import Hand, Rules, card_names
from ofc_env.records.lines import PRACTICE, iter_table
from ofc_env.records.players import Game, Reader, find_game
from ofc_env.records.replay import Step, steps_of_hand
from server.protocol.messages import board_body, placement_body
from server.thinking.hints import evaluate_rows

SESSIONS_A_PAGE = 20
_OWN = "SELECT id FROM players WHERE token_hash = :player"
_SHARED = f"""EXISTS (SELECT 1 FROM shares f WHERE f.link = l.id AND f.player IN ({_OWN})) AS shared_by_you,
    EXISTS (SELECT 1 FROM shares f WHERE f.link = l.id AND f.player NOT IN ({_OWN})) AS shared_by_other"""
_SESSIONS = f"""SELECT s.id, s.kind, s.player_0, s.player_1, s.rules, s.started_at, s.ended_at, s.winner,
    s.reason, s.final_chips_0, s.final_chips_1, l.link, {_SHARED},
    (SELECT group_concat(seat, ' ') FROM seats WHERE session = s.id) AS owned,
    (SELECT group_concat(seat, ' ') FROM seats WHERE session = s.id AND player IN ({_OWN})) AS seats
    FROM sessions s LEFT JOIN links l ON l.session = s.id AND l.hand IS NULL"""
_ONE = f"{_SESSIONS} WHERE s.session_id = :session"
_PAGE = f"""{_SESSIONS} WHERE s.id IN (SELECT session FROM seats WHERE player IN ({_OWN}))
    AND (:before IS NULL OR s.id < (SELECT session FROM links WHERE link = :before))
    AND EXISTS (SELECT 1 FROM hands h WHERE h.session = s.id AND h.result IS NOT NULL)
    ORDER BY s.id DESC LIMIT :count"""
_HANDS = f"""SELECT h.hand_id, h.hand_number, h.button, h.chips_0, h.chips_1, h.fantasyland_0,
    h.fantasyland_1, h.started_at, h.ended_at, h.result, l.link, {_SHARED}
    FROM hands h LEFT JOIN links l ON l.hand = h.id
    WHERE h.session = :session AND h.result IS NOT NULL ORDER BY h.hand_number"""
_COUNTS = f"""SELECT (SELECT since FROM players WHERE token_hash = :player) AS since,
    count(DISTINCT o.session) AS sessions, count(DISTINCT h.id) AS hands
    FROM seats o LEFT JOIN hands h ON h.session = o.session AND h.result IS NOT NULL
    WHERE o.player IN ({_OWN})"""
_LEVEL_OF_AGENT = {agents[0]: level for level, agents in LEVELS.items()}


def player_body(path: Path, player: str) -> dict[str, Any]:
    """What the log has of a player: since when, how many sessions and finished hands."""
    return next(iter(list(iter_table(path, _COUNTS, {"player": player}))))


def history_body(path: Path, player: str, before: str | None) -> dict[str, Any]:
    """A page of a player's sessions, the newest first, from the one after the link `before` on."""
    values = {"player": player, "before": before, "count": SESSIONS_A_PAGE + 1}
    rows = list(iter_table(path, _PAGE, values))
    sessions = [_session_body(row, _hands(path, row, player)) for row in rows[:SESSIONS_A_PAGE]]
    return {"sessions": sessions, "more": len(rows) > SESSIONS_A_PAGE}


def session_body(path: Path, game: Game, reader: Reader) -> dict[str, Any]:
    """A session that the reader may see, with its finished hands."""
    row = _session(path, game, reader)
    return _session_body(row, _hands(path, row, reader.player))


def hand_body(path: Path, game: Game, reader: Reader) -> dict[str, Any]:
    """A finished hand that the reader may see: every decision, and what it came to."""
    session = _session(path, game, reader)
    hands = _hands(path, session, reader.player)
    place, row = next((i, row) for i, row in enumerate(hands) if row["hand_id"] == game.hand_id)
    rules = Rules.parse(session["rules"])
    # Who was shown one hand is not led to the others.
    is_whole = session["link"] is not None and find_game(path, session["link"], reader) is not None
    steps = steps_of_hand(path, game.session_id, row["hand_id"])
    return {
        **_hand_body(row),
        "session": session["link"] if is_whole else None,
        "previous": hands[place - 1]["link"] if is_whole and place else None,
        "next": hands[place + 1]["link"] if is_whole and place + 1 < len(hands) else None,
        **_names(session),
        "seats": list(game.seats),
        "btn": row["button"],
        "chips": [row["chips_0"], row["chips_1"]],
        "started_at": row["started_at"],
        "ended_at": row["ended_at"],
        "steps": [_step_body(step, rules) for step in steps],
        "result": json.loads(row["result"]),
        "evaluations": [_evaluation(steps[-1].after, seat, rules) for seat in (0, 1)],
        "rules": rules,
    }


def _session(path: Path, game: Game, reader: Reader) -> dict[str, Any]:
    values = {"session": game.session_id, "player": reader.player}
    return next(iter(list(iter_table(path, _ONE, values))))


def _hands(path: Path, session: dict[str, Any], player: str | None) -> list[dict[str, Any]]:
    return list(iter_table(path, _HANDS, {"session": session["id"], "player": player}))


def _session_body(row: dict[str, Any], hands: Iterable[dict[str, Any]]) -> dict[str, Any]:
    ended = row["final_chips_0"] is not None
    return {
        "link": row["link"],
        **_names(row),
        "seats": _numbers(row["seats"]),
        "rules": Rules.parse(row["rules"]).name,
        "practice": row["kind"] == PRACTICE,
        "started_at": row["started_at"],
        "ended_at": row["ended_at"],
        "winner": row["winner"],
        "reason": row["reason"],
        "final_chips": [row["final_chips_0"], row["final_chips_1"]] if ended else None,
        "shared": _shared(row),
        "hands": [_hand_body(hand) for hand in hands],
    }


def _hand_body(row: dict[str, Any]) -> dict[str, Any]:
    result = json.loads(row["result"])
    return {
        "link": row["link"],
        "hand_number": row["hand_number"],
        "points": result["actual_score"],
        "busted": result["busted"],
        "fantasyland": [row["fantasyland_0"], row["fantasyland_1"]],
        "shared": _shared(row),
    }


def _step_body(step: Step, rules: Rules) -> dict[str, Any]:
    before, after = step.before, step.after
    return {
        "seat": step.seat,
        "turn": before.turn,
        "fantasyland": before.in_fantasyland,
        "opponent_hidden": before.fantasyland[1 - step.seat] > 0,
        "boards": [board_body(before.board(seat)) for seat in (0, 1)],
        "dealt_cards": card_names(before.dealt_in_order),
        **placement_body(step.decision.placement),
        "boards_after": [board_body(after.board(seat)) for seat in (0, 1)],
        "evaluations": [_evaluation(after, seat, rules) for seat in (0, 1)],
        "discards_before": card_names(before.discards(step.seat)),
        "think_time_ms": step.decision.think_time_ms,
    }


def _evaluation(hand: Hand, seat: int, rules: Rules) -> dict[str, Any]:
    return evaluate_rows(**board_body(hand.board(seat)), rules=rules)


def _names(session: dict[str, Any]) -> dict[str, Any]:
    """Names by seat, and the level of a machine's: the log knows it by its agent alone."""
    owned = _numbers(session["owned"])
    names = [session["player_0"], session["player_1"]]
    levels = [None if seat in owned else _LEVEL_OF_AGENT.get(name) for seat, name in enumerate(names)]
    return {"names": names, "levels": levels}


def _shared(row: dict[str, Any]) -> dict[str, bool]:
    return {"by_you": bool(row["shared_by_you"]), "by_other": bool(row["shared_by_other"])}


def _numbers(text: str | None) -> list[int]:
    return sorted(int(word) for word in (text or "").split())
