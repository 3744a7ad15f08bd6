"""Run the units of a batch on this machine, one process per core, replacing processes that die.

A page that kills its process twice is skipped and reported as failed; all others of its unit are extracted.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TypeVar

import msgspec

from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import EXTRACT, LEARN, NOTE, SCAN, ExtractTask, TaskAnswer
from scythe.batch.learn_sites import Spread, learn_site, scan
from scythe.batch.units import Unit, UnitReport
from scythe.engine.background import Stream
from scythe.engine.worker_protocol import Caps, Message, write_frame
from scythe.engine.worker_slot import Slot, WorkerTask
from scythe.errors import ScytheError

_WORKER = "scythe.batch.batch_worker"  # the module that every process runs
_DEATHS = 60  # of one unit before it is given up: each means to begin it again
_IDLE_DEATHS = 3  # that no page was at hand in
_ATTEMPTS = 2  # at another task: what else goes on at a machine may end a process once


@dataclass(slots=True, eq=False)
class BatchTask(WorkerTask[TaskAnswer]):
    """What is asked of a worker."""

    kind: str
    content: object

    def to_frames(self, told: set[str]) -> list[bytes]:
        return [write_frame(self.kind, self.content)]

    def take(self, message: Message) -> None:
        self.settle(message.read(TaskAnswer))

    def blame(self, why: str) -> None:
        self.settle(TaskAnswer(died=why))


class UnitWorker:
    """Does one task at a time, in a process of its own that is replaced when it dies."""

    def __init__(self, options: BatchOptions) -> None:
        self._options = options
        # a unit may take any time, its pages may not
        self._slot = Slot(Caps(options.cpu_s, options.memory_bytes, math.inf), _WORKER)
        self._note = NamedTemporaryFile(prefix="scythe-batch-", buffering=0)  # noqa: SIM115 (as long as the worker)
        self._note.write(NOTE.pack(-1, 0))

    @property
    def pages(self) -> int:
        """How many pages the process has begun since it was started."""
        return self._read_note()[1]

    async def extract(self, unit: Unit, out: Path) -> UnitReport:
        """Do one unit; return what came of it, or why it failed as a whole."""
        blamed: dict[int, str] = {}
        task = ExtractTask(unit, str(out), self._options, self._note.name, blamed)
        suspect, idle, why = -1, 0, ""
        for _ in range(_DEATHS):
            os.pwrite(self._note.fileno(), NOTE.pack(-1, self.pages), 0)
            answer = await self._ask(EXTRACT, task)
            if answer.why:
                return UnitReport(unit, why=answer.why)
            if answer.done is not None:
                return msgspec.convert(answer.done, UnitReport)
            why, at = answer.died, self._read_note()[0]
            idle = idle + 1 if at < 0 else 0
            if idle >= _IDLE_DEATHS:
                break
            if at >= 0 and at == suspect:
                blamed[at] = why
            suspect = at
        return UnitReport(unit, why=f"its worker died again and again, at last: {why}")

    async def do(self, kind: str, task: object) -> tuple[Any, str]:
        """Do another task, a second time where the process died; return what came of it, or None and why."""
        for _ in range(_ATTEMPTS):
            answer = await self._ask(kind, task)
            if not answer.died:
                break
        return answer.done, answer.why or answer.died

    async def close(self) -> None:
        """End the process, whatever it is at."""
        await self._slot.close()
        self._note.close()

    async def _ask(self, kind: str, task: object) -> TaskAnswer:
        try:
            return await self._slot.ask(BatchTask(kind, task))
        except ScytheError as error:  # no process starts
            return TaskAnswer(why=str(error))

    def _read_note(self) -> tuple[int, int]:
        at, pages = NOTE.unpack(os.pread(self._note.fileno(), NOTE.size, 0))
        return int(at), int(pages)


_LOOK_S = 0.2  # between two looks at how far workers are
Look = Callable[[int], None]  # told how many pages of units under way are done


def count_processes(wanted: int | None) -> int:
    """Return how many processes there shall be: as many as there are cores, where nobody says."""
    return wanted or len(os.sched_getaffinity(0))


cluster = nullcontext  # nothing is kept from learning to extracting


def run_units(
    units: Sequence[Unit], out: Path, options: BatchOptions, look: Look | None = None
) -> Iterator[UnitReport]:
    """Yield a report for every unit, in the order they end. Whoever closes the iterator ends the run."""
    for _, report in _share(units, lambda worker, unit: worker.extract(unit, out), options, look):
        yield report


def spread(options: BatchOptions) -> Spread:
    """Return what does the tasks of learning side by side, in processes."""

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any | None, str]]:
        kind = {scan: SCAN, learn_site: LEARN}[function]
        for item, (found, why) in _share(items, lambda worker, one: worker.do(kind, one), options):
            yield item, found, why

    return run


Item = TypeVar("Item")
Result = TypeVar("Result")


def _share(
    items: Iterable[Item],
    work: Callable[[UnitWorker, Item], Awaitable[Result]],
    options: BatchOptions,
    look: Look | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Do something with every item, in as many processes as there shall be; yield each with what came of it."""
    source = iter(items)
    stream: Stream[tuple[Item, Result] | int] = Stream("scythe-batch")  # a number: pages done so far
    tasks: list[asyncio.Task[None]] = []

    async def labour(worker: UnitWorker) -> None:
        for item in source:
            await stream.put((item, await work(worker, item)))

    async def count_pages(workers: Sequence[UnitWorker]) -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            await stream.put(sum(worker.pages for worker in workers))

    async def run() -> None:
        workers = [UnitWorker(options) for _ in range(count_processes(options.processes))]
        tasks.extend(asyncio.create_task(labour(worker)) for worker in workers)
        counting = asyncio.create_task(count_pages(workers))
        try:
            await asyncio.gather(*tasks)
        except asyncio.CancelledError:  # nobody wants the rest
            return
        finally:
            for task in (counting, *tasks):
                task.cancel()
            await asyncio.gather(*(worker.close() for worker in workers))

    def stop() -> None:
        for task in tasks:
            task.cancel()

    with closing(stream.follow(run, stop, ExitStack())) as results:
        for one in results:
            if not isinstance(one, int):
                yield one
            elif look is not None:
                look(one)
