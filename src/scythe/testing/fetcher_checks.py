"""`check_fetcher` tests a fetcher plug-in against good and bad local servers; `CannedFetcher` is a stand-in."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic
from typing import Any

from scythe.errors import FetchFailed
from scythe.fetch.fetch_options import FetchOptions
from scythe.model import Response
from scythe.plugins import Exchange
from scythe.url import Url

EVERY_BYTE = bytes(range(256)) * 4
PACKED = "Reapers walked the field before dawn. \u6536\u5272 ".encode() * 500
SLOW_S = 0.3
_ENDLESS_BYTES = 40_000_000  # far more than any buffer between here and a reader who stopped
_BOMB_BYTES = 100_000_000
_PIECE = b"x" * 65_536


@dataclass(slots=True)
class ServedRequest:
    """One request as it came."""

    path: str
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """Return the values of a header, in order."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


@dataclass(slots=True)
class RequestLog:
    """Where the server is, and what it was asked."""

    origin: str = ""
    asked: list[ServedRequest] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)  # bytes by path, where they are counted
    ended: Event = field(default_factory=Event)

    def times(self, path: str) -> int:
        """Return how often a path was asked for."""
        return sum(one.path == path for one in self.asked)


@contextmanager
def serve_answers() -> Iterator[RequestLog]:
    """Serve until the block ends, from a thread of its own: who blocks the loop is found out, and does not hang."""
    ledger = RequestLog()

    class Answering(_Answers):
        told = ledger

    server = _CheckServer(("127.0.0.1", 0), Answering)
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


class _CheckServer(ThreadingHTTPServer):
    """A server that does not mind how its callers leave."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64  # more than are ever under way

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


_SAID: dict[str, tuple[Any, ...]] = {  # by path: status, body and headers
    "plain": (
        200, EVERY_BYTE,
        ("Content-Type", "application/octet-stream"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"),
    ),
    "packed": (200, gzip.compress(PACKED), ("Content-Type", "text/html"), ("Content-Encoding", "gzip")),
    "missing": (404, b"nothing here"),
    "broken": (500, b"it broke"),
    "busy": (503, b"later", ("Retry-After", "1")),
    "away": (302, b"over there", ("Location", "/target")),
    "target": (200, b"the target"),
}  # fmt: skip


class _Answers(BaseHTTPRequestHandler):
    """What is sent for each path."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer in two pieces takes 40 ms
    told: RequestLog

    def do_GET(self) -> None:
        self.told.asked.append(ServedRequest(self.path, tuple(self.headers.items())))
        name = self.path.partition("?")[0].strip("/").partition("/")[0]
        try:
            if name in _SAID:
                self._say(*_SAID[name])
            else:
                getattr(self, f"_{name}")()
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

    def _same(self) -> None:
        self.send_response(304)
        self.send_header("ETag", '"1"')
        self.end_headers()

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


OpenFetcher = Callable[[FetchOptions], AbstractAsyncContextManager[Exchange]]

_AGENT = "scythe-check/1"
_MOST = 1_000_000
_READ_ON = 20_000_000  # bytes that may be on the way to a reader who stopped; what is more was read
_WAIT_S = 5.0  # for what should take milliseconds
_SLOW = 6  # requests under way at once to a server that takes its time
_DEAD = "http://127.0.0.1:1"  # nobody listens on port 1


@dataclass
class CannedFetcher:
    """A fetcher that knows its answers: for tests without a network. Give `canned.open` where one is opened."""

    answers: Mapping[str, bytes] = field(default_factory=dict)  # by address; what is not there is 404
    asked: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def open(self, options: FetchOptions) -> AsyncIterator[CannedFetcher]:
        """Open it; it is the same each time."""
        yield self

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        """Return the answer of an address."""
        self.asked.append(url)
        body = self.answers.get(url)
        whole = body or b""
        cut_at = max_bytes if len(whole) > max_bytes else None
        said = (("Content-Type", "text/html; charset=utf-8"),)
        return Response(Url(url), 404 if body is None else 200, said, whole[:max_bytes], datetime.now(UTC), cut_at)


def check_fetcher(open_fetcher: OpenFetcher) -> None:
    """Assert everything scythe relies on, against a server on loopback that behaves well and badly.

    One request is one request: no redirect is followed, nothing is asked twice, no cookie is remembered. What comes is
    returned whole, or says that it is not; a status is no error, no answer is FetchFailed. It takes a second or two.
    """
    with serve_answers() as ledger:
        asyncio.run(_check(open_fetcher, ledger))


async def _check(open_fetcher: OpenFetcher, ledger: RequestLog) -> None:
    options = FetchOptions(allow_private=True, user_agent=_AGENT, per_host=16, concurrency=16)
    for check in _CHECKS:
        async with open_fetcher(options) as exchange:  # a new one each time: it can be opened again
            await check(_Asking(exchange, ledger))


@dataclass(frozen=True)
class _Asking:
    """A fetcher under test, asked as scythe asks it."""

    exchange: Exchange
    ledger: RequestLog

    async def get(self, path: str, headers: Mapping[str, str] | None = None, *, max_bytes: int = _MOST) -> Response:
        told = {"User-Agent": _AGENT, "Accept": "text/html", **(headers or {})}
        url = path if path.startswith("http") else f"{self.ledger.origin}{path}"
        began = monotonic()
        response = await self.exchange.get(url, headers=told, max_bytes=max_bytes)
        assert isinstance(response, Response), f"{path}: a Response was expected, not {type(response).__name__}"
        assert response.url == url, f"{path}: the response says that it is of {response.url}"
        assert type(response.body) is bytes, f"{path}: the body is of {type(response.body).__name__}, not of bytes"
        assert len(response.body) <= max_bytes, f"{path}: {len(response.body)} bytes came, {max_bytes} were wanted"
        assert response.fetched_at.utcoffset() == timedelta(0), f"{path}: fetched_at is not in UTC"
        is_now = abs((datetime.now(UTC) - response.fetched_at).total_seconds()) < _WAIT_S
        assert is_now, f"{path}: fetched_at is not the moment of the request"
        answered = response.answered_at
        assert not answered or began <= answered <= monotonic(), f"{path}: answered_at is not of the monotonic clock"
        return response

    async def fails(self, path: str, why: str) -> None:
        try:
            response = await self.get(path)
        except FetchFailed:
            return
        raise AssertionError(f"{why}: FetchFailed was expected, not status {response.status}")


async def _check_bodies(asking: _Asking) -> None:
    """Assert that bodies come as they are meant, byte for byte."""
    for path, body in {"/plain": EVERY_BYTE, "/chunked": EVERY_BYTE, "/packed": PACKED}.items():
        response = await asking.get(path)
        assert response.status == 200, f"{path}: status {response.status}, not 200"
        assert response.body == body, f"{path}: another body came ({len(response.body)} bytes, not {len(body)})"
        assert response.cut_at_bytes is None, f"{path}: the body is whole and said to be cut"


async def _check_headers(asking: _Asking) -> None:
    """Assert that headers are told and kept, repeated ones too."""
    response = await asking.get("/plain")
    said = [value for name, value in response.headers if name.lower() == "set-cookie"]
    assert said == ["a=1", "b=2"], f"repeated headers are lost: Set-Cookie is {said}"
    kinds = [value for name, value in response.headers if name.lower() == "content-type"]
    assert kinds == ["application/octet-stream"], f"Content-Type is {kinds}"
    told = {"If-None-Match": '"1"', "Authorization": "Basic YTpi", "Cookie": "c=3"}
    response = await asking.get("/echo", told)
    came = [(name.lower(), value) for name, value in json.loads(response.body)]
    for name, value in (told | {"User-Agent": _AGENT, "Accept": "text/html"}).items():
        values = [said for key, said in came if key == name.lower()]
        assert values == [value], f"the header {name} was to be sent as {value!r}, the server got {values}"


async def _check_cookies(asking: _Asking) -> None:
    """Assert that nothing is remembered from one request to the next."""
    await asking.get("/plain")
    response = await asking.get("/echo")
    names = {name.lower() for name, _ in json.loads(response.body)}
    assert "cookie" not in names, "cookies of one answer are sent with the next request"


async def _check_statuses(asking: _Asking) -> None:
    """Assert that every status is an answer, asked for once."""
    for path, status in {"/missing": 404, "/broken": 500, "/busy": 503, "/same": 304}.items():
        response = await asking.get(path)
        assert response.status == status, f"{path}: status {response.status}, not {status}"
        times = asking.ledger.times(path)
        assert times == 1, f"{path}: a server that answers {status} is asked {times} times"
    assert response.body == b"", "a 304 has no body"


async def _check_redirects(asking: _Asking) -> None:
    """Assert that a redirect is returned, not followed."""
    response = await asking.get("/away")
    assert asking.ledger.times("/target") == 0, "a redirect is followed; scythe judges where it leads first"
    assert response.status == 302, f"a redirect comes as status {response.status}"
    places = [value for name, value in response.headers if name.lower() == "location"]
    assert places == ["/target"], f"the Location of a redirect is {places}"


async def _check_addresses(asking: _Asking) -> None:
    """Assert that addresses are sent as they are."""
    for path in ("/number/a%2Fb?c=%20d", "/number/?q=a+b&q=%2B;x", "/number/%E6%94%B6"):
        response = await asking.get(path)
        assert response.body == path.encode(), f"{path} is asked for as {response.body.decode(errors='replace')}"


async def _check_length(asking: _Asking) -> None:
    """Assert that no more is read than wanted, and that what is cut says so."""
    for path, most in {"/plain": 100, "/bomb": 50_000, "/endless": 50_000}.items():
        response = await asyncio.wait_for(asking.get(path, max_bytes=most), 4 * _WAIT_S)
        assert response.cut_at_bytes is not None, f"{path}: more than {most} bytes came, and nothing says it was cut"
        assert response.cut_at_bytes == len(response.body), f"{path}: cut_at_bytes is not the length of the body"
    sent = asking.ledger.sent["/endless"]
    assert sent < _READ_ON, f"/endless: {sent} bytes were read where 50000 were wanted"


async def _check_failures(asking: _Asking) -> None:
    """Assert that no answer, or half of one, is never taken for a whole."""
    await asking.fails(f"{_DEAD}/", "nobody listens there")
    await asking.fails("/silent", "the server closes without a word")
    times = asking.ledger.times("/silent")
    assert times == 1, f"a server that closes without a word is asked {times} times"
    try:
        response = await asking.get("/half")
    except FetchFailed:
        return
    assert response.cut_at_bytes is not None, "half of a body is taken for the whole"


async def _check_at_once(asking: _Asking) -> None:
    """Assert that many requests go at once, each with its own answer, and that the loop is free meanwhile."""
    numbers = [f"/number/{number}" for number in range(16)]
    for path, response in zip(numbers, await asyncio.gather(*map(asking.get, numbers)), strict=True):
        assert response.body == path.encode(), "answers of requests under way at once are mixed up"
    ticks = 0
    waiting = asyncio.gather(*(asking.get("/slow") for _ in range(_SLOW)))
    began = monotonic()
    while not waiting.done():
        await asyncio.sleep(SLOW_S / 20)
        ticks += 1
    await waiting
    assert ticks >= 4, "the loop is blocked while a server is waited for"
    took_s = monotonic() - began
    assert took_s < _SLOW * 2 / 3 * SLOW_S, (
        f"{_SLOW} answers of {SLOW_S} s each, asked for at once, take {took_s:.1f} s"
    )


async def _check_cancelling(asking: _Asking) -> None:
    """Assert that a request can be given up."""
    began = monotonic()
    try:
        async with asyncio.timeout(0.1):
            await asking.get("/never")
    except TimeoutError:
        assert monotonic() - began < _WAIT_S, "a request that is given up goes on for seconds"
        return
    except FetchFailed as failure:
        raise AssertionError("a request that is given up must not become FetchFailed") from failure
    raise AssertionError("/never: an answer came from a server that gives none")


_CHECKS = (
    _check_bodies,
    _check_cookies,
    _check_headers,
    _check_statuses,
    _check_redirects,
    _check_addresses,
    _check_length,
    _check_failures,
    _check_at_once,
    _check_cancelling,
)
