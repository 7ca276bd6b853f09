"""Play against any agent in the terminal.

    python experiments/play.py                         a session against pimc
    python experiments/play.py --opponent novice       a session against a level
    python experiments/play.py --opponent heuristic --hands 3 --seed 7
    python experiments/play.py --rules standard        52 cards, button last

You type where cards go: `Ah>t Kd>b 2c>x` puts the ace on top, the king on the bottom and discards the deuce.
Nothing counts before you confirm it. Type ? at any time for the list of commands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import agents
import ofc_env
from agents import levels
from agents.positions.ranking import rank, ranking_table
from agents.rewards import equity
from agents.turns import needs_true_hand, play_turn, seat_to_act
from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option, values_option
from experiments.common.seat_text import cards_text, seat_text
from ofc_env.layout import ROW_SIZES, ROWS
from ofc_env.rendering import render_text

HELP = """
  Ah>t Kd>b 2c>x   put cards: t top, m middle, b bottom, x discard; as many at once as you like
  (Enter)          confirm, when the rows are served; what is left over is discarded
  undo             take the last card back; clear takes all back
  rank             how the opponent's agent, or for a level the champion, would rank your placements here
  review           the same for your last turn, with the place of what you played
  auto             let the solver set your fantasyland hand
  table            show the table again
  quit             leave
"""
LETTERS = {"t": "top", "m": "middle", "b": "bottom", "x": "discards"}
ROOM = dict(zip(ROWS, ROW_SIZES, strict=True))


@dataclass(frozen=True)
class Config:
    """Who plays what."""

    opponent: str = option(
        "pimc",
        f"who plays against you: a level ({', '.join(levels.LEVELS)}), one of {', '.join(agents.names())} "
        "with options, or my_module:MyAgent",
        metavar="NAME",
    )
    hands: int = option(0, "single hands", shown="0, a session with chips and fantasyland")
    seed: int | None = option(None, "fixes the cards", shown="new ones every time", low=0)
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    worlds: int = option(
        32, "deals for `rank`, if the agent does not rank by itself; more are surer, and slower", low=1
    )
    colour: bool | None = option(None, "paint the suits", shown="if the output is a terminal")


def made(config: Config, judges: bool = False) -> agents.Agent:
    """The opponent, or who judges a person's play: itself too, but for a level, which may have a handicap."""
    rules, name = ofc_env.Rules.parse(config.rules), config.opponent
    if levels.renamed(name) in levels.LEVELS:
        name = levels.reviewer(rules) if judges else levels.agent_of(name, rules=rules)
    return agents.make_valued(name, rules, config.fantasyland_values)


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
    """The person's side of a hand: what is typed, until it is a legal placement."""

    def __init__(self, terminal: Terminal, config: Config) -> None:
        self.terminal = terminal
        # Not the opponent itself: what that one remembers of the hand is its own side of it.
        self.judge = made(config, judges=True)
        self.config = config
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
            self.terminal.write(
                f"{self.config.opponent} looks at the true deck: its ranking would give it away"
            )
            return
        self.judge.reset()
        values = self.config.fantasyland_values
        reward = equity(known.rules, values) if values else None
        try:
            ranking = rank(self.judge, known, self.config.worlds, reward=reward)
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


# ---------------------------------------------------------------- hands and sessions


class Game:
    """A person in seat 0 against an agent in seat 1."""

    def __init__(self, config: Config, terminal: Terminal) -> None:
        self.config = config
        self.terminal = terminal
        self.agent = made(config)
        self.names = ("you", config.opponent)
        self.player = Player(terminal, config)

    def play(self) -> None:
        """The whole evening, until it is over or the person leaves."""
        rules = ofc_env.Rules.parse(self.config.rules)
        self.terminal.write(f"rules: {rules.name}; the button acts {rules.button_acts}")
        if self.agent.name != self.config.opponent:
            self.terminal.write(f"{self.config.opponent} is {self.agent.name}")
        try:
            if self.config.hands:
                self.play_hands()
            else:
                self.play_session()
        except LeaveError:
            self.terminal.write("bye")

    def play_hands(self) -> None:
        """Single hands with the button in turn."""
        total = 0
        for number, hand in enumerate(self.deal_hands()):
            self.agent.reset()
            while not hand.finished:
                hand.place(self.next_placement(hand))
            points = hand.result().raw_score[0]
            total += points
            self.show_end(hand)
            self.terminal.write(f"{points:+d} points, {total:+d} in all after {number + 1} hands")
            self.pause("for the next hand" if number + 1 < self.config.hands else "to leave")

    def deal_hands(self) -> Iterator[ofc_env.Hand]:
        """The single hands of the configuration."""
        for number in range(self.config.hands):
            seed = None if self.config.seed is None else self.config.seed + number
            rules = ofc_env.Rules.parse(self.config.rules)
            chips = (rules.chips, rules.chips)
            yield ofc_env.Hand(seed=seed, button=number % 2, chips=chips, rules=rules)

    def play_session(self) -> None:
        """A session with chips, fantasyland and the stop rules."""
        session = ofc_env.Session(seed=self.config.seed, rules=self.config.rules, auto_fantasyland=False)
        self.agent.reset()
        while not session.finished:
            hand = session.hand
            placement = self.next_placement(hand)
            session.place(placement)
            hand.place(placement)
            if hand.finished:
                self.agent.reset()
                self.show_end(hand)
                chips = session.chips
                self.terminal.write(
                    f"chips after {session.hands_played} hands: you {chips[0]}, opponent {chips[1]}"
                )
                if not session.finished:
                    self.pause("for the next hand")
        winner = "you win" if session.winner == 0 else f"{self.names[1]} wins"
        reason = "no chips are left" if session.reason == "no_chips" else "the chip gap is reached"
        self.terminal.write(f"the session is over, {reason}: {winner}")
        self.pause("to leave")

    def next_placement(self, hand: ofc_env.Hand) -> ofc_env.Placement:
        """The placement of whoever is to act."""
        if seat_to_act(hand) == 0:
            return self.player.choose(hand, self.names)
        placement = play_turn(self.agent, hand)
        if hand.in_fantasyland:
            self.terminal.write(f"{self.names[1]} has set its fantasyland hand, face down")
        else:
            public = ofc_env.Placement(top=placement.top, middle=placement.middle, bottom=placement.bottom)
            self.terminal.write(f"{self.names[1]} plays {public}")
        return placement

    def show_end(self, hand: ofc_env.Hand) -> None:
        """All cards of a finished hand."""
        self.terminal.write("")
        self.terminal.write(render_text(hand, self.names, self.terminal.colour))

    def pause(self, what: str) -> None:
        """Wait for Enter; the last turn can be reviewed meanwhile."""
        while text := self.terminal.ask(f"Enter {what}, review, or quit > "):
            if text.lower() == "review":
                self.player.review()
            else:
                self.terminal.write("type review, quit, or nothing")


def play(config: Config) -> None:
    """Play at the terminal."""
    if config.hands < 0:
        raise ValueError(f"{config.hands} hands cannot be played: use 1 or more, or 0 for a session")
    colour = sys.stdout.isatty() if config.colour is None else config.colour
    Game(config, Terminal(input, print, colour)).play()


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: play(read(Config, arguments, __doc__)), when_stopped="bye")


if __name__ == "__main__":
    sys.exit(main())
