"""Finished hands as a review takes them: who knew what, and what was placed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.positions.position import information_of, position_of_line
from agents.turns import seat_to_act
from ofc_env import Hand, InformationSet, Placement, Rules, card_names, parse_cards
from ofc_env.layout import ROWS
from ofc_env.records.lines import placement_of_action


@dataclass(frozen=True)
class Played:
    """A decision of a finished hand."""

    seat: int
    information: InformationSet
    placement: Placement
    hand: Hand | None  # as it truly was before the placement; None where the opponent's cards are not known
    timed_out: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a hand ended; pairs are by seat."""

    points: tuple[int, ...]
    next_fantasyland: tuple[int, ...]  # cards
    fouled: tuple[bool, ...]
    royalties: tuple[int, ...]


@dataclass(frozen=True)
class PlayedHand:
    """A finished hand, or what one seat saw of it."""

    rules: Rules
    button: int
    fantasyland: tuple[int, ...]  # widths by seat
    decisions: tuple[Played, ...]  # in the order of play
    outcome: Outcome | None

    @property
    def whole(self) -> bool:
        """Whether the cards of both players are known."""
        return bool(self.decisions) and all(each.hand is not None for each in self.decisions)


def replayed(start: Hand, placements: Iterable[Placement], timed_out: Sequence[bool] = ()) -> PlayedHand:
    """A hand whose cards are all known, from its deal and what was placed, in the order of acting.

    Args:
        start: before anybody has placed.
        placements: of whole turns and fantasyland settings, to the end of the hand.
        timed_out: of each of them, whether the clock placed it; none if empty.
    """
    hand = start.clone()
    decisions = []
    for number, placement in enumerate(placements):
        seat = seat_to_act(hand)
        late = bool(timed_out[number]) if timed_out else False
        decisions.append(Played(seat, hand.information(seat), placement, hand.clone(), late))
        hand.place(placement)
    if not hand.finished:
        raise ValueError(f"the hand is not finished after {len(decisions)} turns: review it when it is")
    result = hand.result()
    outcome = Outcome(
        tuple(result.raw_score),
        tuple(result.fl_card_count),
        tuple(result.busted),
        tuple(each.total for each in result.royalties),
    )
    return PlayedHand(hand.rules, hand.button, tuple(hand.fantasyland), tuple(decisions), outcome)


def logged_hand(entry: Mapping[str, Any], rules: Rules | str | None = None) -> PlayedHand:
    """A finished hand of a log.

    Args:
        entry: `btn`, `chips` and `fantasyland` by seat, `turns` (lines of the JSONL export, of both players
            or of one), `fantasyland_settings` (`seat`, `dealt_cards`, `board` as rows of names, `discards`),
            and `result`, the body of the `hand_end` message, where it is known.
        rules: that it was played by; those of its lines if None.
    """
    lines = sorted(entry["turns"], key=lambda line: line["turn"])
    named = Rules.parse(lines[0].get("rules", "")) if rules is None and lines else Rules.of(rules)
    button, widths = int(entry["btn"]), tuple(entry["fantasyland"])
    settings = {int(each["seat"]): each for each in entry.get("fantasyland_settings", ())}
    seats = {_seat(line) for line in lines} | set(settings)
    if seats == {0, 1}:
        return _whole(entry, lines, settings, named, button, widths)
    decisions = [
        Played(
            _seat(line),
            information_of(position_of_line({"rules": named.name, **line})),
            placement_of_action(line["action"]),
            None,
            line.get("think_time_ms", 0) < 0,
        )
        for line in lines
    ]
    return PlayedHand(named, button, widths, tuple(decisions), outcome_of(entry.get("result")))


def _whole(
    entry: Mapping[str, Any],
    lines: Sequence[Mapping[str, Any]],
    settings: Mapping[int, Mapping[str, Any]],
    rules: Rules,
    button: int,
    widths: tuple[int, ...],
) -> PlayedHand:
    """Both players' cards are known: the deck that dealt them, and the hand played again."""
    first = rules.first_to_act(button=button)
    order = (first, 1 - first)
    deck: list[int] = []
    moves: list[tuple[Placement, bool]] = []
    for seat in order:
        if seat in settings:
            setting = settings[seat]
            deck += parse_cards(setting["dealt_cards"])
            placement = Placement(
                **{row: setting["board"][row] for row in ROWS}, discards=setting["discards"]
            )
            moves.append((placement, setting.get("think_time_ms", 0) < 0))
    for line in sorted(lines, key=lambda line: (line["turn"], order.index(_seat(line)))):
        deck += parse_cards(line["dealt_cards"])
        moves.append((placement_of_action(line["action"]), line.get("think_time_ms", 0) < 0))
    used = set(deck)
    deck += [card for card in range(rules.num_cards) if card not in used]
    start = Hand(deck=card_names(deck), button=button, chips=entry["chips"], fantasyland=widths, rules=rules)
    return replayed(start, [placement for placement, _ in moves], [late for _, late in moves])


def _seat(line: Mapping[str, Any]) -> int:
    return int(line["btn"] if line["is_btn"] else 1 - line["btn"])


def outcome_of(result: Mapping[str, Any] | None) -> Outcome | None:
    """How a hand ended, from the body of its `hand_end` message."""
    if result is None:
        return None
    return Outcome(
        tuple(result["raw_score"]),
        tuple(result["fl_card_count"]),
        tuple(result["busted"]),
        tuple(each["total"] for each in result["royalties"]),
    )
