"""How an episode of the PettingZoo environment begins: seeds, options, and what is refused."""

import copy
import itertools
import random

import numpy as np
import pytest

import ofc_env
from tests.players import normalised, play_out, random_steps

MAKERS = [ofc_env.env, ofc_env.raw_env]
DECK = list(range(54))


@pytest.mark.parametrize("make", MAKERS)
def test_seed_fixes_deck_and_button_and_what_follows(make):
    first, second = make(), make()
    second.reset(seed=99)
    for seed in range(10):
        first.reset(seed=seed)
        second.reset(seed=seed)
        for _ in range(4):
            assert first.unwrapped.hand == second.unwrapped.hand
            first.reset()
            second.reset()


def test_seeds_differ_and_both_buttons_occur():
    environment = ofc_env.env()
    decks, buttons = set(), set()
    for seed in range(50):
        environment.reset(seed=seed)
        decks.add(tuple(environment.unwrapped.hand.deck))
        buttons.add(environment.unwrapped.hand.button)
    assert len(decks) == 50
    assert buttons == {0, 1}


def test_unseeded_resets_alternate_the_button_and_deal_anew():
    environment = ofc_env.env()
    environment.reset()
    hands = [environment.unwrapped.hand]
    for _ in range(7):
        environment.reset()
        hands.append(environment.unwrapped.hand)
    buttons = [hand.button for hand in hands]
    assert buttons == [buttons[0], 1 - buttons[0]] * 4
    assert len({tuple(hand.deck) for hand in hands}) == 8


def test_options():
    environment = ofc_env.env()
    environment.reset(options={"deck": DECK, "button": 1, "chips": (150, 250)})
    hand = environment.unwrapped.hand
    assert (hand.deck, hand.button, list(hand.chips)) == (DECK, 1, [150, 250])
    assert environment.agent_selection == "player_1"
    assert hand.dealt == DECK[:5]
    environment.reset()
    assert environment.unwrapped.hand.button == 0
    assert list(environment.unwrapped.hand.chips) == [200, 200]
    names = [ofc_env.card_name(card) for card in reversed(DECK)]
    environment.reset(seed=4, options={"deck": names, "button": 0})
    assert environment.unwrapped.hand.deck == DECK[::-1]


@pytest.mark.parametrize(
    "options",
    [{"deck": DECK[:-1]}, {"deck": [*DECK[:-1], 0]}, {"button": 2}, {"chips": (-1, 401)}, {"chips": (200,)}],
)
@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("make", MAKERS)
def test_bad_options_get_a_sentence_and_leave_everything(make, seed, options):
    """The hand in play, its masks and all later hands and buttons are those of an untouched twin."""
    environment = make()
    environment.reset(seed=6)
    random_steps(environment, random.Random(1), 3)
    twin = copy.deepcopy(environment)
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        environment.reset(seed=seed, options=options)
    assert normalised(environment.last()) == normalised(twin.last())
    for _ in range(3):
        assert environment.unwrapped.hand == twin.unwrapped.hand
        assert play_out(environment, random.Random(2)) == play_out(twin, random.Random(2))
        environment.reset()
        twin.reset()


@pytest.mark.parametrize("options", [{"deck": DECK}, {"chips": (100, 300)}, {"button": -1}])
def test_bad_options_leave_a_session(options):
    environment = ofc_env.env(episode="session")
    environment.reset(seed=6)
    twin = copy.deepcopy(environment)
    with pytest.raises(ValueError, match=r"\w+ .* \w+"):
        environment.reset(seed=9, options=options)
    for _ in range(3):
        assert environment.unwrapped.hand == twin.unwrapped.hand
        environment.reset()
        twin.reset()


@pytest.mark.parametrize(
    "options",
    [
        *({"chips": value} for value in ((100.5, 299.5), ("a", "b"), 7, {1}, "ab", (float("nan"), 1))),
        *({"chips": value} for value in ((1, 10**30), (1, 2, 3), itertools.count(), [[1, 2]], (None, 1))),
        *(
            {"deck": value}
            for value in (7, "", "Ah", [1.5] * 54, ["Zz"] * 54, [None] * 54, itertools.count())
        ),
        *({"button": value} for value in ("1", 0.0, float("nan"), 10**30, [0], np.array([0, 1]), {1})),
        *(["button"], 7, "deck", {"button"}),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", [None, 3])
def test_options_of_the_wrong_type_leave_everything(options, seed):
    environment = ofc_env.env()
    environment.reset(seed=6)
    twin = copy.deepcopy(environment)
    with pytest.raises((ValueError, TypeError), match=r"^[^\n]*\w+ [^\n]* \w+[^\n]*$"):
        environment.reset(seed=seed, options=options)
    for _ in range(3):
        assert environment.unwrapped.hand == twin.unwrapped.hand
        environment.reset()
        twin.reset()


def test_more_chips_than_a_hand_counts_are_refused():
    environment = ofc_env.env(rules=ofc_env.Rules(chips=30000))
    environment.reset(seed=1)
    before = environment.unwrapped.hand
    with pytest.raises(ValueError, match="chips"):
        environment.reset(options={"chips": (60001, 0)})
    assert environment.unwrapped.hand == before


@pytest.mark.parametrize("seed", [-1, 1.5, "7", float("nan"), np.float64(2), [1], np.array([1, 2]), b"1", {}])
def test_bad_seeds(seed):
    environment = ofc_env.env()
    with pytest.raises((ValueError, TypeError), match=r"the seed .* 0 or more"):
        environment.reset(seed=seed)
    with pytest.raises(AssertionError, match="needs to be called before step"):
        environment.step(30)


def test_numpy_seeds_are_seeds():
    environment = ofc_env.env()
    environment.reset(seed=np.int64(8))
    first = environment.unwrapped.hand
    environment.reset(seed=8)
    assert environment.unwrapped.hand == first
