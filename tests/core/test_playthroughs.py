"""The hands of `tests/playthroughs/`, replayed line by line.

Lines that start with `#`, the head (rules, where they are not those of the house; deck, button, chips,
fantasyland) and the `plays` lines are what the file states; every other line must be what the game answers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ofc_env import Hand, Placement, card_names

FOLDER = Path(__file__).parent.parent / "playthroughs"
FILES = sorted(FOLDER.glob("*.txt"))
ROWS = ("top", "middle", "bottom")
HEAD = ("rules", "deck", "button", "chips", "fantasyland")


def text_of(cards: list[int]) -> str:
    return " ".join(card_names(list(cards))) or "-"


def line(label: str, text: str) -> str:
    return f"  {label:<12}{text}"


def seat_name(hand: Hand, seat: int) -> str:
    return f"seat {seat} (button)" if seat == hand.button else f"seat {seat}"


def turn_lines(hand: Hand, placement: Placement) -> Iterator[str]:
    """What is to be read of one turn, which is played on the way."""
    seat = hand.player
    assert seat is not None
    if hand.in_fantasyland:
        yield f"fantasyland with {len(hand.dealt)} cards, {seat_name(hand, seat)}"
        yield line("dealt", text_of(hand.dealt))
        yield line("plays", str(placement))
    else:
        yield f"turn {hand.turn}, {seat_name(hand, seat)}"
        yield line("dealt", text_of(hand.dealt))
        yield line("placements", str(len(hand.placements())))
        yield line("plays", str(placement))
        yield line("slots", " ".join(str(slot) for slot in hand.actions_of(placement)))
    hand.place(placement)
    board = hand.board(seat)
    for name in ROWS:
        yield line(name, text_of(getattr(board, name)))
    yield line("discards", text_of(hand.discards(seat)))


def result_lines(hand: Hand) -> Iterator[str]:
    """How the boards are read and what the hand is worth."""
    result = hand.result()
    for seat in (0, 1):
        board = hand.board(seat)
        yield f"{seat_name(hand, seat)} ends with"
        for row, name in enumerate(ROWS):
            reading, royalty = board.row_names[row], getattr(board.royalties, name)
            cards = text_of(getattr(board, name))
            yield line(name, cards if board.fouled else f"{cards:<15} {reading}, royalty {royalty}")
        yield line("board", "fouled" if board.fouled else f"good, royalties {board.royalties.total}")
    yield "result"
    for row, name in enumerate(ROWS):
        yield line(name, " ".join(f"{result.line_results[seat][row]:+d}" for seat in (0, 1)))
    yield line("scoop", "nobody" if result.scoop is None else f"seat {result.scoop}")
    yield line("points", " ".join(f"{points:+d}" for points in result.raw_score))
    yield line("chips", " ".join(str(chips) for chips in result.chips))
    yield line("fantasyland", " ".join(str(width) for width in result.fl_card_count))


def value_of(lines: list[str], label: str, otherwise: str | None = None) -> str:
    """The rest of the first line with this label."""
    found = [each[len(label) :].strip() for each in lines if each.startswith(f"{label} ")]
    if not found and otherwise is not None:
        return otherwise
    return found[0]


def replay(text: str) -> list[str]:
    """The whole text again: stated lines as they are, answered lines from a hand played along."""
    lines = text.splitlines()
    pair = [
        tuple(int(number) for number in value_of(lines, label).split()) for label in ("chips", "fantasyland")
    ]
    deck = [name for each in lines if each.startswith("deck ") for name in each.split()[1:]]
    hand = Hand(
        deck=deck,
        button=int(value_of(lines, "button")),
        chips=(pair[0][0], pair[0][1]),
        fantasyland=(pair[1][0], pair[1][1]),
        rules=value_of(lines, "rules", "house"),
    )
    answer = []
    for each in lines:
        if each.startswith("fantasyland with") or (each and not each.startswith(("#", *HEAD))):
            break
        answer.append(each)
    notes = notes_before_turns(lines)
    plays = [each.split(maxsplit=1)[1] for each in lines if each.startswith("  plays ")]
    for number, play in enumerate(plays):
        answer += notes[number] if number else []
        answer += turn_lines(hand, Placement.parse(play))
        answer.append("")
    assert hand.finished, "the file ends before the hand does"
    answer += notes[len(plays)] if len(notes) > len(plays) else []
    answer += result_lines(hand)
    return answer


def notes_before_turns(lines: list[str]) -> list[list[str]]:
    """The comment lines that stand before each turn (and before the end)."""
    notes: list[list[str]] = [[]]
    for each in lines:
        if each.startswith("#"):
            notes[-1].append(each)
        elif each.startswith("  plays "):
            notes.append([])
    return notes


def test_there_are_playthroughs() -> None:
    assert len(FILES) >= 6
    rules = {value_of(path.read_text().splitlines(), "rules", "house") for path in FILES}
    assert {"house", "standard"} < rules


def test_the_rules_of_a_playthrough_are_heeded() -> None:
    """By other rules the same head and plays end in another score, or are no hand at all."""
    text = (FOLDER / "one_joker.txt").read_text()
    stated = next(each for each in text.splitlines() if each.startswith("rules "))
    assert replay(text.replace(stated, f"{stated} foul=9")) != replay(text)
    with pytest.raises(ValueError, match="52 cards, not 53"):
        replay(text.replace("jokers=1", "jokers=0"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path: Path) -> None:
    stated = path.read_text().splitlines()
    answered = replay(path.read_text())
    for number, (wanted, found) in enumerate(zip(stated, answered, strict=False), start=1):
        assert found == wanted, f"{path.name}, line {number}"
    assert len(stated) == len(answered)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_changed_line_is_noticed(path: Path) -> None:
    """The replay answers from the game, not from the file: a false answer does not come back."""
    text = path.read_text()
    for true, false in (
        ("  points ", "  points      +99 -99 #"),
        ("  board ", "  board x"),
        ("  dealt ", "  dealt 2h"),
    ):
        assert true in text
        changed = text.replace(true, false, 1)
        assert replay(changed) == text.splitlines()


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        target = Path(argument)
        target.write_text("\n".join(replay(target.read_text())) + "\n")
