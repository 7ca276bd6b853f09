"""Have a named agent play whole sessions against itself (or another) and keep them in a log database.

    python experiments/generate_log.py --agent pimc:rollouts=50 --hands 5000 --out runs/pimc.db --processes 2
    python experiments/generate_log.py --agent heuristic --rules standard --out runs/standard.db

The sessions follow from the seed alone, however many processes play them. A run that was interrupted goes on
with the sessions that are not in the file yet. Fantasyland hands are set by the solver.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import agents
from agents.arena.log import Choice, record_session
from agents.arena.progress import Progress
from agents.base import Agent
from agents.randomness import seed_of
from agents.turns import play_turn, seat_to_act
from experiments.common.command_line import run
from experiments.common.options import (
    option,
    processes_option,
    read,
    rules_option,
    seed_option,
    values_option,
)
from experiments.logs.sources import verify_database_name
from ofc_env import Hand, Placement, Rules, Session
from ofc_env.records import Records

Move = tuple[str, int]  # a placement as text, think time in ms


@dataclass(frozen=True)
class Games:
    """Which sessions are to be played."""

    agent: str  # seat 0, and seat 1 if no opponent is named
    opponent: str | None = None
    hands: int = 5000  # at least so many; the last session is played to its end
    seed: int = 0
    processes: int = 1
    rules: Rules = Rules()
    fantasyland_values: tuple[float, ...] | None = None  # for rules under which nobody has measured them

    @property
    def players(self) -> tuple[str, str]:
        """Names by seat."""
        return (self.agent, self.opponent or self.agent)

    def session_id(self, index: int) -> str:
        """The name of one session of these games in a log."""
        rules = "" if self.rules == Rules() else f"{self.rules.name}-"
        return f"{self.agent}-{self.opponent or 'itself'}-{rules}{self.seed}-{index}"

    def session_seed(self, index: int) -> int:
        """The seed of one session."""
        return seed_of(self.seed, index)

    def make_players(self) -> tuple[Agent, Agent]:
        """The agents by seat, made for the rules; a wrong name is refused."""
        first, second = self.players
        return (
            agents.make_valued(first, self.rules, self.fantasyland_values),
            agents.make_valued(second, self.rules, self.fantasyland_values),
        )


def play_session(seed: int, players: tuple[Agent, Agent], rules: Rules) -> list[Move]:
    """Play one session to its end.

    Args:
        seed: of the session.
        players: by seat, two objects.
        rules: of the session.

    Returns:
        What was placed, turn by turn and fantasyland settings included.
    """
    session = Session(seed=seed, rules=rules, auto_fantasyland=False)
    moves: list[Move] = []
    hand_number = -1
    while not session.finished:
        if session.hands_played != hand_number:
            hand_number = session.hands_played
            for player in players:
                player.reset()
        hand = session.hand
        start = time.perf_counter()
        placement = play_turn(players[seat_to_act(hand)], hand)
        moves.append((str(placement), round((time.perf_counter() - start) * 1000)))
        session.place(placement)
    return moves


def write_session(records: Records, games: Games, index: int, moves: list[Move]) -> int:
    """Keep a session that was played, in one commit; how many hands it had."""
    session = Session(seed=games.session_seed(index), rules=games.rules, auto_fantasyland=False)
    placed = iter(moves)

    def choose(_: Hand) -> Choice:
        text, think_time = next(placed)
        return Placement.parse(text), think_time

    return record_session(records, games.session_id(index), session, games.players, choose, "teacher")


def generate_log(games: Games, path: Path, progress: bool = True) -> int:
    """Play and log sessions until the file has enough hands of these games; how many it then has."""
    if games.hands < 1:
        raise ValueError(f"a log of {games.hands} hands has nothing in it: play 1 or more")
    players = games.make_players()  # wrong names and rules are refused before anything is written
    path.parent.mkdir(parents=True, exist_ok=True)
    # A killed process loses nothing; what a loss of power might take can be played again.
    with Records(path, durable=False) as records:
        there = {row["session_id"]: row["hands_played"] or 0 for row in records.sessions()}
        hands = 0
        with Progress(games.agent, games.hands, unit="hands", shown=progress) as bar:
            for index, moves in _played(games, players, there):
                played = (
                    there[games.session_id(index)]
                    if moves is None
                    else write_session(records, games, index, moves)
                )
                hands += played
                bar.move_to(min(hands, games.hands))
                if hands >= games.hands:
                    break
    return hands


def _played(
    games: Games, players: tuple[Agent, Agent], there: dict[str, int]
) -> Iterator[tuple[int, list[Move] | None]]:
    """Sessions 0, 1, 2, ... of these games for as long as they are asked for; None: already in the file."""
    if games.processes <= 1:
        index = 0
        while True:
            known = games.session_id(index) in there
            yield index, None if known else play_session(games.session_seed(index), players, games.rules)
            index += 1
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # workers inherit it: one thread of arithmetic each
    context = multiprocessing.get_context("spawn")
    with context.Pool(games.processes) as pool:
        first = 0
        while True:  # batches, so that not many more sessions are played than are asked for
            batch = range(first, first + 4 * games.processes)
            new = [index for index in batch if games.session_id(index) not in there]
            played = dict(zip(new, pool.map(partial(_play_in_worker, games), new, chunksize=1), strict=True))
            for index in batch:
                yield index, played.get(index)
            first = batch.stop


@lru_cache(maxsize=1)
def _worker_players(games: Games) -> tuple[Agent, Agent]:
    """A worker builds its agents once."""
    return games.make_players()


def _play_in_worker(games: Games, index: int) -> list[Move]:
    return play_session(games.session_seed(index), _worker_players(games), games.rules)


@dataclass(frozen=True)
class Config:
    """Who plays, how much, and where it is kept."""

    agent: str = option(
        "heuristic", "who plays seat 0, such as pimc:rollouts=50 or my_module:MyAgent", metavar="NAME"
    )
    opponent: str | None = option(None, "who plays seat 1", metavar="NAME", shown="the same agent")
    hands: int = option(5000, "hands at least; the last session is played to its end")
    out: Path = option(
        Path("runs/games.db"), "log database; made, or gone on with", metavar="FILE", old=("--output",)
    )
    seed: int = seed_option("fixes every session; another one gives other games")
    processes: int = processes_option(1)
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()


def play_and_keep(config: Config) -> None:
    """Generate the log and say what it holds."""
    verify_database_name(config.out, "--out")
    games = Games(
        config.agent,
        config.opponent,
        config.hands,
        config.seed,
        config.processes,
        Rules.parse(config.rules),
        config.fantasyland_values,
    )
    hands = generate_log(games, config.out)
    print(
        f"{config.out}: {hands} hands of {' against '.join(games.players)} by the rules {games.rules.name!r}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: play_and_keep(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
