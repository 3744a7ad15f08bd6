"""Run the units of a batch on this machine, one process per core, replacing processes that die.

A page that kills its process twice is skipped and reported as failed; all others of its unit are extracted.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, Generic, TypeVar

from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import EXTRACT, ILL, LEARN, SCAN, Note
from scythe.batch.learn_sites import Spread, learn_site, scan
from scythe.batch.units import Unit, UnitReport
from scythe.engine.worker_pool import SINGLE_THREADED

_DEATHS = 60  # of one unit before it is given up: each means to begin it again
_IDLE_DEATHS = 3  # that no page was at hand in
_ATTEMPTS = 2  # at another task: what else goes on at a machine may end a process once
_SAID_BYTES = 2_000  # of what a worker wrote before it died


class UnitWorker:
    """Does one unit at a time, in a process of its own."""

    def __init__(self, options: BatchOptions) -> None:
        self._options = options
        self._folder = tempfile.TemporaryDirectory(prefix="scythe-batch-")
        self._note = Note(self._path("note"), create=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._is_closed = False
        self._why_not = ""  # a process could be started
        self.deaths = 0

    @property
    def pages(self) -> int:
        """How many pages the process has begun since it was started."""
        return self._note.get()[1] if not self._is_closed else 0

    def extract(self, unit: Unit, out: Path) -> UnitReport:
        """Do one unit; return what came of it, or why it failed as a whole."""
        blamed: dict[int, str] = {}
        suspect, idle, why = -1, 0, ""
        for _ in range(_DEATHS):
            answer = self._ask({"do": EXTRACT, "unit": unit.to_dict(), "out": str(out), "blamed": blamed})
            if answer is not None:
                failed = answer.get("why")
                return UnitReport(unit, why=failed) if failed else UnitReport.from_dict(answer["done"])
            if self._is_closed:
                return UnitReport(unit, why="interrupted")
            why = self._bury()
            at = self._note.get()[0]
            idle = idle + 1 if at < 0 else 0
            if idle >= _IDLE_DEATHS:
                break
            if at >= 0 and at == suspect:
                blamed[at] = why
            suspect = at
        return UnitReport(unit, why=f"its worker died again and again, at last: {why}")

    def close(self) -> None:
        """End the process, whatever it is at."""
        with self._lock:
            self._is_closed = True
            process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for pipe in _pipes(process):
                _close(pipe)
        self._note.close()
        self._folder.cleanup()

    def do(self, task: Mapping[str, Any]) -> tuple[Any, str]:
        """Do another task, a second time where the process died; return what came of it, or None and why."""
        why = ""
        for _ in range(_ATTEMPTS):
            answer = self._ask(task)
            if answer is not None:
                return answer.get("done"), answer.get("why", "")
            if self._is_closed:
                return None, "interrupted"
            why = self._bury()
        return None, why

    def _ask(self, task: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a task; None where the process died."""
        process = self._process or self._start()
        if process is None:
            return None
        line = json.dumps({"options": self._options.to_dict(), **task})
        to_it, from_it = _pipes(process)
        try:
            to_it.write(line.encode() + b"\n")
            to_it.flush()
            answer: dict[str, Any] | None = json.loads(from_it.readline() or b"null")
        except (OSError, ValueError):  # the pipe broke, or we closed it
            return None
        return answer

    def _start(self) -> subprocess.Popen[bytes] | None:
        """Start a process and wait until it is ready; None where it died of that or there shall be none."""
        command = [
            sys.executable,
            "-m",
            "scythe.batch.batch_worker",
            str(self._path("note")),
            str(self._options.memory_bytes),
        ]
        with self._lock:
            if self._is_closed:
                return None
            self._note.put(-1, 0)
            try:
                with self._path("said").open("wb") as said:
                    self._process = subprocess.Popen(  # noqa: S603 (our own module, no words of others)
                        command,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=said,
                        env=os.environ | SINGLE_THREADED,
                        start_new_session=True,  # Ctrl-C is for us
                    )
            except OSError as error:  # no more processes, no memory, a full disk
                self._why_not = error.strerror or str(error)
                return None
            process = self._process
        return process if _pipes(process)[1].readline() else None

    def _bury(self) -> str:
        """Take leave of a process that died; say how it did."""
        process, self._process = self._process, None
        self.deaths += 1
        if process is None:
            return f"it does not start: {self._why_not}"
        for pipe in _pipes(process):
            _close(pipe)
        code = process.wait()
        if code == -signal.SIGXCPU:
            return f"took more than {self._options.cpu_s:g} s"
        if code == ILL:
            return "took too much memory"
        if code < 0:
            return f"ended its process by {signal.Signals(-code).name}"
        said = self._path("said").read_bytes()[-_SAID_BYTES:].decode("utf-8", "replace").strip()
        return f"ended its process with code {code}: {said.splitlines()[-1] if said else 'no word'}"

    def _path(self, name: str) -> Path:
        return Path(self._folder.name) / name


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """Return what a process reads from and what it writes to."""
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # what was not written yet: nobody reads it any more
        return


_ours: dict[BatchOptions, UnitWorker] = {}  # of this process, for engines that bring processes of their own


def our_hand(options: BatchOptions) -> UnitWorker:
    """Return the one of this process, for engines that bring processes of their own."""
    if options not in _ours:
        _ours[options] = UnitWorker(options)
    return _ours[options]


_LOOK_S = 0.2  # between two looks at how far workers are
Look = Callable[[int], None]  # told how many pages of units under way are done


def count_processes(wanted: int | None) -> int:
    """Return how many processes there shall be: as many as there are cores, where nobody says."""
    return wanted or len(os.sched_getaffinity(0))


def run_units(
    units: Sequence[Unit], out: Path, options: BatchOptions, look: Look | None = None
) -> Iterator[UnitReport]:
    """Yield a report for every unit, in the order they end. Whoever closes the iterator ends the run."""
    for _, report in _share(units, lambda hand, unit: hand.extract(unit, out), options, look):
        yield report


def spread(options: BatchOptions) -> Spread:
    """Return what does the tasks of learning side by side, in processes."""

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any | None, str]]:
        do = {scan: SCAN, learn_site: LEARN}[function]
        for item, (found, why) in _share(items, lambda hand, one: hand.do({**asdict(one), "do": do}), options, None):
            yield item, found, why

    return run


Item = TypeVar("Item")
Result = TypeVar("Result")


def _share(
    items: Iterable[Item], work: Callable[[UnitWorker, Item], Result], options: BatchOptions, look: Look | None
) -> Iterator[tuple[Item, Result]]:
    """Do something with every item, in as many processes as there shall be; yield each with what came of it."""
    source = _Source(iter(items))
    done: SimpleQueue[tuple[Item, Result] | None] = SimpleQueue()  # None: one who works has nothing left to do
    hands = [UnitWorker(options) for _ in range(count_processes(options.processes))]

    def labour(hand: UnitWorker) -> None:
        try:
            while (item := source.take()) is not None:
                done.put((item, work(hand, item)))
        finally:
            done.put(None)

    threads = [Thread(target=labour, args=(hand,), daemon=True) for hand in hands]
    for thread in threads:
        thread.start()
    try:
        left = len(threads)
        while left:
            one = _next(done, hands, look)
            if one is None:
                left -= 1
            else:
                yield one
    finally:
        source.close()
        for hand in hands:
            hand.close()
        for thread in threads:
            thread.join()


class _Source(Generic[Item]):
    """Items that several threads take one by one, until there are no more or nobody wants them."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items, self._lock = items, Lock()
        self._is_closed = False

    def take(self) -> Item | None:
        with self._lock:
            return None if self._is_closed else next(self._items, None)

    def close(self) -> None:
        self._is_closed = True


def _next(done: SimpleQueue[Result], hands: Sequence[UnitWorker], look: Look | None) -> Result:
    """Wait for what is done; meanwhile tell how it goes."""
    while True:
        try:
            return done.get(timeout=_LOOK_S)
        except Empty:
            if look is not None:
                look(sum(hand.pages for hand in hands))
