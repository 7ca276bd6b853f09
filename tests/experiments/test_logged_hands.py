"""One reader says which lines make a hand, for arrays, reports and starts alike."""

import json

import pytest

from experiments import analyze_log
from experiments.logs.hands import hands_of
from experiments.logs.replay import HandError
from experiments.preprocess import preprocess
from experiments.selfplay.lost_positions import lost_positions
from ofc_env.records import Records
from ofc_env.records.lines import iter_turns
from tests.logs import log_hands


@pytest.fixture(scope="module")
def lines(tmp_path_factory) -> list[str]:
    """Three hands of ten lines each."""
    path = tmp_path_factory.mktemp("logs") / "games.db"
    with Records(path, durable=False) as records, records.transaction():
        log_hands(records, "s", 3, 11)
    found = [json.dumps(line) for line in iter_turns(path)]
    assert len(found) == 30
    return found


def gathered(lines):
    """Each hand's line numbers and the sentence that refuses it, and the numbers of refused lines."""
    refused, hands = [], []
    for hand in hands_of(enumerate(lines, start=1), lambda number, error: refused.append(number)):
        try:
            hand.verify()
            reason = ""
        except HandError as error:
            reason = str(error)
        hands.append(([turn.line for turn in hand.turns], reason))
    return hands, refused


def test_neighbouring_lines_make_a_hand(lines):
    blank = [*lines[:4], "  ", *lines[4:]]
    hands, refused = gathered(blank)
    assert hands == [
        ([1, 2, 3, 4, *range(6, 12)], ""),
        ([*range(12, 22)], ""),
        ([*range(22, 32)], ""),
    ]
    assert refused == []
    assert gathered([]) == ([], [])


def damaged(lines):
    """A line of the second hand stands twice, once spoilt, and the last of the first comes at the end."""
    again = json.dumps({**json.loads(lines[12]), "more": 1})
    return [*lines[:9], *lines[10:13], again, *lines[13:], lines[9]]


def test_hands_that_cannot_be_believed(lines):
    hands, refused = gathered(damaged(lines))
    assert refused == [13]
    assert [reason for _, reason in hands] == [
        "",  # it merely stops, which is for the replay to say
        "a line of this hand was refused",
        "",
        "the lines of this hand do not stand together",
    ]


def test_all_readers_of_a_log_agree(lines, tmp_path):
    log = tmp_path / "turns.jsonl"
    log.write_text("\n".join(damaged(lines)) + "\n")
    counts = preprocess(log, tmp_path / "out", progress=False)["counts"]
    assert (counts["hands"], counts["refused_hands"], counts["unfinished_hands"]) == (1, 3, 1)
    third = json.loads(lines[20])["hand_id"]
    result = analyze_log.review(log, "heuristic", progress=False)
    assert {each.turn.hand_id for each in result.differences} == {third}
    assert len(result.refused) == 4
    with pytest.raises(ValueError, match=r"line 13 of .* is not a turn of a game log"):
        lost_positions(log)
    log.write_text("\n".join([*lines[:9], *lines[10:], lines[9]]))
    with pytest.raises(ValueError, match="do not stand together"):
        lost_positions(log)
