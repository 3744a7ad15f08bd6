"""Start, pause, resume and follow crawls and watches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_due
from scythe.archive.stored_sites import site_rows
from scythe.archive.watches import load_watch, watch_rows
from scythe.crawl_model import CRAWLED, ArchiveCounts
from scythe.crawling.crawl_options import PARTS, CrawlOptions
from scythe.crawling.scope import Scope
from scythe.crawling.url_filter import start_address
from scythe.errors import BadInput
from scythe.watching.watch_options import WatchOptions
from scythe.web.learned_sites import SiteCounts
from scythe.web.operations import Address, Number, RequestInput, WebArea
from scythe.web.runs.run_store import Runs, RunView
from scythe.web.state import NotThere, State, fill

AREA = WebArea("runs", __doc__)

_LIMIT = 200  # pages of a crawl, unless said otherwise: enough to learn from, soon done
_LEFT = 12  # sites with addresses left that are offered
_LOOKED_AT = 200  # sites that are looked at for it

Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Patterns = Annotated[tuple[Pattern, ...], msgspec.Meta(max_length=50, description="Of addresses; * is anything.")]
Delay = Annotated[float, msgspec.Meta(ge=0, le=86_400, description="Seconds between two requests to a host.")]
Contact = Annotated[str, msgspec.Meta(max_length=200, description="How the owner of the site reaches you.")]
Method = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Methods = Annotated[
    tuple[Method, ...],
    msgspec.Meta(max_length=2, description="Published ones by which pages are read, such as sentences:minimum=4."),
]
Part = Literal["text", "markdown", "html", "images", "records", "attributes"]


class CrawlWanted(RequestInput, frozen=True):
    """A site to crawl, and how."""

    url: Address
    limit: Annotated[int, msgspec.Meta(ge=1, le=100_000_000)] | None = _LIMIT  # None: all there are
    delay: Delay = 1.0
    depth: Annotated[int, msgspec.Meta(ge=0, le=1_000)] | None = None  # links from the start; None: any
    allow: Patterns = ()
    deny: Patterns = ()
    subdomains: bool = False
    sitemaps: bool = True
    parts: Annotated[tuple[Part, ...], msgspec.Meta(max_length=10)] = ("text", "images", "records")
    contact: Contact = ""
    methods: Methods | None = None  # None: as before, at first none; empty: none
    keep_raw: bool = True  # keep pages as they came, to read them again
    refresh: bool = False  # visit the pages known again


class WatchRunWanted(RequestInput, frozen=True):
    """Which of the watched pages to visit, and how."""

    watches: Annotated[tuple[Number, ...], msgspec.Meta(max_length=1_000)] = ()  # none: all of the archive
    once: bool = False  # visit what is due, then end
    delay: Delay = 1.0
    contact: Contact = ""
    methods: Methods = ()


@AREA.get("/api/runs", "runs")
def list_runs(state: State) -> list[RunView]:
    """List the crawls and watches of this page, the newest first."""
    return [run.see() for run in state.part(Runs).all()]


@AREA.get("/api/runs/{number}", "run")
def see_run(state: State, number: Number) -> RunView:
    """Say what a crawl or watch has come to."""
    return state.part(Runs).find(number).see()


@AREA.post("/api/runs/crawl", "crawl")
def start_crawl(state: State, wanted: CrawlWanted) -> RunView:
    """Crawl a site into the archive, politely; a crawl that was begun before goes on."""
    url = wanted.url.strip()
    start = start_address(url if "://" in url else f"https://{url}")
    reach, contact = state.options.reach, wanted.contact.strip()
    reached = {"timeout_s": reach.timeout_s, "allow_private": reach.allow_private}
    options = fill(CrawlOptions, wanted, contact=contact, keep_raw=None if wanted.keep_raw else False, **reached)
    return state.part(Runs).crawl(start, Scope.of(start, options).site_key, options).see()


@AREA.post("/api/runs/watch", "visit_watched")
def start_watch(state: State, wanted: WatchRunWanted) -> RunView:
    """Visit watched pages whenever something new is due there."""
    with state.archive() as archive:
        title = _name_watch(archive, wanted)
    reach, contact = state.options.reach, wanted.contact.strip()
    options = fill(WatchOptions, wanted, contact=contact, timeout_s=reach.timeout_s, allow_private=reach.allow_private)
    return state.part(Runs).watch(title, options, wanted.watches).see()


def _name_watch(archive: Archive, wanted: WatchRunWanted) -> str:
    """Return what a watch is called. Raises NotThere and BadInput where there is nothing to visit."""
    for number in wanted.watches:
        row = load_watch(archive, number)
        if row is None or row.ended_at is not None:
            raise NotThere(f"page {number} is not watched")
        if len(wanted.watches) == 1:
            return str(row.url)
    if wanted.watches:
        return f"{len(wanted.watches)} watched pages"
    if not watch_rows(archive):
        raise BadInput("no page is watched in this archive yet: choose a list to watch first")
    return "All lists of this archive"


@AREA.post("/api/runs/{number}/pause", "pause")
def pause_run(state: State, number: Number) -> RunView:
    """End a crawl or watch in good order; it can go on later."""
    return state.part(Runs).pause(number).see()


@AREA.post("/api/runs/{number}/continue", "go_on")
def continue_run(state: State, number: Number) -> RunView:
    """Let a crawl or watch go on where it was."""
    return state.part(Runs).go_on(number).see()


@AREA.view("/runs", "runs.html")
def show_runs(state: State) -> dict[str, Any]:
    """Return what the page of crawls shows; scripts keep it up to date."""
    left, watched = list[dict[str, Any]](), 0
    if state.options.archive is not None:
        with state.archive() as archive:
            busy = {run.site for run in state.part(Runs).all() if not run.is_over}
            left = [one for one in _unfinished(archive, state.part(SiteCounts).of(archive)) if one["key"] not in busy]
            watched = len(watch_rows(archive))
    return {
        "runs": list_runs(state),
        "left": left,
        "watched": watched,
        "parts": PARTS,
        "limit": _LIMIT,
        "delay": state.options.delay_s,
    }


def _unfinished(archive: Archive, counts: Mapping[int, ArchiveCounts]) -> list[dict[str, Any]]:
    """Return the sites, the newest first, whose crawl has something left."""
    now = datetime.now(UTC)
    found: list[dict[str, Any]] = []
    for site in list(reversed(site_rows(archive)))[:_LOOKED_AT]:
        due = next_due(archive, site.id, CRAWLED)
        if due is not None and due <= now:
            pages = counts.get(site.id, ArchiveCounts()).pages
            found.append({"key": site.key, "start": str(site.start), "pages": pages})
        if len(found) == _LEFT:
            break
    return found
