"""What setting fantasyland against likely boards of the opponent gains over setting it for itself alone.

    python experiments/fantasyland_boards.py
    python experiments/fantasyland_boards.py --boards 256 --hands 4000 --seed 1 --sessions 0
    python experiments/fantasyland_boards.py --hands 8000 --resume      # after Ctrl-C, or for more hands

For each number of cards, the same hands are set twice: for themselves alone (royalties, and the worth of
staying), and for the mean of the points against sampled boards (`fantasyland_boards` of an agent). Both
settings are scored against the same boards that the opponent then really ends with: played normally by
--agent, or set by the solver where it is in fantasyland too. Whole sessions between the two follow, with luck
taken out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.arena import Adjusting, MatchSettings, SessionResult, play_sessions
from agents.arena.estimates import Estimate, estimate
from agents.arena.progress import Progress
from agents.arena.store import MatchStore
from agents.arena.tables import Arrays, asked_one_by_one
from agents.arena.workers import AgentSource, Players, play_chunks
from agents.positions.ranking import play_out
from agents.turns import set_against
from experiments.common.command_line import duration, run, write_json
from experiments.common.options import option, processes_option, read, rules_option, seed_option
from ofc_env import Board, Hand, InformationSet, Rules, score_boards
from ofc_env._core import MOST_LIKELY_BOARDS

CHUNK = 50  # hands that are played before they are kept

Pair = tuple[int, int]  # widths; the opponent's is 0 where it plays normally


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take some ten minutes on two cores."""

    agent: str = option(
        "alphazero:sims=0", "the normal player opposite, and both players of the sessions", metavar="NAME"
    )
    boards: int = option(
        64,
        "sampled boards that a hand is set against; more cost time and find a little more",
        low=1,
        high=MOST_LIKELY_BOARDS,
    )
    hands: int = option(
        2000, "fantasyland hands of each width; four times as many halve the intervals", low=2
    )
    opponents: int = option(
        8, "boards of the opponent that both settings of a hand are scored against: less noise", low=1
    )
    sessions: int = option(400, "whole sessions, each played twice; 0 for none", low=0)
    rules: str = rules_option()
    seed: int = seed_option()
    processes: int = processes_option(2)
    resume: bool = option(False, "go on with the hands and sessions beside --out, also to play more")
    out: Path = option(
        Path("runs/fantasyland_boards.json"),
        "JSON file of the results; hands and sessions beside it",
        metavar="FILE",
    )

    @property
    def played_by(self) -> Rules:
        """The rules."""
        return Rules.parse(self.rules)


@dataclass(frozen=True)
class Gain:
    """What the boards gain, over the hands of one width."""

    widths: Pair
    equity: Estimate  # points, and the worth of staying
    points: Estimate
    stays: Estimate  # share of hands: difference
    changed: float  # share of hands that are set otherwise

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        estimates = {name: getattr(self, name).to_dict() for name in ("equity", "points", "stays")}
        return {"widths": self.widths, **estimates, "changed": self.changed}


def opponent_boards(
    agent: agents.Agent, widths: Pair, cards: list[int], rest: list[list[int]], rules: Rules
) -> list[Board]:
    """The boards that the opponent ends with, one for each order of the cards that the seat does not hold."""
    hands = []
    for order in rest:
        button = rules.first_to_act(button=0)  # so that seat 0 is dealt to first, also where both set
        hand = Hand(deck=cards + order, button=button, fantasyland=widths, rules=rules)
        hand.set_fantasyland()  # the opponent sees nothing of it, however it is set
        if hand.in_fantasyland:
            hand.set_fantasyland()
        hands.append(hand)
    if not widths[1]:
        for group in [[hand] for hand in hands] if asked_one_by_one(agent) else [hands]:
            agent.reset()
            play_out(agent, group)
    return [hand.board(1) for hand in hands]


def play(agent: agents.Agent, widths: Pair, number: int, config: Config) -> tuple[float, int, int]:
    """Points and stays that the boards gain in one hand, and whether they change the setting."""
    rules, (width, other_width) = config.played_by, widths
    generator = np.random.default_rng((config.seed, width, other_width, number))
    deck = generator.permutation(rules.num_cards).tolist()
    cards = deck[:width]
    known = InformationSet(hand=cards, opponent_fantasyland=other_width, rules=rules)
    settings = [set_against(known, boards) for boards in (0, config.boards)]
    if settings[0] == settings[1]:
        return 0.0, 0, 0
    alone, against = (Board(each.top, each.middle, each.bottom, rules=rules) for each in settings)
    orders = [generator.permutation(deck[width:]).tolist() for _ in range(config.opponents)]
    opponents = opponent_boards(agent, widths, cards, orders, rules)
    points = [
        score_boards(against, board).raw_score[0] - score_boards(alone, board).raw_score[0]
        for board in opponents
    ]
    return float(np.mean(points)), int(against.stays) - int(alone.stays), 1


def play_chunk(
    players: Players,
    first: int,
    count: int,
    report: Callable[[float], None],
    config: Config,
    pairs: Sequence[Pair],
) -> Arrays:
    """Some hands, those of all pairs in turn, so that more hands go on where fewer ended."""
    gains = [
        play(players[0], pairs[number % len(pairs)], number // len(pairs), config)
        for number in range(first, first + count)
    ]
    return {"gains": np.array(gains), "seconds": np.zeros(2), "decisions": np.zeros(2)}


def measure_widths(config: Config) -> list[Gain]:
    """Every width against normal play, and the narrowest against itself."""
    rules = config.played_by
    if not rules.widths:
        raise ValueError(f"nobody wins fantasyland by the rules {rules.name!r}: choose others")
    pairs = [*((width, 0) for width in rules.widths), (rules.widths[0], rules.widths[0])]
    identity = {"kind": "fantasyland boards", "rules": str(rules)}
    identity |= {name: getattr(config, name) for name in ("agent", "boards", "opponents", "seed")}
    source = AgentSource.of(config.agent, rules)
    total = len(pairs) * config.hands
    store = MatchStore(identity, config.out.with_suffix(".hands.jsonl"), config.resume)
    try:
        chunks = store.missing(total, CHUNK)
        done = total - sum(count for _, count in chunks)
        with Progress("fantasyland hands", total, done, "hands") as progress:
            play_chunks(
                partial(play_chunk, config=config, pairs=pairs),
                (source, source),
                chunks,
                config.processes,
                store.add,
                progress.advance,
            )
        gains = store.arrays(total)["gains"]
    finally:
        store.close()
    return [gain_of(pair, gains[place :: len(pairs)], rules) for place, pair in enumerate(pairs)]


def gain_of(widths: Pair, gains: NDArray[np.float64], rules: Rules) -> Gain:
    """Sum up the hands of one width, (hands, 3)."""
    points, stays, changed = gains.T
    values = rules.fantasyland_values or Rules().fantasyland_values or []
    worth = values[(rules.stay_cards or widths[0]) - 14]
    return Gain(
        widths, estimate(points + worth * stays), estimate(points), estimate(stays), float(changed.mean())
    )


def measure_sessions(config: Config) -> SessionResult:
    """Sessions of the agent that sets against boards, and the same agent that sets for itself alone."""
    settings = MatchSettings(
        seed=config.seed, processes=config.processes, rules=config.played_by, adjust=Adjusting()
    )
    separator = "," if agents.parse_name(config.agent)[1] else ":"
    against = f"{config.agent}{separator}fantasyland_boards={config.boards}"
    store = config.out.with_suffix(".sessions.jsonl")
    return play_sessions(against, config.agent, config.sessions, settings, store, config.resume)


def measure(config: Config) -> None:
    """Play, print and write."""
    start = time.perf_counter()
    print(f"set against {config.boards} likely boards, not alone; {config.hands} hands a line")
    gains = measure_widths(config)
    for gain in gains:
        own, other = gain.widths
        opposite = f"{other} cards" if other else config.agent
        print(
            f"{own} cards v {opposite:<18} equity {gain.equity.text()}   points {gain.points.text()}   "
            f"stays {gain.stays.scaled(100).text()} %   {100 * gain.changed:.0f} % set otherwise"
        )
    sessions = measure_sessions(config) if config.sessions else None
    if sessions:
        print(sessions.text())
    found = {
        "config": {**asdict(config), "out": str(config.out)},
        "seconds": round(time.perf_counter() - start, 1),
        "widths": [gain.to_dict() for gain in gains],
        "sessions": sessions.to_dict() if sessions else None,
    }
    write_json(config.out, found)
    print(f"{duration(time.perf_counter() - start)}; written to {config.out}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: measure(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
