"""Fetch pages named by the user: `fetch` for one URL, `fetch_all` for many, in order and with bounded concurrency.

robots.txt is not consulted, because a person named the pages.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.guard import run_in_daemon
from scythe.model import Response

T = TypeVar("T")


class Window(Generic[T]):
    """The pages under way, oldest first. `urls` may be endless, and it may block, as a pipe does."""

    def __init__(self, urls: Iterator[str], start: Callable[[str], Awaitable[T]], room: int) -> None:
        self._urls, self._start, self._room = urls, start, room
        self._under_way: deque[asyncio.Future[T]] = deque()
        self._asking: asyncio.Future[str | None] | None = None
        self._is_exhausted = False

    async def advance(self) -> bool:
        """Wait until an address or the oldest page has come; return False when nothing is left to wait for."""
        if self._asking is None and not self._is_exhausted and len(self._under_way) < self._room:
            self._asking = asyncio.ensure_future(run_in_daemon(lambda: next(self._urls, None), "scythe-addresses"))
        waiting: list[asyncio.Future[Any]] = [self._under_way[0]] if self._under_way else []
        if self._asking is not None:
            waiting.append(self._asking)
        if not waiting:
            return False
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if self._asking is not None and self._asking.done():
            url, self._asking = self._asking.result(), None
            if url is None:
                self._is_exhausted = True
            else:
                self._under_way.append(asyncio.ensure_future(self._start(url)))
        return True

    def take(self) -> Iterator[T]:
        """Give out the results that are ready and whose predecessors have been given out."""
        while self._under_way and self._under_way[0].done():
            yield self._under_way.popleft().result()

    async def close(self) -> None:
        """Stop what is under way."""
        left: list[asyncio.Future[Any]] = list(self._under_way)
        if self._asking is not None:
            left.append(self._asking)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


_READ_AHEAD = 4  # pages under way per host asked: many may wait for one slow host


def fetch(url: str, *, options: FetchOptions | None = None) -> Response:
    """Fetch one address and return what its server sent, whatever the status. Raises `FetchFailed`.

    Starts an event loop of its own: inside a running one use `fetch_all`.
    """

    async def fetch_one() -> Response | FetchFailed:
        async with aclosing(fetch_all([url], options=options)) as results:
            return await anext(results)

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
    async with open_fetcher(options, look_up=look_up) as fetcher:
        window = Window(iter(urls), fetcher.settle, room=_READ_AHEAD * options.concurrency)
        try:
            while await window.advance():
                for result in window.take():
                    yield result
        finally:
            await window.close()
