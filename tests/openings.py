"""A table of openings for tests, made in a moment."""

import numpy as np

from agents.openings import Header, Table
from agents.openings.table import code_of

HEADER = Header(rules="", network="none", simulations=1, worlds=2, seed=0)


def table_of_openings() -> Table:
    """Judged everywhere: the value of a class is its number modulo 1000, in hundredths."""
    table = Table(HEADER)
    numbers = np.arange(len(table.classes)) % 1000
    table.records["rows"] = [code_of((2, 2, 1, 1, 0), [range(5)]), 0, 1]
    table.records["network"] = numbers[:, None] - np.array([0, 1, 2]) * (1 + numbers[:, None] % 7)
    return table
