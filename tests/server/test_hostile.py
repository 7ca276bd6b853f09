"""Clients that take places and keep them: none locks anybody else out, and none fills the log."""

from __future__ import annotations

import logging
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ofc_env import Hand
from ofc_env.records import Records
from server.settings import Settings
from server.web.addresses import address_group
from server.web.logs import OnceASecond
from server.web.transport import SPARE_CONNECTIONS, SPARE_PER_ADDRESS, Doors
from tests.server.live import OPERATOR, OPERATOR_KEY, PATIENCE, LiveServer, join, run, run_server


def connection(server: LiveServer, text: str = "", buffer: int = 0) -> socket.socket:
    """A bare TCP connection that has sent this text."""
    host, port = server.url.removeprefix("http://").split(":")
    bare = socket.socket()
    if buffer:
        bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    bare.connect((host, int(port)))
    bare.sendall(text.encode())
    return bare


def wait_until(is_so, seconds: float = PATIENCE) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_closed(bare: socket.socket) -> bool:
    """Whether the server has ended a connection that it has nothing to send on."""
    bare.settimeout(PATIENCE)
    try:
        return bare.recv(1) == b""
    except ConnectionError:
        return True


def long_log(path: Path, hands: int = 1000) -> None:
    """A log whose export is some megabytes, more than any buffer holds."""
    with Records(path, durable=False) as records, records.transaction():
        records.start_session("long", 1, ("ann", "bob"))
        for number in range(1, hands + 1):
            hand = Hand(seed=number)
            hand_id = records.start_hand("long", number, hand)
            while not hand.finished:
                placement = hand.placements()[0]
                records.record_turn(hand_id, hand, placement, think_time_ms=1)
                hand.place(placement)
            records.end_hand(hand_id, hand.result())


def test_who_does_not_read_an_export_gives_its_place_up(tmp_path: Path):
    long_log(tmp_path / "log.db")
    with run_server(tmp_path / "log.db", send_seconds=4.0) as server:
        request = f"GET /api/export HTTP/1.1\r\nHost: x\r\nX-Operator-Key: {OPERATOR_KEY}\r\n\r\n"
        deaf = [connection(server, request, buffer=4096) for _ in range(server.settings.max_exports)]
        export, log = f"{server.url}/api/export?session=none", f"{server.url}/api/games/long/log"
        wait_until(lambda: httpx.get(export, headers=OPERATOR, timeout=PATIENCE).status_code == 503)
        assert (
            httpx.get(log, headers=OPERATOR, timeout=PATIENCE).status_code == 200
        )  # reading one session is another matter
        wait_until(lambda: httpx.get(export, headers=OPERATOR, timeout=PATIENCE).status_code == 200)
        for each in deaf:
            each.close()
        # Those that hang up in the middle, too.
        for _ in range(5):
            for each in [connection(server, request, buffer=4096) for _ in range(2)]:
                each.close()
        wait_until(lambda: httpx.get(export, headers=OPERATOR, timeout=PATIENCE).status_code == 200)
        whole = httpx.get(f"{server.url}/api/export", headers=OPERATOR, timeout=PATIENCE)
        assert whole.text.count("\n") == 10_000


def test_half_a_request_is_not_waited_for():
    with run_server(request_seconds=0.5, send_seconds=0.5) as server:
        halves = [
            "",
            "GET /api/ro",
            "GET /api/rooms HTTP/1.1\r\nHost: x\r\n",
            'POST /api/rooms HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{"mode"',
        ]
        started = time.monotonic()
        for bare in [connection(server, half) for half in halves]:
            assert is_closed(bare)
        assert time.monotonic() - started < PATIENCE / 2
        # The second request of a connection has the same limit.
        bare = connection(server, "GET /api/levels HTTP/1.1\r\nHost: x\r\n\r\n")
        bare.settimeout(PATIENCE)
        answer = b""
        while b'"default"' not in answer:
            answer += bare.recv(4096)
        bare.sendall(b"GET /api/le")
        while bare.recv(4096):
            pass
        assert httpx.get(f"{server.url}/api/rooms", timeout=PATIENCE).status_code == 200


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What the server complains about."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("server").addHandler(handler)
    yield lines
    logging.getLogger("server").removeHandler(handler)


def test_connections_that_ask_for_nothing_make_way(complaints: list[str]):
    with run_server(max_connections_per_address=10, request_seconds=4.0, send_seconds=4.0) as server:
        started = time.monotonic()
        allowed = 10 + SPARE_PER_ADDRESS
        crowd = [connection(server, "GET /api/") for _ in range(5 * allowed)]
        assert (
            httpx.get(f"{server.url}/api/rooms", timeout=PATIENCE).status_code == 200
        )  # whatever stands in the doors
        assert len(complaints) <= 1 + time.monotonic() - started  # a line a second
        assert any("too many connections" in line for line in complaints)
        assert all(is_closed(each) for each in crowd)  # they made way, or their time was up
        wait_until(lambda: httpx.get(f"{server.url}/api/rooms", timeout=PATIENCE).status_code == 200)


class Waiter:
    """A connection that was let in and asks for nothing."""

    def __init__(self, doors: Doors, address: str) -> None:
        self.doors, self.address = doors, address
        self.is_in = doors.enter(address)
        if self.is_in:
            doors.wait(self, address)

    def give_way(self) -> None:
        """Go, as a protocol does."""
        self.is_in = False
        self.doors.wait_no_more(self, self.address)
        self.doors.leave(self.address)


def test_doors_count_all_connections_and_those_of_each_address():
    doors = Doors(Settings(max_connections=3, max_connections_per_address=2))
    assert doors.most == 3 + SPARE_CONNECTIONS
    allowed = 2 + SPARE_PER_ADDRESS
    assert [doors.enter("a") for _ in range(allowed + 2)] == [True] * allowed + [False] * 2  # all are busy
    assert doors.enter("b")
    doors.leave("a")
    guests = [Waiter(doors, "a")]
    assert doors.enter("a")  # in its place
    assert [guest.is_in for guest in guests] == [False]
    assert not doors.enter("a")
    behind_proxy = Doors(Settings(max_connections=3, max_connections_per_address=2, trusted_proxy="10.0.0.1"))
    guests = [Waiter(behind_proxy, "10.0.0.1") for _ in range(behind_proxy.most + 5)]
    assert [guest.is_in for guest in guests] == [False] * 5 + [True] * behind_proxy.most  # longest first
    assert behind_proxy.count == behind_proxy.most


def test_websockets_of_one_address_are_limited():
    with run_server(max_connections_per_address=3) as server:

        async def scenario() -> None:
            room_id = server.post("/api/rooms", mode="friend")["room_id"]
            clients = [await join(server, room_id) for _ in range(3)]
            for client in clients:
                await client.until("state")
            too_many = await join(server, room_id)
            assert (await too_many.until("error"))["code"] == "refused"
            assert await too_many.close_code() == 4429
            for client in clients:
                await client.socket.close()

        run(scenario)


@pytest.mark.parametrize(
    ("host", "group"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unix", "unix"),
    ],
)
def test_an_ipv6_network_counts_as_one_address(host: str, group: str):
    assert address_group(host) == group


@pytest.mark.parametrize("proxy", [None, "127.0.0.1"])
def test_rooms_are_limited_by_address_and_a_forwarded_one_counts_only_from_a_trusted_proxy(proxy: str | None):
    with run_server(max_rooms_per_address=2, trusted_proxy=proxy) as server:

        def statuses(*addresses: str) -> list[int]:
            path, body = f"{server.url}/api/rooms", {"mode": "friend"}
            return [
                httpx.post(path, json=body, headers={"X-Forwarded-For": each}, timeout=PATIENCE).status_code
                for each in addresses
            ]

        first = statuses("198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.2", "198.51.100.3")
        assert first == ([201, 201, 429, 201, 201] if proxy else [201, 201, 429, 429, 429])


def test_one_kind_of_complaint_is_heard_once_a_second():
    scarce = OnceASecond()

    def record(message: str, level: int = logging.WARNING) -> logging.LogRecord:
        return logging.LogRecord("server", level, "", 1, message, (), None)

    assert [scarce.filter(record("a")) for _ in range(3)] == [True, False, False]
    assert scarce.filter(record("b"))
    assert all(scarce.filter(record("c", logging.INFO)) for _ in range(3))
    scarce.said_at["a"] -= 1.1
    assert scarce.filter(record("a"))


def test_the_log_of_requests_works_and_holds_no_token(tmp_path: Path):
    """Through uvicorn, as the command line starts it."""
    command = [sys.executable, "-m", "server", "--verbose", "--port", "0", "--agent", "random"]
    process = subprocess.Popen(
        [*command, "--database", str(tmp_path / "log.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "OFC Pineapple at" in line:
            break
    found = re.search(r"http://\S+", lines[-1])
    assert found is not None
    server = LiveServer(found[0], Settings(), None, None)  # type: ignore[arg-type]

    async def scenario() -> None:
        ticket = server.post("/api/rooms", mode="friend")
        client = await join(server, ticket)
        await client.until("state")
        await client.socket.close()
        server.get(f"/api/rooms?token={ticket['token']}")
        tokens.append(ticket["token"])

    tokens: list[str] = []
    try:
        run(scenario)
    finally:
        process.send_signal(signal.SIGINT)  # as Ctrl-C does
        rest = process.stdout.read()
        code = process.wait(PATIENCE)
    assert code == 0
    assert rest.endswith("\nstopped\n")
    assert tokens[0] not in rest
    assert "token=…" in rest
    assert '"POST /api/rooms HTTP/1.1" 201' in rest
    assert '"WebSocket /ws/' in rest
    assert "Traceback" not in rest
    assert "rror" not in rest
    assert len(rest.splitlines()) < 25
