"""Find further URLs in pages, sitemaps and feeds, and read the lists of watched pages; runs in the worker processes.

Watched pages are parsed, not cut: at a few visits a day that costs little and survives redesigns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from scythe.crawl_model import Extracted
from scythe.engine.worker_protocol import Job, NamedUrl
from scythe.fetch.page_check import sniff_bytes, sniff_text
from scythe.limits import LIMITS
from scythe.method_parameters import split_methods
from scythe.model import Record, RecordList
from scythe.page.feeds import Feed, is_feed, read_feed
from scythe.page.links_from_bytes import Hrefs, directives, read_hrefs
from scythe.page.page import Page
from scythe.page.sitemaps import MapEntry, read_sitemap
from scythe.reading.lists.list_methods import record_method
from scythe.reading.lists.paging import read_paging
from scythe.url import Url, absolute, normalise, without_tracking

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
    lists = record_method(split_methods(job.site.methods).records)(page)
    paging = read_paging(page)
    rest = {"next": paging.next or paging.more, "why": "" if lists else "no list was found on it"}
    return _extracted(page.declared_title, lists, rest)


def _from_feed(feed: Feed) -> Extracted:
    records = [
        Record((entry.title, _iso(entry.published or entry.updated)), (entry.url,), (), "") for entry in feed.entries
    ]
    rest = {"next": feed.next, "ttl_s": feed.ttl_s, "why": feed.why}
    return _extracted(feed.title, _list(records, _ENTRY_COLUMNS, "feed"), rest)


def _from_map(job: Job) -> Extracted:
    """Read a sitemap as the list of what it says was modified last; an index lists its sitemaps."""
    sitemap = read_sitemap(job.body, job.url, job.content_type)
    entries = [*sitemap.urls, *(MapEntry(url) for url in sitemap.sitemaps)]
    if any(entry.modified for entry in entries):
        entries.sort(key=lambda entry: entry.modified, reverse=True)  # ISO 8601; steady, so the map's own order stays
    dropped = max(0, len(entries) - LIMITS.feed_entries)
    records = [Record((entry.modified,), (entry.url,), (), "") for entry in entries[: LIMITS.feed_entries]]
    why = sitemap.why or (f"{dropped} addresses beyond the limit are not watched" if dropped else "")
    return _extracted("", _list(records, _MAP_COLUMNS, "sitemap"), {"why": why})


def _list(records: list[Record], columns: tuple[str, ...], kind: str) -> tuple[RecordList, ...]:
    return (RecordList(tuple(records), columns, kind, 1.0, kind),) if records else ()


def _extracted(title: str, lists: tuple[RecordList, ...], rest: dict[str, Any]) -> Extracted:
    said = {name: value for name, value in rest.items() if value}
    return Extracted(title=title, rest=json.dumps(said, ensure_ascii=False), lists=lists)


def _iso(moment: Any) -> str:
    return moment.isoformat() if moment is not None else ""


LISTS_FIRST = -2  # rank of sitemaps and feeds: a few requests that name most pages of a site
MANY_PARAMETERS = 2  # from so many on an address waits behind others: lists that are sorted and filtered are made of it
_AGENT = "scythe"
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})

IsNews = Callable[[str, bool], bool]


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a body says about where to go on."""

    found: tuple[NamedUrl, ...] = ()
    directives: tuple[str, ...] = ()  # noindex, nofollow, as the page and its header ask for
    canonical: Url | None = None
    why: str = ""  # the body is not what it should be: the reason


def discover(
    body: bytes,
    url: str,
    *,
    kind: str = "page",
    content_type: str | None = None,
    robots_tag: str = "",
    is_news: IsNews | None = None,
) -> Discovery:
    """Return the addresses that the body found at `url` names, each once, and what it asks of robots.

    Of a page, links that `is_news` knows, given an address and whether it is not to be followed, are left out.
    """
    if kind == "page":
        return _settle_page(read_hrefs(body, url, content_type), url, robots_tag, is_news)
    if kind == "feed" or is_feed(body, content_type):
        feed = read_feed(body, url, content_type)
        found = [_named(entry.url, "feed") for entry in feed.entries]
        if feed.next:
            found.append(_named(feed.next, "paging", "feed"))
        return Discovery(_once(found, url), why=feed.why)
    sitemap = read_sitemap(body, url, content_type)
    found = [_named(other, "sitemap", "sitemap") for other in sitemap.sitemaps]
    found += [_named(one.url, "sitemap") for one in sitemap.urls]
    return Discovery(_once(found, url), why=sitemap.why)


def _settle_page(hrefs: Hrefs, url: str, robots_tag: str, is_news: IsNews | None) -> Discovery:
    asked = read_robots_tag(robots_tag)
    no_index, no_follow = hrefs.noindex or "noindex" in asked, hrefs.nofollow or "nofollow" in asked
    said = tuple(name for name, is_said in (("noindex", no_index), ("nofollow", no_follow)) if is_said)
    found = _once(_page_addresses(hrefs, url, no_follow, is_news), url)
    return Discovery(found, said, hrefs.canonical)


def _page_addresses(hrefs: Hrefs, url: str, no_follow: bool, is_news: IsNews | None) -> Iterator[NamedUrl]:
    """Yield what a page names; the first word on an address counts, so the special ones come first."""
    for how, target in (
        ("refresh", hrefs.refresh),
        ("paging", hrefs.next),
        ("paging", hrefs.previous),
        ("canonical", hrefs.canonical),
    ):
        if target is not None:
            yield _named(target, how, is_nofollow=no_follow and how != "refresh")
    for frame in hrefs.frames:
        yield _named(frame, "frame", is_nofollow=no_follow)
    for feed in hrefs.feeds:
        if _is_of_site(feed, url):
            yield _named(feed, "feed", "feed", is_nofollow=no_follow)
    for address, nofollow in hrefs.links:
        if is_news is None or is_news(address, no_follow or nofollow):
            yield _named(address, is_nofollow=no_follow or nofollow)


@lru_cache(maxsize=1_024)  # menus are the same on every page; most addresses are asked for once, when they are news
def _named(url: Url, how: str = "link", kind: str = "page", *, is_nofollow: bool = False) -> NamedUrl:
    url = without_tracking(normalise(url))
    rank = LISTS_FIRST if kind != "page" else int(url.count("&") + 1 >= MANY_PARAMETERS and "?" in url)
    return NamedUrl(url, how, kind, is_nofollow, rank)


def _once(found: Iterator[NamedUrl] | list[NamedUrl], url: str) -> tuple[NamedUrl, ...]:
    """Keep each address once; where one link may be followed and another not, it may."""
    own = normalise(url)
    kept: dict[Url, NamedUrl] = {}
    for named in found:
        before = kept.get(named.url)
        if named.url != own and (before is None or (before.is_nofollow and not named.is_nofollow)):
            kept[named.url] = named
    return tuple(kept.values())


def _is_of_site(feed: str, page: str) -> bool:
    """Say whether a feed is more than the comments on one page, which every page of many blogs offers."""
    own, path = urlsplit(page).path.rstrip("/"), urlsplit(feed).path
    return "comment" not in path and (not own or not path.startswith(own + "/"))


def read_robots_tag(header: str) -> set[str]:
    """Return what an X-Robots-Tag asks of everybody, or of scythe: `noindex, otherbot: nofollow`."""
    kept: list[str] = []
    is_ours = True
    for piece in header[:2_000].split(","):
        agent, colon, rest = piece.partition(":")
        if colon and agent.strip().lower() not in _VALUED:
            is_ours = agent.strip().lower() in (_AGENT, "*")
            piece = rest
        if is_ours:
            kept.append(piece)
    return directives(",".join(kept))
