"""Keep feed files up to date: word that a page was visited comes in, files with the newest records go out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from scythe.archive.stored import StoredRecord
from scythe.crawling.clerk import Clerk
from scythe.errors import ArchiveFailed
from scythe.fetch.daemon import run_in_daemon
from scythe.limits import LIMITS
from scythe.url import host
from scythe.watching.events import HookEvent
from scythe.watching.feed_files import write_feed
from scythe.watching.hooks import HookOptions, Report

_REST_S = 1.0  # between two times that a file is written, and twice as long after each failure


class FeedKeeper:
    """Writes the feed files of a watch, not more often than anybody reads them."""

    def __init__(
        self,
        clerk: Clerk,
        options: HookOptions,
        report: Report,
        *,
        now: Callable[[], datetime],
        rest_s: float = _REST_S,
    ) -> None:
        self._clerk = clerk
        self._paths = options.feeds
        self._most = options.feed_records
        self._report = report
        self._now = now
        self._rest_s = rest_s
        self._watches: set[int] = set()
        self._title, self._home = "", ""
        self._failures = dict.fromkeys(self._paths, 0)
        self._woken = asyncio.Event()
        self._is_stale = False
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def start(self, watches: Collection[int]) -> None:
        """Write every file once, then whenever there is something new."""
        if not self._paths:
            return
        self._watches.update(watches)
        self._note()
        self._task = asyncio.create_task(self._work(), name="feed files")

    def note(self, watch: int) -> None:
        """Take note that a visit to a page was stored."""
        self._watches.add(watch)
        self._note()

    def _note(self) -> None:
        self._is_stale = True
        self._woken.set()

    async def close(self, within_s: float = 5.0) -> None:
        """Write what is new, then end."""
        if self._task is None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s), self._lock:  # not while a file is being written
                self._task.cancel()
                if self._is_stale:
                    await self._write_all()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None

    async def _work(self) -> None:
        while True:
            await self._woken.wait()
            self._woken.clear()
            async with self._lock:
                await self._write_all()
            failures = max(self._failures.values())
            await asyncio.sleep(self._pause_s(failures))
            if failures:
                self._note()

    async def _write_all(self) -> None:
        self._is_stale = False
        try:
            await self._name()
            newest = self._clerk.archive.newest_records
            records = await self._clerk.ask(newest, self._most, watches=sorted(self._watches))
        except ArchiveFailed as error:
            for path in self._paths:
                await self._fail(path, str(error))
            return
        for path in self._paths:
            await self._write(path, records)

    async def _name(self) -> None:
        """Say what the feed is of: the page, or the site, or the first of several."""
        rows = [row for row in await self._clerk.ask(self._clerk.archive.watches) if row.id in self._watches]
        hosts = list(dict.fromkeys(host(row.url) for row in rows))
        if rows:
            more = f" and {len(hosts) - 1} more" if len(hosts) > 1 else ""
            self._title, self._home = f"New on {hosts[0]}{more}", rows[0].url

    async def _write(self, path: Path, records: list[StoredRecord]) -> None:
        write = partial(write_feed, path, records, title=self._title, home=self._home, now=self._now(), most=self._most)
        try:
            await run_in_daemon(write, "scythe-feed")
        except OSError as error:
            await self._fail(path, error.strerror or str(error))
            return
        if self._failures[path]:
            self._failures[path] = 0
            await self._report(HookEvent(self._now(), "", "", "recovered", f"feed {path.name}"))

    async def _fail(self, path: Path, why: str) -> None:
        self._failures[path] += 1
        if self._failures[path] == 1:
            again = self._now() + timedelta(seconds=self._pause_s(1))
            await self._report(HookEvent(self._now(), "", "", "failed", f"feed {path.name}", why, next_at=again))

    def _pause_s(self, failures: int) -> float:
        return min(self._rest_s * 2.0 ** min(failures, 30), LIMITS.hook_pause_s)
