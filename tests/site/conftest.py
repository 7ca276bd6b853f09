"""The core as WebAssembly for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.players.alphazero import CHAMPION
from server.site.build import network_body
from tests.site.wasm import WasmCore


@pytest.fixture(scope="module")
def wasm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WasmCore]:
    core = WasmCore(Path(tmp_path_factory.mktemp("wasm")))
    core.ask("learn", str(CHAMPION), network_body(CHAMPION))
    yield core
    core.close()
