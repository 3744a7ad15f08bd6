"""A connection pool for aiohttp that bounds response heads and never reuses a connection with unread data.

aiohttp limits each header line but not their sum, reuses connections whose server kept sending, and keeps any number
of them.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import partial
from typing import Any, cast
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest, ConnectionKey
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import guard
from scythe.fetch.fetch_options import FetchOptions
from scythe.limits import LIMITS
from scythe.url import Url

_KEPT_S = 4.0  # common servers leave an idle connection after 5 s: asking one that is being closed asks in vain
_KEPT_HOSTS = 256  # idle connections are kept to so many
_SHREDS = 3  # bytes on the wire per byte of body: chunks of one byte take six, and 2 us each
_SHREDS_FREE_BYTES = 1_000_000
_LENGTH_WITHIN = 4_096  # bytes of an answer looked at for the end of its head; longer heads are rare


# What is asked, of whoever set it, when a connection is there and the request is about to be sent: may it still be?
# Between the decision to ask and this moment a process may have been stopped for minutes.
LAST_WORD: ContextVar[Callable[[], bool] | None] = ContextVar("last_word", default=None)


class Unsent(FetchFailed):
    """The last word on a request was no: nothing of it was sent."""


class Stale(aiohttp.ServerDisconnectedError):
    """A kept connection was gone before a word of the answer came: nobody read the request."""


class ServerConnection(ResponseHandler):
    """One connection, with an eye on what is not body: at most so many bytes before it, and none behind it."""

    uses = 0
    said_more = False  # bytes came behind the end of the answer
    _head_bytes = 0
    _wire_bytes = 0  # of the body, with its framing
    _answers = 0
    _wire: asyncio.BaseTransport | None = None  # until it is closed, not only told to close

    def __init__(self, talks: WeakSet[ServerConnection], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        talks.add(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._wire = transport
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._wire = None
        super().connection_lost(exc)

    def cut_off(self) -> None:
        """Close without waiting for the other side to agree."""
        if isinstance(self._wire, asyncio.WriteTransport):
            self._wire.abort()

    def set_response_params(self, **params: Any) -> None:
        self.uses += 1
        self.said_more = False
        self._head_bytes = self._wire_bytes = self._answers = 0
        self._payload = None  # of the request before
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        if self._payload is not None and self._payload is not EMPTY_PAYLOAD:
            self._body_received(self._payload, data)
            return
        end = 0 if self._head_bytes else _end_of_answer(data)
        self._head_bytes += len(data)
        if 0 < end < len(data):  # apart: what follows is no HTTP, and the parser would drop the answer with it
            super().data_received(data[:end])
            data = data[end:]
        super().data_received(data)
        if not self._answers and self._head_bytes > LIMITS.header_bytes:
            self._refuse_head()

    def _body_received(self, payload: StreamReader, data: bytes) -> None:
        self._wire_bytes += len(data)
        super().data_received(data)
        if self._wire_bytes > _SHREDS_FREE_BYTES + _SHREDS * payload.total_bytes and not payload.is_eof():
            payload.set_exception(aiohttp.ClientPayloadError("more framing than body"))
            if self.transport is not None:
                self.transport.abort()

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        if data[0].code >= 200:
            self.said_more = self._answers > 0
            self._answers += 1
            if self._head_bytes > LIMITS.header_bytes and _size(data[0].raw_headers) > LIMITS.header_bytes:
                self._refuse_head()
                return
        super().feed_data(data, size)

    def _refuse_head(self) -> None:
        self.set_exception(HttpProcessingError(message=f"headers of more than {LIMITS.header_bytes} bytes"))
        if self.transport is not None:
            self.transport.abort()

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        if self._answers and isinstance(exc, HttpProcessingError):
            self.said_more = True
            self._end_body()
        if self.uses > 1 and not self._head_bytes and isinstance(exc, aiohttp.ClientConnectionError | OSError):
            exc = Stale()
        super().set_exception(exc, *cause)

    def _end_body(self) -> None:
        """Tell who reads a body that what follows is no HTTP: else they would wait until the deadline."""
        payload = self._payload
        if payload is not None and payload is not EMPTY_PAYLOAD and not payload.is_eof():
            payload.set_exception(aiohttp.ClientPayloadError("the body is not framed as HTTP"))


def _size(headers: Iterable[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers)


def _end_of_answer(data: bytes) -> int:
    """Return where an answer that begins with `data` ends by its declared length; 0 where that cannot be told."""
    head, blank, _ = data[:_LENGTH_WITHIN].lower().partition(b"\r\n\r\n")
    length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0].strip()
    if not blank or not length.isdigit() or len(length) > 18 or b"\r\ntransfer-encoding:" in head:
        return 0
    return len(head) + len(blank) + int(length)


class ConnectionResponse(aiohttp.ClientResponse):
    """An answer that knows the connection it came by, also when that has been given back."""

    talk: ServerConnection

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        assert isinstance(connection.protocol, ServerConnection)
        self.talk = connection.protocol
        return await super().start(connection)


class Connector(aiohttp.TCPConnector):
    """Dial what the guard lets through, and hand kept connections out again while they are silent."""

    def __init__(self, options: FetchOptions, look_up: guard.LookUp) -> None:
        self._guard = guard.GuardedResolver(allow_private=options.allow_private, look_up=look_up)
        super().__init__(
            resolver=self._guard,
            socket_factory=None if options.allow_private else guard.open_guarded_socket,
            use_dns_cache=False,
            limit=options.concurrency,
            force_close=not options.keep_alive,
            keepalive_timeout=_KEPT_S if options.keep_alive else None,
            ssl=_tls(options),
        )
        self._talks: WeakSet[ServerConnection] = WeakSet()
        self._factory = cast("partial[ResponseHandler]", partial(ServerConnection, self._talks, loop=self._loop))

    def cut_off(self) -> None:
        """End what is left: a secure connection that was told to close waits for its server to agree."""
        for talk in list(self._talks):
            talk.cut_off()

    async def judge(self, host: str) -> None:
        """Raise `guard.Refused` when a host that somebody else will dial for us must not be dialled."""
        await self._guard.judge_behind_proxy(host, 0)

    async def connect(self, req: ClientRequest, traces: list[Any], timeout: aiohttp.ClientTimeout) -> Connection:
        while True:
            connection = await super().connect(req, traces, timeout)
            talk = connection.protocol
            if not isinstance(talk, ServerConnection) or not talk.uses or not talk.should_close:
                break
            connection.close()  # its server said more than it was asked for
        may_be_sent = LAST_WORD.get()
        if may_be_sent is not None and not may_be_sent():
            connection.release()
            raise Unsent(
                Url(str(req.url)), "was not sent: whether it still may be is to be asked anew", retry_after_s=0.0
            )
        return connection

    def _release(self, key: ConnectionKey, protocol: ResponseHandler, *, should_close: bool = False) -> None:
        is_full = key not in self._conns and len(self._conns) >= _KEPT_HOSTS
        super()._release(key, protocol, should_close=should_close or is_full)


def _tls(options: FetchOptions) -> ssl.SSLContext | bool:
    """Return how certificates are checked: by the system's authorities, by those of a file, or not at all."""
    if not options.verify_tls:
        return False
    if options.ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=options.ca_file)
    except OSError as error:
        raise BadInput(f"no certificates can be read from {options.ca_file}: {error}") from error
