"""Rows of `make bench` for the way from a log to training data, on one core."""

from __future__ import annotations

import gzip
import tempfile
import time
from pathlib import Path

from experiments.benches.table import Bench, row
from experiments.preprocess import preprocess

SAMPLE = Path(__file__).parent.parent / "sample" / "alphazero_sims100.jsonl.gz"


@row("preprocess", "preprocess: JSON lines replayed and written as arrays, one core", 20_000, "turns/s")
def bench_preprocess(bench: Bench) -> float:
    """The whole sample log, unpacked: parse, replay through the engine, write every array."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = folder / "turns.jsonl"
        lines.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
        done, start = 0, time.process_time()

        def work() -> int:
            nonlocal done
            metadata = preprocess(lines, folder / "data", overwrite=True, progress=False)
            turns = int(metadata["counts"]["used_turns"])
            done += turns
            return turns

        rate = bench.rate(work)
        bench.note = f"{done / (time.process_time() - start):,.0f} a second of processor time"
        return rate
