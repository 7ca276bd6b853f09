"""Protocols never change: not their table, not their opponents, not what they play."""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

import agents
from agents.arena import Adjusting, MatchSettings, play_match, play_sessions
from agents.arena.protocol import PROTOCOLS, Protocol, file_name, measure, pinned_file
from ofc_env import Rules

V1 = PROTOCOLS["v1"]
DIGESTS = {"v1": "9f7645b23846b23fa6353020e464a93b25fd8000722f4fd04c1af1baefd3aecd"}
GAMES = {"v1": "2bbb72374d0dd11601b9e3e4701264030ef9be4573db76e58860a6a904c47e02"}


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_a_protocol_is_what_it_was(protocol: Protocol) -> None:
    assert protocol.digest() == DIGESTS[protocol.name], "a protocol never changes: make the next one"


def games(protocol: Protocol) -> str:
    """A digest of some hands and sessions of neighbouring opponents."""
    rules, values = Rules.parse(protocol.rules), protocol.fantasyland_values
    hands = MatchSettings(seed=protocol.seed, progress=False, rules=rules, fantasyland_values=values)
    sessions = replace(hands, seed=protocol.session_seed)
    names = [opponent.agent for opponent in protocol.opponents]
    found = []
    for first, second in itertools.pairwise(names):
        found.append(play_match(first, second, 4, hands).points_samples.tolist())
        found.append(play_sessions(first, second, 2, sessions).chips_samples.tolist())
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_opponents_deals_and_sessions_are_what_they_were(protocol: Protocol) -> None:
    """Who changes the heuristic, a search or the deals keeps the old ones for the protocols."""
    assert games(protocol) == GAMES[protocol.name]


def test_the_network_is_found_by_its_content() -> None:
    file = pinned_file(V1.network)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == V1.network
    player = agents.make("agents.arena.protocol:alphazero_v1:sims=3")
    assert player.weights_files == (file,)
    with pytest.raises(
        ValueError, match="no file of weights/ has the sha256 0123, which a protocol needs: keep"
    ):
        pinned_file("0123")


def test_a_measurement_is_the_matches_of_the_arena(tmp_path: Path) -> None:
    measured = measure(V1, "heuristic", tmp_path, rehearsal=True, progress=False)
    assert [encounter.opponent for encounter in measured.encounters] == [each.name for each in V1.opponents]
    settings = MatchSettings(
        seed=V1.seed,
        rules=Rules.parse(V1.rules),
        fantasyland_values=V1.fantasyland_values,
        adjust=Adjusting(V1.redeals, pinned_file(V1.network)),
        progress=False,
    )
    again = play_match("heuristic", "random", 2, settings)
    assert measured.encounters[0].hands.adjusted == again.adjusted
    assert not measured.encounters[1].hands.equity_samples.any(), "equal players stay at exactly 0"
    assert measured.encounters[1].sessions.chips.mean == 0
    kept = {path: path.read_text() for path in tmp_path.rglob("*.jsonl")}
    assert len(kept) == 10
    resumed = measure(V1, "heuristic", tmp_path, resume=True, rehearsal=True, progress=False)
    assert {path: path.read_text() for path in kept} == kept, "nothing was played again"
    assert resumed.encounters[2].hands.equity == measured.encounters[2].hands.equity


def test_other_weights_have_other_files() -> None:
    assert file_name("mine:weights=a/b.safetensors", {}).startswith("mine-weights-a-b-safetensors-")
    names = {file_name("mine", {}), file_name("mine", {"x": "1"}), file_name("mine", {"x": "2"})}
    assert len(names) == 3


def test_agents_tell_their_weights() -> None:
    for name, files in {
        "alphazero:sims=0": ["alphazero.safetensors"],
        "ppo": ["ppo.safetensors"],
        "bc": ["clone.safetensors"],
        "heuristic": [],
    }.items():
        if name == "ppo":
            pytest.importorskip("torch")
        assert [path.name for path in agents.make(name).weights_files] == files
        assert all(path.is_file() for path in agents.make(name).weights_files)
