"""Serve the web application on a local port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.web.app import make_app
from scythe.web.auth import LOOPBACK, Auth, plain_host
from scythe.web.state import State

_END_S = 3  # for requests under way when the server is told to end


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen."""

    host: str = LOOPBACK[0]
    port: int = 0  # 0: one that is free
    names: tuple[str, ...] = ()  # by which browsers reach this machine, where it is not loopback
    token: str = ""  # empty: a new one

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    def make_auth(self) -> Auth:
        """Return the auth for this address."""
        names = frozenset((*LOOPBACK, *(plain_host(name) for name in (self.host, *self.names) if name)))
        auth = Auth(names=names, any_address=not self.is_local)
        return Auth(self.token, auth.names, auth.any_address) if self.token else auth


@dataclass(frozen=True, slots=True)
class Serving:
    """A page that is being served."""

    url: str  # of the front page, without the token
    auth: Auth = field(repr=False)

    def address(self, path: str = "/") -> str:
        """Return the address to open in a browser: with the token."""
        return f"{self.url}{path.lstrip('/')}{'&' if '?' in path else '?'}token={self.auth.token}"


class _Connection(H11Protocol):
    """A connection that must bring the head of a request in time, and makes room for others where there are many."""

    _waits_since = 0.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > LIMITS.web_connections:
            waiting = [one for one in self.connections if isinstance(one, _Connection) and one._deadline is not None]
            min(waiting, key=lambda one: one._waits_since)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        answered = self.cycle
        super().handle_events()
        if self.cycle is not answered:  # a head came
            self._cancel()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def _wait(self) -> None:
        self._cancel()
        self._waits_since = self.loop.time()
        self._deadline = self.loop.call_later(LIMITS.request_head_s, self._end)

    def _cancel(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._cancel()
        self.transport.abort()


class _Server(uvicorn.Server):
    """A server that leaves signals to its caller, who has more to bring to an end than connections."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(state: State, options: ServeOptions, *, ready: Callable[[Serving], None], stop: asyncio.Event) -> None:
    """Serve until `stop` is set. Raises BadInput where the address cannot be listened on."""
    loop = asyncio.get_running_loop()
    try:
        listener = await loop.create_server(asyncio.Protocol, options.host, options.port, start_serving=False)
    except OSError as error:
        raise BadInput(f"cannot listen on {options.host}:{options.port}: {error.strerror or error}") from None
    auth = options.make_auth()
    sockets = [each.dup() for each in listener.sockets]
    listener.close()
    config = uvicorn.Config(
        make_app(state, auth),
        log_level="error",  # warnings are of requests that are none, which anyone can send any number of
        access_log=False,
        server_header=False,
        lifespan="off",
        http=_Connection,
        backlog=128,  # accepted in one go, before any can be closed
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=_END_S,
        h11_max_incomplete_event_size=65_536,
    )
    server = _Server(config)
    work = asyncio.ensure_future(server.serve(sockets))
    while not server.started and not work.done():
        await asyncio.sleep(0.01)
    if not work.done():
        ready(Serving(_front(options.host, sockets[0].getsockname()[1]), auth))
        await asyncio.wait([work, asyncio.ensure_future(stop.wait())], return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
    await work


def _front(host: str, port: int) -> str:
    named = LOOPBACK[0] if host in ("0.0.0.0", "", "::") else host  # noqa: S104 (compared, not listened on)
    return f"http://[{named}]:{port}/" if ":" in named else f"http://{named}:{port}/"
