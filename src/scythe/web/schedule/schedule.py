"""Show when watched lists are visited and why, change their goals, visit now, or stop watching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from scythe.archive.archive import Archive
from scythe.archive.observations import count_came, find_list, late_looks, lists_of_watch, read_looks
from scythe.archive.results import ListRow, LookRow, WatchRow
from scythe.archive.watches import add_watch, end_watch, hasten_watch, load_watch
from scythe.crawl_model import FoundUrl
from scythe.schedule.plots import list_svg
from scythe.schedule.policies import POLICIES
from scythe.schedule.svg import name_duration
from scythe.watch_model import DAY_S
from scythe.watching.plan_report import Comparison, Planned, compare, draw_plan, plan_list, read_plan
from scythe.watching.watch_options import ListOptions
from scythe.web.operations import Key, Number, RequestInput, Sent, WebArea
from scythe.web.runs.run_store import Runs
from scythe.web.state import PROFILE, NotNow, State, fill, there

AREA = WebArea("schedule", __doc__)

Share = Annotated[float, msgspec.Meta(ge=0.0001, le=0.5)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=366 * DAY_S)]
POLICY_SAYS = {
    "auto": "as few visits as keep these wishes, by a forecast with its uncertainty",
    "seasonal": "a forecast by the hour of the week",
    "poisson": "a forecast of the rate of the last days",
    "ses": "exponential smoothing of the last intervals",
    "average": "a constant interval, by the mean rate",
    "adaptive": "sooner after a change, later after none",
    "fixed": "every hour, or as often as the longest delay says",
}


class GoalsWanted(RequestInput, frozen=True):
    """Other wishes for a watched page; what is not named stays as it was."""

    watch: Number
    miss: Share | UnsetType = UNSET
    max_delay_s: Seconds | UnsetType | None = UNSET  # None: no limit
    delay_s: Seconds | UnsetType | None = UNSET  # 95 of 100 records are seen within so long
    floor_s: Seconds | UnsetType = UNSET
    policy: Key | UnsetType = UNSET
    older_pages: Annotated[int, msgspec.Meta(ge=0, le=1_000)] | UnsetType = UNSET
    follow: bool | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class GoalsView:
    """What is wanted of a watched page."""

    watch: int
    page: str
    policy: str
    miss: float
    max_delay_s: float | None
    delay_s: float | None
    floor_s: float
    older_pages: int
    follow: bool
    said: list[str]  # the same in words


@dataclass(frozen=True, slots=True)
class Ended:
    """A page that is no longer watched."""

    watch: int
    page: str


@dataclass(frozen=True, slots=True)
class Hastened:
    """A page that is due now."""

    watch: int
    page: str
    is_watching: bool  # a watch of this page goes on: the visit comes at once


def find_watch(archive: Archive, number: int) -> WatchRow:
    """Return a watched page. Raises NotThere."""
    return there(load_watch(archive, number), f"there is no watched page {number}")


def see_goals(watch: WatchRow) -> GoalsView:
    """Return what is wanted of a page."""
    options = ListOptions.from_json(watch.options)
    return fill(GoalsView, options, options.goals, watch=watch.id, page=str(watch.url), said=list(say_goals(options)))


def say_goals(options: ListOptions) -> Iterator[str]:
    """Put what is wanted of a page into words."""
    goals = options.goals
    yield f"At most {100 * goals.miss:g} % of the records may be missed."
    if goals.max_delay_s is not None:
        yield f"No record is seen later than {name_duration(goals.max_delay_s)} after it came."
    if goals.delay_s is not None:
        yield f"{100 * goals.delay_share:g} % of the records are seen within {name_duration(goals.delay_s)}."
    if goals.max_delay_s is None and goals.delay_s is None:
        yield "How soon a record is seen does not matter, as long as it is."
    yield f"Between two visits pass {name_duration(goals.floor_s)} at least."
    if options.older_pages:
        yield f"Where a visit comes late, up to {options.older_pages} older pages are followed back."
    if options.follow:
        yield "The page that each new record leads to is archived, too."
    yield f"Visits are planned by {options.policy}: {POLICY_SAYS.get(options.policy, '')}."


@AREA.post("/api/schedule/goals")
def change_goals(state: State, wanted: GoalsWanted) -> GoalsView:
    """Change what is wanted of a watched page; it is visited soon, and its next visit planned anew."""
    with state.archive() as archive:
        row = find_watch(archive, wanted.watch)
        if row.ended_at is not None:
            raise NotNow(f"{row.url} is no longer watched")
        options = _changed(ListOptions.from_json(row.options), wanted)
        found = FoundUrl(row.url, row.host, "start", "list", key=f"list {row.url}")
        add_watch(archive, row.site, found, options.to_json(), now=datetime.now(UTC))
        hasten_watch(archive, row.id)
        seen = see_goals(find_watch(archive, row.id))
    state.part(Runs).nudge()
    return seen


def _changed(options: ListOptions, wanted: GoalsWanted) -> ListOptions:
    """Return options with what is wanted instead. Raises BadInput where a value cannot be meant."""
    goals = replace(options.goals, **_said(wanted, "miss", "max_delay_s", "delay_s", "floor_s"))
    return replace(options, goals=goals, **_said(wanted, "policy", "older_pages", "follow"))


def _said(wanted: GoalsWanted, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(wanted, name)) is not UNSET}


@AREA.post("/api/schedule/end")
def end_watching(state: State, watch: Number) -> Ended:
    """Watch a page no longer; what was archived stays."""
    with state.archive() as archive:
        row = find_watch(archive, watch)
        end_watch(archive, row.id, "watched no longer")
    state.part(Runs).nudge()
    return Ended(row.id, str(row.url))


@AREA.post("/api/schedule/now")
def visit_now(state: State, watch: Number) -> Hastened:
    """Let a watched page be due now."""
    with state.archive() as archive:
        row = find_watch(archive, watch)
        if not hasten_watch(archive, row.id):
            raise NotNow(f"{row.url} is no longer watched")
    return Hastened(row.id, str(row.url), state.part(Runs).nudge())


_LINES = 25  # of the journal on one page
_DAYS = 14
_PLOT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_SVG = "image/svg+xml"

Days = Annotated[int, msgspec.Meta(ge=1, le=366)]


class WatchedListWanted(RequestInput, frozen=True):
    """A watched list, and how much of its past."""

    list_id: Number
    days: Days = _DAYS
    before: Number | None = None  # a line of the journal; None: the last lines
    v: Annotated[str, msgspec.Meta(max_length=40)] = ""  # anything: another value draws it again


@dataclass(frozen=True, slots=True)
class WatchedListView:
    """One watched list."""

    list_id: int
    watch: int
    site: str
    page: str
    name: str
    columns: list[str]
    shown: int
    planned: Planned
    goals: GoalsView
    is_watched: bool
    journal: list[LookRow]  # the newest first
    before: int | None  # where the journal goes on; None: that was all
    compared: Comparison | None  # None: too little is known yet


@AREA.get("/api/schedule/list", "watched_list")
def see_watched_list(state: State, wanted: WatchedListWanted) -> WatchedListView:
    """Tell of one list what came, what is planned, and what fixed visits would have cost."""
    now = datetime.now(UTC)
    with state.archive() as archive:
        watch, listed = _find(archive, wanted.list_id)
        journal = late_looks(archive, listed.id, before=wanted.before, count=_LINES + 1)
        looks = list(read_looks(archive, listed.id, since=now - timedelta(days=wanted.days)))
    named = listed.id, watch.id, watch.site_key, str(watch.url), listed.name, list(listed.columns), listed.shown
    planned, goals, before = plan_list(watch, listed, now), see_goals(watch), None
    if len(journal) > _LINES:
        before = journal[_LINES - 1].id
    is_watched = watch.ended_at is None
    return WatchedListView(*named, planned, goals, is_watched, journal[:_LINES], before, compare(looks))


def _find(archive: Archive, number: int) -> tuple[WatchRow, ListRow]:
    listed = there(find_list(archive, number), f"there is no list {number}")
    return find_watch(archive, listed.watch), listed


@AREA.view("/schedule/list/{list_id}", "schedule_list.html")
def show_watched_list(state: State, wanted: WatchedListWanted) -> dict[str, Any]:
    """Return what the page of a list shows."""
    seen = see_watched_list(state, wanted)
    with state.archive() as archive:
        beside = [one for one in lists_of_watch(archive, seen.watch) if one.id != seen.list_id]
    return {"seen": seen, "beside": beside, "days": wanted.days, "before": wanted.before, **_choices(seen.goals)}


@AREA.view("/schedule/page/{watch}", "schedule_page.html")
def show_page(state: State, watch: Number) -> dict[str, Any]:
    """Return what is shown of a watched page whose lists are not known, or are to be chosen from."""
    with state.archive() as archive:
        row = find_watch(archive, watch)
        lists = lists_of_watch(archive, row.id)
    planned = plan_list(row, None, datetime.now(UTC))
    is_watched = row.ended_at is None
    return {"watch": row, "planned": planned, "lists": lists, "is_watched": is_watched, **_choices(see_goals(row))}


def _choices(goals: GoalsView) -> dict[str, Any]:
    """Return what the form for goals shows."""
    return {
        "goals": goals,
        "policies": {name: POLICY_SAYS.get(name, "") for name in reversed(POLICIES)},
    }


@AREA.file("/schedule/plot/{list_id}")
def draw_watched_list(state: State, wanted: WatchedListWanted) -> Sent:
    """Draw what came to a list, what is expected, and its visits."""
    now = datetime.now(UTC)
    with state.archive() as archive:
        watch, listed = _find(archive, wanted.list_id)
        plan = [(plan_list(watch, listed, now), watch, listed)]
        (history,) = draw_plan(archive, plan, now, wanted.days * DAY_S)
    return Sent(list_svg(history).encode(), _SVG, _PLOT_POLICY)


_ON_PAGE = 100  # lists
_SPARK_S, _SPARKS = DAY_S / 2, 28  # what a small plot shows: so many steps of time
_SPARK_HIGH = 22.0

Listed = Annotated[
    str, msgspec.Meta(max_length=500, description="What their site, address or name has in it; empty: all.")
]
Turn = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class ScheduledListView:
    """A watched list and its next visit."""

    watch: int  # number of the page
    list_id: int | None  # number of the list; None: the page was not visited yet, or shows none
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
class ScheduleView:
    """One page of the schedule."""

    lists: list[ScheduledListView]
    total: int  # lists that are meant
    page: int
    pages: int
    watched: int  # pages of the archive that are watched
    rate_day: float  # new records of all lists that are meant


@AREA.get("/api/schedule", "schedule")
def see_schedule(state: State, site: Listed = "", page: Turn = 1) -> ScheduleView:
    """List the watched lists, the next visit first."""
    if state.options.archive is None:
        return ScheduleView([], 0, 1, 1, 0, 0.0)
    with state.archive() as archive:
        return _see(archive, site, page)


def _see(archive: Archive, site: str, page: int) -> ScheduleView:
    plan = read_plan(archive, (), datetime.now(UTC))
    sought = "" if site == PROFILE else site.strip().lower()
    meant = [one for one in plan if not sought or sought in f"{one[0].page} {one[0].site} {one[0].region}".lower()]
    pages = max(-(-len(meant) // _ON_PAGE), 1)
    page = min(page, pages)
    lists = [
        fill(
            ScheduledListView,
            planned,
            watch=watch.id,
            list_id=None if listed is None else listed.id,
            name=planned.region,
            has_trouble=watch.attempts > 0,
        )
        for planned, watch, listed in meant[(page - 1) * _ON_PAGE : page * _ON_PAGE]
    ]
    watched = len({watch.id for _, watch, _ in plan})
    return ScheduleView(lists, len(meant), page, pages, watched, sum(one.rate_day or 0.0 for one, _, _ in meant))


@AREA.view("/schedule", "schedule.html")
def show_schedule(state: State, site: Listed = "", page: Turn = 1) -> dict[str, Any]:
    """Return what the schedule shows, with a small plot for each list."""
    sparks: dict[int, str] = {}
    if state.options.archive is None:
        seen = see_schedule(state, site, page)
    else:
        with state.archive() as archive:
            seen = _see(archive, site, page)
            list_ids = [one.list_id for one in seen.lists if one.list_id is not None]
            since = datetime.now(UTC) - timedelta(seconds=_SPARKS * _SPARK_S)
            came = count_came(archive, list_ids, since=since, step_s=_SPARK_S) if list_ids else {}
            sparks = {list_id: _bars(steps) for list_id, steps in came.items()}
    return {
        "seen": seen,
        "sparks": sparks,
        "site": "" if site == PROFILE else site,
        "now": datetime.now(UTC),
        "days": round(_SPARKS * _SPARK_S / DAY_S),
        "is_watching": any(run.kind == "watch" and not run.is_over for run in state.part(Runs).all()),
    }


def _bars(steps: Mapping[int, int]) -> str:
    most = max(steps.values())
    drawn = []
    for step, count in sorted(steps.items()):
        high = max(_SPARK_HIGH * count / most, 1.0)
        drawn.append(f"M{min(step, _SPARKS - 1) * 4} {_SPARK_HIGH:g}v-{high:.3g}h3v{high:.3g}z")
    return "".join(drawn)
