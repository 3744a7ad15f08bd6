"""Draw a soak: samples come in, lines over time go out as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scythe.schedule.svg import LINES, Scale, draw, line, path, tick_counts, words

_WIDE, _LEFT, _RIGHT, _TOP, _HIGH = 960.0, 70.0, 780.0, 84.0, 300.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plot."""

    name: str
    points: tuple[tuple[float, float], ...]  # seconds and values


def plot_lines(title: str, unit: str, lines: Sequence[Line], warm_up_s: float = 0.0) -> str:
    """Draw lines over minutes, with a mark where warm-up ended."""
    shown = [one for one in lines if one.points][:LINES]
    end_s = max((one.points[-1][0] for one in shown), default=1.0)
    most = max((value for one in shown for _, value in one.points), default=1.0)
    across, up = tick_counts(end_s / 60, about=8), tick_counts(most, about=5)
    x = Scale(0.0, across[-1].at * 60, _LEFT, _RIGHT)
    y = Scale(0.0, up[-1].at, _TOP + _HIGH, _TOP)
    parts = [words("ink name", 24, 34, title), words("soft", 24, 62, unit)]
    for tick in up:
        parts += [line("grid", _LEFT, y.place(tick.at), _RIGHT, y.place(tick.at))]
        parts += [words("soft small", _LEFT - 8, y.place(tick.at) + 4, tick.name, anchor="end")]
    for tick in across:
        parts.append(words("soft small", x.place(tick.at * 60), _TOP + _HIGH + 20, tick.name, anchor="middle"))
    parts.append(words("soft small", _RIGHT, _TOP + _HIGH + 38, "minutes", anchor="end"))
    if warm_up_s:
        parts.append(line("goal", x.place(warm_up_s), _TOP, x.place(warm_up_s), _TOP + _HIGH, dash="3 4"))
    for number, one in enumerate(shown):
        parts += _draw(one, number, x, y)
    said = "; ".join(f"{one.name}: {one.points[0][1]:g} to {one.points[-1][1]:g}" for one in shown)
    return draw(_WIDE, _TOP + _HIGH + 56, title, said, parts)


def _draw(one: Line, number: int, x: Scale, y: Scale) -> Iterator[str]:
    step = -(-len(one.points) // 1_000)
    places = [(x.place(at), y.place(value)) for at, value in one.points[::step]]
    yield path(f"s{number}", "M" + "L".join(f"{a:.5g} {b:.5g}" for a, b in places), width=1.5, tooltip=one.name)
    key = _TOP + 18 * number
    yield line(f"s{number}", _RIGHT + 24, key, _RIGHT + 44, key, width=2.5)
    yield words("ink", _RIGHT + 52, key + 4, one.name)


def plot_all(samples: Sequence[dict[str, Any]], names: Sequence[str], warm_up_s: float) -> Iterator[tuple[str, str]]:
    """Yield the name of a file and its drawing: memory, handles, the archive, and how long answers take."""

    def by_process(what: str) -> list[Line]:
        return [
            Line(name, tuple((s["at_s"], s["processes"][name][what]) for s in samples if name in s["processes"]))
            for name in names
        ]

    yield "memory.svg", plot_lines("Memory of processes", "RSS in MB", by_process("rss_mb"), warm_up_s)
    yield "handles.svg", plot_lines("Open files and sockets", "count", by_process("handles"), warm_up_s)
    sizes = Line("archive", tuple((s["at_s"], s["archive"]["bytes"] / 1e6) for s in samples if s.get("archive")))
    yield "archive.svg", plot_lines("Size of the archive", "MB", [sizes], warm_up_s)
    waits = [
        Line(name, tuple((s["at_s"], s["asked"][name]) for s in samples if s["asked"].get(name) is not None))
        for name in ("p50_ms", "p99_ms")
    ]
    yield "answers.svg", plot_lines("How long the web page takes to answer", "ms", waits, warm_up_s)
