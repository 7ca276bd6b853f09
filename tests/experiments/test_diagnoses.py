"""Two diagnoses: positions of self-play, placements with the same inputs, training against fresh hands."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.networks.afterstate import load_network, save_network
from experiments import alphazero, diagnoses, regret
from experiments.common.command_line import write_json
from experiments.referee.held_out import Errors, Lost, difference, errors_of, lost_lines, root_mean_square
from experiments.referee.inputs import alike_in, game_of, hidden, inputs_by, judged_inputs, looks_of, scan
from experiments.referee.labels import read_decisions, read_labels
from experiments.referee.positions import Positions, hands_of, positions_of
from experiments.selfplay.training import FIELDS
from ofc_env import InformationSet, Rules, _core
from tests.trained_networks import constant_network, trained_network

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = ["--worlds", "16", "--fresh-worlds", "8", "--judge", "heuristic", "--processes", "1"]


def self_play(hands: int = 20, seed: int = 3, **options: Any) -> dict[str, Any]:
    return _core.self_play(None, hands, seed, simulations=8, by_rollouts=True, **options)


# --- positions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fantasyland_share": 1.0},
        {"fantasyland_share": 0.0, "random_openings": 1.0},
        {"rules": Rules.parse("standard")},
        {"rules": Rules.parse("house jokers=1"), "reward": "points"},
    ],
)
def test_positions_lead_to_what_was_searched(options: dict[str, Any]) -> None:
    decisions = self_play(**options)
    positions = positions_of(decisions)
    rules = options.get("rules", Rules())
    random_openings = options.get("random_openings", 0.03) == 1
    if random_openings:  # nobody decided on them, so turn 1 has nothing before it
        assert sorted(set(positions.turns.tolist())) == [2, 3, 4]
    else:
        assert len(positions.numbers) >= 0.9 * len(decisions["chosen"])
    states, starts = _core.placement_states(positions.packed)
    for index, number in enumerate(positions.numbers):
        after = {state.tobytes() for state in states[starts[index] : starts[index + 1]]}
        searched = decisions["states"][number, : decisions["counts"][number]]
        assert {state.tobytes() for state in searched} <= after
        information = positions.information(index, rules)
        assert len(information.placements()) == len(after)
        assert len(information.discards) == max(0, information.turn - 1)
        assert (information.opponent_fantasyland == 0) == positions.plain[index]
        judged = _core.Referee(None, rules=rules, reward="points", worlds=2, block=2, fresh=2)
        if index % 50 == 0:
            assert {state.tobytes() for state in judged.judge(information).states} == after


def test_hands_are_counted() -> None:
    decisions = self_play(30, fantasyland_share=0.5, random_openings=0.5)
    hands = hands_of(decisions)
    assert hands[0] == 0
    assert hands[-1] == 29
    kept = diagnoses.first_hands(decisions, 7)
    assert hands_of(kept)[-1] == 6
    assert np.array_equal(kept["states"], decisions["states"][: len(kept["chosen"])])
    assert len(kept["chosen"]) < len(decisions["chosen"])


# --- inputs --------------------------------------------------------------------------------


def placements_of(information: InformationSet) -> Any:
    return _core.Referee(None, worlds=2, block=2, fresh=2).judge(information).states


def groups_of(information: InformationSet) -> list[list[int]]:
    states = placements_of(information)
    return alike_in(states, looks_of(states, inputs_by(Rules())))


def test_two_aces_and_two_kings_of_two_suits_are_alike() -> None:
    """Inputs count the ranks and the suits of a row, so ace of spades and king of hearts look swapped."""
    information = InformationSet(hand="As Ah Ks Kh 2s")
    states, groups = placements_of(information), groups_of(information)
    assert groups
    for group in groups:
        inputs, starts = _core.network_inputs(states[group])
        pieces = [sorted(inputs[begin:end]) for begin, end in pairwise(starts)]
        assert all(piece == pieces[0] for piece in pieces)
        assert len({game_of(states[member]) for member in group}) > 1
    # With a fifth card of a third suit the two suits can change names: it is the same game.
    assert not groups_of(InformationSet(hand="As Ah Ks Kh 2c"))
    assert not groups_of(InformationSet(hand="As Ah Kd Kh 2s"))


def test_two_jokers_are_the_same_game() -> None:
    information = InformationSet(
        top="Qs", middle="5d 5c", bottom="9h 8h", opponent_bottom="Ah Ad", opponent_middle="2c 3c 4d",
        hand="X1 X2 Kd", turn=1, button=True,
    )  # fmt: skip
    states = placements_of(information)
    looks = looks_of(states, inputs_by(Rules()))
    assert len(np.unique(looks)) < len(looks)
    assert not alike_in(states, looks)


def test_games_are_told_apart() -> None:
    states = placements_of(InformationSet(hand="As Ah Ks Kh 2s"))
    assert len({game_of(state) for state in states}) > 150
    renamed = states.copy()  # spades and clubs change names
    spades, clubs = ((states[:, :7] >> np.uint64(13 * suit)) & np.uint64(0x1FFF) for suit in (0, 3))
    rest = states[:, :7] & ~np.uint64(0x1FFF | 0x1FFF << 39)
    renamed[:, :7] = rest | clubs | spades << np.uint64(39)
    assert not np.array_equal(renamed, states)
    assert [game_of(state) for state in renamed] == [game_of(state) for state in states]


def blind(states: Any) -> Any:
    """Inputs that say nothing but the turn."""
    count = len(states)
    return (states[:, 7] & np.uint64(255)).astype(np.int32), np.arange(count + 1)


def test_scan_finds_them_among_positions() -> None:
    decisions = self_play(10)
    positions = positions_of(decisions)
    assert scan(positions, blind).all()
    found = scan(positions, inputs_by(Rules()))
    assert not found[positions.turns > 0].any(), "three cards have no two ranks in the same two suits"
    planted = positions.packed[positions.turns == 0][:1].copy()
    planted[0, :8] = [0, 0, 0, 0, 0, 0, planted[0, 6], planted[0, 7] & ~np.uint64(0xFF00)]
    hand = sum(1 << card for card in InformationSet(hand="As Ah Ks Kh 2s").hand)
    planted[0, 8], planted[0, 6] = hand, ((1 << 54) - 1) & ~hand
    assert scan(Positions(planted, np.zeros(1, np.int64)), inputs_by(Rules())).tolist() == [True]


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen decisions that the heuristic judged."""
    out = tmp_path_factory.mktemp("labels")
    config = regret.Config(
        agent="heuristic", judge="heuristic", decisions=16, worlds=32, block=8, fresh=8, processes=1
    )
    regret.measure(config, out)
    return out / "decisions.jsonl"


def test_what_blind_inputs_cost(labels: Path) -> None:
    judged = judged_inputs(labels, blind)
    table = read_labels(labels)
    decisions = [decision for _, decision in sorted(read_decisions(labels), key=lambda each: each[0])]
    for number, (decision, each) in enumerate(zip(decisions, judged, strict=True)):
        values = table.values[table.offsets[number] : table.offsets[number + 1]]
        assert each.turn == decision["turn"]
        assert each.alike
        assert each.cost == pytest.approx(values[decision["leader"]] - values.mean(), abs=1e-4)
        assert each.clear == (len(decision["left"]) < len(values))
    lines = {line.name: line for line in hidden(judged)}
    assert lines["all"].alike.hits == 16
    assert lines["all"].cost.mean == pytest.approx(np.mean([each.cost for each in judged]))
    assert lines["turn 2"].alike.count == sum(each.turn == 2 for each in judged)
    assert lines["all"].cost.mean > 1
    # The inputs of the network see all of it.
    true = {line.name: line for line in hidden(judged_inputs(labels))}
    assert true["all"].clear.hits == 0
    assert true["all"].cost.mean == 0


# --- errors --------------------------------------------------------------------------------


def test_errors_of_a_constant_network() -> None:
    decisions = self_play()
    counts, values = decisions["counts"], decisions["values"].astype(np.float64)
    errors = errors_of(constant_network(2.0), decisions)
    for number in range(0, len(counts), 17):
        mine = values[number, : counts[number]]
        assert errors.squares[0, number] == pytest.approx(np.mean((2 - mine) ** 2), rel=1e-4)
        assert errors.squares[1, number] == pytest.approx(mine.var(), rel=1e-3, abs=1e-4)


def test_root_mean_squares() -> None:
    generator = np.random.default_rng(0)
    hands = np.repeat(np.arange(400), 2)
    first = generator.normal(0, 3, 400).repeat(2) ** 2  # the same in both decisions of a hand
    second = generator.normal(0, 3, 800) ** 2
    turns = np.tile([0, 1], 400)
    errors = Errors(np.stack([first, second]), turns, hands)
    alike, apart = (root_mean_square(errors, kind, (0, 1)) for kind in (0, 1))
    assert alike.mean == pytest.approx(np.sqrt(first.mean()))
    assert alike.count == 400
    assert alike.error == pytest.approx(3 / np.sqrt(2 * 400), rel=0.25)
    assert apart.error == pytest.approx(3 / np.sqrt(2 * 800), rel=0.25)
    early = Errors(errors.squares * 4, turns, hands)
    change = root_mean_square(errors, 0, (0, 1), early)
    assert change.mean == pytest.approx(-alike.mean)
    assert change.error == pytest.approx(alike.error), "the same decisions: twice the error less once"
    assert np.isnan(root_mean_square(errors, 0, (3,)).mean)
    gap = difference(alike, apart)
    assert gap.mean == pytest.approx(alike.mean - apart.mean)
    assert gap.error == pytest.approx(np.hypot(alike.error, apart.error))


def test_losses_add_up_to_a_hand() -> None:
    turns = np.arange(8) % 4
    lost = Lost(turns, turns.astype(np.float64), 2 * turns.astype(np.float64))
    lines = {line.name: line for line in lost_lines(lost, lost - Lost(turns, np.ones(8), np.zeros(8)))}
    assert lines["lost at least, a hand"].training.mean == 6
    assert lines["lost at least, a hand"].fresh.mean == 2
    assert lines["lost at most, a hand"].fresh.mean == 12
    assert lines["lost at least, turn 3"].gap.mean == -1


# --- the whole -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "trained.safetensors"
    save_network(trained_network(), path)
    return path


def test_what_is_learned_by_heart_shows(
    checkpoint: Path, labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        *QUICK, "--checkpoint", str(checkpoint), "--labels", str(labels), "--hands", "60", "--passes", "200",
        "--learning-rate", "0.003", "--decisions", "8", "--out", str(tmp_path),
    ]  # fmt: skip
    assert diagnoses.main(words) == 0
    printed = capsys.readouterr().out
    for part in ("as it is", "after 200 more passes", "what they changed", "lost at most, a hand", "turn 4"):
        assert part in printed
    found = json.loads((tmp_path / "diagnoses.json").read_text())
    assert found["hands"] == [60, 60]

    def line(block: str, name: str) -> dict[str, Any]:
        return next(line for line in found["undertrained"][block] if line["name"] == name)

    relative = "error, between placements, all turns"
    before, after, change = (line(block, relative) for block in ("as_it_is", "after", "change"))
    assert before["gap"]["low"] < 0 < before["gap"]["high"], "neither was seen"
    assert after["gap"]["low"] > 0
    assert change["training"]["high"] < 0
    assert change["fresh"]["mean"] == pytest.approx(after["fresh"]["mean"] - before["fresh"]["mean"])
    assert line("as_it_is", "lost at most, a hand")["fresh"]["count"] == 8
    scanned = next(line for line in found["inputs"] if line["name"] == "all")["scanned"]
    assert scanned["count"] > 400

    lines = (tmp_path / "fresh.jsonl").read_text().splitlines()
    assert len(lines) == 9
    longer = [*words[:-4], "--decisions", "12", "--out", str(tmp_path), "--resume"]
    assert diagnoses.main(longer) == 0
    assert (tmp_path / "fresh.jsonl").read_text().splitlines()[:9] == lines
    again = json.loads((tmp_path / "diagnoses.json").read_text())
    blocks = [each["undertrained"]["after"][:12] for each in (found, again)]
    assert blocks[0] == blocks[1], "the passes are not taken again"
    other = [*longer, "--passes", "1"]
    assert diagnoses.main(other) == 2
    assert "holds another match (networks was" in capsys.readouterr().err


def test_a_training_run_is_diagnosed(labels: Path, tmp_path: Path) -> None:
    config = alphazero.Config(
        iterations=2, hands=20, hidden=64, processes=0, warmup=1, gate_deals=2, evaluation_deals=2,
        opponents="random", batch=64, least_steps=2, simulations=4,
    )  # fmt: skip
    folder = tmp_path / "run"
    run = alphazero.Run(config, folder, show=False)
    alphazero.train_run(run)
    write_json(folder / "config.json", {"config": asdict(config)})
    asked = diagnoses.Config(run=str(folder), hands=30, decisions=0, passes=1.0, processes=1)
    opened = diagnoses.opened(asked, tmp_path)
    training, fresh = diagnoses.both_hands(opened, asked)
    learned = {state.tobytes() for part in opened.replay.parts.values() for state in part["states"]}
    assert len(opened.replay.parts) == 2
    assert all(state.tobytes() in learned for state in training["states"])
    assert not any(state.tobytes() in learned for state in fresh["states"])
    assert [int(hands_of(decisions)[-1]) + 1 for decisions in (training, fresh)] == [30, 30]
    assert set(training) >= set(FIELDS)

    files = sorted(path.name for path in folder.rglob("*"))
    words = [
        "--run",
        str(folder),
        "--hands",
        "30",
        "--decisions",
        "0",
        "--passes",
        "1",
        "--out",
        str(tmp_path),
    ]
    assert diagnoses.main([*words, "--labels", str(labels), "--processes", "1"]) == 0
    assert sorted(path.name for path in folder.rglob("*")) == files, "a run is only read"
    learner = sorted(folder.glob("checkpoint_*"))[-1] / "learner.safetensors"
    saved = load_network(tmp_path / "as_it_is.safetensors")
    for mine, other in zip(saved.parameters(), load_network(learner).parameters(), strict=True):
        assert mine.equal(other)


def test_labels_are_made_where_there_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--only", "inputs", "--label-decisions", "8", "--out", str(tmp_path)]
    assert diagnoses.main([*QUICK, *words]) == 0
    assert "do the inputs hide it?" in capsys.readouterr().out
    found = json.loads((tmp_path / "diagnoses.json").read_text())
    assert "undertrained" not in found
    assert next(line for line in found["inputs"] if line["name"] == "all")["alike"]["count"] == 8
    assert (tmp_path / "labels" / "decisions.jsonl").is_file()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--run", "x", "--checkpoint", "y"], "--run x brings its own network: leave out --checkpoint y"),
        (["--run", "nowhere"], "there is no run nowhere"),
        (["--decisions", "3"], "--decisions is 3: it must be 8 or more, or 0"),
        (["--only", "training", "--labels", "x"], "--only training wants no labels: leave out --labels x"),
        (["--checkpoint", "nowhere.safetensors"], "there is no network at nowhere.safetensors"),
        (["--hands", "2", "--decisions", "80"], "positions of a turn, and 80 of 4 turns are to be judged"),
        (["--judge", "pimc"], "pimc cannot judge"),
    ],
)
def test_refusals(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diagnoses.main([*QUICK, "--passes", "1", "--hands", "8", "--out", str(tmp_path), *words]) == 2
    assert sentence in capsys.readouterr().err
