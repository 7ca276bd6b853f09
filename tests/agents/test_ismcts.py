"""Information-set tree search: right moves where they can be enumerated, one tree over many worlds."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.players.ismcts import IsmctsAgent, OpenMctsAgent
from ofc_env import Hand, RewardConfig, _core, solve_last_turn
from tests.self_play import Decision, decisions

EQUITY = RewardConfig.preset("equity")


def last_turns(
    hands: int, first_to_act: bool, seed: int, gap: float
) -> list[tuple[Decision, dict[int, float]]]:
    """Last turns with their exact values, where the best slot beats the next value by at least `gap`."""
    found = []
    for position in decisions(hands, seed=seed):
        if position.hand.turn < 4 or position.first_to_act != first_to_act:
            continue
        values = solve_last_turn(position.hand)
        levels = sorted({round(value, 6) for value in values.values()}, reverse=True)
        if len(levels) > 1 and levels[0] - levels[1] >= gap:
            found.append((position, values))
    return found


# ---------------------------------------------------------------- convergence to enumerated answers


def test_it_finds_the_best_ending_second_to_act() -> None:
    """No chance is left: the search without the solver finds what the solver knows."""
    positions = last_turns(40, first_to_act=False, seed=1, gap=0.5)
    assert len(positions) >= 10
    for position, values in positions:
        search = _core.Ismcts(simulations=500, exploration=0.3, exact=False)
        action = search.choose(position.information, 1)
        assert values[action] == pytest.approx(max(values.values()), abs=1e-6)
        best = search.search(position.information, 1)[0]
        assert best.actions == (action,)
        assert best.mean == pytest.approx(max(values.values()), abs=1e-3)


def test_it_converges_to_expectimax_first_to_act() -> None:
    """About 2,600 draws of the opponent, each with its best answer, enumerated by the solver."""
    positions = last_turns(60, first_to_act=True, seed=2, gap=1.0)
    assert len(positions) >= 15
    for position, values in positions:
        search = _core.Ismcts(simulations=15_000, exploration=0.3, exact=False)
        action = search.choose(position.information, 1)
        assert values[action] == pytest.approx(max(values.values()), abs=1e-6)


def minimax(hand: Hand, seat: int) -> float:
    """Equity of `seat` when both play perfectly and see all cards, by trying everything."""
    if hand.player is None:
        return EQUITY.hand_rewards(hand.result())[seat]
    outcomes = [minimax(_after(hand, slot), seat) for slot in hand.legal_actions()]
    return max(outcomes) if hand.player == seat else min(outcomes)


def _after(hand: Hand, slot: int) -> Hand:
    after = hand.clone()
    after.step(slot)
    return after


def test_open_search_converges_to_minimax() -> None:
    """On the true deck the last three placements are a finite game without chance."""
    checked = 0
    for position in decisions(25, seed=3):
        hand, seat = position.hand, position.seat
        if hand.turn != 3 or position.first_to_act:
            continue
        values = {slot: minimax(_after(hand, slot), seat) for slot in hand.legal_actions()}
        search = _core.Ismcts(simulations=20_000, exploration=0.3, exact=False)
        action = search.choose_open(hand, 1)
        assert values[action] == pytest.approx(max(values.values()), abs=1e-6)
        best = search.search_open(hand, 1)[0]
        assert best.actions == (action,)
        assert best.mean == pytest.approx(max(values.values()), abs=1.0)  # the mean holds the exploration
        checked += 1
    assert checked >= 20


# ---------------------------------------------------------------- the tree


def test_statistics_are_shared_across_worlds() -> None:
    """The second step of an opening is one node, however many worlds pass through it."""
    position = next(iter(decisions(1, seed=4)))
    search = _core.Ismcts(simulations=800, exploration=0.05)
    candidates = search.search(position.information, 1)
    assert search.simulations == 800
    assert search.visits(position.history[-1]) == 800
    after = _after(position.hand, candidates[0].actions[0])
    worlds = [after.determinize(position.seat, seed) for seed in range(3)]
    visits = {search.visits(world.information(position.seat)) for world in worlds}
    assert len(visits) == 1
    assert 100 < visits.pop() <= 800
    assert 0 < sum(candidate.rollouts for candidate in candidates) <= 800
    assert search.nodes < 2000  # a node for every simulation at most, and the root


def test_the_tree_is_kept_between_the_steps_of_an_opening() -> None:
    position = next(iter(decisions(1, seed=5)))
    agent = IsmctsAgent(simulations=600)
    hand = position.hand
    first = agent.act(position.observation)
    hand.step(first)
    assert hand.opening_step == 1
    numbers = hand.observation(position.seat)
    before = agent.engine.visits(numbers)
    assert before > 0
    second = agent.act({"observation": numbers, "action_mask": hand.action_mask()})
    assert second in hand.legal_actions()
    assert agent.engine.visits(numbers) == before + 600
    assert agent.engine.visits(position.history[-1]) > 0  # one tree
    assert IsmctsAgent(simulations=600).engine.visits(numbers) == 0


def test_another_hand_starts_an_empty_tree() -> None:
    positions = list(decisions(2, seed=6))
    search = _core.Ismcts(simulations=300)
    search.choose(positions[0].information, 1)
    search.choose(positions[-4].information, 1)
    assert search.visits(positions[0].history[-1]) == 0
    assert search.visits(positions[-4].history[-1]) == 300


@pytest.mark.parametrize("limit", [1, 10, 500])
def test_memory_is_bounded(limit: int) -> None:
    for position in decisions(1, seed=7):
        search = _core.Ismcts(simulations=1500, max_nodes=limit, exact=False)
        assert search.choose(position.information, 1) in position.hand.legal_actions()
        assert search.nodes <= limit
        assert search.simulations == 1500


def test_widening_lets_openings_in_one_after_the_other() -> None:
    """All five cards are left for top and middle: 26 slots, of which the first visits try only a few."""
    position = next(iter(decisions(1, seed=8)))
    hand = _after(position.hand, 27)
    known = hand.information(position.seat)
    assert len(hand.legal_actions()) == 26

    def tried(simulations: int, widen: bool) -> int:
        search = _core.Ismcts(simulations=simulations, exploration=0.3, widen=widen)
        return len(search.search(known, 1))

    assert tried(26, widen=False) == 26
    assert tried(26, widen=True) < 10 < tried(400, widen=True) < 26


def test_equal_agents_answer_equally() -> None:
    one, other = agents.make("ismcts:simulations=200"), agents.make("ismcts:simulations=200")
    for position in decisions(3, seed=9):
        assert one.act(position.observation) == other.act(position.observation)


@pytest.mark.parametrize("leaf", ["random", "heuristic", "beam"])
def test_leaves_are_interchangeable(leaf: str) -> None:
    agent = agents.make(f"ismcts:simulations=60,leaf={leaf}")
    for width in (0, 16):
        for position in decisions(1, seed=10, width=width):
            assert agent.act(position.observation) in position.hand.legal_actions()


def test_its_last_turn_is_the_solved_one() -> None:
    agent = IsmctsAgent(simulations=50)
    for position, values in last_turns(15, first_to_act=True, seed=11, gap=0.1):
        assert agent.act(position.observation) == max(values, key=lambda slot: values[slot])
        ranking = agent.rank(position.information)
        assert {each.actions[0]: each.mean for each in ranking} == pytest.approx(values, abs=1e-6)


# ---------------------------------------------------------------- practice mode and refusals


def test_practice_mode_needs_the_real_hand() -> None:
    agent = agents.make("mcts-open:simulations=200")
    assert isinstance(agent, OpenMctsAgent)
    position = next(iter(decisions(1, seed=12)))
    for refused in (lambda: agent.act(position.observation), lambda: agent.rank(position.information)):
        with pytest.raises(ValueError, match="mcts-open needs the real hand") as refusal:
            refused()
        assert "\n" not in str(refusal.value)
    hand = position.hand
    while not hand.finished:
        action = agent.act_open(hand)
        assert action in hand.legal_actions()
        hand.step(action)
    with pytest.raises(ValueError, match="finished"):
        agent.act_open(hand)


def test_practice_mode_uses_the_hidden_cards() -> None:
    """Open search changes its mind with the deck; the search by information set cannot."""
    changed = 0
    for position in decisions(12, seed=13):
        if position.hand.turn != 3:
            continue
        answers = set()
        for seed in range(4):
            world = position.hand.determinize(position.seat, seed)
            answers.add(_core.Ismcts(simulations=300, exploration=0.3).choose_open(world, 1))
        changed += len(answers) > 1
    assert changed > 3


def test_errors_are_sentences() -> None:
    position = next(iter(decisions(1)))
    search = _core.Ismcts(simulations=10)
    fantasyland = Hand(seed=1, fantasyland=(14, 0))
    for attempt, words in (
        (lambda: agents.make("ismcts:simulations=0"), "simulations is 0"),
        (lambda: agents.make("ismcts:max_nodes=-5"), "max_nodes is -5"),
        (lambda: agents.make("ismcts:leaf=oracle"), "oracle"),
        (lambda: agents.make("ismcts:rollouts=3"), "rollouts"),
        (lambda: search.search(np.zeros((2, 3), np.float32), 1), "490"),
        (lambda: search.search(position.hand.information(1 - position.seat), 1), "not to act"),
        (lambda: search.choose_open(fantasyland, 1), "nobody"),
        (lambda: search.search_open(fantasyland, 1), "nobody"),
    ):
        with pytest.raises(ValueError, match=words) as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
