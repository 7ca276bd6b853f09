"""What a file of this program is: its kind, its sizes, how it was made. Needs no torch."""

from __future__ import annotations

import gzip
import json
import math
import sqlite3
from pathlib import Path
from typing import Any

from agents.networks import files
from ofc_env import Rules
from ofc_env.records.lines import count_turns, iter_table

# What the kinds of weights files are.
KINDS = {
    "afterstate": 'a network of alphazero, plays as "alphazero:checkpoint={}"',
    "placements": 'a policy of PPO that judges placements, plays as "ppo:weights={}"',
    "policy": "a policy network over slots: of bc in a folder with its value, or of PPO",
    "value": "a value network of bc: royalties, fouls and fantasyland",
}


def describe(path: Path) -> str:
    """A few lines that say what a file or a folder is."""
    if path.is_dir():
        lines = _folder(path)
    elif not path.is_file():
        raise ValueError(f"there is no file {path}: give the path of one")
    elif path.suffix == ".safetensors":
        lines = _weights(path)
    else:
        with path.open("rb") as file:
            begin = file.read(16)
        if begin.startswith(b"SQLite format 3"):
            lines = _database(path)
        elif begin.startswith(b"\x1f\x8b") or begin.lstrip().startswith(b"{"):
            lines = _lines(path)
        else:
            lines = []
    if not lines:
        raise ValueError(f"{path} is of no known kind: give weights, a log, a match, a training set or a run")
    return "\n".join([f"{path}: {lines[0]}", *(f"  {line}" for line in lines[1:])])


# ---------------------------------------------------------------- weights


def _weights(path: Path) -> list[str]:
    found = files.describe(path)
    numbers = sum(math.prod(shape) for shape in found.shapes.values())
    lines = [KINDS[found.kind].format(path), f"kind: {found.kind}"]
    lines.append(f"sizes: {numbers:,} numbers in {len(found.shapes)} tensors; {_plain(found.config)}")
    lines.append(f"rules: {found.rules.name}")
    # What a trainer noted stands as text, or as JSON under one name.
    told: dict[str, Any] = dict(found.notes)
    inner = _json(told.pop("settings", ""))
    told = {**inner, **told} if isinstance(inner, dict) else told
    commands = told.pop("commands", None) or [told.pop("command", "not said")]
    lines += [f"command: {command}" for command in commands]
    lines += _matches(told.pop("matches", None))
    for name in ("hands", "steps", "rounds", "date", "evaluation", "source", "reward", "seed"):
        if name in told:
            lines.append(f"{name}: {_plain(told[name])}")
    return lines


def _matches(found: Any) -> list[str]:
    if not isinstance(found, list):
        return [f"matches: {found or 'not said'}"]
    return [
        f"match: {' v '.join(match['agents'])}: equity {match['equity']:+.2f} ± {match['margin']:.2f} "
        f"over {match['deals']} deals"
        for match in found
    ]


def _json(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None


def _plain(text: Any) -> str:
    """JSON as words."""
    value = text if isinstance(text, dict) else _json(text)
    if not isinstance(value, dict):
        return str(text)
    return ", ".join(
        f"{name} {each:.4g}" if isinstance(each, float) else f"{name} {each}" for name, each in value.items()
    )


# ---------------------------------------------------------------- logs, matches, folders


def _database(path: Path) -> list[str]:
    try:
        sessions = [dict(row) for row in iter_table(path, "SELECT rules, hands_played FROM sessions")]
        turns = count_turns(path)
    except (ValueError, sqlite3.Error):
        return []
    hands = sum(row["hands_played"] or 0 for row in sessions)
    rules = sorted({_rules(row["rules"]) for row in sessions})
    return [
        "a log database",
        f"{len(sessions):,} sessions, {hands:,} hands of finished sessions, {turns:,} turns",
        *(f"rules: {each}" for each in rules),
        "export it with python experiments/export_logs.py",
    ]


def _lines(path: Path) -> list[str]:
    """A log export, the results of a match, or a JSON file of a script."""
    count, hands, players, rules = 0, set(), set(), set()
    try:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
            first = json.loads(file.readline())
            if isinstance(first, dict) and {"kind", "agents", "seed"} <= set(first):
                return _match(first, [json.loads(line) for line in file if line.endswith("\n")])
            if isinstance(first, dict) and first.get("kind") == "regret":
                return _judged(first, sum(line.endswith("\n") for line in file))
            if not isinstance(first, dict) or "hand_id" not in first:
                return []
            for line in [json.dumps(first), *file]:
                turn = json.loads(line)
                count += 1
                hands.add((turn.get("session_id"), turn["hand_id"]))
                players.add(turn.get("player"))
                rules.add(turn.get("rules", ""))
        told = sorted({_rules(each) for each in rules})
    except json.JSONDecodeError:
        return _report(path) if not count else []
    except (OSError, EOFError, KeyError, ValueError, TypeError):
        return []
    return [
        "a log in JSON lines, a line for each turn",
        f"{count:,} turns of {len(hands):,} hands, players {', '.join(sorted(map(str, players)))}",
        *(f"rules: {each}" for each in told),
        "turn it into arrays with python experiments/preprocess.py",
    ]


def _judged(identity: dict[str, Any], decisions: int) -> list[str]:
    return [
        f"decisions of {identity['agent']}, judged by the referee",
        f"{decisions:,} decisions, seed {identity['seed']}",
        f"rules: {_rules(identity['rules'])}",
        "read what their placements are worth with experiments.referee.labels.read_labels",
    ]


def _match(identity: dict[str, Any], chunks: list[dict[str, Any]]) -> list[str]:
    deals = sum(len(next(iter(chunk["results"].values()))) for chunk in chunks)
    return [
        f"a match of {' v '.join(identity['agents'])}, {identity['kind']}",
        f"{deals:,} deals, seed {identity['seed']}",
        f"rules: {_rules(identity.get('rules', ''))}",
    ]


def _rules(text: str) -> str:
    """Rules in few words: the nearest preset, and what differs."""
    return Rules.parse(text).name if text else "not said, so house"


def _report(path: Path) -> list[str]:
    """The JSON of a script."""
    try:
        content = json.loads(path.read_text())
    except (ValueError, OSError):
        return []
    if not isinstance(content, dict) or not {"machine", "command", "config", "rows"} & set(content):
        return []
    told = [f"command: {content['command']}"] if "command" in content else []
    return ["a report of a script", *told, f"holds {', '.join(content)}"]


def _folder(path: Path) -> list[str]:
    if (path / "metadata.json").is_file():
        metadata = _json((path / "metadata.json").read_text())
        if isinstance(metadata, dict) and str(metadata.get("format", "")).startswith("ofc-training-set"):
            counts = metadata["counts"]
            return [
                f"a training set, {metadata['format']}",
                f"{counts['rows']:,} rows of {counts['hands']:,} hands, {counts['refused_hands']:,} left out",
                f"players {', '.join(metadata['players'])}",
                f"rules: {_rules(metadata['rules'])}",
            ]
    weights = sorted(each.name for each in path.glob("*.safetensors"))
    held = f"weights: {', '.join(weights) or 'none yet'}"
    recipe = _json((path / "recipe.json").read_text()) if (path / "recipe.json").is_file() else None
    if isinstance(recipe, dict):
        steps = [f"{step['name']}, {step['state']}: {step['result']}" for step in recipe["steps"]]
        verdict = recipe["verdict"].get("sentence", "none yet")
        return ["a run of experiments/champion.py", *steps, f"verdict: {verdict}", f"go on: --resume {path}"]
    settings = _json((path / "config.json").read_text()) if (path / "config.json").is_file() else None
    if isinstance(settings, dict) and "config" in settings:
        command = f"command: {settings.get('command', 'not said')}"
        return ["a run of experiments/alphazero.py", command, *_rounds(path), held, f"go on: --resume {path}"]
    if isinstance(settings, dict) and "rollout" in settings:
        return [
            "a run of experiments/ppo.py",
            f"network {settings['network']}, reward {settings['reward']}, {settings['steps']:,} steps in all",
            f"rules: {_rules(settings.get('rules', ''))}",
            held,
            f"go on: --resume {path}",
        ]
    if (path / "evaluation.json").is_file() and weights:
        evaluation = _json((path / "evaluation.json").read_text()) or {}
        command = f"command: {evaluation.get('command', 'not said')}"
        return ["a cloned player of experiments/behaviour_cloning.py", command, held]
    if (path / "matches").is_dir():
        matches = len(list((path / "matches").glob("*.jsonl")))
        return ["results of matches", f"{matches} matches, gone on with by --resume {path}"]
    return []


def _rounds(path: Path) -> list[str]:
    curve = _json((path / "curve.json").read_text()) if (path / "curve.json").is_file() else None
    if not isinstance(curve, dict):
        return ["not finished yet"]
    return [f"{len(curve['curve'])} rounds, {curve['hands']:,} hands", *_matches(curve.get("matches"))]
