"""A server on loopback that answers as servers of the web do, well and badly, and writes down what it was asked."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

EVERY_BYTE = bytes(range(256)) * 4
PACKED = "Reapers walked the field before dawn. \u6536\u5272 ".encode() * 500
SLOW_S = 0.3
_ENDLESS_BYTES = 40_000_000  # far more than any buffer between here and a reader who stopped
_BOMB_BYTES = 100_000_000
_PIECE = b"x" * 65_536


@dataclass(slots=True)
class Asked:
    """One request as it came."""

    path: str
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """Return the values of a header, in order."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


@dataclass(slots=True)
class Ledger:
    """Where the server is, and what it was asked."""

    origin: str = ""
    asked: list[Asked] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)  # bytes by path, where they are counted
    ended: Event = field(default_factory=Event)

    def times(self, path: str) -> int:
        """Return how often a path was asked for."""
        return sum(one.path == path for one in self.asked)


@contextmanager
def serve_answers() -> Iterator[Ledger]:
    """Serve until the block ends, from a thread of its own: who blocks the loop is found out, and does not hang."""
    ledger = Ledger()

    class Answering(_Answers):
        told = ledger

    server = _Server(("127.0.0.1", 0), Answering)
    ledger.origin = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield ledger
    finally:
        ledger.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    """A server that does not mind how its callers leave."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64  # more than are ever under way

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


class _Answers(BaseHTTPRequestHandler):
    """What is sent for each path."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer in two pieces takes 40 ms
    told: Ledger

    def do_GET(self) -> None:
        self.told.asked.append(Asked(self.path, tuple(self.headers.items())))
        name = self.path.partition("?")[0].strip("/").partition("/")[0]
        answer: Callable[[], None] = getattr(self, f"_{name}", self._missing)
        try:
            answer()
        except ConnectionError:  # a reader who had enough
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _say(self, status: int, body: bytes = b"", *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _plain(self) -> None:
        said = (("Content-Type", "application/octet-stream"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
        self._say(200, EVERY_BYTE, *said)

    def _packed(self) -> None:
        self._say(200, gzip.compress(PACKED), ("Content-Type", "text/html"), ("Content-Encoding", "gzip"))

    def _chunked(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for start in range(0, len(EVERY_BYTE), 100):
            piece = EVERY_BYTE[start : start + 100]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def _number(self) -> None:
        self._say(200, self.path.encode())

    def _echo(self) -> None:
        self._say(200, json.dumps(list(self.headers.items())).encode())

    def _missing(self) -> None:
        self._say(404, b"nothing here")

    def _broken(self) -> None:
        self._say(500, b"it broke")

    def _busy(self) -> None:
        self._say(503, b"later", ("Retry-After", "1"))

    def _same(self) -> None:
        self.send_response(304)
        self.send_header("ETag", '"1"')
        self.end_headers()

    def _away(self) -> None:
        self._say(302, b"over there", ("Location", "/target"))

    def _target(self) -> None:
        self._say(200, b"the target")

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        while self.told.sent.setdefault(self.path, 0) < _ENDLESS_BYTES:
            self.wfile.write(_PIECE)
            self.told.sent[self.path] += len(_PIECE)
        self.close_connection = True

    def _bomb(self) -> None:
        self._say(200, gzip.compress(bytes(_BOMB_BYTES), 1), ("Content-Encoding", "gzip"))

    def _half(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x" * 500)
        self.close_connection = True

    def _silent(self) -> None:
        self.close_connection = True

    def _slow(self) -> None:
        self.told.ended.wait(SLOW_S)
        self._say(200, b"at last")

    def _never(self) -> None:
        self.told.ended.wait(30)
        self.close_connection = True
