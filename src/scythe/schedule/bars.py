"""Draw what several ways came to side by side: names and numbers come in, bars as SVG go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scythe.schedule.drawing import box, draw, line, shorten, wide_of, words

_WIDE, _LEFT, _RIGHT = 960.0, 150.0, 24.0
_TOP, _ROW, _BAR = 104.0, 34.0, 16.0
_GAP = 26.0  # between two panels
_NAME_MOST = 19  # letters


@dataclass(frozen=True, slots=True)
class Panel:
    """One thing that was counted, for every way."""

    name: str
    kind: str  # the class of its bars, of drawing's fills
    values: Sequence[float]


def bars_svg(title: str, said: str, names: Sequence[str], panels: Sequence[Panel]) -> str:
    """Draw panels side by side, with a row for each name; the first is the one that the others are compared with."""
    bottom = _TOP + _ROW * len(names)
    return draw(_WIDE, bottom + 20, title, _describe(names, panels), _parts(title, said, names, panels, bottom))


def _parts(title: str, said: str, names: Sequence[str], panels: Sequence[Panel], bottom: float) -> Iterator[str]:
    yield words("ink name", 24, 34, shorten(title, 78))
    yield words("soft", 24, 55, shorten(said, 130))
    yield box("ahead", 12, _TOP - 2, _WIDE - 24, _ROW - 2, round_by=6)
    for row, name in enumerate(names):
        kind = "ink strong" if row == 0 else "ink"
        yield words(kind, _LEFT - 14, _middle(row) + 4, shorten(name, _NAME_MOST), anchor="end")
    wide = (_WIDE - _LEFT - _RIGHT - _GAP * (len(panels) - 1)) / max(len(panels), 1)
    for number, panel in enumerate(panels):
        yield from _draw_panel(panel, _LEFT + number * (wide + _GAP), wide, bottom)


def _draw_panel(panel: Panel, left: float, wide: float, bottom: float) -> Iterator[str]:
    most = max((*panel.values, 0.0))
    room = wide - max((wide_of(_number(value)) for value in panel.values), default=0.0) - 6
    yield words("soft strong", left, _TOP - 14, panel.name)
    yield line("base", left, _TOP - 4, left, bottom)
    for row, value in enumerate(panel.values):
        long = room * value / most if most else 0.0
        if long > 0:
            yield box(panel.kind, left, _middle(row) - _BAR / 2, long, _BAR, round_by=2)
        yield words("ink strong" if row == 0 else "soft", left + long + 6, _middle(row) + 4, _number(value))


def _middle(row: int) -> float:
    return _TOP + _ROW * (row + 0.5) - 3


def _number(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u202f")


def _describe(names: Sequence[str], panels: Sequence[Panel]) -> str:
    rows = []
    for row, name in enumerate(names):
        told = ", ".join(f"{_number(panel.values[row])} {panel.name}" for panel in panels)
        rows.append(f"{name}: {told}.")
    return " ".join(rows)
