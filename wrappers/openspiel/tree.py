"""A small game written out as a tree that OpenSpiel holds natively: its solvers need not ask Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pyspiel

from wrappers.openspiel.game import SEATS, Game, State

Policy = Callable[[State], dict[int, float]]


@dataclass
class Tree:
    """All that can happen in a game, and one state of every information state.

    Attributes:
        game: the tree as OpenSpiel's extensive-form game: a node's actions are numbered from 0.
        states: a state for each information state, by its name in the tree.
        chance, decisions, ends: nodes of each kind.
    """

    game: pyspiel.Game
    states: dict[str, State] = field(default_factory=dict)
    chance: int = 0
    decisions: int = 0
    ends: int = 0

    def table(self, policy: Policy) -> dict[str, list[tuple[int, float]]]:
        """A policy of the game, written out for the tree."""
        written = {}
        for name, state in self.states.items():
            chances = policy(state)
            written[name] = [
                (number, chances.get(slot, 0.0)) for number, slot in enumerate(state.legal_actions())
            ]
        return written

    def exploitability(self, policy: Policy) -> float:
        """Points a hand that best answers to both seats win above the game's value, averaged."""
        return float(pyspiel.exploitability(self.game, self.table(policy)))


def tree_of(game: Game) -> Tree:
    """Write a game out. For those of some hundred thousand nodes: `ofc_pineapple_short`."""
    lines = [f'EFG 2 R "{game.get_type().short_name}" {{ "seat 0" "seat 1" }}']
    numbers: tuple[dict[str, int], ...] = tuple({} for _ in range(SEATS))
    tree = Tree(game)

    def write(state: State) -> None:
        if state.is_terminal():
            tree.ends += 1
            lines.append(f't "" {tree.ends} "" {{ {" ".join(map(repr, state.returns()))} }}')
            return
        if state.is_chance_node():
            tree.chance += 1
            outcomes = " ".join(f'"{card}" {chance!r}' for card, chance in state.chance_outcomes())
            lines.append(f'c "" {tree.chance} "" {{ {outcomes} }} 0')
        else:
            tree.decisions += 1
            seat, known = state.current_player(), state.information_state_string()
            number = numbers[seat].setdefault(known, len(numbers[seat]) + 1)
            tree.states.setdefault(f"{seat}-{seat}-{number}-", state)  # as the tree calls it
            # Named by their places: a tree numbers its actions in the order in which it meets their names.
            places = " ".join(f'"{place}"' for place in range(len(state.legal_actions())))
            lines.append(f'p "" {seat + 1} {number} "" {{ {places} }} 0')
        for action in state.legal_actions():
            write(state.child(action))

    write(game.new_initial_state())
    tree.game = pyspiel.load_efg_game("\n".join(lines) + "\n")
    return tree
