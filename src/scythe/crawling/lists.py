"""Read a list that is watched, in a worker: a page, a feed or a sitemap comes in, its regions of records go out.

By the tree, not by rules: at a few visits a day the milliseconds do not count, and a redesign costs nothing.
"""

from __future__ import annotations

import json
from typing import Any

from scythe.crawling.jobs import Job
from scythe.fetch.feeds import Feed, is_feed, read_feed
from scythe.fetch.sitemaps import MapEntry, read_sitemap
from scythe.limits import LIMITS
from scythe.model import Record, Region
from scythe.page.page import Page
from scythe.page.sniff import sniff_bytes, sniff_text
from scythe.read.records.paging import read_paging
from scythe.read.records.regions import read_records
from scythe.url import absolute
from scythe.visits import Extracted

_ENTRY_COLUMNS = ("title", "date")
_MAP_COLUMNS = ("date",)
_MAP_ROOTS = (b"<urlset", b"<sitemapindex", b":urlset", b":sitemapindex")
_HEAD_BYTES = 4_096


def read_list(job: Job) -> Extracted:
    """Return what a list shows. `rest` has the address of its older records, what it asks for, and why it is empty."""
    if is_feed(job.body, job.content_type):
        return _from_feed(read_feed(job.body, job.url, job.content_type))
    if job.body.startswith(b"\x1f\x8b") or any(root in job.body[:_HEAD_BYTES] for root in _MAP_ROOTS):
        return _from_map(job)
    return _from_page(job)


def _from_page(job: Job) -> Extracted:
    what = sniff_bytes(job.body[:_HEAD_BYTES], job.content_type)
    if what:
        return _extracted("", (), {"why": f"no page: {what}"})
    page = Page.from_bytes(job.body, url=absolute(job.url), content_type=job.content_type)
    what = sniff_text(page.html, job.content_type)
    if what:
        return _extracted("", (), {"why": f"no page: {what}"})
    regions = read_records(page)
    paging = read_paging(page)
    rest = {"next": paging.next or paging.more, "why": "" if regions else "no list was found on it"}
    return _extracted(page.metadata.title, regions, rest)


def _from_feed(feed: Feed) -> Extracted:
    records = [
        Record((entry.title, _iso(entry.published or entry.updated)), (entry.url,), (), "") for entry in feed.entries
    ]
    rest = {"next": feed.next, "ttl_s": feed.ttl_s, "why": feed.why}
    return _extracted(feed.title, _region(records, _ENTRY_COLUMNS, "feed"), rest)


def _from_map(job: Job) -> Extracted:
    """Read a sitemap as the list of what it says was modified last; an index lists its sitemaps."""
    sitemap = read_sitemap(job.body, job.url, job.content_type)
    entries = [*sitemap.urls, *(MapEntry(url) for url in sitemap.sitemaps)]
    if any(entry.modified for entry in entries):
        entries.sort(key=lambda entry: entry.modified, reverse=True)  # ISO 8601; steady, so the map's own order stays
    dropped = max(0, len(entries) - LIMITS.feed_entries)
    records = [Record((entry.modified,), (entry.url,), (), "") for entry in entries[: LIMITS.feed_entries]]
    why = sitemap.why or (f"{dropped} addresses beyond the limit are not watched" if dropped else "")
    return _extracted("", _region(records, _MAP_COLUMNS, "sitemap"), {"why": why})


def _region(records: list[Record], columns: tuple[str, ...], kind: str) -> tuple[Region, ...]:
    return (Region(tuple(records), columns, kind, 1.0, kind),) if records else ()


def _extracted(title: str, regions: tuple[Region, ...], rest: dict[str, Any]) -> Extracted:
    said = {name: value for name, value in rest.items() if value}
    return Extracted(title=title, rest=json.dumps(said, ensure_ascii=False), regions=regions)


def _iso(moment: Any) -> str:
    return moment.isoformat() if moment is not None else ""
