"""Run the units of a batch on a Ray cluster.

Ray Data gets paths; files are opened inside its tasks by the same function as locally, so the rows are the same.
(`ray.data.read_binary_files` would silently decompress a `.warc.gz` into one row.) All machines must see files, output
and profiles under the same paths.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from scythe.batch.batch_options import BatchOptions
from scythe.batch.batch_worker import LEARN, SCAN
from scythe.batch.learn_sites import LearnTask, ScanTask, Spread, learn_site
from scythe.batch.local_engine import Look, UnitWorker
from scythe.batch.units import Unit, UnitReport
from scythe.errors import MissingExtra

_AT_A_TIME = 1_000  # tasks of one data set: as many rows wait in the driver

Row = dict[str, str]


def run_units(
    units: Sequence[Unit], out: Path, options: BatchOptions, look: Look | None = None
) -> Iterator[UnitReport]:
    """Yield a report for every unit, in the order they end; what is under way elsewhere cannot be looked at."""
    target = str(out.resolve())
    for row in _run(_extract, ({"unit": _dump(unit), "out": target} for unit in units), options):
        yield _load(row["report"], UnitReport)


def spread(options: BatchOptions) -> Spread:
    """Return what does the tasks of learning side by side, on the cluster."""

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any | None, str]]:
        kind = LEARN if function is learn_site else SCAN
        waiting: dict[str, Any] = {}

        def tasks() -> Iterator[Row]:
            for number, item in enumerate(items):
                waiting[str(number)] = item
                yield {"task": _dump(item), "kind": kind, "number": str(number)}

        for row in _run(_do, tasks(), options):
            yield waiting.pop(row["number"]), json.loads(row["found"]), row["why"]

    return run


def _extract(row: Row) -> Row:
    """Do one unit, in a task of Ray; a page that a process dies of must not end that of Ray."""
    unit = _load(row["unit"], Unit)
    return {"report": _dump(_runner().run(_worker(row["options"]).extract(unit, Path(row["out"]))))}


def _do(row: Row) -> Row:
    """Do one task of learning, in a task of Ray."""
    task = _load(row["task"], LearnTask if row["kind"] == LEARN else ScanTask)
    found, why = _runner().run(_worker(row["options"]).do(row["kind"], task))
    return {"number": row["number"], "found": json.dumps(found), "why": why}


def _dump(record: object) -> str:
    return json.dumps(msgspec.to_builtins(record))


def _load(text: str, of: Any) -> Any:
    return msgspec.convert(json.loads(text), of)


_workers: dict[str, UnitWorker] = {}  # of this process, by their options


@cache
def _runner() -> asyncio.Runner:
    """Return the loop that the workers of this process live in, from one task of Ray to the next."""
    return asyncio.Runner()


def _worker(options: str) -> UnitWorker:
    if options not in _workers:
        _workers[options] = UnitWorker(_load(options, BatchOptions))
    return _workers[options]


def _run(function: Callable[[Row], Row], tasks: Iterable[Row], options: BatchOptions) -> Iterator[Any]:
    """Yield what a function returns for every task. A row of Ray Data is plain text: it guesses at types otherwise."""
    told = _dump(options)
    with cluster(options) as data:
        source = iter(tasks)
        while some := [{**task, "options": told} for task in islice(source, _AT_A_TIME)]:
            made = data.from_items(some, override_num_blocks=len(some)).map(function, num_cpus=1)
            yield from made.iter_rows()


@contextmanager
def cluster(options: BatchOptions) -> Iterator[Any]:
    """Use the cluster that the caller is connected to or RAY_ADDRESS names; where there is none, one of this machine.

    Contexts may be nested: whoever opened a cluster closes it.
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("the engine ray needs the package ray: pip install 'webscythe[ray]'") from None
    is_ours = not ray.is_initialized()
    if is_ours:
        cores = options.processes if "RAY_ADDRESS" not in os.environ else None
        ray.init(num_cpus=cores, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    context = ray.data.DataContext.get_current()
    before = context.enable_progress_bars
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    try:
        yield ray.data
    finally:
        context.enable_progress_bars = before
        if is_ours:
            ray.shutdown()
