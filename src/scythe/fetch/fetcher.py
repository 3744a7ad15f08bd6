"""Ask servers: addresses come in, one Response each goes out, or a FetchFailed with the reason.

One deadline covers a whole exchange, from name look-up to last byte and over all redirects; waiting for one's turn
does not count. robots.txt is not consulted here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic

import aiohttp

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.decode import ACCEPTED, Decoder
from scythe.fetch.dial import dialled
from scythe.fetch.failures import failure_of, too_slow
from scythe.fetch.options import FetchOptions
from scythe.fetch.redirects import REDIRECTS, redirect_target, start_of
from scythe.fetch.turns import Turns
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, host

_KEPT_S = 15.0  # an idle connection is kept so long: above the usual delay between two requests to a host


@asynccontextmanager
async def open_fetcher(
    options: FetchOptions | None = None, *, look_up: guard.LookUp = guard.look_up
) -> AsyncIterator[Fetcher]:
    """Open the one way to the network: guarded, bounded, with its connections kept until the block ends."""
    options = options or FetchOptions()
    connector = aiohttp.TCPConnector(
        resolver=guard.GuardedResolver(allow_private=options.allow_private, look_up=look_up),
        socket_factory=None if options.allow_private else guard.open_guarded_socket,
        use_dns_cache=False,
        limit=options.concurrency,
        force_close=not options.keep_alive,
        keepalive_timeout=_KEPT_S if options.keep_alive else None,
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": options.agent},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # the deadline is ours
        auto_decompress=False,
        trust_env=False,
        max_headers=LIMITS.header_lines,
    ) as session:
        yield Fetcher(session, options)


class Fetcher:
    """Get responses through one set of connections."""

    def __init__(self, session: aiohttp.ClientSession, options: FetchOptions) -> None:
        self._session = session
        self._options = options
        self._turns = Turns(options.concurrency, options.per_host)

    async def settle(self, url: str) -> Response | FetchFailed:
        """Fetch, with a failure as a value."""
        try:
            return await self.get(url)
        except FetchFailed as failure:
            return failure

    async def get(
        self,
        url: str,
        *,
        etag: str = "",
        modified: str = "",
        follow: bool = True,
        accept: str | None = None,
        max_bytes: int | None = None,
    ) -> Response:
        """Fetch `url`, taking each redirect as a new address to be judged. Raises `FetchFailed`.

        With `follow` off a redirect is returned as it is. A server that knows `etag` or `modified` may answer 304,
        which comes back with an empty body.
        """
        here = start_of(url)
        hops: tuple[Url, ...] = ()
        headers = self._asked(accept, etag, modified)
        most = self._options.max_bytes if max_bytes is None else max_bytes
        spent_s = 0.0
        while True:
            response = await self._take_turn(here, headers, most, self._options.timeout_s - spent_s)
            spent_s += response.seconds
            target = redirect_target(response) if follow else None
            if target is None:
                return replace(response, hops=hops, seconds=spent_s) if hops else response
            if len(hops) == self._options.max_redirects:
                raise FetchFailed(url, f"more than {self._options.max_redirects} redirects")
            hops, here = (*hops, here), target
            headers = self._asked(accept)  # what is known of one address says nothing of another

    def _asked(self, accept: str | None, etag: str = "", modified: str = "") -> dict[str, str]:
        """Write the headers of a request."""
        headers = {"Accept": accept or self._options.accept, "Accept-Encoding": ACCEPTED}
        if self._options.first_bytes is not None:  # of the file, not of a coding
            headers |= {"Accept-Encoding": "identity", "Range": f"bytes=0-{self._options.first_bytes - 1}"}
        if etag:
            headers["If-None-Match"] = etag
        if modified:
            headers["If-Modified-Since"] = modified
        return headers

    async def _take_turn(self, url: Url, headers: dict[str, str], max_bytes: int, left_s: float) -> Response:
        name = host(url)
        await self._turns.take(name)
        try:
            return await self._exchange(url, headers, max_bytes, left_s)
        finally:
            self._turns.leave(name)

    async def _exchange(self, url: Url, headers: dict[str, str], max_bytes: int, left_s: float) -> Response:
        """Do one request within `left_s` seconds."""
        try:
            async with asyncio.timeout(max(left_s, 0.0)):
                return await self._request(url, headers, max_bytes)
        except TimeoutError:
            raise too_slow(url, self._options.timeout_s) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise failure_of(url, error) from error

    async def _request(self, url: Url, headers: dict[str, str], max_bytes: int) -> Response:
        began = monotonic()
        async with self._session.get(dialled(url), allow_redirects=False, headers=headers) as answer:
            answered_at, fetched_at = monotonic(), datetime.now(UTC)
            _bound_headers(url, answer)
            body, why_cut = b"", ""
            if answer.status not in REDIRECTS or "Location" not in answer.headers:  # else it is never even inflated
                body, why_cut = await self._receive(answer, max_bytes)
            return Response(
                url=url,
                status=answer.status,
                headers=tuple((name, value) for name, value in answer.headers.items()),
                body=body,
                fetched_at=fetched_at,
                cut_at_bytes=len(body) if why_cut else None,
                why_cut=why_cut,
                seconds=monotonic() - began,
                answered_at=answered_at,
            )

    async def _receive(self, answer: aiohttp.ClientResponse, max_bytes: int) -> tuple[bytes, str]:
        if self._options.first_bytes is not None:
            max_bytes = min(max_bytes, self._options.first_bytes - 1)  # the last byte asked for ends the reading
        decoder = Decoder(
            answer.headers.get("Content-Encoding", ""),
            max_bytes=max_bytes,
            max_ratio=LIMITS.inflate_ratio,
            max_codings=LIMITS.codings,
        )
        why_cut = ""
        try:
            async for chunk in answer.content.iter_any():
                decoder.feed(chunk)
                if decoder.is_full:
                    answer.close()
                    break
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError, ConnectionError):
            why_cut = "the connection ended before the body did"
        decoded = decoder.finish()
        return decoded.body, decoded.cut or why_cut


def _bound_headers(url: Url, answer: aiohttp.ClientResponse) -> None:
    size = sum(len(name) + len(value) for name, value in answer.raw_headers)
    if size > LIMITS.header_bytes:
        raise FetchFailed(url, f"headers of {size} bytes, at most {LIMITS.header_bytes} are read")
