"""Ask servers: addresses come in, one Response each goes out, or a FetchFailed with the reason.

One deadline covers a whole exchange, from name look-up to last byte and over all redirects; waiting for one's turn
does not count. robots.txt is not consulted here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import NamedTuple

import aiohttp
from yarl import URL

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.codings import ACCEPTED
from scythe.fetch.connections import Answer, Connector, Stale
from scythe.fetch.decode import Decoded
from scythe.fetch.dial import dialled
from scythe.fetch.failures import failure_of, too_slow
from scythe.fetch.options import FetchOptions
from scythe.fetch.plugged import make_sure, open_exchange
from scythe.fetch.receive import read_body, readable_headers
from scythe.fetch.redirects import REDIRECTS, place_of, redirect_target, start_of
from scythe.fetch.secrets import Secrets
from scythe.fetch.turns import Turns
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.plug_ins import Exchange
from scythe.url import Url

_TURNS_TO_CLOSE = 4  # of the loop, until a connection that was cut off is closed, a secure one in a tunnel too


@asynccontextmanager
async def open_fetcher(
    options: FetchOptions | None = None, *, look_up: guard.LookUp = guard.look_up
) -> AsyncIterator[Fetcher]:
    """Open the one way to the network: guarded, bounded, with its connections kept until the block ends."""
    options = options or FetchOptions()
    connector = Connector(options, look_up)
    try:
        async with _open_session(connector, options) as session:
            session._retry_connection = False  # aiohttp would ask twice at once a server that closes without a word
            async with open_exchange(options) if options.fetcher else nullcontext() as exchange:
                yield Fetcher(session, connector, options, exchange)
    finally:
        connector.cut_off()
        for _ in range(_TURNS_TO_CLOSE):
            await asyncio.sleep(0)


def _open_session(connector: Connector, options: FetchOptions) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=connector,
        response_class=Answer,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": options.agent},
        proxy=options.proxy,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # the deadline is ours
        auto_decompress=False,
        trust_env=False,
        max_headers=LIMITS.header_lines,
        max_field_size=LIMITS.header_bytes,
    )


class _Asked(NamedTuple):
    """What one request says, and how much may come back."""

    headers: dict[str, str]  # that any server may see
    max_bytes: int
    timeout_s: float  # of the whole exchange
    body: bytes | None = None  # to be posted; None: something is to be got


class Fetcher:
    """Get responses through one set of connections."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        connector: Connector,
        options: FetchOptions,
        exchange: Exchange | None = None,
    ) -> None:
        self._session = session
        self._plugged = exchange  # of another package; None: all is ours
        self._connector = connector
        self._options = options
        self._turns = Turns(options.concurrency, options.per_host)
        self._secrets = Secrets(options)

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

        With `follow` off a redirect is returned as it is, without its body. A server that knows `etag` or `modified`
        may answer 304, which comes back with an empty body.
        """
        here = start_of(url)
        most = self._options.max_bytes if max_bytes is None else max_bytes
        asked = _Asked(self._headers(accept, etag, modified), most, self._options.timeout_s)
        hops: tuple[Url, ...] = ()
        spent_s = 0.0
        while True:
            response = await self._take_turn(here, asked, spent_s)
            target = redirect_target(response) if follow else None
            if target is None and not hops:
                return response
            spent_s += response.seconds
            if target is None:
                is_verified = response.is_verified and (self._options.verify_tls or not _was_secure(hops))
                return replace(response, hops=hops, seconds=spent_s, is_verified=is_verified)
            if len(hops) == self._options.max_redirects:
                raise FetchFailed(url, f"more than {self._options.max_redirects} redirects")
            hops, here = (*hops, here), target
            # what is known of one address says nothing of another
            asked = asked._replace(headers=self._headers(accept))

    async def post(self, url: str, body: bytes, headers: dict[str, str], *, timeout_s: float | None = None) -> Response:
        """Send `body` to `url` and return what its server says to it, without a body. Raises `FetchFailed`.

        No redirect is followed: what is sent goes to the one who was named. The answer's body is never read, so that
        its length and its pace are nobody's worry.
        """
        here = start_of(url)
        told = self._headers("*/*") | headers
        return await self._take_turn(here, _Asked(told, 0, timeout_s or self._options.timeout_s, body), 0.0)

    def _headers(self, accept: str | None, etag: str = "", modified: str = "") -> dict[str, str]:
        """Write the headers of a request that any server may see."""
        headers = {"Accept": accept or self._options.accept, "Accept-Encoding": ACCEPTED}
        if self._options.first_bytes is not None:  # of the file, not of a coding
            headers |= {"Accept-Encoding": "identity", "Range": f"bytes=0-{self._options.first_bytes - 1}"}
        if etag and _can_be_sent(etag):
            headers["If-None-Match"] = etag
        if modified and _can_be_sent(modified):
            headers["If-Modified-Since"] = modified
        return headers

    async def _take_turn(self, url: Url, asked: _Asked, spent_s: float) -> Response:
        name = place_of(url).host
        await self._turns.take(name)
        try:
            return await self._exchange(url, asked, spent_s)
        finally:
            self._turns.leave(name)

    async def _exchange(self, url: Url, asked: _Asked, spent_s: float) -> Response:
        """Do one request within what is left of its time."""
        try:
            async with asyncio.timeout(max(asked.timeout_s - spent_s, 0.0)):
                is_dialled_by_others = self._options.proxy is not None or self._plugged is not None
                if is_dialled_by_others and not self._options.allow_private:
                    await self._connector.judge(place_of(dialled(url)).host)
                if self._plugged is not None and asked.body is None:
                    return await self._ask_plugged(self._plugged, url, asked)
                for _ in range(self._options.per_host):
                    try:
                        return await self._request(url, asked)
                    except Stale:
                        continue
                return await self._request(url, asked)
        except TimeoutError:
            raise too_slow(url, asked.timeout_s) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise failure_of(url, error) from error

    async def _ask_plugged(self, exchange: Exchange, url: Url, asked: _Asked) -> Response:
        """Let another package do one request; what it returns is not believed unseen."""
        began = monotonic()
        told = {"User-Agent": self._options.agent} | self._secrets.add_to(asked.headers, url)
        if told["Accept-Encoding"] == ACCEPTED:  # what we can decode; what it can is for it to say
            del told["Accept-Encoding"]
        most = self._room(asked.max_bytes)
        response = make_sure(url, await exchange.get(url, headers=told, max_bytes=most), began, most)
        named = [value for name, value in response.headers if name.lower() == "set-cookie"]
        self._secrets.keep(url, named)
        if response.status in REDIRECTS and any(name.lower() == "location" for name, _ in response.headers):
            response = replace(response, body=b"", cut_at_bytes=None, why_cut="")
        is_verified = response.is_verified and (self._options.verify_tls or not url.startswith("https:"))
        return replace(response, is_verified=is_verified)

    async def _request(self, url: Url, asked: _Asked) -> Response:
        began = monotonic()
        told = self._secrets.add_to(asked.headers, url)
        spelled = dialled(url)
        # an address of plain characters is sent as it is: quoting it anew may change what it names
        address = URL(spelled, encoded=spelled.isascii() and "/." not in spelled)
        method = "GET" if asked.body is None else "POST"
        async with self._session.request(
            method, address, allow_redirects=False, headers=told, data=asked.body
        ) as answer:
            answered_at, fetched_at = monotonic(), datetime.now(UTC)
            if answer.status < 200:
                raise FetchFailed(url, f"the server answers {answer.status} and wants to speak something else")
            self._secrets.keep(url, answer.headers.getall("Set-Cookie", ()))
            is_wanted = asked.body is None and (answer.status not in REDIRECTS or "Location" not in answer.headers)
            # what is not wanted is never even inflated
            decoded = await read_body(answer, self._room(asked.max_bytes)) if is_wanted else Decoded(b"")
            return Response(
                url=url,
                status=answer.status,
                headers=readable_headers(answer.headers),
                body=decoded.body,
                fetched_at=fetched_at,
                cut_at_bytes=len(decoded.body) if decoded.cut else None,
                why_cut=decoded.cut,
                seconds=monotonic() - began,
                answered_at=answered_at,
                is_verified=self._options.verify_tls or not url.startswith("https:"),
            )

    def _room(self, max_bytes: int) -> int:
        if self._options.first_bytes is None:
            return max_bytes
        return min(max_bytes, self._options.first_bytes - 1)  # the last byte asked for ends the reading


def _can_be_sent(validator: str) -> bool:
    return len(validator) <= LIMITS.validator_chars and validator.isascii() and validator.isprintable()


def _was_secure(hops: tuple[Url, ...]) -> bool:
    return any(hop.startswith("https:") for hop in hops)
