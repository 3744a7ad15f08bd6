"""What is wanted of a site, as an assignment keeps it: options come in, JSON goes out, and back."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any, TypeVar

from scythe.archive.rows import AssignmentRow
from scythe.crawling.options import CrawlOptions
from scythe.errors import BadInput
from scythe.watching.options import WatchOptions

NOT_SHARED = (
    "{where}: workers share an archive in PostgreSQL (--archive postgresql://USER@HOST/DATABASE), "
    "an SQLite file is for one machine"
)
Options = TypeVar("Options", CrawlOptions, WatchOptions)


def name_lock(row: AssignmentRow) -> str:
    """Return what the jobs for one assignment have in common: at most one waits, at most one is worked on.

    Not the host alone: Procrastinate holds back a job while an older one with the same lock waits, even one that is to
    wait until tomorrow, so that a site that is watched could not be crawled. How often a host is asked is for its lane
    to say.
    """
    return f"{row.kind} {row.site_key}"


def write_order(options: CrawlOptions | WatchOptions) -> str:
    """Write options as they are kept."""
    return json.dumps(asdict(options))


def crawl_order(row: AssignmentRow) -> CrawlOptions:
    """Read how a site is to be crawled. Raises BadInput where that cannot be."""
    return _read(row, CrawlOptions)


def watch_order(row: AssignmentRow) -> WatchOptions:
    """Read how a site is to be watched. Raises BadInput where that cannot be."""
    return _read(row, WatchOptions)


def _read(row: AssignmentRow, of: type[Options]) -> Options:
    """Read what is known here; a newer scythe may have written more."""
    names = {each.name for each in fields(of)}
    try:
        plain: dict[str, Any] = {
            name: _frozen(value) for name, value in json.loads(row.options).items() if name in names
        }
        return of(**plain)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInput(f"the options of assignment {row.id} cannot be read: {error}") from error


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
