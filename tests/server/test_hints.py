"""What the page is told of a board while it fills, against the engine's word once it is full."""

from __future__ import annotations

import random

import pytest

from ofc_env import Board, Hand, card_names, solve_fantasyland
from server.thinking.hints import evaluate_rows, solve_rows

Rows = tuple[list[int], list[int], list[int]]
Names = tuple[list[str], list[str], list[str]]


def full_boards(count: int) -> list[Rows]:
    """Boards of 13 random cards, half of them nearly in order, so that not all are fouls."""
    boards = []
    for seed in range(count):
        generator = random.Random(seed)
        deck = list(range(54))
        generator.shuffle(deck)
        if seed % 2:
            deck.sort(key=lambda card: (card % 13 if card < 52 else 6) + 4 * generator.random())
        boards.append((deck[10:13], deck[5:10], deck[:5]))
    return boards


def named(rows: Rows) -> Names:
    return card_names(rows[0]), card_names(rows[1]), card_names(rows[2])


def test_full_boards_are_read_as_the_engine_reads_them() -> None:
    fouls = 0
    for rows in full_boards(1500):
        board, hints = Board(*rows), evaluate_rows(*named(rows))
        fouls += board.fouled
        assert (hints["foul"] == "yes") == board.fouled
        assert hints["fantasyland"] == board.fantasyland_cards
        assert hints["stays"] == board.stays
        assert None not in hints["values"]  # also the row that fouls has a name
        if board.fouled:
            assert hints["royalties"]["total"] == 0
        else:
            assert hints["values"] == board.row_values
            assert hints["names"] == board.row_names
            assert list(hints["royalties"].values()) == list(board.royalties)
    assert 300 < fouls < 1300


def test_a_foul_is_never_claimed_of_a_board_that_can_be_saved() -> None:
    early = 0
    for seed, rows in enumerate(full_boards(1500)):
        generator = random.Random(seed)
        top, middle, bottom = (generator.sample(row, generator.randint(0, len(row))) for row in rows)
        part = (top, middle, bottom)
        claimed = evaluate_rows(*named(part))["foul"] == "yes"
        early += claimed
        assert not claimed or Board(*rows).fouled, (rows, part)
    assert early > 10


@pytest.mark.parametrize(
    ("top", "middle", "bottom", "foul", "royalties", "fantasyland"),
    [
        ("", "", "", "no", 0, 0),
        ("Qs Qh", "", "", "risk", 7, 14),
        ("Qs X1", "", "", "no", 7, 14),  # the joker need not pair
        ("Qs Qh", "2c 3d 5h 7s 9c", "", "yes", 0, 0),
        ("Ks Kh", "Ac Ad", "2c", "risk", 8, 15),
        ("", "6c 6d 6h 7s 9c", "8c 8d Th Js", "risk", 2, 0),
        ("", "6c 6d 6h 6s 9c", "8c 8d Th Js", "yes", 0, 0),  # no fifth card beats quads
        ("6c 6d X1", "Kd Kh 2c 2d 5s", "Ah Ac 9h 9d", "no", 1, 0),  # trips read down to a pair
    ],
)
def test_boards_that_are_filling(
    top: str, middle: str, bottom: str, foul: str, royalties: int, fantasyland: int
) -> None:
    hints = evaluate_rows(top.split(), middle.split(), bottom.split())
    assert (hints["foul"], hints["royalties"]["total"]) == (foul, royalties)
    assert hints["fantasyland"] == fantasyland


def test_what_is_no_board_is_refused() -> None:
    with pytest.raises(ValueError, match="Ah"):
        evaluate_rows(["Ah"], ["Ah"])
    with pytest.raises(ValueError):
        evaluate_rows(["2c", "3c", "4c", "5c"])
    with pytest.raises(ValueError):
        evaluate_rows(["1z"])


def test_a_fantasyland_hand_is_set_as_the_solver_sets_it() -> None:
    cards = Hand(seed=4, fantasyland=(15, 0)).dealt
    solved, solution = solve_rows(card_names(cards)), solve_fantasyland(cards)
    assert Board(*(solved[row] for row in ("top", "middle", "bottom"))) == solution.board
    assert sorted(solved["discards"]) == sorted(card_names(solution.placement.discards))
    assert (solved["royalties"], solved["stays"]) == (int(solution.royalties), solution.stays)
