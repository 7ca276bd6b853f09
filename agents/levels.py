"""Who plays each level of live play: one small table over the agents that this installation has."""

from __future__ import annotations

from pathlib import Path

import agents
from agents.players.alphazero import CHAMPION
from ofc_env.extras import installed

# Best first: the first agent that is installed plays the level. Those behind `random` never do by themselves;
# who asks for one of them by name gets the budget of the level.
LEVELS: dict[str, tuple[str, ...]] = {
    "policy": ("alphazero:sims=0", "bc", "heuristic", "random"),
    # Ten simulations that outweigh the network's own value are mostly luck: a beginner's opponent.
    "weak": (
        "alphazero:sims=10,prior_weight=0",
        "heuristic",
        "random",
        "pimc:rollouts=50",
        "ismcts:simulations=10",
    ),
    "normal": ("alphazero:sims=100", "pimc:rollouts=500", "heuristic", "random", "ismcts:simulations=100"),
    "strong": ("alphazero:sims=500", "pimc:rollouts=5000", "heuristic", "random", "ismcts:simulations=500"),
    "strongest": (
        *("alphazero:sims=2000", "pimc:rollouts=20000", "heuristic", "random", "ismcts:simulations=2000"),
    ),
}
DEFAULT_LEVEL = "normal"
# What answers when a search has not come back in time.
QUICK = ("heuristic", "random")
# Agents that want to be shown the true deck cannot sit at a table.
NOT_AT_A_TABLE = {"mcts-open"}
# The file that an agent plays from, and who needs torch to: known without the seconds of importing that.
_FOLDER = Path(__file__).parent
NETWORKS = {
    "alphazero": CHAMPION,
    "bc": _FOLDER / "weights" / "bc" / "policy.safetensors",
    "ppo": _FOLDER / "weights" / "ppo.safetensors",
}
WITH_TORCH = {"bc", "ppo"}


def playable() -> list[str]:
    """The names of the agents that can play a seat: known, and with what they need."""
    return [name for name in agents.names() if name not in NOT_AT_A_TABLE and _has_all(name)]


def _has_all(name: str) -> bool:
    if name in WITH_TORCH and not installed("torch"):
        return False
    return name not in NETWORKS or NETWORKS[name].is_file()


def is_playable(agent: str) -> bool:
    """Whether this agent can play a seat here; one that names a network of its own is believed."""
    name, options = agents.parse_name(agent)
    return name in playable() or (name in agents.names() and bool({"checkpoint", "folder"} & set(options)))


def first_playable(choices: tuple[str, ...]) -> str:
    """The first of these agents that this installation has."""
    for agent in choices:
        if is_playable(agent):
            return agent
    raise ValueError(f"none of {', '.join(choices)} is installed: use one of {', '.join(playable())}")


def agent_of(level: str, agent: str | None = None) -> str:
    """The agent that plays a level.

    Args:
        level: a key of `LEVELS`.
        agent: play this one. Without options of its own it gets the level's, if the table has it there.
    """
    if level not in LEVELS:
        raise ValueError(f"there is no level {level!r}: use one of {', '.join(LEVELS)}")
    if agent is None:
        return first_playable(LEVELS[level])
    if not is_playable(agent):
        raise ValueError(f"there is no agent {agent!r}: use one of {', '.join(playable())}")
    return next((choice for choice in LEVELS[level] if choice.partition(":")[0] == agent), agent)


def quick_agent() -> str:
    """The agent that answers at once."""
    return first_playable(QUICK)


def make_timed(agent: str, seconds: float) -> agents.Agent:
    """Build an agent; one that can keep a time limit is given this one, unless its name sets another."""
    if "seconds" not in agents.parse_name(agent)[1]:
        try:
            return agents.make(agent, seconds=seconds)
        except ValueError:
            pass  # it has no such option: its budget is a count
    return agents.make(agent)
