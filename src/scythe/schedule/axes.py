"""Axes of plots: the range of some numbers comes in, where they lie on the paper and which of them are named goes out.

Times are named in UTC by tables of our own: a plot must not change with the locale or the time zone of a machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from scythe.watched import DAY_S, HOUR_S, WEEK_S

MINUTE_S = 60.0
_UNITS = ((DAY_S, "d"), (HOUR_S, "h"), (MINUTE_S, "min"))
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LATEST_S = 253_370_764_800.0  # the year 9999: later moments have no date
_STEPS_S = tuple(hours * HOUR_S for hours in (1, 2, 3, 6, 12, 24, 48, 168, 336))  # then months
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 6000)
_MONDAY_S = 4 * DAY_S  # the first Monday after 1970 began
_DURATIONS_S = tuple(
    [seconds * 1.0 for seconds in (1, 2, 5, 10, 20, 30)]
    + [minutes * MINUTE_S for minutes in (1, 2, 5, 10, 20, 30)]
    + [hours * HOUR_S for hours in (1, 3, 6, 12)]
    + [days * DAY_S for days in (1, 2, 4, 7, 14, 30, 60, 120, 365)]
)


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers between `low` and `high` on the paper between `start` and `end`; what lies outside goes to the edge."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a number lies on the paper."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.is_log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        share = (value - low) / (high - low) if high > low else 0.0
        return self.start + share * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Tick:
    """A named number of an axis; `below` is written under the name where the day or the year changes."""

    at: float
    name: str
    below: str = ""


def tick_counts(most: float, about: int = 4) -> list[Tick]:
    """Return ticks from 0 up to the first round number that is not below `most`."""
    raw = max(most, 1e-9) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
    count = max(1, math.ceil(most / step - 1e-9))
    return [Tick(step * number, f"{step * number:.10g}") for number in range(count + 1)]


def tick_logs(low: float, high: float) -> list[Tick]:
    """Return ticks between two numbers above 0: at 1, 2 and 5 times the powers of ten, or at the powers alone."""
    many = math.log10(high / low) > 4
    found = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for factor in (1,) if many else (1, 2, 5):
            value = factor * 10.0**power
            if low * 0.999 <= value <= high * 1.001:
                found.append(Tick(value, f"{value:g}"))
    return found


def tick_durations(low_s: float, high_s: float) -> list[Tick]:
    """Return ticks at round durations for a logarithmic axis."""
    inside = [value for value in _DURATIONS_S if low_s * 0.999 <= value <= high_s * 1.001]
    thin = max(1, -(-len(inside) // 9))
    return [Tick(value, name_duration(value)) for value in inside[::thin]]


def tick_times(start: float, end: float, most: int = 10) -> list[Tick]:
    """Return at most about `most` round moments between two times: hours, days, weeks, months or years."""
    step = next((step for step in _STEPS_S if (end - start) / step <= most), None)
    if step is None:
        return _tick_months(start, end, most)
    zero = _MONDAY_S if step >= WEEK_S else 0.0
    first = math.ceil((start - zero) / step) * step + zero
    count = int((end - first) // step) + 1
    moments = [first + number * step for number in range(count)]
    return _name_hours(moments) if step < DAY_S else _name_days(moments)


def _name_hours(moments: list[float]) -> list[Tick]:
    days = [name_day(at) for at in moments]
    below = [day if number == 0 or days[number - 1] != day else "" for number, day in enumerate(days)]
    if len(days) > 1 and below[1]:
        below[0] = ""  # two days side by side would touch
    return [Tick(at, f"{as_date(at):%H:%M}", day) for at, day in zip(moments, below, strict=True)]


def _name_days(moments: list[float]) -> list[Tick]:
    found, year = [], 0
    for at in moments:
        moment = as_date(at)
        below = str(moment.year) if moment.year != year else ""
        found.append(Tick(at, f"{moment.day} {_MONTHS[moment.month - 1]}", below))
        year = moment.year
    return found


def _tick_months(start: float, end: float, most: int) -> list[Tick]:
    first, last = as_date(start), as_date(end)
    low, high = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    step = next((step for step in _MONTH_STEPS if (high - low) / step <= most), _MONTH_STEPS[-1])
    found, year = [], 0
    for number in range(-(-low // step) * step, high + 1, step):
        moment = datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)
        at = moment.timestamp()
        if start <= at <= end:
            name = _MONTHS[moment.month - 1] if step < 12 else str(moment.year)
            found.append(Tick(at, name, str(moment.year) if step < 12 and moment.year != year else ""))
            year = moment.year
    return found


def as_date(at: float) -> datetime:
    """Return a moment as a date in UTC; what has no date becomes the nearest one that has."""
    return datetime.fromtimestamp(min(max(at, 0.0), LATEST_S), UTC)


def name_day(at: float) -> str:
    """Write the day of a moment: Tue 3 Nov."""
    moment = as_date(at)
    return f"{_WEEKDAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]}"


def name_moment(at: float) -> str:
    """Write a moment to the minute: Tue 3 Nov 2026 14:05."""
    moment = as_date(at)
    return f"{name_day(at)} {moment.year} {moment:%H:%M}"


def name_duration(seconds: float, digits: int = 3) -> str:
    """Write a duration in the largest unit it fills, with so many digits that count: 40 s, 1.5 h, 2 d."""
    size_s, name = next(((s, name) for s, name in _UNITS if seconds >= s * 0.9995), (1.0, "s"))
    return f"{float(f'{seconds / size_s:.{digits}g}'):.10g} {name}"
