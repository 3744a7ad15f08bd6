"""What all trials share: places for archives, the time that work takes, and how results are written."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from itertools import count
from pathlib import Path
from typing import Any

from scythe.archive.archive import Archive


@contextmanager
def new_archives(folder: Path, *, is_postgres: bool) -> Iterator[Iterator[str]]:
    """Give out places for archives, each new: files in `folder`, or schemas of a PostgreSQL server of our own."""
    if not is_postgres:
        yield (str(folder / f"archive-{number}.db") for number in count())
        return
    from tests.postgres import find_programs, serve_postgres

    programs = find_programs()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed")
    with serve_postgres(programs) as socket:
        yield new_schemas(socket)


_SCHEMAS = count()  # of this process: several trials may share a server


def new_schemas(socket: str) -> Iterator[str]:
    """Give out new schemas of the PostgreSQL server at `socket`."""
    from tests.postgres import address, command

    while True:
        name = f"trial{next(_SCHEMAS)}"
        command(socket, f"CREATE SCHEMA {name}")
        yield address(socket, name)


@contextmanager
def trial_folder(keep: Path | None = None, *, postgres: bool = False) -> Iterator[tuple[Path, Iterator[str]]]:
    """Give a folder, removed at the end unless it is `keep`, and places for archives."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with new_archives(folder, is_postgres=postgres) as places:
            yield folder, places


def least_us(work: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU time of some runs, in microseconds: other processes only ever add to it."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        work()
        spent.append(1e6 * (time.process_time() - began))
    return min(spent)


def median_ms(work: Callable[[], object], times: int) -> float:
    """Return the median of the wall clock, in milliseconds."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append(1e3 * (time.perf_counter() - began))
    return statistics.median(spent)


class ArchiveCpu:
    """CPU time of this process and of the one that serves an archive, which must run on this machine."""

    def __init__(self, archive: Archive) -> None:
        self._server: int | None = None
        if not archive.is_sqlite:
            with archive.reading() as connection:
                self._server = int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())

    def seconds(self) -> float:
        """Return the seconds since both started."""
        spent = time.process_time()
        if self._server is not None:
            stat = Path(f"/proc/{self._server}/stat").read_text(encoding="utf-8")
            user, system = stat[stat.rfind(")") + 1 :].split()[11:13]
            spent += (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        return spent

    def each_ms(self, work: Callable[[], object], times: int = 20) -> float:
        """Return the milliseconds of one call, the first left out."""
        work()
        began = self.seconds()
        for _ in range(times):
            work()
        return (self.seconds() - began) / times * 1e3


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as a Markdown table, each as soon as it is there."""
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def describe(verdict: Any) -> str:
    """Write a verdict as JSON, lists of seconds in short."""
    table = asdict(verdict)
    for name, value in list(table.items()):
        if name.endswith("_s") and isinstance(value, list):
            table[name] = _in_short(sorted(value))
    return json.dumps(table | {"faults": verdict.faults()}, indent=2)


def _in_short(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    late = values[len(values) * 19 // 20]
    return {"number": len(values), "median": values[len(values) // 2], "95 of 100": late, "most": values[-1]}


def report(result: Any) -> int:
    """Print what a trial returned and return the exit code."""
    if is_dataclass(result):
        print(describe(result))
        return 1 if result.faults() else 0  # type: ignore[attr-defined]
    return int(result or 0)
