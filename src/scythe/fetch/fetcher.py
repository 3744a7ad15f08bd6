"""The HTTP fetcher: one request with redirects, deadlines, limits per host and a bounded body.

One deadline covers the whole exchange, from DNS to the last byte and over all redirects; waiting for a free slot does
not count. URLs are rebuilt from their parts before a connection is made, so that no two parsers can disagree about the
host. Fetchers of plug-ins run here too, and their responses are checked. robots.txt is not consulted here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import AddressValueError, IPv6Address
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

import aiohttp
from yarl import URL

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import guard
from scythe.fetch.connections import ConnectionResponse, Connector, Stale
from scythe.fetch.cookies import Secrets
from scythe.fetch.decode import ACCEPTED, Decoder, Inflated
from scythe.fetch.failures import failure_of, too_slow
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.redirects import REDIRECTS, place_of, redirect_target, start_of
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.package_files import packaged_text
from scythe.plugins import Exchange, load_function
from scythe.url import Url

KIND = "fetcher"


@asynccontextmanager
async def open_exchange(options: FetchOptions) -> AsyncIterator[Exchange]:
    """Open the fetcher that the options name. Raises BadInput where nobody offers it."""
    async with load_function(KIND, options.fetcher)(options) as exchange:
        if not callable(getattr(exchange, "get", None)):
            raise BadInput(f"fetcher {options.fetcher!r} opens a {type(exchange).__name__}, which cannot get anything")
        yield exchange


def make_sure(url: Url, response: Response, began: float, max_bytes: int) -> Response:
    """Return what an exchange brought with times that are set and no more bytes than wanted.

    Raises FetchFailed where it is no answer to what was asked.
    """
    why = _why_wrong(url, response)
    if why:
        raise FetchFailed(url, f"the fetcher broke its contract: {why}")
    now = monotonic()
    if not began <= response.answered_at <= now:
        response = replace(response, answered_at=now)
    if len(response.body) > max_bytes:
        why = f"longer than {max_bytes} bytes"
        response = replace(response, body=response.body[:max_bytes], cut_at_bytes=max_bytes, why_cut=why)
    return replace(response, seconds=now - began, hops=())


def _why_wrong(url: Url, response: object) -> str:
    """Say what makes a response none, or nothing."""
    if not isinstance(response, Response):
        return f"a Response was expected, not {type(response).__name__}"
    if response.url != url:
        return f"it went on to {response.url} by itself"
    if not 200 <= response.status <= 999:
        return f"a status of {response.status}"
    if type(response.body) is not bytes:
        return f"a body of {type(response.body).__name__}, not of bytes"
    if response.fetched_at.utcoffset() != timedelta(0):
        return "a time that is not UTC"
    return ""


# nearly all addresses: dialled as they are spelled
_PLAIN = re.compile(
    r"https?://(?:[a-z0-9-]{1,63}+\.)*+[a-z0-9-]{1,63}+(?::([1-5][0-9]{4}+|[1-9][0-9]{0,3}+))?+(?:/[!$-\[\]-~]*+)?+"
)
_NAME = re.compile(r"[a-z0-9_-]{1,63}+(?:\.[a-z0-9_-]{1,63}+)*+\.?+")
_NAME_CHARS = 254  # RFC 1035, with the dot at the end
# Services that would take a request for commands of their own: those of the Fetch standard ("bad ports"), databases.
_CLOSED_PORTS = frozenset(map(int, packaged_text("scythe.fetch", "closed_ports.txt").split()))


def dialled(url: str) -> Url:
    """Return `url` as it is dialled. Raises `FetchFailed` when its host or port cannot be."""
    plain = _PLAIN.fullmatch(url)
    if plain and (plain[1] is None or int(plain[1]) not in _CLOSED_PORTS):
        return Url(url)
    try:
        parts = urlsplit(url)
        port = parts.port
        name = spell_host(parts.netloc, parts.hostname or "")
    except ValueError:
        name, port = "", None
    if not name:
        raise FetchFailed(url, "its host is neither a name nor an IP address")
    if port in _CLOSED_PORTS:
        raise FetchFailed(url, f"port {port} is not a web server port")
    netloc = name if port is None else f"{name}:{port}"
    return Url(urlunsplit(parts._replace(netloc=netloc)))


def spell_host(netloc: str, name: str) -> str:
    """Return the host of an address in the one way it is dialled, an IPv6 number in brackets; empty: it has none."""
    if "[" in netloc or ":" in name:
        return _spell_number(netloc, name)
    if not name.isascii():
        name = _to_ascii(name)
    name = name.lower()
    return name if len(name) <= _NAME_CHARS and _NAME.fullmatch(name) else ""


def _spell_number(netloc: str, name: str) -> str:
    # A zone ("%eth0") names a network of this machine, and the guard would open none of them.
    before, _, after = netloc.rpartition("@")[2].partition("]")
    if before.lower() != f"[{name}" or after[:1] not in ("", ":") or "%" in name:
        return ""
    try:
        return f"[{IPv6Address(name).compressed}]"
    except AddressValueError:
        return ""


def _to_ascii(name: str) -> str:
    """Spell a name in other scripts as browsers do (UTS 46), or as they did (IDNA 2003) where it was given out then."""
    import idna

    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError:
        pass
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


class Turns:
    """So many requests under way in all, and so many at one host; who waits at one host holds up no other."""

    def __init__(self, places: int, per_host: int) -> None:
        self._all = asyncio.Semaphore(places)
        self._per_host = per_host
        self._hosts: dict[str, tuple[asyncio.Semaphore, int]] = {}  # users, waiting ones included

    async def take(self, host: str) -> None:
        """Wait for a place at `host`; give it back with `leave`."""
        turn, users = self._hosts.get(host) or (asyncio.Semaphore(self._per_host), 0)
        self._hosts[host] = (turn, users + 1)
        try:
            await turn.acquire()
            try:
                await self._all.acquire()
            except BaseException:
                turn.release()
                raise
        except BaseException:  # only cancellation comes here: the place was never taken
            self._forget(host)
            raise

    def leave(self, host: str) -> None:
        """Give a place back."""
        self._all.release()
        self._hosts[host][0].release()
        self._forget(host)

    def _forget(self, host: str) -> None:
        """Count one user less: the table only knows hosts that somebody holds or waits for."""
        turn, users = self._hosts[host]
        if users > 1:
            self._hosts[host] = (turn, users - 1)
        else:
            del self._hosts[host]


_BROKEN = (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, ConnectionError)
_WHY_BROKEN = "the connection ended before the body did"
_IN_ONE = 1_000_000  # declared bodies up to here are held in pieces and put together once


def readable_headers(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return headers as text that can be written anywhere: what is no UTF-8 becomes Latin-1, or %XX of an address."""
    if "".join(headers.values()).isascii():
        return tuple(headers.items())
    return tuple((name, _readable(name, value)) for name, value in headers.items())


def _readable(name: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:  # aiohttp marks bytes that are no UTF-8 with surrogates
        raw = value.encode("utf-8", "surrogateescape")
        if name.lower() == "location":
            return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in raw)
        return raw.decode("latin-1")
    return value


async def read_body(answer: aiohttp.ClientResponse, max_bytes: int) -> Inflated:
    """Read the body of an answer without its codings, up to `max_bytes`; say why where it is not whole."""
    decoded = await _read(answer, max_bytes)
    if isinstance(answer, ConnectionResponse) and answer.talk.said_more and not decoded.cut:
        return Inflated(decoded.body, "the server sent more than it declared")
    return decoded


async def _read(answer: aiohttp.ClientResponse, max_bytes: int) -> Inflated:
    content_encoding = answer.headers.get("Content-Encoding", "")
    length = answer.content_length
    if length is not None and length <= min(max_bytes, _IN_ONE) and not content_encoding:
        return await _read_declared(answer.content)
    decoder = Decoder(content_encoding, max_bytes=max_bytes, max_ratio=LIMITS.inflate_ratio, max_codings=LIMITS.codings)
    try:
        while piece := await answer.content.readany():
            decoder.feed(piece)
            if decoder.is_full:
                answer.close()
                return decoder.finish()
    except _BROKEN:
        decoder.feed(_what_came(answer.content))
        decoded = decoder.finish()
        return Inflated(decoded.body, decoded.cut or _WHY_BROKEN)
    return decoder.finish()


async def _read_declared(content: aiohttp.StreamReader) -> Inflated:
    """Read a body that is as long as declared, or ends with an error."""
    pieces = []
    try:
        while not content.at_eof():
            pieces.append(await content.readany())
    except _BROKEN:
        return Inflated(b"".join((*pieces, _what_came(content))), _WHY_BROKEN)
    return Inflated(pieces[0] if len(pieces) == 1 else b"".join(pieces))


def _what_came(content: aiohttp.StreamReader) -> bytes:
    """Return what had come before the error: the stream does not give it out while the error stands."""
    content.set_exception(None)  # type: ignore[arg-type]
    return content.read_nowait(-1)


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
        response_class=ConnectionResponse,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": options.agent},
        proxy=options.proxy,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # the deadline is ours
        auto_decompress=False,
        trust_env=False,
        max_headers=LIMITS.header_lines,
        max_field_size=LIMITS.header_bytes,
    )


class _Request(NamedTuple):
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
        self._turns = Turns(options.concurrency, options.places)
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
        asked = _Request(self._headers(accept, etag, modified), most, self._options.timeout_s)
        hops: tuple[Url, ...] = ()
        spent_s = 0.0
        while True:
            response = await self._take_turn(here, asked, spent_s)
            target = redirect_target(response) if follow else None
            if target is None and not hops:
                return response
            spent_s += response.seconds
            if target is None:
                is_verified = response.is_verified and (
                    self._options.verify_tls or not any(hop.startswith("https:") for hop in hops)
                )
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
        return await self._take_turn(here, _Request(told, 0, timeout_s or self._options.timeout_s, body), 0.0)

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

    async def _take_turn(self, url: Url, asked: _Request, spent_s: float) -> Response:
        name = place_of(url).host
        await self._turns.take(name)
        try:
            return await self._exchange(url, asked, spent_s)
        finally:
            self._turns.leave(name)

    async def _exchange(self, url: Url, asked: _Request, spent_s: float) -> Response:
        """Do one request within what is left of its time."""
        try:
            async with asyncio.timeout(max(asked.timeout_s - spent_s, 0.0)):
                is_dialled_by_others = self._options.proxy is not None or self._plugged is not None
                if is_dialled_by_others and not self._options.allow_private:
                    await self._connector.judge(place_of(dialled(url)).host)
                if self._plugged is not None and asked.body is None:
                    return await self._ask_plugged(self._plugged, url, asked)
                for _ in range(self._options.places):
                    try:
                        return await self._request(url, asked)
                    except Stale:
                        continue
                return await self._request(url, asked)
        except TimeoutError:
            raise too_slow(url, asked.timeout_s) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise failure_of(url, error) from error

    async def _ask_plugged(self, exchange: Exchange, url: Url, asked: _Request) -> Response:
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

    async def _request(self, url: Url, asked: _Request) -> Response:
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
                raise FetchFailed(url, f"the server answers {answer.status} and switches to another protocol")
            self._secrets.keep(url, answer.headers.getall("Set-Cookie", ()))
            is_wanted = asked.body is None and (answer.status not in REDIRECTS or "Location" not in answer.headers)
            # what is not wanted is never even inflated
            decoded = await read_body(answer, self._room(asked.max_bytes)) if is_wanted else Inflated(b"")
            why_cut = decoded.cut or ("the server sent a part of it, unasked" if answer.status == _PARTIAL else "")
            return Response(
                url=url,
                status=answer.status,
                headers=readable_headers(answer.headers),
                body=decoded.body,
                fetched_at=fetched_at,
                cut_at_bytes=len(decoded.body) if why_cut else None,
                why_cut=why_cut,
                seconds=monotonic() - began,
                answered_at=answered_at,
                is_verified=self._options.verify_tls or not url.startswith("https:"),
            )

    def _room(self, max_bytes: int) -> int:
        if self._options.first_bytes is None:
            return max_bytes
        return min(max_bytes, self._options.first_bytes - 1)  # the last byte asked for ends the reading


_PARTIAL = 206  # no request of ours asks for a part


def _can_be_sent(validator: str) -> bool:
    return len(validator) <= LIMITS.validator_chars and validator.isascii() and validator.isprintable()
