"""Report the plan of a watch, and what other policies would have done with the same list.

Arrival times are only known to lie between two visits, so figures of other policies are estimates.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from random import Random
from statistics import median_low
from typing import Any

from scythe.archive.archive import Archive
from scythe.archive.observations import read_looks, watched_lists
from scythe.archive.results import ListRow, LookRow, WatchRow
from scythe.archive.watches import watch_rows
from scythe.limits import LIMITS
from scythe.schedule.plots import CountedSpan, History, VisitRow
from scythe.schedule.policies import STORM, Adaptive, Estimator, Fixed, make_policy
from scythe.schedule.simulate import Trial, simulate
from scythe.watch_model import DAY_S, HOUR_S, Goals
from scythe.watching.list_choice import Notes, watched_rows
from scythe.watching.watch_options import ListOptions

_TURNS = 3  # visits that a rule must have come to, at least, to be worth showing
_APART_S = 1e-3  # between the records that were there before anybody looked


@dataclass(frozen=True, slots=True)
class Compared:
    """One way to visit a list, and what came of it."""

    name: str  # what people call it
    visits: int
    requests: int  # older pages included
    new: int  # records seen
    duplicates: int  # records seen again
    missed: int
    delay_s: float | None  # between arrival and visit, in the mean; None: nothing was seen
    is_estimate: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """What happened, first, and what other rules would have done in the same time."""

    start: float  # seconds since 1970, UTC
    end: float
    came: int  # records
    shown: int  # at once
    recovered: int  # records that only older pages still had
    rows: tuple[Compared, ...]


def compare(looks: Sequence[LookRow]) -> Comparison | None:
    """Compare the visits of a journal, oldest line first, with other rules; None where it is too short to say much."""
    there = _bounded([look for look in looks if look.shown])
    later = there[1:]
    came = sum(look.new + look.lost for look in later)
    if len(later) < _TURNS or not came or later[-1].at <= there[0].at:
        return None
    start, end = there[0].at.timestamp(), later[-1].at.timestamp()
    shown = median_low(look.shown or 1 for look in there)
    arrivals = [start - _APART_S * number for number in range(shown, 0, -1)]
    arrivals += sorted(at for span in _spans(there) for at in span)
    rows = [_happened(there)]
    for name, rule in _rules(end - start, len(later)):
        trial = _try(arrivals, shown, rule, start, end)
        rows.append(_compared(name, trial))
    return Comparison(start, end, came, shown, sum(look.recovered for look in later), tuple(rows))


def _bounded(looks: list[LookRow]) -> list[LookRow]:
    """Return the last of the looks, so many that what came between them can be tried out at once."""
    looks, left = looks[-LIMITS.compared_looks :], LIMITS.compared_arrivals
    for number in range(len(looks) - 1, -1, -1):
        left -= looks[number].new + looks[number].lost
        if left < 0:
            return looks[number + 1 :]
    return looks


def _spans(looks: Sequence[LookRow]) -> Iterator[list[float]]:
    """Yield when the records of each visit may have come: at any moment since the visit before.

    Records a constant time apart would find hardly a visit without news, and let adaptive rules come too often.
    """
    chance = Random(1)  # the same journal, the same numbers
    for before, look in pairwise(looks):
        at, count = look.at.timestamp(), look.new + look.lost
        since_s = max(at - before.at.timestamp(), 0.0)  # a clock that was set back tells nothing
        yield [at - since_s * chance.random() for _ in range(count)]


def _rules(over_s: float, visits: int) -> Iterator[tuple[str, Estimator]]:
    """Yield the rules that are worth comparing over such a time."""
    for name, every_s in (("every hour", HOUR_S), ("every day", DAY_S)):
        if over_s >= _TURNS * every_s:
            yield name, Fixed(Goals(), every_s=every_s)
    even_s = over_s / visits
    goals = Goals(floor_s=min(even_s, Goals().floor_s), ceiling_s=max(even_s, Goals().ceiling_s))
    yield "as often, evenly", Fixed(goals, every_s=even_s)
    if over_s >= _TURNS * DAY_S:
        yield "adaptive", Adaptive(Goals(), habits=STORM)


def _try(arrivals: Sequence[float], shown: int, rule: Estimator, start: float, end: float) -> Trial:
    return simulate(arrivals, shown, lambda _: rule, warm_s=start - arrivals[0], begin="cold", end=end + 1.0)


def _compared(name: str, trial: Trial) -> Compared:
    # What came after the last visit of a rule is seen by none, as long as the page still shows it: neither is counted.
    return Compared(
        name, len(trial.visits), trial.requests, trial.new, trial.duplicates, trial.missed, trial.mean_delay_s
    )


def _happened(looks: Sequence[LookRow]) -> Compared:
    later = looks[1:]
    new = sum(look.new for look in later)
    waits = [(look.at - before.at).total_seconds() / 2 * look.new for before, look in pairwise(looks)]
    return Compared(
        "what happened",
        len(later),
        sum(look.requests for look in later),
        new,
        sum(look.known for look in later),
        sum(look.lost for look in later),
        max(sum(waits), 0.0) / new if new else None,
        is_estimate=False,
    )


_SOON = datetime(1971, 1, 1, tzinfo=UTC)  # an address due before is due at once
_AHEAD_S, _AHEAD_MOST_S = 2 * DAY_S, 14 * DAY_S  # how far a forecast is drawn


@dataclass(frozen=True, slots=True)
class Planned:
    """When a list is visited next, and what is expected of it."""

    page: str
    site: str
    region: str  # what it is called; empty: no list of the page is known yet
    records: int  # that were new, in all
    lost: int  # at least so many
    rate_day: float | None  # records a day
    next_at: datetime | None  # None: the page is not to be visited
    expected: float | None  # new records by then
    risk: float | None  # 0..1, share of them that will be missed
    last_at: datetime | None
    why: str

    def to_plain(self) -> dict[str, Any]:
        """Return it for JSON, times in ISO 8601."""
        times = {"next_at": self.next_at, "last_at": self.last_at}
        return asdict(self) | {name: None if at is None else at.isoformat() for name, at in times.items()}


def read_plan(archive: Archive, sites: Sequence[str], now: datetime) -> list[tuple[Planned, WatchRow, ListRow | None]]:
    """Return every list of the pages that are watched with what it comes from, the next visit first.

    `sites` are hosts or addresses; without any, all are meant.
    """
    found: list[tuple[Planned, WatchRow, ListRow | None]] = []
    regions: dict[int, list[ListRow]] = {}
    for row in watched_lists(archive):
        regions.setdefault(row.watch, []).append(row)
    for watch in watch_rows(archive):
        if not sites or any(_means(site, watch) for site in sites):
            lists: list[ListRow | None] = [*_watched(watch, regions.get(watch.id, []))]
            found += [(plan_list(watch, region, now), watch, region) for region in lists or [None]]
    return sorted(found, key=lambda one: (one[0].next_at or datetime.max.replace(tzinfo=UTC), one[0].page))


def draw_plan(
    archive: Archive, plan: Iterable[tuple[Planned, WatchRow, ListRow | None]], now: datetime, last_s: float
) -> list[History]:
    """Return what plots show of the lists of a plan: the journal of the time before, and what is expected."""
    since = now - timedelta(seconds=last_s)
    return [
        _history(planned, watch, region, list(read_looks(archive, region.id, since=since)), now, last_s)
        for planned, watch, region in plan
        if region is not None
    ]


def _watched(watch: WatchRow, known: list[ListRow]) -> list[ListRow]:
    """Return the regions of a page that are meant. Most pages want the same, which is read once."""
    options = _options(watch.options)
    return watched_rows(known, Notes.from_json(watch.notes), options) if options.regions else known


_options = lru_cache(maxsize=1_000)(ListOptions.from_json)


def _means(site: str, watch: WatchRow) -> bool:
    """Say whether a host, or the beginning of an address, means a watched page."""
    wanted = site.partition("://")[2] or site
    page = str(watch.url).partition("://")[2]
    return site == watch.site_key or page == wanted or page.startswith(wanted.rstrip("/") + "/")


def plan_list(watch: WatchRow, region: ListRow | None, now: datetime) -> Planned:
    """Return when a list of a watched page is visited next; without a region, when the page is."""
    plan = None if region is None else region.plan
    due_at = now if watch.due_at is not None and watch.due_at < _SOON else watch.due_at
    return Planned(
        page=str(watch.url),
        site=watch.site_key,
        region="" if region is None else region.name,
        records=0 if region is None else region.records,
        lost=0 if region is None else region.lost,
        rate_day=None if plan is None else plan.rate,
        next_at=due_at,
        expected=None if plan is None else plan.expected,
        risk=None if plan is None else plan.risk,
        last_at=watch.visited_at,
        why=_why(watch, region),
    )


def _why(watch: WatchRow, region: ListRow | None) -> str:
    """Say what set the next visit of the page, or what stands in its way."""
    if watch.attempts:
        return watch.why or "the last visit failed"
    if region is None:
        return "first visit" if watch.visited_at is None else "no list was found"
    said = [] if region.plan is None else [watch.why or region.plan.why]
    said += ["not there at present"] if region.missing else []
    said += ["gap"] if region.has_gap else []
    return ", ".join(said)


def _history(
    planned: Planned, watch: WatchRow, region: ListRow, looks: Sequence[LookRow], now: datetime, last_s: float
) -> History:
    at = now.timestamp()
    next_s = None if planned.next_at is None else max(planned.next_at.timestamp(), at)
    ahead_s = min(max(_AHEAD_S, 0.0 if next_s is None else (next_s - at) * 1.1), _AHEAD_MOST_S)
    there = [look for look in looks if look.shown is not None]
    rate = "" if planned.rate_day is None else f", {planned.rate_day:.3g} a day"
    shown = f"{there[-1].shown} shown, " if there else ""
    return History(
        title=f"{planned.page}: {planned.region}",
        subtitle=f"{shown}{planned.records} records seen{rate}, {planned.lost} missed; next visit by: {planned.why}",
        lanes=[VisitRow("visits", [look.at.timestamp() for look in looks], planned=[] if next_s is None else [next_s])],
        spans=[span for look in there if (span := _span(look)) is not None],
        forecast=_forecast(watch, region, at, math.ceil(ahead_s / HOUR_S)),
        now=at,
        start=max(at - last_s, region.first_at.timestamp() - HOUR_S),
        end=at + ahead_s,
    )


def _span(look: LookRow) -> CountedSpan | None:
    """Return what came since the visit before; a first visit only shows what was there."""
    if look.since_s is None:
        return None
    at = look.at.timestamp()
    return CountedSpan(at - look.since_s, at, look.new + look.lost, look.lost)


def _forecast(watch: WatchRow, region: ListRow, now: float, hours: int) -> list[tuple[float, float]]:
    """Return what the estimator of a region expects in each hour from now on; nothing where it knows nothing."""
    options = ListOptions.from_json(watch.options)
    try:
        known = json.loads(region.estimator)
    except ValueError:
        return []
    if not isinstance(known, dict) or known.get("policy") != options.policy:
        return []
    rates = make_policy(options.policy, options.goals, known).rates(now, hours)
    return [(now + HOUR_S * hour, expected) for hour, expected in enumerate(rates)]
