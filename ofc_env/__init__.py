"""OFC Pineapple: heads-up open-face Chinese poker as a reinforcement-learning environment.

``ofc_env.env()`` is a PettingZoo AEC environment; ``Hand``, ``Board`` and ``Session`` are the game itself.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"  # the only place: the build reads it here

if find_spec("ofc_env._core") is None:  # sources of which a copy is installed elsewhere, with the core
    from ofc_env.installed_core import extended_path

    __path__ = extended_path(__path__, __version__)

from ofc_env._core import (
    NUM_ACTIONS,
    OBSERVATION_SIZE,
    BatchEnv,
    Board,
    Candidate,
    FantasylandSolution,
    Hand,
    HandResult,
    InformationSet,
    Outlook,
    Placement,
    RewardConfig,
    Rules,
    SeatRollout,
    Session,
    board_outlook,
    card_name,
    card_names,
    complete_with_hindsight,
    completions,
    decode_observation,
    parse_cards,
    random_playouts,
    row_readings,
    row_value,
    row_value_name,
    sample_boards,
    score_boards,
    solve_fantasyland,
    solve_last_turn,
)
from ofc_env.results import Royalties

if TYPE_CHECKING:
    from ofc_env import ofc_pineapple_v0
    from ofc_env.pettingzoo_env import env, raw_env

__all__ = [
    "NUM_ACTIONS",
    "OBSERVATION_SIZE",
    "BatchEnv",
    "Board",
    "Candidate",
    "FantasylandSolution",
    "Hand",
    "HandResult",
    "InformationSet",
    "Outlook",
    "Placement",
    "RewardConfig",
    "Royalties",
    "Rules",
    "SeatRollout",
    "Session",
    "board_outlook",
    "card_name",
    "card_names",
    "complete_with_hindsight",
    "completions",
    "decode_observation",
    "env",
    "ofc_pineapple_v0",
    "parse_cards",
    "random_playouts",
    "raw_env",
    "row_readings",
    "row_value",
    "row_value_name",
    "sample_boards",
    "score_boards",
    "solve_fantasyland",
    "solve_last_turn",
]


def __dir__() -> list[str]:
    """The public names, also those that are imported only when they are asked for."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import the PettingZoo face only when it is asked for: the game itself needs nothing but numpy."""
    if name in ("env", "raw_env"):
        return getattr(importlib.import_module("ofc_env.pettingzoo_env"), name)
    if name == "ofc_pineapple_v0":
        return importlib.import_module("ofc_env.ofc_pineapple_v0")
    raise AttributeError(f"module 'ofc_env' has no attribute '{name}'")
