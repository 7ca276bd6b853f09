"""Write Minari datasets of hands, for offline learners: random, heuristic, champion, mixed.

    python experiments/export_minari.py --hands 1000 --out runs/minari
    MINARI_DATASETS_PATH=runs/minari python -c "import minari; print(minari.load_dataset('ofc/heuristic-v0'))"

An episode is one seat's decisions in a hand, as the Gymnasium environment shows them: 490 numbers, a slot,
the seat's own reward; the masks of legal slots are in the infos. Both seats of a hand become episodes. Each
dataset has a card beside it (README.md) that says what is in it and how it was made.
"""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.common.packages import needed_by

with needed_by(__name__):
    import h5py  # noqa: F401 - what Minari writes by
    import minari
    from minari.data_collector import EpisodeBuffer

import gymnasium
import numpy as np
from numpy.typing import NDArray

import agents
import ofc_env
from agents.randomness import seed_of
from experiments.common.command_line import run
from experiments.common.minari_card import card
from experiments.common.options import option, read, rules_option, seed_option
from ofc_env.files import write_whole

KINDS = ("random", "heuristic", "champion", "mixed")
CHUNK = 512  # hands in flight at once


@dataclass(frozen=True)
class Config:
    """Which hands are written, and where."""

    datasets: tuple[str, ...] = option(KINDS, f"which: {', '.join(KINDS)}", choices=KINDS, metavar="KIND")
    hands: int = option(1000, "hands of each dataset; each gives two episodes", low=1)
    champion: str = option(
        "alphazero:sims=100", "the agent of `champion`, and of a third of `mixed`", metavar="NAME"
    )
    reward: str = option("equity", "what is paid: equity, points or shaped")
    rules: str = rules_option()
    version: int = option(0, "number of the datasets: ofc/KIND-vN", low=0)
    seed: int = seed_option("fixes every deal and draw")
    out: Path = option(
        Path("runs/minari"), "folder of datasets, Minari's MINARI_DATASETS_PATH", metavar="FOLDER"
    )


def players_of(kind: str, champion: str) -> tuple[str, ...]:
    """The agents that the seats of a dataset are dealt out to, evenly and at random."""
    single = {"random": "random", "heuristic": "heuristic", "champion": champion}
    return tuple(single.values()) if kind == "mixed" else (single[kind],)


def play(kind: str, config: Config) -> Iterator[tuple[str, EpisodeBuffer]]:
    """Play the hands of a dataset; each episode with the name of whoever decided in it."""
    rules = ofc_env.Rules.of(config.rules or None)
    names = players_of(kind, config.champion)
    players = [agents.make(name, rules=rules) for name in names]
    for player in players:
        if player.remembers:
            raise ValueError(
                f"{player.name} remembers the hand it plays and cannot sit at many tables at once"
            )
    episode = 0
    for first in range(0, config.hands, CHUNK):
        seed = seed_of(config.seed, KINDS.index(kind), first)
        tables = min(CHUNK, config.hands - first)
        seated = np.random.default_rng(seed).integers(len(players), size=(tables, 2))
        for table, seat, buffer in play_chunk(players, seated, seed, config.reward, rules):
            yield names[seated[table, seat]], buffer(episode)
            episode += 1


def play_chunk(
    players: list[agents.Agent], seated: NDArray[np.int64], seed: int, reward: str, rules: ofc_env.Rules
) -> Iterator[tuple[int, int, Any]]:
    """Play one hand at every table: table, seat, and a maker of the seat's episode by its number."""
    tables = len(seated)
    env = ofc_env.BatchEnv(tables, seed=seed, reward=reward, rules=rules, terminal_observations=True)
    rollout = ofc_env.SeatRollout(env)
    playing, values = np.ones(tables, dtype=np.bool_), np.zeros(tables, dtype=np.float32)
    while playing.any():
        slots = np.full(tables, -1, dtype=np.int64)
        deciding = seated[np.arange(tables), env.players]
        for index, player in enumerate(players):
            mine = np.flatnonzero(playing & (deciding == index))
            if len(mine):
                slots[mine] = player.act_batch(env.observations[mine], env.action_masks[mine])
        rollout.step(slots, values)
        playing &= ~env.dones
    decisions = rollout.finish()
    owner = 2 * decisions["tables"] + decisions["players"]
    order = np.argsort(owner, kind="stable")  # in the order of play within an episode
    for rows in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        table, seat = int(decisions["tables"][rows[0]]), int(decisions["players"][rows[0]])

        def buffer(episode: int, rows: Any = rows, table: int = table, seat: int = seat) -> EpisodeBuffer:
            ended = env.terminal_observations[table, seat][None]
            none = np.zeros((1, ofc_env.NUM_ACTIONS), dtype=np.int8)
            return EpisodeBuffer(
                id=episode,
                observations=np.concatenate([decisions["observations"][rows], ended]),
                actions=decisions["actions"][rows],
                rewards=decisions["rewards"][rows],
                terminations=decisions["dones"][rows],
                truncations=np.zeros(len(rows), dtype=np.bool_),
                infos={"action_mask": np.concatenate([decisions["action_masks"][rows], none])},
            )

        yield table, seat, buffer


@contextmanager
def datasets_in(folder: Path) -> Iterator[None]:
    """Minari's datasets are those of the folder."""
    before = os.environ.get("MINARI_DATASETS_PATH")
    os.environ["MINARI_DATASETS_PATH"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["MINARI_DATASETS_PATH"]
        else:
            os.environ["MINARI_DATASETS_PATH"] = before


def export(kind: str, config: Config) -> tuple[str, Path]:
    """Write one dataset with its card, whole or not at all; its name in Minari, and its folder."""
    name = f"ofc/{kind}-v{config.version}"
    folder = config.out.resolve() / name
    if folder.exists():
        raise ValueError(f"{folder} is there already: take another --version or --out")
    rules = ofc_env.Rules.of(config.rules or None)
    names = players_of(kind, config.champion)
    environment = gymnasium.make(
        "wrappers:OFCPineapple-v0",
        opponent=names[0] if len(names) == 1 else "heuristic",
        reward=config.reward,
        rules=str(rules),
    )
    decided, episodes = zip(*play(kind, config), strict=True)
    written = card(name, kind, decided, episodes, config, rules)
    config.out.mkdir(parents=True, exist_ok=True)
    try:
        with datasets_in(config.out.resolve()), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*is set to None")  # a file has no address or e-mail
            minari.create_dataset_from_buffers(
                name,
                list(episodes),
                env=environment,
                algorithm_name=", ".join(names),
                author="The ofc-env authors",
                description=written.partition("\n\n")[2].partition("\n\n")[0],
                requirements=[f"ofc-env=={ofc_env.__version__}"],
            )
            write_whole(folder / "README.md", written)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return name, folder


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; the exit code."""

    def work() -> None:
        config = read(Config, arguments, __doc__)
        for kind in dict.fromkeys(config.datasets):
            name, folder = export(kind, config)
            print(f"{name}: {2 * config.hands:,} episodes in {folder}")

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
