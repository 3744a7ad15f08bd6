"""Draw what seeing records sooner costs: curves of policies come in, delay and loss against fetches as SVG go out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scythe.schedule.policies import DEFAULT
from scythe.schedule.svg import (
    LINES,
    MINUTE_S,
    Scale,
    Tick,
    draw,
    line,
    name_duration,
    path,
    quote,
    shorten,
    wide_of,
    words,
)
from scythe.watch_model import DAY_S, HOUR_S

_WIDE, _HIGH = 960.0, 716.0
_LEFT, _RIGHT, _BOTTOM = 84.0, 622.0, 656.0  # of the field
_DELAYS, _LOSSES = (96.0, 420.0), (470.0, _BOTTOM)  # from where to where delays and losses are drawn
_KEY = _RIGHT + 36  # where the legend begins
_COLUMNS = (_KEY + 164, _KEY + 222, _KEY + 274)  # of the legend, where they end
_DASHES = ("", "7 4", "2 4", "10 3 2 3", "4 3", "12 5", "1 3", "6 2 1 2 1 2")
_CURVES_MOST = LINES
_MISSED_MOST = 0.01  # the default goal: points that miss more are hollow
_MISSED_LEAST = 0.0001  # shares below are drawn as this
_LEAST, _MOST = 1e-6, 1e9  # what the axes can show
_RANGE = 8.0  # an axis ends at no less than so many times its beginning, so that some of its ticks are named
_SHARES = (
    Tick(_MISSED_LEAST, "< 0.01 %"),
    *(Tick(share, f"{100 * share:g} %") for share in (0.001, _MISSED_MOST, 0.1, 1.0)),
)
_SAID = "Each point is one policy with one set of goals, the ringed one its default. Lower and further left is better."


@dataclass(frozen=True, slots=True)
class Point:
    """What a policy comes to with certain goals."""

    fetches_day: float
    delay_h: float
    missed: float = 0.0  # 0..1, share of the records


@dataclass(frozen=True, slots=True)
class Curve:
    """A policy with goals from thrifty to eager; one that has only one way of working is a single point."""

    name: str
    points: tuple[Point, ...]
    default: int | None = None  # place of the point of its default goals


def frontier_svg(
    curves: Sequence[Curve],
    *,
    title: str = "What seeing records sooner costs",
    subtitle: str = "",
    measure: str = "mean",
) -> str:
    """Draw delays and losses against fetches a day, all logarithmic, as SVG.

    A point that misses more than one record in a hundred is hollow. `measure` names the delay: mean, p95 ...
    The default policy, otherwise the first, is drawn boldest; those beyond the eighth are left out, and it says so.
    """
    shown = [curve for curve in map(_drawable, curves) if curve.points]
    shown.sort(key=lambda curve: curve.name != DEFAULT)
    field = _Field(shown[:_CURVES_MOST], measure, len(shown) - _CURVES_MOST)
    parts = [words("ink name", 24, 34, shorten(title, 78)), words("soft", 24, 55, shorten(subtitle or _SAID, 120))]
    return draw(_WIDE, _HIGH, title, field.describe(), [*parts, *field.parts()])


def _drawable(curve: Curve) -> Curve:
    """Return a curve without the points that a logarithmic axis has no place for."""
    kept = [
        (number, point)
        for number, point in enumerate(curve.points)
        if _LEAST < point.fetches_day < _MOST and _LEAST < point.delay_h < _MOST
    ]
    places = [number for number, _ in kept]
    default = places.index(curve.default) if curve.default in places else None
    return Curve(curve.name, tuple(point for _, point in kept), default)


@dataclass(frozen=True, slots=True)
class _Panel:
    """One measure of the points against fetches a day."""

    x: Scale
    y: Scale
    name: str
    ticks: Sequence[Tick]
    value: Callable[[Point], float]

    def place(self, point: Point) -> tuple[float, float]:
        """Return where a point lies on the paper."""
        return self.x.place(point.fetches_day), self.y.place(self.value(point))

    def spots(self, curves: Sequence[Curve]) -> Iterator[tuple[float, float]]:
        """Yield what names are to keep off: the points, and the lines between them step by step."""
        for curve in curves:
            places = [self.place(point) for point in curve.points]
            yield from places
            for (x1, y1), (x2, y2) in pairwise(places):
                steps = min(int(math.hypot(x2 - x1, y2 - y1) / 10), 100)
                for step in range(1, steps):
                    yield x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps


class _Field:
    """The curves on their paper."""

    def __init__(self, curves: Sequence[Curve], measure: str, left_out: int) -> None:
        self._curves, self._measure, self._left_out = curves, measure, left_out
        points = [point for curve in curves for point in curve.points] or [Point(1, 1)]
        x = Scale(*_widen([point.fetches_day for point in points]), _LEFT, _RIGHT, is_log=True)
        low, high = _widen([point.delay_h * HOUR_S for point in points])
        delays = Scale(low, high, _DELAYS[1], _DELAYS[0], is_log=True)
        losses = Scale(_MISSED_LEAST, 1.0, _LOSSES[1] - 10, _LOSSES[0], is_log=True)
        name = f"{measure} delay until a record is seen"
        self._panels = (
            _Panel(x, delays, name, tick_durations(low, high), lambda point: point.delay_h * HOUR_S),
            _Panel(x, losses, "records missed", _SHARES, lambda point: point.missed),
        )

    def describe(self) -> str:
        """Say in words what is shown."""
        axes = [f"{self._measure} delay of records, and the share missed, against fetches a day; axes are logarithmic."]
        return " ".join([*axes, *(f"{_tell(curve.name, _main(curve))}." for curve in self._curves)])

    def parts(self) -> Iterator[str]:
        """Yield the elements from the back to the front."""
        for panel in self._panels:
            yield from self._draw_axes(panel)
            for number in reversed(range(len(self._curves))):
                yield from self._draw_curve(panel, number)
            yield from self._draw_labels(panel)
        for tick in tick_logs(self._panels[0].x.low, self._panels[0].x.high):
            yield words("soft small", self._panels[0].x.place(tick.at), _BOTTOM + 20, tick.name, anchor="middle")
        yield words("soft", _RIGHT, _BOTTOM + 42, "fetches a day", anchor="end")
        yield from self._draw_key()

    def _draw_axes(self, panel: _Panel) -> Iterator[str]:
        top = panel.y.end
        bottom = _DELAYS[1] if top == _DELAYS[0] else _BOTTOM
        for tick in tick_logs(panel.x.low, panel.x.high):
            x = panel.x.place(tick.at)
            yield line("grid", x, top, x, bottom + 5)
        for tick in panel.ticks:
            y = panel.y.place(tick.at)
            is_goal = panel.ticks is _SHARES and tick.at == _MISSED_MOST
            yield line("goal" if is_goal else "grid", _LEFT - 5, y, _RIGHT, y, dash="3 4" if is_goal else "")
            yield words("soft small", _LEFT - 10, y + 4, tick.name, anchor="end")
            yield words("lostword small", _RIGHT, y - 5, "default goal", anchor="end") if is_goal else ""
        yield path("base", f"M{_LEFT:g} {top:g}V{bottom:g}H{_RIGHT:g}")
        yield words("soft", 24, top - 13, panel.name)

    def _draw_curve(self, panel: _Panel, number: int) -> Iterator[str]:
        curve = self._curves[number]
        thick = 2.75 if number == 0 else 1.75
        steps = "L".join(f"{x:.5g} {y:.5g}" for x, y in map(panel.place, curve.points))
        if len(curve.points) > 1:
            yield path(f"s{number}", f"M{steps}", width=thick, dash=_DASHES[number], tooltip=curve.name)
        for place, point in enumerate(curve.points):
            x, y = panel.place(point)
            yield _dot(number, x, y, is_hollow=point.missed > _MISSED_MOST, tooltip=_tell(curve.name, point))
            yield _ring(number, x, y) if place == curve.default else ""

    def _draw_labels(self, panel: _Panel) -> Iterator[str]:
        """Write the name of each curve beside its main point."""
        named = [(shorten(curve.name, 24), *panel.place(_main(curve))) for curve in self._curves]
        bottom = _DELAYS[1] if panel is self._panels[0] else _BOTTOM
        places = place_labels(named, list(panel.spots(self._curves)), (_LEFT + 4, panel.y.end, _RIGHT, bottom))
        for number, ((name, x, y), label) in enumerate(zip(named, places, strict=True)):
            if label.is_far:
                yield line(f"s{number}", x, y, *label.nearest(x, y), width=0.75)
            yield words(f"f{number} strong halo", label.x, label.y, name)
            yield words(f"f{number} strong", label.x, label.y, name)

    def _draw_key(self) -> Iterator[str]:
        """Draw the legend as a table of what the main points come to."""
        y = _DELAYS[0] + 4
        for x, name in zip(_COLUMNS, ("fetches/day", "delay", "missed"), strict=True):
            yield words("soft small", x, y, name, anchor="end")
        for number, curve in enumerate(self._curves):
            y += 25
            point = _main(curve)
            if len(curve.points) > 1:
                yield line(f"s{number}", _KEY - 10, y - 4, _KEY + 14, y - 4, width=2, dash=_DASHES[number])
            yield _dot(number, _KEY + 2, y - 4, is_hollow=point.missed > _MISSED_MOST)
            yield words("ink strong" if number == 0 else "ink", _KEY + 22, y, shorten(curve.name, 16))
            delay = name_duration(point.delay_h * HOUR_S, 2)
            figures = (_figure(point.fetches_day), delay, f"{_figure(100 * point.missed)} %")
            kinds = ("soft", "soft", "lostword" if point.missed > _MISSED_MOST else "soft")
            for x, figure, kind in zip(_COLUMNS, figures, kinds, strict=True):
                yield words(f"{kind} small", x, y, figure, anchor="end")
        yield from self._draw_marks(y + 38)

    def _draw_marks(self, y: float) -> Iterator[str]:
        """Say what the points mean."""
        if self._left_out > 0:
            yield words("soft small", _KEY - 10, y, f"and {self._left_out} more that are not drawn")
            y += 26
        for text, is_hollow, is_default in (
            ("at most 1 % missed", False, False),
            ("more than 1 % missed", True, False),
            ("with default goals", False, True),
        ):
            yield _dot(7, _KEY + 2, y - 4, is_hollow=is_hollow) + (_ring(7, _KEY + 2, y - 4) if is_default else "")
            yield words("soft small", _KEY + 22, y, text)
            y += 22


def _tell(name: str, point: Point) -> str:
    """Say what a point stands for."""
    delay = name_duration(point.delay_h * HOUR_S)
    return f"{name}: {point.fetches_day:.3g} fetches a day, {delay}, {100 * point.missed:.2g} % missed"


def _main(curve: Curve) -> Point:
    """Return the point that stands for a curve: the default, otherwise the one with the fewest fetches."""
    if curve.default is not None:
        return curve.points[curve.default]
    return min(curve.points, key=lambda point: point.fetches_day)


def _widen(values: list[float]) -> tuple[float, float]:
    """Return bounds with some space around the values."""
    low, high = min(values), max(values)
    edge = max((high / low) ** 0.06, (_RANGE / (high / low)) ** 0.5, 1.12)
    return low / edge, high * edge


def _figure(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _dot(number: int, x: float, y: float, *, is_hollow: bool, tooltip: str = "") -> str:
    return circle(f"{'paper' if is_hollow else f'f{number}'} s{number}", x, y, 4.0, tooltip=tooltip)


def _ring(number: int, x: float, y: float) -> str:
    return circle(f"none s{number}", x, y, 8.0, width=1.25)


_DURATIONS_S = tuple(
    [seconds * 1.0 for seconds in (1, 2, 5, 10, 20, 30)]
    + [minutes * MINUTE_S for minutes in (1, 2, 5, 10, 20, 30)]
    + [hours * HOUR_S for hours in (1, 3, 6, 12)]
    + [days * DAY_S for days in (1, 2, 4, 7, 14, 30, 60, 120, 365)]
)


def tick_durations(low_s: float, high_s: float) -> list[Tick]:
    """Return ticks at round durations for a logarithmic axis."""
    inside = [value for value in _DURATIONS_S if low_s * 0.999 <= value <= high_s * 1.001]
    thin = max(1, -(-len(inside) // 9))
    return [Tick(value, name_duration(value)) for value in inside[::thin]]


def circle(kind: str, x: float, y: float, radius: float, *, width: float = 1.75, tooltip: str = "") -> str:
    """Draw a circle."""
    inner = f"><title>{quote(tooltip)}</title></circle>" if tooltip else "/>"
    return f'<circle class="{kind}" cx="{x:.5g}" cy="{y:.5g}" r="{radius:g}" stroke-width="{width:g}"{inner}'


_LABEL_HIGH = 14.0
_AWAY = (15.0, 22.0, 34.0, 48.0, 64.0, 82.0, 102.0)  # from the point to the name
_TURNS = (0, -45, 45, 180, -135, 135, -90, 90)  # degrees: to the right first
_FAR = 30.0  # names further away are tied to their points by a line


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """Where a name is written: its left end and its base line."""

    x: float
    y: float
    wide: float
    is_far: bool  # from its point

    def covers(self, x: float, y: float, around: float) -> bool:
        """Say whether a spot lies on the name, or so near."""
        return self.x - around < x < self.x + self.wide + around and self.y - 11 - around < y < self.y + 3 + around

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Return the spot of the name's edge that lies nearest."""
        return min(max(x, self.x), self.x + self.wide), min(max(y, self.y - 11), self.y + 3)

    def meets(self, other: PlacedLabel) -> bool:
        """Say whether two names touch."""
        apart = self.x > other.x + other.wide + 4 or other.x > self.x + self.wide + 4
        return not apart and abs(self.y - other.y) < _LABEL_HIGH


def place_labels(
    named: Sequence[tuple[str, float, float]],
    spots: Sequence[tuple[float, float]],
    field: tuple[float, float, float, float],
) -> list[PlacedLabel]:
    """Return a place for each name near its point that keeps off other names and, where it can, off `spots`.

    `field` is what names must lie in: left, top, right, bottom.
    """
    placed: list[PlacedLabel] = []
    for text, x, y in named:
        wide = wide_of(text)
        tried = [_beside(x, y, away, turn, wide) for away in _AWAY for turn in _TURNS]
        inside = [label for label in tried if _lies_in(label, field)] or tried[:1]
        placed.append(min(inside, key=lambda label: _label_cost(label, placed, spots, x, y)))
    return placed


def _beside(x: float, y: float, away: float, turn: int, wide: float) -> PlacedLabel:
    across, down = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    left = x + away * across - (wide if across < -0.1 else 0.0 if across > 0.1 else wide / 2)
    return PlacedLabel(left, y + away * down + 4 + 3 * down, wide, is_far=away > _FAR)


def _lies_in(label: PlacedLabel, field: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = field
    return left <= label.x and label.x + label.wide <= right and top + _LABEL_HIGH <= label.y <= bottom - 4


def _label_cost(
    label: PlacedLabel, placed: Sequence[PlacedLabel], spots: Sequence[tuple[float, float]], x: float, y: float
) -> float:
    names = sum(label.meets(other) for other in placed)
    covered = sum(label.covers(*spot, 8.0) for spot in spots)
    return 1000 * names + 60 * covered + math.hypot(max(label.x - x, 0, x - label.x - label.wide), label.y - 4 - y)


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
