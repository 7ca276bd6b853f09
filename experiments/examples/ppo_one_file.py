"""Masked PPO in some thirty lines, in CleanRL's manner: one file, torch and Gymnasium and nothing else."""

from typing import Any

import gymnasium
import torch
from torch import Tensor, as_tensor, nn
from torch.distributions import Categorical


def judge(network: nn.Module, observations: Any, masks: Any) -> tuple[Categorical, Tensor]:
    """Chances of the 150 slots, none where the mask is 0, and the value in points."""
    logits, value = network(as_tensor(observations)).split([150, 1], dim=-1)
    return Categorical(logits=logits.masked_fill(as_tensor(masks) == 0, -1e8)), 10 * value[..., 0]


def train(updates: int = 300, tables: int = 64, horizon: int = 24, seed: int = 1) -> list[float]:
    """Learn against random play; the mean points a hand of each update."""
    torch.manual_seed(seed)
    envs = gymnasium.make_vec("wrappers:OFCPineapple-v0", num_envs=tables, opponent="random", reward="points")
    network = nn.Sequential(nn.Linear(490, 256), nn.ReLU(), nn.Linear(256, 151))  # 150 logits and a value
    optimizer, curve = torch.optim.Adam(network.parameters(), lr=1e-3), []
    observations, info = envs.reset(seed=seed)
    for _ in range(updates):
        steps = []
        for _ in range(horizon):
            seen, mask = observations, info["action_mask"]
            chances, value = judge(network, seen, mask)
            action = chances.sample()
            observations, reward, done, _, info = envs.step(action.numpy())
            steps.append((seen, mask, action, chances.log_prob(action), value, reward, done))
        columns = (torch.stack([as_tensor(item) for item in column]).detach() for column in zip(*steps))
        seen, mask, action, old, value, reward, done = columns  # (horizon, tables, ...) each
        ahead = judge(network, observations, info["action_mask"])[1].detach()
        returns = torch.zeros_like(reward)  # points are not discounted: a hand is short
        for step in reversed(range(horizon)):
            ahead = returns[step] = reward[step] + torch.where(done[step], 0.0, ahead)
        gain = (returns - value) / (returns - value).std()
        for _ in range(4):
            chances, value = judge(network, seen, mask)
            ratio = (chances.log_prob(action) - old).exp()
            aim = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain) + 0.01 * chances.entropy()
            loss = 0.005 * (value - returns).square().mean() - aim.mean()
            optimizer.zero_grad(), loss.backward(), optimizer.step()
        curve.append(float(reward[done].mean()))
    return curve


if __name__ == "__main__":
    print(*(f"{points:+.2f}" for points in train()[::20]), "points a hand")
