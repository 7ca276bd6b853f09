"""Games played at a terminal: kept in a log database, and looked at again by the judge of reviews."""

from __future__ import annotations

import secrets
from pathlib import Path

from agents.review import HandReview, replayed, review_hand
from ofc_env import Hand, HandResult, Placement, Rules, Session
from ofc_env.records import Records

SURE = 1.96
"""Standard errors to each side of a 95 % interval."""
_GRADES = {"close": "too close to call", "fine": "a trifle"}


class Evening:
    """What is played at one table from sitting down to leaving, hand by hand.

    Args:
        log: the database that it is kept in; None: nowhere.
        players: names by seat.
        rules: that are played by.
        seed: of the cards, if it is known.
        kind: of the session in the log.
    """

    def __init__(
        self, log: Path | None, players: tuple[str, str], rules: Rules, seed: int | None, kind: str
    ) -> None:
        self.session_id = f"terminal-{secrets.token_hex(6)}"
        self.records: Records | None = None
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            self.records = Records(log, durable=False)
            self.records.start_session(self.session_id, seed, players, rules, kind)
        self.number = 0
        self.start: Hand | None = None
        self.placements: list[Placement] = []

    def begin(self, hand: Hand) -> None:
        """A hand has been dealt."""
        self.number += 1
        self.start, self.placements = hand.clone(), []
        if self.records is not None:
            self.records.start_hand(self.session_id, self.number, hand, self.hand_id)

    @property
    def hand_id(self) -> str:
        """Of the hand begun last, in the log."""
        return f"{self.session_id}-{self.number}"

    def placed(self, hand: Hand, placement: Placement, milliseconds: int) -> None:
        """Somebody is about to place in a hand."""
        self.placements.append(placement)
        if self.records is not None:
            record = self.records.record_fantasyland if hand.in_fantasyland else self.records.record_turn
            record(self.hand_id, hand, placement, think_time_ms=milliseconds)

    def ended(self, result: HandResult) -> None:
        """The hand is over."""
        if self.records is not None:
            self.records.end_hand(self.hand_id, result)

    def close(self, session: Session | None = None) -> None:
        """Everybody leaves, perhaps before the end."""
        if self.records is None:
            return
        if session is not None and session.finished:
            self.records.end_session(
                self.session_id,
                winner=session.winner,
                final_chips=session.chips,
                hands_played=session.hands_played,
                reason=session.reason or "",
            )
        self.records.close()
        self.records = None

    def review(self, seat: int) -> HandReview:
        """What the decisions of the hand begun last were worth; ValueError if it is not over."""
        if self.start is None:
            raise ValueError("no hand has been played: there is nothing to review")
        return review_hand(replayed(self.start, self.placements), seat)


def review_text(review: HandReview) -> str:
    """A seat's decisions of a hand, worst first, and where luck came in."""
    lines = []
    for decision in review.worst_first():
        if len(decision.options) < 2:
            continue  # nothing could be chosen
        where = "fantasyland" if decision.kind == "setting" else f"turn {decision.turn}"
        lost = f"{_points(-max(0.0, decision.cost))} ± {SURE * decision.error:.1f}"
        sure = "" if decision.grade == "best" else lost
        lines.append(f"{where:<12}{_GRADES.get(decision.grade, decision.grade):<18}{sure}".rstrip())
        lines.append(f"            you   {decision.played}")
        if decision.played != decision.best:
            lines.append(f"            best  {decision.best}")
    if review.balance is not None:
        balance = review.balance
        parts = {
            "seat": balance.start,
            "your luck": balance.luck,
            "their luck": -balance.opponent_luck,
            "your decisions": -balance.cost,
            "their decisions": balance.opponent_cost,
        }
        # What rounding leaves goes to the part that nothing explains: the line adds up as it is read.
        parts["unexplained"] = round(balance.result, 1) - sum(round(part, 1) for part in parts.values())
        told = ", ".join(f"{name} {_points(part)}" for name, part in parts.items())
        lines.append(f"the hand came to {_points(balance.result)}: {told}")
    return "\n".join(lines) or "there was nothing to decide"


def _points(number: float) -> str:
    """With a sign and one digit, and no sign where that is nothing."""
    return f"{number:+.1f}" if round(number, 1) else "0.0"
