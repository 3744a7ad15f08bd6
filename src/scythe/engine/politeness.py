"""Obey robots.txt, fetched once a day and kept in the archive, and a host's requests to slow down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic
from typing import Protocol
from urllib.parse import urlsplit

from scythe.archive.results import StoredRobots
from scythe.archive.stored_sites import load_robots, save_robots
from scythe.engine.archive_thread import ArchiveThread
from scythe.engine.host_queue import HostQueue
from scythe.errors import FetchFailed
from scythe.fetch.connections import LAST_WORD, Unsent
from scythe.fetch.fetch_options import RunOptions
from scythe.fetch.fetcher import Fetcher
from scythe.fetch.page_check import said_retry_s
from scythe.fetch.render import RenderOptions, open_renderer
from scythe.fetch.robots import Robots, fetch_robots, parse_robots
from scythe.model import Response
from scythe.url import host

_EVERYTHING = parse_robots(404, b"")
_ORIGINS = 10_000  # kept in mind; a site has one or two


class RobotsGetter(Protocol):
    """What asks for one address: the client, or a browser behind it."""

    async def get(self, url: str, *, etag: str = "", modified: str = "", follow: bool = True) -> Response: ...


class Politeness:
    """What each origin of a site wants, as far as it was asked."""

    def __init__(self, fetcher: Fetcher, clerk: ArchiveThread, options: RunOptions) -> None:
        self._fetcher = fetcher
        self._clerk = clerk
        self._options = options
        self._agent = options.agent_name
        self._known: dict[str, tuple[Robots, datetime]] = {}  # with the moment from which it is to be asked for again

    async def recall(self, queue: HostQueue) -> None:
        """Set the pace of a host to what its robots.txt asked for last time, before anything is asked."""
        for scheme in ("https", "http"):
            robots = await self._remembered(f"{scheme}://{queue.lease.name}")
            if robots is not None:
                self._heed(robots, queue)

    async def robots_for(self, url: str, queue: HostQueue) -> Robots | None:
        """Return what the origin of an address allows, asking it where that is not known.

        None where nothing may be asked for: its robots.txt could not be read, which closes the queue, or the run ended.
        """
        if not self._options.obey_robots:
            return _EVERYTHING
        origin = origin_of(url)
        robots = await self._remembered(origin) or await self._ask(origin, queue)
        if robots is None:
            return None
        self._heed(robots, queue)
        if robots.is_closed:
            queue.closed = f"{host(url)}: {robots.why}; try again later"
            return None
        return robots

    @asynccontextmanager
    async def open_getter(self) -> AsyncIterator[RobotsGetter]:
        """Open what asks for pages: the client, or a browser behind it. Raises MissingExtra."""
        if not self._options.render:
            yield self._fetcher
            return
        async with open_renderer(self._fetcher, self._options.fetch, RenderOptions(permit=self._permit)) as renderer:
            yield renderer

    async def _permit(self, url: str) -> bool:
        """Tell whether nothing known forbids to ask for an address: what pages load besides is not looked up."""
        known = self._known.get(origin_of(url))
        return known is None or not self._options.obey_robots or known[0].allows(url)

    async def get(
        self, getter: RobotsGetter, url: str, queue: HostQueue, *, etag: str = "", modified: str = ""
    ) -> Response:
        """Ask for an address whose turn it is, without following it, and let what comes set the pace.

        The place at the host is free again afterwards. Raises FetchFailed.
        """
        began = monotonic()
        try:
            response = await _ask_while_held(
                queue, partial(getter.get, url, etag=etag, modified=modified, follow=False)
            )
        except FetchFailed as failure:
            queue.pace.failed(monotonic(), monotonic() - began, is_unreached=failure.is_unreached)
            if queue.pace.away_s > self._options.patience_s:
                queue.closed = f"{host(url)}: {failure.why}; try again later"
            raise
        except asyncio.CancelledError:
            queue.pace.failed(monotonic())  # its server may have read the request just now
            raise
        finally:
            queue.free_place()
        self.answered(queue, response)
        return response

    def answered(self, queue: HostQueue, response: Response) -> None:
        """Let an answer set the pace."""
        queue.pace.answered(response.answered_at, response.status, response.seconds, said_retry_s(response))

    def _heed(self, robots: Robots, queue: HostQueue) -> None:
        if self._options.obey_robots:
            queue.pace.crawl_delay_s = robots.delay_s

    async def _remembered(self, origin: str) -> Robots | None:
        now = datetime.now(UTC)
        known = self._known.get(origin)
        if known is not None and now < known[1]:
            return known[0]
        stored = await self._clerk.ask(load_robots, self._clerk.archive, origin)
        if stored is None:
            return None
        robots = parse_robots(stored.status, stored.body, self._agent)
        until = stored.fetched_at + timedelta(seconds=robots.fresh_s)
        # one that failed is asked for again by each run; one from the future was stored by a clock that was wrong
        if robots.is_closed or not stored.fetched_at <= now < until:
            return None
        return self._remember(origin, robots, until)

    async def _ask(self, origin: str, queue: HostQueue) -> Robots | None:
        if not await queue.take_place():
            return None
        noting = _Noting(self._fetcher, queue)
        try:
            status, body = await fetch_robots(noting, origin)
        except asyncio.CancelledError:
            queue.pace.failed(monotonic())  # its server may have read the request just now
            raise
        finally:
            queue.free_place()
        if status is None:
            queue.pace.failed(monotonic())
        else:
            queue.pace.answered(monotonic(), status)
        now = datetime.now(UTC)
        await self._clerk.ask(save_robots, self._clerk.archive, StoredRobots(origin, status, body, now))
        robots = parse_robots(status, body, self._agent)
        if noting.why:
            robots = replace(robots, why=f"{robots.why} ({noting.why})")
        return self._remember(origin, robots, now + timedelta(seconds=robots.fresh_s))

    def _remember(self, origin: str, robots: Robots, until: datetime) -> Robots:
        if len(self._known) >= _ORIGINS:
            self._known.clear()
        self._known[origin] = (robots, until)
        return robots


class _Noting:
    """A client that remembers why it failed, and follows redirects at the pace of a host."""

    def __init__(self, fetcher: Fetcher, queue: HostQueue) -> None:
        self._fetcher = fetcher
        self._queue = queue
        self._answered_at = 0.0
        self.why = ""

    async def get(self, url: str, *, follow: bool = True, max_bytes: int | None = None) -> Response:
        try:
            await self._wait(url)
            ask = partial(self._fetcher.get, url, follow=follow, max_bytes=max_bytes)
            response = await _ask_while_held(self._queue, ask)
            self._answered_at = response.answered_at
            return response
        except FetchFailed as failure:
            self.why = failure.why
            raise

    async def _wait(self, url: str) -> None:
        """Wait for a turn before every request but the first, whose turn it is."""
        if self._answered_at:
            self._queue.pace.answered(self._answered_at, 302)
            if not await self._queue.take_turn():
                raise FetchFailed(url, "the run ended")


async def _ask_while_held(queue: HostQueue, ask: Callable[[], Awaitable[Response]]) -> Response:
    """Ask a host while it is held, as is seen to once more when the connection is there."""
    token = LAST_WORD.set(lambda: queue.is_sure)
    try:
        while True:
            await queue.make_sure()
            with suppress(Unsent):
                return await ask()
    finally:
        LAST_WORD.reset(token)


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address, which a robots.txt holds for."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
