"""Self-play as states, policies and values: the positions that were played, and the way back."""

import json

import numpy as np
import pytest

from agents.networks.native import load_native
from agents.players.alphazero import CHAMPION
from experiments import convert_selfplay
from experiments.alphazero import main as alphazero
from experiments.selfplay.slots import from_slots, to_slots
from ofc_env import Hand, InformationSet, Rules, _core

USUAL = {"simulations": 8, "candidates": 4}


def played(hands=30, seed=1, **options):
    return _core.self_play(load_native(CHAMPION), hands, seed, **{**USUAL, **options})


def test_every_decision_is_found_again_and_comes_back():
    decisions = played(random_openings=0.0)
    rows, left_out = to_slots(decisions, Rules())
    assert left_out == 0
    assert len(np.unique(rows["decisions"])) == len(decisions["chosen"])
    for row, (state, policy) in enumerate(zip(rows["states"], rows["policies"], strict=True)):
        position = InformationSet.from_observation(state)
        legal = position.action_mask()
        assert not policy[legal == 0].any()
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert rows["actions"][row] == -1 or legal[rows["actions"][row]]
    again, dropped = from_slots(rows, Rules())
    assert dropped == 0
    against = decisions["states"][..., 7] >> np.uint64(16) & np.uint64(0xFFFF)
    decisions["states"][..., 7] &= ~np.where(against > 0, np.uint64(0x100), np.uint64(0))  # the button there
    exactly_kept = 0
    for number, count in enumerate(decisions["counts"].tolist()):
        mine = {
            tuple(state): (value, chance)
            for state, value, chance in zip(
                again["states"][number].tolist(),
                again["values"][number],
                again["policy"][number],
                strict=True,
            )
        }
        likely = decisions["policy"][number, :count] > 1e-6
        exactly_kept += int(likely.all())
        for place in np.flatnonzero(likely):
            value, chance = mine[tuple(decisions["states"][number, place].tolist())]
            assert value == pytest.approx(decisions["values"][number, place], abs=2e-3)
            assert chance == pytest.approx(decisions["policy"][number, place], abs=1e-5)
        chosen = again["states"][number, again["chosen"][number]]
        if likely[decisions["chosen"][number]]:
            assert (chosen == decisions["states"][number, decisions["chosen"][number]]).all()
    assert exactly_kept > len(decisions["counts"]) / 2
    np.testing.assert_array_equal(again["outcomes"], decisions["outcomes"])


def test_hands_that_begin_in_the_middle_are_found_where_their_placements_tell():
    start = Hand(seed=5)
    while start.turn < 2:
        start.place(start.placements()[7])
    decisions = played(starts=(start,), start_share=1.0, candidates=8, exploring_share=0.0)
    rows, left_out = to_slots(decisions, Rules())
    assert 0 <= left_out < 30  # at most the first decision of each hand
    seat = start.player
    assert seat is not None
    own = {tuple(start.board(seat).top), tuple(start.board(1 - seat).top)}
    first = [InformationSet.from_observation(state) for state in rows["states"]]
    assert any(tuple(position.top) in own and position.turn == 2 for position in first)


def test_the_command_goes_both_ways_and_the_learner_takes_it(tmp_path, capsys):
    decisions = played(hands=12)
    data = tmp_path / "data"
    data.mkdir()
    np.savez_compressed(tmp_path / "made.npz", **{name: decisions[name] for name in convert_selfplay.FIELDS})
    folder = tmp_path / "slots"
    assert convert_selfplay.main([str(tmp_path / "made.npz"), "--out", str(folder)]) == 0
    assert "rows of" in capsys.readouterr().out
    shapes = {name: np.load(folder / f"{name}.npy").shape[1:] for name in ("states", "policies", "values")}
    assert shapes == {"states": (490,), "policies": (150,), "values": ()}
    assert Rules.parse(json.loads((folder / "metadata.json").read_text())["rules"]) == Rules()
    assert convert_selfplay.main([str(folder), "--out", str(data / "round_00000.npz")]) == 0
    words = [
        "train",
        "--data",
        str(data),
        "--steps",
        "2",
        "--hidden",
        "64",
        "--out",
        str(tmp_path / "n.safetensors"),
    ]
    assert alphazero(words) == 0
    capsys.readouterr()
    (folder / "outcomes.npy").unlink()
    for words, sentence in (
        ([str(folder), "--out", str(data / "round_00001.npz")], "the way back needs"),
        ([str(folder), "--out", str(data / "more")], "is no file of self-play: name it"),
        ([str(tmp_path / "none.npz"), "--out", str(tmp_path / "x")], "is no file of self-play ("),
    ):
        assert convert_selfplay.main(words) == 2
        assert sentence in capsys.readouterr().err
