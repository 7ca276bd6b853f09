"""The table as text and as a picture, from a `Hand`. Both show every card, as the dealer sees them.

Pillow is imported only when a picture is asked for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ofc_env._core import Hand, card_name
from ofc_env.extras import explained
from ofc_env.layout import FIRST_JOKER, ROW_SIZES, ROWS

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

NAMES = ("player_0", "player_1")

# ---------------------------------------------------------------- text

_LABEL_WIDTH = 10
_COLUMN_WIDTH = 34
_TERMINAL_COLOURS = {"h": "31", "d": "34", "c": "32", "s": "1", "X": "35"}


def card_text(card: int, colour: bool = False) -> str:
    """A card's name, painted by suit for a terminal if asked."""
    name = card_name(card)
    if not colour:
        return name
    suit = "X" if card >= FIRST_JOKER else name[1]
    return f"\033[{_TERMINAL_COLOURS[suit]}m{name}\033[0m"


def _cell(cards: list[int], size: int, note: str, colour: bool) -> str:
    """One table cell: the cards, dots for free places and a note, padded by what is seen of it."""
    words = [card_text(card, colour) for card in cards] + ["··"] * (size - len(cards))
    seen = 3 * len(words) - 1 if words else 0
    text = " ".join(words)
    if note:
        text, seen = f"{text}  {note}", seen + 2 + len(note)
    return text + " " * max(0, _COLUMN_WIDTH - seen)


def headline(hand: Hand, names: tuple[str, str] = NAMES) -> str:
    """One line: where the hand stands, or what it came to."""
    if hand.player is not None:
        setting = " (fantasyland)" if hand.in_fantasyland else ""
        return f"turn {hand.turn} of 4, {names[hand.player]} to act{setting}"
    points = hand.result().raw_score[0]
    if points == 0:
        return "hand over, no points"
    winner = 0 if points > 0 else 1
    return f"hand over, {names[winner]} wins {abs(points)} points"


def button_note(hand: Hand) -> str:
    """What stands beside the button's name: first to act is the usual, and goes without saying."""
    return "button last" if hand.rules.button_acts == "last" else "button"


def _row_notes(hand: Hand, seat: int) -> list[str]:
    """What each row of a finished board is, with its royalty; "" while the hand is being played."""
    if not hand.finished:
        return ["", "", ""]
    board = hand.board(seat)
    if board.fouled:
        return ["fouled", "fouled", "fouled"]
    royalties = list(board.royalties)[:3]
    return [
        name + (f" +{royalty}" if royalty else "")
        for name, royalty in zip(board.row_names, royalties, strict=True)
    ]


def render_text(hand: Hand, names: tuple[str, str] = NAMES, colour: bool = False) -> str:
    """The table as text, both boards side by side; `colour` paints the four suits for a terminal."""
    title = []
    for seat in (0, 1):
        button = f" ({button_note(hand)})" if seat == hand.button else ""
        title.append(f"{names[seat]}{button}, {hand.chips[seat]} chips".ljust(_COLUMN_WIDTH))
    lines = [headline(hand, names), " " * _LABEL_WIDTH + "".join(title)]
    notes = [_row_notes(hand, seat) for seat in (0, 1)]
    for index, (row, size) in enumerate(zip(ROWS, ROW_SIZES, strict=True)):
        cells = [_cell(getattr(hand.board(seat), row), size, notes[seat][index], colour) for seat in (0, 1)]
        lines.append(row.ljust(_LABEL_WIDTH) + "".join(cells))
    discards = [_cell(hand.discards(seat), 0, "", colour) for seat in (0, 1)]
    lines.append("discards".ljust(_LABEL_WIDTH) + "".join(discards))
    in_hand = [_cell(hand.dealt if hand.player == seat else [], 0, "", colour) for seat in (0, 1)]
    lines.append("in hand".ljust(_LABEL_WIDTH) + "".join(in_hand))
    return "\n".join(line.rstrip() for line in lines)


# ---------------------------------------------------------------- picture

WIDTH, HEIGHT = 1000, 660
_SCALE = 2  # drawn larger and shrunk, which smooths every edge
_CARD = (72, 98)
_SMALL_CARD = (44, 60)
_GAP = 8
_BOARD_WIDTH = 5 * _CARD[0] + 4 * _GAP
_BOARD_LEFT = (56, WIDTH - 56 - _BOARD_WIDTH)
_ROW_TOP = (72, 194, 316)
_DISCARD_TOP = 444
_HAND_TOP = 532

_FELT = (24, 92, 66)
_FELT_DARK = (18, 72, 52)
_LINE = (64, 132, 104)
_TEXT = (238, 244, 240)
_DIM_TEXT = (170, 204, 188)
_GOLD = (250, 204, 88)
_ALERT = (255, 150, 130)
_CARD_FACE = (252, 252, 248)
_SUIT_COLOURS = {
    "h": (206, 32, 41),
    "d": (26, 88, 200),
    "c": (20, 128, 52),
    "s": (24, 24, 28),
    "X": (124, 44, 160),
}


class _Canvas(NamedTuple):
    """A Pillow drawing with its fonts, addressed in unscaled pixels."""

    image: Image.Image
    draw: ImageDraw.ImageDraw
    font_module: Any

    def font(self, size: float) -> ImageFont.FreeTypeFont:
        return self.font_module.load_default(size * _SCALE)

    def text(
        self, x: float, y: float, words: str, size: float, fill: tuple[int, int, int], anchor: str
    ) -> None:
        self.draw.text((x * _SCALE, y * _SCALE), words, font=self.font(size), fill=fill, anchor=anchor)

    def box(self, x: float, y: float, across: float, down: float, radius: float, **style: Any) -> None:
        corners = [x * _SCALE, y * _SCALE, (x + across) * _SCALE, (y + down) * _SCALE]
        self.draw.rounded_rectangle(corners, radius=radius * _SCALE, **style)

    def circle(self, x: float, y: float, radius: float, fill: tuple[int, int, int]) -> None:
        corners = [(x - radius) * _SCALE, (y - radius) * _SCALE, (x + radius) * _SCALE, (y + radius) * _SCALE]
        self.draw.ellipse(corners, fill=fill)

    def polygon(self, points: list[tuple[float, float]], fill: tuple[int, int, int]) -> None:
        self.draw.polygon([(x * _SCALE, y * _SCALE) for x, y in points], fill=fill)


def _draw_suit(canvas: _Canvas, suit: str, x: float, y: float, size: float) -> None:
    """A suit's sign around (x, y), about `size` pixels high; a star for a joker."""
    fill = _SUIT_COLOURS[suit]
    half = size / 2
    if suit == "d":
        canvas.polygon([(x, y - half), (x + 0.74 * half, y), (x, y + half), (x - 0.74 * half, y)], fill)
    elif suit == "h":
        for side in (-1, 1):
            canvas.circle(x + side * 0.44 * half, y - 0.38 * half, 0.5 * half, fill)
        canvas.polygon(
            [(x - 0.91 * half, y - 0.2 * half), (x + 0.91 * half, y - 0.2 * half), (x, y + half)], fill
        )
    elif suit == "s":
        for side in (-1, 1):
            canvas.circle(x + side * 0.44 * half, y + 0.22 * half, 0.5 * half, fill)
        canvas.polygon(
            [(x - 0.91 * half, y + 0.06 * half), (x + 0.91 * half, y + 0.06 * half), (x, y - half)], fill
        )
        canvas.polygon([(x, y), (x + 0.36 * half, y + half), (x - 0.36 * half, y + half)], fill)
    elif suit == "c":
        canvas.circle(x, y - 0.5 * half, 0.46 * half, fill)
        for side in (-1, 1):
            canvas.circle(x + side * 0.5 * half, y + 0.2 * half, 0.46 * half, fill)
        canvas.polygon([(x, y - 0.3 * half), (x + 0.36 * half, y + half), (x - 0.36 * half, y + half)], fill)
    else:
        points = []
        for corner in range(10):
            reach = half if corner % 2 == 0 else 0.42 * half
            angle = math.pi * (corner / 5 - 0.5)
            points.append((x + reach * math.cos(angle), y + reach * math.sin(angle)))
        canvas.polygon(points, fill)


def _draw_card(canvas: _Canvas, card: int, x: float, y: float, size: tuple[int, int]) -> None:
    """A card face: rank at the left of the top, suit large below it."""
    width, height = size
    canvas.box(x + 1.5, y + 2, width, height, 0.1 * width, fill=_FELT_DARK)
    canvas.box(x, y, width, height, 0.1 * width, fill=_CARD_FACE, outline=(140, 150, 144), width=_SCALE)
    name = card_name(card)
    suit = "X" if card >= FIRST_JOKER else name[1]
    rank = name if card >= FIRST_JOKER else name[0]
    colour = _SUIT_COLOURS[suit]
    canvas.text(x + 0.1 * width, y + 0.06 * height, rank, 0.3 * height, colour, "la")
    _draw_suit(canvas, suit, x + 0.6 * width, y + 0.66 * height, 0.46 * height)


def _draw_cards(
    canvas: _Canvas, cards: list[int], x: float, y: float, size: tuple[int, int], room: float
) -> None:
    """Cards from left to right, overlapping as far as the room needs."""
    spacing: float = size[0] + _GAP
    if len(cards) > 1:
        spacing = min(spacing, (room - size[0]) / (len(cards) - 1))
    for index, card in enumerate(cards):
        _draw_card(canvas, card, x + index * spacing, y, size)


def _draw_seat(canvas: _Canvas, hand: Hand, seat: int, name: str) -> None:
    """One seat's half of the table: name, chips, button, three rows and discards."""
    left = _BOARD_LEFT[seat]
    colour = _GOLD if hand.player == seat else _TEXT
    canvas.text(left, 52, name, 22, colour, "ls")
    if hand.button == seat:
        button_x = left + canvas.font(22).getlength(name) / _SCALE + 26
        canvas.circle(button_x, 44, 13, _TEXT)
        canvas.text(button_x, 44, "B", 15, _FELT_DARK, "mm")
        canvas.text(button_x + 20, 52, button_note(hand).removeprefix("button").strip(), 15, _DIM_TEXT, "ls")
    chips = f"{hand.chips[seat]} chips"
    if hand.fantasyland[seat]:
        chips = f"fantasyland {hand.fantasyland[seat]} · {chips}"
    canvas.text(left + _BOARD_WIDTH, 52, chips, 18, _DIM_TEXT, "rs")

    board, notes = hand.board(seat), _row_notes(hand, seat)
    for row, size, top, note in zip(ROWS, ROW_SIZES, _ROW_TOP, notes, strict=True):
        row_left = left + (5 - size) * (_CARD[0] + _GAP) / 2
        cards = getattr(board, row)
        for place in range(size):
            x = row_left + place * (_CARD[0] + _GAP)
            if place < len(cards):
                _draw_card(canvas, cards[place], x, top, _CARD)
            else:
                canvas.box(x, top, *_CARD, 7, outline=_LINE, width=_SCALE)
        if note:
            middle = left + _BOARD_WIDTH / 2
            canvas.text(middle, top + _CARD[1] + 4, note, 14, _ALERT if note == "fouled" else _DIM_TEXT, "ma")

    canvas.text(left, _DISCARD_TOP + 30, "discards", 15, _DIM_TEXT, "lm")
    _draw_cards(canvas, hand.discards(seat), left + 84, _DISCARD_TOP, _SMALL_CARD, _BOARD_WIDTH - 84)


def render_picture(hand: Hand, names: tuple[str, str] = NAMES) -> NDArray[np.uint8]:
    """The table as an image, shape (660, 1000, 3): both boards, discards, chips, button and cards in hand."""
    with explained("render_mode 'rgb_array'"):
        from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _FELT)
    canvas = _Canvas(image, ImageDraw.Draw(image), ImageFont)
    canvas.box(WIDTH / 2 - 1, 76, 2, 414, 0, fill=_LINE)
    for seat in (0, 1):
        _draw_seat(canvas, hand, seat, names[seat])

    canvas.box(0, _HAND_TOP - 20, WIDTH, HEIGHT - _HAND_TOP + 20, 0, fill=_FELT_DARK)
    canvas.text(_BOARD_LEFT[0], _HAND_TOP + 49, headline(hand, names), 19, _GOLD, "lm")
    cards = hand.dealt if not hand.finished else []
    room = _BOARD_WIDTH + 64
    _draw_cards(canvas, cards, WIDTH - 56 - room, _HAND_TOP, _CARD, room)
    return np.asarray(image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)).copy()
