"""Plot arrivals, forecasts, visits and losses of a list over time, as SVG.

Plots stay small: arrivals are counted into a few hundred bars, and of visits on the same spot one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scythe.schedule.svg import (
    LATEST_S,
    Scale,
    box,
    diamonds,
    draw,
    line,
    move,
    name_duration,
    name_moment,
    path,
    shorten,
    tick_counts,
    tick_times,
    ticks,
    wide_of,
    words,
)
from scythe.watch_model import DAY_S, HOUR_S

_WIDE, _LEFT, _RIGHT = 960.0, 76.0, 28.0
_TOP, _HIGH = 104.0, 220.0  # of the field with the bars
_LANE = 26.0
_NAME_MOST = 14  # letters of a lane's name
_BARS_MOST = 400
_BIN_S = tuple(hours * HOUR_S for hours in (1, 2, 3, 6, 12, 24, 48, 168, 336, 672, 1344, 5376, 21504, 86016))
_SHORTEST_S = 6 * HOUR_S  # of what is shown: fewer bars are no plot
_PLOTS_MOST = 20
_COUNT_MOST = 1e12  # records of a bar: sums of these stay numbers
_TICK_APART, _MARK_APART = 2.0, 6.0  # on the paper


@dataclass(frozen=True, slots=True)
class CountedSpan:
    """So many records came between two visits, nobody knows when."""

    start: float
    end: float
    count: float
    lost: float = 0.0  # of them


@dataclass(frozen=True, slots=True)
class VisitRow:
    """The visits of one policy, or of one watch."""

    name: str
    visits: Sequence[float]
    lost: Sequence[float] = ()  # when records came that it missed
    planned: Sequence[float] = ()
    note: str = ""  # a few words at its end


@dataclass(frozen=True, slots=True)
class History:
    """What a plot of a list shows. Times are seconds since 1970, UTC, and need not be sorted."""

    title: str
    lanes: Sequence[VisitRow]
    subtitle: str = ""
    arrivals: Sequence[float] = ()  # of all records, those included that were lost
    spans: Sequence[CountedSpan] = ()  # of records whose moments are not known
    forecast: Sequence[tuple[float, float]] = ()  # when an hour begins, the records expected in it
    now: float | None = None  # what lies behind it has not happened yet
    start: float | None = None  # of what is shown; None: all there is
    end: float | None = None


def list_svg(history: History) -> str:
    """Draw a list over time as SVG."""
    return lists_svg([history], history.title)


def lists_svg(histories: Sequence[History], title: str) -> str:
    """Draw lists over time as SVG, one below the other; those beyond the twentieth are left out, and it says so."""
    plots = [_Plot(history, *_reach(history)) for history in histories[:_PLOTS_MOST]]
    parts: list[str] = []
    described, top = [], 0.0
    for plot in plots:
        parts.append(move(top, plot.parts()) if top else "".join(plot.parts()))
        described.append(f"{plot.title}: {plot.describe()}" if len(plots) > 1 else plot.describe())
        top += plot.bottom + 48
    left = len(histories) - len(plots)
    if left > 0:
        parts.append(words("soft", 24, top + 20, f"and {left} more that are not drawn"))
        top += 40
    return draw(_WIDE, max(top, 1.0), title, " ".join(described), parts)


def _reach(history: History) -> tuple[float, float]:
    """Return from when to when is shown, in whole hours."""
    known = [history.arrivals, [span.start for span in history.spans], [span.end for span in history.spans]]
    known += [[at for at, _ in history.forecast], [] if history.now is None else [history.now]]
    for lane in history.lanes:
        known += [lane.visits, lane.planned]
    full = [[at for at in times if 0 <= at <= LATEST_S] for times in known]
    start = min((min(times) for times in full if times), default=0.0) if history.start is None else history.start
    end = max((max(times) for times in full if times), default=0.0) if history.end is None else history.end
    start, end = min(max(start, 0.0), LATEST_S) // HOUR_S * HOUR_S, min(end, LATEST_S)
    return start, max(math.ceil(end / HOUR_S) * HOUR_S, start + _SHORTEST_S)


class _Plot:
    """One plot on its paper."""

    def __init__(self, history: History, start: float, end: float) -> None:
        self._history, self.title = history, history.title
        self._start, self._end = start, end
        self._bin_s = next((size for size in _BIN_S if (end - start) / size <= _BARS_MOST), (end - start) / _BARS_MOST)
        self._unit_s, self._unit = (HOUR_S, "hour") if self._bin_s < DAY_S else (DAY_S, "day")
        self._came, self._lost = self._count_arrivals()
        self._rates = self._bin_forecast()
        most = max(self._came + [rate for rate in self._rates if rate is not None])
        self._counts = tick_counts(most * self._unit_s / self._bin_s)
        right = max((wide_of(lane.note, 11) + 14 for lane in history.lanes if lane.note), default=0.0)
        left = max((wide_of(shorten(lane.name, _NAME_MOST)) + 24 for lane in history.lanes), default=0.0)
        self._x = Scale(start, end, max(_LEFT, left), _WIDE - _RIGHT - right)
        self._y = Scale(0.0, self._counts[-1].at, _TOP + _HIGH, _TOP)
        self.bottom = _TOP + _HIGH + 10 + _LANE * len(history.lanes)

    def parts(self) -> Iterator[str]:
        """Yield the elements from the back to the front."""
        yield words("ink name", 24, 34, shorten(self._history.title, 78))
        yield words("soft", 24, 55, shorten(self._history.subtitle, 124))
        yield from self._draw_future()
        yield from self._draw_grid()
        yield from self._draw_bars()
        yield self._draw_forecast()
        for number, lane in enumerate(self._history.lanes):
            yield from self._draw_lane(lane, _TOP + _HIGH + 10 + _LANE * number)
        yield from self._draw_legend()

    def describe(self) -> str:
        """Say in words what is shown."""
        came, lost = sum(self._came), sum(self._lost)
        sentences = [f"{name_moment(self._start)} to {name_moment(self._end)}, UTC.", f"{came:.0f} records came"]
        sentences.append(
            f"in bars of {name_duration(self._bin_s)}" + (f", {lost:.0f} of them were missed." if lost else ".")
        )
        for lane in self._history.lanes:
            visits = len(self._inside(lane.visits))
            missed = f", {len(self._inside(lane.lost))} records missed" if lane.lost else ""
            sentences.append(f"{lane.name}: {visits} visits{missed}.")
            sentences += [f"Next visit {name_moment(at)}." for at in self._inside(lane.planned)[:1]]
        return " ".join(sentences)

    def _inside(self, times: Iterable[float]) -> list[float]:
        return [at for at in times if self._start <= at <= self._end]

    def _count_arrivals(self) -> tuple[list[float], list[float]]:
        """Count what came, and what of it was lost, into the bars."""
        count = math.ceil((self._end - self._start) / self._bin_s)
        came, lost = [0.0] * count, [0.0] * count
        for at in self._inside(self._history.arrivals):
            came[self._bin_of(at, count)] += 1
        if len(self._history.lanes) == 1:
            for at in self._inside(self._history.lanes[0].lost):
                lost[self._bin_of(at, count)] += 1
        for span in self._history.spans:
            for number, share in self._spread(span, count):
                came[number] += min(span.count, _COUNT_MOST) * share
                lost[number] += min(span.lost, _COUNT_MOST) * share
        return came, [min(part, whole) for part, whole in zip(lost, came, strict=True)]

    def _bin_of(self, at: float, count: int) -> int:
        return min(int((at - self._start) / self._bin_s), count - 1)

    def _spread(self, span: CountedSpan, count: int) -> Iterator[tuple[int, float]]:
        """Yield the bars that a span lies in, with the share of it in each."""
        low, high = max(span.start, self._start), min(span.end, self._end)
        if low > high:
            return
        long = max(span.end - span.start, 1e-9)
        first, last = self._bin_of(low, count), self._bin_of(high, count)
        for number in range(first, last + 1):
            left = self._start + number * self._bin_s
            share = (min(high, left + self._bin_s) - max(low, left)) / long
            yield number, 1.0 if first == last and span.start >= self._start and span.end <= self._end else share

    def _bin_forecast(self) -> list[float | None]:
        """Return the records expected in each bar, None where nothing is forecast."""
        count = len(self._came)
        sums, hours = [0.0] * count, [0] * count
        for at, expected in self._history.forecast:
            if self._start <= at < self._end and 0 <= expected < math.inf:
                number = self._bin_of(at, count)
                sums[number] += min(expected, _COUNT_MOST)
                hours[number] += 1
        per_bin = self._bin_s / HOUR_S
        return [total / number * per_bin if number else None for total, number in zip(sums, hours, strict=True)]

    def _draw_future(self) -> Iterator[str]:
        now = self._history.now
        if now is None or not self._start <= now < self._end:
            return
        x = self._x.place(now)
        yield box("ahead", x, _TOP - 14, self._x.end - x, self.bottom - _TOP + 14)
        yield words("soft small", x + 5, _TOP - 3, "from now on")

    def _draw_grid(self) -> Iterator[str]:
        for tick in self._counts:
            y = self._y.place(tick.at)
            yield line("base" if tick.at == 0 else "grid", self._x.start, y, self._x.end, y)
            yield words("soft small", self._x.start - 8, y + 4, tick.name, anchor="end")
        yield words("soft small", 24, _TOP - 20, f"records per {self._unit}")
        moments = tick_times(self._start, self._end, most=15)
        yield ticks("grid", (self._x.place(tick.at) for tick in moments), _TOP, self.bottom - _TOP + 5, width=1)
        for tick in moments:
            x = self._x.place(tick.at)
            yield words("soft small", x, self.bottom + 19, tick.name, anchor=_anchor(x, tick.name))
            if tick.below:
                yield words("ink small", x, self.bottom + 35, tick.below, anchor=_anchor(x, tick.below))
        yield words("soft small", 24, self.bottom + 19, "UTC")

    def _draw_bars(self) -> Iterator[str]:
        for number, (came, lost) in enumerate(zip(self._came, self._lost, strict=True)):
            if came <= 0:
                continue
            at = self._start + number * self._bin_s
            left, right = self._x.place(at), self._x.place(at + self._bin_s)
            gap = min(1.0, (right - left) * 0.18)
            tooltip = f"{name_moment(at)}, {name_duration(self._bin_s)}: {came:.3g} records"
            top, split = self._high(came), self._high(came - lost)
            if came > lost:
                yield box("came", left, split, right - left - gap, self._y.start - split, tooltip=tooltip)
            if lost > 0:
                yield box(
                    "lost", left, top, right - left - gap, split - top, tooltip=f"{tooltip}, {lost:.3g} of them missed"
                )

    def _high(self, count: float) -> float:
        return self._y.place(count * self._unit_s / self._bin_s)

    def _draw_forecast(self) -> str:
        steps, is_down = [], False
        for number, rate in enumerate(self._rates):
            if rate is not None:
                x = self._x.place(self._start + (number + 0.5) * self._bin_s)
                steps.append(f"{'L' if is_down else 'M'}{x:.5g} {self._high(rate):.5g}")
            is_down = rate is not None
        return path("rate", "".join(steps), width=1.75, tooltip="forecast") if steps else ""

    def _draw_lane(self, lane: VisitRow, top: float) -> Iterator[str]:
        middle = top + _LANE / 2
        yield line("grid", self._x.start, middle, self._x.end, middle)
        yield words("ink", self._x.start - 8, middle + 4, shorten(lane.name, _NAME_MOST), anchor="end")
        yield ticks("visit", self._thin(lane.visits, _TICK_APART), middle - 7, 14, width=1.25)
        due = self._thin(lane.planned, _TICK_APART)
        yield ticks("plan", due, middle - 9, 18, width=2)
        yield diamonds("due", due, middle - 9)
        yield diamonds("lost", self._thin(lane.lost, _MARK_APART), middle)
        if lane.note:
            yield words("soft small", self._x.end + 12, middle + 4, lane.note)

    def _thin(self, times: Iterable[float], apart: float) -> list[float]:
        """Return where moments lie on the paper, one of those that are closer than `apart`."""
        cells = {int((self._x.place(at) - self._x.start) / apart): at for at in self._inside(times)}
        return [self._x.place(cells[cell]) for cell in sorted(cells)]

    def _draw_legend(self) -> Iterator[str]:
        lanes = self._history.lanes
        shown = [("came", "came")] if sum(self._came) else []
        shown += [("lost", "missed")] if sum(self._lost) or any(lane.lost for lane in lanes) else []
        shown += [("rate", "forecast")] if any(rate is not None for rate in self._rates) else []
        shown += [("visit", "visit")] if any(lane.visits for lane in lanes) else []
        shown += [("plan", "next visit")] if any(lane.planned for lane in lanes) else []
        x = _WIDE - _RIGHT - sum(wide_of(name) + 36 for _, name in shown) + 14
        for kind, name in shown:
            yield _sample(kind, x, 76)
            yield words("soft", x + 19, 80, name)
            x += wide_of(name) + 36


def _anchor(x: float, text: str) -> str:
    """Say how a text is held that is to stand below a place, so that the edge of the paper does not cut it."""
    return "end" if x + wide_of(text, 11) / 2 > _WIDE - 4 else "middle"


def _sample(kind: str, x: float, y: float) -> str:
    """Draw what stands for a kind of thing in the legend."""
    if kind == "came":
        return box("came", x + 1, y - 5, 11, 10)
    if kind == "lost":
        return box("lost", x + 1, y - 5, 5, 10) + diamonds("lost", [x + 12], y)
    if kind == "rate":
        return line("rate", x - 2, y, x + 13, y, width=1.75)
    if kind == "plan":
        return ticks("plan", [x + 7], y - 6, 13, width=2) + diamonds("due", [x + 7], y - 6)
    return ticks("visit", [x + 5, x + 9], y - 6, 12, width=1.25)
