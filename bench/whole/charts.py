"""Draw a whole run: sections come in, SVG drawings go out, each complete in itself and readable on dark paper too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.pareto_plot import Curve, Point, frontier_svg, tick_logs
from bench.peers import PEERS
from bench.whole import cut, schedule, text
from bench.whole.parts import SCYTHE, UNSEEN, Figure, Section, few, share
from scythe.schedule.svg import Scale, Tick, box, draw, line, shorten, wide_of, words

QUALITY, SPEED, VISITS = "bench-quality.svg", "bench-speed.svg", "bench-schedule.svg"
CHARTS = {text.NAME: QUALITY, cut.NAME: SPEED, schedule.NAME: VISITS}
_WIDE, _LEFT, _RIGHT, _TOP = 960.0, 300.0, 870.0, 108.0
_BAR, _THIN, _GAP = 20.0, 12.0, 12.0  # heights of bars that stand alone and in groups, and between groups
_OURS, _OTHERS = "f0", ("f1", "f2", "f4", "f3")
_NAME_MOST = 40  # letters


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar."""

    name: str
    value: float
    written: str
    kind: str  # the class of its colour
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Bars that belong together."""

    name: str
    bars: tuple[Bar, ...]


def draw_charts(sections: Sequence[Section]) -> dict[str, str]:
    """Return the drawings of what was measured, by the names of their files."""
    makers = {text.NAME: _draw_quality, cut.NAME: _draw_speed, schedule.NAME: _draw_visits}
    found = {}
    for section in sections:
        if section.name in makers and section.figures:
            found[CHARTS[section.name]] = makers[section.name](section)
    return found


def _draw_quality(section: Section) -> str:
    scored = [figure for figure in section.figures if figure.unit == "F1"]
    who = [name for name in (SCYTHE, *PEERS) if any(figure.who == name for figure in scored)]
    kinds = dict(zip(who, (_OURS, *_OTHERS), strict=False))
    groups = []
    for name in dict.fromkeys(figure.name for figure in scored):
        own = {figure.who: figure.value for figure in scored if figure.name == name}
        bars = [Bar(one, own[one], share(own[one]), kinds[one], one == SCYTHE) for one in who if one in own]
        groups.append(Group(text.describe(name.split("/")[1]), tuple(bars)))
    title = "Main text: how much of it is found, and nothing else"
    models = "had not seen the sites" if section.said.endswith(UNSEEN) else "were trained on these sites"
    said = f"F1 for each page set, 1 is perfect. scythe's models {models}."
    return _grouped_svg(title, said, groups, kinds)


def _grouped_svg(title: str, said: str, groups: Sequence[Group], kinds: dict[str, str]) -> str:
    """Draw groups of thin bars from 0 to 1 with a legend."""
    x = Scale(0.0, 1.0, _LEFT, _RIGHT)
    parts, at = [*_head(title, said), *_legend(kinds)], _TOP
    bottom = _TOP + sum(_THIN * len(group.bars) + _GAP for group in groups)
    for number in range(6):
        parts += _grid(x, Tick(number / 5, f"{number / 5:g}"), _TOP - 6, bottom)
    for group in groups:
        high = _THIN * len(group.bars)
        parts.append(words("ink", _LEFT - 12, at + high / 2 + 4, shorten(group.name, _NAME_MOST), anchor="end"))
        for bar in group.bars:
            parts += _bar(bar, x, at, _THIN, small=True)
            at += _THIN
        at += _GAP
    return draw(_WIDE, bottom + 34, title, _describe(groups), parts)


def _draw_speed(section: Section) -> str:
    groups = [group for group in _speed_groups(section.figures) if group.bars]
    times = [bar.value for group in groups for bar in group.bars] or [1.0]
    x = Scale(min(times) / 2, max(times) * 1.1, _LEFT, _RIGHT, is_log=True)
    title = "What a page costs"
    said = "CPU time, logarithmic: each line is ten times the one before. Less is better."
    bottom = _TOP + sum(_BAR * (len(group.bars) + 1) + _GAP for group in groups)
    parts, at = _head(title, said), _TOP
    for tick in tick_logs(x.low, x.high):
        if f"{tick.at:e}".startswith("1.0"):
            name = f"{tick.at / 1e3:g} ms" if tick.at >= 1e3 else f"{tick.at:g} us"
            parts += _grid(x, Tick(tick.at, name), _TOP - 16, bottom)
    for group in groups:
        parts.append(words("soft strong", 24, at + 4, group.name))
        at += _BAR * 0.7
        for bar in group.bars:
            parts.append(words("ink strong" if bar.is_ours else "ink", _LEFT - 12, at + 14, bar.name, anchor="end"))
            parts += _bar(bar, x, at + 2, _BAR - 4)
            at += _BAR
        at += _BAR * 0.3 + _GAP
    return draw(_WIDE, bottom + 34, title, _describe(groups), parts)


def _speed_groups(figures: Sequence[Figure]) -> Iterator[Group]:
    """Yield whole pages whose text is cut, and single values."""
    pages = [figure for figure in figures if figure.name.startswith("cut/page, ") and figure.unit == "us"]
    kinds = dict.fromkeys(figure.name for figure in pages)
    wanted = next((name for name in kinds if name.endswith(", text cut")), next(iter(kinds), ""))
    names = {cut.CUT: f"{SCYTHE}, learned site, cut", cut.TREE: f"{SCYTHE}, any page, read"}
    shown = {figure.who: figure.value for figure in pages if figure.name == wanted}
    shown.pop("Site.extract, via tree", None)
    yield Group("A whole page with its text", _time_bars({names.get(who, who): time for who, time in shown.items()}))
    task = f"cut/{cut.TASKS[0][0]}"
    values = {figure.who: figure.value for figure in figures if figure.name == task and figure.unit == "us"}
    named = {f"{SCYTHE}, cut" if who == SCYTHE else f"{who}, parse and find": time for who, time in values.items()}
    yield Group("One value of a page: a title, a price", _time_bars(named))


def _time_bars(times: dict[str, float]) -> tuple[Bar, ...]:
    ordered = sorted(times.items(), key=lambda pair: pair[1])
    return tuple(
        Bar(name, us, _time(us), _OURS if name.startswith(SCYTHE) else "f7", name.startswith(SCYTHE))
        for name, us in ordered
    )


def _time(us: float) -> str:
    return few(us / 1e3, "ms") if us >= 999.5 else few(us, "us")


def _draw_visits(section: Section) -> str:
    values = {figure.name: figure.value for figure in section.figures}
    curves = []
    for policy in schedule.POLICIES:
        visits, delay = values.get(f"schedule/{policy}/visits a day"), values.get(f"schedule/{policy}/p95 delay")
        if visits is not None and delay is not None:
            missed = values[f"schedule/{policy}/missed"] / 100
            curves.append(Curve(policy, (Point(visits, delay, missed),), 0))
    title = "Planning visits: what they cost, how late they are, what they miss"
    return frontier_svg(
        curves, title=title, subtitle="Means over recorded lists. Lower and further left is better.", measure="p95"
    )


def _head(title: str, said: str) -> list[str]:
    return [words("ink name", 24, 34, shorten(title, 78)), words("soft", 24, 57, shorten(said, 130))]


def _legend(kinds: dict[str, str]) -> Iterator[str]:
    at = _LEFT
    for name, kind in kinds.items():
        yield box(kind, at, 72, 12, 12, round_by=2)
        yield words("ink strong" if name == SCYTHE else "ink", at + 18, 82, name)
        at += 44 + wide_of(name)


def _grid(x: Scale, tick: Tick, top: float, bottom: float) -> list[str]:
    at = x.place(tick.at)
    return [line("grid", at, top, at, bottom), words("soft small", at, bottom + 18, tick.name, anchor="middle")]


def _bar(bar: Bar, x: Scale, top: float, high: float, *, small: bool = False) -> list[str]:
    end, size = x.place(bar.value), " small" if small else ""
    wide, said = max(end - x.start, 1.0), f"{bar.name}: {bar.written}"
    return [
        box(bar.kind, x.start, top + 0.5, wide, high - 1, tooltip=said, round_by=2),
        words(("ink strong" if bar.is_ours else "soft") + size, end + 6, top + high / 2 + 4, bar.written),
    ]


def _describe(groups: Sequence[Group]) -> str:
    told = (f"{group.name}: {', '.join(f'{bar.name} {bar.written}' for bar in group.bars)}." for group in groups)
    return " ".join(told)
