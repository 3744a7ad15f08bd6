"""Read when the records of a list were published: a region and the present come in, a moment per record goes out.

What a machine wrote (`<time datetime=...>`) counts before what people read. Times without a zone are taken for UTC, and
where some of them lie in the future, all move back by as many half hours as it takes: an error of hours does not matter
for how often a list brings something new.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

from scythe.model import Record, Region
from scythe.watched import DAY_S, HOUR_S
from scythe.watching.moments import CHARS, Moment, read_moment, read_stamp

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()  # an older one is a mistake, or a list that needs no watch
CLOCK_ERROR_S = 300.0
_ZONES_S = 14 * HOUR_S  # ahead of UTC, at most
_NAMES = ("date", "time", "published", "posted", "uhr")  # of columns, as they begin
_SHORT = 60  # characters of a text that may be a date
_LOOKED_AT = 12  # records by which columns without such a name are judged
_STAMPS = 4  # of one record that are looked at


def published_times(region: Region, now: float) -> tuple[float | None, ...]:
    """Return for each record when it says that it was published, None where it does not; never after `now`.

    A day without a time of day is given as its noon, or half of what is over of it.
    """
    columns = _date_columns(region, now)
    moments = [_stamped(record) or _said(record, columns, now) for record in region.records]
    moments = _place_clocks(moments, now)
    ahead = [one.at - now for one in moments if one and one.at is not None and not one.has_zone and not one.day]
    late_s = max((late for late in ahead if late <= _ZONES_S), default=0.0)
    shift_s = math.ceil(late_s / 1_800) * 1_800.0 if late_s > CLOCK_ERROR_S else 0.0
    return tuple(_settle(one, shift_s, now) for one in moments)


def _settle(moment: Moment | None, shift_s: float, now: float) -> float | None:
    if moment is None or moment.at is None:
        return None
    at = moment.at
    if moment.day:
        midnight = at - DAY_S / 2
        if midnight <= now + _ZONES_S and at > now:
            at = min(at, (max(midnight, now - DAY_S / 2) + now) / 2)
    elif not moment.has_zone:
        at -= shift_s
    return min(at, now) if EARLIEST <= at <= now + CLOCK_ERROR_S else None


def _stamped(record: Record) -> Moment | None:
    """Return the first moment in an attribute of the record's markup."""
    place = 0
    for _ in range(_STAMPS):
        place = record.html.find("datetime=", place)
        if place < 0:
            return None
        place += len("datetime=")
        quote = record.html[place : place + 1]
        end = record.html.find(quote, place + 1, place + 60) if quote in ("'", '"') else -1
        if end > 0 and (moment := read_stamp(record.html[place + 1 : end])):
            return moment
    return None


def _said(record: Record, columns: Sequence[int], now: float) -> Moment | None:
    said = " ".join(record.fields[column] for column in columns if column < len(record.fields))
    return read_moment(said, now) if said else None


def _date_columns(region: Region, now: float) -> list[int]:
    """Return the columns that say when: those named so, or else those whose short texts mostly are moments."""
    named = [place for place, name in enumerate(region.columns) if name.startswith(_NAMES)]
    return named or [place for place in range(len(region.columns)) if _tells_when(region, place, now)]


def _tells_when(region: Region, column: int, now: float) -> bool:
    texts = [record.fields[column] for record in region.records if column < len(record.fields)]
    texts = [text[:CHARS] for text in texts if text][:_LOOKED_AT]
    if len(texts) < 2 or max(map(len, texts)) > _SHORT:
        return False
    moments = [read_moment(text, now) for text in texts]
    return sum(one is not None and one.at is not None for one in moments) >= 0.6 * len(texts)


def _place_clocks(moments: Sequence[Moment | None], now: float) -> list[Moment | None]:
    """Give a day to times of day that stand alone: the last such time, and going down the list no later one.

    Where they mostly grow, going down, they say when things begin, not when they were published.
    """
    placed = list(moments)
    clocks = [one.clock_s for one in moments if one and one.at is None and one.clock_s is not None]
    if not clocks:
        return placed
    does_fall = sum(b < a for a, b in pairwise(clocks)) >= sum(b > a for a, b in pairwise(clocks))
    latest = now + CLOCK_ERROR_S
    for number, one in enumerate(placed):
        if one is not None and one.at is None and one.clock_s is not None:
            at = latest - latest % DAY_S + one.clock_s
            latest = at if at <= latest else at - DAY_S
            placed[number] = Moment(latest, clock_s=one.clock_s) if does_fall else None
        elif one is not None and one.at is not None and not one.day:
            latest = min(latest, one.at)
    return placed
