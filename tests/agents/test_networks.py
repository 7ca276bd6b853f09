"""The networks: masks, derived counts, files that are refused, ONNX; and the agent that plays them."""

import json
import pickle
import random

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from agents.base import Observation
from agents.networks.afterstate import AfterstateNetwork
from agents.networks.afterstate import load_network as load_afterstate
from agents.networks.afterstate import save_network as save_afterstate
from agents.networks.files import describe
from agents.networks.native import load_native
from agents.networks.observation import (
    NetworkConfig,
    PolicyNetwork,
    count_matrix,
    load_network,
    save_network,
)
from agents.networks.placement import legal_slots
from agents.players.alphazero import CHAMPION, WEIGHTS, AlphaZeroAgent
from agents.players.bc import BehaviourCloningAgent
from agents.players.ppo import PpoAgent
from agents.turns import choose_slots, seat_to_act
from experiments.export_onnx import export_network, main, positions
from ofc_env import Hand, _core, decode_observation, solve_last_turn
from ofc_env.afterstates import afterstates
from tests.weights import header

SMALL = NetworkConfig((24, 12), dropout=0.0, counts=True)
CONFIGS = [NetworkConfig(), NetworkConfig((16,)), SMALL]


@pytest.fixture(scope="module")
def some_positions():
    observations, masks = positions(160, seed=3)
    return torch.from_numpy(observations), torch.from_numpy(masks)


@pytest.mark.parametrize("config", CONFIGS)
def test_a_policy_gives_chances_to_legal_slots_only(config, some_positions):
    observations, masks = some_positions
    network = PolicyNetwork(config).eval()
    logits, chances = network(observations, masks), network.probabilities(observations, masks)
    assert logits.shape == chances.shape == (160, 150)
    assert torch.equal(torch.isneginf(logits), masks == 0)
    assert (chances[masks == 0] == 0).all()
    torch.testing.assert_close(chances.sum(dim=1), torch.ones(160))


def test_default_sizes_are_those_of_the_design():
    policy = PolicyNetwork()
    shapes = [tuple(weight.shape) for weight in policy.parameters() if weight.ndim == 2]
    assert shapes == [(512, 490), (256, 512), (150, 256)]
    assert policy.config.dropout == 0.2


def test_counts_are_what_a_person_counts(some_positions):
    weight, bias = count_matrix()
    observations = some_positions[0]
    counted = observations @ weight.T + bias
    for numbers, counts in zip(observations.numpy(), counted.numpy(), strict=True):
        seen = decode_observation(numbers)
        rows = [
            seen.top,
            seen.middle,
            seen.bottom,
            seen.opponent_top,
            seen.opponent_middle,
            seen.opponent_bottom,
        ]
        expected: list[float] = []
        for place, cards in enumerate([*rows, seen.hand, seen.unseen]):
            naturals = [card for card in cards if card < 52]
            by_rank, by_suit = (4, 13) if place == 7 else (1, 1)
            expected += [sum(card % 13 == rank for card in naturals) / by_rank for rank in range(13)]
            expected += [sum(card // 13 == suit for card in naturals) / by_suit for suit in range(4)]
        places = [*rows, seen.hand, seen.discards, seen.unseen]
        expected += [sum(card >= 52 for card in cards) for cards in places]
        expected += [1 - len(cards) / size for cards, size in zip(rows, (3, 5, 5, 3, 5, 5), strict=True)]
        np.testing.assert_allclose(counts, expected, atol=1e-5)


def test_afterstates_are_what_the_hand_shows_next():
    rng = random.Random(5)
    checked = 0
    for seed in range(150):
        hand = Hand(seed=seed, button=seed % 2)
        while not hand.finished:
            seat, before = hand.player, hand.observation(hand.player or 0)
            assert seat is not None
            slots = hand.legal_actions()
            after = afterstates(before, slots)
            slot = rng.choice(slots)
            hand.step(slot)
            if not hand.finished:
                np.testing.assert_array_equal(after[slots.index(slot)], hand.observation(seat))
                checked += 1
    assert checked > 1500
    with pytest.raises(ValueError, match="do not fit"):
        afterstates(before, [91])
    with pytest.raises(ValueError, match="do not fit"):
        afterstates(before[None], [1, 2])


def test_legal_slots_follow_from_the_observation(some_positions):
    observations, masks = some_positions
    assert torch.equal(legal_slots(observations), masks != 0)
    settled = observations[observations[:, 486] >= 0.25]
    slots = [int(torch.nonzero(row)[0]) for row in legal_slots(settled)]
    assert not legal_slots(torch.from_numpy(afterstates(settled.numpy(), slots))).any()  # nothing in hand


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("config", CONFIGS)
def test_a_saved_network_comes_back(config, tmp_path, some_positions):
    observations, masks = some_positions
    policy = PolicyNetwork(config).eval()
    save_network(policy, tmp_path / "policy.safetensors", {"command": "make it"})
    again = load_network(tmp_path / "policy.safetensors")
    assert again.config == config
    assert not again.training
    assert torch.equal(again(observations, masks), policy(observations, masks))
    assert describe(tmp_path / "policy.safetensors").notes["command"] == "make it"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.safetensors"]


def test_a_network_is_a_file_like_any_other(tmp_path):
    """Another user's server may read it, if files made here may be read."""
    save_afterstate(AfterstateNetwork(64), tmp_path / "network.safetensors")
    (tmp_path / "plain").touch()
    assert (tmp_path / "network.safetensors").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_files_that_do_not_fit_are_refused(tmp_path):
    good = tmp_path / "good.safetensors"
    network = PolicyNetwork(SMALL)
    save_network(network, good)
    whole, notes = good.read_bytes(), header(good)
    weights = network.state_dict()

    def written(name, tensors, metadata):
        save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, tmp_path / name, metadata)
        return tmp_path / name

    def raw(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    nan = {**weights, "head.bias": torch.full((150,), float("nan"))}
    config = json.loads(notes["config"])
    cases = [
        (raw("cut", whole[: len(whole) // 2]), "not a whole safetensors file"),
        (raw("head", whole[:5]), "not a whole safetensors file"),
        (raw("empty", b""), "not a whole safetensors file"),
        (raw("pickle", pickle.dumps({"a": 1})), "not a whole safetensors file"),
        (raw("text", b"hello " * 1000), "not a whole safetensors file"),
        (written("other", {"x": torch.zeros(3)}, None), "does not hold a network"),
        (written("less", {"head.bias": weights["head.bias"]}, notes), "missing or too much"),
        (written("nan", nan, notes), "not finite"),
        (written("half", {k: t.half() for k, t in weights.items()}, notes), "should be float32"),
        (
            written("sizes", weights, {**notes, "config": json.dumps({**config, "hidden": [24, 13]})}),
            "should be",
        ),
        (
            written("huge", weights, {**notes, "config": json.dumps({**config, "hidden": [10**9]})}),
            "cannot be read",
        ),
        (written("odd", weights, {**notes, "config": json.dumps({**config, "depth": 3})}), "cannot be read"),
        (written("nojson", weights, {**notes, "config": "{"}), "cannot be read"),
        (written("kind", weights, {**notes, "kind": "value"}), "policy network is needed"),
    ]
    for path, sentence in cases:
        with pytest.raises(ValueError, match=sentence) as refusal:
            load_network(path)
        assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match="there is no network at"):
        load_network(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="afterstate network is needed"):
        load_afterstate(good)


def test_every_cut_of_a_file_is_refused(tmp_path):
    path = tmp_path / "network.safetensors"
    save_network(PolicyNetwork(NetworkConfig((3,))), path)
    whole, rng = path.read_bytes(), random.Random(1)
    for _ in range(100):
        path.write_bytes(whole[: rng.randrange(len(whole))])
        with pytest.raises(ValueError, match="not a whole safetensors file"):
            load_network(path)


def test_impossible_sizes_are_refused():
    for hidden in ((), (0,), (10**6,), (4,) * 17, (True,)):
        with pytest.raises(ValueError, match="hidden layers"):
            NetworkConfig(hidden)
    with pytest.raises(ValueError, match="dropout"):
        NetworkConfig(dropout=1.0)


# ---------------------------------------------------------------- ONNX


@pytest.mark.parametrize(
    "network",
    [PolicyNetwork(SMALL), AfterstateNetwork(64), AfterstateNetwork(64, staged=True)],
    ids=["policy", "after", "staged"],
)
def test_onnx_answers_the_same(network, tmp_path):
    pytest.importorskip("onnxruntime")
    assert export_network(network.eval(), tmp_path / "network.onnx") < 1e-5
    assert (tmp_path / "network.onnx").stat().st_size > 10_000


def packed_position(hand, seat):
    """(1, 9): what a seat sees, and its cards."""
    cards = np.array([[sum(1 << card for card in hand.dealt)]], dtype=np.uint64)
    seen = _core.pack_observations(hand.observation(seat)[None], hand.rules)
    return np.concatenate([seen, cards], axis=1)


def played_by_onnx(session, hand, seat, rules):
    """The placements of a seat's turn by the value of a network after a placement, best first."""
    position = hand.information(seat)
    states, starts = _core.placement_states(packed_position(hand, seat))
    assert starts.tolist() == [0, len(position.placements())]
    (heads,) = session.run(None, {"features": _core.network_features(states, None, rules)})
    order = np.argsort(-heads[:, 0], kind="stable")
    placements = position.placements()
    return [placements[index] for index in order], heads[order, 0]


@pytest.mark.parametrize("file", ["alphazero", "alphazero-standard", "bc/clone"])
def test_hands_of_every_shipped_network_are_the_same_through_onnx(file, tmp_path, capsys):
    onnxruntime = pytest.importorskip("onnxruntime")
    weights = WEIGHTS / f"{file}.safetensors"
    assert main([str(weights), "--out", str(tmp_path / "network.onnx")]) == 0
    session = onnxruntime.InferenceSession(str(tmp_path / "network.onnx"))
    network = load_native(weights)
    agent = AlphaZeroAgent(network=network, sims=0, exact=False, opening_width=232)
    decisions = 0
    for seed in range(12):
        hand = Hand(seed=seed, button=seed % 2, rules=network.rules)
        while not hand.finished:
            seat = seat_to_act(hand)
            placements, values = played_by_onnx(session, hand, seat, network.rules)
            chosen = agent.rank(hand.information(seat))[0].placement
            if len(values) == 1 or values[0] - values[1] > 0.1:  # of equals either may be first
                assert placements[0] == chosen
                decisions += 1
            hand.place(chosen)
    assert decisions > 80


def test_hands_of_ppo_are_the_same_through_onnx(tmp_path, capsys):
    onnxruntime = pytest.importorskip("onnxruntime")
    assert main([str(WEIGHTS / "ppo.safetensors"), "--out", str(tmp_path / "ppo.onnx")]) == 0
    session = onnxruntime.InferenceSession(str(tmp_path / "ppo.onnx"))
    agent, decisions = PpoAgent(), 0
    for seed in range(12):
        hand = Hand(seed=seed, button=seed % 2)
        while not hand.finished:
            inputs = {
                "observation": hand.observation(seat_to_act(hand))[None],
                "action_mask": hand.action_mask()[None],
            }
            (chances,) = session.run(None, inputs)
            slots = choose_slots(agent, hand)
            assert chances[0, slots[0]] >= chances[0].max() - 1e-5  # of equals either may be first
            for slot in slots:
                hand.step(slot)
            decisions += 1
    assert decisions == 12 * 10


def test_the_champion_has_its_heads_in_onnx(tmp_path, capsys):
    onnxruntime = pytest.importorskip("onnxruntime")
    assert main([str(CHAMPION), "--out", str(tmp_path / "champion.onnx")]) == 0
    session = onnxruntime.InferenceSession(str(tmp_path / "champion.onnx"))
    hand = Hand(seed=3)
    hand.step(40)
    hand.step(hand.legal_actions()[0])
    packed = _core.pack_observations(hand.observation(0)[None])
    (heads,) = session.run(None, {"features": _core.network_features(packed)})
    value, foul = load_native(CHAMPION).evaluate(packed)[0, :2]
    assert heads[0, 0] == pytest.approx(value, abs=0.1)
    assert 1 / (1 + np.exp(-heads[0, 1])) == pytest.approx(foul, abs=0.01)


def test_an_onnx_that_differs_is_not_written(tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr("experiments.export_onnx._difference", lambda *arguments: 0.5)
    with pytest.raises(ValueError, match="answers differently"):
        export_network(PolicyNetwork(SMALL), tmp_path / "network.onnx")
    assert list(tmp_path.iterdir()) == []
    assert main([str(tmp_path / "none"), str(tmp_path / "out.onnx")]) == 2
    assert "there is no network" in capsys.readouterr().err


# ---------------------------------------------------------------- the agent


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bc")
    torch.manual_seed(1)
    save_afterstate(AfterstateNetwork(64), folder / "clone.safetensors")
    return folder


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_the_agent_plays_whole_hands(weights, temperature):
    agent = BehaviourCloningAgent(folder=weights, temperature=temperature)
    for seed in range(6):
        hand = Hand(seed=seed, fantasyland=(0, 14 if seed == 5 else 0))
        while not hand.finished:
            if hand.in_fantasyland:
                hand.set_fantasyland()
                continue
            seat = hand.player
            assert seat is not None
            observation: Observation = {
                "observation": hand.observation(seat),
                "action_mask": hand.action_mask(),
            }
            slot = agent.act(observation)
            assert slot == agent.act(observation)
            if hand.turn == 4 and len(hand.legal_actions()) > 1:
                values = solve_last_turn(hand)
                assert values[slot] == max(values.values())
            hand.step(slot)


def test_batches_answer_like_single_questions(weights, some_positions):
    observations, masks = (tensor.numpy() for tensor in some_positions)
    for temperature, exact in ((0.0, True), (2.0, False)):
        agent = BehaviourCloningAgent(folder=weights, temperature=temperature, exact=exact)
        single = [
            agent.act({"observation": observation, "action_mask": mask})
            for observation, mask in zip(observations, masks, strict=True)
        ]
        assert agent.act_batch(observations, masks).tolist() == single
    with pytest.raises(ValueError, match="allows no slot"):
        agent.act_batch(observations[:1], np.zeros((1, 150), dtype=np.int8))


def test_the_agent_refuses_what_it_cannot_do(tmp_path):
    for temperature in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="temperature of"):
            BehaviourCloningAgent(temperature=temperature)
    with pytest.raises(ValueError, match=r"holds no clone\.safetensors: make one with"):
        BehaviourCloningAgent(folder=tmp_path)
    with pytest.raises(ValueError, match="there is no network"):
        BehaviourCloningAgent(folder=tmp_path / "none")


def test_the_policy_is_a_softmax_over_whole_placements(weights):
    """Openings too: of 232 placements the drawn first steps come as often as their placements together."""
    network = load_native(weights)
    hand = Hand(seed=5)
    position = hand.information(0)
    states, _ = _core.placement_states(packed_position(hand, 0))
    preferences = network.evaluate(states)[:, 4].astype(np.float64)
    chances = np.exp(preferences - preferences.max())
    chances /= chances.sum()
    expected = np.zeros(150)
    for placement, chance in zip(position.placements(), chances, strict=True):
        expected[hand.actions_of(placement)[0]] += chance
    draws = 4000
    found = np.array([network.preferred([position], 1.0, seed)[0] for seed in range(draws)])
    counts = np.bincount(found, minlength=150) / draws
    assert np.abs(counts - expected).max() < 4 * np.sqrt(expected.max() / draws)
    favourite = position.placements()[preferences.argmax()]
    assert network.preferred([position])[0] == hand.actions_of(favourite)[0]
    assert (network.preferred([position] * 5, 1.0, 7) == network.preferred([position], 1.0, 7)).all()
