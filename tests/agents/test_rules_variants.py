"""One `Rules` value reaches the hands, the sessions and the players that are made by name."""

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
import ofc_env
from agents.arena import MatchSettings, play_match, play_sessions
from experiments import analyze, benchmark, play
from wrappers.learner_batch import LearnerBatch

# Nothing for the bottom, a fortune for a pair in the middle: whoever knows this plays another game.
VARIANT = ofc_env.Rules(bottom=[0] * 10, middle=[0, 90, *[0] * 8], chips=1000, stop_gap=900)


VALUES = (8.3, 14.3, 20.7, 27.1)  # nobody measured them under these


def told() -> agents.Agent:
    return agents.make_valued("heuristic", VARIANT, VALUES)


@pytest.mark.parametrize("processes", [1, 2])
def test_matches_by_name_are_those_of_players_made_for_the_rules(processes):
    settings = MatchSettings(
        seed=3, rules=VARIANT, fantasyland_values=VALUES, processes=processes, chunk=4, progress=False
    )
    here = replace(settings, processes=1)
    by_name = play_match("heuristic", "random", 8, settings)
    assert by_name.points == play_match(told(), "random", 8, here).points
    with pytest.raises(ValueError, match="plays by the rules 'house' and sits at a table by 'house middle="):
        play_match(agents.make("heuristic"), "random", 8, here)
    if processes == 1:
        sessions = play_sessions("heuristic", "random", 2, settings)
        assert sessions.to_dict()["chips"] == play_sessions(told(), "random", 2, here).to_dict()["chips"]


def test_a_match_by_rules_that_a_player_does_not_know_is_refused():
    settings = MatchSettings(rules=ofc_env.Rules(scoop=7), fantasyland_values=VALUES, progress=False)
    with pytest.raises(ValueError, match="trained by the rules 'house' and cannot play by 'house scoop=7'"):
        play_match("random", "bc", 2, settings)


@pytest.mark.parametrize("rules", [VARIANT, str(VARIANT)])
def test_opponents_of_the_wrappers_know_the_rules(rules):
    """The opponent's first opening is that of a player made for these rules, and not of the usual one."""
    usual = agents.make("heuristic")
    name = "heuristic:fantasyland_values=8.3/14.3/20.7/27.1"
    single: Any = gymnasium.make("wrappers:OFCPineapple-v0", opponent=name, rules=rules).unwrapped
    batch = LearnerBatch(16, name, rules=rules, seed=5)
    numbers, masks = batch.observations, batch.action_masks
    moves = single.opponent.act_batch(numbers, masks)
    assert (moves == told().act_batch(numbers, masks)).all()
    assert (moves != usual.act_batch(numbers, masks)).any()
    assert (batch.opponents[0].act_batch(numbers, masks) == moves).all()
    batch.set_opponents(["random", name])
    assert (batch.opponents[1].act_batch(numbers, masks) == moves).all()
    single.reset(seed=1)
    assert single.hand.rules == VARIANT
    assert single.observation_space.high[-1] == np.float32(2 * 1000 / 200)


def test_scripts_take_rules_as_text(tmp_path, capsys):
    out = ["--out", str(tmp_path), "--agents", "random", "heuristic", "--deals", "4", "--processes", "1"]
    values = ["--fantasyland-values", *map(str, VALUES)]
    assert benchmark.main([*out, "--rules", str(VARIANT), *values]) == 0
    settings = MatchSettings(rules=VARIANT, fantasyland_values=VALUES, chunk=1, progress=False)
    told_points = play_match("random", told(), 4, settings).points.mean
    printed = capsys.readouterr().out
    assert f"{told_points:+.2f}" in printed
    assert printed.startswith(f"rules: {VARIANT.name}")
    assert benchmark.main([*out, "--rules", str(VARIANT)]) == 2
    assert "nobody has measured" in capsys.readouterr().err
    assert benchmark.main([*out, "--rules", "scop=3"]) == 2
    assert "cannot read 'scop=3'" in capsys.readouterr().err

    hand = "Ah Kh Qh Jh Th 9h 8h 7h 6h 5h 2d 2c 3s 4s"
    assert analyze.main(["--hand", hand, "--rules", "bottom=0,0,0,0,0,0,0,0,0,77"]) == 0
    assert "royalty 77" in capsys.readouterr().out

    shown: list[str] = []
    config = play.Config(opponent="heuristic", seed=1, rules="chips=77")
    replies = iter(["quit"])
    play.Game(config, play.Terminal(lambda prompt: next(replies), shown.append, False)).play()
    assert "77" in "\n".join(shown)
