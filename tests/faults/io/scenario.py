"""What a process does with an archive while its disk fails: everything a run stores, with a ledger of what was said.

Each scenario is done again from the beginning after a fault, as a user would run the command again, and goes on where
the archive says. A line of the ledger is written only after the archive, or an export, said that something is done.
"""

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.archive.visiting import HOST, NOW, SITE, begin, found, later
from tests.faults.archive_watchers import HOUR, visit_list
from tests.faults.archive_writers import number_of, visit

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.host_leases import Owner, keep_host, leave_host, take_host
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import StoredRobots
from scythe.archive.retrieval import new_records, newest_records
from scythe.archive.search_index import index_new
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site, newest_version, save_notes, save_profile, save_robots
from scythe.archive.watches import add_watch, load_cursor, save_cursor, watch_rows
from scythe.crawl_model import Outcome, Task
from scythe.output.archive_export import export_archive, plan_export
from scythe.watching.feed_files import write_feed

Tell = Callable[..., None]  # words of one line
PAGES = 5
BATCH = 3
VISITS = 2
LIST = "list"
ARCHIVE = "a.db"
PROFILES = ('{"profile": 1}', '{"profile": 2}')
ORIGIN = "http://site.example"
OLD = Path(__file__).resolve().parents[2] / "archive" / "version_8.sql"
OUTPUTS = ("out.warc.gz", "pages.jsonl", "records.csv")


@dataclass(frozen=True)
class Scenario:
    """Something to do in a folder, where it begins, and how long a journal may grow before it is folded in."""

    name: str
    work: Callable[[Path, Tell], None]
    prepare: Callable[[Path], None] = lambda folder: None
    journal_pages: int = 4_000


def begin_new(folder: Path, tell: Tell) -> None:
    """Make an archive and put a first address into it."""
    with open_archive(folder / ARCHIVE) as archive:
        site = add_site(archive, HOST, SITE)
        tell("site", HOST)
        add_urls(archive, site, [found("0")])
        tell("found", "0")


def crawl(folder: Path, tell: Tell) -> None:
    """Crawl into a file that has everything."""
    crawl_into(folder / ARCHIVE, tell)


def crawl_beside(folder: Path, tell: Tell) -> None:
    """Crawl with bodies in a folder of files."""
    crawl_into(folder / ARCHIVE, tell, f"folder:{folder / 'bodies'}")


def crawl_into(where: Path | str, tell: Tell, store: str = "") -> None:
    """Take a host, visit page after page, keep their bodies, learn a profile."""
    with open_archive(where, store=store) as archive:
        site = add_site(archive, HOST, SITE)
        tell("site", HOST)
        add_urls(archive, site, [found("0"), found("left-out")])
        tell("found", "0")
        owner = Owner.of_this_process()
        host = take_host(archive, site, owner, now=NOW)
        for profile in PROFILES[newest_version(archive, site) :]:
            tell("profile", save_profile(archive, site, profile))
        while tasks := next_tasks(archive, site, HOST, BATCH, now=NOW):
            _visit(archive, tasks, tell)
        if host is not None:
            keep_host(archive, host, owner, now=NOW)
            leave_host(archive, host, owner, free_at=later(1), slow=1.0)
            tell("left", HOST)
        save_robots(archive, StoredRobots(ORIGIN, 200, b"User-agent: *", NOW))
        tell("robots", ORIGIN)
        save_notes(archive, site, "notes")
        tell("notes", site)
        while index_new(archive):
            pass


def _visit(archive: Archive, tasks: list[Task], tell: Tell) -> None:
    for task in tasks:
        if task.url.endswith("left-out"):
            store_outcomes(archive, [Outcome(task, "refused", NOW, why="by the test")])
            tell("settled", task.id)
    outcomes: list[Outcome] = [visit(task, PAGES, HOST) for task in tasks if not task.url.endswith("left-out")]
    for receipt in store_outcomes(archive, outcomes):
        tell("stored", number_of(receipt.task), receipt.stored)


def watch(folder: Path, tell: Tell) -> None:
    """Watch a list, and write a feed of its records."""
    watch_into(folder / ARCHIVE, tell)
    with open_archive(folder / ARCHIVE) as archive:
        newest = newest_records(archive, 50, watches=None)
        write_feed(folder / "feed.json", newest, title="News", home=SITE, now=later(0))
        tell("written", "feed.json")


def watch_into(where: Path | str, tell: Tell) -> None:
    """Visit a list some times and hand its records on in turn."""
    with open_archive(where) as archive:
        site = add_site(archive, HOST, SITE)
        number = add_watch(archive, site, found(LIST), "{}", now=NOW)
        tell("watch", LIST)
        while (at := int(watch_rows(archive, site)[0].notes or 0)) < VISITS:
            (task,) = next_tasks(archive, site, HOST, 9, now=later(at * HOUR), kinds=("list",))
            (receipt,) = store_outcomes(archive, [visit_list(archive, task, at)])
            tell("looked", at, receipt.stored)
        records = new_records(archive, load_cursor(archive, "hook"), watches=[number], limit=1_000)
        for record in records[::5]:
            save_cursor(archive, "hook", record.record)
            tell("handed", record.record)


def migrate(folder: Path, tell: Tell) -> None:
    """Open an archive of an older version, which brings it up to date, and store to it."""
    with open_archive(folder / ARCHIVE) as archive:
        tell("opened", "old")
        site, tasks = begin(archive, "0")
        tell("found", "0")
        _visit(archive, [task for task in tasks if task.url == f"{SITE}0"], tell)
        count_archive(archive, site)


def export(folder: Path, tell: Tell) -> None:
    """Write what an archive has to files that others take."""
    with open_archive(folder / ARCHIVE, create=False) as archive:
        for name in OUTPUTS:
            what = "records" if name.startswith("records") else "pages"
            said = export_archive(archive, plan_export(folder / name, what=what))
            tell("exported", name, said.count)


def make_crawled(folder: Path) -> None:
    crawl(folder, lambda *words: None)


def make_old(folder: Path) -> None:
    connection = sqlite3.connect(folder / ARCHIVE)
    connection.executescript(OLD.read_text(encoding="utf-8"))
    connection.close()


def make_half(folder: Path) -> None:
    """Leave a journal behind that was not folded in, as a killed process does."""
    pid = os.fork()
    if not pid:
        archive = open_archive(folder / ARCHIVE)
        _, tasks = begin(archive, "0")
        store_outcomes(archive, [visit(task, PAGES, HOST) for task in tasks])
        os._exit(0)
    os.waitpid(pid, 0)


def make_empty(folder: Path) -> None:
    open_archive(folder / ARCHIVE).close()


SCENARIOS = {
    one.name: one
    for one in (
        Scenario("new", begin_new),
        Scenario("folder", crawl_beside, make_empty),
        Scenario("fold", crawl, make_empty, journal_pages=15),
        Scenario("half", crawl, make_half),
        Scenario("watch", watch, make_empty),
        Scenario("migrate", migrate, make_old),
        Scenario("export", export, make_crawled),
    )
}
