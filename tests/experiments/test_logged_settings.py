"""Fantasyland settings in the lines of a log: read, believed only where they can be, and replayed."""

import json

import pytest

from experiments.logs.hands import hands_of
from experiments.logs.lines import LineError, LoggedSetting, parse_line
from experiments.logs.replay import HandError, RowBuffer, hand_as_dealt, replay_hand
from ofc_env.records import Records
from ofc_env.records.lines import iter_lines
from ofc_env.records.replay import steps_of_hand
from tests.logs import log_hands

WIDTHS = ((0, 0), (14, 0), (0, 17), (16, 15))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("settings") / "games.db"
    with Records(path, durable=False) as records, records.transaction():
        log_hands(records, "s", 12, 7, WIDTHS)
    return path


def gathered(lines):
    """The hands of some lines, as objects, and the lines that were refused."""
    refused = []
    texts = enumerate(map(json.dumps, lines), start=1)
    return list(hands_of(texts, lambda number, error: refused.append((number, str(error))))), refused


def test_every_hand_is_replayed_as_it_was_played(log):
    hands, refused = gathered(iter_lines(log))
    assert refused == []
    assert [len(hand.settings) for hand in hands] == [1, 1, 2, 0] * 3
    for hand in hands:
        hand.verify()
        assert replay_hand(hand.turns, RowBuffer(12), True, settings=hand.settings) == 0
        steps = steps_of_hand(log, "s", hand.key[1])
        again = hand_as_dealt(hand.turns, hand.settings)
        placements = [line.placement for line in hand.lines]
        for step, placement in zip(steps, placements, strict=True):
            assert again.player == step.seat
            assert placement == step.decision.placement
            again.place(placement)
        assert again.result() == steps[-1].after.result()


def test_points_are_known_where_the_setting_is(log):
    for hand in gathered(iter_lines(log))[0]:
        if not hand.turns:
            continue
        rows, without = RowBuffer(12), RowBuffer(12)
        replay_hand(hand.turns, rows, True, settings=hand.settings)
        replay_hand(hand.turns, without, True)
        count, result = len(rows), steps_of_hand(log, "s", hand.key[1])[-1].after.result()
        assert (rows.states[:count] == without.states[:count]).all()  # the setting lies face down
        assert set(without.points[:count] != without.points[:count]) == {bool(hand.settings)}  # NaN
        assert [rows.points[row] for row in range(count)] == [
            result.raw_score[rows.decisions[row].turn.seat] for row in range(count)
        ]


def test_a_reader_of_turns_alone_refuses_the_line_and_keeps_the_hand(log):
    """As version 0.1 reads: an unknown field refuses its line, which stands before the turns of its hand."""
    for line in map(dict, iter_lines(log)):
        if "fantasyland" in line:
            unknown = {**line, "setting": line["fantasyland"]}
            del unknown["fantasyland"]
            with pytest.raises(LineError, match="'setting' does not belong to a turn"):
                parse_line(1, json.dumps(unknown))
    lines = list(iter_lines(log))
    unreadable = [{**line, "more": 1} if "fantasyland" in line else line for line in lines]
    hands, refused = gathered(unreadable)
    assert len(refused) == 12
    assert [len(hand.turns) for hand in hands] == [5, 5, 10] * 3
    for hand in hands:
        hand.verify()
        replay_hand(hand.turns, RowBuffer(12), True)


CARDS = ["Ah", "Kh", "Qh", "Jh", "Th", "9h", "8h", "7h", "6h", "5h", "4h", "3h", "2h", "Ad"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"turn": 0}, "turn is 0, and a fantasyland setting is none"),
        ({"fantasyland": 13}, "fantasyland is 13"),
        ({"fantasyland": 15}, "dealt_cards holds 14 cards"),
        ({"fantasyland": True}, "fantasyland is True"),
        ({"dealt_cards": CARDS}, "action does not set the cards dealt"),
        ({"known_discards_self": ["Ah"]}, "known_discards_self holds cards"),
        ({"board_self": {"top": ["Ah"], "middle": [], "bottom": []}}, "a board holds cards"),
        ({"board_opponent": {"top": ["Ah"], "middle": [], "bottom": []}}, "a board holds cards"),
        ({"action": {"placements": [], "discard": "Ah"}}, "action does not set the cards dealt"),
        ({"action": {"placements": [], "discards": ["Ah", "Ah"]}}, "discards holds Ah twice"),
        ({"action": None}, "action is not made of"),
        ({"rules": 3}, "rules is 3"),
        ({"btn": 2}, "btn is 2"),
        ({"more": 1}, "the field 'more' does not belong to a setting"),
        ({"practice": True}, "practice table"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(log, changes, sentence):
    line = next(line for line in iter_lines(log) if "fantasyland" in line)
    assert isinstance(parse_line(1, json.dumps(line)), LoggedSetting)
    with pytest.raises(LineError, match=sentence):
        parse_line(1, json.dumps({**line, **changes}))
    with pytest.raises(LineError, match="the field 'chips' is missing"):
        parse_line(1, json.dumps({name: value for name, value in line.items() if name != "chips"}))


def test_settings_that_do_not_belong_to_their_hand_are_refused(log):
    lines = list(iter_lines(log))
    first = lines[0]["hand_id"]
    hand = [line for line in lines if line["hand_id"] == first]
    other = {**hand[0], "is_btn": not hand[0]["is_btn"], "player": hand[1]["player"]}
    wider = [{**turn, "board_opponent": {**turn["board_opponent"], "fantasyland": 15}} for turn in hand[1:]]
    twice = {**hand[1], "dealt_cards": [*hand[0]["dealt_cards"][:1], *hand[1]["dealt_cards"][1:]]}
    for changed, sentence in (
        ([hand[0], hand[0], *hand[1:]], "sets a fantasyland hand and has set its fantasyland hand already"),
        ([other, *hand[1:]], "sets a fantasyland hand and has played turns"),
        ([hand[0], *wider], "14 cards of fantasyland and the other sees"),
        ([hand[0], twice, *hand[2:]], "was dealt already in this hand"),
        ([{**hand[0], "chips": [7, 393]}, *hand[1:]], "chips is"),
    ):
        (read,), refused = gathered(changed)
        assert refused == []
        with pytest.raises(HandError, match=sentence):
            replay_hand(read.turns, RowBuffer(12), True, settings=read.settings)
