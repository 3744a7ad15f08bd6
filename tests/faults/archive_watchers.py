"""Processes that watch lists into one archive, killed again and again; the archive is held against what they saw.

Visit number v to a list shows two regions, newest first: one has three new records with each visit and follows them,
the other has two. A visit asks the archive what it knows, as a watch does, so that whatever a kill left half would show
in the next one. Run as `python -m tests.faults.archive_watchers WHERE VISITS KILLS SEED`; prints a line of JSON.
"""

import json
import random
import sys
from collections import Counter
from typing import BinaryIO

from tests.archive.visiting import HOST, NOW, SITE, found, later, listed, looked, region
from tests.faults.archive_writers import kill

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.observations import lists_of_watch, read_looks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.retrieval import new_records
from scythe.archive.site_health import count_archive
from scythe.archive.stored_records import known_records
from scythe.archive.stored_sites import add_site, site_rows
from scythe.archive.verify import verify_archive
from scythe.archive.watches import add_watch, watch_rows
from scythe.crawl_model import Outcome, Task

LISTS = 6
SHOWN = 10
NEW = (3, 2)  # with each visit, in each region
HOUR = 3_600.0
END = later(1e9)


def shown(name: str, visit: int) -> list[list[str]]:
    """Return the paths of the records in each region at a visit, the newest first."""
    return [
        [f"{name}/{part}/{number}" for number in range(visit * new + SHOWN - 1, visit * new - 1, -1)]
        for part, new in enumerate(NEW)
    ]


def visit_list(archive: Archive, task: Task, visit: int) -> Outcome:
    """Return what a watch makes of one visit: records that the archive does not know are new."""
    paths = shown(task.url.removeprefix(SITE), visit)
    regions = [region(*((path, f"Record {path}") for path in ones)) for ones in paths]
    fresh = [[not key.is_known for key in keys] for keys in known_records(archive, task.site, regions)]
    follow = tuple(found(path, kind="item") for path, is_new in zip(paths[0], fresh[0], strict=True) if is_new)
    seen = tuple(looked(part + 1, shown=SHOWN, new=sum(fresh[part])) for part in range(len(NEW)))
    at = later(visit * HOUR)
    return listed(task, *regions, at=at, wait_s=HOUR, looked=seen, found=follow, notes=str(visit + 1))


def watch(where: str, key: str, visits: int, ledger: BinaryIO, seed: int) -> None:
    """Visit the lists until each has its visits; put down every visit once the archive said that it has it."""
    chance = random.Random(seed)
    with open_archive(where) as archive:
        site = add_site(archive, key, SITE)
        for number in range(LISTS):
            add_watch(archive, site, found(f"list{number}"), "{}", now=NOW)
        while True:
            done = {row.id: int(row.notes or 0) for row in watch_rows(archive, site)}
            tasks = next_tasks(archive, site, HOST, 99, now=END, kinds=("list",))
            tasks = [task for task in tasks if done[task.id] < visits]
            if not tasks:
                return
            batch = chance.sample(tasks, min(len(tasks), chance.randint(1, 3)))
            told = store_outcomes(archive, [visit_list(archive, task, done[task.id]) for task in batch])
            lines = [f"{one.task.id} {done[one.task.id]} {one.stored} {len(one.fresh)}\n" for one in told]
            ledger.write("".join(lines).encode())
            ledger.flush()


def compare(archive: Archive, told: list[list[str]], visits: int) -> dict[str, object]:
    """Hold the archive against what the lists showed, and the ledger against the archive."""
    (site,) = site_rows(archive)
    expected: Counter[str] = Counter()
    for number in range(LISTS):
        for visit in range(visits):
            expected.update(f"{SITE}{path}" for paths in shown(f"list{number}", visit) for path in paths)
    records = new_records(archive, 0, watches=None, limit=10**6)
    kept = Counter({str(record.links[0]): record.sightings for record in records})
    regions = [one for row in watch_rows(archive) for one in lists_of_watch(archive, row.id)]
    journal = [list(read_looks(archive, one.id)) for one in regions]
    hours = [later(visit * HOUR) for visit in range(visits)]
    done = {row.id: int(row.notes) for row in watch_rows(archive)}
    items = next_tasks(archive, site.id, HOST, 10**6, now=END, kinds=("item",))
    stored = Counter((watch, visit) for watch, visit, what, _ in told if what != "lost")
    return {
        "told": sum(stored.values()),
        "told_twice": sum(times > 1 for times in stored.values()),
        "told_but_missing": sum(int(visit) >= done[int(watch)] for watch, visit in stored),
        "fresh_told": sum(int(fresh) for *_, fresh in told),
        "records": len(records),
        "records_expected": len(expected),
        "doubled_or_lost": sum((kept - expected).values()) + sum((expected - kept).values()),
        "looks": sorted({one.looks for one in regions}),
        "journal_is_right": all([look.at for look in looks] == hours for looks in journal),
        "counted": sum(one.records for one in regions),
        "followed": len({task.url for task in items}) == len(items) == LISTS * (SHOWN + (visits - 1) * NEW[0]),
        "fetches": count_archive(archive).fetches,
        "complaints": verify_archive(archive),
    }


def main(where: str, visits: int, kills: int, seed: int) -> None:
    told, summary = kill(where, visits, kills, seed, watch)
    with open_archive(where, create=False) as archive:
        print(json.dumps({**summary, **compare(archive, told, visits)}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
