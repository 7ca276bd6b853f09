"""Random playouts in the core: the same game as random play through `Hand`, only faster."""

from __future__ import annotations

import random

import pytest

from ofc_env import Hand, Rules, random_playouts


def test_playouts_are_fixed_by_their_seed() -> None:
    first = random_playouts(2_000, seed=1)
    assert first == random_playouts(2_000, seed=1)
    assert first != random_playouts(2_000, seed=2)
    assert first["hands"] == 2_000
    assert random_playouts(0, seed=1)["hands"] == 0


def test_playouts_resemble_random_play() -> None:
    """Fouls, royalties and fantasyland a board, within the error of the smaller sample."""
    rng = random.Random(3)
    hands = 20_000
    fouls = royalties = 0
    for seed in range(hands):
        hand = Hand(seed=seed, button=seed % 2)
        while not hand.finished:
            hand.place(rng.choice(hand.placements()))
        result = hand.result()
        fouls += sum(result.busted)
        royalties += sum(each.total for each in result.royalties)
    many = random_playouts(200_000, seed=4)
    rate = many["fouls"] / many["hands"]
    assert rate == pytest.approx(fouls / hands, abs=0.03)
    assert many["royalties_sum"] / many["hands"] == pytest.approx(royalties / hands, abs=0.03)
    assert abs(many["points_sum"]) < 5 * 8 * many["hands"] ** 0.5
    assert 0.0005 < many["fantasyland_entries"] / many["hands"] < 0.02


def test_rules_change_playouts_and_wrong_counts_are_refused() -> None:
    easy = random_playouts(2_000, seed=5, rules=Rules(fantasyland_pairs=[14] * 13))
    assert easy["fantasyland_entries"] > random_playouts(2_000, seed=5)["fantasyland_entries"]
    with pytest.raises(ValueError, match="-1"):
        random_playouts(-1)
