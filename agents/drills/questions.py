"""The questions: what a seat knows, and for "foul or not" also what it has just placed."""

from __future__ import annotations

from dataclasses import dataclass

from agents.players.heuristic import HeuristicAgent
from agents.randomness import seed_of
from agents.turns import choose_placement
from ofc_env import Hand, InformationSet, Placement, Rules

MISTAKE = "mistake"
KINDS = ("opening", "fantasyland", "foul")
"""Those that a seed makes; a `mistake` is made from a decision that somebody took."""
# How the boards of "foul or not" were built: as people build them who still foul, now and then with care.
_CARELESS = (0.1, 0.35, 0.6)
_FOUL_TURNS = (1, 2, 3)


@dataclass(frozen=True)
class Drill:
    """What to place; or, where a placement is given, how likely the board after it is to foul."""

    kind: str
    information: str  # what the seat knows, as InformationSet.parse reads it
    placement: str | None = None  # as Placement.parse reads it
    seconds: float | None = None  # that the answer may take

    @property
    def position(self) -> InformationSet:
        """What the seat knows."""
        return InformationSet.parse(self.information)


def make_drill(kind: str, seed: int, rules: Rules | str | None = None) -> Drill:
    """The question of a kind that belongs to a seed.

    Args:
        kind: one of `KINDS`.
        seed: 0 or more.
        rules: that it is played by; the house rules if None. ValueError for
            a fantasyland hand where there is none.
    """
    makers = {"opening": _opening, "fantasyland": _fantasyland, "foul": _foul}
    if kind not in makers:
        raise ValueError(f"there is no drill {kind!r}: choose one of {', '.join(KINDS)}")
    if seed < 0:
        raise ValueError(f"a drill's seed is 0 or more, not {seed}")
    return makers[kind](seed_of(seed, KINDS.index(kind)), Rules.of(rules))


def mistake(information: InformationSet) -> Drill:
    """The question what to place in a position in which somebody erred."""
    return Drill(MISTAKE, str(information))


def _opening(seed: int, rules: Rules) -> Drill:
    """Five cards; in every other question the opponent has placed its own."""
    hand = Hand(seed=seed, button=0, rules=rules)
    if seed_of(seed, 1) % 2:
        hand.place(_choice(hand, 0.0, seed))
    return Drill("opening", str(_known(hand)))


def _fantasyland(seed: int, rules: Rules) -> Drill:
    if not rules.widths:
        raise ValueError(f"the rules {rules.name!r} have no fantasyland: choose another drill")
    width = rules.widths[seed_of(seed, 1) % len(rules.widths)]
    hand = Hand(seed=seed, button=0, fantasyland=(width, 0), rules=rules)
    return Drill("fantasyland", str(hand.information(0)), seconds=float(rules.fantasyland_seconds))


def _foul(seed: int, rules: Rules) -> Drill:
    """A board that somebody of some carelessness has filled up to turn 1, 2 or 3."""
    turn = _FOUL_TURNS[seed_of(seed, 1) % len(_FOUL_TURNS)]
    careless = _CARELESS[seed_of(seed, 2) % len(_CARELESS)]
    hand = Hand(seed=seed, button=seed % 2, rules=rules)
    while hand.turn < turn or (hand.turn == turn and hand.player != 0):
        hand.place(_choice(hand, careless, seed))
    return Drill("foul", str(_known(hand)), placement=str(_choice(hand, careless, seed)))


def _choice(hand: Hand, careless: float, seed: int) -> Placement:
    agent = HeuristicAgent(careless=careless, seed=seed, rules=hand.rules)
    return choose_placement(agent, _known(hand))


def _known(hand: Hand) -> InformationSet:
    if hand.player is None:
        raise ValueError("the hand is over: nobody is to act")
    return hand.information(hand.player)
