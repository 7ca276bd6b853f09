"""Putting a new champion where agents look for it, beside what must stay of the old one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from agents.arena.protocol import PROTOCOLS, pinned_file
from agents.networks.files import read_weights, write_weights
from agents.players import alphazero
from experiments.recipe.verdict import Played
from ofc_env import Rules
from ofc_env.files import write_whole


def digest(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def verify_shippable(before: Path | None, rules: Rules) -> None:
    """Refuse a verdict that was reached against another network than the one that would be replaced."""
    shipped = alphazero.shipped_champion(rules)
    if (None if shipped is None else digest(shipped)) != (None if before is None else digest(before)):
        raise ValueError(
            f"the run was measured against {before or 'heuristic'}, which is not the champion that is "
            f"shipped now, {shipped or 'none'}: begin a new run, so that the two meet"
        )


def ship(network: Path, rules: Rules, commands: Sequence[str], matches: Sequence[Played]) -> list[Path]:
    """Make a network the champion of its rules; the files that were written.

    A network that a protocol needs is kept under a name of its own. The new file tells every command and
    match that led to it.
    """
    old = alphazero.shipped_champion(rules)
    written = []
    if old is not None:
        found = digest(old)
        for name, protocol in PROTOCOLS.items():
            others = (path for path in alphazero.WEIGHTS.rglob("*.safetensors") if path != old)
            if protocol.network == found and all(digest(path) != found for path in others):
                written.append(alphazero.WEIGHTS / f"protocol-{name}.safetensors")
                write_whole(written[-1], old.read_bytes())
    plain = re.sub(r"\W+", "-", rules.of_a_hand().name).strip("-")
    new = old or alphazero.WEIGHTS / f"alphazero-{plain}.safetensors"
    weights = read_weights(network, "afterstate")
    notes = {
        **{name: value for name, value in weights.notes.items() if name != "command"},
        "commands": list(commands),
        "matches": [
            {"agents": match.agents, "equity": match.mean, "margin": match.margin, "deals": match.deals}
            for match in matches
        ],
    }
    write_weights(new, weights.kind, weights.config, weights.tensors, rules=weights.rules, notes=notes)
    pinned_file.cache_clear()  # it may have found the file that is another one now
    return [*written, new]
