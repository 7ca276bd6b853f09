"""Masked PPO on OFC Pineapple: sb3-contrib's MaskablePPO over the native environment.

    python experiments/ppo.py --preset laptop --name first    # ten minutes; all of it in runs/ppo/first
    python experiments/ppo.py --resume first --steps 2000000
    python experiments/ppo.py --preset slots --opponents random --reward points
    python experiments/ppo.py --rules standard    # 52 cards, button last

The run goes in stretches. Before each, opponents are drawn (agents by name, copies of the learner's past) and
everything random is seeded from the run's seed and the step; after each, a copy joins the pool and a
checkpoint is written. `policy.safetensors` in the run's folder plays as `agents.make("ppo:weights=...")`.
See docs/ppo.md.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.packages import needed_by

with needed_by(__name__):
    import sb3_contrib  # noqa: F401 - the policies below build on it
    import tensorboard  # noqa: F401 - the logger below writes for it
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure

import agents
from agents.arena.progress import Progress as ProgressBar
from agents.networks.files import verify_trained_for
from agents.players.ppo import save_policy
from agents.randomness import seed_of
from experiments.common.command_line import run as run_script
from experiments.common.command_line import run_folder
from experiments.masked_ppo import checkpoints as ppo_checkpoints
from experiments.masked_ppo.checkpoints import Progress
from experiments.masked_ppo.config import PRESETS, PpoConfig, read_settings
from experiments.masked_ppo.evaluation import evaluate, plot
from experiments.masked_ppo.policies import CountFeatures, LeanPPO, PlacementPolicy, SlotPolicy
from experiments.masked_ppo.pool import OpponentPool
from experiments.masked_ppo.warm_start import imitate, watch
from wrappers.sb3_vec_env import OFCPineappleVecEnv

RUNS = Path("runs/ppo")


def build_environment(config: PpoConfig) -> OFCPineappleVecEnv:
    """The tables; opponents are seated before the first stretch."""
    return OFCPineappleVecEnv(
        config.envs,
        "random",
        episode=config.episode,
        reward=config.paid,
        rules=config.played_by,
        seed=config.seed,
    )


def build_model(config: PpoConfig, environment: OFCPineappleVecEnv) -> LeanPPO:
    """MaskablePPO with the network of the settings."""
    policy_class: type[PlacementPolicy] | type[SlotPolicy] = SlotPolicy
    if config.network == "placements":
        policy_class = PlacementPolicy
        sizes = {"units": config.units, "policy": config.policy_layers, "value": config.value_layers}
        options: dict[str, Any] = {"network": sizes}
    else:
        layers = {"pi": list(config.policy_layers), "vf": list(config.value_layers)}
        options = {"net_arch": layers, "activation_fn": torch.nn.ReLU}
        if config.network == "slots":
            options["features_extractor_class"] = CountFeatures
    options["rules"] = config.played_by
    model = LeanPPO(
        policy_class,
        environment,
        learning_rate=lambda left: (
            config.final_learning_rate + left * (config.learning_rate - config.final_learning_rate)
        ),
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.discount,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        max_grad_norm=config.gradient_norm,
        target_kl=config.target_kl or None,
        policy_kwargs=options,
        seed=config.seed,
        device="cpu",
    )
    model.horizon = config.updates * config.steps_per_update
    return model


class HandStatistics(BaseCallback):
    """What hands come to, once an update: reward, fouls, fantasyland, royalties; moves a bar."""

    def __init__(self, bar: ProgressBar) -> None:
        super().__init__()
        self.bar = bar
        self._clear()

    def _clear(self) -> None:
        self.hands, self.sums = 0, np.zeros(4)

    def _on_step(self) -> bool:
        learners = self.training_env.learners  # type: ignore[attr-defined]
        ended = learners.hand_ends
        self.hands += int(ended.sum())
        self.sums += (
            learners.rewards.sum(),
            learners.fouls[ended].sum(),
            (learners.fantasyland[ended] > 0).sum(),
            learners.royalties[ended].sum(),
        )
        self.bar.advance(learners.num_envs)
        return True

    def _on_rollout_end(self) -> None:
        reward, fouls, fantasyland, royalties = self.sums / max(1, self.hands)
        names = ("reward", "foul", "fantasyland", "royalties")
        for name, value in zip(names, (reward, fouls, fantasyland, royalties), strict=True):
            self.logger.record(f"hands/{name}", value)
        self.bar.note = f"reward {reward:+.2f}, {fouls:.0%} fouls, {fantasyland:.0%} FL"
        self._clear()


class Run:
    """A run in its folder, from the start or from its checkpoint."""

    def __init__(self, config: PpoConfig, folder: Path, quiet: bool = False) -> None:
        self.config, self.folder, self.quiet = config, folder, quiet
        self.environment = build_environment(config)
        self.model = build_model(config, self.environment)
        self.pool = OpponentPool(
            config.opponents,
            folder / "pool",
            config.pool_size,
            config.seed,
            config.played_by,
            config.fantasyland_values,
        )
        self.progress = Progress()
        self.begun = False  # whether the first lessons are over and written down

    @staticmethod
    def resumed(folder: Path, steps: int | None = None, quiet: bool = False) -> Run:
        """The run in a folder, to be gone on with, perhaps to another number of steps."""
        config, progress, tensors = ppo_checkpoints.read(folder)
        if steps is not None:
            config = replace(config, steps=steps)
        run = Run(config, folder, quiet)
        run.progress, run.begun = progress, True
        ppo_checkpoints.restore(run.model, progress, tensors)
        run.pool.restore(progress.pool)
        return run

    def train(self, stretches: int | None = None) -> None:
        """Learn to the end of the run, or for so many stretches."""
        config, model, progress = self.config, self.model, self.progress
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "config.json").write_text(config.to_json() + "\n")
        model.set_logger(configure(str(self.folder), ["tensorboard"]))
        if not self.begun:
            if config.init:
                other, _, tensors = ppo_checkpoints.read(Path(config.init))
                verify_trained_for(other.played_by, config.played_by, config.init)
                ppo_checkpoints.restore_weights(model, tensors)
            else:
                self._take_lessons()
            self._end_of_stretch()
            self.begun = True
        total = config.updates * config.steps_per_update
        with ProgressBar("training", total, progress.steps, "steps", not self.quiet) as bar:
            while progress.steps < total and stretches != 0:
                self._stretch(min(config.stretch * config.steps_per_update, total - progress.steps), bar)
                stretches = None if stretches is None else stretches - 1

    def _stretch(self, steps: int, bar: ProgressBar) -> None:
        """One stretch: new opponents, new seeds, new hands, some updates, a checkpoint."""
        model, progress = self.model, self.progress
        started = time.perf_counter()
        self.environment.set_opponents(self.pool.draw(progress.steps))
        seed = seed_of(self.config.seed, progress.steps) & 0xFFFFFFFF  # 32 bits, which is what SB3 takes
        model.set_random_seed(seed)
        model._last_obs = None  # the tables start anew
        model.learn(steps, callback=HandStatistics(bar), reset_num_timesteps=False)
        progress.steps, progress.updates = model.num_timesteps, model._n_updates
        progress.seconds += time.perf_counter() - started
        bar.close()
        self._end_of_stretch()

    def _take_lessons(self) -> None:
        """Imitate the teacher, if there is one."""
        config = self.config
        if config.teacher == "none" or not config.lessons:
            return
        rules = config.played_by
        teacher = agents.make_valued(config.teacher, rules, config.fantasyland_values)
        lessons = watch(teacher, config.paid, config.episode, rules, config.seed + 1)
        bar = ProgressBar("lessons", config.lessons, unit="positions", shown=not self.quiet)

        def report(learned: int, losses: dict[str, float]) -> None:
            bar.note = f"{losses['agreement']:.1%} as {config.teacher}"
            bar.move_to(learned)
            for name, value in losses.items():
                self.model.logger.record(f"lessons/{name}", value)
            self.model.logger.dump(learned)

        with bar:
            imitate(self.model.policy, lessons, config.lessons, report=report)

    def _end_of_stretch(self) -> None:
        """A copy for the pool, an evaluation if it is time for one, and the checkpoint."""
        config, progress, folder = self.config, self.progress, self.folder
        network = self.model.policy.playing_network()
        if self.pool.uses_past:
            self.pool.add(network, progress.steps)
            progress.pool = list(self.pool.steps)
        stretch = progress.steps // (config.stretch * config.steps_per_update)
        over = progress.steps >= config.updates * config.steps_per_update
        if config.evaluate and config.deals and (stretch % config.evaluate_every == 0 or over):
            for line in evaluate(network, config, progress.steps, not self.quiet):
                self._report(line)
            (folder / "curve.json").write_text(json.dumps(progress.curve, indent=1) + "\n")
            plot(
                progress.curve,
                folder / "curve.png",
                f"PPO {folder.name}: {config.network}, {config.reward}, {config.played_by.name} rules",
            )
        ppo_checkpoints.save(self.model, config, progress, folder)
        self.pool.prune()
        notes = {"steps": str(progress.steps), "settings": config.to_json()}
        save_policy(network, folder / "policy.safetensors", notes)

    def _report(self, line: dict[str, Any]) -> None:
        """Keep an evaluation in the curve and in TensorBoard, and print it."""
        self.progress.curve.append(line)
        logger = self.model.logger
        for name in ("equity", "points", "foul", "fantasyland", "royalties"):
            logger.record(f"arena_{line['opponent']}/{name}", line[name])
        logger.dump(line["step"])
        if not self.quiet:
            print(
                f"{line['step']:>9} steps  v {line['opponent']:<10} equity {line['equity']:+.2f} "
                f"± {line['equity_margin']:.2f}  points {line['points']:+.2f}  fouls {line['foul']:.1%}  "
                f"FL {line['fantasyland']:.1%}  royalties {line['royalties']:.2f}",
                flush=True,
            )


def train_from(words: list[str] | None) -> None:
    """Train as the command line says."""
    start, settings = read_settings(words, __doc__)
    torch.set_num_threads(start.threads)
    folder = run_folder(start.resume, RUNS) if start.resume else RUNS / (start.name or start.preset)
    if start.resume:
        run = Run.resumed(folder, settings.get("steps"))
    else:
        if (folder / ppo_checkpoints.FILE).exists():
            raise ValueError(f"{folder} holds a run: give another --name, or --resume {folder}")
        run = Run(PpoConfig(**{**PRESETS[start.preset], **settings}), folder)
    print(
        f"run {folder.name}, in {folder}: after any stop, --resume {folder.name} goes on from its checkpoint",
        flush=True,
    )
    if start.resume:
        print(f"resumed at step {run.progress.steps}", flush=True)
    try:
        run.train()
    except KeyboardInterrupt:
        if not run.begun:
            raise KeyboardInterrupt("stopped before the first checkpoint: begin again") from None
        raise KeyboardInterrupt(f"stopped: --resume {folder} goes on from its checkpoint") from None
    print(f'\nplays as agents.make("ppo:weights={run.folder / "policy.safetensors"}")')


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run_script(lambda: train_from(arguments))


if __name__ == "__main__":
    sys.exit(main())
