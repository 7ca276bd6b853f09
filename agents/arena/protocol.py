"""Protocols: measurements that stay what they are, so that figures of different people and years compare.

A protocol fixes opponents, deals, sessions, seeds, rules and the judge of luck. It is never changed: what
would change it becomes the next one (`tests/agents/test_protocol.py` holds the digests). docs/benchmark.md is
the page for readers.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import agents
from agents.arena.luck import Adjusting
from agents.arena.match import MatchSettings, play_match, play_sessions
from agents.arena.results import MatchResult, SessionResult
from agents.base import Agent
from agents.players.alphazero import WEIGHTS, AlphaZeroAgent
from ofc_env import RewardConfig, Rules


@dataclass(frozen=True)
class Opponent:
    """Somebody who does not change."""

    name: str  # in reports
    agent: str  # the same with every setting written out, for `agents.make`


@dataclass(frozen=True)
class Protocol:
    """Everything that a measurement hangs on, besides the agent."""

    name: str
    rules: str  # every field written out: presets may move
    fantasyland_values: tuple[float, ...]  # in equity, of 14 to 17 cards
    opponents: tuple[Opponent, ...]
    deals: int  # duplicate deals against each
    seed: int
    sessions: int  # duplicate sessions against each
    session_seed: int
    network: str  # sha256 of the file whose network is an opponent and judges luck
    search: tuple[tuple[str, Any], ...]  # settings of that opponent, all that matter
    redeals: int

    def digest(self) -> str:
        """What changes as soon as anything of it does."""
        return hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()


PROTOCOLS = {
    "v1": Protocol(
        name="v1",
        rules=(
            "jokers=2 button_acts=first top_pairs=0,0,0,0,1,2,3,4,5,6,7,8,9 "
            "top_trips=10,11,12,13,14,15,16,17,18,19,20,21,22 middle=0,0,0,2,4,8,12,20,30,50 "
            "bottom=0,0,0,0,2,4,6,10,15,25 scoop=3 foul=-1 fantasyland_pairs=0,0,0,0,0,0,0,0,0,0,14,15,16 "
            "fantasyland_trips=17 stay_top=trips stay_middle=none stay_bottom=quads stay_cards=14 chips=200 "
            "stop_gap=40 turn_seconds=20 fantasyland_seconds=90"
        ),
        fantasyland_values=(8.3, 14.3, 20.7, 27.1),
        opponents=(
            Opponent("random", "random:seed=0"),
            Opponent("heuristic", "heuristic:exact=off"),
            Opponent(
                "pimc:rollouts=300",
                "pimc:rollouts=300,leaf=heuristic,race=on,exact=on,belief=off,opening_width=32,risk=0",
            ),
            Opponent("alphazero_v1:sims=0", "agents.arena.protocol:alphazero_v1:sims=0"),
            Opponent("alphazero_v1:sims=200", "agents.arena.protocol:alphazero_v1:sims=200"),
        ),
        deals=2000,
        seed=15_001,
        sessions=100,
        session_seed=15_002,
        network="48946a984a06127be493a2d721ec2854fd392f34e424a7b47bf0fccc99e9c803",
        search=(
            ("root", "halving"),
            ("candidates", 12),
            ("prior_weight", 16.0),
            ("opponent_temperature", 0.0),
            ("risk", 0.0),
            ("exact", True),
            ("belief", False),
            ("opening_width", 32),
        ),
        redeals=24,
    )
}


@cache
def pinned_file(sha256: str) -> Path:
    """The shipped weights file with this content, whatever it is called by now."""
    for path in sorted(WEIGHTS.rglob("*.safetensors")):
        if hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            return path
    raise ValueError(
        f"no file of {WEIGHTS.name}/ has the sha256 {sha256}, which a protocol needs: keep it there under "
        "another name, such as protocol-v1.safetensors, when the champion changes"
    )


def alphazero_v1(
    sims: int = 200, reward: RewardConfig | str = "equity", rules: Rules | str | None = None
) -> Agent:
    """The network player of protocol v1, for any match: `agents.arena.protocol:alphazero_v1:sims=200`."""
    protocol = PROTOCOLS["v1"]
    file = pinned_file(protocol.network)
    # `draws` is younger than the protocol.
    return AlphaZeroAgent(file, reward=reward, rules=rules, sims=sims, draws=1, **dict(protocol.search))


@dataclass(frozen=True)
class Encounter:
    """An agent against one opponent of a protocol; both from the agent's side."""

    opponent: str
    hands: MatchResult
    sessions: SessionResult


@dataclass(frozen=True)
class Measurement:
    """An agent measured by a protocol."""

    protocol: Protocol
    agent: str
    weights: dict[str, str]  # sha256 of the files that it plays by, by their names
    encounters: tuple[Encounter, ...]
    rehearsal: bool  # a few deals, to see that all works: not the protocol


def measure(
    protocol: Protocol,
    agent: str,
    folder: Path | None = None,
    resume: bool = False,
    processes: int = 1,
    rehearsal: bool = False,
    progress: bool = True,
) -> Measurement:
    """Measure an agent, given by its name.

    Args:
        folder: keeps finished deals, in a folder for each agent and its weights.
        resume: go on with what is there.
        rehearsal: play two deals and a session against each opponent only.
    """
    rules = Rules.parse(protocol.rules)
    made = agents.make_valued(agent, rules, protocol.fantasyland_values)
    weights = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in made.weights_files}
    deals, sessions = (2, 1) if rehearsal else (protocol.deals, protocol.sessions)
    encounters = []
    for number, opponent in enumerate(protocol.opponents):
        paths: list[Path | None] = [None, None]
        if folder is not None:
            kept = folder / file_name(agent, weights)
            paths = [kept / f"{number}-{kind}.jsonl" for kind in ("hands", "sessions")]
        shared: dict[str, Any] = {
            "processes": processes,
            "rules": rules,
            "fantasyland_values": protocol.fantasyland_values,
            "adjust": Adjusting(protocol.redeals, pinned_file(protocol.network)),
            "progress": progress,
        }
        by_hands = MatchSettings(seed=protocol.seed, **shared)
        by_sessions = MatchSettings(seed=protocol.session_seed, **shared)
        hands = play_match(agent, opponent.agent, deals, by_hands, paths[0], resume)
        whole = play_sessions(agent, opponent.agent, sessions, by_sessions, paths[1], resume)
        encounters.append(Encounter(opponent.name, hands, whole))
    return Measurement(protocol, agent, weights, tuple(encounters), rehearsal)


def file_name(agent: str, weights: dict[str, str]) -> str:
    """A name for the files of an agent that another one, or other weights, do not have."""
    plain = "".join(letter if letter.isalnum() else "-" for letter in agent).strip("-")
    mark = hashlib.sha256(json.dumps([agent, weights]).encode()).hexdigest()[:8]
    return f"{plain[-60:].strip('-')}-{mark}"
