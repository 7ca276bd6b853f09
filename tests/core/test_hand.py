"""A hand beside the naive one: its states, its copies, the deal, the slots and the placements."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

from ofc_env import Hand, Placement, score_boards
from tests import oracle
from tests.oracle_play import Setting, legal_settings
from tests.play import (
    WIDTHS,
    check_hand,
    check_result,
    placement_of,
    play_randomly,
    random_fantasyland_setting,
    random_position,
    rows_of,
    seat_to_act,
    setting_from,
    shuffled_deck,
)


@pytest.mark.parametrize("widths", sorted(set(WIDTHS)))
def test_every_state_equals_the_naive_hand(widths: tuple[int, int]) -> None:
    rng = random.Random(sum(widths) + 2)
    for _ in range(400 if widths == (0, 0) else 60):
        hand, naive = random_position(rng, 0, widths)
        while True:
            check_hand(hand, naive)
            if naive.finished:
                break
            play_randomly(rng, hand, naive)
        check_result(hand.result(), naive.score())
        boards = hand.board(0), hand.board(1)
        assert hand.result() == score_boards(*boards, chips=naive.chips, fantasyland=widths)


def test_clone_copy_and_pickle_equal_the_original_and_live_alone() -> None:
    rng = random.Random(3)
    for number in range(300):
        widths = WIDTHS[number % len(WIDTHS)]
        hand, naive = random_position(rng, 0, widths)
        while not naive.finished:
            twins = [hand.clone(), copy.copy(hand), copy.deepcopy(hand), pickle.loads(pickle.dumps(hand))]
            before = hand.clone()
            for twin in twins:
                assert twin == hand
                assert hash(twin) == hash(hand)
                check_hand(twin, naive)
            play_randomly(rng, hand, naive)
            for twin in twins:
                assert twin == before
                assert twin != hand
        assert pickle.loads(pickle.dumps(hand)) == hand


# --- the deal -----------------------------------------------------------------------------


@pytest.mark.parametrize("button", [0, 1])
def test_the_deal_of_a_given_deck(button: int) -> None:
    """Five to the button, five to the other, then three and three; each when its seat comes to act."""
    deck = shuffled_deck(random.Random(4))
    hand = Hand(deck=[oracle.CARD_NAMES[card] for card in deck], button=button)
    front = 0
    for turn in range(5):
        for seat in (button, 1 - button):
            count = 5 if turn == 0 else 3
            assert (hand.turn, hand.player) == (turn, seat)
            assert list(hand.dealt) == sorted(deck[front : front + count])
            front += count
            hand.place(hand.placements()[0])
    assert hand.finished
    assert front == 34


@pytest.mark.parametrize("button", [0, 1])
@pytest.mark.parametrize("widths", [(14, 0), (0, 17), (15, 16)])
def test_the_deal_of_a_fantasyland_hand(button: int, widths: tuple[int, int]) -> None:
    """Fantasyland cards come first, the button's before the other's; then the normal seat has its turns."""
    rng = random.Random(5)
    deck = shuffled_deck(rng)
    hand = Hand(deck=deck, button=button, fantasyland=widths)
    front = 0
    for seat in (button, 1 - button):
        if widths[seat]:
            assert hand.player == seat
            assert hand.in_fantasyland
            assert list(hand.dealt) == sorted(deck[front : front + widths[seat]])
            assert not hand.action_mask().any()
            assert list(hand.legal_actions()) == []
            hand.place(placement_of(random_fantasyland_setting(rng, list(hand.dealt))))
            front += widths[seat]
            assert len(hand.discards(seat)) == widths[seat] - 13
    normal = [seat for seat in (0, 1) if not widths[seat]]
    for turn in range(5):
        for seat in normal:
            assert (hand.turn, hand.player, hand.in_fantasyland) == (turn, seat, False)
            count = 5 if turn == 0 else 3
            assert list(hand.dealt) == sorted(deck[front : front + count])
            front += count
            hand.place(hand.placements()[-1])
    assert hand.finished


def test_the_solver_can_set_a_fantasyland_hand() -> None:
    hand = Hand(seed=1, fantasyland=(0, 16))
    dealt = list(hand.dealt)
    hand.set_fantasyland()
    board = hand.board(1)
    assert board.complete
    assert not board.fouled
    assert sorted(board.top + board.middle + board.bottom + list(hand.discards(1))) == dealt
    assert hand.player == 0


def test_a_seed_fixes_the_deck() -> None:
    assert Hand(seed=7) == Hand(seed=7)
    assert list(Hand(seed=7).deck) == list(Hand(seed=7, button=1).deck)
    assert Hand(seed=7) != Hand(seed=8)
    assert len({tuple(Hand().deck) for _ in range(20)}) == 20
    assert Hand(deck=Hand(seed=7).deck) == Hand(seed=7)


def test_decks_of_seeds_are_uniform() -> None:
    """How often each card comes first, sixth and last over many seeds: chi-square, 53 degrees of freedom."""
    decks = np.array([Hand(seed=seed).deck for seed in range(20_000)])
    for place in (0, 5, 20, 53):
        counts = np.bincount(decks[:, place], minlength=54)
        expected = len(decks) / 54
        statistic = ((counts - expected) ** 2 / expected).sum()
        assert 20 < statistic < 105, (place, statistic)
    followers = np.bincount((decks[:, 1] - decks[:, 0]) % 54, minlength=54)[1:]
    expected = len(decks) / 53
    assert 20 < ((followers - expected) ** 2 / expected).sum() < 105


# --- slots and placements -----------------------------------------------------------------


def reached_by_slots(hand: Hand) -> dict[Setting, int]:
    """Every setting of this turn and the number of slot sequences that lead to it, found by playing them."""
    found: dict[Setting, int] = {}
    seat = seat_to_act(hand)
    before = [*rows_of(hand.board(seat)), list(hand.discards(seat))]
    for first in hand.legal_actions():
        child = hand.clone()
        child.step(first)
        ends = []
        if child.player == seat and child.opening_step == 1:
            for second in child.legal_actions():
                grandchild = child.clone()
                grandchild.step(second)
                ends.append(grandchild)
        else:
            ends.append(child)
        for end in ends:
            after = [*rows_of(end.board(seat)), list(end.discards(seat))]
            top, middle, bottom, discards = (
                tuple(sorted(set(new) - set(old))) for new, old in zip(after, before, strict=True)
            )
            setting = (top, middle, bottom, discards)
            found[setting] = found.get(setting, 0) + 1
    return found


def test_every_placement_is_reached_by_exactly_one_slot_sequence() -> None:
    rng = random.Random(6)
    counts = set()
    for decisions in [0] * 8 + [2] * 4 + list(range(4, 12)) * 30:
        hand, naive = random_position(rng, decisions)
        if naive.step == 1 or naive.finished:
            continue
        found = reached_by_slots(hand)
        wanted = legal_settings(naive.in_hand, naive.board(seat_to_act(naive)))
        assert set(found) == wanted
        assert set(found.values()) == {1}
        placements = hand.placements()
        assert len(placements) == len(wanted)
        assert {setting_from(placement) for placement in placements} == wanted
        counts.add((naive.turn, len(wanted)))
        check_codec(hand, placements, rng)
    assert max(count for turn, count in counts if turn > 0) == 27
    assert {count for turn, count in counts if turn == 0} == {232}


def check_codec(hand: Hand, placements: list[Placement], rng: random.Random) -> None:
    """Slots to placement and back, and both ways of playing end in the same hand."""
    for placement in rng.sample(placements, min(len(placements), 12)):
        actions = hand.actions_of(placement)
        assert hand.placement_of(actions) == placement
        stepped, placed = hand.clone(), hand.clone()
        for action in actions:
            stepped.step(action)
        placed.place(placement)
        assert stepped == placed
        assert hash(stepped) == hash(placed)


def test_slots_mean_what_the_table_says() -> None:
    """27 + bits: to the bottom; 59 + bits: of the rest to the top; discard * 9 + row * 3 + row."""
    order = "2h 9h Kd 4c As  3d 3c 3s 7h 8h  5d Tc X1"
    deck = oracle.cards(order)
    deck += [card for card in range(54) if card not in deck]
    hand = Hand(deck=deck, button=1)
    assert list(hand.dealt) == oracle.cards("2h 9h Kd 4c As")
    hand.step(27 + 0b10100)  # Kd and As to the bottom
    assert list(hand.board(1).bottom) == oracle.cards("Kd As")
    assert list(hand.dealt) == oracle.cards("2h 9h 4c")
    assert (hand.opening_step, hand.player) == (1, 1)
    hand.step(59 + 0b010)  # 9h to the top, the rest to the middle
    assert list(hand.board(1).top) == oracle.cards("9h")
    assert list(hand.board(1).middle) == oracle.cards("2h 4c")
    assert hand.player == 0
    hand.step(27)  # nothing to the bottom
    hand.step(59 + 0b00111)
    assert list(hand.board(0).top) == oracle.cards("7h 8h 3d")
    assert list(hand.dealt) == oracle.cards("5d Tc X1")
    hand.step(1 * 9 + 2 * 3 + 0)  # Tc away, 5d to the bottom, the joker on top
    assert list(hand.board(1).bottom) == oracle.cards("5d Kd As")
    assert list(hand.board(1).top) == oracle.cards("9h X1")
    assert list(hand.discards(1)) == oracle.cards("Tc")


def test_all_five_to_the_bottom_is_one_step() -> None:
    hand = Hand(seed=3, button=0)
    dealt = list(hand.dealt)
    hand.step(58)
    assert hand.player == 1
    assert hand.opening_step == 0
    assert list(hand.board(0).bottom) == dealt
    hand = Hand(seed=3, button=0)
    whole = Placement(bottom=dealt)
    assert list(hand.actions_of(whole)) == [58]
    assert hand.placement_of([58]) == whole


def test_openings_with_four_or_five_on_top_do_not_fit() -> None:
    hand = Hand(seed=5)
    assert list(hand.legal_actions()) == list(range(27, 59))
    hand.step(27)
    legal = [59 + bits for bits in range(32) if bits.bit_count() <= 3]
    assert list(hand.legal_actions()) == legal
    hand = Hand(seed=5)
    hand.step(28)
    assert list(hand.legal_actions()) == [59 + bits for bits in range(16) if bits.bit_count() <= 3]


def test_placement_texts() -> None:
    placement = Placement(top="Ah", bottom=["Kd"], discards=oracle.cards("2c"))
    assert Placement.parse(str(placement)) == placement
    assert Placement.parse("Ah>t Kd>b 2c>x") == placement
    assert hash(Placement.parse("2c>x Kd>b Ah>t")) == hash(placement)
    assert pickle.loads(pickle.dumps(placement)) == placement
    assert placement != Placement(top="Ah", middle=["Kd"], discards="2c")
    assert (placement.top, placement.middle, placement.bottom) == ([12], [], [24])
    for wrong in ("Ah", "Ah>q", "Zz>t", "Ah>t Ah>b", "Ah>"):
        with pytest.raises(ValueError):
            Placement.parse(wrong)
