"""What visits observed of the lists of watched pages, with each list's plan and journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, Select, bindparam, case, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.archive import Archive, from_row, reads, soundly, walk, write_rows
from scythe.archive.results import LookRow, PlanRow, RegionRow
from scythe.archive.schema import LOOKS, REGIONS, SITES, URLS, WATCHES, seconds, storable
from scythe.crawl_model import Looked, Outcome
from scythe.watch_model import Observation, VisitPlan

_KEEP_NOTES = update(WATCHES).where(WATCHES.c.id == bindparam("of")).values(notes=bindparam("notes"))
_NUMBERS = select(REGIONS.c.id, REGIONS.c.watch, REGIONS.c.number)
_NUMBERS = _NUMBERS.where(REGIONS.c.watch.in_(bindparam("ids", expanding=True)))
_LOOK = insert(LOOKS)


def note_looks(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Store the regions of watched pages as visits left them, a line of the journal for each, and notes."""
    lists = sorted((outcome for outcome in outcomes if outcome.task.kind == "list"), key=lambda one: one.task.id)
    notes = [(one.task.id, one.notes) for one in lists if one.notes is not None]
    write_rows(connection, _KEEP_NOTES, [{"of": watch, "notes": storable(said)} for watch, said in notes])
    looked = [(one, region) for one in lists for region in sorted(one.looked, key=lambda region: region.number)]
    if not looked:
        return
    write_rows(connection, _KEEP[connection.dialect.name], [_region_row(one, region) for one, region in looked])
    known = connection.execute(_NUMBERS, {"ids": sorted({one.task.id for one, _ in looked})})
    numbers = {(row.watch, row.number): row.id for row in known}
    rows = [_look_row(numbers[one.task.id, region.number], one, region) for one, region in looked]
    write_rows(connection, _LOOK, rows)


@reads
def lists_of_watch(connection: Connection, watch: int) -> list[RegionRow]:
    """Return the lists of a watched page, by number, as the last visit left them."""
    query = select(REGIONS).where(REGIONS.c.watch == watch).order_by(REGIONS.c.number)
    return [_region(row) for row in connection.execute(query)]


@reads
def watched_lists(connection: Connection) -> list[RegionRow]:
    """Return the lists of every page that is watched, page after page."""
    query = select(REGIONS).join(WATCHES, WATCHES.c.id == REGIONS.c.watch).where(WATCHES.c.ended_at.is_(None))
    return [_region(row) for row in connection.execute(query.order_by(REGIONS.c.watch, REGIONS.c.number))]


@reads
def find_list(connection: Connection, region: int) -> RegionRow | None:
    """Return a list by its own number, None if there is none."""
    row = connection.execute(select(REGIONS).where(REGIONS.c.id == region)).one_or_none()
    return None if row is None else _region(row)


@reads
def late_looks(connection: Connection, region: int, *, before: int | None = None, count: int = 50) -> list[LookRow]:
    """Return the last lines of the journal of a region, or those before a line; the newest first."""
    query = select(LOOKS).where(LOOKS.c.region == region).order_by(LOOKS.c.id.desc()).limit(count)
    if before is not None:
        query = query.where(LOOKS.c.id < before)
    return [_look(row) for row in connection.execute(query)]


@reads
def count_came(
    connection: Connection, regions: Sequence[int], *, since: datetime, step_s: float
) -> dict[int, dict[int, int]]:
    """Return by region how many records came in each step of time; what a first visit found is left out."""
    begin, came = seconds(since), LOOKS.c.new + LOOKS.c.lost
    query = select(LOOKS.c.region, LOOKS.c.at, came).where(LOOKS.c.region.in_(regions), came > 0)
    found: dict[int, dict[int, int]] = {}
    for region, at, count in connection.execute(query.where(LOOKS.c.at >= begin, LOOKS.c.since_s.is_not(None))):
        steps, step = found.setdefault(region, {}), int((at - begin) / step_s)
        steps[step] = steps.get(step, 0) + count
    return found


def unreadable_regions(connection: Connection) -> Iterator[int]:
    """Yield the numbers of regions whose values are damaged."""
    for row in connection.execution_options(yield_per=100).execute(select(REGIONS)):
        try:
            _region(row)
        except (ValueError, TypeError, OverflowError):
            yield row.id


@reads
def plan_rows(connection: Connection, sites: Sequence[str] = ()) -> list[PlanRow]:
    """Return the regions of every page that is watched, of these sites or of all, with the last look at each."""
    last = select(func.max(LOOKS.c.id)).where(LOOKS.c.region == REGIONS.c.id).correlate(REGIONS).scalar_subquery()
    query: Select[Any] = (
        select(REGIONS, SITES.c.key.label("site_key"), URLS.c.url, URLS.c.due_at, URLS.c.visited_at)
        .add_columns(*(column.label(f"look_{column.name}") for column in LOOKS.c))
        .join_from(REGIONS, WATCHES, WATCHES.c.id == REGIONS.c.watch)
        .join(URLS, URLS.c.id == WATCHES.c.id)
        .join(SITES, SITES.c.id == WATCHES.c.site)
        .join(LOOKS, LOOKS.c.id == last, isouter=True)
        .where(WATCHES.c.ended_at.is_(None))
        .order_by(SITES.c.key, REGIONS.c.watch, REGIONS.c.number)
    )
    if sites:
        query = query.where(SITES.c.key.in_([storable(site) for site in sites]))
    return [_plan_row(row) for row in connection.execute(query)]


@soundly
def read_looks(archive: Archive, region: int, *, since: datetime | None = None) -> Iterator[LookRow]:
    """Yield the journal of a region in the order it was written, some lines at a time."""
    query = select(LOOKS).where(LOOKS.c.region == region)
    if since is not None:
        query = query.where(LOOKS.c.at >= seconds(since))
    yield from map(_look, walk(archive, query, LOOKS.c.id))


def _region_row(outcome: Outcome, looked: Looked) -> dict[str, Any]:
    """Return a region as it is to be kept, with what this visit adds to its counts."""
    at, seen = seconds(outcome.at), looked.seen
    texts = {name: storable(getattr(looked, name)) for name in ("name", "kind", "pattern", "estimator")}
    several = {name: _json(getattr(looked, name)) for name in ("columns", "shapes", "newest", "sticky")}
    plain = {name: getattr(looked, name) for name in ("number", "rank", "has_gap", "lost")}
    counts = {
        "shown": 0 if seen is None else seen.shown,
        "missing": int(seen is None),
        "looks": int(seen is not None),
        "records": 0 if seen is None else seen.new,
    }
    times = {"first_at": at, "seen_at": at}
    return {"watch": outcome.task.id, **texts, **several, **plain, **_plan_values(looked.plan), **counts, **times}


def _look_row(region: int, outcome: Outcome, looked: Looked) -> dict[str, Any]:
    seen = looked.seen or Observation(at=0.0, shown=0, requests=0)
    told = {name: getattr(seen, name) for name in ("since_s", "new", "is_full", "requests")}
    told |= {name: getattr(looked, name) for name in ("known", "recovered", "lost", "has_gap")}
    shown = None if looked.seen is None else seen.shown
    return {"region": region, "at": seconds(outcome.at), "shown": shown, **told, **_plan_values(looked.plan)}


def _plan_values(plan: VisitPlan | None) -> dict[str, Any]:
    said = plan or VisitPlan(0.0)
    return {
        "wait_s": None if plan is None else said.wait_s,
        "expected": said.expected,
        "risk": said.risk,
        "rate": said.rate,
        "why": storable(said.why),
    }


def _region(row: Any) -> RegionRow:
    return from_row(RegionRow, row, plan=_plan(row))


def _look(row: Any) -> LookRow:
    return from_row(LookRow, row, plan=_plan(row))


def _plan(row: Any) -> VisitPlan | None:
    return None if row.wait_s is None else from_row(VisitPlan, row)


def _plan_row(row: Any) -> PlanRow:
    look = None
    if row.look_id is not None:
        look = _look(SimpleNamespace(**{column.name: getattr(row, f"look_{column.name}") for column in LOOKS.c}))
    return from_row(PlanRow, row, region=_region(row), look=look)


def _json(texts: Sequence[str]) -> str:
    return storable(json.dumps(texts, ensure_ascii=False, separators=(",", ":")))


def _upsert(of: Any) -> Any:
    """Return the statement that replaces what a visit says anew and adds to what it counts."""
    new = of.insert(REGIONS)
    said = {column.name: new.excluded[column.name] for column in REGIONS.c if column.name not in ("id", "first_at")}
    said |= {name: REGIONS.c[name] + new.excluded[name] for name in ("looks", "records", "lost")}
    is_there = new.excluded.missing == 0
    said["missing"] = case((is_there, 0), else_=REGIONS.c.missing + 1)
    said["shown"] = case((is_there, new.excluded.shown), else_=REGIONS.c.shown)
    said["seen_at"] = case((is_there, new.excluded.seen_at), else_=REGIONS.c.seen_at)
    return new.on_conflict_do_update(index_elements=["watch", "number"], set_=said)


_KEEP = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}
