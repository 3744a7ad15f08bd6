"""Normalise dates as pages write them to ISO 8601, as precise as the text is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache, lru_cache

from scythe.fetch.page_check import _parse_mail
from scythe.package_files import packaged_words

_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]{1,2}(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,9})? ?(Z|[+-]\d{2}:?\d{2})?)?",
    re.I,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?(Z)?$")
_SLASHED = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_NUMERIC = re.compile(
    r"(?<![\d/.:-])((?:19|20)\d\d) ?[-/.年년] ?(\d{1,2}) ?[-/.月월] ?(\d{1,2})(?![\d:])"
    r"|(?<![\d/.:-])(\d{1,2})([-/.]) ?(\d{1,2})[-/.] ?((?:19|20)\d\d)(?!\d)"
)
_DAY_MONTH = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:st|nd|rd|th|er|[.ºª])?(?:\s{1,2}|-|/)(?:de |of |d['’])?([^\W\d_]{3,20})\.?,?"
    r"(?:\s{1,2}|-|/)(?:de |del )?((?:19|20)\d\d)(?!\d)"
)
_MONTH_DAY = re.compile(r"([^\W\d_]{3,20})\.?\s{1,2}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,2}((?:19|20)\d\d)(?!\d)")
_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d\d)\.?\s{1,2}(?:m\. )?([^\W\d_]{3,20})\s{1,2}(\d{1,2})(?!\d)")
_EARLIEST, _LATEST = "1900", "2100"  # years that pages name as dates
_EPOCH = re.compile(r"(\d{10})(\d{3})?$")


def to_iso(text: str) -> str:
    """Return the date in `text` as `YYYY-MM-DD[THH:MM[:SS][zone]]`, or an empty string if none is sure."""
    return _to_iso(text.strip()[:80])


@lru_cache(maxsize=4_096)  # the pages of a site repeat most of what they show, elements what is in them
def _to_iso(text: str) -> str:
    if not text:
        return ""
    for read in (_read_iso, _read_compact, _read_words, _read_mail):
        found = read(text)
        if found and _EARLIEST <= found[:4] <= _LATEST:
            return found
    return ""


def _read_iso(text: str) -> str:
    match = _ISO.match(text)
    if not match:
        return ""
    day = _day(match[1], match[2], match[3])
    if not day or match[4] is None or int(match[4]) > 23 or int(match[5]) > 59:
        return day
    seconds = f":{int(match[6]):02}" if match[6] and int(match[6]) < 60 else ""
    return f"{day}T{int(match[4]):02}:{int(match[5]):02}{seconds}{_zone(match[7] or '')}"


def _zone(text: str) -> str:
    """Return Z or +HH:MM, and nothing of what is no zone."""
    if text in ("", "z", "Z"):
        return text.upper()
    hours, minutes = int(text[1:3]), int(text[-2:])
    return f"{text[0]}{hours:02}:{minutes:02}" if hours < 24 and minutes < 60 else ""


def _read_compact(text: str) -> str:
    if match := _COMPACT.match(text):
        day = _day(match[1], match[2], match[3])
        if day:
            return f"{day}T{match[4]}:{match[5]}" if match[4] and match[4] < "24" and match[5] < "60" else day
    if match := _EPOCH.match(text):
        return datetime.fromtimestamp(int(match[1]), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if match := _SLASHED.match(text):
        return _day(match[1], match[2], match[3])
    return ""


def _read_words(text: str) -> str:
    found = find_days(text)
    return found[0][0].isoformat() if found else ""


@lru_cache(maxsize=4_096)
def find_days(text: str, *, is_month_first: bool | None = None) -> tuple[tuple[date, int, int], ...]:
    """Return the days that a text names with their year, and where, in its order.

    `is_month_first` decides of "3/4/2020", which else is left out.
    """
    if "19" not in text and "20" not in text:
        return ()
    found: list[tuple[date, int, int]] = []
    for match in _NUMERIC.finditer(text):
        year, month, day_of, first, sign, second, last = match.groups()
        if year is None:
            year, day_of, month = last, first, second
            if sign == "/" and is_month_first is None and int(first) <= 12 >= int(second) and first != second:
                continue  # nobody knows which is the month
            if int(second) > 12 or (sign == "/" and is_month_first and int(first) <= 12):
                day_of, month = second, first
        _note(found, match, year, int(month), day_of)
    months = date_words().months
    lower = text.lower()
    lower = lower if len(lower) == len(text) else text
    for pattern, (year_at, month_at, day_at) in _WORDED:
        for match in pattern.finditer(lower):
            _note(found, match, match[year_at], months.get(match[month_at], 0), match[day_at])
    return tuple(sorted(found, key=lambda one: one[1]))


def _note(found: list[tuple[date, int, int]], match: re.Match[str], year: str, month: int, day_of: str) -> None:
    try:
        found.append((date(int(year), month, int(day_of)), match.start(), match.end()))
    except ValueError:
        return


_WORDED = ((_DAY_MONTH, (3, 2, 1)), (_MONTH_DAY, (3, 1, 2)), (_YEAR_FIRST, (1, 2, 3)))


@dataclass(slots=True)
class DateWords:
    """The table of words."""

    months: dict[str, int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)
    days: dict[str, int] = field(default_factory=dict)
    others: dict[str, frozenset[str]] = field(default_factory=dict)


@cache
def date_words() -> DateWords:
    """Return the words of dates and times in many languages."""
    words = DateWords()
    for name, listed in packaged_words("scythe.page", "tables/times.txt").items():
        kind, _, value = name.partition(" ")
        table = {"month": words.months, "unit": words.units, "day": words.days}.get(kind)
        if table is None:
            words.others[kind] = frozenset(listed)
        else:
            table |= dict.fromkeys(listed, int(value))
    return words


def _read_mail(text: str) -> str:
    moment = _parse_mail(text)
    return moment.isoformat(timespec="seconds") if moment else ""


def _day(year: str, month: str | int, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
