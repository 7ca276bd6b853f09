"""The name under which `ofc_env.symmetry` was first published."""

from ofc_env.symmetry import (
    COUNT,
    IDENTITY,
    compose,
    inverse,
    of_rules,
    relabel,
    relabel_all,
    relabel_cards,
    relabel_observation,
)

__all__ = [
    "COUNT",
    "IDENTITY",
    "compose",
    "inverse",
    "of_rules",
    "relabel",
    "relabel_all",
    "relabel_cards",
    "relabel_observation",
]
