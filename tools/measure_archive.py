"""Print what an archive costs per page and per record while it grows: storing, seeing again, reading out.

    python tools/measure_archive.py [--records 1000000] [--pages 100000] [--postgres postgresql://...] [--folder DIR]

Each of the pages lists records / pages new ones. At every mark 20 pages whose records are all known are stored
(second sightings), and 10 000 records are read as an export reads them.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_records
from scythe.archive.sites import add_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Task
from scythe.model import Record, RecordList
from scythe.url import Url

BATCH = 64
MARKS = (10_000, 100_000, 300_000, 1_000_000)
LANE = "shop.example"
SITE = Url(f"http://{LANE}/")
CHANCE = random.Random(1)
WORDS = ["".join(CHANCE.choices("abcdefghij", k=6)) for _ in range(3_000)]


@dataclass
class Spent:
    """Time spent on something, and how often it was done."""

    server: int | None = None  # process of the database, where it is not this one
    wall_s: float = 0.0
    cpu_s: float = 0.0
    times: int = 0

    @contextmanager
    def on(self, times: int) -> Iterator[None]:
        wall, cpu = time.perf_counter(), self._cpu_s()
        yield
        self.wall_s += time.perf_counter() - wall
        self.cpu_s += self._cpu_s() - cpu
        self.times += times

    def _cpu_s(self) -> float:
        if self.server is None:
            return time.process_time()
        stat = Path(f"/proc/{self.server}/stat").read_text(encoding="utf-8")
        user, system = stat[stat.rfind(")") + 1 :].split()[11:13]
        return time.process_time() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def each_us(self) -> str:
        if not self.times:
            return "-"
        return f"{self.wall_s / self.times * 1e6:.0f} ({self.cpu_s / self.times * 1e6:.0f})"


def page(task: Task, first: int, count: int, *, text: str = "") -> Outcome:
    """Return a visit that found a page with records number `first` and on, and one more address."""
    records = [
        Record(
            (f"Thing {number}", f"$ {number % 97}.50", "In stock, sent within two days"),
            (Url(f"{SITE}thing/{number}"),),
            (Url(f"{SITE}images/{number}.jpg"),),
            f"<li class=thing><a href=/thing/{number}>Thing {number}</a> <b>$ {number % 97}.50</b>",
        )
        for number in range(first, first + count)
    ]
    extracted = Extracted(
        title=f"Things from {first}",
        text=text or " ".join(CHANCE.choices(WORDS, k=720)),
        simhash=CHANCE.getrandbits(64),
        regions=(RecordList(tuple(records), ("title", "price", "text"), "products"),) if records else (),
    )
    now = datetime.now(UTC)
    body_hash = CHANCE.randbytes(16)
    return Outcome(task, "done", now, status=200, seconds=0.1, size=100_000, body_hash=body_hash, extracted=extracted)


def add_tasks(archive: Archive, site: int, names: list[str]) -> list[Task]:
    add_urls(archive, site, [FoundUrl(Url(f"{SITE}{name}"), LANE) for name in names])
    return next_tasks(archive, site, LANE, len(names), now=datetime.now(UTC))


def find_server(archive: Archive) -> int | None:
    """Return the process that serves this connection, None for SQLite; only one on this machine can be measured."""
    if archive.is_sqlite:
        return None
    with archive.reading() as connection:
        return int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())


def see_again(archive: Archive, site: int, stored: int, server: int | None) -> Spent:
    """Store pages whose records are known, chosen all over the archive."""
    spent = Spent(server)
    tasks = add_tasks(archive, site, [f"again/{stored}/{number}" for number in range(20)])
    outcomes = [page(task, CHANCE.randrange(max(1, stored - 50)), 50, text="short") for task in tasks]
    with spent.on(20 * 50):
        receipts = store_outcomes(archive, outcomes)
    assert sum(receipt.records for receipt in receipts) == 0, "a known record was stored again"
    return spent


def read(archive: Archive, most: int, server: int | None) -> Spent:
    """Read records from the start, as an export does."""
    spent = Spent(server)
    with spent.on(most):
        for number, _ in enumerate(read_records(archive, PageQuery()), 1):
            if number == most:
                break
    return spent


def measure(where: str, pages: int, records: int) -> None:
    each = records // pages
    print(f"\n{where}: {pages} pages with {each} records each")
    print("microseconds of wall clock (of CPU, the database included)\n")
    print("| records | store, per record | the same, per page | seen again, per record | read, per record |")
    print("|---|---|---|---|---|")
    with open_archive(where) as archive:
        site = add_site(archive, LANE, SITE)
        server = find_server(archive)
        stored, marks, spent, of_pages = 0, [mark for mark in MARKS if mark <= records], Spent(server), 0
        while stored < records:
            tasks = add_tasks(archive, site, [f"list/{stored}/{number}" for number in range(BATCH)])
            outcomes = [page(task, stored + place * each, each) for place, task in enumerate(tasks)]
            with spent.on(each * len(outcomes)):
                store_outcomes(archive, outcomes)
            stored += each * len(outcomes)
            of_pages += len(outcomes)
            if marks and stored >= marks[0]:
                per_page = Spent(server, spent.wall_s, spent.cpu_s, of_pages)
                again, out = see_again(archive, site, stored, server), read(archive, min(10_000, stored), server)
                cells = (marks.pop(0), spent.each_us(), per_page.each_us(), again.each_us(), out.each_us())
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)
                spent, of_pages = Spent(server), 0
        whole = Spent(server)
        with whole.on(stored):
            assert sum(1 for _ in read_records(archive, PageQuery())) == stored
        print(f"\nreading all {stored} records: {whole.each_us()} microseconds each")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--postgres", default="")
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        where = Path(folder) / "archive.db"
        measure(str(where), options.pages, options.records)
        print(f"{where.stat().st_size / 1e6:.0f} MB")
    if options.postgres:
        measure(options.postgres, options.pages, options.records)


if __name__ == "__main__":
    main()
