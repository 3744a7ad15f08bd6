"""Print what an archive costs a watch: many lists beside many addresses that wait for a crawl.

Half of the addresses wait on the first of 100 sites, among which the lists are spread evenly. CPU of both processes,
the database's included, in milliseconds per call.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bench.trials.harness import ArchiveCpu, print_table, trial_folder
from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_due, next_tasks
from scythe.archive.host_leases import Owner, leave_host, take_host
from scythe.archive.observations import lists_of_watch, watched_lists
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.retrieval import new_records, newest_records
from scythe.archive.stored_records import known_records
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch, due_sites, due_watches, watch_rows, wind_watches
from scythe.crawl_model import WATCHED, Extracted, FoundUrl, Looked, Outcome, Task
from scythe.model import Record, RecordList
from scythe.url import Url
from scythe.watch_model import Observation, VisitPlan

SITES = 100
BATCH = 5_000
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
ME = Owner.of_this_process()


def fill(archive: Archive, watches: int, addresses: int) -> list[int]:
    """Make the sites; return their numbers."""
    sites = [
        add_site(archive, f"site{number}.example", Url(f"http://site{number}.example/")) for number in range(SITES)
    ]
    shares = [addresses // 2, *[addresses // 2 // (SITES - 1)] * (SITES - 1)]
    for number, (site, share) in enumerate(zip(sites, shares, strict=True)):
        host = f"site{number}.example"
        for start in range(0, share, BATCH):
            names = range(start, min(start + BATCH, share))
            add_urls(archive, site, [FoundUrl(Url(f"http://{host}/page/{name}"), host) for name in names])
        for place in range(watches // SITES):
            add_watch(archive, site, FoundUrl(Url(f"http://{host}/list/{place}"), host), "{}", now=NOW)
    return sites


def visit(task: Task, number: int, wait_s: float) -> Outcome:
    """Return a visit that saw one region of 30 records, two of them new."""
    records = [
        Record((f"Entry {at}", "What it says in a line or two"), (Url(f"{task.url}/{at}"),))
        for at in range(number * 2 + 30, number * 2, -1)
    ]
    region = RecordList(tuple(records), ("title", "text"))
    newest = tuple(f"{at:032x}" for at in range(30))
    seen = Looked(
        1, Observation(0.0, 30, 2), VisitPlan(wait_s, 2.0, 0.01, 5.0, "forecast"), newest=newest, estimator="x" * 8_000
    )
    at = NOW + timedelta(hours=6 * number)  # when the visit before has made it due again
    retry_at = at + timedelta(seconds=wait_s)
    return Outcome(
        task,
        "retry",
        at,
        status=200,
        seconds=0.1,
        retry_at=retry_at,
        extracted=Extracted(lists=(region,)),
        looked=(seen,),
    )


def visit_all(archive: Archive, sites: list[int]) -> None:
    """Visit every list once; they are due again a minute to a day later."""
    for number, site in enumerate(sites):
        tasks = next_tasks(archive, site, f"site{number}.example", 1_000, now=NOW, kinds=WATCHED)
        store_outcomes(archive, [visit(task, 0, 3_600.0 + place * 600) for place, task in enumerate(tasks)])


def measure(where: str, watches: int, addresses: int) -> None:
    with open_archive(where) as archive:
        sites = fill(archive, watches, addresses)
        visit_all(archive, sites)
        if not archive.is_sqlite:
            with archive.writing() as connection:
                connection.exec_driver_sql("ANALYZE")
        cpu = ArchiveCpu(archive)
        print(f"\n{where}: {watches} lists on {SITES} sites, {addresses} addresses that wait for a crawl\n")
        site, host = sites[0], "site0.example"
        soon, late = NOW + timedelta(seconds=60), NOW + timedelta(days=2)

        def take(at: datetime) -> None:
            taken = take_host(archive, site, ME, now=at, kinds=WATCHED)
            if taken is not None:
                leave_host(archive, taken, ME, free_at=at, slow=1.0)

        visits = iter(range(1, 1_000_000))
        (task, *_) = next_tasks(archive, site, host, 1, now=late, kinds=WATCHED)
        regions = visit(task, 0, 60.0).extracted.lists  # type: ignore[union-attr]
        calls: dict[str, Callable[[], object]] = {
            "due_watches()": lambda: due_watches(archive),
            "due_sites()": lambda: due_sites(archive),
            "take_host(kinds=WATCHED), nothing due": lambda: take(soon),
            "take_host and leave_host(kinds=WATCHED), lists due": lambda: take(late),
            "next_tasks(kinds=WATCHED), nothing due": lambda: next_tasks(
                archive, site, host, 64, now=soon, kinds=WATCHED
            ),
            "next_tasks(kinds=WATCHED), lists due": lambda: next_tasks(
                archive, site, host, 64, now=late, kinds=WATCHED
            ),
            "next_due(WATCHED)": lambda: next_due(archive, site, WATCHED),
            "next_item_due()": lambda: next_due(archive, site, ("item",)),
            "wind_watches()": lambda: wind_watches(archive, late),
            "watches()": lambda: watch_rows(archive),
            "watched_lists()": lambda: watched_lists(archive),
            "regions() of one list": lambda: lists_of_watch(archive, task.id),
            "known_records(), 30 of one list": lambda: known_records(archive, site, regions),
            "store() of one visit, 2 new records of 30": lambda: store_outcomes(
                archive, [visit(task, next(visits), 60.0)]
            ),
            "new_records(), none new": lambda: new_records(archive, 10**9, watches=None, limit=100),
            "newest_records(50) of one list": lambda: newest_records(archive, 50, watches=[task.id]),
            "next_tasks() of a crawl": lambda: next_tasks(archive, site, host, 64, now=soon),
            "take_host() of a crawl": lambda: take_host(archive, site, ME, now=soon),
        }
        print_table(("call", "ms of CPU"), ((name, f"{cpu.each_ms(work):.2f}") for name, work in calls.items()))


def run(*, watches: int = 2_000, addresses: int = 1_000_000, postgres: bool = False) -> None:
    with trial_folder(postgres=postgres) as (_, places):
        measure(next(places), watches, addresses)
