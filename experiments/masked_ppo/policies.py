"""What sb3-contrib's MaskablePPO needs to learn this game fast: its two policies and a lean rollout.

`SlotPolicy` is the usual network over slots, with the count layer as its features extractor if wanted.
`PlacementPolicy` judges the board after each legal placement. Both give MaskablePPO the same answers as its
own policies do for the same logits; they only leave out the checks and copies that cost more than the game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.networks.observation import CountLayer, NetworkConfig, PolicyNetwork
from agents.networks.placement import (
    ILLEGAL_LOGIT,
    VALUE_SCALE,
    PlacementConfig,
    PlacementNetwork,
    legal_slots,
)
from agents.players.ppo import PlayingNetwork
from ofc_env import Rules
from wrappers.sb3_vec_env import OFCPineappleVecEnv


class CountFeatures(BaseFeaturesExtractor):
    """The count layer as a features extractor: the 490 numbers and 151 counts that follow from them."""

    def __init__(self, observation_space: spaces.Space[Any]) -> None:
        counts = CountLayer()
        super().__init__(observation_space, features_dim=counts.width)
        self.counts = counts

    def forward(self, observations: Tensor) -> Tensor:
        features: Tensor = self.counts(observations)
        return features


class LeanPolicy(MaskableActorCriticPolicy):
    """One softmax over the legal slots a decision, and no distribution objects.

    Args:
        rules: that it learns by; the network that plays it knows them.
    """

    def __init__(self, *spaces_and_rate: Any, rules: Rules = Rules(), **options: Any) -> None:
        self.rules = rules
        super().__init__(*spaces_and_rate, **options)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "rules": self.rules}

    def logits_and_values(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (N, 150), very low where a slot is illegal, and values (N,) in points."""
        raise NotImplementedError

    def playing_network(self) -> PlayingNetwork:
        """A frozen copy of the policy alone, as agents play it."""
        raise NotImplementedError

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: np.ndarray | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (N,), values (N, 1) and log-probabilities (N,)."""
        logits, values = self.logits_and_values(obs, _masks(obs, action_masks))
        log_chances = torch.log_softmax(logits, dim=1)
        if deterministic:
            actions = logits.argmax(dim=1)
        else:
            actions = torch.multinomial(log_chances.exp(), 1)[:, 0]
        return actions, values[:, None], log_chances.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Values (N, 1), log-probabilities (N,) of the actions and entropies (N,)."""
        logits, values = self.logits_and_values(obs, _masks(obs, action_masks))
        log_chances = torch.log_softmax(logits, dim=1)
        entropies = -(log_chances.exp() * log_chances).sum(dim=1)  # exactly 0 from slots of chance 0
        return values[:, None], log_chances.gather(1, actions.long()[:, None])[:, 0], entropies

    def predict_values(self, obs: Tensor, action_masks: np.ndarray | None = None) -> Tensor:  # type: ignore[override]
        """Values (N, 1)."""
        return self.logits_and_values(obs, _masks(obs, action_masks))[1][:, None]

    def get_distribution(  # type: ignore[override]
        self, obs: Tensor, action_masks: np.ndarray | None = None
    ) -> MaskableDistribution:
        """The distribution as sb3-contrib knows it, for `predict`."""
        masks = _masks(obs, action_masks)
        distribution = self.action_dist.proba_distribution(self.logits_and_values(obs, masks)[0])
        distribution.apply_masking(masks)
        return distribution


class SlotPolicy(LeanPolicy):
    """Separate networks for policy and value over the 490 numbers, with or without the count layer."""

    def logits_and_values(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Two plain networks, sizes by `net_arch`."""
        features = self.extract_features(observations)
        latent_policy, latent_value = self.mlp_extractor(features)
        logits = self.action_net(latent_policy).masked_fill(masks == 0, ILLEGAL_LOGIT)
        return logits, VALUE_SCALE * self.value_net(latent_value)[:, 0]

    def playing_network(self) -> PolicyNetwork:
        """The policy half with the same weights."""
        return slot_network(self.state_dict(), isinstance(self.features_extractor, CountFeatures), self.rules)


class PlacementPolicy(LeanPolicy):
    """Policy and value by the board after each legal slot.

    Args:
        network: the sizes, as in `PlacementConfig`.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        network: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._config = PlacementConfig(**(network or {}))
        super().__init__(observation_space, action_space, lr_schedule, **options)

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = PlacementNetwork(self._config, self.rules)
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"network": {name: getattr(self._config, name) for name in ("units", "policy", "value")}}
        return {**super()._get_constructor_parameters(), **own}

    def logits_and_values(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """As the placement network says."""
        logits, values = self.network(observations, masks)
        return logits, values

    def playing_network(self) -> PlacementNetwork:
        """A copy with the same weights."""
        network = PlacementNetwork(self._config, self.rules)
        network.load_state_dict(self.network.state_dict())
        return network.eval()


def slot_network(weights: dict[str, Tensor], counts: bool, rules: Rules) -> PolicyNetwork:
    """The plain network that plays what an SB3 policy's state dict plays.

    Args:
        weights: with SB3's names: `mlp_extractor.policy_net.*` and `action_net.*`.
        counts: whether the count layer was its features extractor.
        rules: that it was trained by.
    """
    layers = sorted(
        {int(name.split(".")[2]) for name in weights if name.startswith("mlp_extractor.policy_net.")}
    )
    if not layers or "action_net.weight" not in weights:
        raise ValueError("these weights hold no policy of SB3: 'mlp_extractor.policy_net' is missing")
    hidden = tuple(len(weights[f"mlp_extractor.policy_net.{layer}.bias"]) for layer in layers)
    network = PolicyNetwork(NetworkConfig(hidden=hidden, dropout=0.0, counts=counts), rules)
    linear = [module for module in network.trunk if isinstance(module, nn.Linear)]
    for module, layer in zip(linear, layers, strict=True):
        module.load_state_dict(
            {part: weights[f"mlp_extractor.policy_net.{layer}.{part}"] for part in ("weight", "bias")}
        )
    network.head.load_state_dict({part: weights[f"action_net.{part}"] for part in ("weight", "bias")})
    return network.eval()


class LeanPPO(MaskablePPO):
    """MaskablePPO with a rollout that takes masks in one array, and progress measured over the whole run.

    Attributes:
        horizon: steps of the whole run, which learning-rate schedules refer to, however `learn` is cut up.
    """

    policy: LeanPolicy
    horizon: int = 0

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, self.horizon or total_timesteps)
        self._current_progress_remaining = max(0.0, self._current_progress_remaining)

    def collect_rollouts(  # type: ignore[override]
        self,
        env: OFCPineappleVecEnv,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Fill the buffer with `n_rollout_steps` decisions of every table."""
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        observations: Any = self._last_obs
        starts = self._last_episode_starts
        masks = env.action_masks()
        for _ in range(n_rollout_steps):
            with torch.no_grad():
                actions, values, log_chances = self.policy(torch.as_tensor(observations), action_masks=masks)
            slots = actions.numpy()
            new_observations, rewards, dones, _infos = env.step(slots)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            rollout_buffer.add(observations, slots, rewards, starts, values, log_chances, action_masks=masks)
            observations, starts, masks = new_observations, dones, env.action_masks()
        self._last_obs, self._last_episode_starts = observations, starts
        with torch.no_grad():
            values = self.policy.predict_values(torch.as_tensor(observations), action_masks=masks)
        rollout_buffer.compute_returns_and_advantage(last_values=values, dones=starts)
        callback.on_rollout_end()
        return True


def _masks(observations: Tensor, masks: np.ndarray | Tensor | None) -> Tensor:
    if masks is None:
        return legal_slots(observations)
    return torch.as_tensor(masks)
