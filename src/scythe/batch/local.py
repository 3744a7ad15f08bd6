"""Run units on this machine: units come in, reports go out as they are done, by a process for each core.

Threads wait for the processes; a process that dies is replaced by its thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from scythe.batch.hand import Hand
from scythe.batch.learning import Spread, learn_site, scan
from scythe.batch.options import BatchOptions
from scythe.batch.report import UnitReport
from scythe.batch.unit import Unit
from scythe.batch.worker import LEARN, SCAN

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
    items: Iterable[Item], work: Callable[[Hand, Item], Result], options: BatchOptions, look: Look | None
) -> Iterator[tuple[Item, Result]]:
    """Do something with every item, in as many processes as there shall be; yield each with what came of it."""
    source = _Source(iter(items))
    done: SimpleQueue[tuple[Item, Result] | None] = SimpleQueue()  # None: one who works has nothing left to do
    hands = [Hand(options) for _ in range(count_processes(options.processes))]

    def labour(hand: Hand) -> None:
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


def _next(done: SimpleQueue[Result], hands: Sequence[Hand], look: Look | None) -> Result:
    """Wait for what is done; meanwhile tell how it goes."""
    while True:
        try:
            return done.get(timeout=_LOOK_S)
        except Empty:
            if look is not None:
                look(sum(hand.pages for hand in hands))
