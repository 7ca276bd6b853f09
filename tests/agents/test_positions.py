"""Positions typed by a person or read from a log are what the engine would show that seat, or are refused."""

import json
import random
from typing import Any

import numpy as np
import pytest

import ofc_env
from agents.positions.position import Position, observation_of, position_of_line, read_log_line, with_mask
from agents.turns import seat_to_act


def position_of_hand(hand):
    """The position of the seat to act, by the names of its cards."""
    seat = seat_to_act(hand)
    own, other = hand.board(seat), hand.board(1 - seat)
    width = hand.fantasyland[1 - seat]
    if width:
        other = ofc_env.Board()
    return Position(
        top=own.top,
        middle=ofc_env.card_names(own.middle),
        bottom=" ".join(ofc_env.card_names(own.bottom)),
        opponent_top=other.top,
        opponent_middle=other.middle,
        opponent_bottom=other.bottom,
        hand=hand.dealt,
        discards=hand.discards(seat),
        chips=hand.chips[seat],
        opponent_chips=hand.chips[1 - seat],
        opponent_fantasyland=width,
        opening_step=hand.opening_step,
    )


@pytest.mark.parametrize("fantasyland", [(0, 0), (0, 15)])
def test_every_position_of_random_hands(fantasyland):
    generator = random.Random(1)
    for seed in range(30):
        hand = ofc_env.Hand(seed=seed, button=seed % 2, chips=(170, 230), fantasyland=fantasyland)
        while not hand.finished:
            if hand.in_fantasyland:
                hand.set_fantasyland()
                continue
            numbers = observation_of(position_of_hand(hand))
            assert (numbers == hand.observation(seat_to_act(hand))).all()
            assert (with_mask(numbers)["action_mask"] == hand.action_mask()).all()
            hand.step(generator.choice(hand.legal_actions()))


TURN_1: dict[str, Any] = {"top": "Qs", "middle": "2d 3d", "bottom": "Kh Kd", "hand": "Qh X1 5c"}
OPPONENT: dict[str, Any] = {"opponent_middle": "4c 4d", "opponent_bottom": "Ah Ac As"}


def test_button_is_read_from_the_boards():
    assert ofc_env.decode_observation(observation_of(Position(**TURN_1, **OPPONENT))).button is True
    later = Position(**TURN_1, **OPPONENT, opponent_top="6h 6c")
    assert ofc_env.decode_observation(observation_of(later)).button is False
    opening = observation_of(Position(hand="Ah Kh Qh Jh Th", chips=150))
    assert opening[486:].tolist() == [0, 1, 0.75, 1.25]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"hand": "Qh X1 5x"}, "the hand: unknown card '5x'"),
        ({"hand": "Qh X1 Qs"}, "Qs stands in the top and in the hand: every card exists once"),
        ({"hand": "Qh X1 X1"}, "X1 stands twice in the hand"),
        ({"opponent_top": "Kd"}, "Kd stands in the bottom and in the opponent's top"),
        ({"top": "Qs 2c 3c 4h"}, "the top has 4 cards: at most 3 fit"),
        ({"hand": ""}, "no cards in hand"),
        ({"hand": "Qh X1"}, "2 cards in hand: with 5 cards placed there are 3"),
        ({"top": ""}, "4 cards on one's own board"),
        ({"discards": "2c"}, "1 discards: with 5 cards placed there are 0"),
        ({"opponent_middle": "4c"}, "4 cards on the opponent's board: on turn 1 it has 5"),
        ({"button": False}, "without the button the opponent's board has 7 cards on turn 1, not 5"),
        ({"chips": 0}, "one cannot have 0 chips"),
        ({"opponent_chips": 400}, "the opponent cannot have 400 chips"),
        ({"opponent_fantasyland": 15}, "its board lies face down, leave it out"),
        ({"opponent_fantasyland": 13}, "a fantasyland has 14 to 17 cards, not 13"),
        ({"opening_step": 1}, "the second step of an opening has cards on the bottom only"),
    ],
)
def test_impossible_positions_get_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        observation_of(Position(**{**TURN_1, **OPPONENT, **changes}))


def log_line(hand):
    """A turn as a game log holds it."""
    seat = seat_to_act(hand)
    boards = []
    for board in (hand.board(seat), hand.board(1 - seat)):
        boards.append({row: ofc_env.card_names(getattr(board, row)) for row in ("top", "middle", "bottom")})
    return {
        "turn": hand.turn,
        "player": "ann",
        "btn": hand.button,
        "is_btn": seat == hand.button,
        "chips": list(hand.chips),
        "board_self": boards[0],
        "board_opponent": boards[1],
        "dealt_cards": ofc_env.card_names(hand.dealt),
        "known_discards_self": ofc_env.card_names(hand.discards(seat)),
    }


def test_lines_of_a_log(tmp_path):
    hand = ofc_env.Hand(seed=3, button=1, chips=(150, 250))
    lines, observations = [], []
    while not hand.finished:
        if not hand.opening_step:
            lines.append(json.dumps(log_line(hand)))
            observations.append(hand.observation(seat_to_act(hand)))
        hand.step(hand.legal_actions()[0])
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([*lines, "{", "[]", '{"turn": 1}']) + "\n")
    for number, expected in enumerate(observations, start=1):
        numbers = observation_of(position_of_line(read_log_line(path, number)))
        assert np.array_equal(numbers, expected)
    count = len(lines)
    for number, sentence in (
        (0, "there is no line 0"),
        (count + 1, "is not JSON"),
        (count + 2, "is not a turn: it must be a JSON object"),
        (count + 4, f"has {count + 3} lines: there is no line {count + 4}"),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_log_line(path, number)
    with pytest.raises(ValueError, match="not a turn of a game log: it has no 'board_self'"):
        position_of_line(read_log_line(path, count + 3))
    with pytest.raises(ValueError, match="wrong shape"):
        position_of_line({**json.loads(lines[0]), "chips": 3})
    with pytest.raises(ValueError, match="there is no log"):
        read_log_line(tmp_path / "none.jsonl", 1)


def test_a_fantasyland_opponent_in_a_log():
    hand = ofc_env.Hand(seed=3, fantasyland=(0, 16))
    hand.set_fantasyland()
    line = log_line(hand)
    line["board_opponent"] = {"top": [], "middle": [], "bottom": [], "fantasyland": 16}
    assert np.array_equal(observation_of(position_of_line(line)), hand.observation(0))


def test_nobody_acts_in_a_finished_hand():
    hand = ofc_env.Hand(seed=3)
    while not hand.finished:
        hand.step(hand.legal_actions()[0])
    with pytest.raises(ValueError, match="nobody is to act"):
        seat_to_act(hand)
