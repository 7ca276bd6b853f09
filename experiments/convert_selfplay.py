"""Files of self-play as states (N, 490), policies (N, 150) and values (N,), and back.

    python experiments/convert_selfplay.py runs/alphazero/NAME/replay/round_00012.npz --out data/slots
    python experiments/convert_selfplay.py data/slots --out data/round_00000.npz

The folder has `states.npy`, `policies.npy`, `values.npy` (the search's value of the position, points), and
beside them what the way back needs: `actions.npy`, `outcomes.npy`, `decisions.npy`, `metadata.json`. A file
does not say its rules: give them with --rules. What cannot be found again is told: see docs/alphazero.md.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.command_line import run
from experiments.common.options import option, read, rules_option
from experiments.selfplay.slots import Arrays, from_slots, to_slots
from ofc_env import NUM_ACTIONS, OBSERVATION_SIZE, Rules
from ofc_env.files import new_file, new_folder

FIELDS = ("states", "values", "policy", "chosen", "counts", "outcomes")  # of a file
NEEDED = {
    "states": (OBSERVATION_SIZE,),
    "policies": (NUM_ACTIONS,),
    "values": (),
    "actions": (),
    "outcomes": (4,),
}


@dataclass(frozen=True)
class Config:
    """What is converted; a file becomes a folder, a folder a file."""

    source: Path = option(
        Path("runs/alphazero/data/round_00000.npz"),
        "a file of self-play, or such a folder",
        positional=True,
    )
    out: Path = option(
        Path("runs/slots"), "the folder, or the file round_NNNNN.npz, to write", metavar="PATH"
    )
    rules: str = rules_option("house; of a folder those of its metadata.json")
    target_temperature: float = option(
        1.0, "on the way back, points: as in the run that made the policies", above=0
    )
    overwrite: bool = option(False, "replace a folder that is there")


def convert(config: Config) -> None:
    """Convert, and say what was lost."""
    if config.source.is_dir():
        back(config)
        return
    rules = Rules.parse(config.rules)
    rows, left_out = to_slots(read_file(config.source), rules)
    with new_folder(config.out, config.overwrite) as folder:
        for name, array in rows.items():
            np.save(folder / f"{name}.npy", array)
        metadata = {"rules": str(rules), "source": config.source.name, "left_out": left_out}
        (folder / "metadata.json").write_text(json.dumps(metadata, indent=1) + "\n")
    decisions = len(np.unique(rows["decisions"]))
    print(f"{config.out}: {len(rows['values'])} rows of {decisions} decisions; {left_out} left out")


def back(config: Config) -> None:
    """A folder of arrays as a file that `alphazero.py train` learns from."""
    if config.out.suffix != ".npz":
        raise ValueError(f"{config.out} is no file of self-play: name it round_00000.npz")
    rows = read_folder(config.source)
    text = config.rules
    if not text and (config.source / "metadata.json").is_file():
        text = json.loads((config.source / "metadata.json").read_text()).get("rules", "")
    decisions, dropped = from_slots(rows, Rules.parse(text), config.target_temperature)
    with new_file(config.out) as partial, partial.open("wb") as file:
        arrays: dict[str, Any] = {name: decisions[name] for name in FIELDS}
        np.savez_compressed(file, **arrays)
    print(f"{config.out}: {len(decisions['chosen'])} decisions; {dropped} placements had no room")


def read_file(path: Path) -> Arrays:
    """The arrays of a file of self-play."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in FIELDS}
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ValueError(
            f"{path} is no file of self-play ({error}): name a round_NNNNN.npz, or a folder of arrays"
        ) from None


def read_folder(folder: Path) -> Arrays:
    """The arrays of a folder; what the way back needs is refused if it is not there."""
    rows: Arrays = {}
    for name, shape in NEEDED.items():
        path = folder / f"{name}.npy"
        try:
            rows[name] = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise ValueError(
                f"{path} is not there or no array: the way back needs {', '.join(NEEDED)}, for the network "
                "also learns which slot was played and how the hand ended"
            ) from None
        if rows[name].shape != (len(rows["states"]), *shape):
            raise ValueError(f"{path} has the shape {rows[name].shape}: it must be {('N', *shape)}")
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""
    return run(lambda: convert(read(Config, arguments, __doc__)))


if __name__ == "__main__":
    sys.exit(main())
