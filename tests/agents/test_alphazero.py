"""The search guided by the network: right where the answer is known, blind to hidden cards, and bounded."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.analysis import cost_of
from agents.arena import MatchSettings, play_match
from agents.arena.estimates import estimate
from agents.networks.afterstate import load_network, save_network
from agents.networks.files import describe
from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION, AlphaZeroAgent
from agents.players.search import SearchAgent
from agents.positions.position import with_mask
from ofc_env import _core, solve_last_turn
from tests.self_play import Decision, decisions
from tests.trained_networks import constant_network, random_network, trained_network

ROOTS = ("halving", "tree")
# What has each root look at all placements of a turn, and at few.
BROAD: dict[str, dict[str, Any]] = {"halving": {"candidates": 27}, "tree": {"c_puct": 100.0}}
NARROW: dict[str, dict[str, Any]] = {"halving": {"candidates": 2}, "tree": {"c_puct": 1.0}}


def player(sims: int = 40, **options: object) -> AlphaZeroAgent:
    """A player with the quickly trained network."""
    return AlphaZeroAgent(sims=sims, network=trained_network().native(), **options)  # type: ignore[arg-type]


def some(turn: int, first_to_act: bool, count: int, seed: int = 1, width: int = 0) -> list[Decision]:
    """Decisions of one turn and seat."""
    found = [
        position
        for position in decisions(2 * count + 4, seed=seed, width=width)
        if position.hand.turn == turn
        and not position.hand.opening_step
        and (width or position.first_to_act == first_to_act)
    ]
    return found[:count]


# ---------------------------------------------------------------- known answers


@pytest.mark.parametrize("first_to_act", [True, False])
def test_its_last_turn_is_the_solved_one(first_to_act: bool) -> None:
    agent = player()
    for position in some(4, first_to_act, 10):
        values = solve_last_turn(position.hand)
        ranking = agent.rank(position.information)
        assert {each.actions[0]: each.mean for each in ranking} == pytest.approx(values, abs=1e-6)
        assert values[agent.act(position.observation)] == pytest.approx(max(values.values()))


@pytest.mark.parametrize("root", ROOTS)
def test_without_the_solver_it_finds_the_same_where_no_chance_is_left(root: str) -> None:
    """Second to act on the last turn: a simulation plays a placement and reads the score."""
    network = random_network().native()
    agent = AlphaZeroAgent(sims=400, root=root, prior_weight=0, exact=False, network=network, **BROAD[root])
    checked = 0
    for position in some(4, False, 12):
        values = solve_last_turn(position.hand)
        for candidate in agent.rank(position.information):
            if candidate.rollouts:
                assert candidate.mean == pytest.approx(values[candidate.actions[0]], abs=1e-3)
                checked += 1
        if root == "halving":  # every placement is tried
            assert values[agent.act(position.observation)] == pytest.approx(max(values.values()), abs=1e-3)
    assert checked > 50


def enumerated(position: Decision, network: _core.Network, placement: object, worlds: int) -> np.ndarray:
    """The value of a placement of turn 3 by the second seat, dealt and played out in Python, (worlds,).

    The opponent's last placement is the network's first choice; one's own is solved.
    """
    reply = _core.NetworkSearch(network, sims=0, exact=False)
    values = np.empty(worlds)
    for number in range(worlds):
        world = position.hand.determinize(position.seat, 1000 + number)
        world.place(placement)  # type: ignore[arg-type]
        world.place(reply.search(world.information(1 - position.seat), 0)[0].placement)
        values[number] = max(solve_last_turn(world).values())
    return values


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("value", [0.0, None])
def test_a_look_ahead_is_expectimax_over_the_deals(root: str, value: float | None) -> None:
    """From turn 3 of the second seat a simulation ends in a solved position: its mean is known."""
    network = (trained_network() if value is None else constant_network(value)).native()
    for position in some(3, False, 2, seed=2):
        agent = AlphaZeroAgent(sims=3000, root=root, network=network, **NARROW[root])
        best = agent.rank(position.information)[0]
        assert best.rollouts > 700
        samples = enumerated(position, network, best.placement, 1500)
        spread = np.hypot(estimate(samples).error, best.error)
        assert best.mean == pytest.approx(samples.mean(), abs=4 * spread + 1e-3)


@pytest.mark.parametrize(("turn", "first_to_act"), [(2, True), (2, False), (3, True), (3, False)])
def test_several_draws_mean_the_same_and_say_it_surer(turn: int, first_to_act: bool) -> None:
    network = trained_network().native()
    spreads: tuple[list[float], list[float]] = ([], [])
    for position in some(turn, first_to_act, 4, seed=4):
        one, more = (
            AlphaZeroAgent(sims=3000, draws=draws, prior_weight=0, candidates=4, network=network)
            for draws in (1, 4)
        )
        singles = {each.actions: each for each in one.rank(position.information) if each.rollouts > 100}
        several = {each.actions: each for each in more.rank(position.information) if each.rollouts > 100}
        common = singles.keys() & several.keys()
        assert common
        for actions in common:
            a, b = singles[actions], several[actions]
            assert a.mean == pytest.approx(b.mean, abs=4.5 * np.hypot(a.error, b.error))
            for each, spread in zip((a, b), spreads, strict=True):
                spread.append(each.error * np.sqrt(each.rollouts))
    assert np.mean(spreads[1]) < 0.9 * np.mean(spreads[0])


def test_a_risk_is_told_from_single_draws() -> None:
    network, position = trained_network().native(), some(3, False, 1, seed=4)[0]
    rankings = [
        AlphaZeroAgent(sims=200, draws=draws, risk=0.3, network=network).rank(position.information)
        for draws in (1, 4)
    ]
    assert [str(each) for each in rankings[0]] == [str(each) for each in rankings[1]]


def test_turn_3_against_fantasyland_is_played_for_the_boards_it_will_meet() -> None:
    """A network that knows nothing of such boards does not mislead: the last turn is solved against them."""
    position = next(each for each in decisions(4, seed=3, width=15) if each.hand.turn == 3)
    agent = AlphaZeroAgent(sims=2000, prior_weight=0, network=constant_network(30.0).native())
    found = [agent.rank(position.information)[0]]
    search = _core.NetworkSearch(constant_network(30.0).native(), sims=2000, prior_weight=0)
    found += [search.search(position.information, seed)[0] for seed in range(8)]
    samples = []
    for number in range(600):
        world = position.hand.determinize(position.seat, number)
        world.place(found[0].placement)
        last_turn = world.information(position.seat)
        samples.append(max(solve_last_turn(last_turn, samples=6, seed=number).values()))
    same = [each.mean for each in found if each.placement == found[0].placement]
    # choosing by six boards is a little too hopeful, by the 16 of a search hardly
    assert np.mean(same) == pytest.approx(np.mean(samples), abs=1.0 + 4 * np.std(samples) / np.sqrt(600))
    assert np.mean(same) < 10


def test_every_opening_is_judged() -> None:
    position = next(each for each in decisions(1, seed=3) if each.hand.turn == 0)
    assert len(AlphaZeroAgent(sims=0).rank(position.information)) == len(position.information.placements())
    assert len(AlphaZeroAgent(sims=0, opening_width=32).rank(position.information)) == 32


@pytest.mark.parametrize("root", ROOTS)
def test_no_sign_is_ever_flipped(root: str) -> None:
    """A network that promises both seats +5: so does every search of it, also through two-step openings."""
    agent = AlphaZeroAgent(sims=60, root=root, network=constant_network(5.0).native())
    for width in (0, 15):
        for position in decisions(3, seed=3, width=width):
            if position.hand.turn > (2 if root == "halving" else 1):  # there the tree sees the last turn
                continue
            for candidate in agent.rank(position.information):
                assert candidate.mean == pytest.approx(5.0, abs=1e-4)


@pytest.mark.parametrize("root", ROOTS)
def test_a_board_face_down_is_dealt_again_in_every_world(root: str) -> None:
    """Without the exact last turn, a search against fantasyland comes to the mean over many boards."""
    position = next(each for each in decisions(4, seed=3, width=16) if each.hand.turn == 4)
    exact = solve_last_turn(position.information, samples=4000, seed=1)
    search = _core.NetworkSearch(
        trained_network().native(), sims=12_000, root=root, exact=False, prior_weight=0
    )
    best = search.search(position.information, 5)[0]
    assert best.rollouts > 500
    wanted = exact[best.actions[0]]
    others = [search.search(position.information, seed)[0].mean for seed in range(6)]
    assert np.std(others) > 0  # 16 boards are dealt for each search, not one for all
    assert np.mean(others) == pytest.approx(wanted, abs=6 * max(np.std(others) / np.sqrt(6), 0.5))


def test_what_is_played_stands_first_and_the_others_follow_by_value() -> None:
    for agent in (
        agents.make("alphazero:sims=60"),
        agents.make("pimc:rollouts=120"),
        agents.make("ismcts:simulations=90"),
    ):
        assert isinstance(agent, SearchAgent)
        for position in list(decisions(2, seed=8)):
            ranking = agent.rank(position.information)
            assert ranking[0].actions[0] == agent.choose(position.information)
            means = [each.mean for each in ranking[1:] if not np.isnan(each.mean)]
            assert means == sorted(means, reverse=True)
            for candidate in ranking[1:]:
                assert candidate.too_close == (candidate.mean > ranking[0].mean)
                cost = cost_of(ranking, candidate.placement)
                assert cost.cost >= 0
                assert cost.too_close == candidate.too_close


def test_an_opening_is_played_in_two_steps_by_one_seat() -> None:
    agent = player(60)
    two_steps = 0
    for position in decisions(6, seed=4):
        hand, seat = position.hand, position.seat
        if hand.turn > 0 or hand.opening_step == 1:
            continue
        hand.step(agent.act(position.observation))
        if hand.player == seat:
            ranking = agent.rank(hand.information(seat))
            assert {each.actions[0] for each in ranking} <= set(hand.legal_actions())
            hand.step(ranking[0].actions[0])
            two_steps += 1
        board = hand.board(seat)
        assert len(board.top) + len(board.middle) + len(board.bottom) == 5
    assert two_steps > 6


# ---------------------------------------------------------------- budgets


def test_a_large_search_stays_under_64_megabytes() -> None:
    script = """
import resource
from ofc_env import Hand, _core
from tests.trained_networks import random_network
hand, network = Hand(seed=1), random_network().native()
_core.NetworkSearch(network, sims=10).search(hand.information(hand.player), 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for root in ("halving", "tree"):
    search = _core.NetworkSearch(network, sims=2000, root=root)
    search.search(hand.information(hand.player), 1)
    assert search.statistics()["simulations"] > 1900
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    command, folder = [sys.executable, "-c", script], Path(__file__).parents[2]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    assert int(ran.stdout) < 64_000  # kB


def test_the_networks_own_value_counts_for_some_worlds() -> None:
    for position in some(2, True, 4):
        judged = player(0).rank(position.information)[0].mean
        searched = player(40, candidates=1, prior_weight=0).rank(position.information)[0]
        weighed = player(40, candidates=1, prior_weight=10).rank(position.information)[0]
        assert searched.rollouts == weighed.rollouts == 40
        assert weighed.mean == pytest.approx((40 * searched.mean + 10 * judged) / 50, abs=1e-4)


def test_more_candidates_than_simulations() -> None:
    for sims in (1, 3):
        for root in ROOTS:
            for position in decisions(1, seed=7):
                assert player(sims, root=root).act(position.observation) in position.hand.legal_actions()


def test_a_time_limit_is_kept() -> None:
    position = next(iter(decisions(1, seed=9)))
    for root in ROOTS:
        agent = player(10_000_000, root=root, seconds=0.1)
        start = time.process_time()  # other work on the machine is not counted
        assert agent.act(position.observation) in position.hand.legal_actions()
        assert time.process_time() - start < 2.0


# ---------------------------------------------------------------- what every agent promises


VARIANTS: list[dict[str, object]] = [
    {},
    {"sims": 0},
    {"root": "tree"},
    {"opponent_temperature": 1.0},
    {"risk": 0.5},
    {"exact": False},
    {"belief": True},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_hidden_cards_change_nothing(options: dict[str, object]) -> None:
    agent, other = player(**options), player(**options)  # type: ignore[arg-type]
    for width in (0, 16):
        for number, position in enumerate(decisions(2, seed=10, width=width)):
            world = position.hand.determinize(position.seat, number)
            for one in (agent, other):
                one.reset()
            chosen = agent.act(position.observation)
            assert other.act(with_mask(world.observation(position.seat))) == chosen
            assert chosen in position.hand.legal_actions()


@pytest.mark.parametrize("options", [variant for variant in VARIANTS if "belief" not in variant], ids=str)
def test_a_batch_is_the_same_as_one_by_one(options: dict[str, object]) -> None:
    agent = player(**options)  # type: ignore[arg-type]
    found = [p for width in (0, 17) for p in decisions(2, seed=11, width=width)]
    singles = [agent.act(position.observation) for position in found]
    observations = np.stack([position.history[-1] for position in found])
    masks = np.stack([position.hand.action_mask() for position in found])
    assert agent.act_batch(observations, masks).tolist() == singles
    order = np.random.default_rng(0).permutation(len(found))
    assert agent.act_batch(observations[order], masks[order]).tolist() == [singles[i] for i in order]


def test_a_player_against_itself_is_even() -> None:
    settings = MatchSettings(progress=False)
    result = play_match(player(10), player(10), 6, settings)
    assert result.equity.mean == 0
    assert (result.equity_samples == 0).all()


def test_the_seed_matters_only_where_there_is_chance() -> None:
    position = next(iter(decisions(1, seed=12)))
    first, second = (player(24, seed=seed).rank(position.information) for seed in (0, 1))
    assert [each.mean for each in first] != [each.mean for each in second]
    first, second = (player(0, seed=seed).rank(position.information) for seed in (0, 1))
    assert [each.mean for each in first] == [each.mean for each in second]


# ---------------------------------------------------------------- files


def test_networks_are_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "network.safetensors"
    save_network(trained_network(), path, {"command": "a test"})
    assert describe(path).notes == {"command": "a test"}
    states = _core.pack_observations(np.stack([p.history[-1] for p in decisions(1)]))
    loaded = load_network(path).native().evaluate(states)
    assert (loaded == trained_network().native().evaluate(states)).all()
    agent = agents.make(f"alphazero:sims=8,checkpoint={path}")
    position = next(iter(decisions(1)))
    assert agent.act(position.observation) == player(8).act(position.observation)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[: len(data) // 2], "not a whole safetensors file"),
        (lambda data: b"", "not a whole safetensors file"),
        (lambda data: b"\x80\x04}q\x00." + data, "not a whole safetensors file"),
        (lambda data: data.replace(b"ofc-weights-1", b"ofc-weights-9"), "ofc-weights-9"),
        (lambda data: data.replace(b": 64, ", b": 96, "), "does not fit its configuration"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, damage: Callable[[bytes], bytes], words: str) -> None:
    path = tmp_path / "network.safetensors"
    save_network(random_network(), path)
    before = path.read_bytes()
    path.write_bytes(damage(before))
    assert path.read_bytes() != before
    with pytest.raises(ValueError, match=words) as refusal:
        agents.make(f"alphazero:checkpoint={path}")
    assert "\n" not in str(refusal.value)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no network at") as refusal:
        agents.make(f"alphazero:checkpoint={tmp_path / 'nothing'}")
    assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match="unknown root 'best'"):
        player(root="best")


# ---------------------------------------------------------------- strength


def test_search_helps_a_weak_network() -> None:
    """A modest match with a wide margin: looking ahead beats the bare network, or at least does not lose."""
    result = play_match(player(60), player(0), 60, MatchSettings(progress=False))
    assert result.equity.high > 0


@pytest.mark.prove
@pytest.mark.parametrize("champion", [False, True])
def test_more_simulations_never_lose_to_fewer(champion: bool) -> None:
    """0, 10, 100 and 500 simulations of one network: none loses to fewer beyond the interval."""
    network = load_native(CHAMPION) if champion else trained_network().native()
    ladder = [AlphaZeroAgent(sims=sims, network=network) for sims in (0, 10, 100, 500)]
    for fewer, more in pairwise(ladder):
        result = play_match(more, fewer, 400, MatchSettings(progress=False))
        assert result.equity.high > 0, result.text()
