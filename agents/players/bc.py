"""An agent that plays like the player it was trained on: `agents.make("bc")`.

It plays the slot its policy network prefers, or lets the value network choose among the best few; the last
turn is solved exactly unless told otherwise. Train one with `python experiments/behaviour_cloning.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from agents.base import Agent, Observation, checked
from agents.networks.files import verify_trained_for
from agents.networks.observation import PolicyNetwork, ValueNetwork, load_network
from agents.rewards import resolved
from ofc_env import RewardConfig, Rules, solve_last_turn
from ofc_env.afterstates import afterstates
from ofc_env.layout import LAST_TURN, TURN

WEIGHTS = Path(__file__).parent.parent / "weights" / "bc"


class BehaviourCloningAgent(Agent):
    """Plays a policy network learned from a log.

    Args:
        folder: where `policy.safetensors` and `value.safetensors` are; the shipped ones by default.
        candidates: how many of the policy's best slots the value network chooses among; 1: the policy alone.
        exact: whether the last turn is solved exactly.
        foul: points that a foul is taken to cost beside the lost royalties.
        fantasyland: points that winning fantasyland is taken to be worth.
        preference: points that a tenfold chance of the policy is worth against the value network.
        reward: what a hand is worth where the last turn is solved; points and the value of fantasyland by
            default.
        rules: what it plays by; those of its networks by default.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        candidates: int = 1,
        exact: bool = True,
        foul: float = 6.0,
        fantasyland: float = 15.0,
        preference: float = 2.0,
        reward: RewardConfig | str = "equity",
        rules: Rules | str | None = None,
    ) -> None:
        if candidates < 1:
            raise ValueError(f"{candidates} candidates cannot be chosen among: use 1 or more")
        path = Path(folder) if folder is not None else WEIGHTS
        self.candidates = candidates
        self.foul, self.fantasyland, self.preference = foul, fantasyland, preference
        names = ("policy", "value") if candidates > 1 else ("policy",)
        self.weights_files = tuple(path / f"{name}.safetensors" for name in names)
        self.policy = load_network(self.weights_files[0], PolicyNetwork)
        verify_trained_for(self.policy.rules, None if rules is None else Rules.of(rules), path)
        self.rules = self.policy.rules if rules is None else Rules.of(rules)
        self.reward = resolved(reward, self.rules) if exact else None
        self.value = load_network(self.weights_files[1], ValueNetwork) if candidates > 1 else None

    def act(self, observation: Observation) -> int:
        """The slot to play."""
        slots = self.act_batch(observation["observation"][None], observation["action_mask"][None])
        return int(slots[0])

    @torch.inference_mode()
    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The slots to play in N positions, shape (N,)."""
        observations, legal = checked(observations, masks, self.rules)
        logits = self.policy(torch.from_numpy(observations), torch.from_numpy(np.ascontiguousarray(masks)))
        if self.value is None:
            slots: NDArray[np.int64] = logits.argmax(dim=1).numpy()
        else:
            slots = self._chosen_by_value(observations, logits)
        if self.reward is not None:
            for row in np.flatnonzero((observations[:, TURN] == LAST_TURN) & (legal > 1)).tolist():
                values = solve_last_turn(observations[row], self.reward, self.rules)
                slots[row] = max(values, key=lambda slot: (values[slot], -slot))
        return slots

    def _chosen_by_value(self, observations: NDArray[np.float32], logits: torch.Tensor) -> NDArray[np.int64]:
        """The best of each position's few likeliest slots by what the value network expects after them."""
        if self.value is None:
            raise ValueError("this agent was made without a value network: use candidates of 2 or more")
        count = min(self.candidates, logits.shape[1])
        chances, slots = torch.log_softmax(logits, dim=1).topk(count, dim=1)
        possible = torch.isfinite(chances)
        rows, places = torch.nonzero(possible, as_tuple=True)
        after = afterstates(observations[rows.numpy()], slots[rows, places].numpy())
        expected = self.value(torch.from_numpy(after))
        worth = expected.royalty_ev + self.fantasyland * expected.fl_prob - self.foul * expected.bust_prob
        scores = torch.full(chances.shape, -torch.inf)
        scores[rows, places] = worth + self.preference / np.log(10.0) * chances[rows, places]
        best: NDArray[np.int64] = slots.gather(1, scores.argmax(dim=1, keepdim=True))[:, 0].numpy()
        return best
