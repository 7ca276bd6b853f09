"""A log's rules go wherever its hands go: lines, replay, arrays, starts, reviews, clones."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.arena import MatchSettings, play_match, play_sessions
from agents.positions.position import observation_of, position_of_line
from experiments import analyze, analyze_log, behaviour_cloning, export_logs, generate_log, preprocess
from experiments.cloning.data import TrainingSet
from experiments.common import show
from experiments.generate_log import Games
from experiments.logs.hands import hands_of
from experiments.logs.lines import LineError, parse_line
from experiments.logs.replay import HandError
from experiments.selfplay.lost_positions import lost_positions
from ofc_env import Hand, RewardConfig, Rules, _core
from ofc_env.records import Records
from ofc_env.records.lines import iter_turns
from tests.logs import Seen, log_hands

STANDARD = Rules.preset("standard")
ODD = Rules.parse("standard jokers=1 scoop=6 foul=9 fantasyland_trips=15 stay_cards=0")
VALUES = (5.0, 8.0, 11.0, 15.0)
WIDTHS = ((0, 0), (0, 0), (14, 0), (0, 15))


def logged(folder: Path, *rules: Rules, hands: int = 12) -> tuple[Path, list[list[Seen]]]:
    """A database with a session for each of the rules, and what was seen in them."""
    path = folder / "games.db"
    with Records(path, durable=False) as records, records.transaction():
        seen = [
            log_hands(records, f"s{number}", hands, number, WIDTHS, rules=each)
            for number, each in enumerate(rules)
        ]
    return path, seen


def exported(folder: Path, *rules: Rules, **options: Any) -> tuple[Path, list[list[Seen]]]:
    path, seen = logged(folder, *rules)
    export_logs.export_logs(path, folder / "turns.jsonl", progress=False, **options)
    return folder / "turns.jsonl", seen


# ---------------------------------------------------------------- lines


def test_every_line_says_the_rules_of_its_session(tmp_path):
    path, _ = logged(tmp_path, Rules(), STANDARD, ODD)
    told = {line["session_id"]: line["rules"] for line in iter_turns(path)}
    assert told == {"s0": "house", "s1": "standard", "s2": ODD.name}
    for line in iter_turns(path):  # the button acts last in all but the first
        if "fantasyland" in line["board_opponent"]:
            continue
        turn, first = line["turn"], line["is_btn"] == (line["rules"] == "house")
        before, after = (3 + 2 * turn if turn else 0), 5 + 2 * turn
        assert sum(map(len, line["board_opponent"].values())) == (before if first else after)


def test_a_hand_is_played_by_the_rules_of_its_session(tmp_path):
    with Records(tmp_path / "games.db") as records:
        records.start_session("s", rules=STANDARD)
        with pytest.raises(ValueError, match="by the rules 'standard', and its hand 1 by 'house'"):
            records.start_hand("s", 1, Hand(seed=1))
        assert records.start_hand("s", 1, Hand(seed=1, rules=STANDARD)) == "s-1"


def test_lines_with_rules_that_cannot_be(tmp_path):
    lines = exported(tmp_path, STANDARD)[0].read_text().splitlines()
    line = json.loads(lines[0])
    assert parse_line(1, lines[0]).rules == STANDARD
    assert parse_line(1, json.dumps({**line, "rules": "house"})).rules == Rules()
    del line["rules"]
    assert parse_line(1, json.dumps(line)).rules == Rules()  # as version 0.1 wrote them
    joker = {**line, "dealt_cards": ["X1", *line["dealt_cards"][1:]]}
    assert parse_line(1, json.dumps({**joker, "rules": ODD.name})).rules == ODD
    for changed, sentence in (
        ({**line, "rules": 3}, "rules is 3, which is not text"),
        ({**line, "rules": "nobody's"}, "are no rules"),
        ({**line, "rules": "\ud800"}, "are no rules"),
        ({**joker, "rules": "standard"}, "holds X1, which is not in the deck of the rules 'standard'"),
    ):
        with pytest.raises(LineError, match=sentence):
            parse_line(1, json.dumps(changed))
    lines[3] = lines[3].replace('"standard"', '"standard scoop=7"')
    (hand, *_) = hands_of(enumerate(lines[:10], start=1), lambda *_: None)
    with pytest.raises(HandError, match="rules are 'standard scoop=7' and were 'standard'"):
        hand.verify()


# ---------------------------------------------------------------- arrays


@pytest.mark.parametrize("rules", [STANDARD, ODD], ids=["standard", "odd"])
@pytest.mark.parametrize("player", [None, "ann", "bob"])
def test_the_replay_gives_the_numbers_of_the_game(tmp_path, rules, player):
    lines, (seen,) = exported(tmp_path, rules, player=player)
    metadata = preprocess.preprocess(lines, tmp_path / "data", progress=False)
    assert metadata["counts"]["refused_lines"] == 0
    assert Rules.parse(metadata["rules"]) == rules
    expected = Seen()
    for hand in seen:
        expected.add(hand if player is None else hand.of_seat(("ann", "bob").index(player)))
    np.testing.assert_array_equal(np.load(tmp_path / "data" / "states.npy"), np.array(expected.states))
    assert np.load(tmp_path / "data" / "actions.npy").tolist() == expected.actions
    assert np.load(tmp_path / "data" / "busted.npy").tolist() == [each[1] for each in expected.outcomes]
    found = show.describe(tmp_path / "data")
    assert found.endswith(f"rules: {rules.name}")


def test_a_log_that_mixes_rules_is_chosen_from(tmp_path, capsys):
    lines, seen = exported(tmp_path, Rules(), replace_chips(STANDARD), Rules(turn_seconds=7), STANDARD)
    words = [str(lines), "--out", str(tmp_path / "data")]
    assert preprocess.main(words) == 2
    refusal = capsys.readouterr().err
    assert "mixes rules, 'house' (24 hands), 'standard' (24 hands): choose" in refusal
    assert "--rules TEXT" in refusal
    assert not (tmp_path / "data").exists()
    assert preprocess.main([*words, "--rules", "standard"]) == 0
    assert "left out: 24 hands that were played by the rules 'house'" in capsys.readouterr().out
    data = TrainingSet.load(tmp_path / "data")
    assert data.rules == STANDARD
    assert data.metadata["sessions"] == ["s1", "s3"]
    assert len(data) == sum(map(len, seen[1])) + sum(map(len, seen[3]))
    counts = data.metadata["counts"]
    assert counts["lines"] == sum(counts[name] for name in ("used_turns", "dropped_lines", "settings_lines"))
    assert preprocess.main([*words, "--rules", "fixed14", "--overwrite"]) == 2
    assert (
        "no hand that was played by the rules 'fixed14': it has 'house' (24 hands)" in capsys.readouterr().err
    )
    assert export_logs.main([str(tmp_path / "games.db"), "--out", str(tmp_path / "again.jsonl")]) == 0
    assert '--rules "house"\n    --rules "standard"\n' in capsys.readouterr().out
    assert "rules: house\n  rules: house turn_seconds=7\n  rules: standard\n" in show.describe(lines)


def replace_chips(rules: Rules) -> Rules:
    """The same hand at a table with larger stacks."""
    return Rules.parse(f"{rules.name} chips=500")


def test_starts_are_of_the_rules_of_the_run(tmp_path):
    lines, _ = exported(tmp_path, Rules(), STANDARD)
    both = [lost_positions(lines, rules=rules) for rules in (Rules(), STANDARD)]
    assert [{hand.rules for hand in starts} for starts in both] == [{Rules()}, {STANDARD}]
    assert all(len(hand.deck) == 52 for hand in both[1])
    with pytest.raises(ValueError, match=r"lost by the rules 'fixed14' \(it has house, standard\)"):
        lost_positions(lines, rules=Rules.preset("fixed14"))


# ---------------------------------------------------------------- generated games


def test_a_log_is_generated_by_rules(tmp_path, capsys):
    out = tmp_path / "games.db"
    words = ["--agent", "random", "--hands", "4", "--out", str(out)]
    for more in ([], ["--rules", "standard"], ["--rules", "standard"]):
        assert generate_log.main([*words, *more]) == 0
    assert "by the rules 'standard'" in capsys.readouterr().out
    with Records(out) as records:
        rules = [Rules.parse(row["rules"]) for row in records.sessions()]
    assert set(rules) == {Rules(), STANDARD}  # the third command found its sessions there
    assert len(rules) == len({row["session_id"] for row in Records(out).sessions()})
    assert generate_log.main([*words, "--agent", "heuristic", "--rules", ODD.name]) == 2
    assert "fantasyland" in capsys.readouterr().err
    games = Games("heuristic", "alphazero:sims=0", rules=ODD, fantasyland_values=VALUES)
    with pytest.raises(ValueError, match="no champion is shipped for the rules 'standard jokers=1"):
        generate_log.generate_log(games, tmp_path / "new.db", progress=False)
    assert not (tmp_path / "new.db").exists()


# ---------------------------------------------------------------- reviews


@pytest.mark.parametrize("play", [play_match, play_sessions])
@pytest.mark.parametrize("rules", [Rules(), STANDARD, ODD], ids=["house", "standard", "odd"])
@pytest.mark.parametrize("agent", ["heuristic", "pimc:rollouts=12", "pimc:rollouts=12,belief=on"])
def test_an_agent_that_reviews_its_own_match_lost_nothing(tmp_path, agent, rules, play):
    log, lines = tmp_path / "games.db", tmp_path / "turns.jsonl.gz"
    settings = MatchSettings(seed=4, rules=rules, fantasyland_values=VALUES, log=log, progress=False)
    play(agent, "random", 2 if play is play_match else 1, settings)
    export_logs.export_logs(log, lines, progress=False)
    for source in (log, lines):
        result = analyze_log.review(
            source, agent, player=agent, hands=4, fantasyland_values=VALUES, progress=False
        )
        assert result.refused == []
        assert len(result.differences) >= 15
        assert {each.known.rules for each in result.differences} == {rules}
        assert all(each.agrees for each in result.differences)
        assert sum(each.cost for each in result.differences) == 0
        assert result.rules == [rules.name]


def test_every_hand_is_judged_by_its_own_rules(tmp_path, capsys):
    path, _ = logged(tmp_path, STANDARD, Rules(), hands=3)
    words = [str(path), "--out", str(tmp_path / "review"), "--agent", "heuristic"]
    assert analyze_log.main([*words, "--fantasyland-values", *map(str, VALUES)]) == 0
    report = (tmp_path / "review" / "report.md").read_text()
    assert "judged by its own rules: 'standard', 'house'." in report
    capsys.readouterr()
    assert analyze_log.main([*words[:-1], "bc"]) == 2
    assert "trained by the rules 'house' and cannot play by 'standard'" in capsys.readouterr().err


def test_one_line_is_judged_by_its_own_rules(tmp_path, capsys):
    lines, (seen,) = exported(tmp_path, STANDARD)
    text = lines.read_text().splitlines()[0]
    position = position_of_line(json.loads(text))
    assert position.rules == STANDARD
    first = next(hand for hand in seen if len(hand))
    np.testing.assert_array_equal(observation_of(position), first.states[0])
    words = ["--log", str(lines), "--agent", "heuristic", "--fantasyland-values", *map(str, VALUES)]
    assert analyze.main([*words, "--rules", "standard"]) == 0
    assert "placements by heuristic" in capsys.readouterr().out
    assert analyze.main([*words, "--rules", "fixed14"]) == 2
    assert "was played by the rules 'standard', not by 'fixed14'" in capsys.readouterr().err


# ---------------------------------------------------------------- clones

TINY = ["--hidden", "64", "--epochs", "1", "--batch-size", "64"]


@pytest.mark.usefixtures("one_thread")
def test_a_clone_plays_by_the_rules_of_its_log(tmp_path, capsys):
    run = tmp_path / "run"
    words = [
        "--teacher",
        "random",
        "--hands",
        "60",
        "--rules",
        "standard stop_gap=1",
        "--out",
        str(run),
        *TINY,
    ]
    assert behaviour_cloning.main([*words, "--ceiling", "4"]) == 0
    assert json.loads((run / "evaluation.json").read_text())["rules"] == "standard"
    assert "rules: standard\n" in show.describe(run / "clone.safetensors")
    clone = agents.make(f"bc:folder={run}", rules=STANDARD, exact=False)
    assert clone.rules == STANDARD
    hand = Hand(seed=3, rules=STANDARD)
    assert clone.act({"observation": hand.observation(1), "action_mask": hand.action_mask()}) in (
        hand.legal_actions()
    )
    with pytest.raises(ValueError, match="trained by the rules 'standard' and cannot play by 'house'"):
        agents.make(f"bc:folder={run}", rules=Rules())
    settings = MatchSettings(rules=STANDARD, fantasyland_values=VALUES, progress=False)
    assert play_match(f"bc:folder={run}", "random", 2, settings).deals == 2
    capsys.readouterr()
    taken = ["--log", str(run / "data"), "--out", str(tmp_path / "other"), *TINY]
    for more, sentence in (
        (["--rules", "house"], "was played by the rules 'standard', not by 'house'"),
        (["--ship"], "this clone plays by 'standard': leave --ship out"),
        (["--fantasyland-values", "1", "2", "3", "4"], "use --fantasyland-values with --teacher"),
    ):
        assert behaviour_cloning.main([*taken, *more]) == 2
        assert sentence in capsys.readouterr().err


def test_which_joker_is_renamed_says_nothing(tmp_path):
    """Renaming may turn a single joker into the other one, which its rules do not have: no input shows it."""
    lines, _ = exported(tmp_path, ODD)
    preprocess.preprocess(lines, tmp_path / "data", progress=False)
    turns = TrainingSet.load(tmp_path / "data").turns(RewardConfig.preset("points"))
    states, _ = _core.placement_states(turns.positions)
    jokers = np.uint64(3 << 52)
    cards = states[:, :7] & jokers
    swapped = states.copy()
    swapped[:, :7] = np.where(cards > 0, states[:, :7] ^ jokers, states[:, :7])
    assert (swapped != states).any()
    for one, other in zip(
        _core.network_inputs(states, rules=ODD), _core.network_inputs(swapped, rules=ODD), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_the_clone_of_a_mixed_log_is_asked_for_its_rules(tmp_path, capsys):
    path, _ = logged(tmp_path, Rules(), STANDARD, ODD)
    words = ["--log", str(path), "--out", str(tmp_path / "run"), *TINY]
    assert behaviour_cloning.main(words) == 2
    assert "mixes rules, 'house'" in capsys.readouterr().err


def test_matches_of_several_rules_share_a_log(tmp_path):
    settings = MatchSettings(log=tmp_path / "games.db", fantasyland_values=VALUES, progress=False)
    for rules in (Rules(), STANDARD):
        play_match("random", "random:seed=1", 2, replace(settings, rules=rules))
    with Records(tmp_path / "games.db") as records:
        sessions = [(row["session_id"], Rules.parse(row["rules"]).name) for row in records.sessions()]
    assert [name for _, name in sessions] == ["house"] * 4 + ["standard"] * 4
    assert all((" by standard, deal" in session) == (name == "standard") for session, name in sessions)
    with pytest.raises(ValueError, match="already"):
        play_match("random", "random:seed=1", 2, replace(settings, rules=STANDARD))
