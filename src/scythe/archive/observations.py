"""What visits observed of the lists of watched pages, with each list's plan and journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, case, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.archive import Archive, from_row, reads, soundly, walk, write_rows
from scythe.archive.results import ListRow, LookRow
from scythe.archive.schema import LISTS, LOOKS, WATCHES, seconds, storable, storable_json
from scythe.crawl_model import Looked, Outcome
from scythe.watch_model import Observation, VisitPlan

_KEEP_NOTES = update(WATCHES).where(WATCHES.c.id == bindparam("of")).values(notes=bindparam("notes"))
_NUMBERS = select(LISTS.c.id, LISTS.c.watch, LISTS.c.number)
_NUMBERS = _NUMBERS.where(LISTS.c.watch.in_(bindparam("ids", expanding=True)))
_LOOK = insert(LOOKS)


def note_looks(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Store the lists of watched pages as visits left them, a line of the journal for each, and notes."""
    lists = sorted((outcome for outcome in outcomes if outcome.task.kind == "list"), key=lambda one: one.task.id)
    notes = [(one.task.id, one.notes) for one in lists if one.notes is not None]
    write_rows(connection, _KEEP_NOTES, [{"of": watch, "notes": storable(said)} for watch, said in notes])
    looked = [(one, listed) for one in lists for listed in sorted(one.looked, key=lambda listed: listed.number)]
    if not looked:
        return
    write_rows(connection, _KEEP[connection.dialect.name], [_list_row(one, listed) for one, listed in looked])
    known = connection.execute(_NUMBERS, {"ids": sorted({one.task.id for one, _ in looked})})
    numbers = {(row.watch, row.number): row.id for row in known}
    rows = [_look_row(numbers[one.task.id, listed.number], one, listed) for one, listed in looked]
    write_rows(connection, _LOOK, rows)


@reads
def lists_of_watch(connection: Connection, watch: int) -> list[ListRow]:
    """Return the lists of a watched page, by number, as the last visit left them."""
    query = select(LISTS).where(LISTS.c.watch == watch).order_by(LISTS.c.number)
    return [_list(row) for row in connection.execute(query)]


@reads
def watched_lists(connection: Connection) -> list[ListRow]:
    """Return the lists of every page that is watched, page after page."""
    query = select(LISTS).join(WATCHES, WATCHES.c.id == LISTS.c.watch).where(WATCHES.c.ended_at.is_(None))
    return [_list(row) for row in connection.execute(query.order_by(LISTS.c.watch, LISTS.c.number))]


@reads
def find_list(connection: Connection, listed: int) -> ListRow | None:
    """Return a list by its own number, None if there is none."""
    row = connection.execute(select(LISTS).where(LISTS.c.id == listed)).one_or_none()
    return None if row is None else _list(row)


@reads
def late_looks(connection: Connection, listed: int, *, before: int | None = None, count: int = 50) -> list[LookRow]:
    """Return the last lines of the journal of a list, or those before a line; the newest first."""
    query = select(LOOKS).where(LOOKS.c.list == listed).order_by(LOOKS.c.id.desc()).limit(count)
    if before is not None:
        query = query.where(LOOKS.c.id < before)
    return [_look(row) for row in connection.execute(query)]


@reads
def count_came(
    connection: Connection, lists: Sequence[int], *, since: datetime, step_s: float
) -> dict[int, dict[int, int]]:
    """Return by list how many records came in each step of time; what a first visit found is left out."""
    begin, came = seconds(since), LOOKS.c.new + LOOKS.c.lost
    query = select(LOOKS.c.list, LOOKS.c.at, came).where(LOOKS.c.list.in_(lists), came > 0)
    found: dict[int, dict[int, int]] = {}
    for listed, at, count in connection.execute(query.where(LOOKS.c.at >= begin, LOOKS.c.since_s.is_not(None))):
        steps, step = found.setdefault(listed, {}), int((at - begin) / step_s)
        steps[step] = steps.get(step, 0) + count
    return found


def unreadable_lists(connection: Connection) -> Iterator[int]:
    """Yield the numbers of lists whose values are damaged."""
    for row in connection.execution_options(yield_per=100).execute(select(LISTS)):
        try:
            _list(row)
        except (ValueError, TypeError, OverflowError):
            yield row.id


@soundly
def read_looks(archive: Archive, listed: int, *, since: datetime | None = None) -> Iterator[LookRow]:
    """Yield the journal of a list in the order it was written, some lines at a time."""
    query = select(LOOKS).where(LOOKS.c.list == listed)
    if since is not None:
        query = query.where(LOOKS.c.at >= seconds(since))
    yield from map(_look, walk(archive, query, LOOKS.c.id))


def _list_row(outcome: Outcome, looked: Looked) -> dict[str, Any]:
    """Return a list as it is to be kept, with what this visit adds to its counts."""
    at, seen = seconds(outcome.at), looked.seen
    texts = {name: storable(getattr(looked, name)) for name in ("name", "kind", "pattern", "estimator")}
    several = {name: storable_json(getattr(looked, name)) for name in ("columns", "shapes", "newest", "sticky")}
    plain = {name: getattr(looked, name) for name in ("number", "rank", "has_gap", "lost")}
    counts = {
        "shown": 0 if seen is None else seen.shown,
        "missing": int(seen is None),
        "looks": int(seen is not None),
        "records": 0 if seen is None else seen.new,
    }
    times = {"first_at": at, "seen_at": at}
    return {"watch": outcome.task.id, **texts, **several, **plain, **_plan_values(looked.plan), **counts, **times}


def _look_row(listed: int, outcome: Outcome, looked: Looked) -> dict[str, Any]:
    seen = looked.seen or Observation(at=0.0, shown=0, requests=0)
    told = {name: getattr(seen, name) for name in ("since_s", "new", "is_full", "requests")}
    told |= {name: getattr(looked, name) for name in ("known", "recovered", "lost", "has_gap")}
    shown = None if looked.seen is None else seen.shown
    return {"list": listed, "at": seconds(outcome.at), "shown": shown, **told, **_plan_values(looked.plan)}


def _plan_values(plan: VisitPlan | None) -> dict[str, Any]:
    said = plan or VisitPlan(0.0)
    return {
        "wait_s": None if plan is None else said.wait_s,
        "expected": said.expected,
        "risk": said.risk,
        "rate": said.rate,
        "why": storable(said.why),
    }


def _list(row: Any) -> ListRow:
    return from_row(ListRow, row, plan=_plan(row))


def _look(row: Any) -> LookRow:
    return from_row(LookRow, row, list_id=row.list, plan=_plan(row))


def _plan(row: Any) -> VisitPlan | None:
    return None if row.wait_s is None else from_row(VisitPlan, row)


def _upsert(of: Any) -> Any:
    """Return the statement that replaces what a visit says anew and adds to what it counts."""
    new = of.insert(LISTS)
    said = {column.name: new.excluded[column.name] for column in LISTS.c if column.name not in ("id", "first_at")}
    said |= {name: LISTS.c[name] + new.excluded[name] for name in ("looks", "records", "lost")}
    is_there = new.excluded.missing == 0
    said["missing"] = case((is_there, 0), else_=LISTS.c.missing + 1)
    said["shown"] = case((is_there, new.excluded.shown), else_=LISTS.c.shown)
    said["seen_at"] = case((is_there, new.excluded.seen_at), else_=LISTS.c.seen_at)
    return new.on_conflict_do_update(index_elements=["watch", "number"], set_=said)


_KEEP = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}
