"""The REST side of the opening explorer: openings of a pattern, out of the table that a script built."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from agents.openings import Table
from server.settings import Settings
from server.web.bodies import Problem

PAGE = 20
NO_TABLE = "this server has no table of openings: its operator builds one with python experiments/openings.py"


class RankedPlacement(BaseModel):
    """One of the three best placements of an opening; values in points for the seat that acts first."""

    top: list[str]
    middle: list[str]
    bottom: list[str]
    network: float = Field(description="value by the network alone")
    race: float | None = Field(description="value by simulations; null where nobody raced it")
    error: float | None = Field(
        description="standard error of the first one's value, and of what the others lack beside it"
    )


class OpeningClass(BaseModel):
    """Five cards, and all that are the same up to suits."""

    number: int
    cards: list[str]
    deals: int = Field(description="openings that are the same up to suits")
    raced: bool
    best: list[RankedPlacement] = Field(description="best first; empty where nobody has judged it yet")


class Openings(BaseModel):
    """A page of the openings of a pattern."""

    rules: str = Field(description="name of the rules the table was made for")
    shapes: list[str] = Field(description="how suits can fall: cards of each suit, most first")
    raced: int = Field(description="openings of the whole table that were raced")
    classes: int = Field(description="openings of the whole table")
    total: int = Field(description="openings of the pattern")
    share: float = Field(description="of all deals")
    mean: float | None = Field(description="worth of the pattern: of its first placements, over its deals")
    first: int
    openings: list[OpeningClass]


class Shelf:
    """The table of a file, read when it is first asked for and again when it was replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: int | None = None
        self.table: Table | None = None

    def take(self) -> Table | None:
        """The table; None if there is none."""
        try:
            written = self.path.stat().st_mtime_ns
        except OSError:
            return None
        if written != self.written:
            self.table, self.written = Table.read(self.path), written
        return self.table


def make_openings_router(settings: Settings) -> APIRouter:
    """The route under /api."""
    router = APIRouter(prefix="/api", responses={status: {"model": Problem} for status in (404, 422)})
    shelf = Shelf(Path(settings.openings))

    def page(cards: str, suits: str, order: str, first: int) -> Openings:
        table = shelf.take()
        if table is None:
            raise HTTPException(404, NO_TABLE)
        found = table.find(cards, suits, order, first, PAGE)
        return Openings(
            rules=table.rules.name,
            shapes=["".join(map(str, shape)) for shape in table.classes.shapes],
            raced=int(table.raced.sum()),
            classes=len(table.classes),
            first=first,
            **found.to_dict(),
        )

    @router.get("/openings")
    async def list_openings(
        cards: Annotated[
            str, Query(max_length=40, description="five cards such as Qh Qd X1 7c 2s, or some ranks: QQ7")
        ] = "",
        suits: Annotated[str, Query(max_length=5, description="one of `shapes`; any if empty")] = "",
        order: Literal["ranks", "best", "worst", "close"] = "ranks",
        first: Annotated[int, Query(ge=0, description="openings before the page")] = 0,
    ) -> Openings:
        """Openings of a pattern with their three best placements, for the seat that acts first."""
        try:
            return await run_in_threadpool(page, cards, suits, order, first)
        except ValueError as refusal:
            raise HTTPException(422, str(refusal)) from None

    return router
