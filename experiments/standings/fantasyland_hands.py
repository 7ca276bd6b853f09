"""Hands of fantasyland against normal play and against each other, played in rounds that go on after a stop.

The deals of a round follow from the seed and their numbers, whichever process plays them; what is finished
stands in a file of JSON lines (`agents.arena.store`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.arena.progress import Progress
from agents.arena.store import MatchStore
from agents.arena.tables import Arrays, asked_one_by_one
from agents.arena.workers import AgentSource, Players, play_chunks
from agents.base import Agent
from agents.positions.ranking import play_out
from experiments.common.options import option, processes_option, rules_option, seed_option
from ofc_env import Board, FantasylandSolution, Hand, Rules, score_boards, solve_fantasyland

WIDTHS = (14, 15, 16, 17)
STATES = (0, *WIDTHS)  # what a seat may hold: normal play, or that many cards
FEWEST_HANDS = 50  # with fewer it may happen that every fantasyland stays, and the equations have no answer
CHUNK = 25  # deals that are played at once

Table = tuple[float, float, float, float]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Settings:
    """What is played."""

    agent: str = option(
        "heuristic", "the normal player; a stronger one leaves less to fantasyland", metavar="NAME"
    )
    hands: int = option(
        2000, "normal hands for each width; four times as many halve the intervals", low=FEWEST_HANDS
    )
    boards: int = option(16, "fantasyland boards that each normal hand is scored against: less noise", low=1)
    both: int = option(
        1000, "hands with both seats in fantasyland, for each pair of widths", low=FEWEST_HANDS
    )
    rules: str = rules_option()
    seed: int = seed_option()
    processes: int = processes_option(1)
    start: tuple[float, ...] | None = option(
        None,
        "values of 14, 15, 16 and 17 cards that the first hands are played with; close ones save rounds",
        metavar="V",
        count=len(WIDTHS),
        shown="the equity reward's",
    )
    write: bool = option(False, "make them what the core's table says of these rules")
    resume: bool = option(False, "go on with the rounds beside --out that the same command has begun")
    out: Path = option(
        Path("runs/fantasyland_value.json"),
        "JSON file of the values; the rounds and a PNG beside it",
        metavar="FILE",
        old=("--output",),
    )

    @property
    def played_by(self) -> Rules:
        """The rules."""
        return Rules.parse(self.rules)

    @property
    def pairs(self) -> list[Pair]:
        """Two fantasylands that can meet; the rest follows by symmetry."""
        widths = self.played_by.widths
        return [(w, u) for w in widths for u in widths if w < u]


@dataclass(frozen=True)
class Outcomes:
    """What happened in the deals of one pair of widths, a line a deal; means over its boards."""

    points: NDArray[np.float64]  # (deals,) of seat 0
    moves: NDArray[np.float64]  # (deals, 5, 5) share of the boards that leave each pair of STATES
    royalties: NDArray[np.float64]  # (deals, 2 seats)
    fouls: NDArray[np.float64]  # (deals,) of seat 1, the normal player


@dataclass(frozen=True)
class Round:
    """All hands that are played with one table: those of a pair of widths one after the other."""

    settings: Settings
    table: Table
    hands: int  # of each width against normal play
    both: int  # of each pair of widths

    @property
    def deals(self) -> dict[Pair, int]:
        """How many deals of each pair, in their order."""
        alone = {(width, 0): self.hands for width in self.settings.played_by.widths}
        return alone | dict.fromkeys(self.settings.pairs, self.both)

    def pieces(self, first: int, count: int) -> Iterator[tuple[Pair, range]]:
        """The deals of each pair among `count` of the round from number `first` on."""
        before = 0
        for pair, deals in self.deals.items():
            low, high = max(first - before, 0), min(first + count - before, deals)
            if low < high:
                yield pair, range(low, high)
            before += deals

    def identity(self) -> dict[str, object]:
        """What its outcomes follow from, JSON-ready."""
        settings = self.settings
        return {
            "kind": "fantasyland",
            "agent": settings.agent,
            "rules": str(settings.played_by),
            "boards": settings.boards,
            "seed": settings.seed,
            "table": list(self.table),
            "hands": self.hands,
            "both": self.both,
        }


def stay_value(width: int, table: Table, rules: Rules) -> float:
    """Worth of staying in a fantasyland of that width."""
    return table[WIDTHS.index(rules.stay_cards or width)]


def solved(cards: list[int], table: Table, rules: Rules) -> FantasylandSolution:
    """The best setting, with staying worth what the table says."""
    return solve_fantasyland(cards, stay_value=stay_value(len(cards), table, rules), rules=rules)


def play_normal_hands(
    agent: Agent, width: int, deals: range, played: Round
) -> tuple[list[Board], list[list[int]]]:
    """Finished boards of the normal player, and for each the cards it did not see."""
    rules = played.settings.played_by
    hands, unseen = [], []
    for deal in deals:
        cards = np.random.default_rng((played.settings.seed, deal)).permutation(rules.num_cards).tolist()
        others = cards[17:]
        deck = others[:width] + cards[:17] + others[width:]
        hand = Hand(deck=deck, fantasyland=(width, 0), rules=rules)
        hand.place(solved(others[:width], played.table, rules).placement)
        hands.append(hand)
        unseen.append(others)
    for group in [[hand] for hand in hands] if asked_one_by_one(agent) else [hands]:
        agent.reset()
        play_out(agent, group)
    return [hand.board(1) for hand in hands], unseen


def play(agent: Agent, widths: Pair, deals: range, played: Round) -> Outcomes:
    """Play deals of one pair: a fantasyland against normal play, or two fantasylands."""
    width, other_width = widths
    rules, count = played.settings.played_by, len(deals)
    boards = 1 if other_width else played.settings.boards
    points = np.zeros(count)
    moves = np.zeros((count, len(STATES), len(STATES)))
    royalties = np.zeros((count, 2))
    fouls = np.zeros(count)
    normal_boards, unseen = ([], []) if other_width else play_normal_hands(agent, width, deals, played)
    for index, deal in enumerate(deals):
        # Against normal play every width draws its boards from the same permutations.
        generator = np.random.default_rng((played.settings.seed, deal, 1))
        for _ in range(boards):
            if other_width:
                cards = generator.permutation(rules.num_cards).tolist()
                second = solved(cards[width : width + other_width], played.table, rules).board
            else:
                cards = generator.permutation(unseen[index]).tolist()
                second = normal_boards[index]
            first = solved(cards[:width], played.table, rules).board
            result = score_boards(first, second, fantasyland=widths)
            points[index] += result.raw_score[0] / boards
            left = [STATES.index(count) for count in result.fl_card_count]
            moves[index, left[0], left[1]] += 1 / boards
            royalties[index] += [result.royalties[seat].total / boards for seat in (0, 1)]
            fouls[index] += result.busted[1] / boards
    return Outcomes(points, moves, royalties, fouls)


def _play_chunk(
    players: Players, first: int, count: int, report: Callable[[float], None], played: Round
) -> Arrays:
    """Some deals of a round, as the store keeps them."""
    parts = [play(players[0], pair, deals, played) for pair, deals in played.pieces(first, count)]
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in Outcomes.__annotations__
    }
    return {**joined, "seconds": np.zeros(2), "decisions": np.zeros(2)}


def play_round(played: Round, title: str, store: Path, resume: bool) -> dict[Pair, Outcomes]:
    """Outcomes of every pair of widths, in this process or in several; what the store has is not played."""
    settings = played.settings
    source = AgentSource.of(settings.agent, settings.played_by, played.table)
    total = sum(played.deals.values())
    results = MatchStore(played.identity(), store, resume)
    try:
        chunks = results.missing(total, CHUNK)
        done = total - sum(count for _, count in chunks)
        with Progress(title, total, done, "hands") as progress:
            play_chunks(
                partial(_play_chunk, played=played),
                (source, source),
                chunks,
                settings.processes,
                results.add,
                progress.advance,
            )
        arrays = results.arrays(total)
    finally:
        results.close()
    ends = np.cumsum(list(played.deals.values()))[:-1]
    columns = [np.split(arrays[name], ends) for name in Outcomes.__annotations__]
    return {
        pair: Outcomes(*parts) for pair, parts in zip(played.deals, zip(*columns, strict=True), strict=True)
    }
