"""The native network against torch, its fast path against its slow one, and its inputs under renaming."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents.networks.afterstate import FANTASYLAND, FOUL, HEADS, VALUE, AfterstateNetwork
from ofc_env import Hand, RewardConfig, _core, parse_cards
from ofc_env.symmetry import COUNT, relabel_observation
from tests.self_play import Decision, decisions
from tests.trained_networks import constant_network, random_network, trained_network

Observations = NDArray[np.float32]


def positions() -> Iterator[Decision]:
    """Decisions of all turns and both seats, some against an opponent in fantasyland."""
    for width in (0, 0, 14, 17):
        yield from decisions(6, "random", seed=width + 1, width=width)


def afterstates() -> Observations:
    """What a seat sees after a placement, (N, 490): one of every decision of some hands."""
    found = []
    generator = np.random.default_rng(3)
    for position in positions():
        if position.hand.opening_step:
            continue
        placements = position.hand.placements()
        placement = placements[int(generator.integers(len(placements)))]
        found.append(after(position.hand, position.seat, placement))
    states = np.stack(found)
    mine = generator.integers(1, 400, len(states))
    states[:, 488], states[:, 489] = mine / 200, (400 - mine) / 200
    return states


def after(hand: Hand, seat: int, placement: object) -> Observations:
    world = hand.clone()
    world.place(placement)  # type: ignore[arg-type]
    observation = world.observation(seat)
    if world.player == seat:  # nobody acts in between against fantasyland: put the next deal back
        cards = observation[:486].reshape(54, 9)
        cards[cards[:, 6] == 1] = np.eye(9, dtype=np.float32)[8]
        observation[486] = hand.turn / 4
    return observation


def in_16_bits(network: AfterstateNetwork) -> AfterstateNetwork:
    """A copy whose first layer is rounded like the native one's: a unit's 96 largest inputs fit 16 bits."""
    weights, bias = network.first.weight.detach().double(), network.first.bias.detach().double()
    largest = [weights.clamp(min=0), -weights.clamp(max=0)]
    room = torch.stack([side.topk(96, dim=1)[0].sum(dim=1) for side in largest]).amax(dim=0) + bias.abs()
    scale = (32767 / room.clamp(min=1e-3)).float().double()
    rounded = copy.deepcopy(network)
    with torch.no_grad():
        rounded.first.weight.copy_((weights * scale[:, None]).round() / scale[:, None])
        rounded.first.bias.copy_((bias * scale).round() / scale)
    return rounded


def torch_outputs(network: AfterstateNetwork, states: NDArray[np.uint64]) -> Observations:
    """The heads by torch, (N, 5), chances as chances."""
    with torch.no_grad():
        outputs = network(torch.from_numpy(_core.network_features(states)))
        outputs[:, [FOUL, FANTASYLAND]] = torch.sigmoid(outputs[:, [FOUL, FANTASYLAND]])
    return outputs.numpy()


# ---------------------------------------------------------------- torch and native


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(("hidden", "second"), [(64, 32), (256, 32), (128, 1), (320, 64), (1024, 17)])
def test_native_equals_torch(hidden: int, second: int, staged: bool) -> None:
    network = random_network(hidden, hidden, second, staged=staged)
    states = _core.pack_observations(afterstates())
    native = network.native().evaluate(states)
    assert native.shape == (len(states), len(HEADS))
    # Here and there a weight lies so near to a half that it is rounded to the other side.
    assert native == pytest.approx(torch_outputs(in_16_bits(network), states), abs=5e-4)
    assert native == pytest.approx(torch_outputs(network, states), abs=1e-2)
    assert native.std(axis=0).min() > 0  # every head says something


@pytest.mark.parametrize("staged", [False, True])
def test_inputs_that_are_on_say_the_same_as_all_inputs(staged: bool) -> None:
    """What learning sums up: outputs and gradients are those of the dense layer."""
    network = random_network(3, 128, staged=staged)
    states = _core.pack_observations(afterstates())
    inputs, starts = _core.network_inputs(states)
    dense = np.zeros((len(states), _core.NETWORK_FEATURES), dtype=np.float32)
    dense[np.repeat(np.arange(len(states)), np.diff(starts)), inputs] = 1
    np.testing.assert_array_equal(dense, _core.network_features(states))
    gradients = []
    for outputs in (network.judge(states), network(torch.from_numpy(dense))):
        network.zero_grad()
        (outputs * torch.linspace(-1, 2, outputs.numel()).view_as(outputs)).sum().backward()
        gradients.append([part.grad.clone() for part in network.parameters() if part.grad is not None])
    torch.testing.assert_close(network.judge(states), network(torch.from_numpy(dense)), atol=1e-4, rtol=1e-4)
    assert len(gradients[0]) == 6
    for sparse, full in zip(*gradients, strict=True):
        torch.testing.assert_close(sparse, full, atol=2e-2, rtol=2e-3)


def test_placements_of_a_decision_are_renamed_alike() -> None:
    """Two states that differ by a renaming stay so only if both are renamed in the same way."""
    states = np.repeat(_core.pack_observations(afterstates())[:30], 6, axis=0)
    starts = np.arange(0, 181, 6)
    inputs, begins = _core.network_inputs(states, starts, 5)
    groups = [inputs[begins[first] : begins[first + 6]].reshape(6, -1) for first in range(0, 180, 6)]
    assert all((group == group[0]).all() for group in groups)
    alone, begins = _core.network_inputs(states, None, 5)
    parts = [alone[begins[first] : begins[first + 6]] for first in range(0, 180, 6)]
    assert any(len(part) % 6 or (part.reshape(6, -1) != part[: len(part) // 6]).any() for part in parts)


def test_a_trained_network_too() -> None:
    network = trained_network()
    states = _core.pack_observations(afterstates())
    native = network.native().evaluate(states)
    assert native == pytest.approx(torch_outputs(in_16_bits(network), states), abs=4e-3)
    assert native == pytest.approx(torch_outputs(network, states), abs=0.1)


@pytest.mark.parametrize("staged", [False, True])
def test_placements_of_a_turn_equal_states_one_by_one(staged: bool) -> None:
    """All placements share sums of the first layer; each must come out as if it were evaluated alone."""
    network = random_network(7, 128, staged=staged).native()
    search = _core.NetworkSearch(network, sims=0, exact=False, opening_width=232)
    judged = 0
    for position in positions():
        revealed = position.hand.turn == 4 and position.hand.fantasyland[1 - position.seat] > 0
        if position.hand.opening_step or revealed:  # the last placement turns a fantasyland board up
            continue
        chips = np.array([50 + judged % 300, 350 - judged % 300], dtype=np.float32) / 200
        numbers = position.history[-1].copy()
        numbers[488:] = chips
        candidates = search.search(numbers, 1)
        legal = position.hand.placements()
        assert {str(candidate.placement) for candidate in candidates} == {
            str(placement) for placement in legal
        }
        observations = np.stack([after(position.hand, position.seat, each.placement) for each in candidates])
        observations[:, 488:] = chips
        outputs = network.evaluate(_core.pack_observations(observations))
        found = np.array([[each.mean, each.foul, each.fantasyland, each.royalties] for each in candidates])
        assert found == pytest.approx(outputs[:, :4], abs=1e-4)
        assert outputs[:, VALUE] == pytest.approx(sorted(outputs[:, VALUE], reverse=True), abs=1e-4)
        judged += len(candidates)
    assert judged > 2000


def test_every_stage_has_its_own_say() -> None:
    """Layers of one stage changed: the states of that stage are judged anew, the others as before."""
    states = _core.pack_observations(afterstates())
    stages = _core.network_stages(states)
    assert set(stages) == set(range(_core.NETWORK_STAGES))
    network = random_network(4, staged=True)
    before = network.native().evaluate(states)
    for stage in range(_core.NETWORK_STAGES):
        other = copy.deepcopy(network)
        with torch.no_grad():
            other.heads.bias[stage * len(HEADS) + VALUE] += 1.0
        changed = other.native().evaluate(states)[:, VALUE] - before[:, VALUE]
        assert changed == pytest.approx((stages == stage).astype(float), abs=1e-4)


def test_a_network_is_widened_without_a_change_of_mind() -> None:
    states = _core.pack_observations(afterstates())
    plain = random_network(6)
    before = plain.native().evaluate(states)
    for hidden, staged in ((128, False), (64, True), (192, True)):
        wider = plain.widened(hidden, staged)
        assert (wider.hidden, wider.staged) == (hidden, staged)
        assert wider.native().evaluate(states) == pytest.approx(before, abs=1e-5)
    assert plain.widened(64, True).widened(128).staged
    with pytest.raises(ValueError, match="cannot be made one of 64"):
        plain.widened(128).widened(64)


def test_known_answers() -> None:
    states = _core.pack_observations(afterstates())
    assert constant_network(5.0).native().evaluate(states)[:, VALUE] == pytest.approx(5.0)


# ---------------------------------------------------------------- inputs


def test_features_are_bits() -> None:
    features = _core.network_features(_core.pack_observations(afterstates()))
    assert features.shape[1] == _core.NETWORK_FEATURES
    assert set(np.unique(features)) == {0.0, 1.0}
    assert features.sum(axis=1).max() <= 256


def input_bits(name: str, piece: int, unseen: str, mine: dict[int, str], other: dict[int, str]) -> list[int]:
    """Which inputs of a piece are on, with these rows on the boards, if only the given cards are unseen."""

    def as_set(cards: str) -> int:
        return sum(1 << card for card in parse_cards(cards))

    state = np.zeros((1, 8), dtype=np.uint64)
    for row in range(3):
        state[0, row], state[0, 3 + row] = as_set(mine.get(row, "")), as_set(other.get(row, ""))
    state[0, 6] = as_set(unseen)
    first, size = _core.NETWORK_INPUTS[name]
    bits = _core.network_features(state)[0, first + piece * size : first + (piece + 1) * size]
    return list(np.flatnonzero(bits))


@pytest.mark.parametrize(
    ("row", "which", "unseen", "bits"),
    [
        # 0-9 cards that pair, 10-14 pair to trips, 15-17 trips to quads
        ("Qh", 0, "Qd Qc Kd", [2, 18 + 2]),  # on top also 4 inputs each for a queen, a king, an ace
        ("Ah Kd", 0, "As Ac Ad Ks", [4, 18 + 4 + 1, 18 + 8 + 3]),
        ("Qh Qd", 0, "Qs 2h", [10 + 1]),
        ("7h 7d 7c 2s", 2, "7s 2h 2d", [2, 15 + 1]),
        # 18-37 flush: 5 for each number of cards needed, by outs 0-2, 3-4, 5-6, 7-8, 9 and more
        ("2h 7h 9h Kh", 2, "3h 4h 5h 6h 8h 3s", [0, 18 + 2, 38]),
        ("2h 7h 9h", 1, "3h 4h", [0, 18 + 5, 38 + 5]),
        # 38-57 straight: 5 for each number needed, by outs 0, 1-3, 4-6, 7-9, 10 and more
        ("5h 6d 7c 8s", 2, "9h 9d 4c", [0, 38 + 1]),
        ("5h 6d 7c 8s", 2, "9h 9d 4c 4d 2s", [0, 38 + 2]),
        ("5h 6d 7c", 2, "9h 9d", [0, 38 + 5]),  # an eight or a four would be needed too
        ("5h 6d 7c X1", 2, "9h 9d", [0, 38 + 1]),  # the joker is that card
        ("5h 6d 7c 8s Kd", 2, "9h", []),  # a full row
        ("", 1, "9h", []),
    ],
)
def test_outs(row: str, which: int, unseen: str, bits: list[int]) -> None:
    assert input_bits("outs", which, unseen, {which: row}, {}) == bits
    assert input_bits("outs", 3 + which, unseen, {}, {which: row}) == bits


@pytest.mark.parametrize(
    ("upper", "lower", "unseen", "bits"),
    [
        # 0-20 cards that lift the lower row to the upper one's best reading: 0 if it is full, then ten steps
        # (0, 1, 2, 3, 4, 5-6, 7-8, 9-11, 12-15, 16+) each for one and two free slots; 21-41 the same for
        # the least; 42-81 cards that the upper row can take: lower row open or full, one or two free slots.
        ("Ah As 2c 3c 4d", "Kh Ks Qd Qc", "Kd Kc Qh 2d", []),  # in order already
        ("7h 7s 7c 2c 3c", "8h 8s 4h 4s", "8d 8c 4d 9s", [1 + 3, 22 + 3]),  # a full house is needed
        ("7h 7s X1 2c 3c", "8h 8s 4h 4s", "8d 8c 4d 9s", [1 + 3]),  # the joker can be a deuce
        ("7h 7s 7c 2c 3c", "8h 8s 4h 5s", "8d 8c 4d 9s", [1 + 2, 22 + 2]),
        ("7h 7s 7c 2c 3c", "8h 8s 4h", "8d 4d 9s", [1 + 10 + 1, 22 + 10 + 1]),
        ("7h 7s 7c 2c 3c", "8h 8s 4h 4s 5d", "8d", [0, 21]),  # a foul
        (
            "7h 7s 7c 2c 3c",
            "8h 9h Th Jh",
            "2h 3h Qd 7d 2d",
            [1 + 4, 22 + 4],
        ),  # flushes and straights, not a deuce
        ("7h 7s 2c 3c", "8h 8s 4h 5s 6d", "7d 2d 9s Ks X1", [42 + 20 + 3]),  # a nine, a king, a joker as one
        ("7h 7s 2c 3c", "8h 8s 4h 5s", "9s", [42 + 1]),
        ("7h 7s 2c", "8h 8s 4h 5s", "9s 9d", [42 + 10 + 2]),
    ],
)
def test_repairs(upper: str, lower: str, unseen: str, bits: list[int]) -> None:
    rows = {1: upper, 2: lower}
    assert input_bits("repairs", 1, unseen, rows, {}) == bits
    assert input_bits("repairs", 3, unseen, {}, rows) == bits


def test_repairs_between_top_and_middle() -> None:
    rows = {0: "Qh Qd 2c", 1: "Js Jd 5h 6s"}
    assert input_bits("repairs", 0, "Jh 5d 6d Qs 2h", rows, {}) == [1 + 3, 22 + 3]
    assert input_bits("repairs", 0, "Jh X1", {0: "Qh X2 2c", 1: "Js Td 5h 6s"}, {}) == [1, 22 + 2]
    assert input_bits("repairs", 0, "Kh Ks X1", {0: "Kd 2c", 1: "Js Jd 5h 6s 7d"}, {}) == [42 + 20 + 1]


@pytest.mark.parametrize(
    ("row", "which", "bits"),
    [
        # royalties of at least 1, 3, 5, 7, 8, 9, 10, 15; then fantasyland of 14 to 17 cards
        ("5h 5d", 0, []),
        ("6h 6d", 0, [0]),
        ("Qh Qd", 0, [0, 1, 2, 3, 8]),
        ("Kh X1", 0, [0, 1, 2, 3, 4, 9]),
        ("Ah Ad 2c", 0, [0, 1, 2, 3, 4, 5, 10]),
        ("2h 2d X1", 0, [0, 1, 2, 3, 4, 5, 6, 11]),
        ("2h 2d 2s", 1, [0]),
        ("2h 2d 2s", 2, []),
        ("2h 4h 6h 8h Th", 1, [0, 1, 2, 3, 4]),
        ("2h 4h 6h 8h Th", 2, [0, 1]),
    ],
)
def test_worth(row: str, which: int, bits: list[int]) -> None:
    assert input_bits("worth", which, "", {which: row}, {}) == bits
    assert input_bits("worth", 3 + which, "", {}, {which: row}) == bits


@pytest.mark.parametrize(
    ("mine", "other", "bit"),
    [
        # lower, equal, higher: both open, mine full, the opponent's full, both full
        ("2h 2d", "3h 3d", 0),
        ("", "", 1),
        ("4h 4d", "3h 3d 5s", 2),
        ("2h 2d 3c 5s 7d", "9h 9d", 3),
        ("9h 9d", "2h 2d 3c 5s 7d", 6 + 2),
        ("2h 2d 3c 5s 8d", "2s 2c 3d 5d 7h", 9 + 2),
    ],
)
def test_duels(mine: str, other: str, bit: int) -> None:
    assert input_bits("duels", 1, "", {1: mine}, {1: other}) == [bit]


def chip_bits(mine: int, others: int) -> list[int]:
    """Which of the chip inputs are on in a position with these stacks."""
    hand = Hand(seed=1, button=0, chips=(mine, others))
    packed = _core.pack_observations(hand.observation(0)[None])
    return list(np.flatnonzero(_core.network_features(packed)[0, -_core.NETWORK_CHIP_FEATURES :]))


def test_chips_are_inputs_where_they_can_matter() -> None:
    """Stacks below 10, 20, 30, 40, 60, 80, 110, 150; the opponent's; a lead of 20, 40, 80, 160; arrears."""
    assert chip_bits(200, 200) == []
    assert chip_bits(219, 181) == [16]  # 38 ahead
    assert chip_bits(139, 261) == [7, 20, 21, 22]
    assert chip_bits(381, 19) == [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]


def test_a_new_network_does_not_look_at_chips() -> None:
    network = AfterstateNetwork(64, 8).native()
    first, second = (
        network.evaluate(_core.pack_observations(Hand(seed=1, chips=chips).observation(0)[None]))
        for chips in ((200, 200), (30, 370))
    )
    assert (first == second).all()


def test_what_is_seen_is_what_counts() -> None:
    """Renaming hidden cards changes no input: there is nothing but the observation."""
    for position in decisions(2, seed=4):
        for seed in range(3):
            world = position.hand.determinize(position.seat, seed)
            observation = world.observation(position.seat)[None]
            packed = _core.pack_observations(observation)
            assert (packed == _core.pack_observations(position.history[-1:])).all()


def test_all_renamings_are_those_of_the_symmetry_wrapper() -> None:
    """Training renames natively; each result is one of the 48 relabelled observations, and all 48 occur."""
    observations = afterstates()
    rich = max(observations, key=lambda row: row[: 54 * 9].reshape(54, 9)[:, :6].sum())  # many cards placed
    relabelled = np.stack([relabel_observation(rich[None], number)[0] for number in range(COUNT)])
    packed = _core.pack_observations(relabelled)
    wanted = {row.tobytes() for row in _core.network_features(packed)}
    copies = np.repeat(packed[:1], 2000, axis=0)
    found = {row.tobytes() for row in _core.network_features(copies, 9)}
    assert found == wanted
    assert len(found) > 6  # suits that hold different cards give different inputs


def test_renaming_is_seeded_and_optional() -> None:
    packed = _core.pack_observations(afterstates())
    plain, again = _core.network_features(packed), _core.network_features(packed)
    assert (plain == again).all()
    renamed, same = _core.network_features(packed, 4), _core.network_features(packed, 4)
    assert (renamed == same).all()
    assert (renamed != plain).any()
    assert (renamed.sum(axis=1) == plain.sum(axis=1)).all()


# ---------------------------------------------------------------- self-play


def test_decisions_of_self_play() -> None:
    """Shapes, sums and the meaning of the fields."""
    found = _core.self_play(random_network().native(), 30, 1, candidates=4, simulations=8)
    count = len(found["chosen"])
    assert found["states"].shape == (count, _core.MOST_CANDIDATES, 8)
    assert count >= 30 * 4
    assert (found["counts"] >= 1).all()
    assert (found["counts"] <= 4).all()
    assert (found["chosen"] < found["counts"]).all()
    assert found["policy"].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.isfinite(found["values"]).all()
    assert set(np.unique(found["outcomes"][:, 1:3])) <= {0.0, 1.0}
    filled = np.arange(_core.MOST_CANDIDATES) < found["counts"][:, None]
    assert (found["states"][~filled] == 0).all()
    best = np.where(filled, found["values"], -np.inf).argmax(axis=1)
    assert (np.where(filled, found["policy"], -1.0).argmax(axis=1) == best).all()


def test_self_play_by_a_tree() -> None:
    """What is played stands first, then the placements visited most; both targets are shares of them."""
    network = random_network().native()
    options: dict[str, Any] = {"root": "tree", "simulations": 40, "candidates": 5, "noise": 0.25}
    by_value, by_visits, alone = (
        _core.self_play(network, 12, 1, **options, **more)
        for more in ({}, {"policy_target": "visits"}, {"exploring_share": 0.0})
    )
    last = by_value["states"][:, 0, 7] & 255 == 4
    for found in (by_value, by_visits):
        filled = np.arange(_core.MOST_CANDIDATES) < found["counts"][:, None]
        assert found["counts"].max() == 5
        assert (found["chosen"][~last] == 0).all()
        assert (found["states"][~filled] == 0).all()
        assert found["policy"].sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        assert (found["policy"][filled] > 0).all()
    for name in ("states", "values", "chosen", "counts"):  # the same hands, and another lesson
        assert (by_value[name] == by_visits[name]).all()
    others = by_visits["policy"][~last, 1:5]
    assert (np.diff(others, axis=1) <= 1e-6).all()  # by visits, most first
    best = by_value["values"][~last][:, :5].max(axis=1)
    assert (by_value["values"][~last, 0] < best - 1e-3).any()  # exploring hands do not always play the best
    quiet = alone["states"][:, 0, 7] & 255 != 4
    filled = np.arange(_core.MOST_CANDIDATES) < alone["counts"][:, None]
    values = np.where(filled, alone["values"], -np.inf)[quiet]
    assert (values[:, 0] == values.max(axis=1)).all()


def test_turn_3_may_be_searched_deeper() -> None:
    """The turns before are judged as ever; turn 3 of the same hand has other, quieter values."""
    network, options = trained_network().native(), {"simulations": 4, "exploring_share": 0.0}
    usual, deeper = (
        _core.self_play(network, 1, 5, **options, **more)  # type: ignore[arg-type]
        for more in ({}, {"last_simulations": 400})
    )
    turns = [int(state) & 255 for state in usual["states"][:, 0, 7]]
    third = turns.index(3)
    assert (usual["values"][:third] == deeper["values"][:third]).all()
    assert (usual["states"][third] == deeper["states"][third]).all()
    assert (usual["values"][third] != deeper["values"][third]).any()
    spread = [
        np.std([_core.self_play(network, 1, 5, **options, **more)["values"][third, 0] for more in runs])  # type: ignore[arg-type]
        for runs in (
            [{"last_simulations": 4 + number} for number in range(8)],
            [{"last_simulations": 400 + number} for number in range(8)],
        )
    ]
    assert spread[1] < spread[0]


def test_self_play_is_seeded() -> None:
    network = random_network().native()
    runs = [_core.self_play(network, 6, seed, simulations=8) for seed in (3, 3, 4)]
    assert all((runs[0][name] == runs[1][name]).all() for name in runs[0])
    assert (
        runs[0]["values"].shape != runs[2]["values"].shape or (runs[0]["values"] != runs[2]["values"]).any()
    )


def session_hands(reward: RewardConfig) -> list[list[tuple[bool, int, float]]]:
    """A session of self-play without fantasyland: of each hand (button, chips, outcome) of its decisions."""
    for seed in range(20):
        found = _core.self_play(random_network().native(), 1, seed, simulations=8, reward=reward)
        words = found["states"][:, 0, 7].astype(np.int64)
        turns, widths, chips = words & 255, words >> 16 & 255, words >> 32 & 0xFFFF
        starts = np.flatnonzero((turns == 0) & (np.roll(turns, 1) != 0))
        if (widths == 0).all() and len(starts) >= 3:
            rows = list(zip((words >> 8 & 1).astype(bool), chips, found["outcomes"][:, 0], strict=True))
            return [rows[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
    raise AssertionError("no session of three hands without fantasyland")


def chips_and_outcomes(hands: list[list[tuple[bool, int, float]]]) -> list[list[tuple[int, float]]]:
    """For each hand the chips and the outcome of the two seats, the first button's first."""
    found = []
    for number, rows in enumerate(hands):
        by_seat = {button != number % 2: (chips, outcome) for button, chips, outcome in rows}
        assert len(by_seat) == 2
        assert {(chips, outcome) for _, chips, outcome in rows} == set(by_seat.values())
        found.append([by_seat[True], by_seat[False]])
    return found


def test_session_self_play_ends_by_the_rules() -> None:
    """Paid by the session alone, every decision tells the final chips: its own chips and the outcome."""
    hands = chips_and_outcomes(session_hands(RewardConfig.preset("session")))
    ends = {tuple(round(chips + outcome, 3) for chips, outcome in seats) for seats in hands}
    assert len(ends) == 1
    first, second = ends.pop()
    assert first + second == 400
    assert min(first, second) == 0 or abs(first - second) >= 40
    assert all(abs(a[0] - b[0]) < 40 for a, b in hands)  # else it would have ended before


def test_session_self_play_is_paid_for_hand_and_session() -> None:
    """0.7 of the hand's chips and 0.3 of the session's, counted from the chips before the hand."""
    hands = chips_and_outcomes(session_hands(RewardConfig.preset("mixed")))
    for seat in range(2):
        ends = []
        for now, then in pairwise(hands):
            chips, outcome = now[seat]
            moved = then[seat][0] - chips
            ends.append((outcome - 0.7 * moved) / 0.3 + chips)
        assert ends == pytest.approx([ends[0]] * len(ends), abs=1e-3)
        last_chips, last_outcome = hands[-1][seat]  # there both shares are of the same chips
        assert last_chips + last_outcome == pytest.approx(ends[0], abs=1e-3)


def test_self_play_begins_where_it_is_told() -> None:
    starts = [position.hand for position in decisions(3, seed=5) if position.hand.turn == 3]
    found = _core.self_play(
        random_network().native(), 20, 1, simulations=8, starts=starts, start_share=1.0, exploring_share=0.0
    )
    turns = found["states"][:, 0, 7] & 255
    assert turns.min() == 3  # nothing before the starts is played
    assert 20 <= len(turns) <= 60


# ---------------------------------------------------------------- refusals


def too_narrow_network() -> object:
    shapes = ((64, 3), (64,), (1, 64), (1,), (5, 1), (5,))
    return _core.Network(*(numbers(*shape) for shape in shapes))  # type: ignore[arg-type]


def numbers(*shape: int) -> Observations:
    return np.zeros(shape, dtype=np.float32)


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: AfterstateNetwork(100).native(), "multiple of 64"),
        (lambda: AfterstateNetwork(64, 65).native(), "1 to 64"),
        (lambda: too_narrow_network(), "first layer"),
        (lambda: random_network().native().evaluate(np.zeros((2, 7), np.uint64)), "shape"),
        (lambda: _core.network_features(np.zeros((2, 8), np.float32)), "uint64"),
        (lambda: _core.pack_observations(numbers(2, 3)), "490"),
        (lambda: _core.network_inputs(np.zeros((2, 8), np.uint64), np.array([0, 3])), "starts should rise"),
        (lambda: _core.placement_states(np.zeros((2, 9), np.uint64)), "position 0: not a packed position"),
        (lambda: _core.placement_states(np.zeros((2, 8), np.uint64)), r"shape \(N, 9\)"),
        (
            lambda: _core.inputs_gradient(numbers(1, 4), np.array([9999], np.int32), np.array([0, 1])),
            "there is no input 9999",
        ),
        (
            lambda: _core.inputs_gradient(numbers(3, 4), np.array([1], np.int32), np.array([0, 1])),
            "gradient should be",
        ),
        (lambda: random_network(1, 64).native().preferred(numbers(1, 490), float("nan")), "temperature"),
        (lambda: _core.self_play(None, 1, 1), "needs a network"),
        (lambda: _core.self_play(random_network().native(), -1, 1), "-1 hands"),
        (lambda: _core.self_play(random_network().native(), 1, 1, candidates=9), "candidates is 9.* 1 to 8"),
        (lambda: _core.self_play(random_network().native(), 1, 1, target_temperature=0), "temperature is 0"),
        (lambda: _core.self_play(random_network().native(), 1, 1, starts=[finished_hand()]), "to place"),
        (lambda: _core.self_play(random_network().native(), 1, 1, noise=0.1), "noise is for root=tree"),
        (lambda: _core.self_play(random_network().native(), 1, 1, policy_target="visits"), "for root=tree"),
        (lambda: _core.self_play(None, 1, 1, root="tree", by_rollouts=True), "rollouts is for root=halving"),
        (
            lambda: _core.self_play(random_network().native(), 1, 1, root="tree", temperatures=[1, 1, 1]),
            "temperatures is for root=halving",
        ),
        (
            lambda: _core.self_play(random_network().native(), 1, 1, root="tree", last_simulations=9),
            "last_simulations is for root=halving",
        ),
        (lambda: _core.NetworkSearch(random_network().native(), sims=-1), "sims is -1"),
        (lambda: _core.NetworkSearch(random_network().native(), candidates=0), "candidates is 0"),
        (lambda: _core.NetworkSearch(random_network().native(), prior_weight=-1.0), "prior_weight is -1"),
    ],
)  # fmt: skip
def test_refusals_are_sentences(attempt: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        attempt()
    assert "\n" not in str(refusal.value)


def finished_hand() -> Hand:
    hand = Hand(seed=1)
    while not hand.finished:
        hand.step(hand.legal_actions()[0])
    return hand
