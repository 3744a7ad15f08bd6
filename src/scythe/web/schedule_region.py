"""One watched list: what came and when it was visited, what is expected, and what fixed visits would have cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec

from scythe.archive.archive import Archive
from scythe.archive.rows import LookRow, RegionRow, WatchRow
from scythe.schedule.bars import Panel, bars_svg
from scythe.schedule.plots import region_svg
from scythe.schedule.policies import POLICIES
from scythe.watched import DAY_S
from scythe.watching.compared import Compared, Comparison, compare
from scythe.watching.planned import Planned, draw_plan, plan_list
from scythe.web.operation import Document, NotThere, Number, Operation, Sent, View, Wanted
from scythe.web.room import Room
from scythe.web.schedule_goals import (
    DELAYS_S,
    FLOORS_S,
    MISSES,
    POLICY_SAYS,
    GoalsSeen,
    WatchWanted,
    find_watch,
    see_goals,
)

_LINES = 25  # of the journal on one page
_DAYS = 14
DAYS_OFFERED = (1, 3, 7, 14, 28, 90)
_PLOT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_SVG = "image/svg+xml"

Days = Annotated[int, msgspec.Meta(ge=1, le=366)]


class RegionWanted(Wanted, frozen=True):
    """A watched list, and how much of its past."""

    region: Number
    days: Days = _DAYS
    before: Number | None = None  # a line of the journal; None: the last lines
    v: Annotated[str, msgspec.Meta(max_length=40)] = ""  # anything: another value draws it again


@dataclass(frozen=True, slots=True)
class RegionSeen:
    """One watched list."""

    region: int
    watch: int
    site: str
    page: str
    name: str
    columns: list[str]
    shown: int
    planned: Planned
    goals: GoalsSeen
    is_watched: bool
    journal: list[LookRow]  # the newest first
    before: int | None  # where the journal goes on; None: that was all
    compared: Comparison | None  # None: too little is known yet


def see_region(room: Room, wanted: RegionWanted) -> RegionSeen:
    """Tell of one list what came, what is planned, and what fixed visits would have cost."""
    with room.archive() as archive:
        return _see(archive, wanted)


def _see(archive: Archive, wanted: RegionWanted) -> RegionSeen:
    watch, region = _find(archive, wanted.region)
    now = datetime.now(UTC)
    journal = archive.late_looks(region.id, before=wanted.before, count=_LINES + 1)
    return RegionSeen(
        region.id,
        watch.id,
        watch.site_key,
        str(watch.url),
        region.name,
        list(region.columns),
        region.shown,
        plan_list(watch, region, now),
        see_goals(watch),
        watch.ended_at is None,
        journal[:_LINES],
        journal[_LINES - 1].id if len(journal) > _LINES else None,
        compare(list(archive.looks(region.id, since=now - timedelta(days=wanted.days)))),
    )


def _find(archive: Archive, number: int) -> tuple[WatchRow, RegionRow]:
    region = archive.region(number)
    if region is None:
        raise NotThere(f"there is no list {number}")
    return find_watch(archive, region.watch), region


def show_region(room: Room, wanted: RegionWanted) -> dict[str, Any]:
    """Return what the page of a list shows."""
    with room.archive() as archive:
        seen = _see(archive, wanted)
        beside = [one for one in archive.regions(seen.watch) if one.id != seen.region]
    return {"seen": seen, "beside": beside, "days": wanted.days, "before": wanted.before, **_choices(seen.goals)}


def show_page(room: Room, wanted: WatchWanted) -> dict[str, Any]:
    """Return what is shown of a watched page whose lists are not known, or are to be chosen from."""
    with room.archive() as archive:
        watch = find_watch(archive, wanted.watch)
        regions = archive.regions(watch.id)
    goals = see_goals(watch)
    planned = plan_list(watch, None, datetime.now(UTC))
    is_watched = watch.ended_at is None
    return {"watch": watch, "planned": planned, "regions": regions, "is_watched": is_watched, **_choices(goals)}


def _choices(goals: GoalsSeen) -> dict[str, Any]:
    """Return what the form for goals offers; what is wanted now is always among it."""
    return {
        "goals": goals,
        "misses": sorted({*MISSES, goals.miss}),
        "delays": sorted({*DELAYS_S, *filter(None, (goals.max_delay_s,))}),
        "withins": sorted({*DELAYS_S, *filter(None, (goals.delay_s,))}),
        "floors": sorted({*FLOORS_S, goals.floor_s}),
        "policies": {name: POLICY_SAYS.get(name, "") for name in reversed(POLICIES)},
        "days_offered": DAYS_OFFERED,
    }


def draw_region(room: Room, wanted: RegionWanted) -> Sent:
    """Draw what came to a list, what is expected, and its visits."""
    now = datetime.now(UTC)
    with room.archive() as archive:
        watch, region = _find(archive, wanted.region)
        plan = [(plan_list(watch, region, now), watch, region)]
        (history,) = draw_plan(archive, plan, now, wanted.days * DAY_S)
    return Sent(region_svg(history).encode(), _SVG, _PLOT_POLICY)


def draw_compared(room: Room, wanted: RegionWanted) -> Sent:
    """Draw what the visits of a list cost beside what others would have."""
    now = datetime.now(UTC)
    with room.archive() as archive:
        _, region = _find(archive, wanted.region)
        compared = compare(list(archive.looks(region.id, since=now - timedelta(days=wanted.days))))
    if compared is None:
        raise NotThere("too little is known of this list yet to compare anything")
    rows = compared.rows
    title = "What the visits cost, and what others would have"
    said = f"{compared.came} records came, {compared.shown} are shown at once; all but the first row are estimates"
    return Sent(bars_svg(title, said, [row.name for row in rows], _panels(rows)).encode(), _SVG, _PLOT_POLICY)


def _panels(rows: tuple[Compared, ...]) -> list[Panel]:
    return [
        Panel("requests", "f2", [row.requests for row in rows]),
        Panel("records seen again", "f7", [row.duplicates for row in rows]),
        Panel("records missed", "lost", [row.missed for row in rows]),
    ]


OPERATIONS = (
    Operation("GET", "/api/schedule/region", see_region, RegionWanted, RegionSeen, "One watched list.", "watched_list"),
)
VIEWS = (
    View("/schedule/region/{region}", "schedule_region.html", show_region, RegionWanted, area="schedule"),
    View("/schedule/page/{watch}", "schedule_page.html", show_page, WatchWanted, area="schedule"),
)
DOCUMENTS = (
    Document("/schedule/plot/{region}", draw_region, RegionWanted),
    Document("/schedule/compared/{region}", draw_compared, RegionWanted),
)
