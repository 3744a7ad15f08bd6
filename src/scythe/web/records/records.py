"""Show the lists of a page as grids, export one, or watch it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import msgspec

from scythe.archive.observations import lists_of_watch, watched_lists
from scythe.archive.results import ListRow, WatchRow
from scythe.archive.watches import watch_rows
from scythe.crawling.url_filter import start_address
from scythe.engine.discovery import read_list
from scythe.engine.worker_protocol import Job, SiteSetup
from scythe.errors import BadInput
from scythe.fetch.page_check import sniff_bytes, sniff_text
from scythe.model import Paging, RecordList
from scythe.output.formats import FORMATS, ROWS, formats_of
from scythe.output.rows import Shape, list_batch, write_rows
from scythe.reading.lists.find_lists import CUT, place_records
from scythe.reading.lists.own_link import own_links, title_of
from scythe.reading.lists.paging import read_paging
from scythe.schedule.policies import POLICIES
from scythe.watch_model import DAY_S, Goals
from scythe.watching.list_choice import Notes, unfound, watched_rows
from scythe.watching.list_identity import MOST, Chosen, choose_places
from scythe.watching.watch import add_lists, forget_lists
from scythe.watching.watch_options import OLDER_PAGES, ListOptions
from scythe.web.auth import NOTHING_POLICY
from scythe.web.operations import Address, Key, Number, RequestInput, Sent, WebArea
from scythe.web.runs.run_store import Runs
from scythe.web.safe_html import number_elements
from scythe.web.state import NotThere, PageAtHand, State, fill, open_page

AREA = WebArea("records", __doc__)

_KEPT = 16  # pages whose lists are kept


@dataclass(frozen=True, slots=True)
class RecordView:
    """One record."""

    fields: tuple[str, ...]  # one per column of its list
    link: str  # where it leads; empty: nowhere
    links: tuple[str, ...]
    images: tuple[str, ...]
    elements: tuple[int, ...] = ()  # its outermost elements, by their numbers in the frame of the page


@dataclass(frozen=True, slots=True)
class PageListView:
    """Records that repeat one pattern of a page."""

    number: int  # best first, from 1 on
    kind: str
    score: float  # 0..1, how likely it is what the page is about
    is_listed: bool  # False: a menu, a pager or the like
    columns: tuple[str, ...]
    records: tuple[RecordView, ...]


@dataclass(frozen=True, slots=True)
class PageRecords:
    """What a page lists."""

    page: int
    url: str | None
    title: str
    next: str | None  # the page that goes on with the list
    pages: int  # others of the list that it names
    lists: tuple[PageListView, ...]


@dataclass(frozen=True, slots=True)
class PageListing:
    """The lists of one page as they were read."""

    page: PageAtHand
    title: str
    paging: Paging
    lists: tuple[RecordList, ...]  # all, best first
    places: tuple[tuple[tuple[int, ...], ...], ...]  # by list and record: numbers of elements

    @property
    def listed(self) -> tuple[RecordList, ...]:
        """Those that hold records of something: what a watch sees."""
        return tuple(listed for listed in self.lists if listed.score >= CUT)

    def see(self, number: int) -> PageListView:
        """Return a list by its number. Raises NotThere."""
        if not 1 <= number <= len(self.lists):
            raise NotThere(f"page {self.page.number} has {len(self.lists)} lists, and no list {number}")
        listed, places = self.lists[number - 1], self.places[number - 1]
        own = own_links(listed)
        records = tuple(
            RecordView(
                record.fields,
                own[row] or next(iter(record.links), ""),
                record.links,
                record.images,
                places[row] if row < len(places) else (),
            )
            for row, record in enumerate(listed.records)
        )
        is_listed = listed.score >= CUT
        return PageListView(number, listed.kind, listed.score, is_listed, listed.columns, records)


def find_listing(state: State, number: int) -> PageListing:
    """Return what a page at hand lists, read when first asked for. Raises NotThere."""
    at_hand = state.page(number)
    return state.recent(_read, _KEPT).get(number, at_hand, lambda: _read(at_hand))


def _read(at_hand: PageAtHand) -> PageListing:
    if sniff_bytes(at_hand.body[:4096], at_hand.content_type):
        return _read_other(at_hand)
    page = open_page(at_hand)
    if sniff_text(page.html, at_hand.content_type):
        return _read_other(at_hand)
    placed = place_records(page)
    numbers = {node.mem_id: number for number, node in enumerate(number_elements(page))}
    places = tuple(
        tuple(tuple(numbers[node.mem_id] for node in nodes if node.mem_id in numbers) for nodes in rows)
        for _, rows in placed
    )
    lists = tuple(listed for listed, _ in placed)
    return PageListing(at_hand, page.declared_title or page.head.title, read_paging(page), lists, places)


def _read_other(at_hand: PageAtHand) -> PageListing:
    """Read a feed or a sitemap, which have no places to show; anything else has no lists."""
    setup = SiteSetup("lists", ("records",), learns=False)
    listed = read_list(Job(setup, at_hand.url or "", at_hand.body, "list", at_hand.content_type or ""))
    return PageListing(at_hand, listed.title, Paging(), listed.lists, tuple(() for _ in listed.lists))


_SOON = datetime(1971, 1, 1, tzinfo=UTC)  # an address due before is due at once

Miss = Annotated[float, msgspec.Meta(ge=0.0001, le=0.5, description="Share of records that may be missed.")]
Delay = Annotated[float, msgspec.Meta(ge=60, le=366 * DAY_S, description="Seconds.")]
Places = Annotated[tuple[Number, ...], msgspec.Meta(max_length=MOST)]
Policy = Annotated[str, msgspec.Meta(max_length=40, description=f"One of: {', '.join(POLICIES)}.")]


class WatchWanted(RequestInput, frozen=True):
    """What to watch: a page at hand, by its number, or any address."""

    page: Number | None = None
    url: Address = ""
    lists: Places = ()  # their numbers on the page, best first; none: all of them
    miss: Miss = 0.01
    max_delay_s: Delay | None = None  # no record is seen later than so many seconds after it came
    p95_s: Delay | None = None  # 95 of 100 are seen within so many seconds
    policy: Policy = "auto"
    older_pages: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = OLDER_PAGES
    follow: bool = False  # archive the pages that records lead to, too


@dataclass(frozen=True, slots=True)
class WatchView:
    """A page that is watched."""

    number: int
    url: str
    site: str
    lists: tuple[str, ...]  # what is watched of it; none: all its lists
    places: tuple[int, ...]  # of those that were chosen, on the page as it was then
    missing: tuple[str, ...]  # chosen, but not found on the page so far
    miss: float
    max_delay_s: float | None
    follow: bool
    next_at: datetime | None  # None: it is not to be visited
    is_due: bool  # at once
    last_at: datetime | None
    records: int  # that were new, in all
    why: str  # what stands in its way, where something does
    command: str  # that makes the visits


@AREA.post("/api/watch", "watch")
def watch_page(state: State, wanted: WatchWanted) -> WatchView:
    """Have lists of a page watched from now on, or otherwise than before."""
    address, options = _options(state, wanted)
    with state.archive() as archive:
        (number,) = add_lists(archive, [address], options)
        row = next(row for row in watch_rows(archive) if row.id == number)
        seen = _see(state, row, lists_of_watch(archive, row.id))
    state.part(Runs).nudge()  # a watch that goes on need not find out by itself
    return seen


def _options(state: State, wanted: WatchWanted) -> tuple[str, ListOptions]:
    """Return the address of the page, and what is wanted of it. Raises BadInput and NotThere."""
    chosen: tuple[Chosen, ...] = tuple(Chosen(place=place) for place in dict.fromkeys(wanted.lists))
    others: tuple[Chosen, ...] = ()
    address = wanted.url.strip()
    if wanted.page is not None:
        listing = find_listing(state, wanted.page)
        address = address or listing.page.url or ""
        if chosen:
            chosen, others = choose_places(listing.listed, wanted.lists)
    if not address:
        raise BadInput("a page without an address cannot be watched")
    goals = Goals(miss=wanted.miss, max_delay_s=wanted.max_delay_s, delay_s=wanted.p95_s)
    if wanted.max_delay_s is not None and wanted.max_delay_s < goals.floor_s:
        goals = Goals(wanted.miss, wanted.max_delay_s, wanted.p95_s, floor_s=wanted.max_delay_s)
    options = ListOptions(wanted.policy, goals, wanted.older_pages, follow=wanted.follow, regions=chosen, others=others)
    return start_address(address), options


@AREA.post("/api/watch/end", "watch_no_longer")
def end_watch(state: State, url: Address) -> list[WatchView]:
    """Watch a page no longer; what was archived stays."""
    with state.archive() as archive:
        try:
            forget_lists(archive, [url])
        except BadInput as error:
            raise NotThere(str(error)) from None
    return list_watches(state)


@AREA.get("/api/watches", "watches")
def list_watches(state: State) -> list[WatchView]:
    """List the pages that are watched."""
    if state.options.archive is None:
        return []
    lists: dict[int, list[ListRow]] = {}
    with state.archive() as archive:
        for listed in watched_lists(archive):
            lists.setdefault(listed.watch, []).append(listed)
        return [_see(state, row, lists.get(row.id, [])) for row in watch_rows(archive)]


def find_watch(state: State, url: str | None) -> WatchView | None:
    """Return the watch of an address, None where there is none."""
    if url is None or state.options.archive is None:
        return None
    address = start_address(url)
    with state.archive() as archive:
        row = next((row for row in watch_rows(archive) if row.url == address), None)
        return None if row is None else _see(state, row, lists_of_watch(archive, row.id))


def _see(state: State, row: WatchRow, known: Sequence[ListRow]) -> WatchView:
    options, notes = ListOptions.from_json(row.options), Notes.from_json(row.notes)
    lists = watched_rows(known, notes, options)
    waiting = unfound(notes, options)
    is_due = row.due_at is not None and row.due_at <= datetime.now(UTC)
    return fill(
        WatchView,
        row,
        options,
        options.goals,
        number=row.id,
        site=row.site_key,
        lists=tuple(listed.name for listed in lists) or tuple(one.name for one in waiting),
        places=tuple(one.place for one in options.regions if one.place),
        missing=tuple(one.name for one in waiting) if row.visited_at is not None else (),
        next_at=datetime.now(UTC) if row.due_at is not None and row.due_at < _SOON else row.due_at,
        is_due=is_due,
        last_at=row.visited_at,
        records=sum(listed.records for listed in lists),
        why=row.why if row.attempts else "",
        command=f"scythe watch --archive {shlex.quote(str(state.where))}",
    )


_ROWS = 100  # records that are shown at once
_CELL_CHARS = 140  # of a text that is shown before it is folded
_SAVED = [FORMATS[name] for name in formats_of(ROWS) if FORMATS[name].label]

Row = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class RecordsWanted(RequestInput, frozen=True):
    """A page of records for people."""

    site: Key = ""
    page: Number | None = None
    list: Number = 1  # its number on the page, best first
    all: bool = False  # menus and the like, too
    start: Row = 0  # the first record that is shown


@AREA.get("/api/records")
def list_records(
    state: State,
    page: Number,
    everything: bool = False,  # menus, pagers and the like, too
) -> PageRecords:
    """Return the lists of a page at hand, best first."""
    listing = find_listing(state, page)
    shown = listing.lists if everything else listing.listed
    lists = tuple(listing.see(number) for number in range(1, len(shown) + 1))
    address, following = listing.page.url, listing.paging.next or listing.paging.more
    return PageRecords(page, address, listing.title, following, len(listing.paging.pages), lists)


@AREA.file("/records/export")
def export_list(
    state: State, page: Number, list: Number = 1, format: Literal["csv", "jsonl", "json", "parquet", "sqlite"] = "csv"
) -> Sent:
    """Return a list as a file; what a spreadsheet would calculate is kept from it."""
    listing = find_listing(state, page)
    if list > len(listing.lists):
        raise NotThere(f"page {page} has no list {list}")
    batch = list_batch(listing.page.url or listing.page.name, list, listing.lists[list - 1])
    name = f"records-{page}-{list}.{format}"
    body = write_rows(format, [batch], Shape())
    return Sent(body, FORMATS[format].media_type, NOTHING_POLICY, name)


# -- the page for people -----------------------------------------------------------------------------------------------


@AREA.view("/records", "records.html")
def show_records(state: State, wanted: RecordsWanted) -> dict[str, Any]:
    """Return what the page of records shows."""
    sites = state.site_keys()
    first = next(iter(state.pages(wanted.site or None)), None)
    page = first if wanted.page is None else state.page(wanted.page)
    site = page.site if page is not None else wanted.site or (sites[0] if sites else "profile")
    shown: dict[str, Any] = {
        "site": site,
        "sites": sites,
        "at_hand": state.pages(site),
        "page": page,
        "listing": None,
        "take": {"site": site, "next": "/records?page=PAGE", "pages": 1, "label": "Read another page"},
        "has_archive": state.options.archive is not None,
    }
    return shown if page is None else shown | _show_page(state, wanted, find_listing(state, page.number))


def _show_page(state: State, wanted: RecordsWanted, listing: PageListing) -> dict[str, Any]:
    hidden = len(listing.lists) - len(listing.listed)
    is_all = wanted.all or not listing.listed or wanted.list > len(listing.listed)
    lists = listing.lists if is_all else listing.listed
    number = min(wanted.list, len(lists))
    one = listing.see(number) if lists else None
    start = min(wanted.start, max(len(one.records) - 1, 0)) if one is not None else 0
    exported = {"page": listing.page.number, "list": number}
    return {
        "listing": listing,
        "lists": [
            {
                "number": place,
                "kind": listed.kind,
                "count": len(listed.records),
                "score": listed.score,
                "is_listed": place <= len(listing.listed),
                "address": _address(listing, place, is_all=is_all),
                "says": title_of(listed, listed.records[0]) if listed.records else "",
            }
            for place, listed in enumerate(lists, 1)
        ],
        "one": one,
        "columns": [
            (place, name)
            for place, name in enumerate(one.columns if one is not None else ())
            if one is not None and any(record.fields[place] for record in one.records)
        ],
        "has_links": one is not None and any(record.links for record in one.records),
        "has_images": one is not None and any(record.images for record in one.records),
        "start": start,
        "rows": list(enumerate(one.records[start : start + _ROWS], start + 1)) if one is not None else [],
        "turning": _turning(wanted, listing, one, start),
        "is_all": is_all,
        "hidden": hidden,
        "switch": _address(listing, number, is_all=not is_all),
        "savings": [
            (kind.label, f"/records/export?{urlencode(exported | {'format': kind.name})}")
            for kind in _SAVED
            if one is not None and (kind.name != "parquet" or find_spec("pyarrow") is not None)
        ],
        "cell_chars": _CELL_CHARS,
        "following": listing.paging.next or listing.paging.more,
        "watch": find_watch(state, listing.page.url),
    }


def _address(listing: PageListing, number: int, *, is_all: bool, start: int = 0) -> str:
    said: dict[str, Any] = {"page": listing.page.number, "list": number}
    said |= {"all": "true"} if is_all else {}
    said |= {"start": start} if start else {}
    return f"/records?{urlencode(said)}"


def _turning(
    wanted: RecordsWanted, listing: PageListing, one: PageListView | None, start: int
) -> list[tuple[str, str]]:
    """Return what leads to the records before and after those that are shown."""
    if one is None:
        return []
    found, last = [], len(one.records)
    for begin in (start - _ROWS, start + _ROWS):
        first = max(begin, 0)
        if begin > -_ROWS and first < last and first != start:
            says = f"Records {first + 1} to {min(first + _ROWS, last)}"
            found.append((says, _address(listing, one.number, is_all=wanted.all, start=first)))
    return found
