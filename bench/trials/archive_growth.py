"""Print what an archive costs per page and per record while it grows: storing, seeing again, reading out.

Each of the pages lists records / pages new ones. At every mark 20 pages whose records are all known are stored
(second sightings), and 10 000 records are read as an export reads them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.trials.harness import ArchiveCpu, trial_folder
from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_records
from scythe.archive.stored_sites import add_site
from scythe.crawl_model import Extracted, FoundUrl, Outcome, Task
from scythe.model import Record, RecordList
from scythe.url import Url

BATCH = 64
MARKS = (10_000, 100_000, 300_000, 1_000_000)
HOST = "shop.example"
SITE = Url(f"http://{HOST}/")
CHANCE = random.Random(1)
WORDS = ["".join(CHANCE.choices("abcdefghij", k=6)) for _ in range(3_000)]


@dataclass
class Spent:
    """Time spent on something, and how often it was done."""

    cpu: ArchiveCpu
    wall_s: float = 0.0
    cpu_s: float = 0.0
    times: int = 0

    @contextmanager
    def on(self, times: int) -> Iterator[None]:
        wall, cpu = time.perf_counter(), self.cpu.seconds()
        yield
        self.wall_s += time.perf_counter() - wall
        self.cpu_s += self.cpu.seconds() - cpu
        self.times += times

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
        lists=(RecordList(tuple(records), ("title", "price", "text"), "products"),) if records else (),
    )
    now = datetime.now(UTC)
    body_hash = CHANCE.randbytes(16)
    return Outcome(task, "done", now, status=200, seconds=0.1, size=100_000, body_hash=body_hash, extracted=extracted)


def add_tasks(archive: Archive, site: int, names: list[str]) -> list[Task]:
    add_urls(archive, site, [FoundUrl(Url(f"{SITE}{name}"), HOST) for name in names])
    return next_tasks(archive, site, HOST, len(names), now=datetime.now(UTC))


def see_again(archive: Archive, site: int, stored: int, cpu: ArchiveCpu) -> Spent:
    """Store pages whose records are known, chosen all over the archive."""
    spent = Spent(cpu)
    tasks = add_tasks(archive, site, [f"again/{stored}/{number}" for number in range(20)])
    outcomes = [page(task, CHANCE.randrange(max(1, stored - 50)), 50, text="short") for task in tasks]
    with spent.on(20 * 50):
        receipts = store_outcomes(archive, outcomes)
    assert sum(receipt.records for receipt in receipts) == 0, "a known record was stored again"
    return spent


def read(archive: Archive, most: int, cpu: ArchiveCpu) -> Spent:
    """Read records from the start, as an export does."""
    spent = Spent(cpu)
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
        site = add_site(archive, HOST, SITE)
        cpu = ArchiveCpu(archive)
        stored, marks, spent, of_pages = 0, [mark for mark in MARKS if mark <= records], Spent(cpu), 0
        while stored < records:
            tasks = add_tasks(archive, site, [f"list/{stored}/{number}" for number in range(BATCH)])
            outcomes = [page(task, stored + place * each, each) for place, task in enumerate(tasks)]
            with spent.on(each * len(outcomes)):
                store_outcomes(archive, outcomes)
            stored += each * len(outcomes)
            of_pages += len(outcomes)
            if marks and stored >= marks[0]:
                per_page = Spent(cpu, spent.wall_s, spent.cpu_s, of_pages)
                again, out = see_again(archive, site, stored, cpu), read(archive, min(10_000, stored), cpu)
                cells = (marks.pop(0), spent.each_us(), per_page.each_us(), again.each_us(), out.each_us())
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)
                spent, of_pages = Spent(cpu), 0
        whole = Spent(cpu)
        with whole.on(stored):
            assert sum(1 for _ in read_records(archive, PageQuery())) == stored
        print(f"\nreading all {stored} records: {whole.each_us()} microseconds each")


def run(*, records: int = 1_000_000, pages: int = 100_000, postgres: bool = False) -> None:
    with trial_folder(postgres=postgres) as (_, places):
        measure(next(places), pages, records)
