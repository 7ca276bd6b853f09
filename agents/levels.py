"""Who plays each level of live play: one small table over the agents that this installation has."""

from __future__ import annotations

from pathlib import Path

import agents
from agents.networks.files import describe
from agents.players.alphazero import CHAMPION, shipped_champion
from ofc_env import Rules
from ofc_env.extras import installed

# Weakest level first, at least 1.2 points of equity a hand between neighbours (docs/levels.md has the table,
# experiments/calibrate_levels.py measures it). Of a level best first: the first agent that is installed, and
# plays by the table's rules, plays it. Those behind `random` never do by themselves; who asks for one of them
# by name gets the budget of the level.
LEVELS: dict[str, tuple[str, ...]] = {
    "novice": ("heuristic:careless=0.55,temperature=1", "random"),
    "beginner": ("heuristic:careless=0.4,temperature=0.6", "random"),
    "casual": ("heuristic:careless=0.35,temperature=0.3", "random"),
    "regular": ("heuristic:careless=0.2,temperature=0.1", "random"),
    "skilled": ("heuristic", "random"),
    "advanced": (
        *("alphazero:sims=0,temperature=1", "pimc:rollouts=500", "heuristic", "random"),
        "ismcts:simulations=100",
    ),
    "expert": (
        *("alphazero:sims=0,temperature=0.65", "pimc:rollouts=5000", "heuristic", "random"),
        "ismcts:simulations=500",
    ),
    "strongest": (
        *("alphazero:sims=2000,fantasyland_boards=64", "pimc:rollouts=20000,fantasyland_boards=64"),
        *("heuristic", "random", "ismcts:simulations=2000"),
    ),
}
# What each is like to play against.
CHARACTERS = {
    "novice": "Builds each row for itself and fouls two boards of three. You will win.",
    "beginner": "Knows what a foul is, and forgets it when a row looks pretty.",
    "casual": "Plays for fun: good ideas, many slips, no eye for cards that are gone.",
    "regular": "Knows the game well, but lets a turn in five go by without much thought.",
    "skilled": "Plays by sound rules of thumb and never nods off.",
    "advanced": "Has played hundreds of thousands of hands; close decisions come out by chance.",
    "expert": "Aims for fantasyland with a sure hand and errs only where little is at stake.",
    "strongest": "Looks ahead through thousands of possible deals before it places.",
}
DEFAULT_LEVEL = "regular"
# Levels that once were, and what is meant by them today.
OLD_NAMES = {"weak": "beginner", "normal": "regular", "policy": "expert", "strong": "expert"}
# Who looks at people's play, best first, whatever level they played: never one with a handicap.
REVIEWERS = ("alphazero:sims=500", "pimc:rollouts=5000", "heuristic")
HANDICAPS = {"temperature", "careless"}  # options that make a player weaker than it could be
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


def renamed(name: str) -> str:
    """The name of today where it is one of `OLD_NAMES`; any other is left as it is."""
    return OLD_NAMES.get(name, name)


def level_of(name: str) -> str:
    """The level of this name, which may be one of `OLD_NAMES`."""
    level = renamed(name)
    if level not in LEVELS:
        raise ValueError(f"there is no level {name!r}: use one of {', '.join(LEVELS)}")
    return level


def agent_of(level: str, agent: str | None = None, rules: Rules | str | None = None) -> str:
    """The agent that plays a level.

    Args:
        level: a key of `LEVELS`, or one of `OLD_NAMES`.
        agent: play this one. Without options of its own it gets the level's budget, if the table has it
            there, and never a handicap: who names an agent wants that one.
        rules: of the table; the house rules if None.
    """
    rules = Rules.of(rules)
    choices = LEVELS[level_of(level)]
    if agent is None:
        return first_playable(choices, rules)
    if not is_playable(agent, rules):
        known = ", ".join(playable(rules))
        raise ValueError(f"there is no agent {agent!r} for the rules {rules.name!r}: use one of {known}")
    for choice in choices:
        name, options = agents.parse_name(choice)
        if name == agent and not HANDICAPS & set(options):
            return choice
    return agent


def reviewer(rules: Rules | str | None = None) -> str:
    """The agent that looks at people's play by these rules; where nobody can judge it, one that says so."""
    return first_playable((*REVIEWERS, "random"), rules)


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
