"""Matches that keep a log: the same results, and a log of exactly the decisions that were played."""

from dataclasses import replace

import numpy as np
import pytest

from agents import Agent, make
from agents.arena import MatchSettings, play_match, play_sessions
from experiments import benchmark
from experiments.cloning.data import TrainingSet
from experiments.export_logs import export_logs
from experiments.preprocess import preprocess
from ofc_env import Board, solve_fantasyland
from ofc_env.records import Records

QUIET = MatchSettings(seed=3, progress=False, chunk=2)


class Recorder(Agent):
    """Plays like another agent and remembers what it saw and chose."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.player = make(name)
        self.seen: list[tuple[bytes, bytes, int]] = []

    def act(self, observation):
        return int(self.act_batch(observation["observation"][None], observation["action_mask"][None])[0])

    def act_batch(self, observations, masks):
        slots = self.player.act_batch(observations, masks)
        rows = zip(observations, masks, slots.tolist(), strict=True)
        self.seen += [(state.tobytes(), mask.tobytes(), slot) for state, mask, slot in rows]
        return slots


def session_ids(path):
    with Records(path) as records:
        return [row["session_id"] for row in records.sessions()]


def rows_of(log, folder):
    """The decisions of a log after export and preprocessing, with the player's name."""
    export_logs(log, folder / "turns.jsonl", progress=False)
    preprocess(folder / "turns.jsonl", folder / "data", progress=False)
    data = TrainingSet.load(folder / "data")
    counts = data.metadata["counts"]
    assert counts["refused_lines"] == counts["dropped_lines"] == 0
    names = [data.metadata["players"][player] for player in data.player_index.tolist()]
    rows = zip(names, data.states, data.valid_masks, data.actions.tolist(), strict=True)
    return sorted((name, state.tobytes(), mask.tobytes(), slot) for name, state, mask, slot in rows)


@pytest.mark.parametrize("play", [play_match, play_sessions])
def test_a_log_holds_exactly_the_decisions_played(play, tmp_path):
    log = tmp_path / "games.db"
    players = Recorder("heuristic"), Recorder("random")
    result = play(*players, 3, replace(QUIET, log=log))
    assert len(session_ids(log)) == 6
    played = sorted((player.name, *decision) for player in players for decision in player.seen)
    assert len(played) > 50
    assert rows_of(log, tmp_path) == played

    plain = play("heuristic", "random", 3, QUIET)
    name = "points_samples" if play is play_match else "chips_samples"
    np.testing.assert_array_equal(getattr(result, name), getattr(plain, name))
    with Records(log) as records:
        sessions = list(records.sessions())
        hands = [hand for row in sessions for hand in records.hands(row["session_id"])]
    assert {(row["player_0"], row["player_1"]) for row in sessions} == {
        ("heuristic", "random"),
        ("random", "heuristic"),
    }
    if play is play_sessions:
        own = [
            row["final_chips_0"] if row["player_0"] == "heuristic" else row["final_chips_1"]
            for row in sessions
        ]
        np.testing.assert_array_equal(np.reshape(own, (3, 2)).mean(axis=1) - 200, plain.chips_samples)
    else:
        assert len(hands) == 6


def test_processes_write_to_one_log(tmp_path):
    log = tmp_path / "games.db"
    spread = play_match("random", "random:seed=1", 6, replace(QUIET, processes=2, log=log))
    np.testing.assert_array_equal(
        spread.points_samples, play_match("random", "random:seed=1", 6, QUIET).points_samples
    )
    assert len(set(session_ids(log))) == 12


def test_a_resumed_match_is_logged_once(tmp_path):
    log, store = tmp_path / "games.db", tmp_path / "match.jsonl"
    settings = replace(QUIET, log=log)
    play_match("random", "random:seed=1", 4, settings, store)
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:-1]))  # as if killed between the log and the store
    play_match("random", "random:seed=1", 6, settings, store, resume=True)
    assert len(session_ids(log)) == len(set(session_ids(log))) == 12
    with pytest.raises(ValueError, match="holds the match random v random:seed=1 of seed 3 already"):
        play_match("random", "random:seed=1", 4, settings)
    play_match("random:seed=1", "random", 4, settings)
    assert len(session_ids(log)) == 20


def test_benchmark_keeps_a_log(tmp_path):
    options = ["--agents", "random", "random:seed=1", "--deals", "3", "--processes", "1", "--sessions", "1"]
    log = tmp_path / "games.db"
    assert benchmark.main([*options, "--out", str(tmp_path / "out"), "--log", str(log)]) == 0
    assert len(session_ids(log)) == 2 * 3 + 2


def test_a_log_holds_fantasylands_as_they_were_set(tmp_path):
    """Each by the option of the agent that sat there."""
    log = tmp_path / "games.db"
    names = ("heuristic", "heuristic:fantasyland_boards=8")
    play_sessions(*names, 6, replace(QUIET, log=log))
    otherwise: dict[str, list[bool]] = {name: [] for name in names}  # than for itself alone
    with Records(log) as records:
        for session in records.sessions():
            for setting in records.fantasyland_settings(session["session_id"]):
                alone = solve_fantasyland(setting["dealt_cards"]).board
                name = session[f"player_{setting['seat']}"]
                otherwise[name].append(Board(*setting["board"].split("/")) != alone)
    assert len(otherwise["heuristic"]) > 5
    assert not any(otherwise["heuristic"])
    assert any(otherwise["heuristic:fantasyland_boards=8"])
