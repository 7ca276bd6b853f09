"""Positions with cards that are nowhere: solved exactly, played legally, conserved, refused if impossible."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from functools import cache, partial
from math import comb
from typing import Any

import numpy as np
import pytest

from ofc_env import Hand, InformationSet, RewardConfig, Rules, _core, solve_fantasyland, solve_last_turn
from tests import oracle
from tests.enumeration import boards_of, fewest_undealt, last_turn_values, outcomes, short_position
from tests.oracle_play import Pay, equity, finished_boards, legal_settings, shaped, slot_setting
from tests.play import cards_of, rows_of, setting_from
from tests.rule_sets import RULE_SETS, oracle_rules
from tests.trained_networks import random_network

VALUES = {14: 11.5, 15: 18.25, 16: 25.5, 17: 31.75}
EQUITY = RewardConfig(fantasyland_values=[VALUES[width] for width in (14, 15, 16, 17)])
REWARDS: list[tuple[RewardConfig, Pay]] = [
    (EQUITY, partial(equity, fantasyland_values=VALUES)),
    (RewardConfig.preset("points"), partial(equity, fantasyland_values={})),
    (RewardConfig.preset("shaped"), shaped),
]
HOUSE, STANDARD = RULE_SETS["house"], RULE_SETS["standard"]


def positions(rules: Rules, count: int, seed: int) -> list[InformationSet]:
    """Turn 3 and 4, first and second to act, from the shortest deck of all to nine cards undealt."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        turn, first = 3 + number % 2, number // 2 % 2 == 0
        least = fewest_undealt(turn, first)
        chips = rng.randint(1, 399)
        found.append(
            short_position(rng, turn, first, rng.randint(least, max(least, 9)), rules, (chips, 400 - chips))
        )
    return found


# --- the last turn ------------------------------------------------------------------------


def compare_last_turns(rules: Rules, count: int, seed: int) -> int:
    """Positions whose slots differ in value; each of them must be solved exactly."""
    rng = random.Random(seed)
    choices = 0
    for number in range(count):
        first = number % 4 != 3
        undealt = rng.randint(4, 9)
        chips = rng.randint(1, 399)
        info = short_position(rng, 4, first, undealt, rules, (chips, 400 - chips))
        reward, pay = REWARDS[number % 3]
        wanted = last_turn_values(info, pay)
        found = solve_last_turn(info, reward=reward)
        assert sorted(found) == sorted(wanted) == info.legal_actions()
        for slot, value in wanted.items():
            assert found[slot] == pytest.approx(value, abs=1e-4), (slot, str(info))
        choices += len({round(value, 6) for value in wanted.values()}) > 1
    return choices


@pytest.mark.parametrize("name", RULE_SETS)
def test_the_last_turn_is_exact(name: str) -> None:
    assert compare_last_turns(RULE_SETS[name], 16, seed=1) > 2


@pytest.mark.prove
@pytest.mark.parametrize("name", RULE_SETS)
def test_many_last_turns_are_exact(name: str) -> None:
    assert compare_last_turns(RULE_SETS[name], 400, seed=2) > 100


def test_fewer_cards_mean_other_values() -> None:
    """What is nowhere is not drawn: the same boards with a whole deck are worth something else."""
    rng = random.Random(3)
    differ = 0
    for _ in range(12):
        info = short_position(rng, 4, True, 4, HOUSE)
        whole = InformationSet.parse(
            " ".join(word for word in str(info).split() if not word.startswith("nowhere="))
        )
        assert len(whole.unseen) > len(info.unseen)
        short = solve_last_turn(info, reward=EQUITY)
        differ += any(
            abs(value - short[s]) > 1e-3 for s, value in solve_last_turn(whole, reward=EQUITY).items()
        )
    assert differ > 3


def against_fantasyland(rng: random.Random, turn: int, width: int, rules: Rules) -> InformationSet:
    """A seat on turn 3 or 4 against fantasyland; all that is unseen is that hand and the own draws."""
    cards = rng.sample(rules.deck, 17 + width)
    own, unseen = cards[: 17 - 3 * (4 - turn)], cards[17 - 3 * (4 - turn) :]
    placed, discards, hand = own[: 3 + 2 * turn], own[3 + 2 * turn : -3], own[-3:]
    bottom, middle, top = placed[:5], placed[5:9], placed[9:]
    return InformationSet(
        top=top,
        middle=middle,
        bottom=bottom,
        hand=hand,
        discards=discards,
        turn=turn,
        opponent_fantasyland=width,
        nowhere=[card for card in rules.deck if card not in own and card not in unseen],
        rules=rules,
    )


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_fantasyland_that_is_known_by_what_is_left(name: str) -> None:
    """Where only its cards are unseen, the board against one is the one that the solver sets."""
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    rng = random.Random(11)
    for width in (14, 15, 16, 17):
        info = against_fantasyland(rng, 4, width, rules)
        assert len(info.unseen) == width
        for each in (info, against_fantasyland(rng, 3, width, rules)):
            world = Hand.from_observation(each, width)
            assert world.information(0) == each
            assert sorted(world.deck) == cards_in(each)
            assert pickle.loads(pickle.dumps(world)) == world
        stay_value = VALUES[rules.stay_cards or width]
        board = solve_fantasyland(info.unseen, stay_value=stay_value, rules=rules).board
        theirs = oracle.read_board(rows_of(board), plain)
        found = solve_last_turn(info, reward=EQUITY, samples=3)
        for slot, reading in finished_slots(info).items():
            score = oracle.score_readings(reading, theirs, fantasyland=(0, width), rules=plain)
            assert found[slot] == pytest.approx(equity(score, 0, VALUES), abs=1e-9), (slot, str(info))
        assert sorted(found) == sorted(finished_slots(info))


def finished_slots(info: InformationSet) -> dict[int, oracle.Reading]:
    """Slot of a last turn -> the board that it finishes."""
    boards = finished_boards(boards_of(info)[0], info.hand, oracle_rules(info.rules))
    slots = {slot: slot_setting(info.hand, slot, 0) for slot in range(27)}
    return {slot: boards[setting] for slot, setting in slots.items() if setting in boards}


# --- two turns left ------------------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False])
def test_all_outcomes_of_two_turns_are_listed(first: bool) -> None:
    """As many as there are, all different, each with the position's cards; and play meets no other."""
    rng = random.Random(5 + first)
    while True:
        info = short_position(rng, 3, first, fewest_undealt(3, first), STANDARD)
        unseen = info.unseen
        many = len(legal_settings(unseen[:3], boards_of(info)[1]))
        if many <= 9 - 3 * first:  # few ways to answer: a small tree
            break
    placement = rng.choice(info.placements())
    listed = {(each.draw, each.answer, each.own_draw): each.position for each in outcomes(info, placement)}
    assert len(listed) == comb(len(unseen), 3) * many * comb(len(unseen) - 3, 3)
    known = {(str(position), draw) for (draw, _, _), position in listed.items()}
    assert len(known) == len(listed)
    everything = sorted({*cards_in(info)})
    for position in rng.sample(list(listed.values()), 200):
        assert cards_in(position) == everything
        assert position.nowhere == info.nowhere
        assert position.follows(info)
        assert len(solve_last_turn(position, reward=EQUITY)) == len(position.legal_actions())
    search = _core.Pimc(reward=EQUITY, rules=STANDARD, rollouts=40, belief=True)
    assert first_slots(search.search(position.following(info), 1)) in position.legal_actions()
    met = set()
    for seed in range(400):
        world = Hand.from_observation(info, seed)
        world.place(placement)
        draw = tuple(world.dealt)
        answer = rng.choice(world.placements())
        world.place(answer)
        outcome = (draw, setting_from(answer), tuple(world.dealt))
        assert world.information(0) == listed[outcome]
        met.add(outcome)
    assert len(met) > 300


# --- worlds ----------------------------------------------------------------------------------


def cards_in(info: InformationSet) -> list[int]:
    mine, theirs = boards_of(info)
    piles = (*mine, *theirs, info.hand, info.discards, info.unseen)
    return sorted(card for pile in piles for card in pile)


@pytest.mark.parametrize("name", RULE_SETS)
def test_worlds_conserve_the_cards(name: str) -> None:
    rng = random.Random(7)
    for number, info in enumerate(positions(RULE_SETS[name], 24, seed=4)):
        cards = cards_in(info)
        assert len(cards) == len(set(cards))
        assert sorted([*cards, *info.nowhere]) == info.rules.deck
        world = Hand.from_observation(info, number)
        assert sorted(world.deck) == cards
        assert (world.rules, world.turn, world.dealt) == (info.rules, info.turn, info.hand)
        assert world.information(0) == info
        assert world.information(1).nowhere == info.nowhere
        assert world.observation(0).tobytes() == info.observation().tobytes()
        assert world.legal_actions() == info.legal_actions()
        for twin in (world.clone(), pickle.loads(pickle.dumps(world))):
            assert twin == world
            assert hash(twin) == hash(world)
        other = world.determinize(0, number)
        assert other.information(0) == info
        assert sorted(other.deck) == cards
        assert pickle.loads(pickle.dumps(other)) == other
        while not other.finished:
            other.step(rng.choice(other.legal_actions()))
        used = [card for seat in (0, 1) for card in cards_of(other.board(seat)) + other.discards(seat)]
        assert len(set(used)) == len(used) == 34
        assert set(used) <= set(cards)
        assert sum(other.result().raw_score) == 0


def test_text_pickle_and_numbers_lead_back() -> None:
    for rules in RULE_SETS.values():
        for info in positions(rules, 8, seed=5):
            assert InformationSet.parse(str(info)) == info
            assert pickle.loads(pickle.dumps(info)) == info
            numbers = info.observation()
            assert InformationSet.from_observation(numbers, rules=rules, short_deck=True) == info
            if info.nowhere:
                with pytest.raises(ValueError, match=oracle.CARD_NAMES[info.nowhere[0]]):
                    InformationSet.from_observation(numbers, rules=rules)


# --- players ---------------------------------------------------------------------------------


@cache
def network() -> _core.Network:
    return random_network().native()


def first_slots(candidates: list) -> int:
    return int(candidates[0].actions[0])


def players(rules: Rules) -> dict[str, Callable[[InformationSet], int]]:
    """A choice of slot by each way to play; the network is one for the house game."""
    told: dict[str, Any] = {"reward": EQUITY, "rules": rules}
    found: dict[str, Callable[[InformationSet], int]] = {
        "heuristic": lambda info: int(_core.Heuristic(**told).actions([info])[0]),
    }
    for exact in (True, False):
        pimc = _core.Pimc(**told, rollouts=60, exact=exact)
        ismcts = _core.Ismcts(**told, simulations=60, exact=exact)
        found[f"pimc {exact}"] = lambda info, pimc=pimc: first_slots(pimc.search(info, 1))  # type: ignore[misc]
        found[f"ismcts {exact}"] = lambda info, ismcts=ismcts: ismcts.choose(info, 1)  # type: ignore[misc]
    for name, pimc in {"race": _core.Pimc(**told, rollouts=60, race=False, belief=True)}.items():
        found[f"pimc {name}"] = lambda info, pimc=pimc: first_slots(pimc.search(info, 1))  # type: ignore[misc]
    if rules == HOUSE:
        options: list[dict[str, Any]] = [{"sims": 0}, {"sims": 40}, {"sims": 40, "root": "tree"}]
        for given in [*options, *({**each, "exact": False} for each in options)]:
            search = _core.NetworkSearch(network(), reward=EQUITY, **given)
            found[f"alphazero {given}"] = lambda info, search=search: int(  # type: ignore[misc]
                search.actions([info], 1)[0]
            )
    return found


@pytest.mark.parametrize("rules", [HOUSE, STANDARD], ids=["house", "standard"])
def test_players_play_short_positions(rules: Rules) -> None:
    """On the shortest decks of all too, a legal slot; on the last turn, searched exactly, a best one."""
    rng = random.Random(12)
    hidden = [against_fantasyland(rng, turn, width, rules) for turn in (3, 4) for width in (14, 17)]
    for name, choose in players(rules).items():
        for info in positions(rules, 12, seed=6) + hidden:
            slot = choose(info)
            assert slot in info.legal_actions(), (name, str(info))
            if info.turn == 4 and name in ("pimc True", "ismcts True") and not info.opponent_fantasyland:
                values = solve_last_turn(info, reward=EQUITY)
                assert values[slot] == pytest.approx(max(values.values()), abs=1e-4), (name, str(info))


# --- refusals ----------------------------------------------------------------------------------


def refused(text: str, *offenders: str) -> None:
    with pytest.raises(ValueError) as refusal:
        InformationSet.parse(text)
    message = str(refusal.value)
    assert "\n" not in message
    for offender in offenders:
        assert offender in message, message


def keywords(info: InformationSet) -> dict[str, Any]:
    names = [f"{side}{row}" for side in ("", "opponent_") for row in ("top", "middle", "bottom")]
    names += ["hand", "discards", "nowhere", "turn", "button", "chips", "opponent_chips", "rules"]
    return {name: getattr(info, name) for name in names}


def test_impossible_short_positions_are_refused() -> None:
    info = short_position(random.Random(8), 4, True, 3, HOUSE)
    text = str(info)
    assert InformationSet(**keywords(info)) == info
    # a deck that is too short for its hand
    fewer = text.replace("nowhere=", f"nowhere={oracle.CARD_NAMES[info.unseen[0]]},")
    refused(fewer, "33 cards", "34")
    # a card that is nowhere and placed, in hand or thrown away
    for card in (boards_of(info)[0][2][0], boards_of(info)[1][2][0], info.hand[0], info.discards[0]):
        name = oracle.CARD_NAMES[card]
        refused(text.replace("nowhere=", f"nowhere={name},"), name, "nowhere")
        with pytest.raises(ValueError, match=f"{name} is nowhere"):
            InformationSet(**{**keywords(info), "nowhere": [*info.nowhere, card]})
    # an opponent with an impossible number of cards
    words = [word for word in text.split() if not word.startswith("opponent_bottom=")]
    refused(" ".join(words), "the opponent has placed")
    # a card that the rules' deck lacks, wherever it is said to be
    plain = short_position(random.Random(9), 4, False, 4, STANDARD)
    kept = [word for word in str(plain).split() if not word.startswith("hand=")]
    held = ",".join(oracle.CARD_NAMES[card] for card in plain.hand[:2])
    refused(" ".join([*kept, f"hand={held},X1"]), "X1", "standard")
    refused(str(plain).replace("nowhere=", "nowhere=X1,"), "X1", "standard")
    for name in ("hand", "nowhere"):
        with pytest.raises(ValueError, match="X1 is not in the deck of the rules 'standard'"):
            InformationSet(**{**keywords(plain), name: [*getattr(plain, name)[:2], 52]})
    numbers = plain.observation()
    numbers[plain.hand[0] * 9 + 6], numbers[52 * 9 + 6] = 0.0, 1.0
    with pytest.raises(ValueError, match="X1"):
        InformationSet.from_observation(np.ascontiguousarray(numbers), rules=STANDARD, short_deck=True)


def test_a_position_of_another_game_is_refused() -> None:
    """A player is made for its rules, and a short deck does not hide what game it is."""
    info = short_position(random.Random(10), 4, True, 4, STANDARD)
    for player in (_core.Heuristic(reward=EQUITY).rank, _core.Pimc(reward=EQUITY).search):
        with pytest.raises(ValueError, match="standard"):
            player(info)
    assert solve_last_turn(info, reward=EQUITY, rules=STANDARD.replace(chips=70)) == solve_last_turn(
        info, reward=EQUITY
    )
