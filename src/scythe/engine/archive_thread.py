"""Run archive calls from an event loop in one thread, and batch outcomes into one transaction."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from scythe.archive.archive import Archive, is_away
from scythe.archive.outcomes import store_outcomes
from scythe.crawl_model import Outcome, Receipt
from scythe.errors import ArchiveFailed

T = TypeVar("T")

_BATCH = 64  # outcomes in one transaction: 0.12 ms each on SQLite; alone, one takes 1.3 ms
_BUSY_S = 0.1  # where the last batch was written so short a time ago, more outcomes are about to come
_LINGER_S = 0.03  # and are waited for
_AWAY_S = 30.0  # for a server that restarts
_AGAIN_S = 0.5
_ABANDONED = "the archive did not answer in time; what was stored before is whole"


class _Batch:
    """Outcomes that will be written together."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.written: asyncio.Task[list[Receipt]]


class ArchiveThread:
    """The only one who touches the archive while a crawl runs."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._thread = ThreadPoolExecutor(1, "scythe-archive")  # joined at exit: what was begun is written
        self._open: _Batch | None = None  # still taking outcomes
        self._last: asyncio.Task[list[Receipt]] | None = None
        self._written_at = 0.0
        self._storing = 0  # outcomes that are not yet safe
        self._asked: set[asyncio.Future[Any]] = set()  # calls under way
        self._is_abandoned = False
        self._ended = threading.Event()  # nobody waits for answers any more

    async def ask(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        """Make one call in the archive's thread and return, or raise, what came of it."""
        if self._is_abandoned:
            raise ArchiveFailed(_ABANDONED)
        call = partial(self.insist, partial(work, *given, **named))
        asked = asyncio.get_running_loop().run_in_executor(self._thread, call)
        self._asked.add(asked)
        try:
            return await asked
        except asyncio.CancelledError:
            if self._is_abandoned:
                raise ArchiveFailed(_ABANDONED) from None
            raise
        finally:
            self._asked.discard(asked)

    def insist(self, call: Callable[[], T]) -> T:
        """Make a call, again where its server was away for a moment: a restart takes some seconds.

        What was stored is not stored twice, also where only the answer was lost: an outcome counts for an address that
        waits for it.
        """
        until = monotonic() + _AWAY_S
        while True:
            try:
                return call()
            except ArchiveFailed as error:
                if monotonic() >= until or not is_away(self.archive, error) or self._ended.wait(_AGAIN_S):
                    raise

    def abandon(self) -> None:
        """Wait for no call any longer: all that are under way and all that come fail. The thread may go on for long."""
        self._is_abandoned = True
        self._ended.set()
        for asked in self._asked:
            asked.cancel()

    async def store(self, outcome: Outcome) -> Receipt:
        """Write one outcome, together with those that come meanwhile, and return when it is safe."""
        batch = self._open
        if batch is None or len(batch.outcomes) >= _BATCH:
            batch = self._open = _Batch()
            batch.written = self._last = asyncio.ensure_future(self._write(batch, self._last))
        place = len(batch.outcomes)
        batch.outcomes.append(outcome)
        self._storing += 1
        try:
            return (await asyncio.shield(batch.written))[place]
        finally:
            self._storing -= 1

    async def until_free(self) -> None:
        """Wait while so much is being written that one more page would only wait, too."""
        while self._last is not None and self._storing > _BATCH // 2:
            await asyncio.wait([self._last])
            await asyncio.sleep(0)  # who stored may not have heard of it yet

    async def _write(self, batch: _Batch, before: asyncio.Task[list[Receipt]] | None) -> list[Receipt]:
        try:
            if before is not None:
                await asyncio.wait([before])
            if monotonic() - self._written_at < _BUSY_S and len(batch.outcomes) < _BATCH:
                await asyncio.sleep(_LINGER_S)
        finally:  # also where the loop is ended: nothing more gets into a batch that nobody writes
            if self._open is batch:
                self._open = None
        try:
            return await self.ask(store_outcomes, self.archive, batch.outcomes)
        finally:
            self._written_at = monotonic()

    async def close(self) -> None:
        """Wait for what is being written, then let the thread go."""
        if self._last is not None:
            await asyncio.wait([self._last])
            if not self._last.cancelled():
                self._last.exception()  # whoever stored it has been told
        self._thread.shutdown(wait=False)
