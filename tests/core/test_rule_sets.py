"""Boards, hands, sessions and fantasyland settings by ten rule sets against the oracle.

The suite holds a small share of what `make prove` holds: for every rule set 20,000 boards, 2,000 hands, 100
sessions with fantasyland played out, and the solver against brute force on 200 hands of 14 cards.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ofc_env import BatchEnv, Board, Hand, Rules, Session, _core, score_boards, solve_fantasyland
from tests import oracle
from tests.boards import disjoint_opponents, random_pair
from tests.oracle_play import NaiveHand, best_fantasyland
from tests.play import (
    board_of,
    check_board,
    check_hand,
    check_observation,
    check_result,
    play_randomly,
    random_position,
    rows_of,
    seat_to_act,
    setting_from,
    shuffled_deck,
)
from tests.rule_sets import RULE_SETS, oracle_rules

STAY_VALUES = (0.0, 3.5, 11.6, 15.0, 40.0, -6.0)
by_rule_set = pytest.mark.parametrize("name", RULE_SETS)


def test_the_sets_touch_every_field() -> None:
    assert len(RULE_SETS) == 10
    assert len(set(RULE_SETS.values())) == 10
    for field in Rules.fields():
        assert len({str(getattr(rules, field.name)) for rules in RULE_SETS.values()}) > 1, field.name
    assert {rules.jokers for rules in RULE_SETS.values()} == {0, 1, 2}
    assert {(rules.jokers > 0, rules.button_acts) for rules in RULE_SETS.values()} == {
        (jokers, acts) for jokers in (False, True) for acts in ("first", "last")
    }


def test_the_presets_are_what_they_say() -> None:
    """The four presets as the oracle writes them, by hand."""
    wide = (0,) * 10
    presets = {
        "house": oracle.OracleRules(),
        "standard": oracle.OracleRules(jokers=0, button_first=False),
        "fixed14": oracle.OracleRules(fantasyland_pairs=(*wide, 14, 14, 14), fantasyland_trips=14),
        "no_fantasyland": oracle.OracleRules(fantasyland_pairs=(*wide, 0, 0, 0), fantasyland_trips=0),
    }
    assert list(RULE_SETS)[:4] == list(presets)
    for name, rules in presets.items():
        assert oracle_rules(Rules.preset(name)) == rules
        assert oracle_rules(RULE_SETS[name]) == rules
        assert Rules.parse(name) == Rules.preset(name)
        assert Rules.preset(name).name == name


@by_rule_set
def test_text_name_and_deck(name: str) -> None:
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    assert Rules.parse(rules.name) == Rules.parse(str(rules)) == rules
    assert rules.deck == plain.deck
    assert rules.num_cards == len(plain.deck)
    won = {*plain.fantasyland_pairs, plain.fantasyland_trips} - {0}
    kept = {plain.stay_cards} - {0} if won and any(bar is not None for bar in plain.stay_from) else set()
    assert rules.widths == sorted(won | kept)


# --- boards -----------------------------------------------------------------------------


@by_rule_set
def test_who_acts_first(name: str) -> None:
    rules = RULE_SETS[name]
    for button in (0, 1):
        first = button if oracle_rules(rules).button_first else 1 - button
        assert rules.first_to_act(button) == Hand(seed=1, button=button, rules=rules).player == first


def compare_boards(name: str, pairs: int, seed: int) -> Counter[str]:
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    rng = random.Random(f"boards {name} {seed}")
    seen: Counter[str] = Counter()
    for number in range(pairs):
        first, second = random_pair(rng, plain.jokers > 0 and number % 3 == 0, plain.jokers)
        pool = rng.choice((2 * plain.chips, 400, 40))
        chips = rng.randint(0, pool)
        stacks = (chips, pool - chips)
        widths = (rng.choice((0, 0, 14, 17)), rng.choice((0, 0, 15, 16)))
        score = oracle.score_rows(first, second, stacks, widths, plain)
        boards = board_of(first, rules), board_of(second, rules)
        check_result(score_boards(*boards, chips=stacks, fantasyland=widths, rules=rules), score)
        for board, rows, reading in zip(boards, (first, second), score.readings, strict=True):
            check_board(board, rows, reading)
            outlook = _core.board_outlook(board)
            assert outlook.fouled == reading.fouled
            assert reading.fouled or tuple(outlook.royalties) == (*reading.royalties, reading.total)
            assert (outlook.fantasyland_cards, outlook.stays) == (reading.entry_cards, reading.stays)
            seen[f"fouled {reading.fouled}"] += 1
            seen[f"stays {reading.stays}"] += 1
            seen[f"entry {reading.entry_cards}"] += 1
        seen[f"fouls {sum(reading.fouled for reading in score.readings)}"] += 1
    return seen


@by_rule_set
def test_boards(name: str) -> None:
    compare_boards(name, 250, seed=0)


@pytest.mark.prove
@by_rule_set
def test_many_boards(name: str) -> None:
    seen = compare_boards(name, 10_000, seed=1)
    plain = oracle_rules(RULE_SETS[name])
    assert min(seen[f"fouls {count}"] for count in range(3)) > 100
    widths = {*plain.fantasyland_pairs, plain.fantasyland_trips}
    assert all(seen[f"entry {width}"] for width in widths)
    assert bool(seen["stays True"]) == any(bar is not None for bar in plain.stay_from)


# --- hands ------------------------------------------------------------------------------


def seat_widths(rules: Rules, rng: random.Random) -> tuple[int, int]:
    """Normal hands for the most part, else fantasyland of one seat or of both, as the rules have it."""
    widths = rules.widths or [0]
    kinds = ((0, 0), (0, 0), (0, 0), (rng.choice(widths), 0), (0, rng.choice(widths)))
    return rng.choice((*kinds, (rng.choice(widths), rng.choice(widths))))


def compare_hands(name: str, hands: int, seed: int) -> None:
    """Every state: who acts with which cards, legal slots, the numbers of both seats, and the score."""
    rules = RULE_SETS[name]
    rng = random.Random(f"hands {name} {seed}")
    for _ in range(hands):
        hand, naive = random_position(rng, 0, seat_widths(rules, rng), rules)
        while True:
            check_hand(hand, naive)
            for seat in (0, 1):
                check_observation(hand, naive, seat)
            if naive.finished:
                break
            play_randomly(rng, hand, naive)
        check_result(hand.result(), naive.score())


@by_rule_set
def test_hands(name: str) -> None:
    compare_hands(name, 12, seed=0)


@pytest.mark.prove
@by_rule_set
def test_many_hands(name: str) -> None:
    compare_hands(name, 2_000, seed=1)


@by_rule_set
def test_the_deal_follows_the_order_of_acting(name: str) -> None:
    """Five and five, then three and three, to whoever acts first by the rules, then to the other."""
    rules = RULE_SETS[name]
    for button in (0, 1):
        deck = random.Random(button).sample(rules.deck, rules.num_cards)
        hand = Hand(deck=deck, button=button, rules=rules)
        first = button if rules.button_acts == "first" else 1 - button
        front = 0
        for turn in range(5):
            for seat in (first, 1 - first):
                width = 3 if turn else 5
                assert (hand.player, hand.turn) == (seat, turn)
                assert hand.dealt == sorted(deck[front : front + width])
                hand.place(hand.placements()[0])
                front += width
        assert hand.finished
        assert front == 34


@by_rule_set
def test_a_batch_deals_and_scores_by_the_rules(name: str) -> None:
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    env = BatchEnv(4, seed=1, reward="points", rules=rules)
    rng = random.Random(9)
    for _ in range(5):
        decks = [shuffled_deck(rng, plain) for _ in range(4)]
        env.reset(envs=range(4), decks=decks, buttons=[0, 1, 0, 1])
        hands = [
            NaiveHand(deck, number % 2, (plain.chips, plain.chips), (0, 0), plain)
            for number, deck in enumerate(decks)
        ]
        while not all(hand.finished for hand in hands):
            for number, hand in enumerate(hands):
                seat = seat_to_act(hand)
                assert env.players[number] == seat
                np.testing.assert_array_equal(env.observations[number], hand.observation(seat))
                assert np.flatnonzero(env.action_masks[number]).tolist() == hand.legal_slots()
            # 58 would place an opening in one step: without it all four hands end together
            actions = [rng.choice([slot for slot in hand.legal_slots() if slot != 58]) for hand in hands]
            env.step(np.array(actions))
            for hand, action in zip(hands, actions, strict=True):
                hand.play_slot(action)
        for number, hand in enumerate(hands):
            assert env.dones[number]
            assert tuple(env.rewards[number]) == hand.score().raw_score


@by_rule_set
def test_a_deck_has_the_jokers_of_its_rules(name: str) -> None:
    """A single joker is X1; no other ever shows, and none is taken from outside the rules' deck."""
    rules = RULE_SETS[name]
    strange = [card for card in oracle.JOKERS if card not in rules.deck]
    assert [card for card in rules.deck if card >= 52] == list(oracle.JOKERS[: rules.jokers])
    for seed in range(20):
        assert sorted(Hand(seed=seed, rules=rules).deck) == rules.deck
    for card in strange:
        full = [*rules.deck[:-1], card]
        with pytest.raises(ValueError, match=oracle.CARD_NAMES[card]):
            Hand(deck=full, rules=rules)
        with pytest.raises(ValueError, match=oracle.CARD_NAMES[card]):
            Board(top=[card], rules=rules)
        for solver in (solve_fantasyland, _core.brute_force_fantasyland):
            with pytest.raises(ValueError, match=oracle.CARD_NAMES[card]):
                solver([*range(13), card], stay_value=0, rules=rules)
    with pytest.raises(ValueError, match=f"{rules.num_cards} cards"):
        Hand(deck=rules.deck[:-1], rules=rules)


# --- sessions ---------------------------------------------------------------------------


def play_session(session: Session, player: _core.Heuristic, plain: oracle.OracleRules) -> Counter[str]:
    """A session to its end, each hand beside the naive one; fantasyland hands are set by the solver."""
    seen: Counter[str] = Counter()
    chips, widths, button = (plain.chips, plain.chips), (0, 0), session.button
    while not session.finished:
        assert (tuple(session.chips), tuple(session.fantasyland)) == (chips, widths)
        assert session.button == (button + session.hands_played) % 2
        hand = session.hand
        naive = NaiveHand(list(hand.deck), session.button, chips, widths, plain)
        number = session.hands_played
        while session.hands_played == number:
            hand = session.hand
            check_hand(hand, naive)
            if hand.in_fantasyland:
                solution = solve_fantasyland(hand.dealt, stay_value=10.0, rules=session.rules)
                session.place(solution.placement)
                naive.play(setting_from(solution.placement))
            else:
                slot = int(player.actions([hand.information(seat_to_act(hand))])[0])
                session.step(slot)
                naive.play_slot(slot)
        assert naive.finished
        score = naive.score()
        check_result(session.history[-1], score)
        for seat, board in enumerate(session.history[-1].boards):
            assert rows_of(board) == naive.board(seat)
        seen[("normal", "one in fantasyland", "both in fantasyland")[sum(width > 0 for width in widths)]] += 1
        seen["stay"] += any(score.stay)
        chips, widths = score.chips, score.next_cards
        assert session.finished != oracle.session_goes_on(chips, widths, plain)
    assert tuple(session.chips) == chips
    assert session.reason == ("no_chips" if min(chips) == 0 else "chip_gap")
    assert session.winner == (None if chips[0] == chips[1] else 0 if chips[0] > chips[1] else 1)
    return seen


def compare_sessions(name: str, sessions: int, seed: int) -> Counter[str]:
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    player = _core.Heuristic(reward="points fantasyland_values=20,24,28,32", rules=rules)
    seen: Counter[str] = Counter()
    for number in range(sessions):
        session = Session(seed=seed + number, rules=rules, auto_fantasyland=False)
        seen += play_session(session, player, plain)
    return seen


@by_rule_set
def test_sessions(name: str) -> None:
    compare_sessions(name, 2, seed=0)


@pytest.mark.prove
@by_rule_set
def test_many_sessions(name: str) -> None:
    plain = oracle_rules(RULE_SETS[name])
    seen = compare_sessions(name, 100, seed=1000)
    fantasyland = seen["one in fantasyland"] + seen["both in fantasyland"]
    assert (fantasyland > 20) == (plain != oracle_rules(Rules.preset("no_fantasyland")))
    if any(bar is not None for bar in plain.stay_from) and fantasyland:
        assert seen["stay"] > 0


# --- fantasyland ------------------------------------------------------------------------


def fantasyland_hands(name: str, count: int, seed: int) -> list[tuple[list[int], float]]:
    """Random cards and a stay value; as many hands with a joker as without, where there are any."""
    rules = RULE_SETS[name]
    rng = random.Random(f"fantasyland {name} {seed}")
    found = []
    for number in range(count):
        jokers = min((1, 0, 2, 0)[number % 4], rules.jokers)
        dealt = rng.sample(range(52), 14 - jokers) + rng.sample(oracle.JOKERS[: rules.jokers], jokers)
        found.append((rng.sample(dealt, 14), STAY_VALUES[number % len(STAY_VALUES)]))
    return found


Check = Callable[[list[int], float], tuple[float, tuple[int, ...]]]


def solved_by(solver: Callable, rules: Rules, plain: oracle.OracleRules) -> Check:
    """Value and rows (bottom, middle, top) of what a solver of the core finds, judged by the oracle."""

    def solve(dealt: list[int], stay_value: float) -> tuple[float, tuple[int, ...]]:
        solution = solver(dealt, stay_value=stay_value, rules=rules)
        placement = solution.placement
        assert sorted([*sum(setting_from(placement), ())]) == sorted(dealt)
        reading = oracle.read_board((placement.top, placement.middle, placement.bottom), plain)
        assert not reading.fouled
        assert (solution.royalties, solution.stays) == (reading.total, reading.stays)
        worth = reading.total + (stay_value if reading.stays else 0.0)
        assert solution.value == pytest.approx(worth, abs=1e-9)
        return worth, tuple(oracle.encode(value) for value in reversed(reading.values) if value is not None)

    return solve


def compare_settings(name: str, count: int, seed: int) -> None:
    """Alone, and every third hand also against known boards: rows won, and fouls, count then."""
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    rng = random.Random(seed)
    solved = solved_by(solve_fantasyland, rules, plain)
    forced = solved_by(_core.brute_force_fantasyland, rules, plain)
    for dealt, stay_value in fantasyland_hands(name, count, seed):
        wanted, found = forced(dealt, stay_value), solved(dealt, stay_value)
        assert found[0] == pytest.approx(wanted[0], abs=1e-9), f"{oracle.names(dealt)}, stay {stay_value}"
        assert found[1] == wanted[1], f"{oracle.names(dealt)}, stay {stay_value}"
        if rng.randrange(3) == 0:
            opponents = disjoint_opponents(rng, dealt, 3)
            boards = [board_of(rows, rules) for rows in opponents]
            options: dict[str, Any] = {"stay_value": stay_value, "opponent": boards, "rules": rules}
            solution = solve_fantasyland(dealt, **options)
            best = _core.brute_force_fantasyland(dealt, **options).value
            assert solution.value == pytest.approx(best, abs=1e-9), oracle.names(dealt)
            points = [
                oracle.score_rows(rows_of(solution.board), rows, rules=plain).raw_score[0]
                for rows in opponents
            ]
            worth = sum(points) / 3 + (stay_value if solution.stays else 0.0)
            assert solution.value == pytest.approx(worth, abs=1e-9), oracle.names(dealt)


@by_rule_set
def test_fantasyland_settings(name: str) -> None:
    compare_settings(name, 3, seed=0)


@pytest.mark.prove
@by_rule_set
def test_many_fantasyland_settings(name: str) -> None:
    compare_settings(name, 200, seed=1)


@pytest.mark.prove
@by_rule_set
def test_brute_force_equals_plain_python(name: str) -> None:
    """Every one of the million settings of 14 cards, value and tie-break, with a joker and without."""
    rules, plain = RULE_SETS[name], oracle_rules(RULE_SETS[name])
    forced = solved_by(_core.brute_force_fantasyland, rules, plain)
    for dealt, stay_value in fantasyland_hands(name, 2, seed=2):
        assert forced(dealt, stay_value) == best_fantasyland(dealt, stay_value, plain)
