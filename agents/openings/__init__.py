"""All opening fives up to suits, and the table of their best placements."""

from agents.openings.classes import Classes, classes_of
from agents.openings.table import Header, Opening, Ranked, Table

__all__ = ["Classes", "Header", "Opening", "Ranked", "Table", "classes_of"]
