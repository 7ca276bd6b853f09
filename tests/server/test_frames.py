"""Frames of WebSockets, read and written by hand where the library would take most of a message's time."""

from __future__ import annotations

import json
import random
import socket
import time

import pytest
from websockets.frames import Frame, Opcode

from server.web.transport import _is_whole_control, _text_frame, _whole_text
from tests.server.live import PATIENCE, LiveServer, run_server


def masked(text: str, opcode: Opcode = Opcode.TEXT, fin: bool = True) -> bytes:
    """A client's frame as the library writes it."""
    return Frame(opcode, text.encode(), fin).serialize(mask=True)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 100_000])
def test_texts_are_framed_as_the_library_frames_them(size: int):
    payload = b"a" * size
    assert _text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 4096, 65_535])
def test_whole_messages_are_read_as_the_library_wrote_them(size: int):
    text = "a" * size
    data = masked(text)
    assert _whole_text(data) == text.encode()
    for other in (data[:-1], data + b"x", data[1:], data[:2], data[:1], b"", data + data):
        assert _whole_text(other) is None
    assert _whole_text(masked(text, fin=False)) is None
    assert _whole_text(masked(text, Opcode.BINARY)) is None
    assert _whole_text(Frame(Opcode.TEXT, text.encode()).serialize(mask=False)) is None
    assert not _is_whole_control(data)


def test_whole_control_frames_are_known():
    ping = masked("hello", Opcode.PING)
    assert _is_whole_control(ping)
    assert not any(map(_is_whole_control, (ping[:-1], ping + b"x", ping[:1], ping + ping, b"")))


def spectator(server: LiveServer, room_id: str) -> socket.socket:
    """A bare connection to a room, upgraded."""
    host, port = server.url.removeprefix("http://").split(":")
    bare = socket.create_connection((host, int(port)), timeout=PATIENCE)
    bare.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    bare.sendall(
        f"GET /ws/{room_id} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    return bare


def parts_of(kind: str, texts: list[str], chance: random.Random) -> list[bytes]:
    """Three messages as a client may send them: what it sends at a time."""
    frames = [masked(text) for text in texts]
    if kind == "together":
        return [b"".join(frames)]
    if kind == "fragments":
        return [
            part
            for text in texts
            for part in (
                masked(text[:5], fin=False),
                masked("hello", Opcode.PING),
                masked(text[5:], Opcode.CONT),
            )
        ]
    cuts = {"head": 2, "mask": 6}
    return [
        part
        for frame in frames
        for cut in [cuts.get(kind) or chance.randrange(1, len(frame))]
        for part in (frame[:cut], frame[cut:])
    ]


@pytest.mark.parametrize("kind", ["head", "mask", "anywhere", "fragments", "together"])
def test_messages_come_in_any_parts(kind: str):
    """Whole ones with a ping between them, then three in parts, then whole ones again: all are answered."""
    texts = [json.dumps({"type": f"message {number}"}) for number in range(9)]
    ping = masked("x", Opcode.PING)
    parts = [masked(texts[0]), ping, masked(texts[1]), masked(texts[2])]
    parts += parts_of(kind, texts[3:6], random.Random(3))
    parts += [masked(texts[6]), ping, masked(texts[7]), masked(texts[8])]
    answers = b""
    with run_server() as server:
        room_id = server.post("/api/rooms", mode="friend")["room_id"]
        with spectator(server, room_id) as bare:
            while b'"your_seat":null' not in answers:
                answers += bare.recv(65_536)
            for part in parts:
                bare.sendall(part)
                time.sleep(0.01)  # so that the network does not join what is sent apart
            for number in range(9):
                while f"'message {number}'".encode() not in answers:
                    more = bare.recv(65_536)
                    assert more, answers
                    answers += more
    places = [answers.index(f"'message {number}'".encode()) for number in range(9)]
    assert places == sorted(places)
