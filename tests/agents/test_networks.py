"""The networks: masks, derived counts, files that are refused, ONNX; and the agent that plays them."""

import json
import pickle
import random

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from agents.base import Observation
from agents.networks.files import describe
from agents.networks.native import load_native
from agents.networks.observation import (
    NetworkConfig,
    PolicyNetwork,
    ValueNetwork,
    count_matrix,
    load_network,
    save_network,
)
from agents.networks.slot_judge import STAY, legal_slots
from agents.players.alphazero import CHAMPION
from agents.players.bc import BehaviourCloningAgent
from experiments.export_onnx import export_network, main, positions
from ofc_env import Hand, _core, decode_observation, solve_last_turn
from ofc_env.afterstates import afterstates
from tests.weights import header

SMALL = NetworkConfig((24, 12), dropout=0.0, counts=True)
BY_SLOT = NetworkConfig((24, 12), dropout=0.0, counts=True, by_slot=True)
CONFIGS = [NetworkConfig(), NetworkConfig((16,)), SMALL, BY_SLOT, NetworkConfig((16,), 0.0, False, True)]


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


def test_a_value_network_has_four_heads(some_positions):
    observations, _ = some_positions
    network = ValueNetwork(SMALL).eval()
    values, raw = network(observations), network.raw(observations)
    assert values._fields == ("royalty_ev", "bust_prob", "fl_prob", "value")
    assert all(head.shape == (160,) for head in values)
    for name in ("bust_prob", "fl_prob"):
        chance = getattr(values, name)
        assert ((chance > 0) & (chance < 1)).all()
        torch.testing.assert_close(torch.sigmoid(getattr(raw, name)), chance)
    assert torch.equal(values.value, raw.value)


def test_default_sizes_are_those_of_the_design():
    policy, value = PolicyNetwork(), ValueNetwork()
    shapes = [tuple(weight.shape) for weight in policy.parameters() if weight.ndim == 2]
    assert shapes == [(512, 490), (256, 512), (150, 256)]
    assert [tuple(weight.shape) for weight in value.parameters() if weight.ndim == 2][-1] == (4, 256)
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


def only_stay(count):
    """Judge positions as they are."""
    legal = torch.zeros(count, STAY + 1, dtype=torch.bool)
    legal[:, STAY] = True
    return legal


def test_slots_are_judged_by_the_position_after_them(some_positions):
    """Sums of single columns and look-ups of changed rows equal the same network on whole afterstates."""
    observations, _ = some_positions
    judge = PolicyNetwork(BY_SLOT).eval().slots
    torch.nn.init.normal_(judge.habit)
    legal = legal_slots(observations)
    judged = judge(observations, legal)[:, :, 0]
    for numbers, allowed, row in zip(observations, legal, judged, strict=True):
        slots = torch.nonzero(allowed)[:, 0]
        after = torch.from_numpy(afterstates(numbers.numpy(), slots.numpy()))
        slow = judge(after, only_stay(len(slots)))[:, STAY, 0] - judge.habit[STAY] + judge.habit[slots]
        torch.testing.assert_close(row[slots], slow, atol=1e-5, rtol=1e-4)
    judge.every_slot = True
    torch.testing.assert_close(judge(observations, legal)[:, :, 0][legal], judged[legal])


def test_legal_slots_follow_from_the_observation(some_positions):
    observations, masks = some_positions
    legal = legal_slots(observations)
    assert torch.equal(legal[:, :STAY], masks[:, :STAY] != 0)
    assert not legal[:, STAY].any()
    settled = observations[observations[:, 486] >= 0.25]
    slots = [int(torch.nonzero(row)[0]) for row in legal_slots(settled)]
    after = legal_slots(torch.from_numpy(afterstates(settled.numpy(), slots)))
    assert torch.equal(after, only_stay(len(settled)))


def test_a_value_by_slot_is_a_mean_over_the_slots(some_positions):
    observations, _ = some_positions
    network = ValueNetwork(BY_SLOT).eval()
    values, (_, logits) = network(observations), network.raw_with_logits(observations)
    assert logits is not None
    for index in range(0, 160, 7):
        slots = torch.nonzero(legal_slots(observations[index : index + 1])[0])[:, 0]
        after = torch.from_numpy(afterstates(observations[index].numpy(), slots.numpy()))
        judged = network.slots(after, only_stay(len(slots)))[:, STAY]
        chances = torch.softmax(logits[index, slots], dim=0)
        expected = (judged[:, 1], judged[:, 2].sigmoid(), judged[:, 3].sigmoid(), judged[:, 4])
        for head, numbers in zip(values, expected, strict=True):
            torch.testing.assert_close(head[index], (chances * numbers).sum(), atol=1e-5, rtol=1e-4)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("config", CONFIGS)
def test_a_saved_network_comes_back(config, tmp_path, some_positions):
    observations, masks = some_positions
    policy, value = PolicyNetwork(config).eval(), ValueNetwork(config).eval()
    save_network(policy, tmp_path / "policy.safetensors", {"command": "make it"})
    save_network(value, tmp_path / "value.safetensors")
    again = load_network(tmp_path / "policy.safetensors", PolicyNetwork)
    assert again.config == config
    assert not again.training
    assert torch.equal(again(observations, masks), policy(observations, masks))
    assert torch.equal(
        torch.stack(load_network(tmp_path / "value.safetensors", ValueNetwork)(observations)),
        torch.stack(value(observations)),
    )
    assert describe(tmp_path / "policy.safetensors").notes["command"] == "make it"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.safetensors", "value.safetensors"]


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
            load_network(path, PolicyNetwork)
        assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match="there is no network at"):
        load_network(tmp_path / "nowhere", PolicyNetwork)
    with pytest.raises(ValueError, match="value network is needed"):
        load_network(good, ValueNetwork)


def test_every_cut_of_a_file_is_refused(tmp_path):
    path = tmp_path / "network.safetensors"
    save_network(PolicyNetwork(NetworkConfig((3,))), path)
    whole, rng = path.read_bytes(), random.Random(1)
    for _ in range(100):
        path.write_bytes(whole[: rng.randrange(len(whole))])
        with pytest.raises(ValueError, match="not a whole safetensors file"):
            load_network(path, PolicyNetwork)


def test_impossible_sizes_are_refused():
    for hidden in ((), (0,), (10**6,), (4,) * 17, (True,)):
        with pytest.raises(ValueError, match="hidden layers"):
            NetworkConfig(hidden)
    with pytest.raises(ValueError, match="dropout"):
        NetworkConfig(dropout=1.0)


@pytest.mark.parametrize("network", [PolicyNetwork(BY_SLOT), ValueNetwork(SMALL), ValueNetwork(BY_SLOT)])
def test_onnx_answers_the_same(network, tmp_path):
    pytest.importorskip("onnxruntime")
    assert export_network(network, tmp_path / "network.onnx") < 1e-5
    assert (tmp_path / "network.onnx").stat().st_size > 10_000


def test_the_champion_is_exported_and_only_heads_that_are_trained(tmp_path, capsys):
    onnxruntime = pytest.importorskip("onnxruntime")
    assert main([str(CHAMPION), "--out", str(tmp_path / "champion.onnx")]) == 0
    session = onnxruntime.InferenceSession(str(tmp_path / "champion.onnx"))
    hand = Hand(seed=3)
    hand.step(40)
    hand.step(hand.legal_actions()[0])
    packed = _core.pack_observations(hand.observation(0)[None])
    (heads,) = session.run(None, {"features": _core.network_features(packed)})
    value, foul = load_native(CHAMPION).evaluate(packed)[0, :2]
    assert heads[0, 0] == pytest.approx(value, abs=1e-3)
    assert 1 / (1 + np.exp(-heads[0, 1])) == pytest.approx(foul, abs=1e-4)
    export_network(ValueNetwork(SMALL), tmp_path / "value.onnx")
    outputs = onnxruntime.InferenceSession(str(tmp_path / "value.onnx")).get_outputs()
    assert [output.name for output in outputs] == ["royalty_ev", "bust_prob", "fl_prob"]


def test_an_onnx_that_differs_is_not_written(tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr("experiments.export_onnx._difference", lambda *arguments: 0.5)
    with pytest.raises(ValueError, match="answers differently"):
        export_network(ValueNetwork(SMALL), tmp_path / "network.onnx")
    assert list(tmp_path.iterdir()) == []
    assert main([str(tmp_path / "none"), str(tmp_path / "out.onnx")]) == 2
    assert "there is no network" in capsys.readouterr().err


# ---------------------------------------------------------------- the agent


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bc")
    torch.manual_seed(1)
    save_network(PolicyNetwork(BY_SLOT), folder / "policy.safetensors")
    save_network(ValueNetwork(BY_SLOT), folder / "value.safetensors")
    return folder


@pytest.mark.parametrize("candidates", [1, 3, 200])
def test_the_agent_plays_whole_hands(weights, candidates):
    agent = BehaviourCloningAgent(folder=weights, candidates=candidates)
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
    for candidates, exact in ((1, True), (4, False)):
        agent = BehaviourCloningAgent(folder=weights, candidates=candidates, exact=exact)
        single = [
            agent.act({"observation": observation, "action_mask": mask})
            for observation, mask in zip(observations, masks, strict=True)
        ]
        assert agent.act_batch(observations, masks).tolist() == single
    with pytest.raises(ValueError, match="allows no slot"):
        agent.act_batch(observations[:1], np.zeros((1, 150), dtype=np.int8))


def test_the_agent_refuses_what_it_cannot_do(tmp_path):
    with pytest.raises(ValueError, match="0 candidates"):
        BehaviourCloningAgent(candidates=0)
    with pytest.raises(ValueError, match="there is no network"):
        BehaviourCloningAgent(folder=tmp_path)


def test_value_chooses_among_the_likeliest(weights, some_positions):
    """With no preference for likely slots and all slots as candidates, the best value decides."""
    observations, masks = (tensor.numpy() for tensor in some_positions)
    agent = BehaviourCloningAgent(folder=weights, candidates=150, exact=False, preference=0.0)
    assert agent.value is not None
    chosen = agent.act_batch(observations, masks)
    for numbers, mask, slot in zip(observations[:40], masks[:40], chosen[:40], strict=True):
        legal = np.flatnonzero(mask)
        with torch.inference_mode():
            expected = agent.value(torch.from_numpy(afterstates(numbers, legal)))
        worth = expected.royalty_ev + 15 * expected.fl_prob - 6 * expected.bust_prob
        assert worth[legal.tolist().index(slot)].item() == pytest.approx(worth.max().item(), abs=1e-4)
