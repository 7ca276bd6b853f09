"""A person at a terminal: what is typed, until it is a legal placement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import agents
import ofc_env
from agents.positions.ranking import rank, ranking_table
from agents.rewards import equity
from agents.turns import needs_true_hand, seat_to_act
from experiments.common.seat_text import cards_text, seat_text
from ofc_env.layout import ROW_SIZES, ROWS

HELP = """
  Ah>t Kd>b 2c>x   put cards: t top, m middle, b bottom, x discard; as many at once as you like
  (Enter)          confirm, when the rows are served; what is left over is discarded
  undo             take the last card back; clear takes all back
  rank             how the opponent's agent, or for a level the champion, would rank your placements here
  review           the same for your last turn, with the place of what you played; after a hand, what all
                   your decisions of it were worth
  auto             let the solver set your fantasyland hand
  table            show the table again
  quit             leave
"""
LETTERS = {"t": "top", "m": "middle", "b": "bottom", "x": "discards"}
ROOM = dict(zip(ROWS, ROW_SIZES, strict=True))


class LeaveError(Exception):
    """The person wants to stop."""


class Terminal:
    """Where a person reads and types."""

    def __init__(self, read: Callable[[str], str], write: Callable[[str], None], colour: bool) -> None:
        self.read = read
        self.write = write
        self.colour = colour

    def ask(self, prompt: str) -> str:
        """A line without blanks around it; the end of input leaves the game."""
        try:
            text = self.read(prompt).strip()
        except EOFError:
            self.write("")
            raise LeaveError from None
        if text.lower() in ("quit", "q", "exit"):
            raise LeaveError
        return text


@dataclass(frozen=True)
class LastTurn:
    """What the person played last, for `review`."""

    known: ofc_env.InformationSet
    placement: ofc_env.Placement


class Player:
    """The person's side of a hand: what is typed, until it is a legal placement.

    Args:
        terminal: where that is.
        judge: ranks placements for the person; not the opponent itself, whose memory of the hand is its own.
        worlds: deals for that, if the judge does not rank by itself.
        values: what fantasyland is worth, if not as measured.
    """

    def __init__(
        self, terminal: Terminal, judge: agents.Agent, worlds: int, values: Sequence[float] | None
    ) -> None:
        self.terminal = terminal
        self.judge = judge
        self.worlds = worlds
        self.values = values
        self.last_turn: LastTurn | None = None

    def choose(self, hand: ofc_env.Hand, names: tuple[str, str]) -> ofc_env.Placement:
        """Ask until the person has confirmed a placement of the whole turn."""
        seat = seat_to_act(hand)
        known = hand.information(seat)
        pending: dict[int, str] = {}
        self.show(hand, seat, names, pending)
        while True:
            complete = self.missing(hand, pending) == 0
            prompt = "Enter to confirm, undo to change > " if complete else "place (? for help) > "
            text = self.terminal.ask(prompt)
            word = text.lower()
            if not text and complete:
                placement = self.placement(hand, pending)
                try:
                    hand.clone().place(placement)
                except ValueError as refusal:
                    self.terminal.write(f"{refusal}")
                    continue
                if not hand.in_fantasyland:
                    self.last_turn = LastTurn(known, placement)
                return placement
            if word in ("?", "help", "h"):
                self.terminal.write(HELP)
            elif word in ("undo", "u"):
                if pending:
                    pending.popitem()
                self.show(hand, seat, names, pending)
            elif word == "clear":
                pending.clear()
                self.show(hand, seat, names, pending)
            elif word == "table":
                self.show(hand, seat, names, pending)
            elif word == "rank":
                self.rank(hand, known)
            elif word == "review":
                self.review()
            elif word == "auto":
                self.auto(hand, pending)
                self.show(hand, seat, names, pending)
            elif text:
                try:
                    self.put(hand, pending, text)
                except ValueError as refusal:
                    self.terminal.write(f"{refusal}")
                else:
                    self.show(hand, seat, names, pending)

    def show(self, hand: ofc_env.Hand, seat: int, names: tuple[str, str], pending: dict[int, str]) -> None:
        """The table as the person sees it, cards that are not confirmed marked with a star."""
        self.terminal.write("")
        if hand.in_fantasyland:
            self.terminal.write(fantasyland_table(hand, pending, self.terminal.colour))
        else:
            mine = (names[seat], names[1 - seat])
            self.terminal.write(seat_text(hand.information(seat), mine, self.terminal.colour, pending))

    def put(self, hand: ofc_env.Hand, pending: dict[int, str], text: str) -> None:
        """Add cards to what is pending, all of them or none."""
        added = dict(pending)
        for word in text.replace(",", " ").split():
            name, mark, letter = word.partition(">")
            if not mark or letter.lower() not in LETTERS:
                raise ValueError(f"cannot read {word!r}: write a card, '>' and t, m, b or x, like Ah>t")
            card = ofc_env.parse_cards(name[:1].upper() + name[1:].lower())[0]
            if card not in hand.dealt:
                raise ValueError(f"{name} is not in your hand ({cards_text(hand.dealt)})")
            added.pop(card, None)
            added[card] = LETTERS[letter.lower()]
        board = hand.board(seat_to_act(hand))
        for row, room in ROOM.items():
            count = len(getattr(board, row)) + sum(place == row for place in added.values())
            if count > room:
                raise ValueError(f"the {row} would have {count} cards: {room} fit")
        thrown, allowed = sum(place == "discards" for place in added.values()), discards_of(hand)
        if thrown > allowed:
            raise ValueError(f"you would discard {thrown} cards: this turn takes {allowed}")
        pending.clear()
        pending.update(added)

    def missing(self, hand: ofc_env.Hand, pending: dict[int, str]) -> int:
        """How many cards still need a row."""
        placed = sum(place != "discards" for place in pending.values())
        return len(hand.dealt) - discards_of(hand) - placed

    def placement(self, hand: ofc_env.Hand, pending: dict[int, str]) -> ofc_env.Placement:
        """What is pending as a placement; what has no row is discarded."""
        rows: dict[str, list[int]] = {place: [] for place in LETTERS.values()}
        for card in hand.dealt:
            rows[pending.get(card, "discards")].append(card)
        return ofc_env.Placement(**rows)

    def auto(self, hand: ofc_env.Hand, pending: dict[int, str]) -> None:
        """Let the solver put the cards of a fantasyland hand."""
        if not hand.in_fantasyland:
            self.terminal.write("the solver sets fantasyland hands only: place these cards yourself")
            return
        solved = ofc_env.solve_fantasyland(hand.dealt, rules=hand.rules).placement
        pending.clear()
        for place in LETTERS.values():
            pending.update(dict.fromkeys(getattr(solved, place), place))

    def rank(self, hand: ofc_env.Hand, known: ofc_env.InformationSet) -> None:
        """Print what the agent thinks of the placements of this turn."""
        if hand.in_fantasyland:
            self.terminal.write("fantasyland hands are solved, not ranked: type auto for the best setting")
            return
        self.print_ranking(known, None)

    def review(self) -> None:
        """Print what the agent thinks of the last turn."""
        if self.last_turn is None:
            self.terminal.write("you have not placed anything yet")
            return
        self.print_ranking(self.last_turn.known, self.last_turn.placement)

    def print_ranking(self, known: ofc_env.InformationSet, played: ofc_env.Placement | None) -> None:
        """A table of the best placements, and where the one that was played stands."""
        if needs_true_hand(self.judge):
            self.terminal.write(f"{self.judge.name} looks at the true deck: its ranking would give it away")
            return
        self.judge.reset()
        reward = equity(known.rules, self.values) if self.values else None
        try:
            ranking = rank(self.judge, known, self.worlds, reward=reward)
        except ValueError as refusal:  # nobody measured what fantasyland is worth under these rules
            self.terminal.write(f"{refusal}")
            return
        self.terminal.write(ranking_table(ranking))
        for place, candidate in enumerate(ranking, start=1):
            if candidate.placement == played:
                self.terminal.write(f"you played {played}: number {place}")


def discards_of(hand: ofc_env.Hand) -> int:
    """How many of the dealt cards this turn throws away."""
    if hand.in_fantasyland:
        return len(hand.dealt) - 13
    return 1 if hand.turn else 0


def fantasyland_table(hand: ofc_env.Hand, pending: dict[int, str], colour: bool) -> str:
    """The rows of a fantasyland hand that is being set."""
    lines = [f"fantasyland: set 13 of your {len(hand.dealt)} cards (auto lets the solver do it)"]
    for place in LETTERS.values():
        cards = [card for card in hand.dealt if pending.get(card) == place]
        lines.append(f"{place:<10}{cards_text(cards, ROOM.get(place, 0), colour)}".rstrip())
    held = [card for card in hand.dealt if card not in pending]
    lines.append(f"{'in hand':<10}{cards_text(held, 0, colour)}".rstrip())
    return "\n".join(lines)
