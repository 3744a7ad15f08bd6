"""Hand sites over to workers: what is wanted comes in, an assignment and a job for it go into the archive together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec

from scythe.archive.archive import Archive
from scythe.archive.assignments import add_assignment, end_assignment, load_assignments
from scythe.archive.rows import AssignmentRow
from scythe.crawling.addresses import start_address
from scythe.crawling.options import CrawlOptions
from scythe.crawling.run import REVISITED
from scythe.crawling.scope import Scope
from scythe.errors import BadInput, MissingExtra
from scythe.fleet.orders import NOT_SHARED, write_order
from scythe.watching.options import ListOptions, WatchOptions
from scythe.watching.run import add_lists


def check_shared(where: str) -> None:
    """Raise BadInput where an archive is none that workers can share, before it is made, and MissingExtra."""
    if "://" not in where:
        raise BadInput(NOT_SHARED.format(where=where))
    check_extra()


def check_extra() -> None:
    """Raise MissingExtra where the job engine is not installed."""
    if find_spec("procrastinate") is None or find_spec("psycopg") is None:
        raise MissingExtra("workers need Procrastinate and psycopg: pip install 'scythe[workers]'")


def queue_crawl(
    archive: Archive, start: str, options: CrawlOptions | None = None, *, profile: str | None = None
) -> AssignmentRow:
    """Have a site crawled by whatever worker is free; to say it twice is to say it once, with the options said last.

    `profile` is what to begin with, in place of what is known of the site. Raises BadInput where the archive is no
    PostgreSQL database.
    """
    check_extra()
    from scythe.fleet.engine import prepare_jobs

    prepare_jobs(archive)
    options, address = options or CrawlOptions(), start_address(start)
    key = Scope.of(address, options).site_key
    site = archive.add_site(key, address)
    if profile is not None:
        archive.save_profile(site, profile)
    if options.refresh:  # now, once: a job may have to begin again
        archive.requeue(site, states=REVISITED, now=datetime.now(UTC))
    order = write_order(replace(options, refresh=False))
    return _assign(archive, AssignmentRow(0, site, key, "crawl", address, order, datetime.now(UTC)))


def cancel_crawl(archive: Archive, start: str, options: CrawlOptions | None = None) -> AssignmentRow:
    """Have a site crawled no longer: who works on it ends soon; what is archived stays. Raises BadInput."""
    key = Scope.of(start_address(start), options or CrawlOptions()).site_key
    with archive.database.writing() as connection:
        for row in load_assignments(connection, "open"):
            if (row.kind, row.site_key) == ("crawl", key):
                end_assignment(connection, row, "cancelled", "nobody wants it any more", datetime.now(UTC))
                return row
    raise BadInput(f"{key} is not handed over to be crawled")


def queue_watch(
    archive: Archive, addresses: Sequence[str], wanted: ListOptions, options: WatchOptions | None = None
) -> list[AssignmentRow]:
    """Have lists watched by whatever worker is free when one is due; return an assignment for each of their sites.

    Without addresses everything that the archive watches is meant. Raises BadInput as `queue_crawl` does.
    """
    check_extra()
    from scythe.fleet.engine import prepare_jobs

    prepare_jobs(archive)
    chosen = set(add_lists(archive, addresses, wanted))
    rows = [row for row in archive.watches() if not addresses or row.id in chosen]
    order = write_order(replace(options or WatchOptions(), once=True))
    sites = {row.site: row for row in rows}
    now = datetime.now(UTC)
    return [
        _assign(archive, AssignmentRow(0, site, row.site_key, "watch", row.url, order, now))
        for site, row in sites.items()
    ]


def _assign(archive: Archive, given: AssignmentRow) -> AssignmentRow:
    from scythe.fleet.engine import defer_now

    with archive.database.writing(given.site) as connection:
        row = add_assignment(connection, given)
        defer_now(connection, row)
    return row
