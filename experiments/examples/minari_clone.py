"""A clone from a Minari dataset: masked imitation in torch, and a match against random play.

python experiments/export_minari.py --datasets heuristic --hands 5000 --out runs/minari
MINARI_DATASETS_PATH=runs/minari python experiments/examples/minari_clone.py ofc/heuristic-v0
"""

import sys
from typing import Any

import minari
import numpy as np
import torch
from torch import nn

from agents import FunctionAgent
from agents.arena import MatchSettings, play_match
from ofc_env.symmetry import of_rules, relabel


def decisions_of(dataset: minari.MinariDataset) -> tuple[Any, Any, Any]:
    """Observations (N, 490), masks (N, 150) and slots (N,) of all episodes, without their last looks."""
    parts = [
        (each.observations[:-1], each.infos["action_mask"][:-1], each.actions)
        for each in dataset.iterate_episodes()
    ]
    seen, masks, slots = (np.concatenate(part) for part in zip(*parts, strict=True))
    return seen, masks, slots


def train(name: str, passes: int = 20, seed: int = 1) -> tuple[FunctionAgent, float]:
    """Imitate; the clone, and the share of held-out decisions that it would have made alike."""
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    dataset = minari.load_dataset(name)
    kept, held_out = minari.split_dataset(dataset, sizes=split_sizes(dataset.total_episodes), seed=seed)
    rules = dataset.recover_environment().unwrapped.rules
    network = nn.Sequential(
        nn.Linear(490, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 150)
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

    def logits(seen: Any, masks: Any) -> torch.Tensor:
        scores: torch.Tensor = network(torch.as_tensor(seen))
        return scores.masked_fill(torch.as_tensor(masks) == 0, -1e8)

    decisions = decisions_of(kept)
    for _ in range(passes):
        # Suits and jokers are names: in every pass each position bears others, and the data last longer.
        names = draw.choice(of_rules(rules), len(decisions[2]))
        seen, masks, slots = map(torch.as_tensor, relabel(*decisions, names))
        for rows in torch.randperm(len(slots)).split(256):
            loss = nn.functional.cross_entropy(logits(seen[rows], masks[rows]), slots[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    @torch.no_grad()
    def choose(seen: Any, masks: Any) -> Any:
        return logits(seen, masks).argmax(dim=-1).numpy()

    seen, masks, slots = decisions_of(held_out)
    return FunctionAgent(choose, f"clone of {name}", rules), float((choose(seen, masks) == slots).mean())


def split_sizes(episodes: int) -> list[int]:
    """Nine tenths to learn from, one tenth held out."""
    return [episodes - episodes // 10, episodes // 10]


if __name__ == "__main__":
    clone, agreement = train(sys.argv[1] if len(sys.argv) > 1 else "ofc/heuristic-v0")
    print(f"{agreement:.1%} of the held-out decisions alike")
    print(play_match(clone, "random", 300, MatchSettings(progress=False, rules=clone.rules)).text())
