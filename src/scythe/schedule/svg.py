"""Draw SVG charts: shapes, axes, bars, labels, and conversion to PNG.

A drawing is self-contained and runs nothing; all text is escaped. Colours are classes with light defaults and dark ones
in a media query. Times are in UTC, independent of locale and time zone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from html import escape

from scythe.errors import MissingExtra
from scythe.package_files import packaged_text
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S

ZOOM = 2.0  # dots for each unit of a drawing: sharp on paper and on dense screens
_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="{}">{}</text></svg>'
# What systems come with, the generic name first: it stands for a family that need not be installed.
_FAMILIES = """
sans-serif, DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, Segoe UI, Roboto, Ubuntu, Cantarell, Open Sans,
FreeSans, Nimbus Sans, Droid Sans, DejaVu Serif, Liberation Serif, Noto Serif, Times New Roman, FreeSerif
"""


def require_raster() -> None:
    """Raise MissingExtra where images cannot be made, before anything is done for one."""
    try:
        import resvg_py  # noqa: F401 (only whether it is there)
    except ImportError:
        raise MissingExtra("PNG needs the package resvg-py: pip install 'webscythe[plot]'; SVG needs nothing") from None
    if not has_fonts():
        raise MissingExtra("no fonts to draw a PNG with: install some, or use SVG")


def has_fonts() -> bool:
    """Say whether letters can be drawn: without fonts they are left out, and nobody is told."""
    return find_family() is not None


@cache
def find_family() -> str | None:
    """Return the name of fonts that letters can be drawn with; None where there are none."""
    import resvg_py

    def draws(family: str) -> bool:
        with_letter, without = (resvg_py.svg_to_bytes(svg_string=_PROBE.format(family, text)) for text in ("M", ""))
        return bytes(with_letter) != bytes(without)

    return next(filter(draws, map(str.strip, _FAMILIES.split(","))), None)


def to_png(svg: str, *, zoom: float = ZOOM) -> bytes:
    """Return a drawing of ours as PNG in its light colours. Raises MissingExtra."""
    require_raster()
    import resvg_py

    family = find_family()
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, font_family=family, sans_serif_family=family))


MINUTE_S = 60.0
_UNITS = ((DAY_S, "d"), (HOUR_S, "h"), (MINUTE_S, "min"))
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
LATEST_S = 253_370_764_800.0  # the year 9999: later moments have no date
_STEPS_S = tuple(hours * HOUR_S for hours in (1, 2, 3, 6, 12, 24, 48, 168, 336))  # then months
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 6000)
_MONDAY_S = 4 * DAY_S  # the first Monday after 1970 began


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


LINES = 8  # classes of lines and of their marks, s0 and f0 on: told apart by people who see few colours too
# colours by day and by night, which the drawing says itself: wherever it is shown
_STYLE = f"<style>{packaged_text('scythe.schedule', 'plot.css')}</style>".replace("\n", "")


def draw(width: float, height: float, title: str, description: str, parts: Iterable[str]) -> str:
    """Return a whole drawing with its name and what it shows in words, for those who hear it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scythe-plot" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{quote(title)}" '
        'style="max-width:100%;height:auto">'
        f"<title>{quote(title)}</title><desc>{quote(description)}</desc>{_STYLE}"
        f"{box('paper', 0, 0, width, height)}{''.join(parts)}</svg>\n"
    )


def move(down: float, parts: Iterable[str]) -> str:
    """Return elements as one, so much further down."""
    return f'<g transform="translate(0 {down:.6g})">{"".join(parts)}</g>'


def quote(text: str) -> str:
    """Return text for XML: escaped, and without the characters that XML has no way to write."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text))


def box(kind: str, x: float, y: float, wide: float, high: float, *, tooltip: str = "", round_by: float = 0.0) -> str:
    """Draw a filled box; `tooltip` is shown where the pointer rests on it."""
    corner = f' rx="{round_by:g}"' if round_by else ""
    inner = f"><title>{quote(tooltip)}</title></rect>" if tooltip else "/>"
    return f'<rect class="{kind}" x="{x:.5g}" y="{y:.5g}" width="{wide:.5g}" height="{high:.5g}"{corner}{inner}'


def words(kind: str, x: float, y: float, text: str, *, anchor: str = "start") -> str:
    """Write a line of text; `anchor` is start, middle or end."""
    held = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text class="{kind}" x="{x:.5g}" y="{y:.5g}"{held}>{quote(text)}</text>'


def path(kind: str, steps: str, *, width: float = 1.0, dash: str = "", tooltip: str = "") -> str:
    """Draw a line along the steps of a path."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    inner = f"><title>{quote(tooltip)}</title></path>" if tooltip else "/>"
    return (
        f'<path class="{kind}" d="{steps}" fill="none" stroke-width="{width:g}" stroke-linejoin="round" '
        f'stroke-linecap="round"{dashed}{inner}'
    )


def line(kind: str, x1: float, y1: float, x2: float, y2: float, *, width: float = 1.0, dash: str = "") -> str:
    """Draw a straight line."""
    return path(kind, f"M{x1:.5g} {y1:.5g}L{x2:.5g} {y2:.5g}", width=width, dash=dash)


def ticks(kind: str, places: Iterable[float], top: float, high: float, *, width: float = 1.5) -> str:
    """Draw short upright lines, all of them as one element."""
    steps = "".join(f"M{x:.5g} {top:.5g}v{high:g}" for x in places)
    return path(kind, steps, width=width) if steps else ""


def diamonds(kind: str, places: Iterable[float], middle: float) -> str:
    """Draw small filled marks, all of them as one element."""
    steps = "".join(f"M{x - 3.5:.5g} {middle:.5g}l3.5-3.5 3.5 3.5-3.5 3.5z" for x in places)
    return f'<path class="{kind}" d="{steps}"/>' if steps else ""


def wide_of(text: str, size: float = 12.0) -> float:
    """Return about how wide a text is written, generously: fonts differ from machine to machine."""
    return 0.6 * size * len(text)


def shorten(text: str, most: int) -> str:
    """Return at most so many characters of a text."""
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"
