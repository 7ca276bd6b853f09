"""The tree: right where all can be enumerated, its nodes met again, bounded, the same on any threads."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents.networks.afterstate import PREFERENCE, save_network
from agents.players.alphazero import AlphaZeroAgent
from ofc_env import Hand, InformationSet, Placement, RewardConfig, Rules, _core, solve_last_turn
from tests.core.test_network import after
from tests.enumeration import fewest_undealt, outcomes, short_position
from tests.oracle import Rows
from tests.oracle_play import Setting, legal_settings, slot_setting
from tests.play import setting_from
from tests.self_play import Decision, decisions
from tests.trained_networks import constant_network, random_network, trained_network

EQUITY = RewardConfig.preset("equity")
HOUSE = Rules()
BROAD: dict[str, Any] = {"c_puct": 20.0, "prior_temperature": 10.0}
Answer = Callable[[InformationSet], Setting]


def tree(sims: int, network: _core.Network | None = None, **options: Any) -> _core.NetworkSearch:
    return _core.NetworkSearch(network or trained_network().native(), sims=sims, root="tree", **options)


def some(turn: int, count: int, seed: int = 1, width: int = 0) -> list[Decision]:
    found = [
        each
        for each in decisions(count + 2, seed=seed, width=width)
        if each.hand.turn == turn and not each.hand.opening_step
    ]
    return found[:count]


# ---------------------------------------------------------------- right: two turns left, all of it enumerated


def first_choice(network: _core.Network) -> Answer:
    search = _core.NetworkSearch(network, sims=0, exact=False)
    return lambda known: setting_from(search.search(known)[0].placement)


def last_slot(known: InformationSet) -> int:
    """A simple opponent, which looks at nothing but its own cards."""
    return known.legal_actions()[-1]


def last_setting(known: InformationSet) -> Setting:
    setting = slot_setting(known.hand, last_slot(known), 0)
    assert setting is not None
    return setting


@cache
def opponents() -> dict[str, tuple[Any, Answer]]:
    """As a search is given them, and what they place."""
    heuristic, other = _core.Heuristic(), random_network(5).native()
    return {
        "this network": (None, first_choice(trained_network().native())),
        "another network": (other, first_choice(other)),
        "heuristic": ("heuristic", lambda known: setting_from(heuristic.rank(known)[0].placement)),
        "a function": (last_slot, last_setting),
    }


def opponents_view(
    info: InformationSet, placement: Placement, draw: tuple[int, ...], thrown: list[int]
) -> InformationSet:
    """What the opponent knows when it answers a placement."""
    rows = ("top", "middle", "bottom")
    mine: dict[str, Any] = {row: getattr(info, f"opponent_{row}") for row in rows}
    theirs: dict[str, Any] = {
        f"opponent_{row}": [*getattr(info, row), *getattr(placement, row)] for row in rows
    }
    return InformationSet(
        **mine,
        **theirs,
        hand=draw,
        discards=thrown,
        nowhere=info.nowhere,
        turn=info.turn + (not info.button),  # the button acts first
        button=not info.button,
        chips=info.opponent_chips,
        opponent_chips=info.chips,
        rules=info.rules,
    )


def expectimax(info: InformationSet, answer: Answer, belief: _core.Belief | None = None) -> dict[str, float]:
    """Placement -> what it is worth on turn 3, over every draw, answer and own draw, the last turn solved.

    Second to act on the shortest deck, the opponent has thrown away what nobody is dealt. First to act, the
    answer must not depend on that.
    """
    values: dict[str, float] = {}
    chances: dict[tuple[int, ...], float] = {}
    for placement in info.placements():
        answered: dict[tuple[tuple[int, ...], tuple[int, ...]], Setting] = {}
        total = weights = 0.0
        for draw, setting, own, position in outcomes(info, placement):
            hidden = [card for card in info.unseen if card not in draw]
            thrown = tuple(hidden[:2] if info.button else [card for card in hidden if card not in own])
            if (draw, thrown) not in answered:
                view = opponents_view(info, placement, draw, list(thrown))
                answered[draw, thrown] = answer(view)
            if answered[draw, thrown] != setting:
                continue
            if belief is not None and thrown not in chances:
                orders = permutations(thrown)
                chances[thrown] = sum(
                    math.exp(belief.log_likelihood(info.unseen, order)[0]) for order in orders
                )
            weight = 1.0 if belief is None else chances[thrown]
            total += weight * max(solve_last_turn(position, reward=EQUITY).values())
            weights += weight
        values[str(placement)] = total / weights
    return values


def small_position(first: bool, seed: int, most: int) -> InformationSet:
    """The shortest deck on turn 3, with few placements that differ in what the network thinks of them."""
    rng = random.Random(seed)
    while True:
        info = short_position(rng, 3, first, fewest_undealt(3, first), HOUSE)
        if len(info.placements()) <= most:
            return info


def assert_converges(info: InformationSet, wanted: dict[str, float], worlds: int, **options: Any) -> None:
    """The value comes to the enumerated one as simulations grow, and the choice to the best.

    The small network may be many points off, so that a broad search is wanted to find out in seconds.
    """
    best = max(wanted.values())
    options |= BROAD
    errors = []
    for sims in (200, 4_000, worlds):
        found = [tree(sims, reward=EQUITY, **options).search(info, seed)[0] for seed in range(3)]
        errors.append(np.mean([abs(each.mean - best) for each in found]))
    assert errors[-1] < errors[0]
    for each in found:
        # 4 standard errors of the worlds, and what exploring and the network's own value still weigh
        assert wanted[str(each.placement)] == pytest.approx(best, abs=0.02), str(info)
        assert each.mean == pytest.approx(best, abs=4 * each.error + 0.02), str(info)
    assert errors[-1] < 0.25


@pytest.mark.parametrize("opponent", ["this network", "another network", "heuristic", "a function"])
def test_two_turns_left_second_to_act(opponent: str) -> None:
    given, answer = opponents()[opponent]
    info = small_position(False, len(opponent), 9)
    assert_converges(info, expectimax(info, answer), 30_000, opponent=given)


def test_two_turns_left_first_to_act() -> None:
    given, answer = opponents()["a function"]
    info = small_position(True, 3, 3)
    assert_converges(info, expectimax(info, answer), 30_000, opponent=given)


def test_two_turns_left_by_a_belief() -> None:
    """Worlds are drawn by what the opponent's placement on turn 3 tells of the card that it threw away."""
    rng = random.Random(4)
    while True:
        before = short_position(rng, 2, False, fewest_undealt(2, False), HOUSE)
        world = Hand.from_observation(before, 1)
        while world.turn == 2 or world.player == 1:
            world.step(rng.choice(world.legal_actions()))
        info = world.information(0).following(before)
        belief = _core.Belief(info)
        even = expectimax(info, opponents()["this network"][1]) if len(info.placements()) <= 9 else {}
        wanted = even and expectimax(info, opponents()["this network"][1], belief)
        if even and abs(max(even.values()) - max(wanted.values())) > 0.3:  # the belief matters
            break
    assert_converges(info, wanted, 30_000, belief=True)
    with pytest.raises(AssertionError):
        assert_converges(info, wanted, 30_000)


def test_decisions_inside_the_tree_come_to_their_best() -> None:
    """Unsolved, the last turn is a node of the tree: its value must come to that of its best placement."""
    info = small_position(False, 6, 6)
    wanted = expectimax(info, opponents()["this network"][1])
    best, second = sorted(wanted.values())[-1:-3:-1]
    assert best - second > 0.2
    options = {"exact": False, "max_nodes": 100_000, "shares": 1, "prior_weight": 1.0, **BROAD}
    search = tree(200_000, reward=EQUITY, **options)
    found = search.search(info, 1)[0]
    met = search.statistics()
    assert met["nodes"] <= 1680 * len(wanted)  # a decision that comes up again is the same node
    assert met["visits"] > 5
    assert met["depth"] == 2
    assert wanted[str(found.placement)] == best
    assert found.mean == pytest.approx(best, abs=0.3)


# ---------------------------------------------------------------- golden trees on a toy


class Toy:
    """The tree in plain words, where every value is the same and no policy prefers anything."""

    def __init__(self, rows: Rows, widening: float, power: float) -> None:
        self.rows, self.widening, self.power = rows, widening, power
        empty = [-1, -2, -3]  # which cards they are does not matter
        slots = [slot_setting(empty, slot, 0) for slot in range(27)]
        self.settings = [each for each in slots if each in legal_settings(empty, rows)]
        self.visits = [0] * len(self.settings)
        self.outcomes: list[list[Toy]] = [[] for _ in self.settings]
        self.met: list[list[int]] = [[] for _ in self.settings]

    def simulate(self) -> int:
        """One simulation; how many decisions it went through."""
        chosen = self.visits.index(min(self.visits))
        outcomes, met = self.outcomes[chosen], self.met[chosen]
        self.visits[chosen] += 1
        if len(outcomes) < self.widening * self.visits[chosen] ** self.power:
            setting = self.settings[chosen]
            top, middle, bottom = ([*row, *setting[number]] for number, row in enumerate(self.rows))
            outcomes.append(Toy((top, middle, bottom), self.widening, self.power))
            met.append(1)
            return 1
        again = met.index(min(met))
        met[again] += 1
        return 1 + outcomes[again].simulate()

    def nodes(self) -> list[Toy]:
        below = [each for outcomes in self.outcomes for each in outcomes]
        return [*below, *(node for each in below for node in each.nodes())]


@pytest.mark.parametrize(("widening", "power"), [(1.0, 0.5), (2.0, 0.25), (3.0, 0.0)])
def test_golden_trees(widening: float, power: float) -> None:
    """A network to which everything is equal: the tree's shape follows from the counts alone."""
    network = constant_network(5.0).native()
    options = {"widening": widening, "widening_power": power, "shares": 1}
    for position in some(1, 2, seed=3):
        info = position.information
        toy = Toy((info.top, info.middle, info.bottom), widening, power)
        for sims in (1, 40, 400):
            while sum(toy.visits) < sims:
                deepest = toy.simulate()
            search = tree(sims, network, **options)
            found = {each.actions[0]: each for each in search.search(info, 1)}
            assert [found[slot].rollouts for slot in sorted(found)] == toy.visits
            assert all(each.mean == 5.0 for each in found.values())
            nodes = toy.nodes()
            statistics = search.statistics()
            assert statistics["nodes"] == len(nodes)
            assert statistics["visits"] == pytest.approx(
                1 + sum(sum(node.visits) for node in nodes) / len(nodes)
            )
            assert deepest <= statistics["depth"] <= 2


def test_the_policy_head_is_the_prior() -> None:
    """Values being equal, placements are visited in proportion to the softmax of their preferences."""
    flat = constant_network(0.0)
    with torch.no_grad():
        flat.heads.weight[PREFERENCE] = torch.linspace(-3, 3, flat.heads.weight.shape[1])
    network = flat.native()
    for position in some(1, 3, seed=4):
        hand, seat = position.hand, position.seat
        found = tree(4000, network, shares=1).search(position.information, 1)
        states = _core.pack_observations(np.stack([after(hand, seat, each.placement) for each in found]))
        logits = network.evaluate(states)[:, PREFERENCE]
        for temperature in (1.0, 3.0):
            prior = np.exp((logits - logits.max()) / temperature)
            prior /= prior.sum()
            search = tree(4000, network, prior_temperature=temperature, shares=1)
            visits = {str(each.placement): each.rollouts for each in search.search(position.information, 1)}
            shares = np.array([visits[str(each.placement)] for each in found]) / 4000
            assert shares == pytest.approx(prior, abs=0.01)
            assert prior.max() > 1.5 / len(prior)


# ---------------------------------------------------------------- a tree that is a tree


@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize("sims", [500, 2000])
def test_nodes_are_met_again(turn: int, sims: int) -> None:
    agent = agents.make(f"alphazero:sims={sims},root=tree")
    assert isinstance(agent, AlphaZeroAgent)
    for position in some(turn, 2, seed=5):
        agent.act(position.observation)
        found = agent.statistics()
        assert sorted(found) == ["depth", "nodes", "seconds", "simulations", "visits"]
        assert found["simulations"] == sims
        assert found["visits"] > 1.2
        assert found["depth"] >= 2
        assert 0 < found["seconds"] < 60


def test_statistics_of_a_look_ahead() -> None:
    position = some(1, 1)[0]
    for depth, sims in ((1, 96), (2, 24)):
        search = _core.NetworkSearch(trained_network().native(), sims=sims, depth=depth)
        search.search(position.information)
        found = search.statistics()
        assert sims - 4 < found["simulations"] <= sims  # whole worlds
        assert (found["depth"], found["nodes"], found["visits"]) == (depth, 0, 0)


@pytest.mark.parametrize("limit", [1, 50, 16384])
def test_nodes_are_bounded(limit: int) -> None:
    for position in decisions(1, seed=6):
        search = tree(600, max_nodes=limit, exact=False)
        assert search.search(position.information, 1)
        assert search.statistics()["nodes"] <= limit
        assert search.statistics()["simulations"] == 600


@pytest.mark.parametrize(
    "options",
    [
        {"root": "tree"},
        {"root": "tree", "exact": False},
        {},
        {"depth": 2, "sims": 60},
        {"opponent": last_slot},
    ],
    ids=["tree", "unsolved", "halving", "depth 2", "a function"],
)
def test_the_number_of_threads_changes_nothing(options: dict[str, Any]) -> None:
    given = {"sims": 400, **options}
    found = []
    for threads in (1, 2, 5):
        search = _core.NetworkSearch(trained_network().native(), threads=threads, **given)
        found.append(
            [
                [str(candidate) for candidate in search.search(each.information, 3)]
                for width in (0, 15)
                for each in decisions(1, seed=7, width=width)
            ]
        )
    assert found[0] == found[1] == found[2]


def test_the_error_of_an_opponent_comes_out_of_the_threads() -> None:
    def broken(known: InformationSet) -> int:
        raise RuntimeError("no idea")

    def illegal(known: InformationSet) -> int:
        return 149

    info = some(2, 1)[0].information
    for root in ("tree", "halving"):
        for threads in (1, 3):
            for opponent, words in ((broken, "no idea"), (illegal, "149")):
                search = _core.NetworkSearch(
                    trained_network().native(), sims=500, root=root, threads=threads, opponent=opponent
                )
                with pytest.raises((RuntimeError, ValueError), match=words):
                    search.search(info)


# ---------------------------------------------------------------- for training


def test_noise_and_temperature() -> None:
    """Noise spreads the visits, temperature the choice; both follow from the seed."""
    position = some(1, 1, seed=8)[0]
    flat = constant_network(0.0).native()
    for noise in (0.0, 0.25, 1.0):
        rankings = [
            tree(540, flat, noise=noise, shares=1).search(position.information, seed) for seed in range(8)
        ]
        most = np.mean([max(each.rollouts for each in ranking) for ranking in rankings])
        assert (most == 20) == (noise == 0)  # 27 placements, all alike
        assert most < 540 * (noise + 0.1)
    chosen = {
        temperature: [
            tree(200, visit_temperature=temperature).search(position.information, seed)[0]
            for seed in range(40)
        ]
        for temperature in (0.0, 1.0, 100.0)
    }
    kinds = {key: len({str(each.placement) for each in found}) for key, found in chosen.items()}
    assert kinds[0.0] <= kinds[1.0] <= kinds[100.0]
    assert kinds[100.0] > kinds[0.0]
    assert all(each.rollouts > 0 for found in chosen.values() for each in found)
    again = [tree(200, visit_temperature=1.0, noise=0.5).search(position.information, 5)[0] for _ in range(2)]
    assert str(again[0]) == str(again[1])


def test_risk_shuns_what_varies() -> None:
    """The objective is the mean less some standard deviations: what is played is best by that."""
    changed = 0
    for position in some(3, 8, seed=9):
        bold, timid = (tree(3000, risk=risk, **BROAD).search(position.information, 1) for risk in (0.0, 2.0))
        changed += str(bold[0].placement) != str(timid[0].placement)
        means = {str(each.placement): each.mean for each in bold if each.rollouts > 200}
        for each in timid:
            if each.rollouts > 200 and str(each.placement) in means:
                deviation = each.error * math.sqrt(each.rollouts)  # on turn 3 every visit is a world
                assert each.mean == pytest.approx(means[str(each.placement)] - 2 * deviation, abs=1.5)
                assert each.mean <= timid[0].mean
    assert changed >= 1


# ---------------------------------------------------------------- opponents and refusals


def test_opponents_by_name(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    save_network(random_network(5), path)
    network = trained_network().native()
    info = some(1, 1)[0].information
    answers = {
        None: None,
        "heuristic": "heuristic",
        str(path): random_network(5).native(),
        "random": "random",
    }
    found = {}
    for root in ("tree", "halving"):
        for name, given in answers.items():
            agent = AlphaZeroAgent(sims=60, network=network, opponent=name, root=root)
            native = _core.NetworkSearch(network, sims=60, opponent=given, root=root)
            found[root, name] = [str(each) for each in agent.rank(info)]
            assert found[root, name] == [str(each) for each in native.search(info, 0)]
        # an agent of Python's answers as the native one does
        python = AlphaZeroAgent(sims=60, network=network, opponent="heuristic:exact=off", root=root)
        assert [str(each) for each in python.rank(info)] == found[root, "heuristic"]
    assert len({tuple(each) for each in found.values()}) == len(found)
    position = some(1, 1)[0]
    named = agents.make("alphazero:sims=8,root=tree,opponent=heuristic")
    assert named.act(position.observation) in position.hand.legal_actions()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"root": "halving", "c_puct": 3.0}, "c_puct=3 is for root=tree, and root is halving"),
        ({"noise": 0.1}, "noise=0.1 is for root=tree"),
        ({"visit_temperature": 1.0}, "visit_temperature=1 is for root=tree"),
        ({"max_nodes": 5}, "max_nodes=5 is for root=tree"),
        ({"root": "tree", "candidates": 4}, "candidates=4 is for root=halving, and root is tree"),
        ({"root": "tree", "depth": 2}, "depth=2 is for root=halving"),
        ({"opponent": "heuristic", "opponent_temperature": 1.0}, "opponent_temperature"),
        ({"opponent": "nobody"}, "nobody"),
        ({"opponent": "mcts-open"}, "real hand"),
        ({"opponent": "nowhere.safetensors"}, "there is no network at"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_refusals_are_sentences(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        AlphaZeroAgent(sims=8, **options)
    assert "\n" not in str(refusal.value)
