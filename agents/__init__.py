"""Everything that chooses an action, built by name: `agents.make("random")` or `make("random:seed=3")`.

Agents of one's own are named by where they are, `make("my_module:MyAgent")` or
`make("my_module:MyAgent:depth=3")`, or by a short name after `register("mine", MyAgent)`.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import re
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from agents.base import Agent, FunctionAgent, InformedAgent
from agents.rewards import FantasylandValues, equity
from ofc_env import Rules
from ofc_env._core import MOST_LIKELY_BOARDS
from ofc_env.extras import explained

__all__ = [
    "Agent",
    "FunctionAgent",
    "fantasyland_boards",
    "make",
    "make_valued",
    "names",
    "parse_name",
    "register",
    "seated",
    "wants_values",
]

Builder = Callable[..., Agent]

# Name -> "module:callable", kept as text so that naming an agent imports only what that agent needs, or a
# class that was registered.
_BUILDERS: dict[str, str | Builder] = {
    "random": "agents.players.random:RandomAgent",
    "heuristic": "agents.players.heuristic:HeuristicAgent",
    "pimc": "agents.players.pimc:PimcAgent",
    "ismcts": "agents.players.ismcts:IsmctsAgent",
    "mcts-open": "agents.players.ismcts:OpenMctsAgent",
    "alphazero": "agents.players.alphazero:AlphaZeroAgent",
    "bc": "agents.players.bc:BehaviourCloningAgent",
    "ppo": "agents.players.ppo:PpoAgent",
}

_WORDS: dict[str, Any] = {"on": True, "true": True, "off": False, "false": False, "none": None}


def names() -> list[str]:
    """The names that `make` knows, sorted."""
    return sorted(_BUILDERS)


# A class by its place, with or without options behind it.
_PLACE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*)(?::(.*))?", re.DOTALL)


def register(name: str, builder: str | Builder) -> None:
    """Add an agent of one's own.

    Args:
        name: what `make` will call it; it may not hold `:`, `,` or `=`.
        builder: the class, or `"module:callable"`, imported when the agent is first made; its keyword
            arguments are the options. Several processes can build it if it can be imported by its name.
    """
    if not name or any(mark in name for mark in ":,="):
        raise ValueError(f"{name!r} cannot be an agent's name: it must not be empty or hold ':', ',' or '='")
    if isinstance(builder, str):
        if builder.count(":") != 1:
            raise ValueError(f"{builder!r} is not a builder: write it as 'module:callable'")
    else:
        _verify_builder(name, builder)
    if _BUILDERS.get(name, builder) != builder:
        raise ValueError(f"an agent named {name!r} exists already: choose another name")
    _BUILDERS[name] = builder


def _verify_builder(name: str, builder: Any) -> None:
    """Refuse what cannot give an agent."""
    if not callable(builder) or (isinstance(builder, type) and not callable(getattr(builder, "act", None))):
        raise ValueError(f"{name!r} is no agent: derive it from agents.Agent and give it act(observation)")


def _value(text: str) -> Any:
    """An option's value: a number, on/off, none, or the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_name(text: str) -> tuple[str, dict[str, Any]]:
    """Split `"pimc:rollouts=200,belief=off"` into the name and its options.

    The name of a class is its place: `"my_module:MyAgent:depth=3"` gives `"my_module:MyAgent"`.
    """
    name, _, tail = text.partition(":")
    place = _PLACE.fullmatch(text.strip())
    if place and name.strip() not in _BUILDERS:
        name, tail = place[1], place[2] or ""
    options: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in tail.split(","))):
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise ValueError(
                f"cannot read {part!r} in {text!r}: write options as name:option=value,option=value"
            )
        if key in options:
            raise ValueError(f"the option {key!r} stands twice in {text!r}: give it once")
        options[key] = _value(value.strip())
    return name.strip(), options


def _builder(name: str) -> Builder:
    found = _BUILDERS.get(name, name if ":" in name else None)
    if found is None:
        raise ValueError(
            f"no agent is named {name!r}: use one of {', '.join(names())}, or my_module:MyAgent for your own"
        )
    if not isinstance(found, str):
        return found
    module, _, attribute = found.partition(":")
    try:
        with explained(f"the agent {name!r}"):
            builder: Builder = getattr(importlib.import_module(module), attribute)
    except AttributeError:
        raise ValueError(
            f"there is no {attribute!r} in the module {module}: check the agent's name"
        ) from None
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, and lacks a package
        raise ValueError(
            f"there is no module {error.name!r} for the agent {name!r}: run from its folder, or install it"
        ) from None
    _verify_builder(name, builder)
    return builder


# How a builder says what an option is -> the types it takes, and what to write in a name.
_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "bool": ((bool, np.bool_), "on or off"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "str": (str, "a word"),
}


def _check_type(name: str, option: str, value: Any, parameter: inspect.Parameter | None) -> None:
    """Refuse a value that is not of the plain type its option is declared with."""
    declared = getattr(parameter, "annotation", None)
    types, kind = _KINDS.get(getattr(declared, "__name__", str(declared)), (object, ""))
    if not isinstance(value, types) or (isinstance(value, bool) and types in (Integral, Real)):
        raise ValueError(f"cannot make {name!r} with {option}={value!r}: {option} is {kind}")


def make(name: str, rules: Rules | str | None = None, **options: Any) -> Agent:
    """Build an agent from its name.

    Args:
        name: a name with or without options, such as `"random"`, `"pimc:rollouts=200,belief=off"` or
            `"my_module:MyAgent:depth=3"`.
        rules: what it is to play by; None for the house rules, or for those of the network that it plays. A
            trained agent looks for the network that is shipped for them; one that was trained for others is
            refused.
        options: more options; these win over the ones in the name. `fantasyland_values` (four numbers, in a
            name with a slash between them) is for all that maximise equity, under rules that nobody measured.
            `fantasyland_boards=N` is for all: their fantasyland hands are set against so many likely boards.
    """
    short_name, written = parse_name(name)
    builder = _builder(short_name)
    options = {**written, **options}
    parameters = inspect.signature(builder).parameters
    boards = _fantasyland_boards(short_name, options.pop("fantasyland_boards", 0))
    if rules is not None:
        rules = Rules.parse(rules) if isinstance(rules, str) else rules
        if "rules" in parameters:
            options["rules"] = rules
        elif not getattr(builder, "any_rules", False) and not rules.same_hand(Agent.rules):
            raise ValueError(
                f"{short_name!r} knows the house rules only and cannot play by {rules.name!r}: "
                "choose another agent"
            )
    if "reward" in parameters and "fantasyland_values" not in parameters:
        values = options.pop("fantasyland_values", None)
        if values is not None and "reward" in options:
            raise ValueError(f"{short_name!r} is given a reward and fantasyland_values: give one of the two")
        if values is not None:
            options["reward"] = equity(rules or Agent.rules, values)
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        unknown = sorted(set(options) - set(parameters))
        if unknown:
            known = ", ".join(parameters) or "none"
            raise ValueError(f"{short_name!r} has no option {unknown[0]!r}: its options are {known}")
    for option, value in options.items():
        _check_type(short_name, option, value, parameters.get(option))
    try:
        agent = builder(**options)
    except TypeError as error:
        given = ", ".join(f"{option}={value!r}" for option, value in options.items()) or "no options"
        raise ValueError(f"cannot make {short_name!r} with {given}: a value has the wrong type") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"{short_name!r} gives a {type(agent).__name__}: derive it from agents.Agent")
    agent.name = name
    agent.fantasyland_boards = boards
    # One that plays by any rules, and one that took them and kept them to itself.
    if rules is not None and not agent.rules.same_hand(rules):
        agent.rules = rules
    return agent


def fantasyland_boards(name: str) -> int:
    """The boards that an agent of this name has its fantasyland hands set against, without making it."""
    short_name, options = parse_name(name)
    return _fantasyland_boards(short_name, options.get("fantasyland_boards", 0))


def _fantasyland_boards(name: str, boards: Any) -> int:
    whole = isinstance(boards, int | np.integer) and not isinstance(boards, bool)
    if not whole or not 0 <= boards <= MOST_LIKELY_BOARDS:
        raise ValueError(
            f"cannot make {name!r} with fantasyland_boards={boards!r}: it is a whole number "
            f"from 0 to {MOST_LIKELY_BOARDS}"
        )
    return int(boards)


def seated(agent: Agent, rules: Rules) -> Agent:
    """An agent for a table by these rules: itself, or a copy that is told them if it plays by any.

    One that was made for others reads its observations by those, and is refused. One that never says by which
    rules it plays is believed to read nothing that depends on them.
    """
    says = isinstance(agent, InformedAgent) or "rules" in vars(agent)
    if not says or agent.rules.same_hand(rules):
        return agent
    if not getattr(agent, "any_rules", False):
        raise ValueError(
            f"{agent!r} plays by the rules {agent.rules.name!r} and sits at a table by {rules.name!r}: "
            "make one for these, or set its `rules`"
        )
    told = copy.copy(agent)
    told.rules = rules
    return told


def wants_values(name: str) -> bool:
    """Whether an agent cares what fantasyland is worth, and its name does not say it."""
    short_name, written = parse_name(name)
    cares = "reward" in inspect.signature(_builder(short_name)).parameters
    return cares and not {"reward", "fantasyland_values"} & set(written)


def make_valued(name: str, rules: Rules | None, values: FantasylandValues | None) -> Agent:
    """`make`, with what fantasyland is worth for an agent that cares and does not say so itself."""
    if values is None or not wants_values(name):
        return make(name, rules)
    return make(name, rules, fantasyland_values=values)
