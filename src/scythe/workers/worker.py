"""A worker: take jobs, handle as many sites at once as it has places, send heartbeats, and wait for an absent database.

register -> take jobs -> work -> heartbeat, restore what others left -> until stopped
"""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from time import monotonic
from typing import Any

from procrastinate import App
from procrastinate.exceptions import ConnectorException

from scythe.archive.archive import Archive
from scythe.archive.assignments import SILENT, drop_worker, keep_worker
from scythe.archive.host_leases import Owner
from scythe.archive.results import WorkerRow
from scythe.engine.context import RunContext, open_kit
from scythe.engine.worker_protocol import SiteSetup
from scythe.errors import ArchiveFailed, BadInput
from scythe.version import version
from scythe.workers.job_queue import QUEUE, Engine, connected, is_away, make_app, prepare_jobs, reason
from scythe.workers.work import AssignmentThread, Tell, Work, is_left, tend

_FIRST_S = 5.0  # until it is said again; then twice as long each time
_ABSENCE_LONGEST_S = 300.0


class Absence:
    """How long the database has been away, as one worker sees it."""

    def __init__(self, patience_s: float, tell: Callable[[str], None], clock: Callable[[], float] = monotonic) -> None:
        self._patience_s, self._tell, self._clock = patience_s, tell, clock
        self._since: float | None = None
        self._next_at, self._pause_s = 0.0, _FIRST_S
        self._why = ""

    @property
    def is_too_long(self) -> bool:
        """Whether there is no point in waiting any longer."""
        return self._since is not None and self._clock() - self._since > self._patience_s

    def note(self, error: BaseException) -> None:
        """Take note of what went wrong; what the database itself refused is told, and is no absence."""
        if not is_away(error):
            self._tell(f"the archive refused: {reason(error)}")
            return
        now = self._clock()
        if self._since is None:
            self._since, self._next_at, self._pause_s = now, now, _FIRST_S
        self._why = reason(error) or "it does not answer"
        if now >= self._next_at:
            self._tell(f"the database is away for {now - self._since:.0f} s: {self._why}; waits {self._patience_s:g} s")
            self._next_at, self._pause_s = now + self._pause_s, min(2 * self._pause_s, _ABSENCE_LONGEST_S)

    def end(self) -> None:
        """Take note that the database answers."""
        if self._since is not None:
            self._tell(f"the database is back after {self._clock() - self._since:.0f} s")
            self._since = None

    def describe(self, where: str) -> str:
        """Say why a worker ends."""
        return (
            f"{where}: the database was away for more than {self._patience_s:g} s ({self._why}); nothing is lost, "
            "start the worker again when it is back, or let it wait longer with --patience"
        )


_SIGNS = 8.0  # times in a heartbeat that a worker says it is there, and tends
_POLL_S = 1.0  # between two looks for a job that has become due, at most
_POLLS = 12.0  # times in a heartbeat, at least: a job that is put back is announced to nobody
_AGAIN_S = 2.0  # until the next attempt where the database is away
_ENDING_S = 15.0  # to give everything back; then so long again for what needs no answer of the archive
_LOOK_S = 30.0  # a round that takes longer, and longer than a heartbeat, has met a database that is away
_SHORTEST_S, _LONGEST_S = 1.0, 3_600.0


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How much one worker takes on."""

    places: int = 8  # sites at once
    heartbeat_s: float = 30.0  # silent for so long: others have taken over
    extractors: int = 1  # processes that extract
    until_idle: bool = False  # end when no site is left to crawl and no list is due
    patience_s: float = 600.0  # with a database that is away; then the worker ends

    def __post_init__(self) -> None:
        """Raise BadInput where a value cannot be meant."""
        for name in ("places", "extractors"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}")
        if not _SHORTEST_S <= self.heartbeat_s <= _LONGEST_S:
            raise BadInput(f"a heartbeat is {_SHORTEST_S:g} to {_LONGEST_S:g} seconds, not {self.heartbeat_s:g}")
        if not self.patience_s >= 0:
            raise BadInput(f"patience is a number of seconds, not {self.patience_s:g}")


class Worker:
    """One process that works on what was handed over, until it is stopped."""

    def __init__(self, archive: Archive, options: WorkerOptions | None = None, *, tell: Tell | None = None) -> None:
        self.options = options or WorkerOptions()
        self.owner = Owner.of_this_process()
        self.name = f"{platform.node()}:{os.getpid()}"
        self.is_stopped = False
        self.is_late = False  # not everything could be given back: a call to the archive may still be under way
        self._archive = archive
        self._tell = tell or (lambda site, said: None)
        self._stop = asyncio.Event()
        self._kit: RunContext
        self._app: App
        self._engine: Engine
        self._work: Work
        self._absence = Absence(self.options.patience_s, partial(self._tell, ""))
        self._idle: set[int] = set()  # jobs that nothing here worked on when it was last looked
        self._judges_from = 0.0  # by the steady clock: before, nobody is taken for gone

    def stop(self) -> None:
        """End soon: what is under way is given back, and others go on with it at once."""
        self.is_stopped = True
        self._stop.set()

    async def run(self) -> None:
        """Work until `stop` is called or, with `until_idle`, until nothing is left.

        Raises BadInput where the archive is no PostgreSQL database, ArchiveFailed where it cannot begin, or where the
        database was away for longer than `patience_s`.
        """
        async with AsyncExitStack() as stack:
            lease_s = SILENT * self.options.heartbeat_s
            self._archive.limit_pauses(lease_s)
            shared = open_kit(self._archive, extractors=self.options.extractors, owner=self.owner, lease_s=lease_s)
            self._kit = await stack.enter_async_context(shared)
            await self._kit.clerk.ask(prepare_jobs, self._archive)
            self._ledger = AssignmentThread(self._archive)
            stack.push_async_callback(self._ledger.close)
            self._app = make_app(self._archive, lease_s)
            self._engine = await stack.enter_async_context(connected(self._app))
            self._work = Work(self._archive, self._kit, self._engine, self._ledger, self._tell)
            self._work.register(self._app)
            self._engine.introduce, self._engine.places = self._introduce, self.options.places
            self._engine.on_away = self._absence.note
            warming = asyncio.ensure_future(self._warm())
            try:
                while not self._stop.is_set() and not self._absence.is_too_long:
                    await self._serve()
            finally:
                warming.cancel()
                await asyncio.gather(warming, return_exceptions=True)
            with suppress(ArchiveFailed, TimeoutError):  # it is forgotten when it has been silent for long enough
                async with asyncio.timeout(0 if self.is_late or self._absence.is_too_long else _ENDING_S):
                    await self._ledger.note(drop_worker, self.owner.to_text())
        if self._absence.is_too_long and not self.is_stopped:
            raise ArchiveFailed(self._absence.describe(self._archive.where))

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
            ends = await self._until_ended(asyncio.gather(*tasks, return_exceptions=True))
        for end in ends:
            if isinstance(end, ConnectorException | ArchiveFailed):
                self._absence.note(end)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), _AGAIN_S)
            elif isinstance(end, Exception):
                raise end

    async def _until_ended(self, ending: asyncio.Future[list[Any]]) -> list[Any]:
        """Wait until everything was given back. Who is asked to end does not wait for ever: others will notice.

        A worker that was stopped, or a database that is away, may keep an answer back for long.
        """
        stopped = asyncio.ensure_future(self._stop.wait())
        if not self._absence.is_too_long:
            both: list[asyncio.Future[Any]] = [ending, stopped]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        await asyncio.wait([ending], timeout=0 if self._absence.is_too_long else _ENDING_S)
        if not ending.done():
            self.is_late = True
            self._kit.clerk.abandon()
            self._ledger.abandon()
            self._engine.is_abandoned = True
            await asyncio.wait([ending], timeout=_ENDING_S)
        return ending.result() if ending.done() else []

    async def _introduce(self, number: int) -> None:
        """Tell all others which number this worker has from now on."""
        await self._ledger.note(keep_worker, self._row(number))

    async def _keep_on(self) -> None:
        """Say that this worker is there, and tend; return when it is not known any more, or nothing is left."""
        while True:
            try:
                async with asyncio.timeout(max(self.options.heartbeat_s, _LOOK_S)):  # a network may swallow everything
                    if self._engine.number is not None and not await self._look_after():
                        self._tell("", "was silent for too long; begins anew")
                        return
            except (ArchiveFailed, ConnectorException, TimeoutError) as error:
                self._absence.note(error)
                # nobody could say that it is there: when the database is back, let them
                self._judges_from = monotonic() + SILENT * self.options.heartbeat_s
            if self._absence.is_too_long:
                return
            wait_s = self.options.heartbeat_s / _SIGNS
            await asyncio.sleep(
                min(wait_s, _POLL_S) if self._engine.number is None or self.options.until_idle else wait_s
            )

    async def _look_after(self) -> bool:
        """Do one round; False: others think that this worker is gone."""
        held = await self._engine.held()
        if held is None:
            return False
        await self._ledger.note(keep_worker, self._row(self._engine.number))
        self._absence.end()
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

    def _row(self, number: int | None) -> WorkerRow:
        now = datetime.now(UTC)  # the database puts its own time in place of it
        return WorkerRow(
            owner=self.owner.to_text(),
            name=self.name,
            made_by=version(),
            heartbeat_s=self.options.heartbeat_s,
            places=self.options.places,
            sites=tuple(sorted({one.row.site_key for one in self._work.under_way.values()})),
            number=number,
            began_at=now,
            seen_at=now,
        )
