"""A worker: an archive comes in, sites that were handed over are worked on, as many at once as it has places.

register -> take jobs -> work -> say every now and then "I am here", tend what others left -> until stopped
"""

from __future__ import annotations

import asyncio
import os
import platform
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from time import monotonic

from procrastinate import App
from procrastinate.exceptions import ConnectorException

from scythe.archive.archive import Archive
from scythe.archive.owner import Owner
from scythe.archive.rows import WorkerRow
from scythe.archive.worker_rows import SILENT
from scythe.crawling.jobs import SiteSetup
from scythe.crawling.kit import Kit, open_kit
from scythe.errors import ArchiveFailed, BadInput
from scythe.fleet.engine import QUEUE, Engine, connected, make_app, prepare_jobs, reason
from scythe.fleet.ledger import Ledger
from scythe.fleet.tending import is_left, tend
from scythe.fleet.work import Tell, Work

_SIGNS = 8.0  # times in a heartbeat that a worker says it is there, and tends
_POLL_S = 1.0  # between two looks for a job that has become due, at most
_POLLS = 12.0  # times in a heartbeat, at least: a job that is put back is announced to nobody
_AGAIN_S = 2.0  # until the next attempt where the database is away
_SHORTEST_S, _LONGEST_S = 1.0, 3_600.0


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How much one worker takes on."""

    places: int = 8  # sites at once
    heartbeat_s: float = 30.0  # silent for so long: others have taken over
    extractors: int = 1  # processes that extract
    until_idle: bool = False  # end when no site is left to crawl and no list is due

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        for name in ("places", "extractors"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        if not _SHORTEST_S <= self.heartbeat_s <= _LONGEST_S:
            raise BadInput(f"a heartbeat is {_SHORTEST_S:g} to {_LONGEST_S:g} seconds, not {self.heartbeat_s:g}")


class Worker:
    """One process that works on what was handed over, until it is stopped."""

    def __init__(self, archive: Archive, options: WorkerOptions | None = None, *, tell: Tell | None = None) -> None:
        self.options = options or WorkerOptions()
        self.owner = Owner.of_this_process()
        self.name = f"{platform.node()}:{os.getpid()}"
        self.is_stopped = False
        self._archive = archive
        self._tell = tell or (lambda site, said: None)
        self._stop = asyncio.Event()
        self._kit: Kit
        self._app: App
        self._engine: Engine
        self._work: Work
        self._idle: set[int] = set()  # jobs that nothing here worked on when it was last looked
        self._judges_from = 0.0  # by the steady clock: before, nobody is taken for gone

    def stop(self) -> None:
        """End soon: what is under way is given back, and others go on with it at once."""
        self.is_stopped = True
        self._stop.set()

    async def run(self) -> None:
        """Work until `stop` is called or, with `until_idle`, until nothing is left.

        Raises ArchiveFailed where it cannot begin, BadInput where the archive is no PostgreSQL database. Once it works
        it goes on: where the database is away it waits for it.
        """
        async with AsyncExitStack() as stack:
            lease_s = SILENT * self.options.heartbeat_s
            self._archive.database.limit_pauses(lease_s)
            shared = open_kit(self._archive, extractors=self.options.extractors, owner=self.owner, lease_s=lease_s)
            self._kit = await stack.enter_async_context(shared)
            await self._kit.clerk.ask(prepare_jobs, self._archive)
            self._ledger = Ledger(self._archive)
            stack.push_async_callback(self._ledger.close)
            self._app = make_app(self._archive, lease_s)
            self._engine = await stack.enter_async_context(connected(self._app))
            self._work = Work(self._archive, self._kit, self._engine, self._ledger, self._tell)
            self._work.register(self._app)
            warming = asyncio.ensure_future(self._warm())
            try:
                while not self._stop.is_set():
                    await self._serve()
            finally:
                warming.cancel()
                await asyncio.gather(warming, return_exceptions=True)
            with suppress(ArchiveFailed):  # it is forgotten when it has been silent for long enough
                await self._ledger.drop_worker(self.owner.to_text())

    async def _warm(self) -> None:
        """Start the processes that extract, so that a site that has to be taken over need not wait for them."""
        setups = [SiteSetup(f"warm {n}", ("text",), learns=False) for n in range(self.options.extractors)]
        await asyncio.gather(*(self._kit.pool.warm(setup) for setup in setups))
        for setup in setups:
            self._kit.pool.drop_site(setup)

    async def _serve(self) -> None:
        """Take jobs under one number, until stopped, or until others think that this worker is gone."""
        self._engine.number = None
        serving = asyncio.ensure_future(
            self._app.run_worker_async(
                queues=[QUEUE],
                name=self.name,
                concurrency=self.options.places,
                fetch_job_polling_interval=min(_POLL_S, self.options.heartbeat_s / _POLLS),
                shutdown_graceful_timeout=0,
                delete_jobs="successful",
                install_signal_handlers=False,
                update_heartbeat_interval=self.options.heartbeat_s / _SIGNS,
                stalled_worker_timeout=SILENT * self.options.heartbeat_s,
            )
        )
        tasks = [serving, asyncio.ensure_future(self._keep_on()), asyncio.ensure_future(self._stop.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, ConnectorException):
                self._tell("", f"the database is away: {reason(end)}")
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), _AGAIN_S)
            elif isinstance(end, Exception):
                raise end

    async def _keep_on(self) -> None:
        """Say that this worker is there, and tend; return when it is not known any more, or nothing is left."""
        while True:
            try:
                if self._engine.number is not None and not await self._look_after():
                    self._tell("", "was silent for too long; begins anew")
                    return
            except (ArchiveFailed, ConnectorException) as error:
                self._tell("", f"the database is away: {reason(error)}")
                # nobody could say that it is there: when the database is back, let them
                self._judges_from = monotonic() + SILENT * self.options.heartbeat_s
            wait_s = self.options.heartbeat_s / _SIGNS
            await asyncio.sleep(
                min(wait_s, _POLL_S) if self._engine.number is None or self.options.until_idle else wait_s
            )

    async def _look_after(self) -> bool:
        """Do one round; False: others think that this worker is gone."""
        held = await self._engine.held()
        if held is None:
            return False
        await self._ledger.keep_worker(self._row())
        await self._compare(held)
        if monotonic() >= self._judges_from:
            await tend(self._engine, self._ledger)
        if self.options.until_idle and not self._work.under_way and not await is_left(self._engine):
            self._stop.set()
        return True

    async def _compare(self, held: dict[int, bool]) -> None:
        """End what is not this worker's any more, or no longer wanted; put back what it has and does not work on."""
        for job, under_way in self._work.under_way.items():
            if not held.get(job, False):
                under_way.lose()
        idle = set(held) - self._work.busy
        for job in idle & self._idle:  # for two rounds: not one that is about to begin or to end
            await self._engine.give_back(job)
        self._idle = idle

    def _row(self) -> WorkerRow:
        now = datetime.now(UTC)  # the database puts its own time in place of it
        return WorkerRow(
            owner=self.owner.to_text(),
            name=self.name,
            made_by=version("scythe"),
            heartbeat_s=self.options.heartbeat_s,
            places=self.options.places,
            sites=tuple(sorted({one.row.site_key for one in self._work.under_way.values()})),
            number=self._engine.number,
            began_at=now,
            seen_at=now,
        )
