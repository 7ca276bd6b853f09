"""The core compiled to WebAssembly, with the compiler of PyPI's `ziglang`."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ofc_env.extras import needs

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
BUILT = ROOT / "build" / "wasm"
# No table needs batches of environments and self-play, which share work between threads.
LEFT_OUT = ("env/batch_env.cpp", "network/self_play.cpp")
COMPILER = (sys.executable, "-m", "ziglang", "c++", "-target", "wasm32-wasi")
FLAGS = (
    *("-std=c++20", "-DNDEBUG", "-g0", f"-I{CORE}", "-Wno-bitwise-conditional-parentheses"),
    # Vectors for the core's own files: given as -msimd128, the compiler would build its libraries again.
    *("-Xclang", "-target-feature", "-Xclang", "+simd128"),
)
# Fast, but for what is asked once in a while: that is small, because every visitor fetches it.
SMALL = ("json", "review", "wasm")
# A library without main(); the host puts the stack pointer back after a refusal.
LINKING = ("-O3", "-mexec-model=reactor", "-Wl,--export=__stack_pointer", "-Wl,--gc-sections", "-s")


def compile_core() -> Path:
    """The path of core.wasm; only what is newer than its object is compiled."""
    # Other flags have other objects.
    name = hashlib.sha256(" ".join((*COMPILER[3:], *FLAGS, *SMALL, *LINKING)).encode()).hexdigest()[:12]
    folder = BUILT / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # whoever else wants it waits for the first
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _compiled(folder)


def sources() -> list[Path]:
    """What is compiled: the core without its Python face."""
    found = (path for path in CORE.rglob("*.cpp") if path.relative_to(CORE).parts[0] != "bindings")
    return sorted(path for path in found if path.relative_to(CORE).as_posix() not in LEFT_OUT)


def _compiled(folder: Path) -> Path:
    target = folder / "core.wasm"
    objects = {path: folder / f"{path.parent.name}_{path.stem}.o" for path in sources()}
    stale = [path for path, made in objects.items() if not _is_fresh(made)]
    if target.is_file() and not stale and all(_time(made) <= _time(target) for made in objects.values()):
        return target
    needs("ziglang", "the core as WebAssembly")
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        list(pool.map(lambda path: _make(objects[path], *_flags(path), "-c", "-MMD", str(path)), stale))
    _make(target, *LINKING, *map(str, objects.values()))
    return target


def _flags(path: Path) -> tuple[str, ...]:
    return (*FLAGS, "-Oz" if path.relative_to(CORE).parts[0] in SMALL else "-O3")


def _is_fresh(made: Path) -> bool:
    """Whether nothing that an object was made from is newer; the compiler has listed that beside it."""
    listed = made.with_suffix(".d")
    if not made.is_file() or not listed.is_file():
        return False
    read = listed.read_text(encoding="utf-8").replace("\\\n", " ").split(": ", 1)[1].split()
    own = [path for path in map(Path, read) if path.is_relative_to(CORE) or not path.is_absolute()]
    return all(path.is_file() and _time(path) <= _time(made) for path in own)


def _time(path: Path) -> float:
    return path.stat().st_mtime


def _make(target: Path, *arguments: str) -> None:
    """Run the compiler; what it makes appears whole."""
    part = target.with_name(f"part_{target.name}")
    failure = subprocess.run([*COMPILER, *arguments, "-o", str(part)], check=False).returncode
    if failure:
        raise RuntimeError(f"{target.name} could not be made: the compiler ended with {failure}")
    if (listed := part.with_suffix(".d")).is_file():
        listed.replace(target.with_suffix(".d"))
    part.replace(target)


if __name__ == "__main__":
    print(compile_core())
