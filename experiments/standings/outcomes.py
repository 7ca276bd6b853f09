"""Outcomes of hands from every pair of fantasylands, played in blocks that are kept as they are finished."""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.arena.progress import Progress
from agents.arena.tables import SessionTable, asked_one_by_one, play_tables
from agents.positions.ranking import play_out
from agents.randomness import seed_of
from experiments.common.options import option, processes_option, rules_option, seed_option
from experiments.standings.equations import Block, Outcome, Pair
from ofc_env import Board, Hand, HandResult, Rules, score_boards, solve_fantasyland
from ofc_env.files import write_whole

BLOCK = 100  # deals, or sessions, of a block
NORMAL, SESSIONS = (0, 0), (1, 1)  # kinds of a block, beside the pairs of widths


@dataclass(frozen=True)
class Settings:
    """What is played."""

    agent: str = option("alphazero:sims=0", "who plays both seats; it must not look at chips", metavar="NAME")
    hands: int = option(
        100000, "normal hands; four times as many halve the intervals, here and below", low=2 * BLOCK
    )
    against: int = option(4000, "hands of normal play against each fantasyland", low=2 * BLOCK)
    boards: int = option(4, "fantasyland boards that each of those is scored against: less noise", low=1)
    both: int = option(4000, "hands with both seats in fantasyland, for each pair of widths", low=2 * BLOCK)
    sessions: int = option(10000, "sessions that check the table; 0 for none", low=0)
    rules: str = rules_option()
    seed: int = seed_option()
    processes: int = processes_option(1)
    write: bool = option(False, "make it what the core's table says of these rules")
    resume: bool = option(False, "go on with the outcomes beside --out, also to play more")
    out: Path = option(Path("runs/win_table.json"), "JSON file; outcomes and a PNG beside it", metavar="FILE")

    @property
    def played_by(self) -> Rules:
        """The rules."""
        return Rules.parse(self.rules)

    def blocks(self) -> list[tuple[Pair, int]]:
        """Everything to be played: its kind and the number of the block."""
        widths = self.played_by.widths
        wanted: dict[Pair, int] = {NORMAL: self.hands}
        wanted |= {(width, 0): self.against for width in widths}
        wanted |= {(w, u): self.both for w in widths for u in widths if w <= u}
        wanted[SESSIONS] = self.sessions
        return [(pair, number) for pair, deals in wanted.items() for number in range(-(-deals // BLOCK))]


@dataclass(frozen=True)
class Task:
    """One block, for one process."""

    pair: Pair
    number: int
    settings: Settings


@lru_cache(maxsize=2)
def made(name: str, rules: Rules, _which: int = 0) -> agents.Agent:
    """A player, kept for the next block."""
    return agents.make(name, rules)


def set_out(cards: list[int], rules: Rules) -> Board:
    """A fantasyland as it is set for players."""
    return solve_fantasyland(cards, rules=rules).board


def decks(task: Task) -> Iterator[NDArray[np.int64]]:
    """A shuffled deck for each deal of a block."""
    for deal in range(task.number * BLOCK, (task.number + 1) * BLOCK):
        seed = seed_of(task.settings.seed, *task.pair, deal)
        yield np.random.default_rng(seed).permutation(task.settings.played_by.num_cards)


def played_out(task: Task, hands: list[Hand]) -> list[Hand]:
    """Hands to their end, the agent in both seats."""
    agent = made(task.settings.agent, task.settings.played_by)
    for group in [[hand] for hand in hands] if asked_one_by_one(agent) else [hands]:
        agent.reset()
        play_out(agent, group)
    return hands


def outcome_of(result: HandResult) -> Outcome:
    """What a hand leaves, from seat 0's side."""
    return result.raw_score[0], result.fl_card_count[0], result.fl_card_count[1]


def normal_outcomes(task: Task) -> Iterator[Outcome]:
    """Normal hands; seat 0 has the button."""
    rules = task.settings.played_by
    hands = [Hand(deck=deck.tolist(), button=0, rules=rules) for deck in decks(task)]
    for hand in played_out(task, hands):
        result = hand.result()
        yield outcome_of(result)


def fantasyland_outcomes(task: Task) -> Iterator[Outcome]:
    """Seat 0 in fantasyland against normal play; the normal seat never sees the boards it is scored with."""
    rules, width = task.settings.played_by, task.pair[0]
    hands, unseen = [], []
    for deck in decks(task):
        cards = deck.tolist()
        own, others = cards[:17], cards[17:]
        hand = Hand(deck=others[:width] + own + others[width:], fantasyland=(width, 0), rules=rules)
        hand.place(solve_fantasyland(others[:width], rules=rules).placement)
        hands.append(hand)
        unseen.append(others)
    generator = np.random.default_rng(seed_of(task.settings.seed, *task.pair, task.number, 1))
    for hand, others in zip(played_out(task, hands), unseen, strict=True):
        for _ in range(task.settings.boards):
            board = set_out(generator.permutation(others)[:width].tolist(), rules)
            result = score_boards(board, hand.board(1), fantasyland=task.pair, rules=rules)
            yield outcome_of(result)


def double_outcomes(task: Task) -> Iterator[Outcome]:
    """Both seats in fantasyland."""
    rules, (first, second) = task.settings.played_by, task.pair
    for deck in decks(task):
        cards = deck.tolist()
        boards = set_out(cards[:first], rules), set_out(cards[first : first + second], rules)
        result = score_boards(*boards, fantasyland=task.pair, rules=rules)
        yield outcome_of(result)


def play_block(task: Task) -> list[list[float]]:
    """A block as lines for its file: an outcome and its share, or a standing and who won its session."""
    if task.pair == SESSIONS:
        return session_lines(task)
    play = fantasyland_outcomes if task.pair[1] == 0 else double_outcomes
    counts = Counter((normal_outcomes if task.pair == NORMAL else play)(task))
    total = counts.total()
    return [[*outcome, count / total] for outcome, count in sorted(counts.items())]


def session_lines(task: Task) -> list[list[float]]:
    """Every standing after a hand that did not end its session: lead and widths of seat 0, and if it won."""
    settings, rules = task.settings, task.settings.played_by
    first = task.number * BLOCK
    seed = seed_of(settings.seed, *SESSIONS) >> 1
    tables = [SessionTable(seed, deal, 0, rules) for deal in range(first, first + BLOCK)]
    play_tables(tables, (made(settings.agent, rules), made(settings.agent, rules, 1)))
    return [
        [result.chips[0] - rules.chips, *result.fl_card_count, table.session.winner == 0]
        for table in tables
        for result in table.session.history[:-1]
    ]


class Store:
    """Blocks in a file of JSON lines, each written when it is played; the first line tells the settings."""

    def __init__(self, settings: Settings) -> None:
        self.path = settings.out.with_suffix(".blocks.jsonl")
        identity = {name: getattr(settings, name) for name in ("agent", "boards", "seed")} | {
            "rules": str(settings.played_by),
            "block": BLOCK,
        }
        self.blocks: dict[tuple[Pair, int], list[list[float]]] = {}
        if settings.resume and self.path.is_file():
            self._read(identity)
        lines = [identity, *({"pair": p, "number": n, "lines": b} for (p, n), b in self.blocks.items())]
        write_whole(self.path, "".join(json.dumps(line) + "\n" for line in lines))

    def _read(self, identity: dict[str, Any]) -> None:
        """Take up the blocks of the file; a last line that was cut off is played again."""
        for number, text in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                line = json.loads(text)
                if number > 1:
                    pair, block, lines = tuple(line["pair"]), int(line["number"]), list(line["lines"])
            except (ValueError, TypeError, LookupError) as error:
                raise ValueError(
                    f"{self.path} is damaged in line {number}: remove it, or play without resuming"
                ) from error
            if number == 1 and line != identity:
                raise ValueError(f"{self.path} was played with other settings than these: {line}")
            if number > 1:
                self.blocks[pair, block] = lines

    def add(self, task: Task, lines: list[list[float]]) -> None:
        """Keep a block."""
        self.blocks[task.pair, task.number] = lines
        with self.path.open("a") as file:
            file.write(json.dumps({"pair": task.pair, "number": task.number, "lines": lines}) + "\n")


def play_all(settings: Settings, store: Store) -> None:
    """Play what is not there yet."""
    wanted = settings.blocks()
    tasks = [Task(*block, settings) for block in wanted if block not in store.blocks]
    with Progress("win table", len(wanted), len(wanted) - len(tasks), "blocks") as bar:
        if settings.processes == 1:
            for task in tasks:
                store.add(task, play_block(task))
                bar.advance(1)
            return
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(settings.processes, context) as pool:
            for task, lines in zip(tasks, pool.map(play_block, tasks), strict=True):
                store.add(task, lines)
                bar.advance(1)


def blocks_of(store: Store, settings: Settings) -> dict[Pair, list[Block]]:
    """The blocks of outcomes by pair of widths."""
    found: dict[Pair, list[Block]] = {}
    for pair, number in settings.blocks():
        if pair != SESSIONS:
            lines = store.blocks[pair, number]
            found.setdefault(pair, []).append({(int(p), int(w), int(u)): share for p, w, u, share in lines})
    return found
