"""Build the table of openings: the best three placements of every opening five, up to suits.

    python experiments/openings.py                        # all by the network, the 10000 closest raced
    python experiments/openings.py --resume --race 152646 # go on until all are raced
    python experiments/openings.py --show "QQ7" --order close

The seat that acts first has only its five cards to go by, so its openings can be listed: 152,646 with two
jokers in the deck (agents/openings). The network judges every placement. A race names the best three by
simulations and says in fresh worlds, common to the three, what they are worth; openings whose first two are
closest by the network come first. The table is written every minute, whole, so a run that was stopped goes on
with --resume, also with more races. The page /openings.html shows it (docs/getting-better.md).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena.estimates import estimate
from agents.arena.progress import Progress
from agents.networks.native import load_native
from agents.openings import Header, Opening, Table
from agents.openings.table import BEST, ORDERS, RECORD, UNIT, code_of
from agents.players.alphazero import champion_for
from agents.review.judge import digest_of
from agents.rewards import equity
from experiments.common.command_line import duration, run
from experiments.common.options import option, read, rules_option, seed_option
from ofc_env import Candidate, InformationSet, Rules, _core
from ofc_env.layout import ROWS

SAVE_SECONDS = 60.0
CHUNK = 256  # openings that a thread judges before it is given others


@dataclass(frozen=True)
class Config:
    """What is built; by one core 15 s for the network alone, and 0.03 s more for every race."""

    race: int = option(
        10000, "openings that are raced, closest first; more are surer, all of them take hours", low=0
    )
    simulations: int = option(200, "of a race; more name the best three more surely", low=1)
    worlds: int = option(150, "fresh ones that say what the three are worth; more narrow the errors", low=2)
    checkpoint: Path | None = option(
        None, "a network file", metavar="FILE", shown="the champion of the rules"
    )
    threads: int = option(os.cpu_count() or 1, "at work side by side; results do not depend on it", low=1)
    seed: int = seed_option("fixes all chance")
    out: Path = option(Path("data/openings.bin"), "file of the table", metavar="FILE")
    resume: bool = option(False, "go on with the table of --out")
    show: str | None = option(
        None, "only look into the table: five cards, or some ranks", metavar="TEXT", shown="build"
    )
    order: str = option("ranks", "of what --show finds", choices=ORDERS)
    rules: str = rules_option()


class Builder:
    """Judges openings into a table."""

    def __init__(self, config: Config) -> None:
        self.config = config
        rules = Rules.parse(config.rules)
        path = config.checkpoint or champion_for(rules)
        network, reward = load_native(path), equity(rules)
        self.alone = _core.NetworkSearch(network, reward=reward, sims=0)
        self.search = _core.NetworkSearch(network, reward=reward, sims=config.simulations)
        header = Header(str(rules), digest_of(path), config.simulations, config.worlds, config.seed)
        self.table = Table(header)
        if config.resume:
            found = Table.read(config.out, whole=True)
            if found.header != header:
                raise ValueError(f"{config.out} was built with other settings or weights: give another --out")
            self.table = found
        elif config.out.exists():
            raise ValueError(f"{config.out} is there already: go on with --resume, or give another --out")

    def build(self) -> None:
        """Judge and race what is missing."""
        missing = np.flatnonzero(~self.table.judged).tolist()
        self._do("network", self.judged, missing, len(self.table.classes))
        waiting = np.flatnonzero(~self.table.raced)
        values = self.table.values()[waiting]
        closest = waiting[np.lexsort((waiting, values[:, 0] - values[:, 1]))]
        wanted = min(self.config.race, len(self.table.classes))
        more = max(0, wanted - int(self.table.raced.sum()))
        self._do("race", self.raced, closest[:more].tolist(), wanted)

    def _do(self, name: str, work: Any, numbers: Sequence[int], total: int) -> None:
        """Put what `work` says of some classes into the table, which is written from time to time."""
        if not numbers:
            return
        size = CHUNK if work == self.judged else 1
        chunks = [numbers[at : at + size] for at in range(0, len(numbers), size)]
        began, saved = time.process_time(), time.monotonic()
        pool = ThreadPoolExecutor(self.config.threads)
        try:
            with Progress(name, total, total - len(numbers), unit="openings") as bar:
                each = pool.map(lambda chunk: [work(number) for number in chunk], chunks)
                for chunk, found in zip(chunks, each, strict=True):
                    for number, record in zip(chunk, found, strict=True):
                        self.table.records[number] = record
                    bar.advance(len(chunk))
                    if time.monotonic() - saved > SAVE_SECONDS:
                        self.table.write(self.config.out)
                        saved = time.monotonic()
        finally:
            pool.shutdown(cancel_futures=True)
            self.table.write(self.config.out)
        spent = time.process_time() - began
        print(
            f"{name}: {len(numbers)} openings, {duration(spent)} of processor time, "
            f"{1000 * spent / len(numbers):.2f} ms each"
        )

    # ------------------------------------------------------------ one opening

    def information(self, number: int) -> InformationSet:
        """What the seat that acts first sees when it is dealt a class."""
        rules = self.table.rules
        first = rules.first_to_act(button=0) == 0
        return InformationSet(hand=self.table.classes.cards(number), button=first, rules=rules)

    def judged(self, number: int) -> Any:
        """The three best by the network alone."""
        ranked = self.alone.search(self.information(number), self.config.seed)
        record = np.zeros((), dtype=RECORD)
        record["race"] = self.table.records[number]["race"]
        for place, (code, candidate) in enumerate(self._best(number, ranked)):
            record["rows"][place], record["network"][place] = code, round(candidate.prior / UNIT)
        return record

    def raced(self, number: int) -> Any:
        """The three best by a race, best first by fresh worlds."""
        information = self.information(number)
        chosen = list(self._best(number, self.search.search(information, self.config.seed)))
        placements = [candidate.placement for _, candidate in chosen]
        worlds = self.search.compare(information, placements, self.config.worlds, self.config.seed)
        values = worlds.astype(np.float64)
        order = np.argsort(-values.mean(axis=1), kind="stable").tolist()
        record = np.zeros((), dtype=RECORD)
        for place, at in enumerate(order):
            code, candidate = chosen[at]
            apart = values[at] if place == 0 else values[at] - values[order[0]]
            record["rows"][place], record["network"][place] = code, round(candidate.prior / UNIT)
            record["race"][place] = round(float(values[at].mean()) / UNIT)
            record["error"][place] = min(255, round(estimate(apart).error / UNIT))
        return record

    def _best(self, number: int, ranked: Iterable[Candidate]) -> Iterator[tuple[int, Candidate]]:
        """The first three that are not the same up to suits."""
        cards, orders = self.table.classes.cards(number), self.table.classes.fall(number).orders
        met: set[int] = set()
        for candidate in ranked:
            row_of = {
                card: row for row, name in enumerate(ROWS) for card in getattr(candidate.placement, name)
            }
            code = code_of([row_of[card] for card in cards], orders)
            if code not in met:
                met.add(code)
                yield code, candidate
            if len(met) == BEST:
                return


def line_of(opening: Opening) -> str:
    """An opening for people."""
    parts = []
    for each in opening.best:
        rows = "/".join(" ".join(row) or "-" for row in (each.top, each.middle, each.bottom))
        race = "" if each.race is None else f", raced {each.race:+.2f} ± {1.96 * (each.error or 0.0):.2f}"
        parts.append(f"{rows} {each.network:+.2f}{race}")
    return f"{' '.join(opening.cards)} ({opening.deals} deals): " + "; ".join(parts)


def build(config: Config) -> None:
    """Build the table, or look into it."""
    if config.show is None:
        builder = Builder(config)
        builder.build()
        size = config.out.stat().st_size
        print(f"{int(builder.table.raced.sum())} raced; {config.out} has {size / 1e6:.2f} MB")
        return
    found = Table.read(config.out).find(config.show, order=config.order)
    print("\n".join(line_of(each) for each in found.openings))
    mean = "" if found.mean is None else f", worth {found.mean:+.2f} on average"
    print(f"{found.total} openings, {100 * found.share:.3f} % of all deals{mean}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: build(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
