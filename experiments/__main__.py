"""What there is to run: the scripts with a line each; `show FILE` says what a file is.

python experiments/
python experiments/ show agents/weights/alphazero.safetensors
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from experiments.common.command_line import run
from experiments.common.show import describe

FOLDER = Path(__file__).parent
GROUPS = {
    "train": (
        "champion",
        "alphazero",
        "behaviour_cloning",
        "improve",
        "pretraining",
        "ppo",
        "ppo_compare",
    ),
    "measure": (
        "benchmark",
        "ablation",
        "regret",
        "convergence",
        "exploitability",
        "diagnoses",
        "network_errors",
        "hindsight",
        "calibrate_levels",
        "calibrate_judge",
        "calibrate_rating",
        "reliability",
        "fantasyland_value",
        "fantasyland_boards",
        "win_table",
        "tune_heuristic",
        "bench",
        "bench_server",
        "figures",
    ),
    "data": (
        "generate_log",
        "export_logs",
        "export_minari",
        "preprocess",
        "convert_selfplay",
        "export_onnx",
        "ppo_zip",
    ),
    "play": ("play", "analyze", "analyze_log", "openings"),
}


def listing() -> str:
    """Every script with the first sentence of its page."""
    width = max(len(name) for names in GROUPS.values() for name in names)
    lines = ["python experiments/NAME.py, each with its own --help:"]
    for group, names in GROUPS.items():
        lines += ["", group]
        for name in names:
            page = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""
            lines.append(f"  {name:<{width}}  {page.partition(chr(10))[0]}")
    lines += [
        "",
        "python experiments/ show FILE",
        "  what a file is: weights, a log, a match, a training set, a run",
    ]
    return "\n".join(lines)


def answer(words: list[str]) -> None:
    """List the scripts, or describe files."""
    if not words or words[0] in ("-h", "--help"):
        print(listing())
    elif words[0] != "show":
        raise ValueError(f"there is no command {words[0]!r}: use show FILE, or none for a list of scripts")
    elif len(words) == 1:
        raise ValueError("show says what a file is: give one, such as agents/weights/alphazero.safetensors")
    else:
        for name in words[1:]:
            print(describe(Path(name)))


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: answer(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
