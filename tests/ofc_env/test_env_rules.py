"""The environments under other rules: decks, who acts, spaces, pictures, relabellings, PettingZoo's tests."""

import random
import re
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import ofc_env
from agents.turns import seat_to_act
from ofc_env import Rules, rendering, symmetry
from ofc_env.layout import BUTTON, MY_CHIPS, card_places
from tests.players import play_out, random_slot

ODD = "fixed14 jokers=1 button_acts=last scoop=1 foul=2 stay_bottom=trips chips=77"
SETS = ("standard", ODD)


@pytest.mark.parametrize("rules", SETS)
@pytest.mark.parametrize("episode", ["hand", "session"])
def test_pettingzoo_tests(rules, episode):
    make = partial(ofc_env.env, rules=rules, episode=episode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all-zero masks and dict observations are meant
        api_test(make(), num_cycles=300)
    seed_test(make, num_cycles=300)


@pytest.mark.parametrize("rules", [*SETS, "house"])
def test_observations_hold_the_cards_of_the_rules_and_the_right_order(rules):
    """Every card of the deck is in one place, absent jokers in none; the button's number says who that is."""
    value = Rules.parse(rules)
    environment, generator = ofc_env.raw_env(rules=rules), random.Random(1)
    space: Any = environment.observation_space("player_0")["observation"]  # type: ignore[index]
    for seed in range(20):
        environment.reset(seed=seed)
        hand = environment.hand
        expected = hand.button if value.button_acts == "first" else 1 - hand.button
        assert environment.agent_selection == f"player_{expected}"
        while environment.agents and not any(environment.terminations.values()):
            agent = environment.agent_selection
            seen = environment.observe(agent)["observation"]
            assert space.contains(seen)
            assert environment.state_space.contains(environment.state())
            places = card_places(seen).sum(axis=1)
            assert (places == (np.arange(54) < value.num_cards)).all()
            assert seen[BUTTON] == (agent == f"player_{hand.button}")
            assert ofc_env.decode_observation(seen, rules).rules == value
            environment.step(random_slot(environment.observe(agent)["action_mask"], generator))
        assert environment.hand.finished
    assert space.high[MY_CHIPS] == np.float32(2 * value.chips / 200)


@pytest.mark.parametrize(("rules", "cards"), [("standard", 52), ("house jokers=1", 53), ("house", 54)])
def test_a_deck_is_exactly_the_cards_of_the_rules(rules, cards):
    environment = ofc_env.env(rules=rules)
    deck = list(range(cards))[::-1]
    environment.reset(options={"deck": deck, "button": 0})
    assert environment.unwrapped.hand.deck == deck
    # Dealt from the front, in the order of acting.
    assert environment.unwrapped.hand.dealt == sorted(deck[:5])
    assert environment.agent_selection == ("player_1" if rules == "standard" else "player_0")
    for wrong in (deck[:-1], [*deck, 53], [*deck[:-1], deck[0]], list(range(1, cards + 1))):
        with pytest.raises(ValueError):
            environment.reset(options={"deck": wrong})
    with pytest.raises(TypeError, match=f"give the {cards} of the rules"):
        environment.reset(options={"deck": 7})
    assert environment.unwrapped.hand.deck == deck


@pytest.mark.parametrize("rules", SETS)
def test_a_batch_plays_what_single_hands_play(rules):
    value = Rules.parse(rules)
    batch = ofc_env.BatchEnv(16, seed=5, rules=rules)
    decks = [np.random.default_rng(table).permutation(value.num_cards).tolist() for table in range(16)]
    buttons = [table % 2 for table in range(16)]
    batch.reset(envs=list(range(16)), buttons=buttons, decks=decks)
    hands = [
        ofc_env.Hand(deck=deck, button=button, chips=(value.chips,) * 2, rules=value)
        for deck, button in zip(decks, buttons)
    ]
    assert batch.players.tolist() == [1 - button for button in buttons]
    while not hands[0].finished:
        for table, hand in enumerate(hands):
            if not hand.finished:
                assert hand.player == batch.players[table]
                assert (batch.observations[table] == hand.observation(seat_to_act(hand))).all()
        slots = batch.random_actions()
        batch.step(slots)
        for table, hand in enumerate(hands):
            hand.step(int(slots[table]))
        for table in np.flatnonzero(batch.dones).tolist():
            assert batch.rewards[table].tolist() == list(hands[table].result().raw_score)
        if batch.dones.any():
            break


def test_text_and_picture_say_when_the_button_acts():
    rules = Rules.preset("standard")
    hand = ofc_env.Hand(seed=3, button=0, rules=rules)
    text = rendering.render_text(hand)
    assert text.startswith("turn 0 of 4, player_1 to act")
    assert "player_0 (button last), 200 chips" in text
    assert "player_0 (button), 200 chips" in rendering.render_text(ofc_env.Hand(seed=3, button=0))
    words = re.findall(r"\b[2-9TJQKA][hdcs]\b", text)
    assert sorted(words) == sorted(ofc_env.card_names(hand.dealt))
    pytest.importorskip("PIL")
    # The same cards, the same seat to act: only the note beside the button differs.
    deck = list(range(54))
    first = rendering.render_picture(ofc_env.Hand(deck=deck, button=1))
    last = rendering.render_picture(ofc_env.Hand(deck=deck, button=1, rules="button_acts=last"))
    assert (first != last).any()
    environment = ofc_env.env(rules="standard", render_mode="rgb_array")
    environment.reset(seed=1)
    assert environment.render().shape == (660, 1000, 3)


def test_relabellings_keep_the_deck_of_the_rules():
    """One joker cannot become the other, which is not there: 24 copies, all of them observations."""
    for rules, copies in (("house", 48), ("house jokers=1", 24), ("standard", 24)):
        numbers = symmetry.of_rules(rules)
        deck = set(Rules.parse(rules).deck)
        assert len(numbers) == copies
        assert all(set(symmetry.relabel_cards(sorted(deck), int(number))) == deck for number in numbers)
        opening = ofc_env.parse_cards("2h 3d 4c 5s 6h" if rules == "standard" else "2h 3d 4c 5s X1")
        hand = ofc_env.Hand(deck=[*opening, *sorted(deck - set(opening))], rules=rules)
        seen, mask = hand.observation(seat_to_act(hand)), hand.action_mask()
        observations, masks, _ = symmetry.relabel_all(seen, mask, hand.legal_actions()[0], rules)
        assert len(np.unique(observations, axis=0)) == copies
        for observation, legal in zip(observations, masks):
            known = ofc_env.decode_observation(observation, rules)
            assert (known.action_mask() == legal).all()


def test_random_play_ends_with_the_points_of_the_rules():
    """A foul costs two points here, where the house takes six."""
    seen = set()
    for seed in range(200):
        environment = ofc_env.raw_env(rules="foul=2")
        environment.reset(seed=seed)
        play_out(environment, random.Random(seed))
        result = environment.hand.result()
        if result.busted[0] and not result.busted[1]:
            seen.add(result.raw_score[1] - result.royalties[1].total)
    assert seen == {2}
