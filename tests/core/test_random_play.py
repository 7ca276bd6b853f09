"""Random play, 100,000 hands: what must hold at every state, whatever was played and by whichever rules.

The suite looks closely at one random state of every hand; `make prove` at all of them.
"""

from __future__ import annotations

import pickle
import random

import pytest

from ofc_env import Board, Hand, Placement, Rules, decode_observation
from tests.play import cards_of, placement_of, random_fantasyland_setting, rows_of
from tests.rule_sets import RULE_SETS

HANDS = 100_000
PARTS = 4
HOUSE = Rules()


def check_state(hand: Hand, seed: int) -> None:
    """All that a state promises by itself."""
    check_copies(hand)
    for seat in (0, 1):
        check_view(hand, seat)
        check_world(hand, seat, seed)
    if not hand.opening_step and not hand.in_fantasyland:
        check_placements(hand)


def check_copies(hand: Hand) -> None:
    """A clone and a pickle equal the hand, and live on their own."""
    twin, restored = hand.clone(), pickle.loads(pickle.dumps(hand))
    assert twin == hand
    assert restored == hand
    assert hash(twin) == hash(restored) == hash(hand)
    play_on(twin)
    assert twin != hand
    assert restored == hand
    play_on(restored)
    assert restored == twin


def play_on(hand: Hand) -> None:
    """One decision that follows from the hand alone."""
    if hand.in_fantasyland:
        hand.set_fantasyland()
    else:
        hand.step(hand.legal_actions()[0])


def play_randomly(hand: Hand, rng: random.Random) -> None:
    if hand.in_fantasyland:
        hand.place(placement_of(random_fantasyland_setting(rng, hand.dealt)))
    else:
        hand.step(rng.choice(hand.legal_actions()))


def check_view(hand: Hand, seat: int) -> None:
    """The seat's numbers decode to what it knows and to nothing more, and encode to the same again."""
    numbers = hand.observation(seat)
    known = decode_observation(numbers, rules=hand.rules)
    assert known == hand.information(seat)
    hidden = hand.fantasyland[1 - seat] > 0
    own, other = hand.board(seat), Board() if hidden else hand.board(1 - seat)
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
    assert known.unseen == [card for card in hand.rules.deck if card not in seen]
    assert known.to_act == (hand.player == seat)
    assert known.button == (None if hidden else hand.button == seat)
    assert [known.chips, known.opponent_chips] == [hand.chips[seat], hand.chips[1 - seat]]
    if known.to_act:
        assert (known.turn, known.opening_step) == (hand.turn, hand.opening_step)
    assert known.observation().tobytes() == numbers.tobytes()


def check_world(hand: Hand, seat: int, seed: int) -> None:
    """Another deal of the unseen cards leaves the seat's numbers and the open cards as they are."""
    world = hand.determinize(seat, seed)
    assert world.observation(seat).tobytes() == hand.observation(seat).tobytes()
    assert sorted(world.deck) == hand.rules.deck
    for each in (0, 1):
        if each == seat or not hand.fantasyland[each]:
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


def play(
    number: int,
    rng: random.Random,
    every_state: bool,
    rules: Rules = HOUSE,
    widths: tuple[int, int] = (0, 0),
) -> None:
    """One hand to its end, with the cheap checks at every state and the close look where it is asked for."""
    chips = rng.randint(1, 399)
    hand = Hand(seed=number, button=number % 2, chips=(chips, 400 - chips), fantasyland=widths, rules=rules)
    looked_at = rng.randrange(12)
    decisions = 0
    while not hand.finished:
        assert hand.action_mask().nonzero()[0].tolist() == hand.legal_actions()
        if every_state or decisions == looked_at:
            check_state(hand, number)
        play_randomly(hand, rng)
        decisions += 1
    deck = hand.deck
    assert sorted(deck) == rules.deck
    played = [c for seat in (0, 1) for c in cards_of(hand.board(seat)) + hand.discards(seat)]
    assert len(played) == sum(width or 17 for width in widths)
    assert set(played) == set(deck[: len(played)])
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


def play_by(name: str, hands: int, seed: int) -> None:
    """Hands by a rule set, every fourth with fantasyland, looked at closely in every state."""
    rules = RULE_SETS[name]
    rng = random.Random(seed)
    for number in range(hands):
        chosen = [rng.choice(rules.widths or [0]) for _ in range(2)]
        widths = ((0, 0), (chosen[0], 0), (0, chosen[1]), (chosen[0], chosen[1]))[number // 4 % 4]
        play(number, rng, every_state=True, rules=rules, widths=(0, 0) if number % 4 else widths)


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_rule_set_keeps_its_promises(name: str) -> None:
    play_by(name, 16, seed=1)


@pytest.mark.prove
@pytest.mark.parametrize("name", RULE_SETS)
def test_every_rule_set_keeps_its_promises_in_many_hands(name: str) -> None:
    play_by(name, 2_000, seed=2)
