"""Measure what winning fantasyland is worth, in points, for each number of cards: 14, 15, 16 and 17.

    python experiments/fantasyland_value.py --agent pimc:rollouts=1000 --hands 1500
    python experiments/fantasyland_value.py --rules standard --agent alphazero:sims=0 --write

Hands are kept as they are played (--out): a run that was stopped goes on with --resume and finds the same.
With --write the values become those of the `equity` reward under these rules, in the core's own table
(core/game/fantasyland_values.inc); `make build` takes them in.

**Definition.** Between two hands all that matters, chips aside, is the pair of fantasylands that the seats
hold: `(w, u)`, 0 for normal play. Let `h(w, u)` be what seat 0 wins from there on, in points, compared with
`(0, 0)`, where equal players are worth 0. Then for every pair

    h(w, u) = E[points of seat 0 in the hand + h(w', u')]        h(0, 0) = 0,  h(u, w) = -h(w, u)

with `w'` and `u'` what the hand leaves: a fantasyland that was kept (`Rules.stay_cards`), or won by normal
play. The value of winning `w` cards is `V_w = h(w, 0)`: a hand set by the solver against a normal hand, in
place of two normal hands. It holds the chain of stays, and the fantasylands that the opponent wins meanwhile
by its normal hands. Both seats in fantasyland are states of their own, so nothing is assumed about them; the
`equity` reward takes `h(w, u) = V_w - V_u`, and the report says how far that is off.

**Fixed point.** Whether the solver breaks up royalties to stay, and what risks the normal player takes for
its own entry, depend on the table itself. So hands are played with a table, the equations above are solved
for a new one, and that is repeated on a fifth of the deals until no value leaves its interval; then all
hands are played.

**Less noise.** The normal player never sees the fantasyland board, so that board's cards are any of those
which the normal player did not see (37 of 54): each normal hand is scored against several boards dealt from
them. All widths meet the same deals. Intervals (95 %) come from resampling deals and solving the equations
again, so they hold the error of the stays.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agents
from experiments.benches.table import commit
from experiments.common.command_line import picture, run
from experiments.common.options import read
from experiments.standings.fantasyland_hands import (
    FEWEST_HANDS,
    STATES,
    WIDTHS,
    Outcomes,
    Pair,
    Round,
    Settings,
    Table,
    play_round,
)
from ofc_env import RewardConfig, Rules
from ofc_env.files import new_file, write_whole

VALUES = Path(__file__).parent.parent / "core" / "game" / "fantasyland_values.inc"
RESAMPLES = 1000
MOST_ROUNDS = 6


# ---------------------------------------------------------------- from outcomes to values

Average = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def solve_states(outcomes: dict[Pair, Outcomes], average: Average) -> NDArray[np.float64]:
    """`h` of every pair of STATES, (5, 5), from averages over deals: a linear equation for each pair."""
    size = len(STATES)
    rewards = np.zeros((size, size))
    moves = np.zeros((size, size, size, size))
    for (width, other), outcome in outcomes.items():
        i, j = STATES.index(width), STATES.index(other)
        rewards[i, j] = average(outcome.points)
        moves[i, j] = average(outcome.moves)
        rewards[j, i], moves[j, i] = -rewards[i, j], moves[i, j].T
    moves[:, :, 0, 0] = 0.0  # h(0, 0) = 0; pairs of equal widths have neither rewards nor moves, so 0 as well
    matrix = np.eye(size * size) - moves.reshape(size * size, size * size)
    return np.asarray(np.linalg.solve(matrix, rewards.ravel()), dtype=np.float64).reshape(size, size)


def resampled_states(outcomes: dict[Pair, Outcomes], seed: int) -> NDArray[np.float64]:
    """`h` for deals drawn anew with replacement, (RESAMPLES, 5, 5); one draw serves all widths."""
    generator = np.random.default_rng(seed)
    counts = {len(outcome.points) for outcome in outcomes.values()}
    samples = np.empty((RESAMPLES, len(STATES), len(STATES)))
    for number in range(RESAMPLES):
        weights = {count: generator.multinomial(count, np.full(count, 1 / count)) / count for count in counts}
        samples[number] = solve_states(outcomes, partial(_weighted, weights))
    return samples


def _weighted(weights: dict[int, NDArray[np.float64]], lines: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.tensordot(weights[len(lines)], lines, axes=1)


def values_of(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of 14, 15, 16 and 17 cards from `h`: (…, 5, 5) -> (…, 4)."""
    return states[..., 1:, 0]


def find_table(settings: Settings, start: Table) -> tuple[dict[Pair, Outcomes], list[dict[str, Any]]]:
    """Play to the fixed point; the outcomes of the last, full round, and what each round used and found.

    The table is fixed when every value that is found lies within its interval around the one that was used.
    """
    table, fixed = start, False
    rounds: list[dict[str, Any]] = []
    while True:
        full = fixed or len(rounds) == MOST_ROUNDS - 1
        hands, both = (
            total if full else max(total // 5, FEWEST_HANDS) for total in (settings.hands, settings.both)
        )
        number = len(rounds) + 1
        store = settings.out.with_suffix(f".round_{number}.jsonl")
        outcomes = play_round(Round(settings, table, hands, both), f"round {number}", store, settings.resume)
        found = values_of(solve_states(outcomes, lambda lines: lines.mean(axis=0)))
        margins = 1.96 * values_of(resampled_states(outcomes, settings.seed)).std(axis=0)
        rounds.append(
            {"used": list(table), "found": found.tolist(), "margins": margins.tolist(), "hands": hands}
        )
        print(f"round {number}: played with {_row(table)}, found {_row(found)}", flush=True)
        if full:
            return outcomes, rounds
        fixed = bool((np.abs(found - table) <= margins).all())
        table = (float(found[0]), float(found[1]), float(found[2]), float(found[3]))


def _row(values: Sequence[float] | NDArray[np.float64]) -> str:
    return " / ".join(f"{value:.2f}" for value in values)


# ---------------------------------------------------------------- reporting


def report(settings: Settings, outcomes: dict[Pair, Outcomes]) -> dict[str, Any]:
    """Values with intervals, and how both sides did, JSON-ready."""
    states = solve_states(outcomes, lambda lines: lines.mean(axis=0))
    samples = resampled_states(outcomes, settings.seed)
    margins = 1.96 * values_of(samples).std(axis=0)
    lines = []
    for width in settings.played_by.widths:
        index = WIDTHS.index(width)
        outcome = outcomes[width, 0]
        count = len(outcome.points)
        stays = outcome.moves[:, 1:, :].sum(axis=(1, 2))
        lines.append(
            {
                "cards": width,
                "value": float(values_of(states)[index]),
                "margin": float(margins[index]),
                "points": float(outcome.points.mean()),
                "royalties": float(outcome.royalties[:, 0].mean()),
                "royalties_margin": float(1.96 * outcome.royalties[:, 0].std() / count**0.5),
                "stay_rate": float(stays.mean()),
                "stay_rate_margin": float(1.96 * stays.std() / count**0.5),
                "opponent_royalties": float(outcome.royalties[:, 1].mean()),
                "opponent_fouls": float(outcome.fouls.mean()),
                "opponent_entries": float(outcome.moves[:, :, 1:].sum(axis=(1, 2)).mean()),
            }
        )
    values = values_of(states)
    both = {
        f"{w} v {u}": {
            "value": float(states[STATES.index(w), STATES.index(u)]),
            "difference_of_values": float(values[WIDTHS.index(w)] - values[WIDTHS.index(u)]),
            "margin": float(1.96 * samples[:, STATES.index(w), STATES.index(u)].std()),
        }
        for w, u in settings.pairs
    }
    return {"widths": lines, "both_in_fantasyland": both}


def table_text(content: dict[str, Any]) -> str:
    """The report for people."""
    lines = ["cards     value          points  royalties  stays   opponent: royalties  fouls  enters"]
    for line in content["widths"]:
        lines.append(
            f"{line['cards']:>5}  {line['value']:6.2f} ± {line['margin']:.2f}  {line['points']:7.2f}  "
            f"{line['royalties']:9.2f}  {line['stay_rate']:5.1%}  {line['opponent_royalties']:19.2f}  "
            f"{line['opponent_fouls']:5.1%}  {line['opponent_entries']:6.1%}"
        )
    lines.append("both in fantasyland (the difference of the two values in brackets):")
    for name, pair in content["both_in_fantasyland"].items():
        lines.append(
            f"  {name}: {pair['value']:6.2f} ± {pair['margin']:.2f}  ({pair['difference_of_values']:.2f})"
        )
    return "\n".join(lines)


def plot(content: dict[str, Any], path: Path, agent: str) -> None:
    """Value, royalties and stay rate by width, with intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    panels = (
        ("value", "margin", "value of winning it, points"),
        ("royalties", "royalties_margin", "royalties a hand, points"),
        ("stay_rate", "stay_rate_margin", "share of hands that stay"),
    )
    figure, axes = pyplot.subplots(1, len(panels), figsize=(11, 3.6), layout="constrained")
    cards = [line["cards"] for line in content["widths"]]
    for axis, (key, margin, title) in zip(axes, panels, strict=True):
        heights = [line[key] for line in content["widths"]]
        axis.bar(
            cards, heights, yerr=[line[margin] for line in content["widths"]], color="#4878a8", capsize=4
        )
        axis.set_title(title)
        axis.set_xticks(cards)
        axis.set_xlabel("cards")
    figure.suptitle(f"fantasyland against normal play by {agent}")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def measure(settings: Settings, command: str) -> None:
    """Play, print the table and write JSON and PNG."""
    rules = settings.played_by
    if not rules.widths:
        raise ValueError(
            f"nobody wins a fantasyland under the rules {rules.name!r}: there is nothing to measure"
        )
    if settings.write and not VALUES.is_file():
        raise ValueError(f"there is no {VALUES} to write to: --write is for a checkout of the sources")
    first = settings.start or rules.fantasyland_values or RewardConfig.preset("equity").fantasyland_values
    start = (first[0], first[1], first[2], first[3])
    agents.make_valued(settings.agent, rules, start)  # a wrong name is refused before anything is played
    began = time.perf_counter()
    outcomes, rounds = find_table(settings, start)
    content = {
        "command": command,
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "seconds": time.perf_counter() - began,
        "agent": settings.agent,
        "rules": str(rules),
        "rounds": rounds,
        **report(settings, outcomes),
    }
    print(table_text(content))
    write_whole(settings.out, json.dumps(content, indent=2) + "\n")
    image = settings.out.with_suffix(".png")
    print(f"\nwritten to {settings.out} and {picture(lambda: plot(content, image, settings.agent), image)}")
    if settings.write:
        made = f"{command} ({commit() or 'no commit'})"
        write_values(VALUES, rules, [line["value"] for line in content["widths"]], made)
        print(f"{VALUES.name} says so of the rules {rules.name!r}: make build takes it in")


def write_values(path: Path, rules: Rules, values: Sequence[float], command: str) -> None:
    """Put the values of some rules into the core's table, in place of older ones."""
    name = rules.of_a_hand().name
    worth = dict(zip(rules.widths, values, strict=True))
    numbers = ", ".join(f"{worth.get(width, 0.0):.1f}" for width in WIDTHS)
    kept = [line for line in path.read_text().splitlines() if not line.startswith(f'{{"{name}", ')]
    with new_file(path) as partial:
        partial.write_text("\n".join([*kept, f'{{"{name}", {{{numbers}}}}},  // {command}']) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/fantasyland_value.py", *words])
    return run(
        lambda: measure(read(Settings, words, __doc__), command),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
