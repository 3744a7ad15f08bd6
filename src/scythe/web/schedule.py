"""When watched lists are visited, and why: the next visit first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec

from scythe.archive.archive import Archive
from scythe.archive.rows import RegionRow, WatchRow
from scythe.watched import DAY_S
from scythe.watching.planned import Planned, read_plan
from scythe.web.operation import Key, Operation, View, Wanted
from scythe.web.room import PROFILE, Room
from scythe.web.runs_kept import Runs
from scythe.web.schedule_goals import OPERATIONS as GOALS
from scythe.web.schedule_region import DOCUMENTS as PLOTS
from scythe.web.schedule_region import OPERATIONS as REGIONS
from scythe.web.schedule_region import VIEWS as REGION_VIEWS

_ON_PAGE = 100  # lists
_SPARK_S, _SPARKS = DAY_S / 2, 28  # what a small plot shows: so many steps of time
_SPARK_HIGH = 22.0

Listed = tuple[Planned, WatchRow, RegionRow | None]


class ScheduleWanted(Wanted, frozen=True):
    """Some of the lists."""

    site: Key = ""  # what their site, address or name has in it; empty: all
    page: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 1


@dataclass(frozen=True, slots=True)
class ListSeen:
    """A watched list and its next visit."""

    watch: int  # number of the page
    region: int | None  # number of the list; None: the page was not visited yet, or shows none
    page: str
    site: str
    name: str
    next_at: datetime | None
    expected: float | None  # new records by then
    risk: float | None  # 0..1, share of them that will be missed
    rate_day: float | None
    records: int
    lost: int
    last_at: datetime | None
    why: str
    has_trouble: bool  # the last visit failed


@dataclass(frozen=True, slots=True)
class ScheduleSeen:
    """One page of the schedule."""

    lists: list[ListSeen]
    total: int  # lists that are meant
    page: int
    pages: int
    watched: int  # pages of the archive that are watched
    rate_day: float  # new records of all lists that are meant


def see_schedule(room: Room, wanted: ScheduleWanted) -> ScheduleSeen:
    """List the watched lists, the next visit first."""
    if room.options.archive is None:
        return ScheduleSeen([], 0, 1, 1, 0, 0.0)
    with room.archive() as archive:
        return _see(archive, wanted)


def _see(archive: Archive, wanted: ScheduleWanted) -> ScheduleSeen:
    plan = read_plan(archive, (), datetime.now(UTC))
    meant = [one for one in plan if _is_meant(one, wanted.site)]
    pages = max(-(-len(meant) // _ON_PAGE), 1)
    page = min(wanted.page, pages)
    lists = [see_list(*one) for one in meant[(page - 1) * _ON_PAGE : page * _ON_PAGE]]
    watched = len({watch.id for _, watch, _ in plan})
    return ScheduleSeen(lists, len(meant), page, pages, watched, sum(one.rate_day or 0.0 for one, _, _ in meant))


def _is_meant(one: Listed, site: str) -> bool:
    planned, wanted = one[0], "" if site == PROFILE else site.strip().lower()
    return not wanted or wanted in planned.page.lower() or wanted in f"{planned.site} {planned.region}".lower()


def see_list(planned: Planned, watch: WatchRow, region: RegionRow | None) -> ListSeen:
    """Return what is shown of a list."""
    return ListSeen(
        watch.id,
        None if region is None else region.id,
        planned.page,
        planned.site,
        planned.region,
        planned.next_at,
        planned.expected,
        planned.risk,
        planned.rate_day,
        planned.records,
        planned.lost,
        planned.last_at,
        planned.why,
        watch.attempts > 0,
    )


def show_schedule(room: Room, wanted: ScheduleWanted) -> dict[str, Any]:
    """Return what the schedule shows, with a small plot for each list."""
    sparks: dict[int, str] = {}
    if room.options.archive is None:
        seen = see_schedule(room, wanted)
    else:
        with room.archive() as archive:
            seen = _see(archive, wanted)
            sparks = draw_sparks(archive, [one.region for one in seen.lists if one.region is not None])
    return {
        "seen": seen,
        "sparks": sparks,
        "site": "" if wanted.site == PROFILE else wanted.site,
        "now": datetime.now(UTC),
        "days": round(_SPARKS * _SPARK_S / DAY_S),
        "is_watching": any(run.kind == "watch" and not run.is_over for run in room.part(Runs).all()),
    }


def draw_sparks(archive: Archive, regions: Sequence[int]) -> dict[int, str]:
    """Return by region the path of bars that tells what came lately."""
    since = datetime.now(UTC) - timedelta(seconds=_SPARKS * _SPARK_S)
    came = archive.count_came(regions, since=since, step_s=_SPARK_S) if regions else {}
    return {region: _bars(steps) for region, steps in came.items()}


def _bars(steps: Mapping[int, int]) -> str:
    most = max(steps.values())
    drawn = []
    for step, count in sorted(steps.items()):
        high = max(_SPARK_HIGH * count / most, 1.0)
        drawn.append(f"M{min(step, _SPARKS - 1) * 4} {_SPARK_HIGH:g}v-{high:.3g}h3v{high:.3g}z")
    return "".join(drawn)


OPERATIONS = (
    Operation("GET", "/api/schedule", see_schedule, ScheduleWanted, ScheduleSeen, "Visits to come.", "schedule"),
    *REGIONS,
    *GOALS,
)
VIEWS = (View("/schedule", "schedule.html", show_schedule, ScheduleWanted, area="schedule"), *REGION_VIEWS)
DOCUMENTS = PLOTS
