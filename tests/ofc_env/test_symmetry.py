"""Relabelled cards: the engine dealt the renamed deck gives the renamed observation, mask and next states."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

import ofc_env
from ofc_env import symmetry


def renamed_hand(hand, number):
    """A hand at its start, with every card of its deck renamed."""
    return ofc_env.Hand(
        deck=symmetry.relabel_cards(hand.deck, number), button=hand.button, chips=tuple(hand.chips)
    )


@pytest.mark.parametrize("number", range(symmetry.COUNT))
def test_the_engine_agrees_with_every_relabelling(number):
    """Whole hands side by side: each observation, mask and action renamed is what the renamed hand has."""
    for seed in range(6):
        generator = random.Random(100 * number + seed)
        hand = ofc_env.Hand(seed=generator.getrandbits(40), button=seed % 2, chips=(170, 230))
        twin = renamed_hand(hand, number)
        while not hand.finished:
            for seat in (0, 1):
                observation = hand.observation(seat)
                mask = hand.action_mask() if seat == hand.player else np.zeros(150, dtype=np.int8)
                new_observation, new_mask, _ = symmetry.relabel(observation, mask, -1, number)
                assert (new_observation == twin.observation(seat)).all()
                assert (new_mask == (twin.action_mask() if seat == twin.player else 0)).all()
            action = generator.choice(hand.legal_actions())
            *_, new_action = symmetry.relabel(
                hand.observation(hand.player or 0), hand.action_mask(), action, number
            )
            assert int(new_action) in twin.legal_actions()
            hand.step(action)
            twin.step(int(new_action))
            for seat in (0, 1):
                for row in ("top", "middle", "bottom"):
                    cards = symmetry.relabel_cards(getattr(hand.board(seat), row), number)
                    assert sorted(cards) == sorted(getattr(twin.board(seat), row))
                assert sorted(symmetry.relabel_cards(hand.discards(seat), number)) == sorted(
                    twin.discards(seat)
                )
        assert hand.result().raw_score == twin.result().raw_score


@pytest.mark.parametrize("number", [1, 5, 22, 47])
def test_every_legal_action_leads_to_the_renamed_state(number):
    """Not only the action played: each one of a hand's positions."""
    generator = random.Random(number)
    hand = ofc_env.Hand(seed=number)
    twin = renamed_hand(hand, number)
    while not hand.finished:
        observation, mask = hand.observation(hand.player or 0), hand.action_mask()
        legal = hand.legal_actions()
        rows = len(legal)
        *_, new_actions = symmetry.relabel(
            np.repeat(observation[None], rows, axis=0), np.repeat(mask[None], rows, axis=0), legal, number
        )
        assert sorted(new_actions.tolist()) == twin.legal_actions()
        for action, new_action in zip(legal, new_actions.tolist(), strict=True):
            after, twin_after = hand.clone(), twin.clone()
            after.step(action)
            twin_after.step(new_action)
            for seat in (0, 1):
                expected = symmetry.relabel_observation(after.observation(seat)[None], number)[0]
                assert (expected == twin_after.observation(seat)).all()
        action = generator.randrange(rows)
        hand.step(legal[action])
        twin.step(int(new_actions[action]))


def positions(count):
    """Random positions: observations, masks and one legal action of each."""
    generator = random.Random(8)
    observations: list[Any] = []
    masks: list[Any] = []
    actions: list[int] = []
    while len(observations) < count:
        hand = ofc_env.Hand(seed=generator.getrandbits(40))
        while not hand.finished:
            observations.append(hand.observation(hand.player or 0))
            masks.append(hand.action_mask())
            actions.append(generator.choice(hand.legal_actions()))
            hand.step(actions[-1])
    return np.array(observations[:count]), np.array(masks[:count]), np.array(actions[:count])


def test_there_are_48_different_maps():
    assert len({tuple(cards) for cards in symmetry.CARD_MAPS.tolist()}) == symmetry.COUNT == 48
    for cards in symmetry.CARD_MAPS:
        assert sorted(cards.tolist()) == list(range(54))
        assert set(cards[52:].tolist()) == {52, 53}
        assert (cards[:52] % 13 == np.arange(52) % 13).all()  # ranks never change


def test_all_copies_of_a_position():
    observations, masks, actions = positions(30)
    copies, copy_masks, copy_actions = symmetry.relabel_all(observations[3], masks[3], int(actions[3]))
    assert copies.shape == (48, 490)
    assert (copies[0] == observations[3]).all()
    assert (copy_masks.sum(axis=1) == masks[3].sum()).all()
    assert copy_masks[np.arange(48), copy_actions].all()
    opening = next(row for row in observations if len(ofc_env.decode_observation(row).hand) == 5)
    distinct = {row.tobytes() for row in symmetry.relabel_all(opening, masks[0], 0)[0]}
    assert len(distinct) > 1


def test_identity_changes_nothing():
    observations, masks, actions = positions(60)
    new = symmetry.relabel(observations, masks, actions, symmetry.IDENTITY)
    for given, returned in zip((observations, masks, actions), new, strict=True):
        assert (given == returned).all()


def test_inverse_undoes():
    observations, masks, actions = positions(40)
    for number in range(48):
        there = symmetry.relabel(observations, masks, actions, number)
        back = symmetry.relabel(*there, symmetry.inverse(number))
        for given, returned in zip((observations, masks, actions), back, strict=True):
            assert (given == returned).all()


def test_composition():
    observations, masks, actions = positions(12)
    for first, second in itertools.product(range(0, 48, 5), range(0, 48, 7)):
        one_by_one = symmetry.relabel(*symmetry.relabel(observations, masks, actions, first), second)
        at_once = symmetry.relabel(observations, masks, actions, symmetry.compose(first, second))
        for given, returned in zip(one_by_one, at_once, strict=True):
            assert np.array_equal(np.asarray(given), np.asarray(returned))


def test_a_number_for_each_row():
    observations, masks, actions = positions(96)
    numbers = np.random.default_rng(1).integers(48, size=96)
    together = symmetry.relabel(observations, masks, actions, numbers)
    for row, number in enumerate(numbers.tolist()):
        single = symmetry.relabel(observations[row], masks[row], int(actions[row]), number)
        for batch, alone in zip(together, single, strict=True):
            assert np.array_equal(np.asarray(batch)[row], np.asarray(alone))


def test_policies_move_with_the_slots():
    observations, masks, _ = positions(50)
    policies = masks * np.random.default_rng(2).random(masks.shape)
    _, moved, _ = symmetry.relabel(observations, policies, np.full(50, -1), 19)
    _, new_masks, _ = symmetry.relabel(observations, masks, np.full(50, -1), 19)
    assert ((moved > 0) == (new_masks > 0)).all()
    assert np.sort(moved, axis=1) == pytest.approx(np.sort(policies, axis=1))


def test_slot_maps_are_orders_of_all_slots():
    observations, _, _ = positions(60)
    for number in range(0, 48, 11):
        moved = symmetry.slot_map(observations, number)
        assert (np.sort(moved, axis=1) == np.arange(150)).all()
        assert (moved[:, 91:] == np.arange(91, 150)).all()


def test_given_arrays_are_left_alone():
    observations, masks, actions = positions(20)
    before = [array.copy() for array in (observations, masks, actions)]
    symmetry.relabel(observations, masks, actions, 33)
    for array, then in zip((observations, masks, actions), before, strict=True):
        assert (array == then).all()


@pytest.mark.parametrize("number", [-1, 48])
def test_unknown_numbers_get_a_sentence(number):
    observations, masks, actions = positions(2)
    for call in (
        lambda: symmetry.inverse(number),
        lambda: symmetry.compose(0, number),
        lambda: symmetry.relabel(observations, masks, actions, number),
    ):
        with pytest.raises(ValueError, match="there is no relabelling"):
            call()
    with pytest.raises(ValueError, match="cannot relabel 2 rows"):
        symmetry.relabel(observations, masks, actions, [1, 2, 3])
