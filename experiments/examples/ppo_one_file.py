"""Masked PPO in some thirty lines, in CleanRL's manner: one file, torch and Gymnasium and nothing else."""

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical


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
            seen, mask = torch.as_tensor(observations), torch.as_tensor(info["action_mask"]).bool()
            logits, value = network(seen).detach().split([150, 1], dim=1)
            chances = Categorical(logits=logits.masked_fill(~mask, -1e8))
            action = chances.sample()
            observations, reward, done, _, info = envs.step(action.numpy())
            outcome = map(torch.as_tensor, (reward, done))
            steps.append((seen, mask, action, chances.log_prob(action), 10 * value[:, 0], *outcome))
        seen, mask, action, old, value, reward, done = (torch.stack(part) for part in zip(*steps))
        returns, ahead = (
            torch.zeros_like(reward),
            10 * network(torch.as_tensor(observations))[:, 150].detach(),
        )
        for step in reversed(range(horizon)):
            ahead = returns[step] = reward[step] + torch.where(done[step], 0.0, ahead)
        gain = (returns - value) / (returns - value).std()  # points, not discounted: a hand is short
        for _ in range(4):
            logits, value = network(seen).split([150, 1], dim=2)
            chances = Categorical(logits=logits.masked_fill(~mask, -1e8))
            ratio = (chances.log_prob(action) - old).exp()
            loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
            loss = (
                loss + 0.5 * (value[..., 0] - returns / 10).square().mean() - 0.01 * chances.entropy().mean()
            )
            optimizer.zero_grad(), loss.backward(), optimizer.step()
        curve.append(float(reward[done].mean()))
    return curve


if __name__ == "__main__":
    print(*(f"{points:+.2f}" for points in train()[::20]), "points a hand")
