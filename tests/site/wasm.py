"""The core as WebAssembly, asked outside a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ofc_env.extras import installed
from server.site.build import OWN
from server.site.core import compile_core

ANSWERS = Path(__file__).parent / "answers.mjs"
CORE_JS = OWN / "static" / "js" / "engine" / "core.js"


def node() -> str:
    """The node that playwright brings, or the system's."""
    if installed("playwright"):
        from playwright._impl._driver import compute_driver_executable

        return str(compute_driver_executable()[0])
    if found := shutil.which("node"):
        return found
    pytest.skip("no node was found: pip install playwright")


class WasmCore:
    """A process that answers questions."""

    def __init__(self, folder: Path) -> None:
        if not installed("ziglang"):
            pytest.skip("the core cannot be compiled: pip install ziglang")
        module = folder / "core.mjs"  # node wants the ending
        shutil.copy(CORE_JS, module)
        command = [node(), str(ANSWERS), str(module), str(compile_core())]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words: object) -> Any:
        """The answer; ValueError with the core's sentence."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the process has no pipes")
        stdin.write(json.dumps(words) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        if "refusal" in answer:
            raise ValueError(answer["refusal"])
        return answer["answer"]

    def close(self) -> None:
        """End the process."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(240)
