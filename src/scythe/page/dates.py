"""Normalise dates as pages write them to ISO 8601, as precise as the text is."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from scythe.fetch.page_check import _parse_mail

_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]{1,2}(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,9})? ?(Z|[+-]\d{2}:?\d{2})?)?",
    re.I,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?(Z)?$")
_SLASHED = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_DAY_FIRST = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})")
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_EARLIEST, _LATEST = "1900", "2100"  # years that pages name as dates
_EPOCH = re.compile(r"(\d{10})(\d{3})?$")


def to_iso(text: str) -> str:
    """Return the date in `text` as `YYYY-MM-DD[THH:MM[:SS][zone]]`, or an empty string if none is sure."""
    text = text.strip()[:80]
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
    if match := _DAY_FIRST.search(text):
        return _day(match[3], match[2], match[1])
    if match := _DAY_MONTH.search(text):
        return _day(match[3], _MONTHS.get(match[2][:3].lower(), 0), match[1])
    if match := _MONTH_DAY.search(text):
        return _day(match[3], _MONTHS.get(match[1][:3].lower(), 0), match[2])
    return ""


def _read_mail(text: str) -> str:
    moment = _parse_mail(text)
    return moment.isoformat(timespec="seconds") if moment else ""


def _day(year: str, month: str | int, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""
