"""Self-play PPO in one file, in CleanRL's manner: both seats learn, at many tables at once.

    python experiments/examples/selfplay_ppo.py --decisions 2000000 --out runs/selfplay_ppo/first
    tensorboard --logdir runs/selfplay_ppo

`BatchEnv` plays, `SeatRollout` knows which decision earned what, and the rest is here to be changed. A run
leaves `progress.csv`, TensorBoard's events, `config.json` and `policy.safetensors` in its folder.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from experiments.common.packages import needed_by

with needed_by(__name__):
    import torch
    from safetensors.torch import save_file
    from torch import Tensor, nn
    from torch.distributions import Categorical
    from torch.utils.tensorboard import SummaryWriter

import ofc_env
from agents import Agent, FunctionAgent, make
from agents.arena import MatchSettings, play_match
from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option, seed_option


@dataclass(frozen=True)
class Config:
    """What is learned, and how."""

    decisions: int = option(1_000_000, "decisions to learn from, both seats'; more learn more", low=1)
    tables: int = option(256, "tables that play at once; more make steadier, rarer updates", low=1)
    steps: int = option(24, "steps of every table between updates; a hand has 10 to 12", low=1)
    epochs: int = option(4, "passes over the decisions of an update", low=1)
    batch: int = option(1024, "decisions a gradient is taken from", low=1)
    learning_rate: float = option(1e-3, "of Adam, falling to nothing until the end", above=0)
    hidden: tuple[int, ...] = option((256, 256), "units of each hidden layer", low=1, metavar="N")
    gamma: float = option(1.0, "discount by own decision; a hand is short", low=0, high=1)
    gae_lambda: float = option(0.8, "how far advantages look beyond the next value", low=0, high=1)
    clip: float = option(0.2, "how far an update may change the chances of a slot", above=0)
    entropy: float = option(0.01, "weight of keeping the policy open", low=0)
    value_scale: float = option(10.0, "points that the value's unit stands for", above=0)
    value_weight: float = option(0.5, "weight of the value's error, in its unit", low=0)
    max_norm: float = option(0.5, "longest gradient", above=0)
    episode: str = option("hand", "what an episode is", choices=("hand", "session"))
    reward: str = option("equity", "what is paid: equity, points, shaped, in sessions also mixed or session")
    rules: str = rules_option()
    seed: int = seed_option("fixes every deal and draw")
    opponents: tuple[str, ...] = option(("random", "heuristic"), "who judges it in the arena", metavar="NAME")
    evaluate_every: int = option(20, "updates between evaluations, and one at the end; 0 for none", low=0)
    deals: int = option(200, "duplicate deals an evaluation; more narrow its interval", low=1)
    out: Path = option(Path("runs/selfplay_ppo"), "folder of the run", metavar="FOLDER")


class PolicyAndValue(nn.Module):
    """490 numbers to 150 logits and a value."""

    def __init__(self, hidden: tuple[int, ...], value_scale: float) -> None:
        super().__init__()
        sizes = (ofc_env.OBSERVATION_SIZE, *hidden)
        layers = [part for pair in pairwise(sizes) for part in (nn.Linear(*pair), nn.ReLU())]
        self.body = nn.Sequential(*layers, nn.Linear(sizes[-1], ofc_env.NUM_ACTIONS + 1))
        self.value_scale = value_scale

    def forward(self, observations: Any, masks: Any) -> tuple[Categorical, Tensor]:
        """The chances of the slots, none where the mask is 0, and the value in points."""
        logits, value = self.body(torch.as_tensor(observations)).split([ofc_env.NUM_ACTIONS, 1], dim=-1)
        masked = logits.masked_fill(torch.as_tensor(masks) == 0, -1e8)
        return Categorical(logits=masked, validate_args=False), self.value_scale * value[..., 0]

    def as_agent(self, rules: ofc_env.Rules) -> FunctionAgent:
        """The likeliest slot of each position."""

        @torch.no_grad()
        def choose(observations: Any, masks: Any) -> Any:
            return self(observations, masks)[0].logits.argmax(dim=-1).numpy()

        return FunctionAgent(choose, "selfplay_ppo", rules)


def collect(network: PolicyAndValue, rollout: ofc_env.SeatRollout, env: Any, steps: int) -> dict[str, float]:
    """Play so many steps at every table; what the hands that ended were like."""
    hands = fouls = fantasyland = 0
    for _ in range(steps):
        with torch.no_grad():
            chances, values = network(env.observations, env.action_masks)
            slots = chances.sample()
            rollout.step(slots, values, chances.log_prob(slots))
        hands += int(env.hand_ends.sum())
        fouls += int(env.fouls[env.hand_ends].sum())
        fantasyland += int((env.fantasyland[env.hand_ends] > 0).sum())
    return {"hands": hands, "foul": fouls / max(2 * hands, 1), "fantasyland": fantasyland / max(2 * hands, 1)}


def learn(
    network: PolicyAndValue, optimizer: Any, lessons: dict[str, Any], config: Config
) -> dict[str, float]:
    """Some epochs of PPO over the decisions; the mean losses."""
    data = {name: torch.from_numpy(array) for name, array in lessons.items()}
    sums = dict.fromkeys(("policy_loss", "value_loss", "entropy"), 0.0)
    batches = 0
    for _ in range(config.epochs):
        for rows in torch.randperm(len(data["actions"])).split(config.batch):
            if len(rows) < 2:
                continue  # no spread to measure advantages by
            chances, values = network(data["observations"][rows], data["action_masks"][rows])
            ratio = (chances.log_prob(data["actions"][rows]) - data["log_probs"][rows]).exp()
            gain = data["advantages"][rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
            value_loss = ((values - data["returns"][rows]) / config.value_scale).square().mean()
            entropy = chances.entropy().mean()
            loss = policy_loss + config.value_weight * value_loss - config.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), config.max_norm)
            optimizer.step()
            batches += 1
            for name, part in zip(sums, (policy_loss, value_loss, entropy), strict=True):
                sums[name] += float(part.detach())
    return {name: total / max(batches, 1) for name, total in sums.items()}


def evaluate(network: PolicyAndValue, opponents: list[Agent], config: Config) -> dict[str, float]:
    """Equity a hand against each opponent, with the half width of its 95 % interval."""
    figures = {}
    for opponent in opponents:
        settings = MatchSettings(seed=config.seed, rules=opponent.rules, progress=False)
        result = play_match(network.as_agent(opponent.rules), opponent, config.deals, settings)
        figures[f"against {opponent.name}"] = result.equity.mean
        figures[f"against {opponent.name} ±"] = result.equity.margin
    return figures


def train(config: Config) -> Iterator[dict[str, float]]:
    """Learn; yields the figures of each update. The folder holds the run when it ends."""
    rules = ofc_env.Rules.of(config.rules or None)
    opponents = [make(name, rules=rules) for name in config.opponents] if config.evaluate_every else []
    config.out.mkdir(parents=True, exist_ok=True)
    (config.out / "config.json").write_text(json.dumps(asdict(config), indent=2, default=str) + "\n")
    torch.manual_seed(config.seed)
    env = ofc_env.BatchEnv(
        config.tables,
        seed=config.seed,
        episode=config.episode,
        reward=config.reward,
        rules=rules,
    )
    rollout = ofc_env.SeatRollout(env)
    network = PolicyAndValue(config.hidden, config.value_scale)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate, eps=1e-5)
    updates = -(-config.decisions // (config.tables * config.steps))
    start = time.perf_counter()
    with (config.out / "progress.csv").open("w", newline="") as file, SummaryWriter(config.out) as board:
        for update in range(1, updates + 1):
            optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - (update - 1) / updates)
            figures: dict[str, float] = {"decisions": update * config.tables * config.steps}
            figures |= collect(network, rollout, env, config.steps)
            figures |= learn(network, optimizer, rollout.finish(config.gamma, config.gae_lambda), config)
            figures["seconds"] = time.perf_counter() - start
            if config.evaluate_every and (update % config.evaluate_every == 0 or update == updates):
                figures |= evaluate(network, opponents, config)
            for name, figure in figures.items():
                board.add_scalar(name.replace(" ", "/"), figure, figures["decisions"])
            write_line(file, figures, [opponent.name for opponent in opponents])
            yield figures
    save_file({name: part.contiguous() for name, part in network.state_dict().items()}, policy_file(config))


def policy_file(config: Config) -> Path:
    """Where the weights of a run are."""
    return config.out / "policy.safetensors"


def write_line(file: TextIO, figures: dict[str, float], opponents: list[str]) -> None:
    """A line of progress.csv, and the heading before the first; without a figure where none was measured."""
    judged = [f"against {name}{mark}" for name in opponents for mark in ("", " ±")]
    names = [name for name in figures if name not in judged] + judged
    writer = csv.DictWriter(file, names)
    if file.tell() == 0:
        writer.writeheader()
    writer.writerow(figures)
    file.flush()


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""

    def work() -> None:
        config = read(Config, arguments, __doc__)
        for figures in train(config):
            if any(name.startswith("against") for name in figures):
                judged = (
                    f"{name} {figures[name]:+.2f} ± {figures[name + ' ±']:.2f}"
                    for name in figures
                    if f"{name} ±" in figures
                )
                print(
                    f"{figures['decisions']:>12,.0f} decisions: foul {figures['foul']:.0%},",
                    ", ".join(judged),
                )
        print(f"the run is in {config.out}")

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
