"""What a person played makes the machine better: one command from logs to a table that says so, or not.

    python experiments/improve.py --log games.db --player ann
    python experiments/improve.py --log games.db --log more.jsonl.gz --player ann --minutes 10 --out runs/ann
    python experiments/improve.py --resume runs/ann                    # after Ctrl-C or kill -9

1. A profile of the person (`profile/report.md`, as experiments/analyze_log.py writes it).
2. The person's hands become a cloning set, and the clone that there is learns on from them (`clone/`).
3. Self-play goes on from the champion (`selfplay/`): some hands begin at positions of hands that were lost to
   the person; of these a third, as costly as the others, is kept aside.
4. The arena decides, on deals that nothing else uses, their number fixed before, luck taken out: the new
   network against the champion. Beside it: both against the clone, the clone's accuracy on held-out sessions,
   and what the held-out lost positions bring now.

`report.md` and `improve.json` have the table. `champion.safetensors` appears in the folder only if the arena
found the new network better beyond its interval; nothing else is ever replaced.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch

from agents.networks.afterstate import load_network, save_network
from agents.networks.files import describe, verify_trained_for
from agents.networks.native import network_file
from agents.players import bc
from agents.players.alphazero import champion_for
from experiments import behaviour_cloning
from experiments.alphazero import Run, train_run
from experiments.analyze_log import write_report
from experiments.cloning.data import TrainingSet
from experiments.common.command_line import duration, folder_of, run, write_json
from experiments.common.options import (
    OUT,
    given,
    option,
    processes_option,
    resume_option,
    rules_option,
    seed_option,
    verify,
)
from experiments.common.pages import plain
from experiments.common.stored import plain_settings, stored_settings
from experiments.people.improvement import (
    Arena,
    Line,
    against_clone,
    clone_lines,
    lost_positions_line,
    parted,
    strength,
    table,
)
from experiments.people.profile import make_profile
from experiments.selfplay.config import Config as SelfPlay
from experiments.selfplay.lost_positions import LostHand, lost_hands
from ofc_env import Rules
from ofc_env.files import new_file, new_folder, write_whole

WORST = 20  # decisions and hands in the profile
LEAST_LOST = 6  # hands: fewer teach nothing, and leave too few to measure on


@dataclass(frozen=True)
class Config:
    """What is learned from, how long, and how it is judged."""

    log: tuple[Path, ...] = option(
        (), "databases or JSONL with the person's games, one or several", metavar="FILE", shown="none"
    )
    player: str = option("", "the person, by the name in the logs", metavar="NAME", shown="none")
    out: Path = option(Path("runs/improve"), "folder of the run", metavar="FOLDER")
    resume: str = resume_option("its settings stay; its name in runs/", bare=OUT)
    champion: Path | None = option(
        None, "network to improve: a file or a clone's folder", metavar="PATH", shown="the shipped champion"
    )
    clone: Path | None = option(
        None,
        "clone that learns on: a folder or a file",
        metavar="PATH",
        shown="the shipped one, if its rules fit",
    )
    rules: str = rules_option("those of the log, if it has one kind")
    agent: str | None = option(
        None, "who judges decisions in the profile", metavar="NAME", shown="who reviews live games"
    )
    epochs: int = option(20, "passes of the clone over the person's turns at most", low=1, group="learning")
    clone_learning_rate: float = option(
        1e-3, "of the clone; higher forgets sooner what it knew of others", above=0
    )
    minutes: float = option(8.0, "of self-play; longer changes more, for better or worse", above=0)
    iterations: int = option(
        0, "rounds of self-play instead of minutes: such a run can be repeated to the bit", low=0, shown="0"
    )
    hands: int = option(2000, "hands of a round; more are surer lessons, and fewer rounds", low=1)
    start_share: float = option(
        0.25, "share of hands that begin at lost positions; more forget the usual ones", low=0, high=1
    )
    learning_rate: float = option(
        5e-4, "of self-play; higher leaves the champion faster, and further", above=0
    )
    deals: int = option(
        2000, "duplicate deals of each match; four times as many halve the intervals", low=20, group="judging"
    )
    sims: int = option(100, "simulations of the networks in matches; more are stronger, and slower", low=0)
    position_deals: int = option(16, "deals from each lost position; more narrow its interval", low=1)
    processes: int = processes_option(2)
    seed: int = seed_option("fixes everything but what the clock cuts off")

    @property
    def folder(self) -> Path:
        """Where the run is."""
        return folder_of(self.out, self.resume)


def improve(config: Config, command: str) -> list[Line]:
    """All stages; those that a killed run has finished are not done again."""
    torch.set_num_threads(1)
    started, folder = time.perf_counter(), config.folder
    lost = find_lost(config)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", {"config": plain_settings(config), "command": command})
    say(f"run in {folder}: goes on after any stop with --resume {folder}")
    say("1. profile")
    named = profile_of(config)
    say("2. clone")
    data, clone_before = clone_of(config)
    rules = data.rules
    champion = network_file(config.champion) if config.champion else champion_for(rules)
    verify_trained_for(describe(champion).rules, rules, champion)
    starts, held = parted([each for each in lost if each.hand.rules.same_hand(rules)])
    if len(starts) + len(held) < LEAST_LOST:
        raise ValueError(
            f"{len(starts) + len(held)} hands were lost to {config.player!r} by the rules {rules.name!r}: "
            f"that is too few to learn from, play {LEAST_LOST} or more"
        )
    say(f"3. self-play, from {len(starts)} lost hands; {len(held)} are kept aside")
    candidate = candidate_of(config, champion, rules, starts)
    say("4. arena")
    arena = Arena(config.deals, config.sims, config.processes, rules, folder / "matches")
    clone = folder / "clone"
    lines = [strength(arena, champion, candidate)]
    lines.append(against_clone(arena, champion, candidate, clone, config.player))
    lines.append(
        lost_positions_line(held, champion, candidate, clone, rules, config.position_deals, config.player)
    )
    lines += clone_lines(data, config.seed, clone_before, clone, config.player)
    ending = decide(config, lines[0], candidate, command)
    report = report_of(config, lines, named, ending, time.perf_counter() - started)
    write_whole(folder / "report.md", report)
    results = {"player": config.player, "named": named, "lines": [line.to_dict() for line in lines]}
    write_json(folder / "improve.json", {**results, "decision": ending, "command": command})
    print(report)
    return lines


def say(line: str) -> None:
    """A line that stays."""
    print(line, flush=True)


def find_lost(config: Config) -> list[LostHand]:
    """The hands that somebody lost to the person."""
    lost = [each for each in lost_hands(config.log) if each.winner == config.player]
    if len(lost) < LEAST_LOST:
        files = ", ".join(map(str, config.log))
        raise ValueError(
            f"{files} shows {len(lost)} hands that somebody lost to {config.player!r}, and {LEAST_LOST} are "
            "needed: check the name, or add logs that have the opponents' turns too"
        )
    return lost


def profile_of(config: Config) -> dict[str, list[str]]:
    """Write the profile, if it is not there; the names of strengths and weaknesses."""
    path = config.folder / "profile"
    if not (path / "profile.json").is_file():
        profile = make_profile(config.log, config.player, agent=config.agent)
        with new_folder(path, overwrite=True) as folder:
            write_report(profile.review, profile, folder, path, WORST)
    own = json.loads((path / "profile.json").read_text())["own"]
    return {kind: [group["name"] for group in own[kind]] for kind in ("weaknesses", "strengths")}


def clone_of(config: Config) -> tuple[TrainingSet, Path | None]:
    """Train the clone on, if it is not done; the person's turns, and what it began from."""
    folder = config.folder / "clone"
    begin = config.clone
    if begin is None:
        rules = Rules.parse(config.rules) if config.rules else lost_rules(config)
        begin = bc.WEIGHTS if describe(network_file(bc.WEIGHTS)).rules.same_hand(rules) else None
    settings = behaviour_cloning.Config(
        log=config.log,
        player=config.player,
        rules=config.rules,
        out=folder,
        resume=OUT if (folder / "clone_state.pt").is_file() else "",
        init=begin,
        epochs=config.epochs,
        learning_rate=config.clone_learning_rate,
        batch_size=64,  # a person's log is small: steps would be few
        seed=config.seed,
    )
    if not (folder / "evaluation.json").is_file():
        behaviour_cloning.clone(settings, "of experiments/improve.py")
    return TrainingSet.load(folder / "data"), begin


def lost_rules(config: Config) -> Rules:
    """The rules of the first hand that was lost."""
    return find_lost(config)[0].hand.rules


def candidate_of(config: Config, champion: Path, rules: Rules, starts: list[LostHand]) -> Path:
    """Self-play from the champion, gone on with where it stopped; the network that came of it."""
    path = config.folder / "candidate.safetensors"
    if path.is_file():
        return path
    settings = SelfPlay(
        minutes=config.minutes,
        iterations=config.iterations,
        seed=config.seed,
        processes=config.processes,
        init=str(champion),
        rules=rules.name,
        hands=config.hands,
        start_share=config.start_share,
        learning_rate=config.learning_rate,
        opponents="",
        final_opponents="",
        evaluate_every=1 << 30,  # the arena comes after
    )
    folder = config.folder / "selfplay"
    training = Run(settings, folder)
    training.starts = tuple(start for each in starts for start in each.positions(rules))
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", {"config": asdict(settings), "command": "of experiments/improve.py"})
    state = train_run(training)
    with new_file(path) as partial:
        save_network(state.champion, partial, {"hands": state.hands, "rounds": state.champion_round})
    return path


def decide(config: Config, line: Line, candidate: Path, command: str) -> str:
    """Make the new network a champion of this folder if the arena says so; a sentence."""
    path = config.folder / "champion.safetensors"
    if line.verdict != "better":
        path.unlink(missing_ok=True)
        return (
            f"The arena shows no gain ({line.difference.text()} points a hand): the champion stays, and the "
            f"new network is only kept as {candidate}."
        )
    network = load_network(candidate)
    notes = {"command": command, "arena": json.dumps(line.to_dict())}
    with new_file(path) as partial:
        save_network(network, partial, notes)
    return (
        f"The arena says better ({line.difference.text()} points a hand): {path} is the new champion, "
        f"alphazero:checkpoint={path} plays it, and --champion {path} goes on from it."
    )


def report_of(
    config: Config, lines: list[Line], named: dict[str, list[str]], ending: str, seconds: float
) -> str:
    """The report, Markdown."""
    player = plain(config.player)
    told = {kind: ", ".join(names) or "none that stands out" for kind, names in named.items()}
    return (
        f"# What the games of {player} made better\n\n{table(lines)}\n\n{ending}\n\n"
        f"{player}: weaknesses {told['weaknesses']}; strengths {told['strengths']} "
        f"(profile/report.md).\n\nTook {duration(seconds)} in this call.\n"
    )


def read_config(words: list[str]) -> Config:
    """The configuration that the command line describes, or that of a run that goes on."""
    said = given((Config,), words, __doc__)[0]
    config = Config(**said)
    if config.resume:
        if others := sorted(said.keys() - {"resume", "out"}):
            raise ValueError(
                f"a run that goes on keeps its settings: leave out --{others[0].replace('_', '-')}"
            )
        config = stored_config(config)
    elif not config.log or not config.player:
        raise ValueError("say whose games: --log FILE --player NAME")
    elif (config.folder / "config.json").exists():
        raise ValueError(f"{config.folder} holds a run: choose another --out, or --resume {config.folder}")
    verify(config)
    for path in (config.folder, config.champion, config.clone):
        if path is not None and "," in str(path):
            raise ValueError(f"{path} cannot be part of an agent's name, which a comma divides: name another")
    return config


def stored_config(asked: Config) -> Config:
    """The settings of the run that goes on."""
    path = asked.folder / "config.json"
    if not path.is_file():
        raise ValueError(f"there is no run to go on with in {asked.folder}: begin one")
    changed = {"out": asked.out, "resume": asked.resume}
    return Config(**{**stored_settings(Config, path), **changed})


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/improve.py", *words])

    def work() -> None:
        improve(read_config(words), command)

    return run(work, when_stopped="stopped: --resume and the folder go on from here")


if __name__ == "__main__":
    sys.exit(main())
