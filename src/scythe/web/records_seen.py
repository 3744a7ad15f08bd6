"""The lists of a page at hand: its number comes in, regions of records with their places in its frame go out.

They are read by the tree, as a watch reads them: what is chosen here by its number is the same list there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from scythe.crawling.jobs import Job, SiteSetup
from scythe.crawling.lists import read_list
from scythe.model import Paging, Record, Region
from scythe.page import Page
from scythe.page.own_links import own_links
from scythe.page.sniff import sniff_bytes, sniff_text
from scythe.read.records.paging import read_paging
from scythe.read.records.rank import CUT
from scythe.read.records.regions import place_records
from scythe.web.inert import number_elements
from scythe.web.operation import NotThere
from scythe.web.room import PageAtHand, Room

_KEPT = 16  # pages whose lists are kept


@dataclass(frozen=True, slots=True)
class RecordSeen:
    """One record."""

    fields: tuple[str, ...]  # one per column of its list
    link: str  # where it leads; empty: nowhere
    links: tuple[str, ...]
    images: tuple[str, ...]
    elements: tuple[int, ...] = ()  # its outermost elements, by their numbers in the frame of the page


@dataclass(frozen=True, slots=True)
class ListSeen:
    """Records that repeat one pattern of a page."""

    number: int  # best first, from 1 on
    kind: str
    score: float  # 0..1, how likely it is what the page is about
    is_listed: bool  # False: a menu, a pager or the like
    columns: tuple[str, ...]
    records: tuple[RecordSeen, ...]


@dataclass(frozen=True, slots=True)
class PageRecords:
    """What a page lists."""

    page: int
    url: str | None
    title: str
    next: str | None  # the page that goes on with the list
    pages: int  # others of the list that it names
    lists: tuple[ListSeen, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The lists of one page as they were read."""

    page: PageAtHand
    title: str
    paging: Paging
    regions: tuple[Region, ...]  # all, best first
    places: tuple[tuple[tuple[int, ...], ...], ...]  # by region and record: numbers of elements

    @property
    def listed(self) -> tuple[Region, ...]:
        """Those that hold records of something: what a watch sees."""
        return tuple(region for region in self.regions if region.score >= CUT)

    def see(self, number: int) -> ListSeen:
        """Return a list by its number. Raises NotThere."""
        if not 1 <= number <= len(self.regions):
            raise NotThere(f"page {self.page.number} has {len(self.regions)} lists, and no list {number}")
        region, places = self.regions[number - 1], self.places[number - 1]
        own = own_links(region)
        records = tuple(
            _see_record(record, own[row], places[row] if row < len(places) else ())
            for row, record in enumerate(region.records)
        )
        is_listed = region.score >= CUT
        return ListSeen(number, region.kind, region.score, is_listed, region.columns, records)

    def see_all(self, *, everything: bool) -> PageRecords:
        """Return what the page lists; with `everything` also menus and the like."""
        regions = self.regions if everything else self.listed
        lists = tuple(self.see(number) for number in range(1, len(regions) + 1))
        following = self.paging.next or self.paging.more
        return PageRecords(self.page.number, self.page.url, self.title, following, len(self.paging.pages), lists)


def _see_record(record: Record, own: str, elements: tuple[int, ...]) -> RecordSeen:
    link = own or (record.links[0] if record.links else "")
    return RecordSeen(record.fields, link, record.links, record.images, elements)


class Listings:
    """What pages at hand list, read when first asked for."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._kept: OrderedDict[int, Listing] = OrderedDict()
        self._lock = threading.Lock()  # its own: a page of some megabytes takes seconds, and others have to go on

    def get(self, number: int) -> Listing:
        """Return the lists of a page at hand. Raises NotThere."""
        at_hand = self._room.page(number)
        if at_hand is None:
            raise NotThere(f"there is no page {number}")
        with self._lock:
            kept = self._kept.get(number)
            if kept is None or kept.page is not at_hand:
                kept = self._kept[number] = _read(at_hand)
            self._kept.move_to_end(number)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return kept


def _read(at_hand: PageAtHand) -> Listing:
    if sniff_bytes(at_hand.body[:4096], at_hand.content_type):
        return _read_other(at_hand)
    page = Page.from_bytes(at_hand.body, url=at_hand.url, content_type=at_hand.content_type)
    if sniff_text(page.html, at_hand.content_type):
        return _read_other(at_hand)
    placed = place_records(page)
    numbers = {node.mem_id: number for number, node in enumerate(number_elements(page))}
    places = tuple(
        tuple(tuple(numbers[node.mem_id] for node in nodes if node.mem_id in numbers) for nodes in rows)
        for _, rows in placed
    )
    regions = tuple(region for region, _ in placed)
    return Listing(at_hand, _title(page), read_paging(page), regions, places)


def _title(page: Page) -> str:
    return page.metadata.title or page.head.title


def _read_other(at_hand: PageAtHand) -> Listing:
    """Read a feed or a sitemap, which have no places to show; anything else has no lists."""
    setup = SiteSetup("lists", ("records",), learns=False)
    listed = read_list(Job(setup, at_hand.url or "", at_hand.body, "list", at_hand.content_type or ""))
    return Listing(at_hand, listed.title, Paging(), listed.regions, tuple(() for _ in listed.regions))
