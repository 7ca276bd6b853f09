"""Two runs of `make bench` beside each other: `make bench ARGS="--against FILE"`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.benches.table import Measurement, columns, figure

LEAST_NOISE = 0.05  # two runs on a quiet machine differ by as much


@dataclass(frozen=True)
class Comparison:
    """One row in both runs."""

    name: str
    title: str
    unit: str
    before: float
    now: float
    ratio: float  # how many times better than before: above 1 is better, whatever the unit
    noise: float  # change that the spreads of both runs explain, as a share
    verdict: str  # better, worse, or "" within the noise


def read_report(path: Path) -> dict[str, Any]:
    """What an earlier run wrote; anything else is refused with a sentence."""
    try:
        report: Any = json.loads(path.read_text())
        if not all({"name", "value"} <= row.keys() for row in report["rows"]):
            raise KeyError("rows")
    except FileNotFoundError:
        raise ValueError(f"there is no report at {path}: give a file that make bench has written") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is not a report of make bench: give a file that it has written") from None
    checked: dict[str, Any] = report
    return checked


def compare(measurements: Sequence[Measurement], earlier: dict[str, Any]) -> list[Comparison]:
    """The rows that both runs have measured."""
    rows = {row["name"]: row for row in earlier["rows"] if row["value"] is not None}
    found = []
    for item in measurements:
        if item.value is None or item.name not in rows:
            continue
        row = rows[item.name]
        ratio = row["value"] / item.value if item.most else item.value / row["value"]
        noise = max(LEAST_NOISE, item.spread + row.get("spread", 0.0))
        verdict = "better" if ratio > 1 + noise else "worse" if ratio < 1 / (1 + noise) else ""
        found.append(
            Comparison(item.name, item.title, item.unit, row["value"], item.value, ratio, noise, verdict)
        )
    return found


def comparison_table(comparisons: Sequence[Comparison], earlier: dict[str, Any], path: Path) -> str:
    """Both values, the ratio, and a mark where the change is beyond the noise."""
    lines = [("what", "before", "now", "ratio", "noise", "")]
    for item in comparisons:
        before, now = (f"{figure(value)} {item.unit}" for value in (item.before, item.now))
        noise = f"± {100 * item.noise:.0f} %"
        mark = item.verdict.upper() if item.verdict == "worse" else item.verdict
        lines.append((item.title, before, now, f"{item.ratio:.2f}", noise, mark))
    made = ", ".join(str(earlier[name]) for name in ("date", "commit", "processor") if earlier.get(name))
    return f"against {path} ({made}); a ratio above 1 is better\n" + columns(lines, right=(1, 2, 3, 4))


def with_comparison(
    report: dict[str, Any], comparisons: Sequence[Comparison], earlier: dict[str, Any], path: Path
) -> dict[str, Any]:
    """The report of this run with the whole earlier one in it."""
    before = {name: content for name, content in earlier.items() if name != "against"}
    return {
        **report,
        "against": {"file": str(path), "report": before, "rows": [asdict(item) for item in comparisons]},
    }
