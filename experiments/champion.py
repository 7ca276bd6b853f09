"""Make a champion, from nothing to the files that are shipped: every step of the recipe, one after the other.

    make champion ARGS="--name spring"
    python experiments/champion.py --rules standard --name spring-standard
    python experiments/champion.py --rehearsal                       # every step, ten minutes on two cores
    python experiments/champion.py --resume spring                   # after Ctrl-C, kill -9, a loss of power
    python experiments/champion.py --resume spring --ship            # if the verdict is better

Self-play, labels by the referee, self-play with them, what fantasyland is worth now, self-play for that where
it changed, matches against the champion before, levels. Each step is a command of this repository and is
printed as one; experiments/recipe/steps.py lists them with their settings. A step that is done is not done
again, one that was stopped goes on. Self-play can be done by Ray's workers, the rest by processes here.

A run lives in runs/champion/NAME: recipe.json and recipe.md with command, time and result of every step, and
the verdict: better is who wins every match against the champion before beyond its interval. Nothing is
shipped without --ship. More in docs/champion.md.
"""

from __future__ import annotations

import importlib
import os
import shlex
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from agents.networks.files import describe, verify_trained_for
from agents.networks.native import network_file
from agents.players.alphazero import shipped_champion
from experiments.benches.table import commit
from experiments.common.command_line import duration, run, run_folder
from experiments.common.options import given, option, rules_option, seed_option, verify
from experiments.fantasyland_value import VALUES, write_values
from experiments.recipe.record import BEGUN, DONE, LEFT_OUT, Entry, Record
from experiments.recipe.shipping import digest, ship, verify_shippable
from experiments.recipe.steps import LENGTHS, STEPS, Made, Step
from experiments.recipe.verdict import verdict_of
from experiments.standings.fantasyland_hands import WIDTHS
from ofc_env import Rules
from ofc_env.files import write_whole

RUNS = Path("runs/champion")
LONGEST_NAME = 24  # files of matches are named after both players, whose names hold the run's
SEEDS = 100_000  # where the recipe's seeds begin: no figure of this repository was measured on one of them
WORKERS = {"processes", "ray"}  # what a run that goes on may change
NOT_KEPT = {"ship", "resume", "before"}  # of the settings; of the champion before there is a copy


@dataclass(frozen=True)
class Config:
    """A run of the recipe."""

    name: str = option("", "name of the run, its folder in runs/champion", shown="the date and time")
    rehearsal: str = option(
        "",
        "run every step in ten minutes on two cores, or in as few seconds as possible: what comes of it is "
        "weak, and is never shipped",
        const="minutes",
        choices=("", "minutes", "seconds"),
        metavar="minutes|seconds",
        shown="the whole recipe",
    )
    init: str | None = option(
        None,
        "network that self-play begins with: a file, or the folder of a clone (behaviour_cloning.py)",
        metavar="PATH",
        shown="one that knows nothing",
    )
    before: Path | None = option(
        None,
        "champion before, which the new one must beat",
        metavar="FILE",
        shown="the one that is shipped for the rules",
    )
    rules: str = rules_option()
    seed: int = seed_option("fixes every step; another one makes another champion, measured on other deals")
    processes: int | None = option(
        None,
        "processes at work side by side, or Ray's workers; 0 does everything in this one",
        low=0,
        shown="as many as there are cores",
    )
    ray: str | None = option(
        None,
        "let Ray's workers do the self-play: here, or on the cluster at this address",
        metavar="ADDRESS",
        const="local",
        shown="processes of this machine",
    )
    ship: bool = option(
        False, "put the new champion into agents/weights if the verdict is better, else say why not"
    )
    resume: str = option(
        "",
        "go on with a run that was stopped, with other --processes or --ray if they are given; its name in "
        "runs/champion or its folder",
        metavar="NAME_OR_FOLDER",
        shown="begin a new run",
    )

    @property
    def length(self) -> str:
        """Which options of a step are used: one of LENGTHS."""
        return self.rehearsal or LENGTHS[0]

    def workers(self, step: Step) -> list[str]:
        """The options that say who works at a step."""
        if step.alone:
            return []
        cores = os.cpu_count() or 1
        wanted = cores if self.processes is None else self.processes
        if not step.on_ray:
            return ["--processes", str(max(1, min(wanted, cores)))]
        return ["--processes", str(wanted), *(["--ray", self.ray] if self.ray else [])]


# ---------------------------------------------------------------- beginning and going on


def begin(words: list[str] | None) -> tuple[Config, Record]:
    """The configuration and the record of a new run, or of the one that goes on."""
    found = given((Config,), words, __doc__)[0]
    config = Config(**found)
    verify(config)
    if config.resume:
        record = Record.read(run_folder(config.resume, RUNS))
        for name in sorted(found.keys() - {*WORKERS, "ship", "resume"}):
            raise ValueError(f"a run that goes on has its settings: leave out --{name}")
        config = Config(**{**record.settings, **found})
    else:
        name = config.name or time.strftime("%Y%m%d-%H%M%S")
        config = replace(config, name=name)
        verify_new(config)
        record = Record(RUNS / name, {}, {})
    if config.ship and config.rehearsal:
        raise ValueError("a rehearsal is never shipped: leave out --ship, or run the whole recipe")
    if config.ship and not VALUES.is_file():
        raise ValueError(f"there is no {VALUES}: --ship is for a checkout of the sources")
    if not config.resume:
        create(config, record)
    elif found.keys() & WORKERS:
        record.settings |= {name: getattr(config, name) for name in WORKERS}
        record.write()
    return config, record


def verify_new(config: Config) -> None:
    """Refuse what cannot be run before anything is."""
    if len(config.name) > LONGEST_NAME or any(mark in config.name for mark in ",:=/"):
        raise ValueError(
            f"{config.name!r} cannot be a run's name: use at most {LONGEST_NAME} letters, and no ',', ':', "
            "'=' or '/'"
        )
    if (RUNS / config.name / "recipe.json").exists():  # without it a kill came before anything was done
        raise ValueError(
            f"{RUNS / config.name} exists already: choose another --name, or --resume {config.name}"
        )
    made = first_of(config, Record(RUNS / config.name, {}, {}))
    for folder in (step.folder(made) for step in STEPS if step.script == "alphazero"):
        if folder.exists():
            raise ValueError(f"{folder} exists already, and a step is called so: choose another --name")
    rules = Rules.parse(config.rules)
    if rules.widths and rules.fantasyland_values is None:
        raise ValueError(
            f"nobody has measured what fantasyland is worth by the rules {rules.name!r}: do so first, with "
            f'python experiments/fantasyland_value.py --rules "{rules.name}" --write'
        )
    for network in (config.before, config.init):
        if network is not None:
            verify_trained_for(describe(network_file(network)).rules, rules, network)


def create(config: Config, record: Record) -> None:
    """The folder of a run, with a copy of the champion before: shipping one later changes nothing here."""
    before = config.before or shipped_champion(Rules.parse(config.rules))
    if before is not None:
        write_whole(record.folder / "before.safetensors", before.read_bytes())
    record.settings = {name: value for name, value in asdict(config).items() if name not in NOT_KEPT}
    named = None if before is None else f"{before.name}, sha256 {digest(before)[:16]}"
    record.made_by = {"commit": commit(), "before": named}
    record.write()


def first_of(config: Config, record: Record) -> Made:
    """What a run has before its first step."""
    before = record.folder / "before.safetensors"
    return Made(
        config.name,
        record.folder,
        config.rules,
        config.seed,
        before if before.is_file() else None,
        config.init,
    )


# ---------------------------------------------------------------- the steps


def do(config: Config, record: Record, number: int, made: Made) -> Made:
    """A step, unless it is done; what there is after it."""
    step = STEPS[number]
    title = f"step {number + 1} of {len(STEPS)}, {step.name}"
    entry = record.entry(step.name)
    if reason := step.left_out(made):
        if entry is None:
            record.entries.append(Entry(step.name, LEFT_OUT, result=reason))
            record.write()
        print(f"\n{title}: left out, {reason}", flush=True)
        return made
    words = step.words(made, SEEDS + 1000 * config.seed + number, config.length)
    if entry is None:
        entry = Entry(step.name, BEGUN, words)
        record.entries.append(entry)
    if entry.words != words:
        raise ValueError(
            f"the step {step.name} of {record.folder} was begun with other settings than it has now "
            f"({shlex.join(entry.words)}): begin a new run with another --name"
        )
    if entry.state != DONE:
        run_step(config, record, step, entry, made, title)
        made, entry.result = step.ended(made)
        entry.state = DONE
        record.write()
        print(f"{title}: {entry.result} ({entry.time})", flush=True)
        return made
    print(f"\n{title}: done before in {entry.time}: {entry.result}", flush=True)
    return step.ended(made)[0]


def run_step(config: Config, record: Record, step: Step, entry: Entry, made: Made, title: str) -> None:
    """Run the command of a step, from the beginning or from where it was stopped."""
    words = step.resuming(made, entry.words) if entry.parts else entry.words
    words = [*words, *config.workers(step)]
    command = shlex.join(["python", f"experiments/{step.script}.py", *words])
    entry.command = entry.command or command
    entry.parts.append(None)
    record.write()
    print(f"\n{title}: {command}", flush=True)
    start, used = time.perf_counter(), sum(os.times()[:4])
    code = importlib.import_module(f"experiments.{step.script}").main(words)
    entry.parts[-1] = round(time.perf_counter() - start, 1)
    entry.processor = round(entry.processor + sum(os.times()[:4]) - used, 1)
    record.write()
    going_on = f"go on with python experiments/champion.py --resume {config.name}"
    if code == 130:
        raise KeyboardInterrupt(f"stopped in the step {step.name}: {going_on}")
    if code:
        raise ValueError(f"the step {step.name} has failed with the words above: {going_on}")


def make_champion(config: Config, record: Record) -> None:
    """All steps, the verdict, and shipping if that is asked for."""
    print(f"run {config.name}, in {record.folder}: goes on after any stop with --resume {config.name}")
    made = first_of(config, record)
    for number in range(len(STEPS)):
        made = do(config, record, number, made)
    verdict = verdict_of(made.matches)
    record.verdict = {**asdict(verdict), "matches": [asdict(match) for match in made.matches]}
    record.write()
    print(f"\nverdict: {verdict.sentence}", flush=True)
    if config.ship:
        ship_champion(record, made, verdict.better)
    spent = duration(sum(entry.seconds for entry in record.entries))
    print(f"{spent} in all; written to {record.file} and {record.file.with_suffix('.md')}")


def ship_champion(record: Record, made: Made, better: bool) -> None:
    """Ship what is better, once."""
    if record.shipped:
        print(f"shipped before: {', '.join(record.shipped)}")
        return
    if not better:
        print("nothing is shipped: only what is better beyond the interval is")
        return
    rules = Rules.parse(made.rules)
    verify_shippable(made.before, rules)
    written = ship(Path(str(made.network)), rules, record.commands, made.matches)
    if made.values is not None:
        entry = next(entry for entry in record.entries if "fantasyland_value" in entry.command)
        values = [value for width, value in zip(WIDTHS, made.values, strict=True) if width in rules.widths]
        write_values(VALUES, rules, values, f"{entry.command} ({record.made_by['commit'] or 'no commit'})")
        written.append(VALUES)
    record.shipped = [str(path) for path in written]
    record.write()
    print(f"shipped: {', '.join(record.shipped)}; make build, make test and make figures come next")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: make_champion(*begin(arguments)),
        when_stopped="stopped: the run goes on with --resume and its name",
    )


if __name__ == "__main__":
    sys.exit(main())
