"""The core as WebAssembly for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.players.alphazero import CHAMPION
from ofc_env.extras import installed
from server.settings import Settings
from server.site.build import build_site, network_body
from tests.site.wasm import WasmCore


@pytest.fixture(scope="module")
def wasm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WasmCore]:
    core = WasmCore(Path(tmp_path_factory.mktemp("wasm")))
    core.ask("learn", str(CHAMPION), network_body(CHAMPION))
    yield core
    core.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not installed("ziglang"):
        pytest.skip("the core cannot be compiled: pip install ziglang")
    # Not at the root: a site works in any folder of a host.
    folder = tmp_path_factory.mktemp("host") / "games" / "ofc"
    build_site(folder, Settings(watch_pause=0.02))
    return folder
