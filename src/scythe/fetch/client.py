"""Fetch pages: addresses come in, one Response each (or a FetchFailed with the reason) goes out.

One deadline covers a whole exchange, from name look-up to last byte and over all redirects; waiting for one's turn at a
host does not count. Each host has one connection at a time. robots.txt is not consulted: this fetches pages that a
person named, not pages that a program found.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.decode import ACCEPTED, Decoder
from scythe.fetch.window import Window
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, absolute, host

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TRY_AGAIN_S = 60.0
_READ_AHEAD = 4  # pages under way per host asked: many may wait for one slow host


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch; the defaults are safe for addresses from anywhere."""

    timeout_s: float = LIMITS.fetch_s  # the whole exchange
    max_bytes: int = LIMITS.body_bytes  # of the body after decompression; what is longer is cut and marked
    max_redirects: int = LIMITS.redirects
    allow_private: bool = False  # dial loopback, private and link-local addresses too
    user_agent: str = f"scythe/{version('scythe')} (reads pages its user named)"
    concurrency: int = 8  # hosts asked at the same time
    accept: str = "text/html,application/xhtml+xml,*/*;q=0.5"
    first_bytes: int | None = None  # ask for so many only, and read no more from a server that sends all


def fetch(url: str, *, options: FetchOptions | None = None) -> Response:
    """Fetch one address and return what its server sent, whatever the status. Raises `FetchFailed`.

    Starts an event loop of its own: inside a running one use `fetch_all`.
    """

    async def fetch_one() -> Response | FetchFailed:
        return await anext(fetch_all([url], options=options))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        result = asyncio.run(fetch_one())
    else:
        raise RuntimeError("fetch starts an event loop of its own; inside a running one use fetch_all")
    if isinstance(result, FetchFailed):
        raise result
    return result


async def fetch_all(
    urls: Iterable[str], *, options: FetchOptions | None = None, look_up: guard.LookUp = guard.look_up
) -> AsyncGenerator[Response | FetchFailed, None]:
    """Yield one result per address, in the order given, each as soon as those before it are there.

    `urls` is read ahead only as far as there is room; it may be endless, and it may block, as a pipe does.
    """
    options = options or FetchOptions()
    async with open_session(options, look_up) as session:
        window = Window(iter(urls), Client(session, options).settle, room=_READ_AHEAD * options.concurrency)
        try:
            while await window.advance():
                for result in window.take():
                    yield result
        finally:
            await window.close()


@asynccontextmanager
async def open_session(options: FetchOptions, look_up: guard.LookUp) -> AsyncIterator[aiohttp.ClientSession]:
    """Open the one session that may reach the network: guarded, without cookies, proxies or own decompression."""
    connector = aiohttp.TCPConnector(
        resolver=guard.GuardedResolver(allow_private=options.allow_private, look_up=look_up),
        socket_factory=None if options.allow_private else guard.open_guarded_socket,
        use_dns_cache=False,
        limit=options.concurrency,
        force_close=True,
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": options.user_agent, "Accept": options.accept},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # the deadline is ours
        auto_decompress=False,
        trust_env=False,
        max_headers=LIMITS.header_lines,
    ) as session:
        yield session


class Client:
    """Follow one address to its page through one session."""

    def __init__(self, session: aiohttp.ClientSession, options: FetchOptions) -> None:
        self._session = session
        self._options = options
        self._turn = asyncio.Semaphore(options.concurrency)
        self._host_turn: dict[str, tuple[asyncio.Lock, int]] = {}  # users, waiting ones included

    async def settle(self, url: str) -> Response | FetchFailed:
        """Fetch, with a failure as a value."""
        try:
            return await self.follow(url)
        except FetchFailed as failure:
            return failure

    async def follow(self, url: str) -> Response:
        """Fetch `url`, taking each redirect as a new address to be judged."""
        here = _start(url)
        left_s = self._options.timeout_s
        for _ in range(self._options.max_redirects + 1):
            async with self._turn_at(here):
                began = monotonic()
                result = await self._exchange(here, left_s)
                left_s -= monotonic() - began
            if isinstance(result, Response):
                return result
            here = result
        raise FetchFailed(url, f"more than {self._options.max_redirects} redirects")

    @asynccontextmanager
    async def _turn_at(self, url: Url) -> AsyncIterator[None]:
        """Hold the one place at the host of `url`. The table only knows hosts that somebody holds or waits for."""
        name = host(url)
        lock, users = self._host_turn.get(name, (asyncio.Lock(), 0))
        self._host_turn[name] = (lock, users + 1)
        try:
            async with lock, self._turn:
                yield
        finally:
            users = self._host_turn[name][1] - 1
            if users:
                self._host_turn[name] = (lock, users)
            else:
                del self._host_turn[name]

    async def _exchange(self, url: Url, left_s: float) -> Response | Url:
        """Do one request within `left_s` seconds and return the response, or the address it redirects to."""
        try:
            async with asyncio.timeout(max(left_s, 0.0)):
                return await self._request(url)
        except TimeoutError:
            why = f"too slow: no complete answer within {self._options.timeout_s:g} s"
            raise FetchFailed(url, why, retry_after_s=_TRY_AGAIN_S) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _failure(url, error) from error

    async def _request(self, url: Url) -> Response | Url:
        async with self._session.get(url, allow_redirects=False, headers=_asked(self._options)) as answer:
            _bound_headers(url, answer)
            if answer.status in _REDIRECTS and "Location" in answer.headers:
                return _redirect(url, answer.headers["Location"])  # its body is never read, let alone inflated
            return await self._receive(url, answer)

    async def _receive(self, url: Url, answer: aiohttp.ClientResponse) -> Response:
        most = self._options.max_bytes
        if self._options.first_bytes is not None:
            most = min(most, self._options.first_bytes - 1)  # the last byte asked for ends the reading
        decoder = Decoder(
            answer.headers.get("Content-Encoding", ""),
            max_bytes=most,
            max_ratio=LIMITS.inflate_ratio,
            max_codings=LIMITS.codings,
        )
        is_broken = False
        try:
            async for chunk in answer.content.iter_any():
                decoder.feed(chunk)
                if decoder.is_full:
                    answer.close()
                    break
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError, ConnectionError):
            is_broken = True
        decoded = decoder.finish()
        return Response(
            url=url,
            status=answer.status,
            headers=tuple((name, value) for name, value in answer.headers.items()),
            body=decoded.body,
            fetched_at=datetime.now(UTC),
            cut_at_bytes=len(decoded.body) if is_broken or decoded.cut else None,
        )


def _asked(options: FetchOptions) -> dict[str, str]:
    if options.first_bytes is None:
        return {"Accept-Encoding": ACCEPTED}
    return {"Accept-Encoding": "identity", "Range": f"bytes=0-{options.first_bytes - 1}"}  # of the file, not a coding


def _start(url: str) -> Url:
    address = absolute(url)
    if address is None:
        raise FetchFailed(url, "not an http or https address; write it out, such as https://example.org/page")
    if "@" in urlsplit(address).netloc:
        raise FetchFailed(_without_user(address), "addresses with a user name or password are not fetched")
    return Url(urlunsplit(urlsplit(address)._replace(fragment="")))


def _redirect(url: Url, location: str) -> Url:
    target = absolute(location, url)
    if target is None:
        raise FetchFailed(url, "redirects to something that is not an http or https address")
    return Url(urlunsplit(urlsplit(_without_user(target))._replace(fragment="")))


def _without_user(url: str) -> str:
    """Drop user name and password: nothing a redirect names is ever sent as a credential."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _bound_headers(url: Url, answer: aiohttp.ClientResponse) -> None:
    size = sum(len(name) + len(value) for name, value in answer.raw_headers)
    if size > LIMITS.header_bytes:
        raise FetchFailed(url, f"headers of {size} bytes, at most {LIMITS.header_bytes} are read")


def _failure(url: Url, error: Exception) -> FetchFailed:
    """Say in plain words why an exchange failed, and whether trying again may help."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, guard.Refused):
        return FetchFailed(url, f"{cause}; allow it with allow_private (--allow-private) if you trust it")
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return FetchFailed(url, f"the name {host(url)} does not resolve", retry_after_s=_TRY_AGAIN_S)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return FetchFailed(url, f"the secure connection failed: {error}")
    if isinstance(error, aiohttp.InvalidURL):
        return FetchFailed(url, "not an address that can be dialled")
    if isinstance(error, aiohttp.ClientResponseError):
        return FetchFailed(url, f"the server does not speak HTTP: {error.message[:200]}")
    if isinstance(error, aiohttp.ClientConnectorError | ConnectionError):
        return FetchFailed(url, f"no connection: {cause}", retry_after_s=_TRY_AGAIN_S)
    return FetchFailed(url, str(error) or type(error).__name__)
