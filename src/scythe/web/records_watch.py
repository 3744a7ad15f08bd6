"""Watch lists of pages: which ones, and how much of them may be missed, come in; a watch in the archive goes out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from scythe.archive.rows import RegionRow, WatchRow
from scythe.crawling.addresses import start_address
from scythe.errors import BadInput
from scythe.schedule.policies import POLICIES
from scythe.watched import DAY_S, Goals
from scythe.watching.choosing import unfound, watched_rows
from scythe.watching.chosen import MOST, Chosen, choose_places
from scythe.watching.notes import Notes
from scythe.watching.options import OLDER_PAGES, ListOptions
from scythe.watching.run import add_lists, forget_lists
from scythe.web.operation import Address, Nothing, NotThere, Number, Operation, Wanted
from scythe.web.records_seen import Listings
from scythe.web.room import Room
from scythe.web.runs_kept import Runs

_SOON = datetime(1971, 1, 1, tzinfo=UTC)  # an address due before is due at once

Miss = Annotated[float, msgspec.Meta(ge=0.0001, le=0.5, description="Share of records that may be missed.")]
Delay = Annotated[float, msgspec.Meta(ge=60, le=366 * DAY_S, description="Seconds.")]
Places = Annotated[tuple[Number, ...], msgspec.Meta(max_length=MOST)]
Policy = Annotated[str, msgspec.Meta(max_length=40, description=f"One of: {', '.join(POLICIES)}.")]


class WatchWanted(Wanted, frozen=True):
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


class EndWanted(Wanted, frozen=True):
    """A page that is watched."""

    url: Address


@dataclass(frozen=True, slots=True)
class WatchSeen:
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


def watch_page(room: Room, wanted: WatchWanted) -> WatchSeen:
    """Have lists of a page watched from now on, or otherwise than before."""
    address, options = _options(room, wanted)
    with room.archive() as archive:
        (number,) = add_lists(archive, [address], options)
        row = next(row for row in archive.watches() if row.id == number)
        seen = _see(room, row, archive.regions(row.id))
    room.part(Runs).nudge()  # a watch that goes on need not find out by itself
    return seen


def _options(room: Room, wanted: WatchWanted) -> tuple[str, ListOptions]:
    """Return the address of the page, and what is wanted of it. Raises BadInput and NotThere."""
    chosen: tuple[Chosen, ...] = tuple(Chosen(place=place) for place in dict.fromkeys(wanted.lists))
    others: tuple[Chosen, ...] = ()
    address = wanted.url.strip()
    if wanted.page is not None:
        listing = room.part(Listings).get(wanted.page)
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


def end_watch(room: Room, wanted: EndWanted) -> list[WatchSeen]:
    """Watch a page no longer; what was archived stays."""
    with room.archive() as archive:
        try:
            forget_lists(archive, [wanted.url])
        except BadInput as error:
            raise NotThere(str(error)) from None
    return list_watches(room, Nothing())


def list_watches(room: Room, wanted: Nothing) -> list[WatchSeen]:
    """List the pages that are watched."""
    if room.options.archive is None:
        return []
    regions: dict[int, list[RegionRow]] = {}
    with room.archive() as archive:
        for plan in archive.plans():
            regions.setdefault(plan.region.watch, []).append(plan.region)
        return [_see(room, row, regions.get(row.id, [])) for row in archive.watches()]


def find_watch(room: Room, url: str | None) -> WatchSeen | None:
    """Return the watch of an address, None where there is none."""
    if url is None or room.options.archive is None:
        return None
    address = start_address(url)
    with room.archive() as archive:
        row = next((row for row in archive.watches() if row.url == address), None)
        return None if row is None else _see(room, row, archive.regions(row.id))


def _see(room: Room, row: WatchRow, known: Sequence[RegionRow]) -> WatchSeen:
    options, notes = ListOptions.from_json(row.options), Notes.from_json(row.notes)
    regions = watched_rows(known, notes, options)
    waiting = unfound(notes, options)
    is_due = row.due_at is not None and row.due_at <= datetime.now(UTC)
    return WatchSeen(
        number=row.id,
        url=row.url,
        site=row.site_key,
        lists=tuple(region.name for region in regions) or tuple(one.name for one in waiting),
        places=tuple(one.place for one in options.regions if one.place),
        missing=tuple(one.name for one in waiting) if row.visited_at is not None else (),
        miss=options.goals.miss,
        max_delay_s=options.goals.max_delay_s,
        follow=options.follow,
        next_at=datetime.now(UTC) if row.due_at is not None and row.due_at < _SOON else row.due_at,
        is_due=is_due,
        last_at=row.visited_at,
        records=sum(region.records for region in regions),
        why=row.why if row.attempts else "",
        command=f"scythe watch --archive {shlex.quote(str(room.where))}",
    )


OPERATIONS = (
    Operation("GET", "/api/watches", list_watches, Nothing, list[WatchSeen], "The pages that are watched.", "watches"),
    Operation("POST", "/api/watch", watch_page, WatchWanted, WatchSeen, "Have lists of a page watched.", "watch"),
    Operation(
        "POST", "/api/watch/end", end_watch, EndWanted, list[WatchSeen], "Watch a page no longer.", "watch_no_longer"
    ),
)
