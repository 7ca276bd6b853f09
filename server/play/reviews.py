"""Finished hands are looked at again in the background, one by one, and their reviews kept in the log.

Who asks is told how far it is. Whoever waits is served in turn, a hand each, so that a long session does not
hold up a short one; a hand that was reviewed for somebody is reviewed for everybody.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import OrderedDict
from collections.abc import Generator, Mapping
from typing import Any

from agents.review.report import VERSION
from agents.review.sessions import session_text
from ofc_env import Rules
from ofc_env.records import reviews as kept
from ofc_env.records.players import Game
from server.play.journal import Journal
from server.thinking.client import TROUBLE, Failure, Thinking
from server.thinking.reviews import position_body, review_from_side

logger = logging.getLogger("server")
MOST_ASKED = 200
"""Sessions, hands and players whose reviews are waited for at a time."""
MOST_PROBLEMS = 1000
HAND_SECONDS = 600.0
"""Longest wait for one hand: the judge may have to be loaded, and who plays goes first."""
RATING_SECONDS = 60.0
NO_ANSWER = "the reviewer did not answer: ask again later"


class Busy(Exception):
    """As much is to be reviewed as may be."""


class Reviews:
    """What is to be reviewed, and who makes it."""

    def __init__(self, journal: Journal, thinking: Thinking) -> None:
        self.journal = journal
        self.thinking = thinking
        self._asked: OrderedDict[str, list[str]] = OrderedDict()
        """The hands that each asked for and that are still to be reviewed, the first one last."""
        self._problems: OrderedDict[str, str] = OrderedDict()
        """Why a hand could not be reviewed, in a sentence."""
        self._worker: asyncio.Task[None] | None = None
        self._current: str | None = None

    # ---------------------------------------------------------------- asking

    def ask(self, name: str, hands: Mapping[str, bool]) -> dict[str, Any]:
        """Have the hands reviewed that are not yet (`False`), in this order; how far it is.

        `Busy` if too many others wait.
        """
        missing = [hand_id for hand_id, reviewed in hands.items() if not reviewed]
        if missing and name not in self._asked:
            if len(self._asked) >= MOST_ASKED:
                raise Busy("too many games are being reviewed: try again in a moment")
            for hand_id in missing:
                self._problems.pop(hand_id, None)
            self._asked[name] = missing[::-1]
            if self._worker is None or self._worker.done():
                self._worker = asyncio.get_running_loop().create_task(self._work())
        return self.progress(hands)

    def progress(self, hands: Mapping[str, bool]) -> dict[str, Any]:
        """How many of some hands are reviewed, whether others are on their way, and why one is not."""
        missing = [hand_id for hand_id, reviewed in hands.items() if not reviewed]
        waiting = {hand_id for asked in self._asked.values() for hand_id in asked} | {self._current}
        return {
            "hands": len(hands),
            "reviewed": len(hands) - len(missing),
            "running": any(hand_id in waiting for hand_id in missing),
            "problem": next((self._problems[each] for each in missing if each in self._problems), None),
        }

    async def close(self) -> None:
        """Leave what is not reviewed for another time."""
        self._asked.clear()
        if self._worker is not None:
            self._worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._worker

    # ---------------------------------------------------------------- the work

    async def _work(self) -> None:
        while self._asked:
            name, hands = self._asked.popitem(last=False)
            self._current = hands.pop()
            if hands:
                self._asked[name] = hands  # the others' next hands come first
            try:
                await self._review(self._current)
            except Failure as failure:
                self._note(self._current, str(failure))
            except TROUBLE:
                self._note(self._current, NO_ANSWER)
            except Exception:
                logger.exception("hand %s could not be reviewed", self._current)
                self._note(self._current, NO_ANSWER)
            finally:
                self._current = None

    async def _review(self, hand_id: str) -> None:
        entry, rules, reviewed = await asyncio.to_thread(self._entry, hand_id)
        if reviewed:
            return  # for somebody else, meanwhile
        review = await asyncio.wait_for(self.thinking.review(entry, rules), HAND_SECONDS)
        text = json.dumps(review, separators=(",", ":"))
        await self.journal.write(lambda records: kept.keep_review(records, hand_id, VERSION, text))

    def _entry(self, hand_id: str) -> tuple[dict[str, Any], Rules, bool]:
        """A hand as `logged_hand` takes it, its rules, and whether it is reviewed already."""
        session_id = kept.session_of_hand(self.journal.path, hand_id)
        reviewed = kept.reviewed_of_game(self.journal.path, VERSION, session_id, hand_id)
        log = self.journal.session_log(session_id, hand_id)
        if log is None or not log["hands"]:
            raise ValueError(f"there is no finished hand {hand_id!r} in the log")
        return log["hands"][0], Rules.parse(log["rules"]), reviewed[hand_id]

    def _note(self, hand_id: str, sentence: str) -> None:
        self._problems[hand_id] = sentence
        if len(self._problems) > MOST_PROBLEMS:
            self._problems.popitem(last=False)

    # ---------------------------------------------------------------- what there is

    def of_game(self, game: Game) -> dict[str, bool]:
        """Whether each finished hand of a game is reviewed."""
        return kept.reviewed_of_game(self.journal.path, VERSION, game.session_id, game.hand_id)

    def of_player(self, player: str) -> dict[str, bool]:
        """Whether each finished hand of a player is reviewed, the newest first."""
        return kept.reviewed_of_player(self.journal.path, VERSION, player)

    def reviews_body(self, game: Game, player: str | None, seat: int | None) -> dict[str, Any]:
        """The reviews of a game from a seat's side, and their account where all hands are reviewed."""
        side = seat if seat is not None else min(game.seats, default=0)
        hands = list(kept.hands_of_game(self.journal.path, VERSION, game.session_id, game.hand_id, player))
        texts = [review_from_side(hand, side) for hand in hands]
        found = [None if text is None else json.loads(text) for text in texts]
        reviews = [text for text in texts if text is not None]
        return {
            "seat": side,
            "reviews": [
                {
                    "hand": hand.link or hand.hand_id,
                    "hand_number": hand.hand_number,
                    "review": review,
                    "positions": [
                        position_body(each["information"]) for each in (review["decisions"] if review else ())
                    ],
                }
                for hand, review in zip(hands, found, strict=True)
            ],
            "account": json.loads(session_text(reviews)) if reviews and len(reviews) == len(hands) else None,
            "progress": self.progress({hand.hand_id: hand.review is not None for hand in hands}),
        }

    async def rating_body(self, player: str) -> dict[str, Any]:
        """How well a player plays, from all hands that are reviewed; `TROUBLE` if nobody answers."""
        hands = await asyncio.to_thread(self.of_player, player)
        rated = await asyncio.wait_for(self.thinking.rate(self.journal.path, player), RATING_SECONDS)
        return {**rated, "progress": self.progress(hands)}

    def export_chunks(self, player: str) -> Generator[bytes, None, None]:
        """Every review of a player's hands from the player's side as JSONL, the newest first."""
        for hand in kept.hands_of_player(self.journal.path, VERSION, player):
            review = review_from_side(hand, hand.seat or 0)
            if review is not None:
                line = {
                    "hand_id": hand.hand_id,
                    "session_id": hand.session_id,
                    "hand_number": hand.hand_number,
                    "started_at": hand.started_at,
                    "review": json.loads(review),
                }
                yield (json.dumps(line) + "\n").encode()
