"""Reviews on the server: made in the background, kept, told to who may see the hand, and rated."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from agents.review import HandReview, logged_hand, review_hand
from agents.review.grades import GRADES, KINDS
from agents.review.report import VERSION
from ofc_env import Rules
from ofc_env.records.reviews import Judged
from server.play.journal import Journal
from server.play.reviews import EARLIER, MISSING, MOST_ASKED, NO_ANSWER, PRESENT, Busy, Reviews, whose
from server.thinking.client import Failure, Thinking
from tests.server.bots import Bot, agent_chooser
from tests.server.live import PATIENCE, Client, LiveServer, join, run, run_server
from tests.server.owned import (
    ANN,
    BOB,
    EVE,
    SEED,
    ask,
    play_session,
    review_quickly,
    reviewed,
    wait_for_reviews,
)

WITH_FANTASYLAND = SEED + 31


@pytest.fixture(scope="module")
def server():
    with run_server(turn_seconds=60.0) as running:
        yield running


@pytest.fixture(scope="module")
def session_id(server: LiveServer) -> str:
    """A session that Ann and Bob have played; its first hand is left to the server's judge."""
    (found,) = play_session(server, WITH_FANTASYLAND)
    review_quickly(server, found, but=(1,))
    return found


@pytest.fixture(scope="module")
def body(server: LiveServer, session_id: str) -> dict[str, Any]:
    return reviewed(server, session_id, ANN)


def test_every_finished_hand_is_reviewed_as_agents_review_does_it(
    server: LiveServer, session_id: str, body: dict[str, Any]
):
    hands = server.get(f"/api/sessions/{session_id}", ANN)["hands"]
    assert [each["hand"] for each in body["reviews"]] == [hand["link"] for hand in hands]
    assert any(any(hand["fantasyland"]) for hand in hands)
    count = len(hands)
    assert body["progress"] == {
        "hands": count,
        "reviewed": count,
        "earlier": 0,
        "running": False,
        "problem": None,
    }
    log = server.lobby.journal.session_log(session_id)
    assert log is not None
    # A judge answers from the hand and its seed alone: the same here as in the thinking process.
    played = logged_hand(log["hands"][0], Rules.parse(log["rules"]))
    assert HandReview.from_dict(body["reviews"][0]["review"]) == review_hand(played, body["seat"])
    for each in body["reviews"]:
        review = each["review"]
        assert {decision["grade"] for decision in review["decisions"]} <= set(GRADES)
        assert {decision["kind"] for decision in review["decisions"]} <= {None, *KINDS}
        steps = server.get(f"/api/hands/{each['hand']}", ANN)["steps"]
        # The page finds a decision by its place among the steps of the hand.
        assert [(step["seat"], step["turn"]) for step in steps] == [
            (decision["seat"], decision["turn"]) for decision in review["decisions"]
        ]
        for step, position in zip(steps, each["positions"], strict=True):
            assert sorted(position["dealt_cards"]) == sorted(step["dealt_cards"])
            assert _sorted(position["board"]) == _sorted(step["boards"][step["seat"]])
            assert position["opponent_hidden"] == step["opponent_hidden"]
            if not step["opponent_hidden"]:
                assert _sorted(position["opponent_board"]) == _sorted(step["boards"][1 - step["seat"]])


def _sorted(board: dict[str, list[str]]) -> dict[str, list[str]]:
    return {row: sorted(cards) for row, cards in board.items()}


def test_each_player_sees_it_from_his_side_and_the_account_adds_up(
    server: LiveServer, session_id: str, body: dict[str, Any]
):
    other = server.get(f"/api/reviews/{session_id}", BOB)
    assert (body["seat"], other["seat"]) == (0, 1)
    assert other == server.get(f"/api/reviews/{session_id}?seat=1", ANN)
    points = [hand["points"] for hand in server.get(f"/api/sessions/{session_id}", ANN)["hands"]]
    for seat, found in enumerate((body, other)):
        balance, account = found["account"]["balance"], found["account"]
        parts = balance["start"] + balance["luck"] - balance["opponent_luck"] - balance["cost"]
        parts += balance["opponent_cost"] + balance["unexplained"]
        assert parts == pytest.approx(balance["result"], abs=1e-6)
        assert account["hands"] == len(points)
        review = [each["review"] for each in found["reviews"]]
        # What a capped hand changes hands is less than its points: the account is by points.
        assert account["points"] == sum(each["points"] for each in review)
        costs = [review[at["hand"]]["decisions"][at["decision"]]["cost"] for at in account["worst"]]
        assert costs == sorted(costs, reverse=True)
        seats = {review[at["hand"]]["decisions"][at["decision"]]["seat"] for at in account["worst"]}
        assert seats <= {seat}
    assert [-step["expected"] for step in body["reviews"][0]["review"]["steps"]] == [
        step["expected"] for step in other["reviews"][0]["review"]["steps"]
    ]


def test_a_review_is_read_by_who_may_see_the_hand(server: LiveServer, session_id: str, body: dict[str, Any]):
    hand = body["reviews"][1]["hand"]
    assert ask(server, f"/api/reviews/{hand}", EVE).status_code == 404
    assert ask(server, f"/api/reviews/{hand}", EVE, "POST").status_code == 404
    ask(server, f"/api/shares/{hand}", BOB, "PUT")
    shared = ask(server, f"/api/reviews/{hand}", EVE).json()
    assert [each["hand"] for each in shared["reviews"]] == [hand]
    assert shared["reviews"][0] == body["reviews"][1]
    assert shared["account"]["hands"] == 1
    assert ask(server, f"/api/reviews/{hand}", None, "POST").json()["running"] is False  # it is there
    assert ask(server, f"/api/reviews/{session_id}", EVE).status_code == 404
    ask(server, f"/api/shares/{hand}", BOB, "DELETE")
    assert ask(server, f"/api/reviews/{hand}", EVE).status_code == 404


def test_what_cannot_be_asked_is_refused(server: LiveServer, session_id: str):
    for path, status in (
        ("/api/reviews/nothing", 404),
        ("/api/reviews/nothing/progress", 404),
        (f"/api/reviews/{session_id}?seat=2", 422),
        (f"/api/games/{session_id}/review?seat=0", 404),
    ):
        assert ask(server, path, ANN).status_code == status, path
    for path in ("rating", "rating/progress", "rating/export"):
        assert ask(server, f"/api/{path}").status_code == 401


def test_the_rating_of_a_player(server: LiveServer, session_id: str, body: dict[str, Any]):
    (second,) = play_session(server, SEED + 4)
    review_quickly(server, second, but=(2,))
    before = server.get("/api/rating", ANN)
    progress = before["progress"]
    assert before["rated"] == progress["reviewed"] == progress["hands"] - 1 > len(body["reviews"])
    begun = ask(server, "/api/rating", ANN, "POST")
    assert begun.status_code == 202
    assert begun.json()["running"]
    assert wait_for_reviews(server, "/api/rating/progress", ANN)["reviewed"] == progress["hands"]
    for player, seat in ((ANN, 0), (BOB, 1)):
        found = server.get("/api/rating", player)
        assert found["rated"] == found["statistics"]["hands"] == progress["hands"]
        reviews = [
            HandReview.from_dict(each["review"])
            for session in (session_id, second)
            for each in server.get(f"/api/reviews/{session}?seat={seat}", player)["reviews"]
        ]
        normal = [review for review in reviews if not review.fantasyland[seat]]
        fouls = sum(bool(review.fouled) for review in normal)
        assert found["statistics"]["foul"]["mean"] == pytest.approx(fouls / len(normal))
        assert found["rating"]["lost"]["mean"] > 0
        assert found["rating"]["band"] in found["rating"]["levels"]
    assert server.get("/api/rating", EVE)["rated"] == 0
    assert server.get("/api/rating", EVE)["rating"]["band"] is None
    # The export has the same reviews, the newest first, from the player's own side.
    lines = [json.loads(line) for line in ask(server, "/api/rating/export", BOB).text.splitlines()]
    assert len(lines) == progress["hands"]
    assert lines[0]["session_id"] == second
    assert {line["review"]["seat"] for line in lines} == {1}
    assert lines[-1]["review"] == server.get(f"/api/reviews/{session_id}", BOB)["reviews"][0]["review"]
    assert ask(server, "/api/rating/export", EVE).text == ""


async def sit_down(server: LiveServer) -> Client:
    """Begin a session of Ann's against a machine."""
    ticket = server.post("/api/rooms", ANN, mode="ai", level="novice", seed=SEED, agent="random")
    client = await join(server, ticket)
    await client.until("ready_to_start")
    await client.send({"type": "game_start"})
    return client


def test_a_hand_in_play_is_not_reviewed(server: LiveServer):
    async def scenario() -> None:
        client = await sit_down(server)
        session = (await client.until("session_start"))["session_id"]
        assert server.get(f"/api/reviews/{session}", ANN)["reviews"] == []
        hand_id = (await client.until("hand_start"))["hand_id"]
        assert ask(server, f"/api/reviews/{hand_id}", ANN, "POST").status_code == 404
        await client.socket.close()

    run(scenario)


def test_a_review_says_which_turns_were_the_clocks():
    with run_server(turn_seconds=0.2) as server:

        async def scenario() -> None:
            client = await sit_down(server)
            hand_id = (await client.until("hand_start"))["hand_id"]
            await client.until("hand_end")
            found = await asyncio.to_thread(reviewed, server, hand_id, ANN)
            decisions = found["reviews"][0]["review"]["decisions"]
            assert [each["timed_out"] for each in decisions if each["seat"] == 0] == [True] * 5

        run(scenario)


def test_reviews_outlive_the_server_and_those_of_another_version_are_made_again(tmp_path: Path):
    database = tmp_path / "log.db"

    async def play(server: LiveServer) -> str:
        ticket = server.post("/api/rooms", ANN, mode="ai", agent="random", seed=SEED)
        bot = Bot(await join(server, ticket), agent_chooser("heuristic"))
        while not bot.results:
            await bot.step()
        await bot.client.socket.close()
        return bot.starts[0]

    with run_server(database) as server:
        session = asyncio.run(play(server))
        first = reviewed(server, f"{session}-1", ANN)
    with run_server(database) as server:
        assert server.get(f"/api/reviews/{session}-1", ANN) == first
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE reviews SET version = ?", (VERSION - 1,))
        connection.close()
        old = server.get(f"/api/reviews/{session}-1", ANN)
        assert (old["reviews"][0]["review"], old["progress"]["reviewed"]) == (None, 0)
        assert server.get("/api/rating", ANN)["rated"] == 0
        assert reviewed(server, f"{session}-1", ANN) == first
        # Forgetting a player leaves the hand and its review to the operator, and nobody's name.
        ask(server, "/api/player", ANN, "DELETE")
        assert ask(server, f"/api/reviews/{session}-1", ANN).status_code == 404
        assert (
            server.get(f"/api/reviews/{session}-1")["reviews"][0]["review"] == first["reviews"][0]["review"]
        )


def test_a_review_of_an_earlier_judge_is_shown_and_made_again_when_asked(
    server: LiveServer, session_id: str, body: dict[str, Any]
):
    hand = body["reviews"][0]["hand"]
    before = server.get(f"/api/reviews/{hand}", ANN)
    with sqlite3.connect(server.lobby.journal.path) as connection:
        changed = "json_set(review, '$.judge', 'alphazero:sims=500 0123456789abcdef calibrated')"
        which = "(SELECT id FROM hands WHERE hand_id = ?)"
        connection.execute(
            f"UPDATE reviews SET review = {changed} WHERE hand = {which}", (f"{session_id}-1",)
        )
    connection.close()
    old = server.get(f"/api/reviews/{hand}", ANN)
    assert old["reviews"][0]["review"]["decisions"] == before["reviews"][0]["review"]["decisions"]
    assert old["account"] == before["account"]
    assert (old["progress"]["reviewed"], old["progress"]["earlier"], old["progress"]["running"]) == (
        0,
        1,
        False,
    )
    assert server.get("/api/rating", ANN)["progress"]["earlier"] == 1
    assert ask(server, f"/api/reviews/{hand}", ANN, "POST").json()["running"]
    wait_for_reviews(server, f"/api/reviews/{hand}/progress", ANN)
    assert server.get(f"/api/reviews/{hand}", ANN) == before
    assert server.get("/api/rating", ANN)["progress"]["earlier"] == 0


def test_judges_are_the_same_if_network_and_calibration_are():
    present = "alphazero:sims=500 abc calibrated"
    assert whose(None, present) == MISSING
    assert whose("alphazero:sims=60 abc calibrated", present) == PRESENT
    assert {whose(name, present) for name in ("alphazero:sims=500 abc", "pimc:rollouts=5000", "")} == {
        EARLIER
    }
    assert whose("alphazero:sims=500 other", None) == PRESENT  # nobody says who judges at present


class Slow(Thinking):
    """A reviewer that is told when to answer, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()

    async def judge(self, rules: Rules) -> str:
        return "somebody"

    async def review(self, entry: dict[str, Any], rules: Rules) -> dict[str, Any]:
        self.asked.append(entry["hand_id"])
        await self.may_answer.wait()
        if entry["hand_id"] == "bad":
            raise Failure("nobody can judge this")
        if entry["hand_id"] == "dead":
            raise RuntimeError("the thinking process ended")
        return {"hand": entry["hand_id"]}


class Unread(Reviews):
    """Reviews of hands that are in no log."""

    def __init__(self, journal: Journal, thinking: Thinking) -> None:
        super().__init__(journal, thinking)
        self.done: list[str] = []

    def _entry(self, hand_id: str) -> tuple[dict[str, Any], Rules, Judged]:
        judged = Judged("house", "somebody" if hand_id in self.done else None)
        return {"hand_id": hand_id}, Rules(), judged

    async def _review(self, hand_id: str) -> None:
        await super()._review(hand_id)
        self.done.append(hand_id)


async def until_idle(reviews: Reviews) -> None:
    limit = time.monotonic() + PATIENCE
    while reviews._asked or reviews._current:
        assert time.monotonic() < limit
        await asyncio.sleep(0.01)


def test_who_waits_is_served_in_turn(tmp_path: Path):
    async def scenario() -> None:
        thinking = Slow()
        reviews = Unread(Journal(tmp_path / "log.db", durable=False), thinking)
        long, short = (dict.fromkeys(names, MISSING) for names in (("a1", "a2", "a3"), ("b1",)))
        assert reviews.ask("a", {"a0": PRESENT, **long}) == {
            "hands": 4,
            "reviewed": 1,
            "earlier": 0,
            "running": True,
            "problem": None,
        }
        reviews.ask("b", short)
        reviews.ask("b", short)  # asking again changes nothing
        reviews.ask("c", {"a2": MISSING, "bad": MISSING, "dead": MISSING})
        thinking.may_answer.set()
        await until_idle(reviews)
        # a2 was reviewed for one of the two who asked, and for both.
        assert thinking.asked == ["a1", "b1", "a2", "bad", "a3", "dead"]
        assert reviews.progress({"bad": MISSING})["problem"] == "nobody can judge this"
        assert reviews.progress({"dead": MISSING})["problem"] == NO_ANSWER
        assert reviews.ask("d", {"bad": MISSING})["problem"] is None  # another attempt
        await until_idle(reviews)
        await reviews.close()
        reviews.journal.close()

    run(scenario)


def test_too_many_at_a_time_are_refused(tmp_path: Path):
    async def scenario() -> None:
        reviews = Unread(Journal(tmp_path / "log.db", durable=False), Slow())
        for number in range(MOST_ASKED):
            reviews.ask(str(number), {f"h{number}": MISSING})
        with pytest.raises(Busy, match="try again"):
            reviews.ask("one more", {"h": MISSING})
        assert reviews.ask("what is there", {"h": PRESENT})["running"] is False
        await reviews.close()
        reviews.journal.close()

    run(scenario)
