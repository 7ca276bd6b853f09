"""Whether anything became better: measurements before and after, and the table that says so.

Everything is paired: both networks meet the same deals, the same turns of the person, and the same worlds
dealt from the same lost positions. A line is called better or worse only beyond its 95 % interval.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.arena import MatchResult, MatchSettings, play_match
from agents.arena.estimates import Estimate, estimate, ratio
from agents.arena.luck import Adjusting
from agents.arena.progress import tracked
from agents.base import Agent
from agents.networks.afterstate import load_network
from agents.rewards import equity
from agents.turns import seat_to_act
from experiments.cloning.data import TrainingSet, split_by_session
from experiments.cloning.metrics import predict
from experiments.common.pages import plain
from experiments.selfplay.lost_positions import LostHand
from experiments.selfplay.workers import weights_of
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, Hand, Rules

HELD_OUT = 3  # one lost hand in so many is kept from training, to measure on


@dataclass(frozen=True)
class Line:
    """One question of the table, answered for the network before and after."""

    what: str
    unit: str  # "" for points, "%" for shares
    before: float
    after: float
    difference: Estimate
    size: str  # what was measured on

    @property
    def verdict(self) -> str:
        """ "better", "worse" or "no difference shown"."""
        if self.difference.low > 0:
            return "better"
        return "worse" if self.difference.high < 0 else "no difference shown"

    def row(self) -> str:
        """A row of the table, Markdown."""
        factor, mark = (100.0, " %") if self.unit == "%" else (1.0, "")
        before, after = (f"{factor * number:+.2f}{mark}" for number in (self.before, self.after))
        difference = f"{self.difference.scaled(factor).text()}{mark}"
        return (
            f"| {plain(self.what)} | {before} | {after} | {difference} | {self.size} | **{self.verdict}** |"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**vars(self), "difference": self.difference.to_dict(), "verdict": self.verdict}


@dataclass(frozen=True)
class Arena:
    """How matches are played: so many deals, said before, on deals that nothing else uses."""

    deals: int
    sims: int
    processes: int
    rules: Rules
    folder: Path  # of the stores, so that a killed run goes on

    def player(self, network: Path) -> str:
        """A network as an agent's name."""
        return f"alphazero:sims={self.sims},checkpoint={network}"

    def match(self, first: str, second: str, candidate: Path, name: str) -> MatchResult:
        """A match with luck taken out; its deals follow from the candidate's weights, and so are new."""
        settings = MatchSettings(
            seed=fresh_seed(candidate),
            processes=self.processes,
            rules=self.rules,
            adjust=Adjusting(),
        )
        return play_match(first, second, self.deals, settings, self.folder / f"{name}.jsonl", resume=True)


def fresh_seed(network: Path) -> int:
    """A seed from the weights of a network: no training and no earlier match has met its deals."""
    return zlib.crc32(b"".join(part.tobytes() for part in weights_of(load_network(network))))


def adjusted(result: MatchResult) -> Estimate:
    """Equity less luck of a match that was played with it."""
    if result.adjusted is None:
        raise ValueError("the match has no luck taken out: play it with adjust")
    return result.adjusted


def strength(arena: Arena, champion: Path, candidate: Path) -> Line:
    """The candidate against the champion: what decides."""
    result = arena.match(arena.player(candidate), arena.player(champion), candidate, "champion")
    found = adjusted(result)
    size = f"{result.deals} duplicate deals, luck taken out"
    return Line("strength v the champion, points a hand", "", 0.0, found.mean, found, size)


def against_clone(arena: Arena, champion: Path, candidate: Path, clone: Path, person: str) -> Line:
    """Both against the clone of the person, on the same deals."""
    opponent = f"bc:folder={clone},temperature=1"
    results = [
        arena.match(arena.player(network), opponent, candidate, f"clone_{name}")
        for name, network in (("before", champion), ("after", candidate))
    ]
    before, after = (result.adjusted_samples for result in results)
    if before is None or after is None:
        raise ValueError("the matches have no luck taken out: play them with adjust")
    size = f"{results[0].deals} duplicate deals, luck taken out"
    means = [adjusted(result).mean for result in results]
    return Line(
        f"against the clone of {person}, points a hand",
        "",
        means[0],
        means[1],
        estimate(after - before),
        size,
    )


def clone_lines(data: TrainingSet, seed: int, before: Path | None, after: Path, person: str) -> list[Line]:
    """How well the clone foresees the person in sessions that it did not learn from; the last of the split.

    The share of turns in which its first choice was played, and the logarithm of the chance that it gave to
    what was played: of somebody who plays at random now and then, only the second can be learned.
    """
    if before is None:
        return []
    turns = data.turns()
    test = split_by_session(turns.session_index, seed).test
    old, new = (predict(load_network(path), turns, test) for path in (before, after))
    choice = new.choices > 1
    sessions, places = np.unique(turns.session_index[test][choice], return_inverse=True)
    counts = np.bincount(places)
    size = f"{len(places)} turns of {len(sessions)} held-out sessions"

    def line(what: str, unit: str, first: NDArray[Any], second: NDArray[Any]) -> Line:
        was, is_now = first[choice].astype(float), second[choice].astype(float)
        gained = np.bincount(places, weights=is_now - was)
        means = (float(was.mean()), float(is_now.mean()))
        return Line(what, unit, *means, ratio(gained, counts), size)

    least = 1e-9  # of a chance, so that its logarithm is a number
    return [
        line(f"the clone's first choice is {person}'s", "%", old.placing == 0, new.placing == 0),
        line(
            f"chance that the clone gives to {person}'s placement, its logarithm",
            "",
            np.log(np.maximum(old.chance, least)),
            np.log(np.maximum(new.chance, least)),
        ),
    ]


# ---------------------------------------------------------------- lost positions


def parted(lost: Sequence[LostHand]) -> tuple[list[LostHand], list[LostHand]]:
    """Lost hands to start self-play from, and some as costly that are kept to measure on."""
    worst_first = sorted(lost, key=lambda each: -each.points)
    held = worst_first[HELD_OUT - 1 :: HELD_OUT]
    return [each for number, each in enumerate(worst_first, start=1) if number % HELD_OUT], held


def lost_positions_line(
    held: Sequence[LostHand],
    champion: Path,
    candidate: Path,
    clone: Path,
    rules: Rules,
    deals: int,
    person: str,
    progress: bool = True,
) -> Line:
    """What the positions bring whoever lost them, played on against the clone from the same worlds."""
    reward = equity(rules)
    person_plays = agents.make(f"bc:folder={clone},temperature=1", rules)
    sums = np.zeros((len(held), 2))
    for number, lost in enumerate(tracked(held, "lost positions", len(held), "hands", progress)):
        for column, network in enumerate((champion, candidate)):
            machine = agents.make(f"alphazero:sims=0,checkpoint={network}", rules)
            hands = [
                Hand.from_observation(start.information(seat_to_act(start)), seed=deal)
                for start in lost.positions(rules)
                for deal in range(deals)
            ]
            movers = [seat_to_act(hand) for hand in hands]
            _play_on(hands, movers, (machine, person_plays))
            sums[number, column] = np.mean(
                [reward.hand_rewards(hand.result())[mover] for hand, mover in zip(hands, movers, strict=True)]
            )
    before, after = sums.T
    return Line(
        f"from positions lost to {person}, points a hand",
        "",
        float(before.mean()),
        float(after.mean()),
        estimate(after - before),
        f"{len(held)} held-out hands, {deals} deals a position",
    )


def _play_on(hands: list[Hand], movers: list[int], players: tuple[Agent, Agent]) -> None:
    """Play hands to their end: the first player has the seats of the movers, the second the others."""
    observations = np.zeros((len(hands), OBSERVATION_SIZE), dtype=np.float32)
    masks = np.zeros((len(hands), NUM_ACTIONS), dtype=np.int8)
    while any(not hand.finished for hand in hands):
        for index, player in enumerate(players):
            waiting = [
                hand
                for hand, mover in zip(hands, movers, strict=True)
                if not hand.finished and (seat_to_act(hand) != mover) == bool(index)
            ]
            if not waiting:
                continue
            for row, hand in enumerate(waiting):
                hand.write_observation(seat_to_act(hand), observations[row])
                hand.write_action_mask(masks[row])
            actions = player.act_batch(observations[: len(waiting)], masks[: len(waiting)])
            for hand, action in zip(waiting, actions.tolist(), strict=True):
                hand.step(action)


def table(lines: Sequence[Line]) -> str:
    """The table, Markdown."""
    head = ["| | before | after | difference, 95 % | measured on | |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *(line.row() for line in lines)])
