"""Who plays each level of live play: one small table over the agents that this installation has."""

from __future__ import annotations

from pathlib import Path

import agents
from agents.networks.files import describe
from agents.players.alphazero import CHAMPION, shipped_champion
from ofc_env import Rules
from ofc_env.extras import installed

# Best first: the first agent that is installed, and plays by the table's rules, plays the level. Those behind
# `random` never do by themselves; who asks for one of them by name gets the budget of the level.
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
    "bc": _FOLDER / "weights" / "bc" / "clone.safetensors",
    "ppo": _FOLDER / "weights" / "ppo.safetensors",
}
WITH_TORCH = {"ppo"}


def playable(rules: Rules | str | None = None) -> list[str]:
    """The names of the agents that can play a seat: known, with what they need, and for these rules."""
    rules = Rules.of(rules)
    return [name for name in agents.names() if name not in NOT_AT_A_TABLE and _has_all(name, rules)]


def _has_all(name: str, rules: Rules) -> bool:
    if name in WITH_TORCH and not installed("torch"):
        return False
    if name not in NETWORKS:
        return True
    file = shipped_champion(rules) if name == "alphazero" else NETWORKS[name]
    return file is not None and file.is_file() and describe(file).rules.same_hand(rules)


def is_playable(agent: str, rules: Rules | str | None = None) -> bool:
    """Whether this agent can play a seat here; one that names a network of its own is believed."""
    name, options = agents.parse_name(agent)
    own = {"checkpoint", "folder", "weights"} & set(options)
    return name in playable(rules) or (name in agents.names() and bool(own))


def first_playable(choices: tuple[str, ...], rules: Rules | str | None = None) -> str:
    """The first of these agents that this installation has for the rules.

    Where nobody has measured what fantasyland is worth, that is one which does not want to know: `random`.
    """
    measured = Rules.of(rules).fantasyland_values is not None
    for agent in choices:
        if is_playable(agent, rules) and (measured or not agents.wants_values(agent)):
            return agent
    raise ValueError(f"none of {', '.join(choices)} is installed: use one of {', '.join(playable(rules))}")


def agent_of(level: str, agent: str | None = None, rules: Rules | str | None = None) -> str:
    """The agent that plays a level.

    Args:
        level: a key of `LEVELS`.
        agent: play this one. Without options of its own it gets the level's, if the table has it there.
        rules: of the table; the house rules if None.
    """
    rules = Rules.of(rules)
    if level not in LEVELS:
        raise ValueError(f"there is no level {level!r}: use one of {', '.join(LEVELS)}")
    if agent is None:
        return first_playable(LEVELS[level], rules)
    if not is_playable(agent, rules):
        known = ", ".join(playable(rules))
        raise ValueError(f"there is no agent {agent!r} for the rules {rules.name!r}: use one of {known}")
    return next((one for one in LEVELS[level] if one.partition(":")[0] == agent), agent)


def quick_agent(rules: Rules | str | None = None) -> str:
    """The agent that answers at once."""
    return first_playable(QUICK, rules)


def make_timed(agent: str, seconds: float, rules: Rules | str | None = None) -> agents.Agent:
    """Build an agent for some rules, those of its network if None.

    One that can keep a time limit is given this one, unless its name sets another.
    """
    if "seconds" not in agents.parse_name(agent)[1]:
        try:
            return agents.make(agent, rules, seconds=seconds)
        except ValueError:
            pass  # it has no such option: its budget is a count
    return agents.make(agent, rules)
