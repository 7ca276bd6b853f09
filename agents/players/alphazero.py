"""The trained player: information-set search guided by the network after a placement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from agents.base import InformedAgent
from agents.networks.files import describe, verify_trained_for
from agents.networks.native import load_native, network_file
from agents.players.search import SearchAgent
from ofc_env import InformationSet, RewardConfig, Rules, _core

WEIGHTS = Path(__file__).parent.parent / "weights"
CHAMPION = WEIGHTS / "alphazero.safetensors"  # of the house rules


def shipped_champion(rules: Rules) -> Path | None:
    """The network that is shipped for these rules, if there is one."""
    for path in (CHAMPION, *sorted(WEIGHTS.glob("alphazero-*.safetensors"))):
        if path.is_file() and describe(path).rules.same_hand(rules):
            return path
    return None


def champion_for(rules: Rules) -> Path:
    """The network that is shipped for these rules; without one, a sentence says which command trains it."""
    if path := shipped_champion(rules):
        return path
    raise ValueError(
        f"no champion is shipped for the rules {rules.name!r}: train one with "
        f'python experiments/alphazero.py --rules "{rules.name}", and give it as checkpoint=FILE'
    )


def learned_reward(path: Path) -> str:
    """The text of the reward that a network was trained for."""
    return str(describe(path).notes.get("reward", "equity"))


def opponent_for(opponent: str | Path, rules: Rules) -> Any:
    """What `_core.NetworkSearch` takes as the opponent: a weights file's network, or an agent by its name."""
    if opponent in ("heuristic", "random"):  # these answer natively
        return str(opponent)
    if Path(opponent).suffix == ".safetensors":
        network = load_native(opponent)
        verify_trained_for(network.rules, rules, opponent)
        return network
    agent = agents.make(str(opponent), rules)
    if agent.needs_true_hand:
        raise ValueError(f"{opponent!r} cannot be the opponent in a search: it wants to see the real hand")

    def choose(information: InformationSet) -> int:
        agent.reset()  # every question is another world
        if isinstance(agent, InformedAgent):
            return int(agent.choose(information))
        numbers, mask = information.observation(), information.action_mask()
        return int(agent.act({"observation": numbers, "action_mask": mask}))

    return choose


class AlphaZeroAgent(SearchAgent):
    """Judges every placement by the network, and the best few by looking ahead in many worlds.

    Args:
        checkpoint: a network file; the champion that is shipped for the rules by default.
        seed: with what the seat sees, fixes the worlds.
        network: a network to play by, instead of a file's.
        opponent: who answers in the search's worlds: this network by default, a weights file, or an agent by
            its name. `heuristic`, `random` and files answer natively; others are asked in Python, slowly.
        reward: what a hand is worth; by default what the file's network learned: points and the value of
            fantasyland, unless the file says another.
        rules: what it plays by; those of the network by default, and the house rules without one.
        settings: of the search: `_core.NetworkSearch.fields()`, docs/settings.md.
    """

    search = _core.NetworkSearch

    def __init__(
        self,
        checkpoint: str | Path | None = None,
        seed: int = 0,
        network: _core.Network | None = None,
        opponent: str | Path | None = None,
        reward: RewardConfig | str | None = None,
        rules: Rules | str | None = None,
        **settings: Any,
    ) -> None:
        wanted = Rules.of(rules)
        if network is None:
            self.weights_files = (network_file(checkpoint or champion_for(wanted)),)
            network = load_native(self.weights_files[0])
            reward = reward or learned_reward(self.weights_files[0])
        verify_trained_for(network.rules, None if rules is None else wanted, checkpoint or "this network")
        self.rules = network.rules if rules is None else wanted
        answers = None if opponent is None else opponent_for(opponent, self.rules)
        if settings.get("root") == "puct":
            settings["root"] = "tree"  # as it was once called
        engine = _core.NetworkSearch(network, reward=reward, opponent=answers, **settings)
        self._begin(seed, engine, settings)

    def statistics(self) -> dict[str, float]:
        """Of the last decision: `simulations`, `nodes`, `depth`, mean `visits` of a node, `seconds`."""
        return self.engine.statistics()

    def choose_batch(self, informations: Sequence[InformationSet]) -> NDArray[np.int64]:
        """The first slots of the best placements, (N,); with a belief they are decisions of one hand."""
        if self.remembers:
            return super().choose_batch(informations)
        return self.engine.actions(informations, self.seed)

    def act_batch(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """The same for observations (N, 490), which the core reads itself."""
        if self.remembers:
            return super().act_batch(observations, masks)
        return self.engine.actions(np.ascontiguousarray(observations, dtype=np.float32), self.seed)
