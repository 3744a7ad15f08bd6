"""The HTTP protocol of the demo server, with responses kept in memory so that it never limits a measurement."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from scythe.demo.answers import Answer, ServedSite

_LONGEST_HEAD = 65_536


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the server's log."""

    at: float  # monotonic seconds, when its last byte came
    target: str  # path and query
    status: int
    agent: str
    connection: int  # number of the connection it came on
    method: str = "GET"


@dataclass
class ServerState:
    """What all connections of one server share."""

    site: ServedSite
    design: int = 0
    latency_s: float = 0.0  # before every answer
    note: Callable[[Request], None] = lambda request: None
    connections: int = 0
    requests: int = 0
    redesign: tuple[int, int] | None = None  # so many requests are answered in the design of now, later ones in this
    visits: Counter[str] = field(default_factory=Counter)
    kept: dict[tuple[str, int], tuple[Answer, bytes]] = field(default_factory=dict)
    open: set[DemoConnection] = field(default_factory=set)

    def serve(self, target: str) -> tuple[Answer, bytes]:
        """Answer one request, with the head of the answer, made once where it is always the same."""
        if self.redesign is not None and self.requests >= self.redesign[0]:
            self.design, self.redesign = self.redesign[1], None
        self.requests += 1
        key = (target, self.design)
        if found := self.kept.get(key):
            return found
        answer = self.site.answer(target, self.design, self.visits[target])
        self.visits[target] += 1
        made = (answer, write_head(answer))
        if answer.is_kept:
            self.kept[key] = made
        return made


class DemoConnection(asyncio.Protocol):
    """One connection: requests are answered one after the other, in order."""

    def __init__(self, desk: ServerState) -> None:
        self.desk = desk
        self.buffer = b""
        self.is_waiting = False  # an answer is being held back
        self.wants_close = False
        self.transport: asyncio.Transport | None = None
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.desk.connections += 1
        self.number = self.desk.connections
        self.desk.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and what it waits for."""
        self.desk.open.discard(self)
        if self.timer is not None:
            self.timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer what is whole."""
        self.buffer += data
        if not self.is_waiting:
            self._answer_all()

    def _answer_all(self) -> None:
        while not self.is_waiting and self.transport is not None and not self.transport.is_closing():
            head, end, rest = self.buffer.partition(b"\r\n\r\n")
            if not end:
                if len(self.buffer) > _LONGEST_HEAD:
                    self.transport.abort()
                return
            self.buffer = rest
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        assert self.transport is not None
        line, _, fields = head.partition(b"\r\n")
        words = line.split(b" ")
        if len(words) != 3:
            self.transport.abort()
            return
        method, target = words[0].decode("latin-1"), words[1].decode("latin-1")
        folded = fields.lower()
        self.wants_close = b"connection: close" in folded or words[2] == b"HTTP/1.0"
        at = time.monotonic()
        answer, top = self.desk.serve(target)
        is_known = answer.status == 200 and is_unchanged(answer, _field(fields, folded, b"if-none-match:"), folded)
        status = 304 if is_known else answer.status
        agent = _field(fields, folded, b"user-agent:")
        self.desk.note(Request(at, target, status, agent, self.number, method))
        if is_known:
            top, answer = write_head(Answer(status=304, headers=answer.headers)), Answer(wait_s=answer.wait_s)
        body = b"" if method == "HEAD" else answer.body
        self._send_in(self.desk.latency_s + answer.wait_s, top, body, answer.stop_at)

    def _send_in(self, seconds: float, top: bytes, body: bytes, stop_at: int | None) -> None:
        if seconds <= 0:
            self._send(top, body, stop_at)
            return
        self.is_waiting = True
        self.timer = asyncio.get_running_loop().call_later(seconds, self._send, top, body, stop_at)

    def _send(self, top: bytes, body: bytes, stop_at: int | None) -> None:
        assert self.transport is not None
        was_waiting, self.is_waiting = self.is_waiting, False
        self.transport.write(top + body[:stop_at] if len(body) < 200_000 else top)
        if len(body) >= 200_000:
            self.transport.write(body[:stop_at])
        if stop_at is not None or self.wants_close:
            self.transport.close()
        elif was_waiting:
            self._answer_all()


def write_head(answer: Answer) -> bytes:
    """Write status line and headers; a body's length is the whole one, even where it will be cut short."""
    status = HTTPStatus(answer.status)
    lines = [f"HTTP/1.1 {answer.status} {status.phrase}", "Server: field-post"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if answer.status not in (204, 304):
        lines.append(f"Content-Length: {len(answer.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def is_unchanged(answer: Answer, asked: str, folded: bytes) -> bool:
    """Tell whether what the client has is what it would get (RFC 9110, 13.2.2: the tag decides where there is one)."""
    known = dict(answer.headers)
    if asked:
        return known.get("ETag", "none") in asked or asked.strip() == "*"
    since = _field(folded, folded, b"if-modified-since:")
    return bool(since) and since == known.get("Last-Modified", "").lower()


def _field(fields: bytes, folded: bytes, name: bytes) -> str:
    """Return the value of one header, found in its lower-case form."""
    at = 0 if folded.startswith(name) else folded.find(b"\r\n" + name) + 2
    if at == 1:
        return ""
    end = fields.find(b"\r\n", at)
    return fields[at + len(name) : end if end >= 0 else len(fields)].decode("latin-1").strip()
