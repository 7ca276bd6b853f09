"""Train the AlphaZero player by self-play: search teaches the network, the network guides the search.

    python experiments/alphazero.py                                   # from scratch, ten minutes on two cores
    python experiments/alphazero.py --rules standard --preset hour     # 52 cards, button last
    python experiments/alphazero.py --init agents/weights/alphazero.safetensors --minutes 60
    python experiments/alphazero.py --resume NAME                     # after Ctrl-C or kill -9
    python experiments/alphazero.py evaluate --checkpoint FILE --sims 100

A round: worker processes play hands with the champion; its decisions join the replay of the last rounds; the
learner takes optimiser steps, while the workers play the next round already; then learner and champion meet
in the arena, and the learner becomes champion only if it wins: duplicate deals, or duplicate sessions where
the reward is for sessions (mixed, session, win). Runs live in runs/alphazero/NAME:
champion.safetensors, curve.png, curve.json, checkpoints, replay, TensorBoard.

Other commands, each with its own --help: selfplay, train, evaluate, play. More in docs/alphazero.md.
"""

from __future__ import annotations

import copy
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.packages import needed_by

with needed_by(__name__):
    import safetensors  # noqa: F401 - networks are kept with it
    import torch

import agents
from agents.arena import MatchResult, MatchSettings, SessionResult, play_match, play_sessions
from agents.arena.workers import one_torch_thread
from agents.base import Agent
from agents.networks.afterstate import HIDDEN, AfterstateNetwork, load_network, save_network
from agents.networks.files import verify_trained_for
from agents.players.alphazero import CHAMPION, AlphaZeroAgent
from experiments.common.command_line import duration, write_json
from experiments.common.command_line import run as run_script
from experiments.common.devices import device_of
from experiments.referee.learning import Lessons
from experiments.selfplay.config import Config, parse
from experiments.selfplay.lost_positions import lost_positions
from experiments.selfplay.report import Display, judged, match_table, mean_of, plot_curve, summary
from experiments.selfplay.state import State, first_state, load_state, round_seed, save_state
from experiments.selfplay.training import Decisions, Replay, TrainingSettings, train
from experiments.selfplay.workers import (
    FinishedJob,
    Job,
    Shared,
    Workers,
    joined,
    make_workers,
    split,
    weights_of,
)
from ofc_env import Hand

SELF_PLAY, TRAINING, GATE, EVALUATION = range(4)  # what seeds are drawn for


class Run:
    """A training run: its state between rounds, and the small steps that a round is made of."""

    def __init__(self, config: Config, folder: Path, show: bool = True) -> None:
        config.verify()
        for name in (*config.opponents.split(), *config.final_opponents.split()):
            # A wrong name is refused now, not after hours.
            agents.make_valued(name, config.played_by, config.fantasyland_values)
        self.config, self.folder, self.show = config, folder, show
        self.starts: tuple[Hand, ...] = ()
        if config.starts:
            logs = [Path(log) for log in config.starts]
            self.starts = lost_positions(
                logs, rules=config.played_by, against=config.starts_player, most=config.starts_hands
            )
        self.settings = TrainingSettings(
            batch=config.batch,
            weight_decay=config.weight_decay,
            outcome_share=config.outcome_share,
            relative_weight=config.relative_weight,
            policy_weight=config.policy_weight,
            heads_weight=config.heads_weight,
            label_weight=config.label_weight,
        )
        labels = [Path(file) for file in config.labels]
        self.lessons = Lessons(labels, config.played_by) if labels else None
        self.replay = Replay(folder / "replay", 1)
        device = device_of(config.device)
        restored = load_state(folder, config.weight_decay, device)
        self.state = restored or first_state(self.first_network(), config.weight_decay, device)
        if restored:
            self.replay.rounds = self.window(self.state.round - 1)
            self.replay.load(self.state.round - 1)
        self.started = time.monotonic() - self.state.seconds

    def first_network(self) -> AfterstateNetwork:
        """The network of --init, or one that knows nothing."""
        if self.config.init:
            network = load_network(self.config.init)
            verify_trained_for(network.rules, self.config.played_by, self.config.init)
            torch.manual_seed(self.config.seed)
            return network.widened(self.config.hidden or network.hidden, self.config.staged)
        torch.manual_seed(self.config.seed)
        config = self.config
        return AfterstateNetwork(config.hidden or HIDDEN, config.second, config.played_by, config.staged)

    # ------------------------------------------------------------ schedules

    def share(self) -> float:
        """How much of the run is done, 0 to 1."""
        if self.config.iterations > 0:
            return self.state.round / self.config.iterations
        return (time.monotonic() - self.started) / (60 * self.config.minutes)

    @property
    def warmup(self) -> int:
        """Rounds after the bootstrap in which the learner always becomes champion."""
        if self.config.warmup is not None:
            return self.config.warmup
        return 0 if self.config.init else 10

    def hands(self, number: int) -> int:
        """Hands of a round: few while the network knows nothing, because they are soon out of date."""
        rank = number - self.config.bootstrap + 1
        if rank < 1 or rank >= self.warmup:
            return self.config.hands
        return max(self.config.chunk, self.config.hands * rank // self.warmup)

    def window(self, number: int) -> int:
        """Rounds in the replay: from scratch half of all, so that what a beginner played is forgotten."""
        if self.config.init:
            return self.config.replay_rounds
        return min(self.config.replay_rounds, max(4, (number + 1) // 2))

    def learning_rate(self) -> float:
        """Flat, then down to a tenth."""
        return self.config.learning_rate * min(1.0, max(0.1, 1.0 - 0.9 * (self.share() - 0.6) / 0.4))

    # ------------------------------------------------------------ the pieces of a round

    def begin_round(self, workers: Workers, number: int, player: AfterstateNetwork) -> Job:
        """Have a round's hands played, in the background; a killed run may have finished them already."""
        saved = self.replay.read(number)
        if saved:
            return FinishedJob(saved)
        config = self.config
        by_rollouts = number < config.bootstrap
        options = {
            "candidates": config.candidates,
            "simulations": config.simulations,
            "exploring_share": config.exploring,
            "full_turns": config.full_turns,
            **({} if config.root == "tree" else {"temperatures": list(config.temperatures)}),
            **({} if by_rollouts else config.searched_by),
            "opening_width": config.opening_width,
            "fantasyland_share": config.fantasyland,
            "random_openings": config.random_openings,
            "start_share": config.start_share,
            "target_temperature": config.target_temperature,
            "reward": config.paid,
            "rules": config.played_by,
            "by_rollouts": by_rollouts,
        }
        tasks = split(
            self.hands(number),
            config.chunk,
            lambda part: round_seed(config.seed, number, SELF_PLAY, part),
            options,
        )
        return workers.start(tasks, Shared(None if by_rollouts else weights_of(player), self.starts))

    def learn(
        self, number: int, decisions: Decisions, on_step: Callable[[], object] | None = None
    ) -> dict[str, float]:
        """Add a round to the replay and take optimiser steps."""
        self.replay.rounds = self.window(number)
        self.replay.add(number, decisions)
        rate = self.learning_rate()
        for group in self.state.optimizer.param_groups:
            group["lr"] = rate
        wanted = round(self.config.passes * len(decisions["chosen"]) / self.config.batch)
        steps = max(self.config.least_steps, wanted)
        generator = np.random.default_rng(round_seed(self.config.seed, number, TRAINING))
        losses = train(
            self.state.learner,
            self.state.optimizer,
            self.replay,
            steps,
            self.settings,
            generator,
            on_step,
            self.lessons,
        )
        return {**losses, "learning_rate": rate, "steps": steps}

    def gate(self, number: int, last: bool) -> dict[str, Any] | None:
        """Let the learner become champion: always in the warm-up, later if it wins their match."""
        ungated = number < self.config.bootstrap + self.warmup
        if not ungated and not last and (number + 1) % self.config.gate_every:
            return None
        verdict: dict[str, Any] = {"promoted": 1}
        if not ungated:
            seed = round_seed(self.config.seed, number, GATE)
            result = self.match(self.state.learner, self.state.champion, self.config.gate_deals, seed)
            verdict = {"promoted": int(judged(result).mean > 0), **summary(result)}
        if verdict["promoted"]:
            self.state.champion = copy.deepcopy(self.state.learner)
            self.state.champion_round = number + 1
        return verdict

    def match(
        self,
        player: AfterstateNetwork,
        opponent: AfterstateNetwork | str,
        deals: int,
        seed: int,
        progress: bool = False,
    ) -> MatchResult | SessionResult:
        """Networks without search, in this process: a few milliseconds a deal."""
        reward = self.config.paid.by_hand(self.config.played_by)

        def agent(network: AfterstateNetwork) -> AlphaZeroAgent:
            return AlphaZeroAgent(sims=0, network=network.native(), reward=reward)

        other = agent(opponent) if isinstance(opponent, AfterstateNetwork) else opponent
        settings = match_settings(self.config, seed=seed, progress=progress)
        return play_by(self.config, agent(player), other, deals, settings)

    def evaluate(self, last: bool) -> dict[str, Any]:
        """The champion against its predecessor and fixed opponents, always on the same deals."""
        seed = round_seed(self.config.seed, 0, EVALUATION)
        found = {}
        for name in ("previous champion", *self.config.opponents.split()):
            opponent = self.state.previous if name == "previous champion" else name
            found[name] = summary(
                self.match(self.state.champion, opponent, self.config.evaluation_deals, seed, self.show)
            )
        if not last:  # the table at the end wants it once more
            self.state.previous = copy.deepcopy(self.state.champion)
        return found


def match_settings(config: Config, **settings: Any) -> MatchSettings:
    """How matches of a run are played: sessions are counted by its reward, hands by what it makes of them."""
    reward = config.paid if config.paid.of_sessions else config.paid.by_hand(config.played_by)
    return MatchSettings(
        rules=config.played_by, fantasyland_values=config.fantasyland_values, reward=reward, **settings
    )


def play_by(
    config: Config, first: str | Agent, second: str | Agent, deals: int, settings: MatchSettings
) -> MatchResult | SessionResult:
    """A match over duplicate deals, or over duplicate sessions where the reward is for sessions."""
    return (play_sessions if config.paid.of_sessions else play_match)(first, second, deals, settings)


def train_run(run: Run) -> State:
    """The loop: rounds until the run is over, a checkpoint after each."""
    state, config = run.state, run.config
    display = Display(run.folder, run.share(), run.show)
    if state.round:
        display.say(f"resumed at round {state.round}")
    with make_workers(config.processes, config.ray) as workers, one_torch_thread():
        torch.set_num_threads(1)
        job = run.begin_round(workers, state.round, state.player) if run.share() < 1 else None
        while job:
            number, meter = state.round, Meter(run, display, job)
            decisions = joined(job.results(meter))
            more = config.iterations <= 0 or number + 1 < config.iterations
            state.player = copy.deepcopy(state.champion)
            job = run.begin_round(workers, number + 1, state.player) if more else None

            # The workers play the next round while this one is learned.
            state.hands += run.hands(number)
            losses = run.learn(number, decisions, Meter(run, display, job) if job else None)
            state.round = number + 1
            last = run.share() >= 1
            entry = describe(number, state.hands, decisions, losses)
            entry["gate"] = run.gate(number, last)
            if last or (number + 1) % config.evaluate_every == 0:
                entry["evaluation"] = run.evaluate(last)
                display.say(evaluation_line(entry, run.share()))

            state.seconds = entry["seconds"] = time.monotonic() - run.started
            state.curve.append(entry)
            display.record(entry)
            save_state(state, run.folder)
            if last:
                break
    display.close()
    return state


class Meter:
    """Looks after a job and moves the bar, whenever somebody has a moment to call it."""

    def __init__(self, run: Run, display: Display, job: Job) -> None:
        self.run, self.display, self.job = run, display, job

    def __call__(self) -> None:
        """Take what is finished and show it."""
        self.job.poll()
        state = self.run.state
        spent = time.monotonic() - self.run.started
        hands = state.hands + self.job.hands_done
        text = f"round {state.round}, {hands:,} hands, {hands / max(spent, 1e-9):.0f} hands/s"
        self.display.move(self.run.share(), text)


def describe(number: int, hands: int, decisions: Decisions, losses: dict[str, float]) -> dict[str, Any]:
    """A round's entry of the curve; self-play rates are per decision, exploring hands included."""
    foul, fantasyland, royalties = decisions["outcomes"][:, 1:].mean(axis=0).tolist()
    return {
        "round": number,
        "hands": hands,
        "decisions": len(decisions["chosen"]),
        "self_play": {"foul": foul, "fantasyland": fantasyland, "royalties": royalties},
        "losses": losses,
    }


def evaluation_line(entry: dict[str, Any], share: float) -> str:
    """An evaluation in a line."""
    rates = list(entry["evaluation"].values())[-1]
    what, digits = ("reward", 2) if "paid" in rates else ("equity", 1)
    against = ", ".join(
        f"{name.partition(':')[0]} {mean_of(match):+.{digits}f} ± {match['margin']:.{digits}f}"
        for name, match in entry["evaluation"].items()
    )
    return (
        f"{100 * min(share, 1):3.0f} %  round {entry['round'] + 1}, {entry['hands']:,} hands: "
        f"{what} v {against}; foul {100 * rates['foul']:.0f} %, FL {100 * rates['fantasyland']:.0f} %"
    )


# ---------------------------------------------------------------- the whole job


def run_training(
    config: Config, folder: Path, command: str, show: bool = True
) -> list[MatchResult | SessionResult]:
    """Train, then show and write what came of it; the matches at the end."""
    run = Run(config, folder, show)  # what cannot be run leaves no folder behind
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", {"config": asdict(config), "command": command})
    if show:
        resume = f"goes on after any stop with --resume {folder.name}"
        print(f"run {folder.name}, in {folder}: {resume}", flush=True)
    start = time.perf_counter()
    state = train_run(run)
    results = final_matches(run)
    notes = {
        "command": command,
        "config": asdict(config),
        "reward": config.reward,
        "rounds": state.champion_round,
        "hands": state.hands,
        "matches": [{"agents": result.agents, **summary(result)} for result in results],
    }
    champion = folder / "champion.safetensors"
    save_network(state.champion, champion, notes)
    write_json(folder / "curve.json", {**notes, "seconds": state.seconds, "curve": state.curve})
    plot_curve(state.curve, folder / "curve.png", f"{folder.name}: {state.hands:,} hands of self-play")
    if show:
        print("\n" + match_table(results))
        print(ending(config, folder, state, time.perf_counter() - start))
    return results


def final_matches(run: Run) -> list[MatchResult | SessionResult]:
    """The champion, with and without search, against everybody, on deals that no round has seen."""
    config, seed = run.config, run.config.seed + 1_000_003
    champion = run.folder / "champion.safetensors"
    # Players by name can be built in several processes; the file says what they maximise.
    save_network(run.state.champion, champion, {"reward": config.reward})
    settings = match_settings(
        config,
        seed=seed,
        processes=max(1, config.processes) if config.final_deals >= 500 else 1,  # starting them takes seconds
        progress=run.show,
    )
    before = run.match(run.state.champion, run.state.previous, config.final_deals, seed, run.show)
    results: list[MatchResult | SessionResult] = [
        replace(before, agents=("champion:sims=0", "previous champion"))
    ]
    for sims in dict.fromkeys((0, config.final_sims)):
        for opponent in config.final_opponents.split():
            name = f"alphazero:sims={sims},checkpoint={champion}"
            result = play_by(config, name, opponent, config.final_deals, settings)
            results.append(replace(result, agents=(f"champion:sims={sims}", opponent)))
    return results


def ending(config: Config, folder: Path, state: State, seconds: float) -> str:
    """Where everything is and how to go on."""
    script = "python experiments/alphazero.py"
    longer = (
        f"--iterations {2 * config.iterations}" if config.iterations else f"--minutes {2 * config.minutes:g}"
    )
    return (
        f"\n{state.hands:,} hands in {state.round} rounds, {duration(seconds)}; "
        f"champion of round {state.champion_round}\n"
        f"learning curve: {folder}/curve.png, network: {folder}/champion.safetensors\n\n"
        f"play against it:           {script} play --checkpoint {folder}/champion.safetensors\n"
        f"train it further:          {script} --init {folder}/champion.safetensors --preset hour\n"
        f"go on with this very run:  {script} --resume {folder.name} {longer}\n"
        f"start from the champion that is shipped:\n"
        f"                           {script} --init {shown_path(CHAMPION)} --minutes 30"
    )


def shown_path(path: Path) -> str:
    """A path as a person would type it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/alphazero.py", *words])
    if words and not words[0].startswith("-"):
        from experiments.selfplay.commands import run_command

        return run_script(lambda: run_command(words[0], words[1:]))

    def work() -> None:
        config, folder = parse(words, __doc__)
        run_training(config, folder, command)

    return run_script(work, when_stopped="stopped: the run goes on with --resume and its name")


if __name__ == "__main__":
    sys.exit(main())
