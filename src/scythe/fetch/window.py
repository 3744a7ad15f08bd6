"""Keep a few pages under way: addresses come in as they are needed, results go out in the order of the addresses."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Generic, TypeVar

from scythe.fetch.daemon import run_in_daemon

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
