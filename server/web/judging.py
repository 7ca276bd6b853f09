"""What the thinking process is asked over HTTP: so much from an address, so many at a time, in time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import HTTPException, Request

from ofc_env import Placement
from server.protocol.messages import placement_body
from server.settings import Settings
from server.thinking.client import TROUBLE, Failure
from server.web.addresses import AddressLimit, client_address

Result = TypeVar("Result")
SILENT = "the judge did not answer: try again later"


class Judging:
    """The one door to the judge for positions and drills; its limits are those of both together."""

    def __init__(self, settings: Settings) -> None:
        self.limit = AddressLimit(settings.analysis_rate, settings.analysis_burst)
        self.free = settings.max_analyses

    async def ask(self, request: Request, question: Callable[[], Awaitable[Result]]) -> Result:
        """Have a question answered, or refuse it with 422, 429 or 503 and a sentence."""
        if not self.limit.allows(client_address(request.scope)):
            raise HTTPException(429, "too many positions from your address: wait a moment")
        if self.free <= 0:
            raise HTTPException(503, "other positions are being judged: try again in a moment")
        self.free -= 1
        try:
            return await question()
        except (ValueError, Failure) as refusal:
            raise HTTPException(422, str(refusal)) from None
        except TROUBLE:
            raise HTTPException(503, SILENT) from None
        finally:
            self.free += 1


def refused(reading: Callable[[], Result]) -> Result:
    """What a reader makes of a request, or its own sentence as a refusal."""
    try:
        return reading()
    except ValueError as refusal:
        raise HTTPException(422, str(refusal)) from None


def placement_cards(decision: dict[str, Any]) -> dict[str, Any]:
    """A decision of the judge with its placements as the page has them, cards by row, instead of text."""

    def cards(text: str) -> dict[str, Any]:
        return placement_body(Placement.parse(text))

    options = [{**option, "placement": cards(option["placement"])} for option in decision["options"]]
    return {
        **decision,
        "played": cards(decision["played"]),
        "best": cards(decision["best"]),
        "options": options,
    }
