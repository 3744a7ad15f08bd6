"""Iterate over results that a background thread produces."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from queue import Empty, Full, Queue
from typing import Generic, TypeVar

T = TypeVar("T")

_AHEAD = 32  # things that wait for whoever takes them; then the work waits
_LOOK_S = 0.05


class Followed(Iterator[T]):
    """What a thread puts out, one by one. `close` stops the work, also while another thread waits for the next."""

    def __init__(self, items: Generator[T, None, None], is_left: threading.Event) -> None:
        self._items = items
        self._is_left = is_left

    def __next__(self) -> T:
        return next(self._items)

    def close(self) -> None:
        """Stop the work and wait until all is in order; where another thread waits for an item, that one does it."""
        self._is_left.set()
        with suppress(ValueError):  # it is running in another thread, and sees in a moment that nobody wants more
            self._items.close()


class Stream(Generic[T]):
    """What is on its way out of a thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ready: Queue[T] = Queue(_AHEAD)
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_left = threading.Event()

    async def put(self, item: T) -> None:
        """Put something out, waiting for room; once nobody iterates any more it is dropped."""
        while not self._is_left.is_set():
            try:
                self._ready.put_nowait(item)
            except Full:
                await asyncio.sleep(_LOOK_S)
            else:
                return

    def follow(self, work: Callable[[], Awaitable[object]], stop: Callable[[], None], stack: ExitStack) -> Followed[T]:
        """Do the work in a thread and yield what it puts out; `stack` is closed when it is over, however it ends."""
        return Followed(self._follow(work, stop, stack), self._is_left)

    def _follow(
        self, work: Callable[[], Awaitable[object]], stop: Callable[[], None], stack: ExitStack
    ) -> Generator[T, None, None]:
        with stack:
            thread = threading.Thread(target=self._run, args=(work,), name=self._name, daemon=True)
            thread.start()
            try:
                while (thread.is_alive() or not self._ready.empty()) and not self._is_left.is_set():
                    try:
                        yield self._ready.get(timeout=_LOOK_S)
                    except Empty:
                        continue
            finally:
                self._is_left.set()
                self._end(thread, stop)
        if self._error is not None:
            raise self._error

    def _run(self, work: Callable[[], Awaitable[object]]) -> None:
        async def run() -> None:
            self._loop = asyncio.get_running_loop()
            await work()

        try:
            asyncio.run(run())
        except Exception as error:  # noqa: BLE001 (raised again for the one who iterates)
            self._error = error

    def _end(self, thread: threading.Thread, stop: Callable[[], None]) -> None:
        """Stop the work where it still goes on, and wait until all is in order."""
        while thread.is_alive():
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(stop)
            thread.join(_LOOK_S)
