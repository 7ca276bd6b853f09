"""Self-play PPO with TorchRL: `PettingZooWrapper`, a masked actor for both seats, `ClipPPOLoss`."""

import warnings
from typing import Any

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import ExplorationType
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value.functional import reward2go

import ofc_env
from agents import FunctionAgent
from agents.arena import MatchSettings, play_match
from wrappers.without_infos import WithoutInfos

SEEN = ("observation", "observation")  # the key of the 490 numbers of a player


def make_environment(seed: int = 1) -> PettingZooWrapper:
    """Both seats as one group: ("players", …) holds a row for each, `mask` says who acts."""
    game = WithoutInfos(ofc_env.env(reward="points"))
    with warnings.catch_warnings():  # TorchRL names the one version of PettingZoo that it is tested with
        warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested")
        return PettingZooWrapper(
            game, use_mask=True, group_map={"players": list(game.possible_agents)}, seed=seed
        )


def make_actor(group: tuple[str, ...] = ()) -> ProbabilisticActor:
    """A masked actor over the keys of the group while it plays, and of a flat batch while it learns."""
    network = TensorDictModule(
        MLP(in_features=490, out_features=150, num_cells=[256], activation_class=torch.nn.ReLU),
        in_keys=[(*group, *SEEN)],
        out_keys=[(*group, "logits")],
    )
    return ProbabilisticActor(
        network,
        in_keys={"logits": (*group, "logits"), "mask": (*group, "action_mask")},
        out_keys=[(*group, "action")],
        distribution_class=MaskedCategorical,
        default_interaction_type=ExplorationType.RANDOM,  # else a rollout plays the likeliest slot alone
        return_log_prob=True,
        log_prob_key=(*group, "action_log_prob"),
    )


def earned(played: Any) -> torch.Tensor:
    """(steps, seats, 1): what each seat is paid from a step to the end of the hand, without discount."""
    rewards = played["next", "players", "reward"].transpose(0, 1)  # time is the dimension next to last
    ends = played["next", "done"].expand(2, -1, -1)
    both: torch.Tensor = reward2go(rewards, ends, gamma=1.0).transpose(0, 1)
    return both


def train(updates: int = 120, hands: int = 32, epochs: int = 8, seed: int = 1) -> FunctionAgent:
    """Learn from self-play, a network for both seats; what it became, as an agent for the arena."""
    torch.manual_seed(seed)
    environment = make_environment(seed)
    actor, player = make_actor(), make_actor(("players",))
    player.load_state_dict(actor.state_dict())
    critic = ValueOperator(
        MLP(in_features=490, out_features=1, num_cells=[256], activation_class=torch.nn.ReLU), in_keys=[SEEN]
    )
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.005, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for _ in range(updates):
        with torch.no_grad():
            played: Any = torch.cat([environment.rollout(100, player) for _ in range(hands)])
        played["players", "value_target"] = earned(played)
        batch = played["players"][played["players", "mask"]]  # the rows of whoever acted
        with torch.no_grad():
            batch["advantage"] = batch["value_target"] - critic(batch.select(SEEN))["state_value"]
        for _ in range(epochs):
            parts = loss(batch)
            optimizer.zero_grad()
            (parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]).backward()
            optimizer.step()
        player.load_state_dict(actor.state_dict())

    def choose(observations: Any, masks: Any) -> Any:
        with torch.no_grad():
            logits = actor.get_submodule("module.0")(torch.as_tensor(observations))[0]
        return logits.masked_fill(torch.as_tensor(masks) == 0, -torch.inf).argmax(dim=-1).numpy()

    return FunctionAgent(choose, "torchrl")


if __name__ == "__main__":
    print(play_match(train(), "random", 600, MatchSettings(progress=False)).text())
