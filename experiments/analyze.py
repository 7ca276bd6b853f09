"""Any position, every placement, what it is worth: value, error, foul, fantasyland and royalties, best first.

    python experiments/analyze.py                                    # an example
    python experiments/analyze.py --hand "Ah Kd Qs Qh 5c"
    python experiments/analyze.py --top Qs --middle "2d 3d" --bottom "Kh Kd" --hand "Qh X1 5c" \\
        --opponent-middle "4c 4d" --opponent-bottom "Ah Ac As" --agent pimc:rollouts=5000
    python experiments/analyze.py --log games.jsonl --line 12

Cards are written Ah Td 2c X1. Whether you have the button follows from the boards; say --button or
--no-button to have it checked. A hand of 14 to 17 cards is a fantasyland hand, which the solver sets, for the
most points against the opponent's board if you give all 13 cards of it.

Agents that rank placements tell what they know of each; what they do not know is shown as "-". With
--playouts, and for agents that do not rank, the hand is played on from every placement by that agent in both
seats, in the same worlds for all. A line below the table says which of these it was.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path

import agents
import ofc_env
from agents.positions.position import (
    ROWS,
    Position,
    information_of,
    position_of_line,
    read_cards,
    read_log_line,
)
from agents.positions.ranking import Candidate, Ranks, candidate_dict, rank, rank_by_playouts, ranking_table
from agents.rewards import equity
from agents.turns import needs_true_hand
from experiments.common.command_line import run, write_json
from experiments.common.options import option, read, rules_option, seed_option, values_option
from experiments.common.seat_text import seat_text
from ofc_env.records.lines import placement_of_action

EXAMPLE = "Ah Kd Qs Qh 5c"
CARDS = (*ROWS, *(f"opponent_{row}" for row in ROWS), "hand", "discards")


@dataclass(frozen=True)
class Config:
    """A position and how to judge it."""

    top: str = option("", "your own top", metavar="CARDS", group='cards, such as "Ah Td X1"')
    middle: str = option("", "your own middle", metavar="CARDS")
    bottom: str = option("", "your own bottom", metavar="CARDS")
    opponent_top: str = option("", "the opponent's top", metavar="CARDS")
    opponent_middle: str = option("", "the opponent's middle", metavar="CARDS")
    opponent_bottom: str = option("", "the opponent's bottom", metavar="CARDS")
    hand: str = option(
        "", "the cards that you have to place now", metavar="CARDS", shown="an example, if no cards are given"
    )
    discards: str = option("", "your own discards so far", metavar="CARDS")
    button: bool | None = option(
        None, "whether you act first", shown="as the boards tell", group="the rest of the position"
    )
    chips: int = option(200, "your chips")
    opponent_chips: int | None = option(None, "the opponent's chips", shown="the rest of the 400")
    opponent_fantasyland: int = option(
        0, "cards of the opponent's fantasyland, 14 to 17", metavar="WIDTH", shown="normal play"
    )
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    log: str | None = option(
        None,
        "JSON lines, also gzipped",
        metavar="FILE",
        group="or a turn of a game log",
        shown="cards are given",
    )
    line: int = option(1, "which line of it, from 1")
    agent: str = option(
        "pimc",
        f"{', '.join(agents.names())} with options, or my_module:MyAgent",
        metavar="NAME",
        group="who judges",
    )
    playouts: bool = option(False, "play on from every placement, whatever the agent says")
    worlds: int = option(64, "deals for each placement in playouts; more make values surer, and take longer")
    seed: int = seed_option("of those deals")
    limit: int = option(10, "placements shown")
    all: bool = option(False, "show every placement")
    json: str | None = option(None, "also write the ranking to this file", metavar="FILE", shown="print only")

    @property
    def position(self) -> Position:
        """As described by the cards given."""
        return Position(
            **{item.name: getattr(self, item.name) for item in fields(Position) if hasattr(self, item.name)}
        )


def analyze(config: Config) -> None:
    """Judge the position and print."""
    rules = ofc_env.Rules.parse(config.rules)
    position, played = replace(config.position, rules=rules), None
    if not config.log and not any(getattr(config, name) for name in CARDS):
        print(f'no cards given, so here is an example: --hand "{EXAMPLE}"\n')
        position = replace(position, hand=EXAMPLE)
    if config.log is not None:
        line = read_log_line(Path(config.log), config.line)
        position = position_of_line(line)
        rules = position.rules
        played = played_placement(line)
    if isinstance(position.hand, str) and 14 <= len(position.hand.split()) <= 17:
        print(fantasyland_text(position, rules))
        return
    known = information_of(position)
    agent = agents.make_valued(config.agent, rules, config.fantasyland_values)
    if needs_true_hand(agent):
        raise ValueError(f"{config.agent} needs the true deck, which no position has: choose another agent")
    print(seat_text(known) + "\n")
    judge = rank_by_playouts if config.playouts else rank
    values = config.fantasyland_values
    reward = equity(rules, values) if values else None
    candidates = judge(agent, known, config.worlds, config.seed, reward)
    print(ranking_table(candidates, None if config.all else config.limit))
    print(f"\n{len(candidates)} placements by {config.agent}; values in points a hand, fantasyland included")
    print(source_text(agent, candidates, config))
    if played is not None:
        places = [index for index, candidate in enumerate(candidates, 1) if candidate.placement == played]
        print(f"played: {played}" + (f", number {places[0]} of this list" if places else ""))
    if config.json:
        ranking = [candidate_dict(candidate) for candidate in candidates]
        write_json(Path(config.json), {"agent": config.agent, "candidates": ranking})


def source_text(agent: agents.Agent, candidates: list[Candidate], config: Config) -> str:
    """Where the numbers come from, and how to get those that the agent does not know."""
    if config.playouts or not isinstance(agent, Ranks):
        return (
            f"all numbers from hands played on by {config.agent} in both seats, {config.worlds} a placement"
        )
    if any(math.isnan(candidate.foul) for candidate in candidates):
        return (
            f"the value is {config.agent}'s own estimate, and it does not know what is shown as -: "
            "--playouts measures all by playing the hand on"
        )
    return f"all numbers are {config.agent}'s own"


def played_placement(line: dict[str, object]) -> ofc_env.Placement | None:
    """What was played in a turn of a log; None where the line does not say."""
    action = line.get("action")
    if not isinstance(action, dict):
        return None
    return placement_of_action(action)


def fantasyland_text(position: Position, rules: ofc_env.Rules) -> str:
    """The exact best setting of a fantasyland hand, against the opponent's board if that is known."""
    if position.top or position.middle or position.bottom or position.discards:
        raise ValueError("a fantasyland hand is set all at once: leave your rows and discards out")
    cards = read_cards(position)
    against = {row: cards[f"opponent_{row}"] for row in ROWS}
    opponent = None
    if any(against.values()):
        opponent = ofc_env.Board(against["top"], against["middle"], against["bottom"], rules)
    if opponent is not None and not opponent.complete:
        count = sum(map(len, against.values()))
        raise ValueError(
            f"the opponent's board has {count} cards: give all 13, or none if you do not know it"
        )
    solution = ofc_env.solve_fantasyland(cards["hand"], opponent=opponent, rules=rules)
    board = solution.board
    rows = zip(ROWS, board.row_names, list(board.royalties), strict=False)
    lines = [
        f"{row:<10}{' '.join(ofc_env.card_names(getattr(board, row))):<16}{name}, royalty {royalty}"
        for row, name, royalty in rows
    ]
    discards = " ".join(ofc_env.card_names(solution.placement.discards))
    stays = "stays in fantasyland" if solution.stays else "leaves fantasyland"
    lines += [f"discards  {discards}", f"{board.royalties.total} royalties, {stays}"]
    if opponent is not None:
        points = ofc_env.score_boards(board, opponent).raw_score[0]
        lines.append(f"{points:+d} points against the opponent's board")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: analyze(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
