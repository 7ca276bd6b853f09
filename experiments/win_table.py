"""Measure the chance to win a session, by chips and fantasylands: the table of the reward `win`.

    python experiments/win_table.py --processes 2
    python experiments/win_table.py --resume --hands 400000 --write

With --write the table becomes that of the `win` reward under these rules, in the core
(core/game/win_chances.inc); `make build` takes it in.

**Definition.** Between two hands of a session all that matters is who is ahead by how much, the fantasylands
`(w, u)` that the seats hold (0 for normal play) and the button. Let `W` be the chance of seat 0 to win. Over
hands of equal players

    W(lead, w, u, button) = E[ W(lead + points, w', u', other button) ]      1 or 0 where the session is over

with `w'` and `u'` what the hand leaves. A player that learned from single hands plays alike whatever the
chips, so the outcomes of hands, measured once for every `(w, u)`, serve all leads, and the equations give the
table with far less noise than counting won sessions would. Nothing is smoothed: neighbouring leads share
their hands. The table is the mean over the button, whose part is told beside it.

**Check.** Whole sessions of the same player against itself are played too (--sessions), and the sessions that
were won from each kind of standing are put beside what the table says.

Outcomes are kept in blocks as they are played (--out), so a run that was stopped goes on with --resume, also
with more hands. Intervals (95 %) come from resampling the blocks and solving the equations again.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.benches.table import commit
from experiments.common.command_line import picture, run
from experiments.common.options import read
from experiments.standings.equations import STATES, Block, Chances, Pair, mean_block, solve
from experiments.standings.outcomes import BLOCK, SESSIONS, Settings, Store, blocks_of, made, play_all
from ofc_env.files import new_file

TABLE = Path(__file__).parent.parent / "core" / "game" / "win_chances.inc"
REACH = 100  # leads that the core's table holds: chips above or below the start
RESAMPLES = 100


def resampled(blocks: dict[Pair, list[Block]], settings: Settings, first: Chances) -> Chances:
    """Tables over the button from blocks drawn anew, (resamples, 5, 5, leads)."""
    generator = np.random.default_rng(settings.seed)
    found = []
    for _ in range(RESAMPLES):
        means = {}
        for pair, parts in blocks.items():
            drawn = np.bincount(generator.integers(0, len(parts), len(parts)), minlength=len(parts))
            means[pair] = mean_block(parts, drawn / len(parts))
        found.append(solve(means, settings.played_by, first).mean(axis=2))
    return np.array(found)


def check_lines(store: Store, settings: Settings, table: Chances) -> list[dict[str, Any]]:
    """Standings met in sessions, by kind: how often they were won, and what the table says of them.

    A session's standings share its end, so the interval is over blocks of sessions.
    """
    kinds: dict[str, Callable[[int, int], bool]] = {
        "none": lambda w, u: not w and not u,
        "mine": lambda w, u: w > 0 and not u,
        "theirs": lambda w, u: not w and u > 0,
        "both": lambda w, u: w > 0 and u > 0,
    }
    bands = ((-10000, -20), (-20, -9), (-9, 0), (0, 1), (1, 10), (10, 21), (21, 10000))
    lines = []
    for kind, holds in kinds.items():
        for low, high in bands:
            counts, gaps, won, said = [], [], 0.0, 0.0
            for number in range(-(-settings.sessions // BLOCK)):
                count, gap = 0, 0.0
                for lead, w, u, winner in store.blocks[SESSIONS, number]:
                    if low <= lead < high and holds(int(w), int(u)):
                        chance = table[
                            STATES.index(int(w)), STATES.index(int(u)), int(lead) + settings.played_by.chips
                        ]
                        count, gap = count + 1, gap + winner - chance
                        won, said = won + winner, said + chance
                counts.append(count)
                gaps.append(gap)
            total = sum(counts)
            if total < 20:
                continue
            ratio = sum(gaps) / total
            errors = np.array(gaps) - ratio * np.array(counts)
            margin = 1.96 * float(np.sqrt((errors**2).sum())) / total
            lines.append(
                {
                    "fantasyland": kind,
                    "leads": [max(low, -settings.played_by.chips), min(high, settings.played_by.chips) - 1],
                    "standings": total,
                    "won": won / total,
                    "table": said / total,
                    "margin": margin,
                }
            )
    return lines


def names_of(widths: list[int]) -> list[Pair]:
    """The pairs of widths that the core's table holds; the rest follows by symmetry."""
    return [(w, u) for w in (0, *widths) for u in (0, *widths) if w >= u]


def table_text(content: dict[str, Any]) -> str:
    """The report for people."""
    shown = (-40, -30, -20, -15, -10, -5, 0, 5, 10, 15, 20, 30, 40)
    lines = ["chance to win, % (chips above the start: the gap is twice that)"]
    lines.append("mine theirs" + "".join(f"{lead:>+8}" for lead in shown))
    for row in content["rows"]:
        cells = []
        for lead in shown:
            at = lead + content["reach"]
            cells.append(f"{100 * row['chances'][at]:5.1f}±{100 * row['margins'][at]:.1f}")
        lines.append(f"{row['mine']:>4} {row['theirs']:>6}" + "".join(f"{cell:>10}" for cell in cells))
    lines.append(
        f"with the button at even chips {100 * content['button']:.1f} %; a chip there is worth a point where "
        f"winning for certain is worth {content['even_points']:.1f} more than an even chance"
    )
    if content["check"]:
        lines.append(
            "sessions: standings, share won, what the table says (the interval is of the difference)"
        )
    for line in content["check"]:
        lines.append(
            f"  fantasyland {line['fantasyland']:<6} leads {line['leads'][0]:>+5} to {line['leads'][1]:>+5}: "
            f"{line['standings']:>6}  {100 * line['won']:5.1f} %  {100 * line['table']:5.1f} % "
            f"± {100 * line['margin']:.1f}"
        )
    return "\n".join(lines)


def report(settings: Settings, store: Store) -> dict[str, Any]:
    """The table with intervals and its check, JSON-ready."""
    rules = settings.played_by
    blocks = blocks_of(store, settings)
    means = {pair: mean_block(parts, np.full(len(parts), 1 / len(parts))) for pair, parts in blocks.items()}
    chances = solve(means, rules)
    table = chances.mean(axis=2)
    margins = 1.96 * resampled(blocks, settings, chances).std(axis=0)
    leads = np.clip(np.arange(-REACH, REACH + 1), -rules.chips, rules.chips) + rules.chips
    rows = []
    for w, u in names_of(rules.widths):
        at = STATES.index(w), STATES.index(u)
        rows.append(
            {
                "mine": w,
                "theirs": u,
                "chances": [round(float(chance), 5) for chance in table[at][leads]],
                "margins": [round(float(margin), 5) for margin in margins[at][leads]],
            }
        )
    quarter = rules.stop_gap // 4
    return {
        "reach": REACH,
        "rows": rows,
        "button": float(chances[0, 0, 0, rules.chips]),
        "even_points": float(quarter / (2 * table[0, 0, rules.chips + quarter] - 1)) if quarter else None,
        "steps_down": int((np.diff(table, axis=2) < -1e-9).sum()),
        "check": check_lines(store, settings, table),
    }


def plot(content: dict[str, Any], path: Path, agent: str) -> None:
    """The chance by lead for some pairs of widths, with intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    leads = np.arange(-content["reach"], content["reach"] + 1)
    for row in content["rows"]:
        if row["theirs"] and row["mine"] != row["theirs"]:
            continue
        if row["theirs"] and row["theirs"] != 14:
            continue
        chances, margins = np.array(row["chances"]), np.array(row["margins"])
        label = f"{row['mine'] or 'no'} cards v {row['theirs'] or 'none'}"
        line = axes.plot(leads, 100 * chances, label=label)[0]
        axes.fill_between(
            leads, 100 * (chances - margins), 100 * (chances + margins), alpha=0.2, color=line.get_color()
        )
    axes.set_xlim(-70, 70)
    axes.set_xlabel("chips above the start (half the gap)")
    axes.set_ylabel("chance to win the session, %")
    axes.set_title(f"{agent} against itself, by the fantasyland that it holds (95 % interval)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    with new_file(path) as partial:
        figure.savefig(partial, dpi=110)


def core_lines(content: dict[str, Any]) -> str:
    """The entry of the core's table: chances in ten-thousandths."""
    rows = []
    for row in content["rows"]:
        numbers = ",".join(str(round(10000 * chance)) for chance in row["chances"])
        rows.append(f"  {{{row['mine']}, {row['theirs']}, {{{numbers}}}}},\n")
    made_by = f"{content['command']} ({content['commit']})"
    return f'{{"{content["name"]}", {{{{  // {made_by}\n{"".join(rows)}}}}}}},\n'


def write_core(content: dict[str, Any]) -> None:
    """Put the table in the place of the one that the core has for these rules, or behind the others."""
    text = TABLE.read_text()
    begin = text.find(f'{{"{content["name"]}", {{{{')
    if begin >= 0:
        end = text.index("}}},\n", begin) + len("}}},\n")
        text = text[:begin] + core_lines(content) + text[end:]
    else:
        text += core_lines(content)
    with new_file(TABLE) as partial:
        partial.write_text(text)


def measure(settings: Settings, command: str) -> None:
    """Play, print the table and write JSON and PNG."""
    rules = settings.played_by
    if settings.write and not TABLE.is_file():
        raise ValueError(f"there is no {TABLE} to write to: --write is for a checkout of the sources")
    made(settings.agent, rules)  # a wrong name is refused before anything is played
    store = Store(settings)
    play_all(settings, store)
    content = {
        "command": command,
        "commit": commit() or "no commit",
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "agent": settings.agent,
        "name": rules.name,
        "rules": str(rules),
        **report(settings, store),
    }
    print(table_text(content))
    with new_file(settings.out) as partial:
        partial.write_text(json.dumps(content) + "\n")
    image = settings.out.with_suffix(".png")
    print(f"\nwritten to {settings.out} and {picture(lambda: plot(content, image, settings.agent), image)}")
    if settings.write:
        write_core(content)
        print(f"{TABLE.name} says so of the rules {rules.name!r}: make build takes it in")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    command = shlex.join(["python", "experiments/win_table.py", *words])
    return run(
        lambda: measure(read(Settings, words, __doc__), command),
        when_stopped="stopped: the same command with --resume goes on from here",
    )


if __name__ == "__main__":
    sys.exit(main())
