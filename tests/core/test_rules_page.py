"""The rules page line by line: boards and scores worked out by hand, and what is refused."""

from __future__ import annotations

import json
import pickle

import pytest

from ofc_env import Board, Hand, Rules, score_boards
from tests import oracle
from tests.play import cards_of, check_board


def text_board(text: str) -> Board:
    top, middle, bottom = text.split(" / ")
    return Board(top=top, middle=middle, bottom=bottom)


BOARDS = [
    # the three examples of the page: board, fouled, royalties (top, middle, bottom), entry width, stays
    ("Qs Qh 3c / Kd Kh X1 2d 5s / Ah Ac 9h 9d 4c", False, (7, 0, 0), 14, False),
    ("Qs Qh X1 / Kd Kh 2c 2d 5s / Ah Kc 9h 4h X2", True, (0, 0, 0), 0, False),
    ("2c 3d 5h / X1 X2 9s 9d 4c / Th Jh Qh Kh Ah", False, (0, 20, 25), 0, True),
    # royalties of the middle, under a royal flush; quads or better on the bottom stay
    ("2c 3d 5h / 9s 9d 9c 4c 6d / Th Jh Qh Kh Ah", False, (0, 2, 25), 0, True),
    ("2c 3d 5h / 9s 8d 7c 6c 5d / Th Jh Qh Kh Ah", False, (0, 4, 25), 0, True),
    ("2c 3d 5h / 9s 8s 7s 6s 2s / Th Jh Qh Kh Ah", False, (0, 8, 25), 0, True),
    ("2c 3d 5h / 9s 9d 9c 4c 4d / Th Jh Qh Kh Ah", False, (0, 12, 25), 0, True),
    ("2c 3d 5h / 9s 9d 9c 9h 4d / Th Jh Qh Kh Ah", False, (0, 20, 25), 0, True),
    ("2c 3d 5h / 9s 8s 7s 6s 5s / Th Jh Qh Kh Ah", False, (0, 30, 25), 0, True),
    ("2c 3d 5h / Ts Js Qs Ks As / Th Jh Qh Kh Ah", False, (0, 50, 25), 0, True),
    # royalties of the bottom
    ("2c 3d 5h / 2d 4h 6c 8s Th / 9s 9d 9c 4c 6d", False, (0, 0, 0), 0, False),
    ("2c 3d 5h / 2d 4h 6c 8s Th / 9s 8d 7c 6h 5d", False, (0, 0, 2), 0, False),
    ("2c 3d 5h / 2d 4h 6c 8s Th / Ah 2h 3h 4s 5c", False, (0, 0, 2), 0, False),
    ("2c 3d 5h / 2d 4h 6c 8s Th / 9s Ks 7s 6s 5s", False, (0, 0, 4), 0, False),
    ("2c 3d 5h / 2d 4h 6c 8s Th / 9s 9d 9c 7h 7d", False, (0, 0, 6), 0, False),
    ("2c 3d 5h / 2d 4h 6c 8s Th / 9s 9d 9c 9h 7d", False, (0, 0, 10), 0, True),
    ("2c 3d 5h / 2d 4h 6c 8c Th / 9s 8s 7s 6s 5s", False, (0, 0, 15), 0, True),
    ("2c 3d 5h / 2d 4h 6c 8s Td / Ts Js Qs Ks As", False, (0, 0, 25), 0, True),
    # pairs on top: 55 nothing, 66 one .. AA nine; queens and better go to fantasyland
    ("2h 2d 4c / 5h 5d 5s 3c 2c / Ac As Kc Ks Kd", False, (0, 2, 6), 0, False),
    ("3h 3d 4c / 5h 5d 5s 3c 2c / Ac As Kc Ks Kd", False, (0, 2, 6), 0, False),
    ("4h 4d 2h / 5h 5d 5s 3c 2c / Ac As Kc Ks Kd", False, (0, 2, 6), 0, False),
    *(
        (f"{pair}h {pair}d 4c / 4h 4d 4s 3c 2d / Ac As Kc Ks Kd", False, (royalty, 2, 6), 0, False)
        for royalty, pair in enumerate("56789TJ")
    ),
    ("Qh Qd 4c / 4h 4d 4s 3c 2d / Ac As Kc Ks Kd", False, (7, 2, 6), 14, False),
    ("Kh Kd 4c / 4h 4d 4s 3c 2d / Ac As Qc Qs Qd", False, (8, 2, 6), 15, False),
    ("Ah Ad 4c / 4h 4d 4s 3c 2d / Kc Ks Qc Qs Qd", False, (9, 2, 6), 16, False),
    # trips on top: 222 ten .. AAA twenty-two; all of them seventeen cards, and a stay in fantasyland
    *(
        (f"{rank}h {rank}d {rank}c / 6h 7d 8h 9c Td / Js Ks 3s 5s 8s", False, (royalty, 4, 4), 17, True)
        for royalty, rank in zip(range(10, 23), oracle.RANKS, strict=True)
        if rank not in "6789T"
    ),
    ("6h 6d 6c / Ah Kd Jh Qs Td / Js Ks 3s 5s 8s", False, (14, 4, 4), 17, True),
    ("7h 7d 7c / Ah Kd Jh Qs Td / Js Ks 3s 5s 8s", False, (15, 4, 4), 17, True),
    ("8h 8d 8c / Ah Kd Jh Qs Td / Js Ks 3s 5s 8s", False, (16, 4, 4), 17, True),
    ("9h 9d 9c / Ah Kd Jh Qs Td / Js Ks 3s 5s 8s", False, (17, 4, 4), 17, True),
    ("Th Td Tc / 9h 8d 7h 6s 5d / Js Ks 3s 5s 8s", False, (18, 4, 4), 17, True),
    # equal rows are fine, the lower one row up is not
    ("Kh Kd 4c / Kc Ks 4h 3c 2d / Ac As Qc Qs Qd", False, (8, 0, 6), 15, False),
    ("Kh Kd 5c / Kc Ks 4h 3c 2d / Ac As Qc Qs Qd", True, (0, 0, 0), 0, False),
    ("2h 3d 5c / Kh Kd 4c 3h 2d / Kc Ks 4h 3c 2s", False, (0, 0, 0), 0, False),
    ("2h 3d 5c / Kh Kd 4c 3h 7d / Kc Ks 4h 3c 2s", True, (0, 0, 0), 0, False),
    ("8h 8d 8c / 7h 7d 7c 2s 3s / Ah Ad Ac Kh Kd", True, (0, 0, 0), 0, False),
    ("Ah Kd Qc / Ac Ks Qh 3c 2d / Jc Js 4h 3d 2s", False, (0, 0, 0), 0, False),
    ("Ah Kd Qc / Ac Ks Jh Th 9d / 2c 2s 4h 3d 5s", True, (0, 0, 0), 0, False),
    # A2345 is the lowest straight, a flush below a full house
    ("2c 3d 5h / Ah 2d 3c 4s 5c / 2h 3h 4h 5s 6d", False, (0, 4, 2), 0, False),
    ("2c 3d 5h / 2h 3h 4h 5s 6d / Ah 2d 3c 4s 5c", True, (0, 0, 0), 0, False),
    # jokers: other rows and the other joker do not limit them, the same row does
    ("2c 3d 5h / X1 9h 4d 6c Jc / As Ah Ad Ac X2", False, (0, 0, 10), 0, True),
    ("X1 Ah 2c / Ad Ac As Kh Kd / Qh Qd Qc Qs X2", False, (9, 12, 10), 16, True),
    ("X1 X2 Ah / 2h 2d 2c 3s 3h / Kh Kd Kc Ks 4d", False, (22, 12, 10), 17, True),
    # the top is held down by the middle: a pair, a high card, or nothing at all
    ("X1 X2 Ah / Kh Kd Qc Js 9h / Th Td Tc 4s 4d", False, (7, 0, 6), 14, False),
    ("X1 Ah Kd / Ac Ks Qh Jh 9d / 2h 2d 3c 4s 5c", False, (0, 0, 0), 0, False),
    ("X1 Ah Kd / Qc Qs 4h 5h 9d / Th Td Tc 4s 4d", False, (0, 0, 6), 0, False),
    ("X1 Ah Ad / Qc Qs 4h 5h 9d / Th Td Tc 4s 4d", True, (0, 0, 0), 0, False),
    # the middle is held down by the bottom, and holds the top down in turn
    ("Ah Ac 2d / X1 Kd Kc 3s 4s / As Ad Jc Tc 8d", True, (0, 0, 0), 0, False),
    ("2c 3d 5h / X1 X2 2h 7d Kc / Qh Qd 5c 6c 8c", False, (0, 0, 0), 0, False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fouled", "royalties", "entry", "stays"), BOARDS)
def test_boards_by_hand(
    text: str, fouled: bool, royalties: tuple[int, int, int], entry: int, stays: bool
) -> None:
    board = text_board(text)
    assert board.fouled == fouled
    assert tuple(board.royalties) == (*royalties, sum(royalties))
    assert board.royalties.total == sum(royalties)
    assert (board.royalties.top, board.royalties.middle, board.royalties.bottom) == royalties
    assert board.fantasyland_cards == entry
    assert board.stays == stays
    top, middle, bottom = (oracle.cards(row) for row in text.split(" / "))
    check_board(board, (top, middle, bottom), oracle.read_board((top, middle, bottom)))


def test_the_examples_of_the_rules_page_name_their_readings() -> None:
    board = text_board(BOARDS[0][0])
    names = board.row_names
    assert "aces" in names[2]
    assert "nines" in names[2]
    assert "kings" in names[1]
    assert "fives" in names[1]
    assert "queens" in names[0]
    board = text_board(BOARDS[2][0])
    assert "royal" in board.row_names[2]
    assert "nines" in board.row_names[1]


PLAIN = "2c 3d 5h / 4d 4h 6c 8s Th / 9s 9d 7c 7h Kd"  # no royalties, not fouled
HIGHER = "2d 3h 6h / 5d 5c 6s 8c Tc / Js Jd 8d 8h Ks"  # wins every row over PLAIN
FOULED = "As Ad 2h / 3s 5s 7d Jh Qh / 4c 6d Tc Jc Qc"


@pytest.mark.parametrize(
    ("first", "second", "points", "scoop"),
    [
        (PLAIN, HIGHER, -6, 1),
        (HIGHER, PLAIN, 6, 0),
        (PLAIN, FOULED, 6, 0),
        (FOULED, PLAIN, -6, 1),
        (FOULED, "Ac Ah 2d / 3h 5h 7s Jd Qd / 4s 6h Td Js Qs", 0, None),
        # rows: +1 0 -1 and equal boards
        (PLAIN, "2d 3h 5c / 4c 4s 6d 8c Ts / 9h 9c 7d 7s Kh", 0, None),
        (PLAIN, "2d 3h 5c / 4c 4s 6d 8c Ts / 9h 9c 7d 7s Qh", 1, None),
        (PLAIN, "2d 3h 4s / 4c 5s 6d 8c Ts / 9h 9c 7d 7s Kh", 2, None),
        ("2c 3d 7h / 4d 4h 6c 8s Th / 9s 9d 5h 5c Kd", "2d 3h 6h / 3c 3s 6s 8c Tc / Js Jd 8d 8h Ks", 1, None),
        # royalties, own minus the opponent's: a flush (4) and kings (8) against a straight (2)
        (
            "Kh Kd 2c / Ah Ad 3c 4s 6d / 2s 5s 8s Ts Qs",
            "2d 3h 6h / 5d 5c 6s 8c Tc / 7h 8d 9h Td Jc",
            6 + 12 - 2,
            0,
        ),
        # a fouled board's royalties do not count
        ("As Ad 2h / 3s 5s 7d Jh Qh / 4c 6c Tc Jc Qc", PLAIN.replace("6c", "6h"), -6, 1),
        # the fouled side still pays the other's royalties
        (FOULED, "Kh Kd 2c / Ah Ac 3c 4s 6s / 2s 9s 8s Ts Qs", -6 - 12, 1),
    ],
)
def test_scores_by_hand(first: str, second: str, points: int, scoop: int | None) -> None:
    result = score_boards(text_board(first), text_board(second))
    assert list(result.raw_score) == [points, -points]
    assert list(result.actual_score) == [points, -points]
    assert list(result.chips) == [200 + points, 200 - points]
    assert result.scoop == scoop


def test_a_transfer_is_capped_by_what_the_loser_has() -> None:
    for chips, after in (
        ((5, 395), (0, 400)),
        ((6, 394), (0, 400)),
        ((7, 393), (1, 399)),
        ((0, 400), (0, 400)),
    ):
        result = score_boards(text_board(PLAIN), text_board(HIGHER), chips=chips)
        assert list(result.raw_score) == [-6, 6]
        assert tuple(result.chips) == after
        assert list(result.actual_score) == [after[0] - chips[0], after[1] - chips[1]]


QUEENS = "Qs Qh 3c / Kd Kh 8c 2d 5s / Ah Ac 9h 9d 4c"
TRIPS_TOP = "3s 3h 3d / 6h 7d 8h 9c Td / Js Ks 6s 7s 8s"
QUADS_BOTTOM = "2s 4h 5d / 7c 8d 9s Td Kc / 6s 6h 6c X1 3d"


def test_entry_needs_a_normally_played_board_and_stay_a_fantasyland_one() -> None:
    result = score_boards(text_board(QUEENS), text_board(TRIPS_TOP))
    assert (list(result.fl_entry), list(result.fl_stay)) == ([True, True], [False, False])
    assert list(result.fl_card_count) == [14, 17]
    result = score_boards(text_board(QUEENS), text_board(TRIPS_TOP), fantasyland=(14, 17))
    assert (list(result.fl_entry), list(result.fl_stay)) == ([False, False], [False, True])
    assert list(result.fl_card_count) == [0, 14]
    result = score_boards(text_board(QUEENS), text_board(QUADS_BOTTOM), fantasyland=(0, 15))
    assert list(result.fl_card_count) == [14, 14]
    result = score_boards(text_board(QUEENS), text_board(QUADS_BOTTOM))
    assert list(result.fl_card_count) == [14, 0]
    assert list(score_boards(text_board(FOULED), text_board(QUADS_BOTTOM)).fl_card_count) == [0, 0]
    result = score_boards(text_board(FOULED), text_board(QUADS_BOTTOM), fantasyland=(16, 0))
    assert list(result.fl_card_count) == [0, 0]


# --- other tables -------------------------------------------------------------------------

OTHER_FOULED = "Ac Ah 2d / 3h 5h 7s Jd Qd / 4s 6h Td Js Qs"
FLUSHED = "Kh Kd 2c / Ah Ac 3c 4s 6s / 2s 9s 8s Ts Qs"  # royalties 8 and 4


@pytest.mark.parametrize(
    ("rules", "first", "second", "points"),
    [
        ("house", PLAIN, FOULED, 6),
        ("standard", PLAIN, FOULED, 6),
        ("scoop=6", PLAIN, FOULED, 9),
        ("scoop=6", HIGHER, PLAIN, 9),
        ("foul=10", PLAIN, FOULED, 10),
        ("foul=10 scoop=6", PLAIN, FOULED, 10),
        ("foul=10", HIGHER, PLAIN, 6),
        ("foul=0", PLAIN, FOULED, 0),
        ("foul=0", FLUSHED, FOULED, 12),
        ("foul=10", OTHER_FOULED, FOULED, 0),
        ("scoop=0", HIGHER, PLAIN, 3),
    ],
)
def test_other_scores_by_hand(rules: str, first: str, second: str, points: int) -> None:
    boards = text_board(first), text_board(second)
    ruled = Rules.parse(rules)
    assert list(score_boards(*boards, rules=ruled).raw_score) == [points, -points]
    assert list(score_boards(*boards[::-1], rules=ruled).raw_score) == [-points, points]


@pytest.mark.parametrize(
    ("rules", "board", "stays"),
    [
        ("house", QUADS_BOTTOM, True),
        ("stay_bottom=straight_flush", QUADS_BOTTOM, False),
        ("stay_bottom=none", QUADS_BOTTOM, False),
        ("stay_bottom=none", TRIPS_TOP, True),
        ("stay_top=none", TRIPS_TOP, False),
        ("stay_top=pair", QUEENS, True),
        ("stay_top=pair", FOULED, False),
        ("stay_top=high_card", PLAIN, True),
        ("stay_bottom=flush", FLUSHED, True),
        ("stay_bottom=full_house", FLUSHED, False),
        ("stay_middle=straight", TRIPS_TOP, True),
        ("stay_top=none stay_middle=straight", TRIPS_TOP, True),
        ("stay_top=none stay_middle=flush", TRIPS_TOP, False),
        # the joker gives way to two pair below: the middle is no three kings
        ("stay_middle=trips", BOARDS[0][0], False),
        ("stay_middle=two_pair", BOARDS[0][0], True),
    ],
)
def test_other_stays_by_hand(rules: str, board: str, stays: bool) -> None:
    mine = text_board(board)
    assert Board(mine.top, mine.middle, mine.bottom, rules=Rules.parse(rules)).stays == stays
    rest = [card for card in range(52) if card not in cards_of(mine)]
    other = Board(rest[:3], rest[3:8], rest[8:13])
    for cards, kept in (("", 14), (" stay_cards=0", 16), (" stay_cards=17", 17)):
        result = score_boards(mine, other, fantasyland=(16, 0), rules=Rules.parse(rules + cards))
        assert result.fl_stay[0] == stays
        assert result.fl_card_count[0] == (kept if stays else 0)


@pytest.mark.parametrize(
    ("rules", "widths"),
    [
        ("house", (14, 17)),
        ("standard", (14, 17)),
        ("fixed14", (14, 14)),
        ("no_fantasyland", (0, 0)),
        ("fantasyland_trips=0", (14, 0)),
        ("fantasyland_trips=15 fantasyland_pairs=0,0,0,0,14,0,0,0,0,0,16,0,0", (16, 15)),
    ],
)
def test_other_widths_by_hand(rules: str, widths: tuple[int, int]) -> None:
    result = score_boards(text_board(QUEENS), text_board(TRIPS_TOP), rules=Rules.parse(rules))
    assert tuple(result.fl_card_count) == widths
    assert tuple(result.fl_entry) == tuple(width > 0 for width in widths)


def test_fantasyland_cards_come_first_in_the_order_of_acting() -> None:
    for rules, first in (("house", 1), ("standard", 0)):
        hand = Hand(seed=3, button=1, fantasyland=(15, 14), rules=rules)
        assert hand.player == first
        assert hand.dealt == sorted(hand.deck[: (15, 14)[first]])
        hand = Hand(seed=3, button=1, fantasyland=(15, 0), rules=rules)
        assert hand.player == 0
        assert hand.dealt == sorted(hand.deck[:15])
        hand.set_fantasyland()
        assert (hand.player, hand.turn) == (1, 0)
        assert hand.dealt == sorted(hand.deck[15:20])


def test_a_result_is_a_value() -> None:
    result = score_boards(text_board(QUEENS), text_board(TRIPS_TOP), chips=(3, 397))
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != score_boards(text_board(QUEENS), text_board(TRIPS_TOP))
    plain = json.loads(json.dumps(result.to_dict()))
    fields = (
        "busted",
        "line_results",
        "scoop",
        "raw_score",
        "actual_score",
        "chips",
        "fl_entry",
        "fl_card_count",
    )
    for name in fields:
        value = getattr(result, name)
        if name == "line_results":
            assert len(plain[name]) == 2
        else:
            assert plain[name] == (list(value) if isinstance(value, (list, tuple)) else value)
    assert plain["royalties"][1] == {"top": 11, "middle": 4, "bottom": 4, "total": 19}
    assert sorted(plain["boards"][0]["top"]) == sorted(["Qs", "Qh", "3c"])


# --- what is refused --------------------------------------------------------------------


def refused(offender: str, function, *arguments, **keywords) -> None:
    """The call raises one sentence that names the offender."""
    with pytest.raises(ValueError, match=offender) as refusal:
        function(*arguments, **keywords)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 250


def test_wrong_boards_are_refused() -> None:
    refused("Zz", Board, top="Zz")
    refused("54", Board, top=[54])
    refused("Ah", Board, top="Ah Ah")
    refused("Ah", Board, top="Ah", bottom="Ah")
    refused("X1", Board, middle="X1", bottom="X1")
    refused("top", Board, top="Ah Kh Qh Jh")
    refused("middle", Board, middle="Ah Kh Qh Jh Th 9h")
    refused("bottom", Board, bottom=[0, 1, 2, 3, 4, 5])


def test_an_unfinished_board_has_no_score() -> None:
    board = Board(top="Ah", middle="Kd 2c", bottom="3h 3d 3c 3s 4h")
    assert not board.complete
    assert [bool(name) for name in board.row_names] == [False, False, True]
    for name in ("fouled", "royalties", "fantasyland_cards", "stays", "row_values"):
        with pytest.raises(ValueError):
            getattr(board, name)
    full = text_board(PLAIN)
    for pair in ((board, full), (full, board), (board, board)):
        with pytest.raises(ValueError):
            score_boards(*pair)


def test_wrong_scoring_arguments_are_refused() -> None:
    first, second = text_board(PLAIN), text_board(HIGHER)
    refused("-1", score_boards, first, second, chips=(-1, 401))
    refused("13", score_boards, first, second, fantasyland=(13, 0))
    refused("18", score_boards, first, second, fantasyland=(0, 18))
    with pytest.raises((ValueError, TypeError)):
        score_boards(first, second, chips=(1, 2, 3))
    with pytest.raises((ValueError, TypeError)):
        score_boards(first, "2c 3d 5h")  # type: ignore[arg-type]
    refused("4h|2c", score_boards, first, first)


def test_boards_are_values() -> None:
    board = text_board(PLAIN)
    shuffled = Board(top="5h 2c 3d", middle=["Th", "8s", "6c", "4h", "4d"], bottom=board.bottom[::-1])
    assert board == shuffled
    assert hash(board) == hash(shuffled)
    assert board != text_board(HIGHER)
    assert Board() != board
    assert pickle.loads(pickle.dumps(board)) == board
    assert "Kd" in str(board)
    with pytest.raises(AttributeError):
        board.top = [1, 2, 3]  # type: ignore[misc]


def test_wrong_rules_are_refused() -> None:
    with pytest.raises((ValueError, TypeError)):
        Rules(top_pairs=[1, 2, 3])
    with pytest.raises((ValueError, TypeError)):
        Rules(middle=[1])
    with pytest.raises(ValueError, match="18"):
        Rules(fantasyland_trips=18)
    with pytest.raises(ValueError):
        Rules.parse("nonsense=1")
    with pytest.raises(ValueError):
        Rules().replace(chips=-1)
