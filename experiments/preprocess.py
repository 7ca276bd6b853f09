"""Turn an exported log into arrays for training.

    python experiments/preprocess.py turns.jsonl.gz --out data/all
    python experiments/preprocess.py games.db --out data/ann --player ann

Every hand is replayed through the engine. A hand with an impossible line is left out whole, because neither
its other lines nor its outcome can be trusted; each refusal is written to `refused.jsonl` with its line
number and reason, and counted in `metadata.json`. Arrays, an entry per decision (an opening has two, or one
after slot 58):

    states.npy (N, 490) float32     actions.npy (N,) int64      valid_masks.npy (N, 150) int8
    royalties.npy (N,) float32      busted.npy (N,) bool        fl_entry.npy (N,) bool
    points.npy (N,) float32         fl_won.npy (N, 2) int8
    session_index.npy, hand_index.npy, player_index.npy (N,) int32     turn.npy (N,) int8

The outcomes are those of the mover's own board at the end of the hand; `points` is what the hand brought the
mover (NaN where a log of one player does not show the opponent's board), `fl_won` the cards of the
fantasyland that mover and opponent won. The names behind the indices are in
`metadata.json` (sessions, players) and `hands.json`.

A set holds hands of one kind of rules, which stand in `metadata.json`: those of the log, or of a log that
mixes them those that --rules chooses. Chips, the stopping rule and clocks may differ: they are no part of a
hand.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

import ofc_env
from agents.arena.progress import tracked
from experiments.common.command_line import run
from experiments.common.options import SAMPLE, option, read, rules_option
from experiments.logs.hands import Line, LoggedHand
from experiments.logs.lines import LineError
from experiments.logs.npy_writer import NpyWriter
from experiments.logs.replay import HandError, RowBuffer, replay_hand
from experiments.logs.sources import logged_hands, numbered_lines
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, Rules
from ofc_env.files import new_folder

FORMAT = "ofc-training-set-1"
NOT_IN_0_1 = {"points": np.nan, "fl_won": 0}  # what they are in sets of version 0.1, which lack them
ROWS_AT_ONCE = 4096  # 10 MB

ARRAYS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "states": (np.float32, (OBSERVATION_SIZE,)),
    "actions": (np.int64, ()),
    "valid_masks": (np.int8, (NUM_ACTIONS,)),
    "royalties": (np.float32, ()),
    "busted": (np.bool_, ()),
    "fl_entry": (np.bool_, ()),
    "points": (np.float32, ()),
    "fl_won": (np.int8, (2,)),
    "session_index": (np.int32, ()),
    "hand_index": (np.int32, ()),
    "player_index": (np.int32, ()),
    "turn": (np.int8, ()),
}


@dataclass
class Counts:
    """What became of every line: `lines` is the sum of all below it but rows and hands."""

    lines: int = 0
    blank_lines: int = 0
    used_turns: int = 0
    timeouts: int = 0  # placed by the server; replayed, but no decision of the player
    refused_lines: int = 0  # impossible lines
    dropped_lines: int = 0  # possible lines of a hand that was left out
    others_lines: int = 0  # of players who were not asked for; replayed, where the player's hand needs them
    repeated_lines: int = 0  # of hands that an earlier log holds
    settings_lines: int = 0  # of fantasyland hands: replayed, but no turns
    rows: int = 0
    hands: int = 0
    refused_hands: int = 0
    unfinished_hands: int = 0  # among the refused


class Preprocessor:
    """Reads lines, replays hands, writes arrays into a folder.

    Attributes:
        rules: of the hands that are taken; those of the first one if nothing else is asked for.
        others: how many hands of other rules were left out, by the rules' names.
    """

    def __init__(
        self, folder: Path, rules: Rules | None, player: str | None, timeouts: bool, stack: ExitStack
    ) -> None:
        self.rules = rules
        self.player = player
        self.others: dict[str, int] = {}
        self.timeouts = timeouts
        self.counts = Counts()
        self.sessions: dict[str, int] = {}
        self.players: dict[str, int] = {}
        self.hand_ids: list[str] = []
        self._rows = RowBuffer(ROWS_AT_ONCE)
        self._hand_indices: list[int] = []
        self._writers = {
            name: stack.enter_context(NpyWriter(folder / f"{name}.npy", dtype, shape))
            for name, (dtype, shape) in ARRAYS.items()
        }
        self._refused: TextIO = stack.enter_context((folder / "refused.jsonl").open("w"))
        self._several = False  # logs: then refusals name theirs

    def read(self, logs: Sequence[Path], progress: bool) -> None:
        """All lines of some logs."""
        self._several = len(logs) > 1

        def lines(log: Path) -> Iterator[tuple[int, Line]]:
            for number, line in tracked(numbered_lines(log), "preprocess", unit="turns", shown=progress):
                self.counts.lines += 1
                self.counts.blank_lines += not isinstance(line, LineError) and not line.strip()
                yield number, line

        def repeated(hand: LoggedHand) -> None:
            self.counts.repeated_lines += len(hand.lines)

        for hand in logged_hands(logs, self._refuse_line, lines, repeated):
            self._add(hand)
        self._flush()

    def _refuse_line(self, log: Path, number: int, error: LineError) -> None:
        self.counts.refused_lines += 1
        self._report(log, number, error.hand, str(error))

    def _add(self, hand: LoggedHand) -> None:
        """Replay a hand and keep its decisions, or leave it out whole."""
        turns, before = hand.turns, len(self._rows)
        try:
            hand.verify()
            others = sum(self.player not in (None, turn.player) for turn in turns)
            if others == len(turns):
                self.counts.others_lines += others
                self.counts.settings_lines += len(hand.settings)
                return
            if not self._takes(hand.rules):
                self.counts.dropped_lines += len(hand.lines)
                return
            left_out = replay_hand(turns, self._rows, self.timeouts, self.player, hand.settings)
        except HandError as error:
            self._refuse_hand(hand, error)
            return
        self._hand_indices += [len(self.hand_ids)] * (len(self._rows) - before)
        self.hand_ids.append(turns[0].hand_id)
        self.counts.hands += 1
        self.counts.settings_lines += len(hand.settings)
        self.counts.timeouts += left_out
        self.counts.others_lines += others
        self.counts.used_turns += len(turns) - others - left_out
        if not self._rows.has_room:
            self._flush()

    def _takes(self, rules: Rules) -> bool:
        """Whether hands of these rules belong to the set; those that do not are counted."""
        if self.rules is None:
            self.rules = rules.of_a_hand()
        if self.rules.same_hand(rules):
            return True
        name = rules.of_a_hand().name
        self.others[name] = self.others.get(name, 0) + 1
        return False

    def _refuse_hand(self, hand: LoggedHand, error: HandError) -> None:
        self.counts.refused_hands += 1
        if not error.told:
            self._report(hand.log, error.line, hand.key, str(error))
        if error.unfinished or error.told:
            self.counts.unfinished_hands += error.unfinished
            self.counts.dropped_lines += len(hand.lines)
        else:
            self.counts.refused_lines += 1
            self.counts.dropped_lines += len(hand.lines) - 1

    def _flush(self) -> None:
        """Write the rows gathered so far."""
        rows, count = self._rows, len(self._rows)
        turns = [decision.turn for decision in rows.decisions]
        sessions = [self.sessions.setdefault(turn.session_id, len(self.sessions)) for turn in turns]
        players = [self.players.setdefault(turn.player, len(self.players)) for turn in turns]
        chunk: dict[str, NDArray[Any]] = {
            "states": rows.states[:count],
            "actions": rows.actions[:count],
            "valid_masks": rows.masks[:count],
            "royalties": rows.royalties[:count],
            "busted": rows.busted[:count],
            "fl_entry": rows.fl_entry[:count],
            "points": rows.points[:count],
            "fl_won": rows.fl_won[:count],
            "session_index": np.array(sessions, dtype=np.int32),
            "hand_index": np.array(self._hand_indices, dtype=np.int32),
            "player_index": np.array(players, dtype=np.int32),
            "turn": np.array([turn.turn for turn in turns], dtype=np.int8),
        }
        for name, writer in self._writers.items():
            writer.append(chunk[name])
        self.counts.rows += count
        rows.clear()
        self._hand_indices.clear()

    def counted(self) -> dict[str, int]:
        """The counts; those of other players, repeated hands and settings where there can be any."""
        hidden = {"others_lines"} if self.player is None else set()
        hidden |= set() if self.counts.settings_lines else {"settings_lines"}
        hidden |= set() if self._several else {"repeated_lines"}
        return {name: count for name, count in asdict(self.counts).items() if name not in hidden}

    def _report(self, log: Path | None, number: int, hand: tuple[str, str] | None, reason: str) -> None:
        entry: dict[str, Any] = {"line": number, "hand_id": hand[1] if hand else None, "reason": reason}
        if self._several:
            entry["log"] = str(log)
        self._refused.write(json.dumps(entry) + "\n")


def preprocess(
    log: Path | Sequence[Path],
    output: Path,
    *,
    rules: Rules | None = None,
    player: str | None = None,
    timeouts: bool = False,
    overwrite: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Make a training set of a log.

    Args:
        log: a database, or JSONL, gzipped if its name ends in .gz; or several. A hand that stands in several
            is taken once.
        output: a folder that appears when it is complete.
        rules: take only hands that were played by them; None: the log's own, which are one kind.
        player: only this player's decisions become rows; None: everybody's.
        timeouts: whether turns that the server placed become rows too.
        overwrite: whether `output` may replace a folder of that name.

    Returns:
        The contents of its metadata.json.
    """
    logs = [log] if isinstance(log, Path) else list(log)
    source = ", ".join(each.name for each in logs)
    for each in logs:
        numbered_lines(each)  # a file that is not there is refused before any work
    start = time.perf_counter()
    with new_folder(output, overwrite) as folder:
        with ExitStack() as stack:
            work = Preprocessor(folder, rules, player, timeouts, stack)
            work.read(logs, progress)
        played_by = (work.rules or Rules()).of_a_hand()
        _verify_one_kind(", ".join(map(str, logs)), rules, played_by, work)
        metadata = {
            "format": FORMAT,
            "version": ofc_env.__version__,
            "source": source,
            "rules": str(played_by),
            "other_rules": work.others,
            "timeouts_included": timeouts,
            "counts": work.counted(),
            "arrays": {
                name: {"dtype": np.dtype(dtype).name, "shape": [work.counts.rows, *shape]}
                for name, (dtype, shape) in ARRAYS.items()
            },
            "players": list(work.players),
            "sessions": list(work.sessions),
        }
        (folder / "metadata.json").write_text(json.dumps(metadata, indent=1, ensure_ascii=False) + "\n")
        (folder / "hands.json").write_text(json.dumps(work.hand_ids, ensure_ascii=False) + "\n")
    turns, seconds = work.counts.lines, time.perf_counter() - start
    print(f"{output}: {work.counts.rows} rows of {work.counts.hands} hands ({turns / seconds:,.0f} lines/s)")
    return metadata


def _verify_one_kind(log: str, asked: Rules | None, taken: Rules, work: Preprocessor) -> None:
    """Refuse a log that mixes rules if nobody has chosen, and one that has nothing of those chosen."""
    if not work.others:
        return
    found = ", ".join(f"{name!r} ({hands} hands)" for name, hands in work.others.items())
    if asked is None:
        raise ValueError(
            f"{log} mixes rules, {taken.name!r} ({work.counts.hands} hands), {found}: "
            "choose those to take with --rules TEXT"
        )
    if not work.counts.hands:
        raise ValueError(
            f"{log} has no hand that was played by the rules {taken.name!r}: it has {found}, "
            "which --rules TEXT takes"
        )


@dataclass(frozen=True)
class Config:
    """What is read, and by which rules."""

    log: Path = option(
        SAMPLE,
        "a log database, or JSONL of experiments/export_logs.py, plain or .gz",
        positional=True,
        shown="the shipped sample, some 3,000 hands of alphazero",
    )
    out: Path = option(
        Path("runs/data"), "folder for the arrays", metavar="FOLDER", old=("--output",), old_position=True
    )
    rules: str = rules_option("those of the log, if it has one kind")
    player: str | None = option(None, "only this player's decisions", metavar="NAME", shown="everybody's")
    timeouts: bool = option(False, "keep turns that the server placed when a player's time was over")
    overwrite: bool = option(False, "replace the folder if it is there")


def prepare(config: Config) -> None:
    """Preprocess and say what was left out."""
    metadata = preprocess(
        config.log,
        config.out,
        rules=Rules.parse(config.rules) if config.rules else None,
        player=config.player,
        timeouts=config.timeouts,
        overwrite=config.overwrite,
    )
    counts = metadata["counts"]
    if counts["refused_lines"] or counts["refused_hands"]:
        print(
            f"refused: {counts['refused_lines']} lines; left out: {counts['refused_hands']} hands, "
            f"{counts['unfinished_hands']} of them unfinished; reasons in {config.out / 'refused.jsonl'}"
        )
    for name, hands in metadata["other_rules"].items():
        print(f"left out: {hands} hands that were played by the rules {name!r}")
    if not counts["rows"]:
        whose = f" of {config.player!r}" if config.player else ""
        raise ValueError(
            f"no turn{whose} of {config.log} could be used: export a log with experiments/export_logs.py"
        )


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: prepare(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
