"""What a protocol measured: a report that anybody can check, and tables for people (docs/benchmark.md)."""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ofc_env
from agents.arena.estimates import Estimate
from agents.arena.protocol import PROTOCOLS, Measurement, Protocol
from experiments.benches.table import commit, figure
from experiments.common.pages import replace_block

Report = dict[str, Any]
YARDSTICK = "pimc:rollouts=300"  # times are told in its own, too: those hang less on the machine


def report_of(measured: Measurement) -> Report:
    """JSON-ready, without a word about the machine besides the times."""
    protocol = measured.protocol
    return {
        "protocol": protocol.name,
        "digest": protocol.digest(),
        "rehearsal": measured.rehearsal,
        "agent": measured.agent,
        "weights": measured.weights,
        "commit": commit(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": {
            "ofc_env": ofc_env.__version__,
            "python": platform.python_version(),
            "numpy": version("numpy"),
        },
        "rules": protocol.rules,
        "seeds": {"hands": protocol.seed, "sessions": protocol.session_seed},
        "judge": protocol.network,
        "against": {
            encounter.opponent: {
                "hands": _without_luck(encounter.hands.to_dict()),
                "sessions": _without_luck(encounter.sessions.to_dict()),
            }
            for encounter in measured.encounters
        },
    }


def _without_luck(result: Report) -> Report:
    return {name: part for name, part in result.items() if name != "luck"}


# ---------------------------------------------------------------- one agent


def text_of(report: Report) -> str:
    """A report as Markdown."""
    weights = ", ".join(f"{name} (sha256 {digest[:16]}…)" for name, digest in report["weights"].items())
    hands = next(iter(report["against"].values()))["hands"]
    sessions = next(iter(report["against"].values()))["sessions"]
    lines = [
        f"# `{report['agent']}` by protocol {report['protocol']}"
        + (" — a rehearsal, not the protocol" if report["rehearsal"] else ""),
        "",
        f"Commit {report['commit'] or 'unknown'}, {report['date']}, ofc_env {report['versions']['ofc_env']}; "
        f"weights: {weights or 'none'}. 95 % intervals, from the agent's side.",
        "",
        f"{hands['deals']:,} duplicate deals against each, seed {hands['seed']}:",
        "",
        "| against | equity | luck taken out | points | seat | foul | FL entry | royalties | ms a decision "
        f"| times `{YARDSTICK}` |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for opponent, found in report["against"].items():
        result = found["hands"]
        side = result["sides"][0]
        for seat, name in (("both", "overall"), ("button", "button"), ("other", "second")):
            head = [f"`{opponent}`", *(_estimate(result[key]) for key in ("equity", "adjusted", "points"))]
            time_cells = [figure(1000 * side["seconds_per_decision"]), _relative(report, side)]
            cells = head if seat == "both" else [""] * 4
            cells += [seat, *_habits(side[name])]
            cells += time_cells if seat == "both" else ["", ""]
            lines.append(_line(cells))
    lines += [
        "",
        f"{sessions['sessions']:,} duplicate sessions against each, seed {sessions['seed']}:",
        "",
        "| against | sessions won | chips a session | luck taken out | hands a session | foul | FL entry "
        "| royalties |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for opponent, found in report["against"].items():
        result = found["sessions"]
        cells = [f"`{opponent}`", _share(result["wins"])]
        cells += [_estimate(result["chips"], 1), _estimate(result["adjusted"], 1)]
        cells += [_estimate(result["hands"], 1, False), *_habits(result["sides"][0]["overall"])]
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _known(found: Report) -> Estimate:
    mean, error = (math.nan if found[key] is None else found[key] for key in ("mean", "error"))
    return Estimate(mean, error, found["count"])


def _estimate(found: Report, digits: int = 2, sign: bool = True) -> str:
    return _known(found).text(digits, sign)


def _share(found: Report) -> str:
    return f"{_known(found).scaled(100).text(0, sign=False)} %"


def _habits(rates: Report) -> list[str]:
    """Foul, fantasyland entry and royalties of a seat."""
    shares = [f"{100 * rates[name]['mean']:.1f} %" for name in ("foul", "fantasyland")]
    return [*shares, f"{rates['royalties']['mean']:.2f}"]


def _relative(report: Report, side: Report) -> str:
    """The time of a decision, in that of the yardstick on the same machine."""
    yardstick = report["against"][YARDSTICK]["hands"]["sides"][1]["seconds_per_decision"]
    return figure(side["seconds_per_decision"] / yardstick)


# ---------------------------------------------------------------- all agents


def read_reports(folder: Path, protocol: Protocol) -> list[Report]:
    """The reports of a folder, strongest first: by what is won from the last opponent, luck taken out."""
    reports = []
    for path in sorted(folder.glob("*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        if report.get("digest") != protocol.digest():
            raise ValueError(f"{path} is no report of protocol {protocol.name}: take it out of the folder")
        counts = {
            (found["hands"]["deals"], found["sessions"]["sessions"]) for found in report["against"].values()
        }
        if report["rehearsal"] or counts != {(protocol.deals, protocol.sessions)}:
            raise ValueError(f"{path} is of a rehearsal: measure the agent by the whole protocol")
        reports.append(report)
    if not reports:
        raise ValueError(f"{folder} has no reports: put the JSON files of --protocol {protocol.name} there")
    last = protocol.opponents[-1].name
    return sorted(reports, key=lambda report: -report["against"][last]["hands"]["adjusted"]["mean"])


def tables_of(reports: Sequence[Report], protocol: Protocol) -> str:
    """All agents side by side, as Markdown; those of one name, by different weights, are told apart."""
    names = [report["agent"] for report in reports]

    def label(report: Report) -> str:
        digests = ", ".join(digest[:8] for digest in report["weights"].values())
        return f"`{report['agent']}`" + (f" {digests}" if names.count(report["agent"]) > 1 else "")

    def table(title: str, cell: Callable[[Report], str]) -> list[str]:
        opponents = [opponent.name for opponent in protocol.opponents]
        lines = [f"**{title}**", "", _line(["agent", *(f"v `{name}`" for name in opponents)])]
        lines.append("|" + "---|" * (len(opponents) + 1))
        for report in reports:
            lines.append(_line([label(report), *(cell(report["against"][name]) for name in opponents)]))
        return [*lines, ""]

    lines = [
        *table("Equity a hand, luck taken out", lambda found: _estimate(found["hands"]["adjusted"])),
        *table("Equity a hand, plain", lambda found: _estimate(found["hands"]["equity"])),
        *table("Points a hand", lambda found: _estimate(found["hands"]["points"])),
        *table("Sessions won", lambda found: _share(found["sessions"]["wins"])),
        *table("Chips a session, luck taken out", lambda found: _estimate(found["sessions"]["adjusted"], 1)),
        "**How they play**: mean over the opponents, on the button / in the other seat",
        "",
        f"| agent | foul | FL entry | royalties | ms a decision | times `{YARDSTICK}` | weights | commit |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for report in reports:
        sides = [found["hands"]["sides"][0] for found in report["against"].values()]
        seconds = sum(side["seconds_per_decision"] for side in sides) / len(sides)
        pairs = []
        for name, factor, unit in (("foul", 100, " %"), ("fantasyland", 100, " %"), ("royalties", 1, "")):
            means = (
                factor * sum(side[seat][name]["mean"] for side in sides) / len(sides)
                for seat in ("button", "second")
            )
            pairs.append(" / ".join(f"{mean:.{1 if unit else 2}f}" for mean in means) + unit)
        relative = _relative(report, {"seconds_per_decision": seconds})
        weights = ", ".join(f"{name} {digest[:8]}" for name, digest in report["weights"].items()) or "none"
        cells = [label(report), *pairs, figure(1000 * seconds), relative, weights]
        lines.append(_line([*cells, report["commit"] or "unknown"]))
    lines += [
        "",
        f"{protocol.deals:,} duplicate deals and {protocol.sessions:,} duplicate sessions against each "
        "opponent, 95 % intervals.",
    ]
    return "\n".join(lines)


def write_tables(page: Path, name: str) -> None:
    """Write the tables of the reports beside a page (`PAGE/v1/*.json` without its ending) into it."""
    protocol = PROTOCOLS[name]
    body = tables_of(read_reports(page.with_suffix("") / name, protocol), protocol)
    page.write_text(replace_block(page.read_text(encoding="utf-8"), name, body), encoding="utf-8")
