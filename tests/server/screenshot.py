"""The picture of the page in README.md: a table in the middle of a hand against the AI.

python -m tests.server.screenshot docs/table.png
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps
from playwright.sync_api import ViewportSize

import agents
from agents.positions.position import Position, information_of
from ofc_env import card_names
from tests.server.browser import ROWS, RoomClient, TablePage, open_browser
from tests.server.live import run_server

SEED, TURNS = 21, 3  # turns placed before the picture is taken
SIZE = ViewportSize(width=960, height=560)
BAR = 52  # pixels of the page's head, left out


def place_well(table: TablePage, discards: list[str]) -> None:
    """Lay out the cards in hand as the trained player would."""
    boards: dict[str, Any] = {row: table.row(row) for row in ROWS}
    boards |= {f"opponent_{row}": table.row(row, "other") for row in ROWS}
    hand = table.hand()
    position = Position(**boards, hand=hand, discards=list(discards))
    player: Any = agents.make("alphazero:sims=200")
    placement = player.rank(information_of(position))[0].placement
    for row in ROWS:
        for card in card_names(getattr(placement, row)):
            table.click(card, row)
    discards += card_names(placement.discards)


def main(path: Path) -> None:
    """Play some turns and take the picture."""
    with run_server(turn_seconds=120.0) as server, open_browser() as browser:
        page = browser.new_context(viewport=SIZE, locale="en-GB", reduced_motion="reduce").new_page()
        table = TablePage(page, server.url)
        table.sit(RoomClient(server.url, mode="ai", level="expert", name="Ann", seed=SEED))
        discards: list[str] = []
        for _ in range(TURNS):
            table.wait_for_turn()
            place_well(table, discards)
            table.confirm()
        table.wait_for_turn()
        place_well(table, discards)
        page.wait_for_timeout(1000)  # hints arrive, cards come to rest
        picture = page.screenshot(clip={"x": 0, "y": BAR, "width": SIZE["width"], "height": 490})
    # Seven bits a colour look the same and take half the space.
    seven_bits = ImageOps.posterize(Image.open(io.BytesIO(picture)).convert("RGB"), 7)
    seven_bits.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
