"""Iterate over results that a background thread produces."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from queue import Empty, Full, Queue
from typing import Generic, TypeVar

T = TypeVar("T")

_AHEAD = 32  # things that wait for whoever takes them; then the work waits
_LOOK_S = 0.05


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

    def follow(self, work: Callable[[], Awaitable[object]], stop: Callable[[], None], stack: ExitStack) -> Iterator[T]:
        """Do the work in a thread and yield what it puts out; `stack` is closed when it is over, however it ends."""
        with stack:
            thread = threading.Thread(target=self._run, args=(work,), name=self._name, daemon=True)
            thread.start()
            try:
                while thread.is_alive() or not self._ready.empty():
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
