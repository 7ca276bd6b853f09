"""The game in OpenSpiel: its own tests, deals card by card, what seats know, resampling, and its solvers."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy  # noqa: E402

import agents  # noqa: E402
from agents.turns import choose_placement, seat_to_act  # noqa: E402
from ofc_env import Hand, InformationSet, RewardConfig, Rules, solve_last_turn  # noqa: E402
from wrappers.openspiel import AgentPolicy, State, short_start, tree_of, written  # noqa: E402
from wrappers.openspiel.start import SHORT_START  # noqa: E402
from wrappers.openspiel.table import Table, dealt_from_the_deck, retold, set_up  # noqa: E402

WHOLE = [
    {},
    {"rules": "standard scoop=6", "button": 1},
    {"rules": "house jokers=1", "reward": "equity fantasyland_values=8,14,20,27"},
]


def played(state: State, rng: random.Random, decisions: int | None = None) -> State:
    """A state played on at random to a decision, or to the end."""
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(cards, chances)[0])
        elif decisions == 0:
            break
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            decisions = None if decisions is None else decisions - 1
    return state


@pytest.mark.parametrize("parameters", WHOLE, ids=["house", "standard", "one joker"])
def test_openspiels_own_simulations_pass(parameters):
    game = pyspiel.load_game("ofc_pineapple", parameters)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    unpickled = pickle.loads(pickle.dumps(game))
    assert unpickled.rules == game.rules == Rules.parse(parameters.get("rules", "house"))
    assert unpickled.new_initial_state().chance_outcomes() == game.new_initial_state().chance_outcomes()


@pytest.mark.parametrize("reply", ["played", "solved"])
def test_openspiels_own_simulations_pass_with_a_short_deck(reply):
    start = written(str(start_of_two_turns())) if reply == "solved" else written(SHORT_START)
    game = pyspiel.load_game("ofc_pineapple_short", {"start": start, "last_reply": reply})
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    assert str(pyspiel.load_game(str(game))) == str(game)


def test_a_hand_is_the_cores():
    """The same cards and slots through OpenSpiel and through a Hand: the same tables, masks and pay."""
    rng = random.Random(1)
    for number in range(8):
        game = pyspiel.load_game("ofc_pineapple", {"button": number % 2, "reward": "equity"})
        state = game.new_initial_state()
        deals: list[list[int]] = [[]]
        slots: list[int] = []
        while not state.is_terminal():
            if state.is_chance_node():
                card = rng.choice(state.chance_outcomes())[0]
                deals[-1].append(card)
                state.apply_action(card)
            else:
                if deals[-1]:
                    deals.append([])
                slots.append(rng.choice(state.legal_actions()))
                state.apply_action(slots[-1])
        dealt = [card for deal in deals for card in deal]
        assert len(dealt) == game.max_chance_nodes_in_history() == 34
        assert all(deal == sorted(deal) for deal in deals)
        rest = [card for card in game.rules.deck if card not in dealt]
        hand = Hand(deck=[*dealt, *rest], button=number % 2)
        for slot in slots:
            assert slot in hand.legal_actions()
            hand.step(slot)
        assert hand.finished
        assert state.returns() == RewardConfig.preset("equity").hand_rewards(hand.result())
        for seat in (0, 1):
            assert np.array_equal(state.observation_tensor(seat), hand.observation(seat))
            assert len(slots) <= game.max_game_length()


def test_every_deal_is_equally_likely():
    table = set_up(InformationSet.parse(SHORT_START))

    def leaves(table: Table, chance: float) -> list[tuple[tuple[int, ...], float]]:
        if not table.awaited:
            return [(tuple(table.hand.dealt), chance)]
        return [leaf for card, p in table.outcomes() for leaf in leaves(table.deal(card), chance * p)]

    found = leaves(table, 1.0)
    assert sorted(deal for deal, _ in found) == sorted(combinations(table.pool, 3))
    assert [chance for _, chance in found] == pytest.approx([1 / 84] * 84)
    five = dealt_from_the_deck(Rules.preset("standard"), 0)
    first = dict(five.outcomes())
    assert sum(first.values()) == pytest.approx(1)
    assert first[0] == pytest.approx(5 / 52)  # the lowest card of all is among five of 52
    assert max(first) == 47  # four more come above it


def test_a_seat_knows_what_the_core_says_and_remembers_its_decisions():
    rng = random.Random(2)
    state = pyspiel.load_game("ofc_pineapple").new_initial_state()
    assert state.information_state_string(0) == "nothing is dealt"
    assert not any(state.information_state_tensor(1))
    seen: dict[int, list[str]] = {0: [], 1: []}
    while not played(state, rng, 0).is_terminal():
        player = state.current_player()
        known = state.table.hand.information(player)
        assert state.observation_string(player) == str(known)
        assert np.array_equal(state.observation_tensor(player), known.observation())
        seen[player].append(str(known))
        assert state.information_state_string(player) == " ; ".join(seen[player])
        rows = np.reshape(state.information_state_tensor(player), (7, 490))
        texts = [str(InformationSet.from_observation(row)) for row in rows.astype(np.float32) if row.any()]
        assert texts == seen[player]
        assert str(state.table.deciding()) == " ; ".join(seen[player])
        before = [state.information_state_string(seat) for seat in (0, 1)]
        state.apply_action(rng.choice(state.legal_actions()))
        while state.is_chance_node():  # nobody learns anything before a deal is complete
            assert [state.information_state_string(seat) for seat in (0, 1)] == before
            state.apply_action(rng.choice(state.chance_outcomes())[0])
    assert {len(texts) for texts in seen.values()} <= {5, 6}
    with pytest.raises(ValueError, match="over"):
        state.table.deciding()


def test_resampling_keeps_what_the_seat_knows_and_deals_the_rest_anew():
    rng = random.Random(3)
    for parameters in ({}, {"rules": "standard"}):
        game = pyspiel.load_game("ofc_pineapple", parameters)
        for number in range(24):
            state = played(game.new_initial_state(), rng, number % 12)
            for seat in (0, 1):
                others = [state.resample_from_infostate(seat, rng.random) for _ in range(4)]
                for other in others:
                    for name in ("information_state_string", "observation_string"):
                        assert getattr(other, name)(seat) == getattr(state, name)(seat)
                    assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
                    assert other.current_player() == state.current_player()
                    assert len(other.history()) == len(state.history())
                    assert str(state.get_game().deserialize_state(other.serialize())) == str(other)
                    played(other, rng)
                if number % 12 > 4:
                    assert len({str(other.history()) for other in others}) > 1


def test_resampling_is_even_over_what_is_hidden():
    rng = random.Random(4)
    game = pyspiel.load_game("ofc_pineapple_short")
    state = played(game.new_initial_state(), rng, 1)
    seat = state.current_player()
    shown = set(state.table.face_up[1 - seat])
    thrown = Counter(
        (set(state.resample_from_infostate(seat, rng.random).table.hand.discards(1 - seat)) - shown).pop()
        for _ in range(1200)
    )
    hidden = state.table.deciding().unseen
    assert sorted(thrown) == hidden
    assert len(hidden) == 4
    assert all(240 < count < 360 for count in thrown.values())  # 300 each; four standard deviations
    with pytest.raises(ValueError, match="while cards are dealt"):
        game.new_initial_state().resample_from_infostate(0, rng.random)


def test_openspiels_information_set_search_plays_a_hand():
    game = pyspiel.load_game("ofc_pineapple")
    rng = np.random.RandomState(5)
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), uct_c=20.0, max_simulations=8, random_state=rng
    )
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(cards, p=chances)))
        else:
            state.apply_action(int(bot.step(state)))
            decisions += 1
    assert 10 <= decisions <= 12
    assert state.returns() == RewardConfig().hand_rewards(state.table.hand.result())


# ---------------------------------------------------------------- the short deck


def hand_at(seed: int, turn: int, second: bool) -> Hand:
    """A hand that the heuristic plays against itself, when a seat has been dealt its cards of a turn."""
    player, hand = agents.make("heuristic"), Hand(seed=seed)
    while hand.turn < turn or (hand.player != hand.rules.first_to_act(hand.button)) != second:
        hand.place(choose_placement(player, hand.information(seat_to_act(hand))))
    return hand


def start_of_two_turns() -> InformationSet:
    return short_start(hand_at(3, 3, second=True), 3)


def test_the_default_start_is_what_its_note_says():
    start = short_start(hand_at(3, 4, second=False), 3)
    assert start == InformationSet.parse(SHORT_START)
    assert len(start.unseen) == 9
    assert len(start_of_two_turns().unseen) == 12


def test_what_a_start_shows_is_out_of_the_game():
    rng = random.Random(6)
    game = pyspiel.load_game("ofc_pineapple_short")
    first: Table = game.design.first
    assert [len(cards) for cards in first.face_up] == [3, 3]
    for _ in range(20):
        state = played(game.new_initial_state(), rng, 1)
        for seat in (0, 1):
            known = state.table.known(seat)
            assert known is not None
            assert set(first.face_up[1 - seat]) <= set(known.nowhere)
            assert set(first.face_up[seat]) <= set(known.discards)
            assert set(known.unseen) <= set(first.pool)
    assert len(tree_of(game).states) == 1260 + 84


def test_agents_that_solve_the_last_turn_cannot_be_exploited():
    """OpenSpiel finds no answer that wins anything of the exact solver, and much against even play."""
    game = pyspiel.load_game("ofc_pineapple_short", {"reward": "equity"})
    tree = tree_of(game)
    assert (tree.chance, tree.decisions, tree.ends) == (3816, 5124, 30240)
    reward = RewardConfig.preset("equity")

    def solved(state: State) -> dict[int, float]:
        values = solve_last_turn(state.table.deciding(), reward)
        return {max(values, key=values.__getitem__): 1.0}

    assert tree.exploitability(solved) == pytest.approx(0, abs=1e-4)
    assert tree.exploitability(AgentPolicy(game, "pimc:rollouts=20")) == pytest.approx(0, abs=1e-4)
    assert tree.exploitability(UniformRandomPolicy(game)) > 1


def test_the_tree_is_the_game():
    """OpenSpiel's best response in the tree is worth what plain expectation over the game says."""
    game = pyspiel.load_game("ofc_pineapple_short")
    tree = tree_of(game)
    uniform = UniformRandomPolicy(game)
    table = tree.table(uniform)
    values = [
        pyspiel.TabularBestResponse(tree.game, seat, table).value_from_state(tree.game.new_initial_state())
        for seat in (0, 1)
    ]
    assert sum(values) / 2 == pytest.approx(tree.exploitability(uniform))

    def answered(state: State) -> float:
        """What seat 0 gets that answers even play best: it places last and sees all that matters."""
        if state.is_terminal():
            return state.returns()[0]
        if state.is_chance_node():
            return sum(chance * answered(state.child(card)) for card, chance in state.chance_outcomes())
        found = [answered(state.child(slot)) for slot in state.legal_actions()]
        return max(found) if state.current_player() == 0 else sum(found) / len(found)

    assert values[0] == pytest.approx(answered(game.new_initial_state()))


def test_a_solved_reply_pays_what_playing_it_best_does():
    rng = random.Random(7)
    start = written(str(start_of_two_turns()))
    solved, whole = (
        pyspiel.load_game("ofc_pineapple_short", {"start": start, "reward": "equity", "last_reply": reply})
        for reply in ("solved", "played")
    )

    def best(state: State) -> float:
        """What seat 0 gets when the other answers every deal best."""
        if state.is_terminal():
            return state.returns()[0]
        if state.is_chance_node():
            return sum(chance * best(state.child(card)) for card, chance in state.chance_outcomes())
        assert state.current_player() == 1
        return min(best(state.child(slot)) for slot in state.legal_actions())

    for _ in range(5):
        ended = played(solved.new_initial_state(), rng)
        same = whole.new_initial_state()
        for action in ended.history():
            same.apply_action(action)
        assert not same.is_terminal()
        assert ended.returns()[0] == pytest.approx(best(same), abs=1e-4)
        assert sum(ended.returns()) == 0


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("ofc_pineapple", {"rules": "nonsense"}, "nonsense"),
        ("ofc_pineapple", {"reward": "shaped"}, "zero-sum"),
        ("ofc_pineapple", {"reward": "session"}, "zero-sum"),
        ("ofc_pineapple", {"button": 2}, "seat 0 or 1"),
        ("ofc_pineapple_short", {"last_reply": "never"}, "played or solved"),
        ("ofc_pineapple_short", {"start": "turn=3"}, "no seat can be in this position"),
    ],
)
def test_parameters_are_refused_with_a_sentence(name, parameters, message):
    with pytest.raises(Exception, match=message):
        pyspiel.load_game(name, parameters)


def test_starts_are_refused_with_a_sentence():
    hand = hand_at(3, 4, second=False)
    with pytest.raises(ValueError, match="seat that waits"):
        set_up(hand.information(seat_to_act(hand)))
    start = InformationSet.parse(SHORT_START)
    with pytest.raises(ValueError, match="too short"):
        set_up(retold(start, nowhere=[*start.nowhere, start.unseen[0]]))
    with pytest.raises(ValueError, match="nowhere"):
        set_up(retold(start, nowhere=[]))
    last = written(str(short_start(hand_at(3, 4, second=True), 3)))
    with pytest.raises(ValueError, match="start earlier"):
        pyspiel.load_game("ofc_pineapple_short", {"start": last, "last_reply": "solved"})
    with pytest.raises(ValueError, match="looks at hidden cards"):
        AgentPolicy(pyspiel.load_game("ofc_pineapple"), "mcts-open")
