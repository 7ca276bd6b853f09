"""From JSONL to arrays: the very numbers the game gave, and none that it did not."""

import gzip
import json
import random
import re

import numpy as np
import pytest

import ofc_env
from experiments import preprocess
from experiments.export_logs import export_logs
from experiments.logs.npy_writer import NpyWriter
from experiments.preprocess import ARRAYS
from ofc_env import Placement, Rules
from ofc_env.records import Records
from tests.logs import Seen, log_hands

WIDTHS = ((0, 0), (0, 0), (14, 0), (0, 17), (0, 0), (15, 16))


def load(folder):
    return {name: np.load(folder / f"{name}.npy") for name in ARRAYS}


def check_rows(arrays, seen):
    """Row by row what the hands showed."""
    assert len(arrays["actions"]) == len(seen)
    np.testing.assert_array_equal(arrays["states"], np.array(seen.states))
    np.testing.assert_array_equal(arrays["valid_masks"], np.array(seen.masks))
    assert arrays["actions"].tolist() == seen.actions
    assert arrays["turn"].tolist() == seen.turns
    outcomes = zip(arrays["royalties"].tolist(), arrays["busted"].tolist(), arrays["fl_entry"].tolist())
    assert list(outcomes) == seen.outcomes


def make(tmp_path, hands=40, seed=3, rules=Rules(), **filters):
    """A logged session, exported and preprocessed; arrays, metadata and what was seen."""
    database, lines, folder = tmp_path / "games.db", tmp_path / "turns.jsonl.gz", tmp_path / "data"
    with Records(database, durable=False) as records, records.transaction():
        seen = log_hands(records, "s", hands, seed, WIDTHS, rules=rules)
    export_logs(database, lines, progress=False, **filters)
    metadata = preprocess.preprocess(lines, folder, rules=rules, progress=False)
    return load(folder), metadata, seen


def test_round_trip_of_both_players(tmp_path):
    arrays, metadata, hands = make(tmp_path)
    everything = Seen()
    for seen in hands:
        everything.add(seen)
    check_rows(arrays, everything)
    for name, (dtype, shape) in ARRAYS.items():
        assert arrays[name].dtype == dtype
        assert arrays[name].shape == (len(everything), *shape)
    counts = metadata["counts"]
    assert counts["rows"] == len(everything)
    assert counts["lines"] == counts["used_turns"] + counts["settings_lines"]
    assert counts["settings_lines"] > 0
    assert counts["refused_lines"] == counts["refused_hands"] == 0
    assert metadata["sessions"] == ["s"]
    assert sorted(metadata["players"]) == ["ann", "bob"]
    assert counts["hands"] == len({seen for seen in range(len(hands)) if len(hands[seen])})
    lengths = [len(seen) for seen in hands if len(seen)]
    assert arrays["hand_index"].tolist() == np.repeat(np.arange(len(lengths)), lengths).tolist()


@pytest.mark.parametrize("player", ["ann", "bob"])
def test_round_trip_of_one_player(tmp_path, player):
    arrays, metadata, hands = make(tmp_path, player=player)
    own = Seen()
    for seen in hands:
        own.add(seen.of_seat(0 if player == "ann" else 1))
    check_rows(arrays, own)
    assert metadata["players"] == [player]


def test_round_trip_under_other_rules(tmp_path):
    rules = Rules(fantasyland_pairs=[14] * 13, middle=[1] * 10)
    arrays, metadata, hands = make(tmp_path, rules=rules)
    everything = Seen()
    for seen in hands:
        everything.add(seen)
    check_rows(arrays, everything)
    assert arrays["fl_entry"].any()
    assert Rules.parse(metadata["rules"]) == rules


def test_round_trip_through_the_environment(tmp_path):
    """A session of the PettingZoo environment: its own observations and masks come back."""
    rng, seen = random.Random(8), Seen()
    environment = ofc_env.raw_env(episode="session")
    environment.reset(seed=8)
    with Records(tmp_path / "games.db", durable=False) as records, records.transaction():
        records.start_session("s", 8, environment.possible_agents)
        number, slots, before, hand_id = -1, list[int](), environment.hand, ""
        for agent in environment.agent_iter():
            observation, _, termination, truncation, _ = environment.last()
            if termination or truncation:
                environment.step(None)
                continue
            assert observation is not None
            assert environment.session is not None
            if environment.session.hands_played != number:
                number = environment.session.hands_played
                hand_id = records.start_hand("s", number + 1, environment.hand)
            if not slots:
                before = environment.hand
            action = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
            seen.states.append(observation["observation"].copy())
            seen.masks.append(observation["action_mask"].copy())
            seen.actions.append(action)
            seen.seats.append(environment.possible_agents.index(agent))
            slots.append(action)
            environment.step(action)
            if len(slots) == 2 or before.turn > 0 or action == 58:
                records.record_turn(hand_id, before, before.placement_of(slots), think_time_ms=1)
                slots = []
    export_logs(tmp_path / "games.db", tmp_path / "turns.jsonl", progress=False)
    preprocess.preprocess(tmp_path / "turns.jsonl", tmp_path / "data", progress=False)
    arrays = load(tmp_path / "data")
    np.testing.assert_array_equal(arrays["states"], np.array(seen.states))
    np.testing.assert_array_equal(arrays["valid_masks"], np.array(seen.masks))
    assert arrays["actions"].tolist() == seen.actions


def test_an_opening_of_five_to_the_bottom_is_one_row(tmp_path):
    with Records(tmp_path / "games.db") as records:
        records.start_session("s")
        hand = ofc_env.Hand(seed=1)
        hand_id, number = records.start_hand("s", 1, hand), 0
        while not hand.finished:
            placement = Placement(bottom=hand.dealt) if hand.turn == 0 else hand.placements()[0]
            records.record_turn(hand_id, hand, placement, think_time_ms=1)
            hand.place(placement)
            number += 1
    export_logs(tmp_path / "games.db", tmp_path / "turns.jsonl", progress=False)
    metadata = preprocess.preprocess(tmp_path / "turns.jsonl", tmp_path / "data", progress=False)
    assert metadata["counts"]["rows"] == number == 10
    assert np.load(tmp_path / "data" / "actions.npy")[:2].tolist() == [58, 58]


def test_timeouts_are_replayed_but_left_out(tmp_path):
    database, lines = tmp_path / "games.db", tmp_path / "turns.jsonl"
    with Records(database, durable=False) as records, records.transaction():
        (seen,) = log_hands(records, "s", 1, seed=5)
    export_logs(database, lines, progress=False)
    turns = [json.loads(line) for line in lines.read_text().splitlines()]
    turns[4]["think_time_ms"] = turns[5]["think_time_ms"] = -1  # turn 2 of both players
    lines.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    metadata = preprocess.preprocess(lines, tmp_path / "data", progress=False)
    assert (metadata["counts"]["timeouts"], metadata["counts"]["used_turns"]) == (2, 8)
    assert 2 not in np.load(tmp_path / "data" / "turn.npy")
    preprocess.main([str(lines), str(tmp_path / "data"), "--timeouts", "--overwrite"])
    check_rows(load(tmp_path / "data"), seen)


def test_a_folder_appears_whole_or_not_at_all(tmp_path, monkeypatch, capsys):
    make(tmp_path, hands=3)
    lines, folder = tmp_path / "turns.jsonl.gz", tmp_path / "data"
    assert preprocess.main([str(lines), str(folder)]) == 2
    assert "say --overwrite" in capsys.readouterr().err
    before = (folder / "states.npy").read_bytes()

    def broken(*arguments):
        raise OSError("the disk is full")

    monkeypatch.setattr(NpyWriter, "append", broken)
    assert preprocess.main([str(lines), str(folder), "--overwrite"]) == 2
    assert "the disk is full" in capsys.readouterr().err
    assert (folder / "states.npy").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir() if "games" not in path.name} == {
        "data",
        "turns.jsonl.gz",
    }
    assert preprocess.main([str(tmp_path / "none.jsonl"), str(tmp_path / "new")]) == 2
    assert "there is no log at" in capsys.readouterr().err
    assert preprocess.main([str(lines), str(tmp_path / "new"), "--rules", "rubbish"]) == 2
    assert "rules" in capsys.readouterr().err


def test_a_damaged_archive_keeps_what_can_be_verified(tmp_path, capsys):
    _, metadata, _ = make(tmp_path, hands=60)
    archive = tmp_path / "turns.jsonl.gz"
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) * 2 // 3])
    preprocess.main([str(archive), str(tmp_path / "half")])
    assert "refused: " in capsys.readouterr().out
    half = json.loads((tmp_path / "half" / "metadata.json").read_text())["counts"]
    assert 0 < half["hands"] < metadata["counts"]["hands"]
    refused = [json.loads(line) for line in (tmp_path / "half" / "refused.jsonl").read_text().splitlines()]
    assert any("damaged from here on" in entry["reason"] for entry in refused)
    states = np.load(tmp_path / "half" / "states.npy")
    np.testing.assert_array_equal(states, np.load(tmp_path / "data" / "states.npy")[: len(states)])
    with gzip.open(archive, "wb") as file:
        file.write(b"x" * 500_000 + b"\n\n")
    counts = preprocess.preprocess(archive, tmp_path / "none", progress=False)["counts"]
    assert (counts["lines"], counts["refused_lines"], counts["blank_lines"]) == (2, 1, 1)


def test_arrays_grow_on_disk(tmp_path):
    path = tmp_path / "numbers.npy"
    with NpyWriter(path, np.int16, (3,)) as writer:
        for size in (0, 1, 999, 12_345):
            writer.append(np.full((size, 3), size, dtype=np.int16))
        with pytest.raises(ValueError, match="cannot append"):
            writer.append(np.zeros((2, 3)))
    numbers = np.load(path, mmap_mode="r")
    assert numbers.shape == (13_345, 3)
    assert numbers[-1].tolist() == [12_345] * 3


def test_a_log_without_a_usable_turn_is_refused(tmp_path, capsys):
    rubbish = tmp_path / "rubbish.jsonl"
    rubbish.write_text("not a turn\n")
    assert preprocess.main([str(rubbish), str(tmp_path / "data")]) == 2
    assert re.search(r"no turn of .*rubbish\.jsonl could be used", capsys.readouterr().err)
    assert len((tmp_path / "data" / "refused.jsonl").read_text().splitlines()) == 1


def test_a_player_is_chosen_from_whole_hands(tmp_path):
    """The rows of one player, with what both players' lines tell of how the hand ended."""
    _, _, hands = make(tmp_path)
    own = Seen()
    for seen in hands:
        own.add(seen.of_seat(1))
    for log in (tmp_path / "games.db", tmp_path / "turns.jsonl.gz"):
        folder = tmp_path / f"bob-{log.suffix}"
        metadata = preprocess.preprocess(log, folder, player="bob", progress=False)
        arrays = load(folder)
        check_rows(arrays, own)
        assert metadata["players"] == ["bob"]
        counts = metadata["counts"]
        assert counts["lines"] == counts["used_turns"] + counts["others_lines"] + counts["settings_lines"]
        known = ~np.isnan(arrays["points"])
        assert known.all()  # also against fantasyland, whose settings are there
    filtered = tmp_path / "filtered.jsonl"
    export_logs(tmp_path / "games.db", filtered, player="bob", progress=False)
    preprocess.preprocess(filtered, tmp_path / "filtered", progress=False)
    less = ~np.isnan(load(tmp_path / "filtered")["points"])
    assert less.sum() < known.sum()


def test_several_logs_are_one_set_and_no_hand_counts_twice(tmp_path):
    databases = []
    for name in ("a", "b"):
        databases.append(tmp_path / f"{name}.db")
        with Records(databases[-1], durable=False) as records, records.transaction():
            log_hands(records, f"session-{name}", 6, seed=ord(name))
    export_logs(databases[0], tmp_path / "a.jsonl", progress=False)
    sizes = [
        len(load(folder)["actions"])
        for folder in (tmp_path / "one", tmp_path / "two")
        if preprocess.preprocess(databases[folder.name == "two"], folder, progress=False)
    ]
    logs = [tmp_path / "a.jsonl", *databases]
    metadata = preprocess.preprocess(logs, tmp_path / "both", progress=False)
    assert len(load(tmp_path / "both")["actions"]) == sum(sizes)
    assert metadata["sessions"] == ["session-a", "session-b"]
    assert metadata["source"] == "a.jsonl, a.db, b.db"
    assert metadata["counts"]["repeated_lines"] == 60
    assert metadata["counts"]["lines"] == 180 == metadata["counts"]["used_turns"] + 60
    with logs[0].open("a") as file:
        file.write("rubbish\n")
    preprocess.preprocess(logs, tmp_path / "damaged", progress=False)
    refused = json.loads((tmp_path / "damaged" / "refused.jsonl").read_text())
    assert (refused["log"], refused["line"]) == (str(logs[0]), 61)
