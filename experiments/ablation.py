"""What each ingredient of a search agent is worth: the agent with it against the same agent without it.

    python experiments/ablation.py
    python experiments/ablation.py --agent pimc:rollouts=1000 --ingredients exact race --deals 2000
    python experiments/ablation.py --ingredients alphazero --adjust 24 --deals 1000

Every line is a match over duplicate deals at an equal number of rollouts. Also measured: what acting first is
worth (the agent against itself), and how much a search that sees the true deck would win from the honest one.
The name of an agent stands for all of its ingredients.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import agents
import ofc_env
from agents.arena import Adjusting, MatchResult, MatchSettings, play_match
from agents.arena.estimates import Estimate
from experiments.common.command_line import duration, folder_of, picture, run, write_json
from experiments.common.options import (
    OUT,
    option,
    processes_option,
    read,
    resume_option,
    rules_option,
    seed_option,
    values_option,
)


@dataclass(frozen=True)
class Ingredient:
    """Something that an option of an agent switches."""

    name: str  # on the command line
    title: str  # in the table
    agent: str  # the agent that has it
    with_it: Mapping[str, str]
    without_it: Mapping[str, str]
    share: float = 1.0  # of the deals asked for: fewer where a search is slow


INGREDIENTS = (
    Ingredient("exact", "last turn solved exactly", "pimc", {"exact": "on"}, {"exact": "off"}),
    Ingredient("race", "effort raced to the moves in doubt", "pimc", {"race": "on"}, {"race": "off"}),
    Ingredient(
        "rollout", "worlds played on by the heuristic, not at random", "pimc",
        {"leaf": "heuristic"}, {"leaf": "random"},
    ),
    Ingredient(
        "beam", "worlds played on by a beam, not the heuristic", "pimc",
        {"leaf": "beam"}, {"leaf": "heuristic"},
    ),
    Ingredient(
        "belief", "belief over the opponent's discards", "pimc", {"belief": "on"}, {"belief": "off"}
    ),
    Ingredient(
        "opening", "32 openings in the race, not all 232", "pimc",
        {"opening_width": "32"}, {"opening_width": "232"},
    ),
    Ingredient(
        "widening", "progressive widening at the opening", "ismcts", {"widen": "on"}, {"widen": "off"}
    ),
    Ingredient("tree-exact", "last turn solved exactly", "ismcts", {"exact": "on"}, {"exact": "off"}),
    Ingredient(
        "tree-rollout", "worlds played on by the heuristic, not at random", "ismcts",
        {"leaf": "heuristic"}, {"leaf": "random"},
    ),
    Ingredient(
        "sims-100", "100 simulations, not the network alone", "alphazero", {"sims": "100"}, {"sims": "0"}
    ),
    Ingredient("sims-500", "500 simulations, not 100", "alphazero", {"sims": "500"}, {"sims": "100"}),
    Ingredient(
        "sims-2000", "2,000 simulations, not 500", "alphazero", {"sims": "2000"}, {"sims": "500"}, 0.4
    ),
    Ingredient(
        "candidates-6", "6 candidates, not 12", "alphazero", {"candidates": "6"}, {"candidates": "12"}
    ),
    Ingredient(
        "candidates-32", "32 candidates, not 12", "alphazero", {"candidates": "32"}, {"candidates": "12"}
    ),
    Ingredient(
        "opening-232", "all 232 openings judged, not 32", "alphazero",
        {"opening_width": "232"}, {"opening_width": "32"},
    ),
    Ingredient("draws-1", "one own draw a simulation, not 3", "alphazero", {"draws": "1"}, {"draws": "3"}),
    Ingredient("draws-6", "6 own draws a simulation, not 3", "alphazero", {"draws": "6"}, {"draws": "3"}),
    Ingredient(
        "prior-0", "the network's own value for no world, not 16", "alphazero",
        {"prior_weight": "0"}, {"prior_weight": "16"},
    ),
    Ingredient(
        "prior-64", "the network's own value for 64 worlds, not 16", "alphazero",
        {"prior_weight": "64"}, {"prior_weight": "16"},
    ),
    Ingredient(
        "network-belief", "belief over the opponent's discards", "alphazero",
        {"belief": "on"}, {"belief": "off"},
    ),
    Ingredient(
        "network-opponent", "opponent sampled at 1 point, not at its best", "alphazero",
        {"opponent_temperature": "1"}, {"opponent_temperature": "0"},
    ),
    Ingredient("network-exact", "last turn solved exactly", "alphazero", {"exact": "on"}, {"exact": "off"}),
    Ingredient(
        "network-tree", "a tree, not the look-ahead", "alphazero", {"root": "tree"}, {"root": "halving"}
    ),
)  # fmt: skip
COMPARISONS = ("seat", "open")


@dataclass(frozen=True)
class Config:
    """What is measured; the defaults take a few minutes on two cores."""

    agent: str = option(
        "pimc:rollouts=200",
        "the rollout search to take apart; more rollouts take longer and leave less to gain",
        metavar="NAME",
    )
    tree: str = option("ismcts:simulations=200", "the tree search to take apart; likewise", metavar="NAME")
    network: str = option(
        "alphazero:sims=200", "the search with a network to take apart; likewise", metavar="NAME"
    )
    ingredients: tuple[str, ...] = option(
        (*(item.name for item in INGREDIENTS if item.agent != "alphazero"), *COMPARISONS),
        "what to measure, a match each; an agent's name for all of its ingredients",
        metavar="NAME",
    )
    deals: int = option(
        500,
        "decks a match, each played twice with the agents swapped; four times as many halve the intervals",
        low=1,
    )
    processes: int = processes_option(2)
    seed: int = seed_option()
    out: str = option("runs/ablation", "folder of the results", metavar="FOLDER", old=("--output",))
    resume: str = resume_option("its name in runs/", bare=OUT)
    rules: str = rules_option()
    fantasyland_values: tuple[float, ...] | None = values_option()
    adjust: int = option(
        0, "take luck out, each deal compared with so many others; more leave less noise (24 do)", low=0
    )


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    name: str
    title: str
    agents: tuple[str, str]  # with and without
    equity: Estimate  # worth a hand
    points: Estimate
    milliseconds: tuple[float, float]  # a decision, with and without
    open_cards: bool  # one side saw the true deck
    deals: int
    adjusted: Estimate | None  # equity with luck taken out; None where it was not judged

    @property
    def worth(self) -> Estimate:
        """Equity a hand by the quietest measure there is."""
        return self.adjusted or self.equity

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; `adjusted` is there where luck was judged."""
        found = {
            **asdict(self),
            "equity": self.equity.to_dict(),
            "points": self.points.to_dict(),
            "milliseconds": [round(value, 4) for value in self.milliseconds],
        }
        del found["adjusted"]
        return found if self.adjusted is None else {**found, "adjusted": self.adjusted.to_dict()}


def with_options(agent: str, changes: Mapping[str, str]) -> str:
    """An agent's name with some options set: "pimc:seed=1" with race off is "pimc:seed=1,race=off"."""
    name, _, tail = agent.partition(":")
    options = dict(part.split("=", 1) for part in tail.split(",") if "=" in part)
    options = {key.strip().replace("-", "_"): value.strip() for key, value in options.items()} | dict(changes)
    return f"{name}:{','.join(f'{key}={value}' for key, value in options.items())}"


def ablate(config: Config) -> None:
    """Play, print and write."""
    start = time.perf_counter()
    folder = folder_of(config.out, config.resume)
    known = {item.name: item for item in INGREDIENTS}
    wanted = list_ingredients(config.ingredients)
    findings = []
    for name in wanted:
        if name not in known and name not in COMPARISONS:
            raise ValueError(f"there is no ingredient {name!r}: use {', '.join([*known, *COMPARISONS])}")
        if name in known and agents.parse_name(base_agent(config, known[name]))[0] != known[name].agent:
            raise ValueError(f"{name} is an ingredient of {known[name].agent}: switch it in that agent")
    for name in wanted:
        if name in COMPARISONS:
            findings.append(compare(config, name, folder))
        else:
            findings.append(switch(config, known[name], folder))
        print(line(findings[-1]), flush=True)
    write_json(
        folder / "ablation.json",
        {
            "config": asdict(config),
            "seconds": round(time.perf_counter() - start, 1),
            "findings": [finding.to_dict() for finding in findings],
        },
    )
    drawn = picture(lambda: plot(findings, config, folder / "ablation.png"), folder / "ablation.png")
    spent = duration(time.perf_counter() - start)
    rules = ofc_env.Rules.parse(config.rules).name
    print(f"\nduplicate deals, seed {config.seed}, 95 % intervals, rules: {rules}")
    print(f"{spent}; written to {folder / 'ablation.json'} and {drawn}")


def list_ingredients(names: Sequence[str]) -> list[str]:
    """Names of ingredients and comparisons, with an agent's name replaced by those of its ingredients."""
    return [
        ingredient
        for name in names
        for ingredient in ([item.name for item in INGREDIENTS if item.agent == name] or [name])
    ]


def base_agent(config: Config, ingredient: Ingredient) -> str:
    """The agent whose ingredient is switched."""
    return {"pimc": config.agent, "ismcts": config.tree, "alphazero": config.network}[ingredient.agent]


def switch(config: Config, ingredient: Ingredient, folder: Path) -> Finding:
    """An agent with an ingredient against itself without it."""
    base = base_agent(config, ingredient)
    pair = (with_options(base, ingredient.with_it), with_options(base, ingredient.without_it))
    deals = max(1, round(config.deals * ingredient.share))
    result = match(config, pair, folder / "matches" / f"{ingredient.name}.jsonl", deals)
    return finding_of(ingredient.name, f"{ingredient.agent}: {ingredient.title}", result)


def compare(config: Config, name: str, folder: Path) -> Finding:
    """What the seat is worth, or what seeing the deck is worth."""
    store = folder / "matches" / f"{name}.jsonl"
    if name == "seat":
        base = agents.parse_name(config.agent)[0]
        result = match(config, (config.agent, config.agent), store)
        found = finding_of(name, f"acting first, {base} against itself", result)
        sign = 1 if ofc_env.Rules.parse(config.rules).first_to_act(button=0) == 0 else -1
        equity, points = result.button_equity.scaled(sign), result.button.scaled(sign)
        return replace(found, equity=equity, points=points, adjusted=None)  # luck is judged between agents
    tail = config.tree.partition(":")[2]
    result = match(replace(config, adjust=0), (f"mcts-open:{tail}", config.tree), store, allow_open=True)
    return finding_of(name, "seeing the true deck (not a ranking)", result)


def match(
    config: Config, pair: tuple[str, str], store: Path, deals: int | None = None, allow_open: bool = False
) -> MatchResult:
    """One match with the settings of the run; of so many deals, or as many as it says."""
    rules = ofc_env.Rules.parse(config.rules)
    settings = MatchSettings(
        seed=config.seed,
        processes=config.processes,
        rules=rules,
        fantasyland_values=config.fantasyland_values,
        adjust=Adjusting(config.adjust) if config.adjust else None,
        allow_open=allow_open,
    )
    return play_match(*pair, deals or config.deals, settings, store, bool(config.resume))


def finding_of(name: str, title: str, result: MatchResult) -> Finding:
    """A line of the report from a match of an agent with something against one without it."""
    times = (1000 * result.sides[0].seconds_per_decision, 1000 * result.sides[1].seconds_per_decision)
    return Finding(
        name=name,
        title=title,
        agents=result.agents,
        equity=result.equity,
        points=result.points,
        milliseconds=times,
        open_cards=result.open_cards,
        deals=result.deals,
        adjusted=result.adjusted,
    )


def line(finding: Finding) -> str:
    """One line for people."""
    times = " / ".join(f"{value:.2f}" for value in finding.milliseconds)
    less_luck = f"less luck {finding.adjusted.text():>14}   " if finding.adjusted else ""
    return (
        f"{finding.title:<58}  equity {finding.equity.text():>14}   {less_luck}"
        f"points {finding.points.text():>14}   {finding.deals} deals   {times} ms"
    )


def plot(findings: list[Finding], config: Config, path: Path) -> None:
    """Every worth with its interval, as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 1.6 + 0.45 * len(findings)), layout="constrained")
    axes = figure.subplots()
    places = range(len(findings))
    axes.errorbar(
        [finding.worth.mean for finding in findings],
        places,
        xerr=[finding.worth.margin for finding in findings],
        fmt="o",
        capsize=4,
        color="#1b5e8c",
    )
    axes.axvline(0, color="#888888", linewidth=1)
    axes.set_yticks(places, [finding.title for finding in findings])
    axes.set_ylim(len(findings) - 0.5, -0.5)
    axes.set_xlabel("worth in equity a hand, with 95 % intervals")
    axes.grid(axis="x", alpha=0.3)
    figure.suptitle("the agent with it against the same agent without it, duplicate deals")
    figure.savefig(path, dpi=120)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(
        lambda: ablate(read(Config, arguments, __doc__)),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
