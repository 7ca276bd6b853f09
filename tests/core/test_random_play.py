"""Random play, 100,000 hands: what must hold at every state, whatever was played.

The suite looks closely at one random state of every hand; `make prove` at all of them.
"""

from __future__ import annotations

import pickle
import random

import pytest

from ofc_env import Hand, Placement, decode_observation
from tests.play import cards_of, rows_of

HANDS = 100_000
PARTS = 4
EVERYTHING = list(range(54))


def check_state(hand: Hand, seed: int) -> None:
    """All that a state promises by itself."""
    check_copies(hand)
    for seat in (0, 1):
        check_view(hand, seat)
        check_world(hand, seat, seed)
    if not hand.opening_step:
        check_placements(hand)


def check_copies(hand: Hand) -> None:
    """A clone and a pickle equal the hand, and live on their own."""
    twin, restored = hand.clone(), pickle.loads(pickle.dumps(hand))
    assert twin == hand
    assert restored == hand
    assert hash(twin) == hash(restored) == hash(hand)
    slot = hand.legal_actions()[0]
    twin.step(slot)
    assert twin != hand
    assert restored == hand
    restored.step(slot)
    assert restored == twin


def check_view(hand: Hand, seat: int) -> None:
    """The seat's numbers decode to what it knows and to nothing more, and encode to the same again."""
    numbers = hand.observation(seat)
    known = decode_observation(numbers)
    own, other = hand.board(seat), hand.board(1 - seat)
    held = hand.dealt if hand.player == seat else []
    assert [known.top, known.middle, known.bottom] == [own.top, own.middle, own.bottom]
    assert [known.opponent_top, known.opponent_middle, known.opponent_bottom] == [
        other.top,
        other.middle,
        other.bottom,
    ]
    assert known.hand == held
    assert known.discards == hand.discards(seat)
    seen = {*cards_of(own), *cards_of(other), *held, *known.discards}
    assert known.unseen == [card for card in EVERYTHING if card not in seen]
    assert (known.button, known.to_act) == (hand.button == seat, hand.player == seat)
    assert [known.chips, known.opponent_chips] == [hand.chips[seat], hand.chips[1 - seat]]
    if known.to_act:
        assert (known.turn, known.opening_step) == (hand.turn, hand.opening_step)
    assert known.observation().tobytes() == numbers.tobytes()


def check_world(hand: Hand, seat: int, seed: int) -> None:
    """Another deal of the unseen cards leaves the seat's numbers and the open cards as they are."""
    world = hand.determinize(seat, seed)
    assert world.observation(seat).tobytes() == hand.observation(seat).tobytes()
    assert sorted(world.deck) == EVERYTHING
    for each in (0, 1):
        assert rows_of(world.board(each)) == rows_of(hand.board(each))
    assert world.discards(seat) == hand.discards(seat)
    assert (world.turn, world.player, world.opening_step) == (hand.turn, hand.player, hand.opening_step)


def check_placements(hand: Hand) -> None:
    """Every placement of the turn is reached by exactly one sequence of slots."""
    reached: list[Placement] = []
    for first in hand.legal_actions():
        if hand.turn:
            reached.append(hand.placement_of([first]))
            continue
        child = hand.clone()
        child.step(first)
        if child.opening_step:
            reached += [hand.placement_of([first, second]) for second in child.legal_actions()]
        else:
            reached.append(hand.placement_of([first]))
    placements = hand.placements()
    assert len(reached) == len(set(reached)) == len(placements)
    assert set(reached) == set(placements)
    assert hand.turn or len(placements) == 232


def play(number: int, rng: random.Random, every_state: bool) -> None:
    """One hand to its end, with the cheap checks at every state and the close look where it is asked for."""
    chips = rng.randint(1, 399)
    hand = Hand(seed=number, button=number % 2, chips=(chips, 400 - chips))
    looked_at = rng.randrange(12)
    decisions = 0
    while not hand.finished:
        legal = hand.legal_actions()
        assert hand.action_mask().nonzero()[0].tolist() == legal
        if every_state or decisions == looked_at:
            check_state(hand, number)
        hand.step(rng.choice(legal))
        decisions += 1
    deck = hand.deck
    assert sorted(deck) == EVERYTHING
    played = [c for seat in (0, 1) for c in cards_of(hand.board(seat)) + hand.discards(seat)]
    assert len(played) == 34
    assert set(played) == set(deck[:34])
    result = hand.result()
    assert sum(result.raw_score) == sum(result.actual_score) == 0
    assert sum(result.chips) == 400
    assert not hand.action_mask().any()
    assert pickle.loads(pickle.dumps(hand)) == hand
    assert pickle.loads(pickle.dumps(result)) == result


@pytest.mark.parametrize("part", range(PARTS))
def test_random_play_keeps_its_promises(part: int) -> None:
    rng = random.Random(part)
    for number in range(part, HANDS, PARTS):
        play(number, rng, every_state=False)


@pytest.mark.prove
@pytest.mark.parametrize("part", range(PARTS))
def test_every_state_of_random_play_keeps_its_promises(part: int) -> None:
    rng = random.Random(100 + part)
    for number in range(part, HANDS, PARTS):
        play(number, rng, every_state=True)
