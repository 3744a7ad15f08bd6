"""Queue sites for workers: store options as JSON with an assignment and its job."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TypeVar

import msgspec

from scythe.archive.archive import Archive
from scythe.archive.assignments import add_assignment, end_assignment, load_assignments
from scythe.archive.frontier import requeue
from scythe.archive.results import AssignmentRow
from scythe.archive.stored_sites import add_site, save_profile
from scythe.archive.watches import watch_rows
from scythe.crawling.crawl import REVISITED
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.scope import Scope
from scythe.crawling.url_filter import start_address
from scythe.errors import BadInput, MissingExtra
from scythe.watching.watch import add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

NOT_SHARED = (
    "{where}: workers share an archive in PostgreSQL (--archive postgresql://HOST/DATABASE), "
    "an SQLite file is for one machine"
)
Options = TypeVar("Options", CrawlOptions, WatchOptions)


def name_lock(row: AssignmentRow) -> str:
    """Return what the jobs for one assignment have in common: at most one waits, at most one is worked on.

    Not the host alone: Procrastinate holds back a job while an older one with the same lock waits, even one that is to
    wait until tomorrow, so that a site that is watched could not be crawled. How often a host is asked is for its host
    to say.
    """
    return f"{row.kind} {row.site_key}"


def write_order(options: CrawlOptions | WatchOptions) -> str:
    """Write options as they are kept. Raises BadInput where that would put a password into an archive."""
    if options.credentials or options.proxy:
        raise BadInput("credentials and proxies are not handed over to workers: an archive keeps no passwords")
    return json.dumps(asdict(options))


def crawl_order(row: AssignmentRow) -> CrawlOptions:
    """Read how a site is to be crawled. Raises BadInput where that cannot be."""
    return _read(row, CrawlOptions)


def watch_order(row: AssignmentRow) -> WatchOptions:
    """Read how a site is to be watched. Raises BadInput where that cannot be."""
    return _read(row, WatchOptions)


def _read(row: AssignmentRow, of: type[Options]) -> Options:
    """Read what is known here; a newer scythe may have written more."""
    try:
        return msgspec.convert(json.loads(row.options), of)
    except (ValueError, msgspec.ValidationError) as error:
        raise BadInput(f"the options of assignment {row.id} cannot be read: {error}") from error


def check_shared(where: str) -> None:
    """Raise BadInput where an archive is none that workers can share, before it is made, and MissingExtra."""
    if "://" not in where:
        raise BadInput(NOT_SHARED.format(where=where))
    check_extra()


def check_extra() -> None:
    """Raise MissingExtra where the job engine is not installed."""
    if find_spec("procrastinate") is None or find_spec("psycopg") is None:
        raise MissingExtra("workers need Procrastinate and psycopg: pip install 'webscythe[workers]'")


def queue_crawl(
    archive: Archive, start: str, options: CrawlOptions | None = None, *, profile: str | None = None
) -> AssignmentRow:
    """Have a site crawled by whatever worker is free; to say it twice is to say it once, with the options said last.

    `profile` is what to begin with, in place of what is known of the site. Raises BadInput where the archive is no
    PostgreSQL database.
    """
    check_extra()
    from scythe.workers.job_queue import prepare_jobs

    prepare_jobs(archive)
    options, address = options or CrawlOptions(), start_address(start)
    key = Scope.of(address, options).site_key
    site = add_site(archive, key, address)
    if profile is not None:
        save_profile(archive, site, profile)
    if options.refresh:  # now, once: a job may have to begin again
        requeue(archive, site, states=REVISITED)
    order = write_order(replace(options, refresh=False))
    return _assign(archive, AssignmentRow(0, site, key, "crawl", address, order, datetime.now(UTC)))


def cancel_crawl(archive: Archive, start: str, options: CrawlOptions | None = None) -> AssignmentRow:
    """Have a site crawled no longer: who works on it ends soon; what is archived stays. Raises BadInput."""
    key = Scope.of(start_address(start), options or CrawlOptions()).site_key
    with archive.writing() as connection:
        for row in load_assignments(connection, "open"):
            if (row.kind, row.site_key) == ("crawl", key):
                end_assignment(connection, row, "cancelled", "no longer wanted", datetime.now(UTC))
                return row
    raise BadInput(f"{key} is not queued for crawling")


def queue_watch(
    archive: Archive, addresses: Sequence[str], wanted: ListOptions, options: WatchOptions | None = None
) -> list[AssignmentRow]:
    """Have lists watched by whatever worker is free when one is due; return an assignment for each of their sites.

    Without addresses everything that the archive watches is meant. Raises BadInput as `queue_crawl` does.
    """
    check_extra()
    from scythe.workers.job_queue import prepare_jobs

    prepare_jobs(archive)
    chosen = set(add_lists(archive, addresses, wanted))
    rows = [row for row in watch_rows(archive) if not addresses or row.id in chosen]
    order = write_order(replace(options or WatchOptions(), once=True))
    sites = {row.site: row for row in rows}
    now = datetime.now(UTC)
    return [
        _assign(archive, AssignmentRow(0, site, row.site_key, "watch", row.url, order, now))
        for site, row in sites.items()
    ]


def _assign(archive: Archive, given: AssignmentRow) -> AssignmentRow:
    from scythe.workers.job_queue import defer_now

    with archive.writing(given.site) as connection:
        row = add_assignment(connection, given)
        defer_now(connection, row)
    return row
