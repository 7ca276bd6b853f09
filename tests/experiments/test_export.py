"""From the log database to JSONL: complete, filtered, compressed, in constant memory, all or nothing."""

import gzip
import json
import tracemalloc

import pytest

from experiments import export_logs
from experiments import generate_log as generate_log_script
from experiments.generate_log import Games, generate_log
from experiments.logs.lines import LineError, parse_line
from experiments.logs.sources import logged_hands
from ofc_env import Hand, Rules
from ofc_env.records import Records
from ofc_env.records.lines import FIELDS, PRACTICE, SETTING_FIELDS, count_lines, iter_lines, iter_turns
from tests.logs import log_hands


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "games.db"
    with Records(path, durable=False) as records:
        log_hands(records, "s1", 4, seed=1)
        log_hands(records, "s2", 4, seed=2, players=("ann", "cïd"), widths=((0, 0), (14, 0)))
    return path


def test_every_turn_is_a_line(log, tmp_path):
    output = tmp_path / "turns.jsonl"
    count = export_logs.export_logs(log, output, progress=False)
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert lines == list(iter_lines(log))
    settings = [line for line in lines if "fantasyland" in line]
    turns = [line for line in lines if "fantasyland" not in line]
    assert turns == list(iter_turns(log))
    assert count == len(lines) == count_lines(log) == 40 + 30 + 2
    assert all(tuple(line) == FIELDS for line in turns)
    assert all(tuple(line) == SETTING_FIELDS for line in settings)
    for setting in settings:  # before the turns of its hand, which are those of the other player
        after = lines[lines.index(setting) + 1]
        assert (setting["hand_id"], setting["player"], after["player"]) == (after["hand_id"], "ann", "cïd")
        assert after["board_opponent"]["fantasyland"] == setting["fantasyland"] == 14


def test_filters_and_compression(log, tmp_path, capsys):
    output = tmp_path / "deep" / "er" / "turns.jsonl.gz"
    export_logs.main([str(log), str(output), "--player", "cïd", "--session", "s2", "--finished"])
    assert "20 lines" in capsys.readouterr().out
    with gzip.open(output, "rt") as file:
        assert {json.loads(line)["player"] for line in file} == {"cïd"}
    again = tmp_path / "again.jsonl.gz"
    export_logs.main([str(log), str(again), "--player", "cïd"])
    assert again.read_bytes() == output.read_bytes()
    assert export_logs.export_logs(log, again, since="2999-01-01", progress=False) == 0


def test_an_export_that_fails_leaves_the_old_file(log, tmp_path, monkeypatch, capsys):
    output = tmp_path / "turns.jsonl"
    output.write_text("old")

    def broken(*arguments, **options):
        yield from list(iter_lines(log))[:5]
        raise OSError("the disk is gone")

    monkeypatch.setattr(export_logs, "iter_lines", broken)
    assert export_logs.main([str(log), str(output)]) == 2
    assert "the disk is gone" in capsys.readouterr().err
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir() if "turns" in path.name) == ["turns.jsonl"]


def test_refusals_are_sentences(tmp_path, capsys):
    assert export_logs.main([str(tmp_path / "none.db"), str(tmp_path / "out.jsonl")]) == 2
    assert "there is no log database at" in capsys.readouterr().err
    Records(tmp_path / "games.db").close()
    assert export_logs.main([str(tmp_path / "games.db"), str(tmp_path / "out.jsonl"), "--until", "x"]) == 2
    assert "cannot read the date" in capsys.readouterr().err


def test_other_rules_are_mentioned(log, tmp_path, capsys):
    with Records(log) as records:
        records.start_session("odd", rules=Rules(scoop=5))
    export_logs.main([str(log), str(tmp_path / "out.jsonl")])
    assert "scoop=5" in capsys.readouterr().out


def test_memory_does_not_grow_with_the_log(tmp_path):
    """Twenty times the turns, the same peak of memory."""
    path = tmp_path / "games.db"
    peaks = []
    with Records(path, durable=False) as records, records.transaction():
        log_hands(records, "small", 50, seed=1)
    with Records(path, durable=False) as records, records.transaction():
        log_hands(records, "large", 1000, seed=2)
    for session in ("small", "large"):
        tracemalloc.start()
        turns = export_logs.export_logs(path, tmp_path / "out.jsonl", session=session, progress=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert turns == 10_000
    assert peaks[1] < peaks[0] + 100_000  # bytes


def test_generated_games_follow_from_the_seed(tmp_path):
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    assert generate_log(Games("random", hands=12, seed=3), one, progress=False) >= 12
    generate_log(Games("random", hands=6, seed=3), two, progress=False)
    generate_log(
        Games("random", hands=12, seed=3, processes=2), two, progress=False
    )  # goes on where it stopped

    def moves(path):
        return [{**line, "think_time_ms": 0, "timestamp": ""} for line in iter_turns(path)]

    assert moves(one) == moves(two)
    with pytest.raises(ValueError, match="no agent is named"):
        generate_log(Games("nobody"), tmp_path / "three.db", progress=False)
    assert not (tmp_path / "three.db").exists()


def test_what_cannot_be_generated_is_refused_in_a_sentence(tmp_path, capsys):
    junk = tmp_path / "junk.db"
    junk.write_text("no database")
    for words, sentence in (
        (["--agent", "nobody", "--output", str(tmp_path / "new.db")], "no agent is named 'nobody'"),
        (["--agent", "random", "--hands", "0", "--output", str(tmp_path / "new.db")], "a log of 0 hands"),
        (["--agent", "random", "--output", str(junk)], "is not a log database"),
    ):
        assert generate_log_script.main(words) == 2
        assert sentence in capsys.readouterr().err
    assert not (tmp_path / "new.db").exists()


def test_practice_is_exported_only_if_asked_for_and_never_read_for_training(tmp_path):
    database, out = tmp_path / "log.db", tmp_path / "turns.jsonl"
    with Records(database) as records:
        for kind in ("live", PRACTICE):
            hand = Hand(seed=1)
            records.start_session(kind, kind=kind)
            hand_id = records.start_hand(kind, 1, hand)
            while not hand.finished:
                placement = hand.placements()[0]
                records.record_turn(hand_id, hand, placement, think_time_ms=5)
                hand.place(placement)
            records.end_hand(hand_id, hand.result())
    assert export_logs.export_logs(database, out, progress=False) == 10
    assert "practice" not in out.read_text()
    assert export_logs.export_logs(database, out, practice=True, progress=False) == 20
    marked = [line for line in out.read_text().splitlines() if json.loads(line).get("practice")]
    assert {json.loads(line)["session_id"] for line in marked} == {PRACTICE}
    with pytest.raises(LineError, match="practice table"):
        parse_line(1, marked[0])
    refused: list[int] = []
    hands = list(logged_hands([out], lambda log, number, error: refused.append(number)))
    assert [hand.key for hand in hands] == [("live", "live-1")]
    assert len(refused) == len(marked) == 10
    assert [hand.key for hand in logged_hands([database], lambda *_: None)] == [("live", "live-1")]


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_a_database_is_not_named_like_json_lines(tmp_path, capsys, name):
    """Every script would read it as such, and find nothing."""
    words = ["--agent", "random", "--hands", "1", "--out", str(tmp_path / name)]
    assert generate_log_script.main(words) == 2
    assert "named like JSON lines" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
