"""Show the lists of a page as grids, export one, or watch it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import msgspec

from scythe.output.formats import FORMATS, ROWS, formats_of
from scythe.output.rows import Shape, list_batch, write_rows
from scythe.reading.lists.own_link import title_of
from scythe.web.auth import NOTHING_POLICY
from scythe.web.operations import Key, Number, Operation, RequestInput, Sent, ServedFile, View
from scythe.web.records import page_lists
from scythe.web.records.page_lists import Listings, PageListing, PageListView, PageRecords, find_watch
from scythe.web.state import NotThere, PageAtHand, State

_ROWS = 100  # records that are shown at once
_CELL_CHARS = 140  # of a text that is shown before it is folded
_SAVED = [FORMATS[name] for name in formats_of(ROWS) if FORMATS[name].label]

# what people are asked in plain words, and what it means
MISSES = ((0.001, "1 in 1000"), (0.01, "1 in 100"), (0.05, "1 in 20"), (0.2, "1 in 5"))
DELAYS = (
    (None, "before they are gone"),
    (900, "within 15 minutes"),
    (3_600, "within an hour"),
    (21_600, "within 6 hours"),
    (86_400, "within a day"),
)

Row = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class RecordsWanted(RequestInput, frozen=True):
    """A page of records for people."""

    site: Key = ""
    page: Number | None = None
    list: Number = 1  # its number on the page, best first
    all: bool = False  # menus and the like, too
    start: Row = 0  # the first record that is shown


class PageRecordsWanted(RequestInput, frozen=True):
    """The lists of a page at hand."""

    page: Number
    everything: bool = False  # menus, pagers and the like, too


class ExportWanted(RequestInput, frozen=True):
    """One list of a page at hand, as a file."""

    page: Number
    list: Number = 1
    format: Literal["csv", "jsonl", "json", "parquet"] = "csv"


def list_records(state: State, wanted: PageRecordsWanted) -> PageRecords:
    """Return the lists of a page at hand, best first."""
    return state.part(Listings).get(wanted.page).see_all(everything=wanted.everything)


def export_list(state: State, wanted: ExportWanted) -> Sent:
    """Return a list as a file; what a spreadsheet would calculate is kept from it."""
    listing = state.part(Listings).get(wanted.page)
    if wanted.list > len(listing.lists):
        raise NotThere(f"page {wanted.page} has no list {wanted.list}")
    batch = list_batch(listing.page.url or listing.page.name, wanted.list, listing.lists[wanted.list - 1])
    name = f"records-{wanted.page}-{wanted.list}.{wanted.format}"
    body = write_rows(wanted.format, [batch], Shape())
    return Sent(body, FORMATS[wanted.format].media_type, NOTHING_POLICY, name)


# -- the page for people -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tab:
    """One list, to be gone to."""

    number: int
    kind: str
    count: int
    score: float
    is_listed: bool
    address: str
    says: str  # what its first record is called


@dataclass(frozen=True, slots=True)
class Saving:
    """A way to save a list."""

    name: str
    address: str


def show_records(state: State, wanted: RecordsWanted) -> dict[str, Any]:
    """Return what the page of records shows."""
    sites = state.site_keys()
    page = _find_page(state, wanted)
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
    return shown if page is None else shown | _show_page(state, wanted, state.part(Listings).get(page.number))


def _find_page(state: State, wanted: RecordsWanted) -> PageAtHand | None:
    """Return the page that is asked for, or the first one at hand. Raises NotThere."""
    if wanted.page is not None:
        page = state.page(wanted.page)
        if page is None:
            raise NotThere(f"there is no page {wanted.page}")
        return page
    return next(iter(state.pages(wanted.site or None)), None)


def _show_page(state: State, wanted: RecordsWanted, listing: PageListing) -> dict[str, Any]:
    hidden = len(listing.lists) - len(listing.listed)
    is_all = wanted.all or not listing.listed or wanted.list > len(listing.listed)
    lists = listing.lists if is_all else listing.listed
    number = min(wanted.list, len(lists))
    one = listing.see(number) if lists else None
    start = min(wanted.start, max(len(one.records) - 1, 0)) if one is not None else 0
    return {
        "listing": listing,
        "lists": [_tab(listing, place, is_all) for place in range(1, len(lists) + 1)],
        "one": one,
        "columns": _used_columns(one),
        "has_links": one is not None and any(record.links for record in one.records),
        "has_images": one is not None and any(record.images for record in one.records),
        "start": start,
        "rows": list(enumerate(one.records[start : start + _ROWS], start + 1)) if one is not None else [],
        "turning": _turning(wanted, listing, one, start),
        "is_all": is_all,
        "hidden": hidden,
        "switch": _address(listing, number, is_all=not is_all),
        "savings": _savings(listing, one),
        "cell_chars": _CELL_CHARS,
        "following": listing.paging.next or listing.paging.more,
        "watch": find_watch(state, listing.page.url),
        "misses": MISSES,
        "delays": DELAYS,
    }


def _address(listing: PageListing, number: int, *, is_all: bool, start: int = 0) -> str:
    said: dict[str, Any] = {"page": listing.page.number, "list": number}
    said |= {"all": "true"} if is_all else {}
    said |= {"start": start} if start else {}
    return f"/records?{urlencode(said)}"


def _tab(listing: PageListing, number: int, is_all: bool) -> Tab:
    listed = listing.lists[number - 1]
    says = title_of(listed, listed.records[0]) if listed.records else ""
    is_listed = number <= len(listing.listed)
    address = _address(listing, number, is_all=is_all)
    return Tab(number, listed.kind, len(listed.records), listed.score, is_listed, address, says)


def _used_columns(one: PageListView | None) -> list[tuple[int, str]]:
    """Return the columns in which any record has something, by their place."""
    if one is None:
        return []
    return [
        (place, name) for place, name in enumerate(one.columns) if any(record.fields[place] for record in one.records)
    ]


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


def _savings(listing: PageListing, one: PageListView | None) -> list[Saving]:
    if one is None:
        return []
    kinds = [kind for kind in _SAVED if kind.name != "parquet" or find_spec("pyarrow") is not None]
    said = {"page": listing.page.number, "list": one.number}
    return [Saving(kind.label, f"/records/export?{urlencode(said | {'format': kind.name})}") for kind in kinds]


OPERATIONS = (
    Operation("GET", "/api/records", list_records, PageRecordsWanted, PageRecords, "The lists of a page at hand."),
    *page_lists.OPERATIONS,
)
DOCUMENTS = (ServedFile("/records/export", export_list, ExportWanted),)
VIEWS = (View("/records", "records.html", show_records, RecordsWanted, area="records"),)
