"""Values of the wrong type at the border to the core: one sentence that names them, and nothing changed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import ofc_env
from ofc_env import (
    BatchEnv,
    Board,
    Candidate,
    Hand,
    Placement,
    RewardConfig,
    Rules,
    Session,
    _core,
    decode_observation,
    score_boards,
    solve_fantasyland,
)
from ofc_env.refusals import shown

# The same without its types: what is tried here no type checker would let through.
game: Any = ofc_env
core: Any = _core

ROWS = ("Qh Qd 2c", "3h 4h 5h 6h 8h", "9s Ts Js Qs Ks")


class Strange:
    """Something that no function of the core can use, with a text of several lines."""

    def __repr__(self) -> str:
        return "<a\nstrange\nthing>"


def sentence_of(function: Callable[[], object]) -> str:
    with pytest.raises((TypeError, ValueError)) as refusal:
        function()
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert len(sentence) > 10
    return sentence


def instances() -> dict[str, Any]:
    """An object of each class whose methods are tried."""
    hand = Hand(seed=1)
    heuristic = _core.Heuristic()
    return {
        "BatchEnv": BatchEnv(2),
        "Candidate": Candidate(Placement(top="Ah")),
        "Belief": _core.Belief(hand.information(0)),
        "Board": Board(*ROWS),
        "FantasylandSolution": solve_fantasyland(range(14)),
        "Hand": hand,
        "HandResult": score_boards(Board(*ROWS), Board("2h 3d 4d", "5c 6c 7d 8d Td", "Th Jh Kh Ah 9h")),
        "Heuristic": heuristic,
        "InformationSet": decode_observation(hand.observation(0)),
        "Ismcts": _core.Ismcts(simulations=1),
        "Pimc": _core.Pimc(rollouts=1),
        "Placement": Placement(top="Ah"),
        "RewardConfig": RewardConfig(),
        "Rules": Rules(),
        "SeatRollout": _core.SeatRollout(BatchEnv(2)),
        "Session": Session(seed=1),
    }


TAKE_ANYTHING = {"__eq__", "__deepcopy__", "__new__", "__init__"}
TAKE_A_STATE = {"__setstate__"}  # pickle's own way in, which makes a new object


def natives() -> Iterator[tuple[str, str, int]]:
    """Class ("" for none), name and number of arguments of every function of the core."""
    scopes = {"": vars(_core)} | {n: vars(c) for n, c in vars(_core).items() if inspect.isclass(c)}
    for scope, members in scopes.items():
        for name, member in members.items():
            if type(member).__name__ in ("nb_func", "nb_method") and name not in TAKE_ANYTHING | TAKE_A_STATE:
                accepted = member.__doc__.split("\n")[0].partition("(")[2].rpartition(" -> ")[0].rstrip(")")
                accepted = re.sub(r"\[.*?\]+|\(.*?\)", "", accepted)
                names = [part for part in accepted.split(", ") if part not in ("", "self", "/")]
                yield scope, name, len(names)


@pytest.mark.parametrize(("scope", "name", "count"), list(natives()))
def test_every_function_of_the_core_words_its_refusal(scope: str, name: str, count: int) -> None:
    """One strange value where one is taken, or one too many: the sentence names it and what is accepted."""
    given = [Strange() for _ in range(count)] or [Strange()]
    owner = getattr(_core, scope) if scope else _core
    bound = instances().get(scope)
    if bound is not None:
        sentence = sentence_of(lambda: getattr(bound, name)(*given))
        assert "strange" in sentence.lower(), sentence
    if not scope or bound is None:
        sentence = sentence_of(lambda: getattr(owner, name)(*given))
        assert "strange" in sentence.lower(), sentence


@pytest.mark.parametrize("name", [n for n, member in vars(_core).items() if inspect.isclass(member)])
def test_every_class_words_its_refusal(name: str) -> None:
    assert "\n" not in sentence_of(lambda: getattr(_core, name)(Strange(), Strange()))


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda hand: hand.place("x"), "Hand.place takes (placement: Placement), not ('x')"),
        (lambda hand: hand.step(1.5), "not a slot (give a whole number): 1.5"),
        (lambda hand: hand.step(), "Hand.step takes (action: int), not ()"),
        (lambda hand: hand.step(slot=3), "Hand.step takes (action: int), not (slot=3)"),
        (lambda hand: hand.step(2**80), f"not a slot (give a whole number): {2**80}"),
        (lambda hand: game.Hand.step("x", 3), "Hand.step takes (action: int), not ('x', 3)"),
        (lambda hand: hand.observation("x"), "not a seat (give 0 or 1): 'x'"),
        (lambda hand: hand.clone(3), "Hand.clone takes (), not (3)"),
        (lambda hand: hand.write_observation(0, [1.0]), "(seat: int, out: NDArray[float32]), not (0, [1.0])"),
        (lambda hand: hand.write_observation(0, np.zeros(490)), "not of float64 of shape (490,)"),
        (lambda hand: hand.write_observation(0, np.zeros(4, np.float32)), "not of float32 of shape (4,)"),
        (lambda hand: hand.write_action_mask(np.zeros((2, 150), bool)), "not of bool of shape (2, 150)"),
        (lambda hand: hand.determinize(0, "x"), "not a seed (give a whole number or None): 'x'"),
        (lambda hand: hand.placement_of("ab"), "(actions: Sequence[int]), not ('ab')"),
        (lambda hand: game.Hand(seed="x"), "not a seed (give a whole number or None): 'x'"),
        (lambda hand: game.Hand(chips=3), "not a pair of chips, one number a seat: 3"),
        (lambda hand: game.Hand(chips=(1, 2, 3)), "not a pair of chips, one number a seat: (1, 2, 3)"),
        (lambda hand: game.Hand(chips=("x", 1)), "'x'"),
        (lambda hand: game.Hand(rules=3), "not rules (give Rules, their text form, or None): 3"),
        (lambda hand: game.Hand(deck=5), "not cards"),
        (lambda hand: game.Hand(nope=3), "not (nope=3)"),
        (lambda hand: game.Session(seed=1).step("x"), "Session.step takes (action: int), not ('x')"),
        (lambda hand: game.Session(seed=1).place(3), "Session.place takes (placement: Placement), not (3)"),
        (lambda hand: game.BatchEnv("x"), "not ('x')"),
        (
            lambda hand: game.BatchEnv(2).step([0, 1]),
            "BatchEnv.step takes (actions: NDArray[Any]), not ([0, 1])",
        ),
        (
            lambda hand: game.BatchEnv(2).step(np.zeros(2)),
            "int64 of shape (2,), not of float64 of shape (2,)",
        ),
        (lambda hand: game.Board(top=3), 'not cards (give "Ah Kd X1", or names or numbers): 3'),
        (lambda hand: game.Board(top=[1.5]), "not a card (give a name or a number): 1.5"),
        (lambda hand: game.Placement.parse(3), "Placement.parse takes (text: str), not (3)"),
        (lambda hand: game.score_boards("a", "b"), "not ('a', 'b')"),
        (lambda hand: game.Rules(chips="x"), "not a whole number for the rules: 'x'"),
        (lambda hand: game.Rules(3), "not (3)"),
        (lambda hand: game.Rules().royalty("roof", 1), "not a row value: 1"),
        (lambda hand: game.Rules().royalty("roof", core.row_value("2h 2d 3c")), "there is no row 'roof'"),
        (
            lambda hand: game.RewardConfig.preset(3),
            "RewardConfig.preset takes (name: str, rules: Rules | str | None = None), not (3)",
        ),
        (lambda hand: game.RewardConfig(points="x"), "not a number for the reward: 'x'"),
        (lambda hand: game.solve_fantasyland(5), 'not cards (give "Ah Kd X1", or names or numbers): 5'),
        (
            lambda hand: game.solve_last_turn("x"),
            "not a position (give an InformationSet or an observation): 'x'",
        ),
        (lambda hand: game.decode_observation(hand.observation(0).tolist()), "not ([0.0, 0.0"),
        (lambda hand: core.Heuristic().actions(np.zeros((2, 490))), "not of float64 of shape (2, 490)"),
        (lambda hand: core.Heuristic().actions(hand.observation(0)), "not be float32 of shape (490,)"),
    ],
)
def test_the_sentence_names_the_value_and_the_hand_stays(
    function: Callable[[Hand], object], wanted: str
) -> None:
    hand = Hand(seed=3)
    hand.step(30)
    before = hand.clone()
    assert wanted in sentence_of(lambda: function(hand))
    assert hand == before


def test_objects_that_change_are_unchanged_after_a_refusal() -> None:
    session, batch = game.Session(seed=2), game.BatchEnv(3, seed=4)
    session.step(30)
    kept, numbers, masks = session.clone(), batch.observations.copy(), batch.action_masks.copy()
    for wrong in ("x", 1.5, None, [1], Strange(), 2**80, np.zeros((2, 2))):
        sentence_of(partial(session.step, wrong))
        sentence_of(partial(session.place, wrong))
        sentence_of(partial(batch.step, wrong))
        sentence_of(partial(batch.hand, wrong))
    assert session == kept
    assert np.array_equal(batch.observations, numbers)
    assert np.array_equal(batch.action_masks, masks)


def test_other_errors_pass_unchanged() -> None:
    class Broken:
        def __index__(self) -> int:
            raise TypeError("broken\non purpose")

    with pytest.raises(TypeError, match=r"^broken\non purpose$"):
        game.Hand(seed=Broken())


def test_what_is_shown_of_a_value_is_one_short_line() -> None:
    class Unspeakable:
        def __repr__(self) -> str:
            raise RuntimeError

    assert shown(np.zeros((3, 4))) == "an array of float64 of shape (3, 4)"
    assert shown(Strange()) == "<a strange thing>"
    assert "Unspeakable" in shown(Unspeakable())
    for value in ("x" * 1000, list(range(1000)), dict.fromkeys(range(99), "y" * 99), b"\n" * 500):
        assert len(shown(value)) < 400
        assert "\n" not in shown(value)
