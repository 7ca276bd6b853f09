"""The game in OpenSpiel: importing this package registers `ofc_pineapple` and `ofc_pineapple_short`.

import pyspiel, wrappers.openspiel
game = pyspiel.load_game("ofc_pineapple", {"rules": "standard"})
"""

from ofc_env.extras import needs

needs("pyspiel", "the game in OpenSpiel")

import pyspiel  # noqa: E402

from wrappers.openspiel.game import SHORT, WHOLE, Game, ShortGame, State, WholeGame, written  # noqa: E402
from wrappers.openspiel.policy import AgentPolicy  # noqa: E402
from wrappers.openspiel.start import short_start  # noqa: E402
from wrappers.openspiel.tree import Tree, tree_of  # noqa: E402

__all__ = [
    "AgentPolicy",
    "Game",
    "ShortGame",
    "State",
    "Tree",
    "WholeGame",
    "short_start",
    "tree_of",
    "written",
]

for _kind, _game in ((WHOLE, WholeGame), (SHORT, ShortGame)):
    if _kind.short_name not in pyspiel.registered_names():
        pyspiel.register_game(_kind, _game)
