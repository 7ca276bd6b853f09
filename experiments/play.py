"""Play against any agent in the terminal, or watch two of them.

    python experiments/play.py                         a session against pimc
    python experiments/play.py --opponent novice       a session against a level
    python experiments/play.py --opponent heuristic --hands 3 --seed 7
    python experiments/play.py --rules standard        52 cards, button last
    python experiments/play.py --player expert --opponent strongest          watch two of them

You type where cards go: `Ah>t Kd>b 2c>x` puts the ace on top, the king on the bottom and discards the deuce.
Nothing counts before you confirm it. Type ? at any time for the list of commands. Hands are kept in a log,
as practice, because you may ask for a ranking while you play. After a hand, `review` tells what your
decisions were worth.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import agents
import ofc_env
from agents import levels
from agents.turns import play_turn, seat_to_act
from experiments.common.command_line import run
from experiments.common.evening import Evening, review_text
from experiments.common.options import option, read, rules_option, values_option
from experiments.common.person import LeaveError, Player, Terminal
from experiments.logs.sources import verify_database_name
from ofc_env.records.lines import PRACTICE
from ofc_env.rendering import render_text

YOU = "you"


@dataclass(frozen=True)
class Config:
    """Who plays what."""

    opponent: str = option(
        "pimc",
        f"who plays against you: a level ({', '.join(levels.LEVELS)}), one of {', '.join(agents.names())} "
        "with options, or my_module:MyAgent",
        metavar="NAME",
    )
    player: str = option(YOU, "who takes your seat while you watch: named like the opponent", metavar="NAME")
    hands: int = option(0, "single hands", shown="0, a session with chips and fantasyland")
    seed: int | None = option(None, "fixes the cards", shown="new ones every time", low=0)
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    worlds: int = option(
        32, "deals for `rank`, if the agent does not rank by itself; more are surer, and slower", low=1
    )
    log: Path = option(
        Path("runs/terminal.db"), "the log database that the hands are kept in", metavar="FILE"
    )
    keep: bool = option(True, "keep the hands in the log")
    colour: bool | None = option(None, "paint the suits", shown="if the output is a terminal")


def made(config: Config, judges: bool = False, name: str | None = None) -> agents.Agent:
    """The opponent, or who judges a person's play: itself too, but for a level, which may have a handicap.

    Somebody else instead of the opponent if a name is given.
    """
    rules, name = ofc_env.Rules.parse(config.rules), name or config.opponent
    if levels.renamed(name) in levels.LEVELS:
        name = levels.reviewer(rules) if judges else levels.agent_of(name, rules=rules)
    elif ":" not in name and name not in agents.names():
        known = ", ".join((*levels.LEVELS, *agents.names()))
        raise ValueError(f"no level or agent is named {name!r}: use one of {known}, or my_module:MyAgent")
    return agents.make_valued(name, rules, config.fantasyland_values)


# ---------------------------------------------------------------- hands and sessions


class Game:
    """A person in seat 0, or an agent that the person watches, against an agent in seat 1."""

    def __init__(self, config: Config, terminal: Terminal) -> None:
        self.config = config
        self.terminal = terminal
        self.watched = None if config.player == YOU else made(config, name=config.player)
        self.agent = made(config)
        self.names = (config.player, config.opponent)
        if self.watched is not None and config.player == config.opponent:
            self.names = (f"{config.player} 1", f"{config.opponent} 2")
        judge = made(config, judges=True)
        self.player = Player(terminal, judge, config.worlds, config.fantasyland_values)
        self.rules = ofc_env.Rules.parse(config.rules)
        self.evening = self.new_evening(None)

    def new_evening(self, log: Path | None) -> Evening:
        """Where this evening's hands are kept, here and in a log."""
        names = tuple(agent.name if agent else YOU for agent in (self.watched, self.agent))
        kind = PRACTICE if self.watched is None else "watched"
        return Evening(log, (names[0], names[1]), self.rules, self.config.seed, kind)

    def play(self) -> None:
        """The whole evening, until it is over or the person leaves."""
        self.terminal.write(f"rules: {self.rules.name}; the button acts {self.rules.button_acts}")
        for agent, name in ((self.watched, self.config.player), (self.agent, self.config.opponent)):
            if agent is not None and agent.name != name:
                self.terminal.write(f"{name} is {agent.name}")
            if levels.renamed(name) in levels.LEVELS:
                self.terminal.write(levels.CHARACTERS[levels.level_of(name)])
        if self.config.keep:
            verify_database_name(self.config.log, "--log")
        self.evening = self.new_evening(self.config.log if self.config.keep else None)
        farewell = []
        try:
            if self.config.hands:
                self.play_hands()
            else:
                self.play_session()
        except LeaveError:
            farewell = ["bye"]
        finally:
            self.evening.close()
        if self.config.keep and self.evening.number:
            self.terminal.write(f"the hands are in {self.config.log}, session {self.evening.session_id}")
        for word in farewell:
            self.terminal.write(word)

    def forget_hand(self) -> None:
        """Let the agents forget what they remember of a hand."""
        for agent in (self.watched, self.agent):
            if agent is not None:
                agent.reset()

    def place(self, hand: ofc_env.Hand) -> ofc_env.Placement:
        """Whoever is to act places, and it is kept."""
        began = time.monotonic()
        placement = self.next_placement(hand)
        self.evening.placed(hand, placement, round(1000 * (time.monotonic() - began)))
        return placement

    def play_hands(self) -> None:
        """Single hands with the button in turn."""
        total = 0
        for number, hand in enumerate(self.deal_hands()):
            self.forget_hand()
            self.evening.begin(hand)
            while not hand.finished:
                hand.place(self.place(hand))
            self.evening.ended(hand.result())
            points = hand.result().raw_score[0]
            total += points
            self.show_end(hand)
            self.terminal.write(f"{points:+d} points, {total:+d} in all after {number + 1} hands")
            self.pause("for the next hand" if number + 1 < self.config.hands else "to leave")

    def deal_hands(self) -> Iterator[ofc_env.Hand]:
        """The single hands of the configuration."""
        for number in range(self.config.hands):
            seed = None if self.config.seed is None else self.config.seed + number
            chips = (self.rules.chips, self.rules.chips)
            yield ofc_env.Hand(seed=seed, button=number % 2, chips=chips, rules=self.rules)

    def play_session(self) -> None:
        """A session with chips, fantasyland and the stop rules."""
        session = ofc_env.Session(seed=self.config.seed, rules=self.config.rules, auto_fantasyland=False)
        while not session.finished:
            hand = session.hand
            self.forget_hand()
            self.evening.begin(hand)
            while not hand.finished:
                placement = self.place(hand)
                session.place(placement)
                hand.place(placement)
            self.evening.ended(hand.result())
            self.show_end(hand)
            chips = ", ".join(f"{self.names[seat]} {session.chips[seat]}" for seat in (0, 1))
            self.terminal.write(f"chips after {session.hands_played} hands: {chips}")
            if not session.finished:
                self.pause("for the next hand")
        self.evening.close(session)
        winner = "you win" if session.winner == 0 and not self.watched else f"{self.winner(session)} wins"
        reason = "no chips are left" if session.reason == "no_chips" else "the chip gap is reached"
        self.terminal.write(f"the session is over, {reason}: {winner}")
        self.pause("to leave")

    def winner(self, session: ofc_env.Session) -> str:
        """Who has won a session."""
        return "nobody" if session.winner is None else self.names[session.winner]

    def next_placement(self, hand: ofc_env.Hand) -> ofc_env.Placement:
        """The placement of whoever is to act."""
        seat = seat_to_act(hand)
        agent = (self.watched, self.agent)[seat]
        if agent is None:
            return self.player.choose(hand, self.names)
        placement = play_turn(agent, hand)
        if hand.in_fantasyland:
            self.terminal.write(f"{self.names[seat]} has set its fantasyland hand, face down")
        else:
            public = ofc_env.Placement(top=placement.top, middle=placement.middle, bottom=placement.bottom)
            self.terminal.write(f"{self.names[seat]} plays {public}")
        return placement

    def show_end(self, hand: ofc_env.Hand) -> None:
        """All cards of a finished hand."""
        self.terminal.write("")
        self.terminal.write(render_text(hand, self.names, self.terminal.colour))

    def pause(self, what: str) -> None:
        """Wait for Enter; the hand can be reviewed meanwhile."""
        while text := self.terminal.ask(f"Enter {what}, review, or quit > "):
            if text.lower() == "review":
                try:
                    self.terminal.write(review_text(self.evening.review(seat=0)))
                except ValueError as refusal:  # nobody can judge play by these rules
                    self.terminal.write(f"{refusal}")
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
