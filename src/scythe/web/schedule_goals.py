"""What is wanted of a watched page: told in words, changed, ended, and its next visit hastened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from scythe.archive.archive import Archive
from scythe.archive.rows import WatchRow
from scythe.schedule.axes import name_duration
from scythe.visits import Found
from scythe.watched import DAY_S, HOUR_S, WEEK_S
from scythe.watching.options import ListOptions
from scythe.web.operation import Key, NotNow, NotThere, Number, Operation, Wanted
from scythe.web.room import Room
from scythe.web.runs_kept import Runs

Share = Annotated[float, msgspec.Meta(ge=0.0001, le=0.5)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=366 * DAY_S)]
# what the form offers, in seconds
DELAYS_S = (900.0, HOUR_S, 3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S, 3 * DAY_S, WEEK_S)
FLOORS_S = (60.0, 300.0, 600.0, 1_800.0, HOUR_S, 6 * HOUR_S, DAY_S)
MISSES = (0.001, 0.01, 0.05, 0.1)
POLICY_SAYS = {
    "auto": "as few visits as keep these wishes, by a forecast with its uncertainty",
    "seasonal": "a forecast by the hour of the week",
    "poisson": "a forecast of the rate of the last days",
    "ses": "exponential smoothing of the last intervals",
    "average": "a constant interval, by the mean rate",
    "adaptive": "sooner after a change, later after none",
    "fixed": "every hour, or as often as the longest delay says",
}


class GoalsWanted(Wanted, frozen=True):
    """Other wishes for a watched page; what is not named stays as it was."""

    watch: Number
    miss: Share | UnsetType = UNSET
    max_delay_s: Seconds | UnsetType | None = UNSET  # None: no limit
    delay_s: Seconds | UnsetType | None = UNSET  # 95 of 100 records are seen within so long
    floor_s: Seconds | UnsetType = UNSET
    policy: Key | UnsetType = UNSET
    older_pages: Annotated[int, msgspec.Meta(ge=0, le=1_000)] | UnsetType = UNSET
    follow: bool | UnsetType = UNSET


class WatchWanted(Wanted, frozen=True):
    """A watched page."""

    watch: Number


@dataclass(frozen=True, slots=True)
class GoalsSeen:
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
    """A page that is watched no longer."""

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
    row = archive.watch(number)
    if row is None:
        raise NotThere(f"there is no watched page {number}")
    return row


def see_goals(watch: WatchRow) -> GoalsSeen:
    """Return what is wanted of a page."""
    options = ListOptions.from_json(watch.options)
    goals = options.goals
    return GoalsSeen(
        watch.id,
        str(watch.url),
        options.policy,
        goals.miss,
        goals.max_delay_s,
        goals.delay_s,
        goals.floor_s,
        options.older_pages,
        options.follow,
        list(say_goals(options)),
    )


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


def change_goals(room: Room, wanted: GoalsWanted) -> GoalsSeen:
    """Change what is wanted of a watched page; it is visited soon, and its next visit planned anew."""
    with room.archive() as archive:
        row = find_watch(archive, wanted.watch)
        if row.ended_at is not None:
            raise NotNow(f"{row.url} is watched no longer")
        options = _changed(ListOptions.from_json(row.options), wanted)
        found = Found(row.url, row.lane, "start", "list", key=f"list {row.url}")
        archive.add_watch(row.site, found, options.to_json(), now=datetime.now(UTC))
        archive.hasten_watch(row.id)
        seen = see_goals(find_watch(archive, row.id))
    room.part(Runs).nudge()
    return seen


def _changed(options: ListOptions, wanted: GoalsWanted) -> ListOptions:
    """Return options with what is wanted instead. Raises BadInput where a value cannot be meant."""
    goals = replace(options.goals, **_said(wanted, "miss", "max_delay_s", "delay_s", "floor_s"))
    return replace(options, goals=goals, **_said(wanted, "policy", "older_pages", "follow"))


def _said(wanted: GoalsWanted, *names: str) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(wanted, name)) is not UNSET}


def end_watching(room: Room, wanted: WatchWanted) -> Ended:
    """Watch a page no longer; what was archived stays."""
    with room.archive() as archive:
        row = find_watch(archive, wanted.watch)
        archive.end_watch(row.id, "watched no longer")
    room.part(Runs).nudge()
    return Ended(row.id, str(row.url))


def visit_now(room: Room, wanted: WatchWanted) -> Hastened:
    """Let a watched page be due now."""
    with room.archive() as archive:
        row = find_watch(archive, wanted.watch)
        if not archive.hasten_watch(row.id):
            raise NotNow(f"{row.url} is watched no longer")
    return Hastened(row.id, str(row.url), room.part(Runs).nudge())


OPERATIONS = (
    Operation("POST", "/api/schedule/goals", change_goals, GoalsWanted, GoalsSeen, "Change what a watch is for."),
    Operation("POST", "/api/schedule/end", end_watching, WatchWanted, Ended, "Watch a page no longer."),
    Operation("POST", "/api/schedule/now", visit_now, WatchWanted, Hastened, "Let a watched page be due now."),
)
