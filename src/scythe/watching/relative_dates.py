"""Read when a record was published: dates, times and phrases such as "3 hours ago", in many languages.

Machine-readable times come first. Times without a zone are UTC, shifted by half hours if some lie in the future.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import pairwise

from scythe.model import Record, RecordList
from scythe.page.dates import date_words, to_iso
from scythe.watch_model import DAY_S, HOUR_S

CHARS = 120  # of a text that are looked at
_NEAR = 24  # characters behind a day in which its time of day begins
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_TOKEN = re.compile(r"[0-9]{1,4}|[^\W\d_]{1,20}(?:['-][^\W\d_]{1,20}){0,2}")
_NUMERIC = (
    (re.compile(r"(?<!\d)((?:19|20)\d\d) ?[-/.年] ?(\d{1,2}) ?[-/.月] ?(\d{1,2})(?!\d)"), (1, 2, 3)),
    (re.compile(r"(?<![\d.])(\d{1,2})(?:-|\. ?)(\d{1,2})(?:-|\. ?)((?:19|20)\d\d)(?!\d)"), (3, 2, 1)),
)
_SLASHED = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?!\d)")
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})(?::|h|時|点)(\d{1,2})(?!\d)(?::(\d\d))?(?: ?([ap])\.?m\b)?")
_SAID_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})[.:](\d\d) ?(?:uhr|h\b)")
_HOUR = re.compile(r"(?<![\d:.])(\d{1,2}) ?([ap])\.?m\b")
_ZONE = re.compile(r"(?:z|utc|gmt)\b|[+-]\d\d:?\d\d(?!\d)")
_CJK_AGO = re.compile(r"(\d{1,3}) ?(秒|分|時間|小时|小時|天|日|週間|周|个月|か月|年)(?:钟|鐘)?前")
_SHORT_AGO = re.compile(r"(\d{1,3}) ?(s|sec|min|mins|m|h|hr|hrs|std|d|w)\.?")


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened, as far as a text says it."""

    at: float | None  # seconds since 1970; None: it says a time of day only
    day: bool = False  # the day is all it says: `at` is its noon
    clock_s: float | None = None  # since midnight, where it says one
    has_zone: bool = False  # or is said from the present on


def read_moment(text: str, now: float) -> Moment | None:
    """Return the moment that a short text names, None where it names none for sure."""
    text = " ".join(text[:CHARS].lower().split())
    if not text or not (any(map(str.isdigit, text)) or len(text) < 40):
        return None
    return _read_iso(text.strip(" -–»,|·")) or _read_ago(text, now) or _read_date(text, now)


def read_stamp(text: str) -> Moment | None:
    """Return the moment that a machine wrote, as in `<time datetime=...>`."""
    return _read_iso(text.strip().lower())


@lru_cache(maxsize=1_024)
def _read_iso(text: str) -> Moment | None:
    iso = to_iso(text.upper() if "t" in text or "z" in text else text)
    try:
        at = datetime.fromisoformat(iso) if "T" in iso else None
    except ValueError:
        return None
    if at is None:
        return None
    has_zone = at.tzinfo is not None
    clock_s = at.hour * HOUR_S + at.minute * 60 + at.second
    return Moment((at if has_zone else at.replace(tzinfo=UTC)).timestamp(), clock_s=clock_s, has_zone=has_zone)


def _read_ago(text: str, now: float) -> Moment | None:
    """Read "3 hours ago" and the like, and "3 h" where nothing else is said."""
    words = date_words()
    if found := _SHORT_AGO.fullmatch(text) or _CJK_AGO.search(text):
        return _back(now, [(int(found[1]), words.units.get(found[2], words.units.get(found[2][:2], 0)))])
    tokens = _TOKEN.findall(text)
    if not words.others["ago"].intersection(tokens):
        is_now = len(tokens) <= 2 and bool(words.others["now"].intersection(tokens[-1:]))
        return Moment(now, has_zone=True) if is_now else None
    steps = []
    for before, token in pairwise(tokens):
        unit = words.units.get(token)
        if unit and before.isdecimal():
            steps.append((int(before), unit))
        elif unit and before in words.others["one"]:
            steps.append((1, unit))
    return _back(now, steps)


def _back(now: float, steps: Sequence[tuple[int, int]]) -> Moment | None:
    if not steps or not all(unit for _, unit in steps):
        return None
    # what was 3.9 hours ago was "3 hours ago"
    finest = min(unit for _, unit in steps)
    gone_s = sum(count * unit for count, unit in steps) + finest / 2
    return Moment(now - gone_s, day=finest >= DAY_S, has_zone=True)


def _read_date(text: str, now: float) -> Moment | None:
    """Read a day, a time of day, or both."""
    day, rest = _find_day(text, now)
    clock_s = _find_clock(rest)
    if day is None:
        return None if clock_s is None else Moment(None, clock_s=clock_s)
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    if clock_s is None:
        return Moment(midnight + DAY_S / 2, day=True)
    return Moment(midnight + clock_s, clock_s=clock_s, has_zone=_ZONE.search(rest) is not None)


def _find_day(text: str, now: float) -> tuple[date | None, str]:
    """Return the first day that a text names, and the text without it."""
    for pattern, (year, month, day) in _NUMERIC:
        if found := pattern.search(text):
            named = _make_day(int(found[year]), int(found[month]), int(found[day]))
            return named, _around(text, found.start(), found.end())
    if found := _SLASHED.search(text):
        first, second, year = int(found[1]), int(found[2]), int(found[3])
        if first > 12 or second > 12 or first == second:  # else nobody knows which is the month
            named = _make_day(year, min(first, second) if first != second else first, max(first, second))
            return named, _around(text, found.start(), found.end())
        return None, ""
    return _find_worded_day(text, now)


def _around(text: str, start: int, end: int) -> str:
    """Return what stands around a day: its time of day is near, if it has one."""
    return f"{text[:start]} {text[end : end + _NEAR]}"


def _find_worded_day(text: str, now: float) -> tuple[date | None, str]:
    words = date_words()
    today = datetime.fromtimestamp(now, UTC).date()
    tokens = [token for token in _TOKEN.finditer(text) if token[0] not in words.others["between"]]
    found: list[tuple[date | None, str]] = []
    for number, token in enumerate(tokens):
        if token[0] in words.days:
            return date.fromordinal(today.toordinal() + words.days[token[0]]), text[token.end() :][:_NEAR]
        if token[0] in words.months:
            day = _find_number(tokens, number, text)
            if day is None:
                continue
            last = max(day, number)
            year = tokens[last + 1] if last + 1 < len(tokens) and _YEAR.fullmatch(tokens[last + 1][0]) else None
            end = (year or tokens[last]).end()
            named = _date_of(words.months[token[0]], int(tokens[day][0]), today, int(year[0]) if year else None)
            found.append((named, _around(text, tokens[min(day, number)].start(), end)))
            if year:  # "mar 12 nov 2013": the first is a Tuesday in France
                return found[-1]
    return found[0] if found else (None, text)


def _find_number(tokens: Sequence[re.Match[str]], month: int, text: str) -> int | None:
    """Return which token is the day beside the name of a month: 3 May, May 3rd."""
    for at in (month - 1, month + 1):
        if 0 <= at < len(tokens) and tokens[at][0].isdecimal() and len(tokens[at][0]) < 3:
            if not _is_clock(text, tokens[at]):
                return at
    return None


def _date_of(month: int, day: int, today: date, year: int | None) -> date | None:
    """Return the date; without a year, the last that is not in the future."""
    if year is not None:
        return _make_day(year, month, day)
    named = _make_day(today.year, month, day)
    return _make_day(today.year - 1, month, day) if named is not None and (named - today).days > 1 else named


def _is_clock(text: str, token: re.Match[str]) -> bool:
    return text[token.end() : token.end() + 1] == ":" or text[token.start() - 1 : token.start()] == ":"


def _find_clock(text: str) -> float | None:
    found = _CLOCK.search(text) or _SAID_CLOCK.search(text)
    if found:
        hour, minute = int(found[1]), int(found[2])
        half = found[4] if found.re is _CLOCK else None
    elif found := _HOUR.search(text):
        hour, minute, half = int(found[1]), 0, found[2]
    else:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour * HOUR_S + minute * 60.0 if hour < 24 and minute < 60 else None


def _make_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


EARLIEST = datetime(2000, 1, 1, tzinfo=UTC).timestamp()  # an older one is a mistake, or a list that needs no watch
CLOCK_ERROR_S = 300.0
_ZONES_S = 14 * HOUR_S  # ahead of UTC, at most
_NAMES = ("date", "time", "published", "posted", "uhr")  # of columns, as they begin
_SHORT = 60  # characters of a text that may be a date
_LOOKED_AT = 12  # records by which columns without such a name are judged
_STAMPS = 4  # of one record that are looked at


def published_times(region: RecordList, now: float) -> tuple[float | None, ...]:
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


def _date_columns(region: RecordList, now: float) -> list[int]:
    """Return the columns that say when: those named so, or else those whose short texts mostly are moments."""
    named = [place for place, name in enumerate(region.columns) if name.startswith(_NAMES)]
    return named or [place for place in range(len(region.columns)) if _tells_when(region, place, now)]


def _tells_when(region: RecordList, column: int, now: float) -> bool:
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
