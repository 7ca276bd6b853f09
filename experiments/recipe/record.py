"""The record of a run: which steps are done, by which command, how long they took and what came of them.

`recipe.json` is written whole before and after every step, so that any kill leaves it true; `recipe.md` is
the same for people.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from experiments.common.command_line import duration, write_json
from ofc_env.files import write_whole

BEGUN, DONE, LEFT_OUT = "begun", "done", "left out"


@dataclass
class Entry:
    """A step of the record."""

    name: str
    state: str
    words: list[str] = field(default_factory=list)  # its options, but for the number of processes
    command: str = ""  # as it was first run
    parts: list[float | None] = field(default_factory=list)  # seconds of each start; None: running or killed
    processor: float = 0.0  # seconds of all processes here; Ray's workers are not among them
    result: str = ""  # in a sentence; why, if it was left out

    @property
    def seconds(self) -> float:
        """What is known of the time it took."""
        return sum(part for part in self.parts if part is not None)

    @property
    def time(self) -> str:
        """The same for people."""
        killed = self.parts.count(None)
        if killed == len(self.parts):
            return "–"
        return duration(self.seconds) + (f", besides {killed} that ended in a kill" if killed else "")


@dataclass
class Record:
    """A run."""

    folder: Path
    settings: dict[str, Any]  # of experiments/champion.py, those that make the run what it is
    made_by: dict[str, Any]  # commit, and the champion before
    entries: list[Entry] = field(default_factory=list)
    verdict: dict[str, Any] = field(default_factory=dict)
    shipped: list[str] = field(default_factory=list)  # files

    @property
    def file(self) -> Path:
        """Where it is kept."""
        return self.folder / "recipe.json"

    @staticmethod
    def read(folder: Path) -> Record:
        """The record of a run that was begun."""
        try:
            content = json.loads((folder / "recipe.json").read_text())
            return Record(
                folder,
                content["settings"],
                content["made_by"],
                [Entry(**entry) for entry in content["steps"]],
                content["verdict"],
                content["shipped"],
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{folder} holds no run of the recipe ({error}): give the name of one, or leave out --resume"
            ) from None

    def entry(self, name: str) -> Entry | None:
        """A step, if it was begun."""
        return next((entry for entry in self.entries if entry.name == name), None)

    @property
    def commands(self) -> list[str]:
        """Of every step that was run, in order."""
        return [entry.command for entry in self.entries if entry.command]

    def write(self) -> None:
        """Both files."""
        write_json(
            self.file,
            {
                "settings": self.settings,
                "made_by": self.made_by,
                "steps": [asdict(entry) for entry in self.entries],
                "seconds": round(sum(entry.seconds for entry in self.entries), 1),
                "verdict": self.verdict,
                "shipped": self.shipped,
            },
        )
        write_whole(self.folder / "recipe.md", self.text())

    def text(self) -> str:
        """As Markdown."""
        told = ", ".join(
            f"{name} {value}" for name, value in self.settings.items() if value not in (None, "")
        )
        before = self.made_by["before"] or "none: no network was shipped for the rules"
        lines = [
            f"# Recipe of the run {self.folder.name}",
            "",
            f"Settings: {told}. Commit {self.made_by['commit'] or 'unknown'}. Champion before: {before}.",
            "",
            "| step | state | time | processor time | result |",
            "|---|---|---|---|---|",
            *(
                f"| {each.name} | {each.state} | {each.time} | {duration(each.processor)} | {each.result} |"
                for each in self.entries
            ),
            "",
            f"{duration(sum(entry.seconds for entry in self.entries))} in all. The command of every step:",
            "",
            "```",
            *self.commands,
            "```",
        ]
        if self.verdict:
            lines += ["", f"Verdict: {self.verdict['sentence']}."]
        if self.shipped:
            lines += ["", f"Shipped: {', '.join(self.shipped)}."]
        return "\n".join(lines) + "\n"
