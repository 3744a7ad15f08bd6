"""Plots: what they show, that they are whole and safe wherever they are shown, and that they stay small."""

import math
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
from bench.pareto_plot import Curve, Point, frontier_svg, place_labels, tick_durations, tick_logs
from hypothesis import example, given
from hypothesis import strategies as st

from scythe.schedule.plots import CountedSpan, History, VisitRow, list_svg
from scythe.schedule.svg import (
    Scale,
    has_fonts,
    name_duration,
    tick_counts,
    tick_times,
    to_png,
)
from scythe.watch_model import DAY_S, HOUR_S

SVG = "{http://www.w3.org/2000/svg}"
MONDAY = 1_794_787_200.0  # 2026-11-16 0:00 UTC


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parse(svg).iter(f"{SVG}text")]


def bars(svg: str, kind: str) -> list[ElementTree.Element]:
    return [
        one for one in parse(svg).iter(f"{SVG}rect") if one.get("class") == kind and one.find(f"{SVG}title") is not None
    ]


def test_every_hour_with_arrivals_has_a_bar_that_says_how_many() -> None:
    arrivals = [MONDAY + 60, MONDAY + 120, MONDAY + 5 * HOUR_S]
    svg = list_svg(History("news", [VisitRow("visits", [MONDAY + 6 * HOUR_S])], arrivals=arrivals))
    said = [bar.findtext(f"{SVG}title") for bar in bars(svg, "came")]
    assert said == ["Mon 16 Nov 2026 00:00, 1 h: 2 records", "Mon 16 Nov 2026 05:00, 1 h: 1 records"]
    first, second = (float(bar.get("height") or 0) for bar in bars(svg, "came"))
    assert first == pytest.approx(2 * second, rel=1e-3)


def test_lost_records_are_the_red_end_of_their_bar_and_a_mark_beside_the_visits() -> None:
    arrivals = [MONDAY + 60, MONDAY + 120, MONDAY + 180]
    svg = list_svg(History("news", [VisitRow("visits", [MONDAY + HOUR_S], lost=arrivals[:1])], arrivals=arrivals))
    (lost,), (seen,) = bars(svg, "lost"), bars(svg, "came")
    assert "1 of them missed" in (lost.findtext(f"{SVG}title") or "")
    assert float(seen.get("height") or 0) == pytest.approx(2 * float(lost.get("height") or 0), rel=1e-3)
    assert float(lost.get("y") or 0) < float(seen.get("y") or 0)
    assert "missed" in texts(svg)


def test_with_several_policies_each_has_its_lane_and_its_words() -> None:
    lanes = [VisitRow(name, [MONDAY + 2 * HOUR_S], note=f"{name} 2.5/day") for name in ("auto", "ses", "average")]
    svg = list_svg(History("news", lanes, arrivals=[MONDAY, MONDAY + 9 * HOUR_S]))
    assert {"auto", "ses", "average", "ses 2.5/day"} <= set(texts(svg))
    assert svg.count('class="visit"') == len(lanes) + 1  # and one in the legend


def test_what_came_between_two_visits_is_spread_over_the_time_between() -> None:
    spans = [CountedSpan(MONDAY, MONDAY + 4 * HOUR_S, 8), CountedSpan(MONDAY + 10 * HOUR_S, MONDAY + 10 * HOUR_S, 3)]
    svg = list_svg(History("news", [VisitRow("visits", [MONDAY])], spans=spans, end=MONDAY + DAY_S))
    said = [bar.findtext(f"{SVG}title") or "" for bar in bars(svg, "came")]
    assert [one.rpartition(": ")[2] for one in said] == ["2 records"] * 4 + ["3 records"]


def test_a_span_that_begins_before_the_plot_shows_only_its_share() -> None:
    spans = [CountedSpan(MONDAY - 6 * HOUR_S, MONDAY + 6 * HOUR_S, 12)]
    svg = list_svg(History("news", [], spans=spans, start=MONDAY, end=MONDAY + DAY_S))
    assert len(bars(svg, "came")) == 6
    assert "6 records came" in svg


def test_the_next_visit_lies_in_the_part_that_has_not_happened_yet() -> None:
    lane = VisitRow("visits", [MONDAY], planned=[MONDAY + 7 * HOUR_S])
    svg = list_svg(History("news", [lane], forecast=[(MONDAY + 6 * HOUR_S, 2.0)], now=MONDAY + 5 * HOUR_S))
    assert {"from now on", "next visit", "forecast"} <= set(texts(svg))
    assert "Next visit Mon 16 Nov 2026 07:00." in (parse(svg).findtext(f"{SVG}desc") or "")


def test_a_hundred_thousand_arrivals_make_a_small_drawing() -> None:
    arrivals = [MONDAY + 311 * number for number in range(100_000)]
    lanes = [VisitRow(name, arrivals[::3], lost=arrivals[::50]) for name in ("auto", "ses")]
    forecast = [(MONDAY + HOUR_S * number, 11.0) for number in range(8_640)]
    svg = list_svg(History("news", lanes, arrivals=arrivals, forecast=forecast))
    assert len(list(parse(svg).iter())) < 1_000
    assert len(svg) < 120_000
    assert "100000 records came" in svg


@pytest.mark.parametrize(
    "bad", ["<script>alert(1)</script>", "a & b", '"quoted"', "nul \x00 and \x1b[31m", "\ud800", "\ufffe"]
)
def test_names_of_sites_stay_text(bad: str) -> None:
    lane = VisitRow(bad, [MONDAY], note=bad)
    for svg in (
        list_svg(History(bad, [lane], subtitle=bad, arrivals=[MONDAY])),
        frontier_svg([Curve(bad, (Point(1, 2), Point(2, 1)))], title=bad, subtitle=bad, measure=bad),
    ):
        assert "<script" not in svg
        kinds = {element.tag.removeprefix(SVG) for element in parse(svg).iter()}
        assert kinds <= {"svg", "title", "desc", "style", "rect", "text", "path", "circle", "g"}
        svg.encode()


@pytest.mark.parametrize(
    "svg", [list_svg(History("a", [])), frontier_svg([]), frontier_svg([Curve("a", (Point(1, 1),))])]
)
def test_a_drawing_says_what_it_is_follows_dark_and_refers_to_nothing(svg: str) -> None:
    root = parse(svg)
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    assert "@media (prefers-color-scheme:dark)" in svg
    assert not re.search(r"href|url\(|@import|\bid=|\bon[a-z]+=", svg)
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]


def _times() -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), max_size=8)


@given(_times(), _times(), _times(), st.lists(st.tuples(st.floats(), st.floats()), max_size=5))
@example([], [], [], [(0.0, 5e304)])  # summed, and scaled to a bar, it was infinite
@example([0.0], [], [], [(0.0, 1e308), (60.0, 1e308)])
@example([], [0.0, 253_370_764_800.0, 1e308], [], [(0.0, 5e-324)])
def test_any_times_become_a_drawing(
    arrivals: list[float], visits: list[float], lost: list[float], forecast: list[tuple[float, float]]
) -> None:
    svg = list_svg(History("any", [VisitRow("a", visits, lost, visits)], arrivals=arrivals, forecast=forecast))
    assert parse(svg).tag == f"{SVG}svg"
    assert not re.search(r'="[^"]*(nan|inf)', svg)


@given(st.lists(st.lists(st.tuples(st.floats(), st.floats(), st.floats(0, 1)), max_size=4), max_size=10))
def test_any_points_become_a_frontier(curves: list[list[tuple[float, float, float]]]) -> None:
    made = [Curve(str(i), tuple(Point(*one) for one in points), default=1) for i, points in enumerate(curves)]
    svg = frontier_svg(made)
    assert parse(svg).tag == f"{SVG}svg"
    assert not re.search(r'="[^"]*(nan|inf)', svg)


def test_the_frontier_marks_defaults_and_what_misses_too_much() -> None:
    auto = Curve("auto", (Point(2.2, 5, 0.003), Point(9, 1, 0.001)), default=0)
    ses = Curve("ses", (Point(2.0, 7, 0.27),), default=0)
    svg = frontier_svg([auto, ses], measure="p95")
    circles = Counter((one.get("class"), one.get("r")) for one in parse(svg).iter(f"{SVG}circle"))
    assert circles["none s0", "8"] == circles["none s1", "8"] == 2  # among the delays and among the losses
    assert circles["f0 s0", "4"] == 5  # two points in both, and the legend
    assert circles["paper s1", "4"] == 3
    assert {"0.30 %", "27.0 %", "p95 delay until a record is seen"} <= set(texts(svg))


def test_the_default_policy_is_drawn_boldest_wherever_it_comes() -> None:
    svg = frontier_svg([Curve("fixed", (Point(24, 0.5), Point(12, 1))), Curve("auto", (Point(2, 5), Point(9, 1)))])
    bold = [one for one in parse(svg).iter(f"{SVG}path") if one.get("stroke-width") == "2.75"]
    assert {one.findtext(f"{SVG}title") for one in bold} == {"auto"}


def test_curves_beyond_the_eighth_are_counted() -> None:
    svg = frontier_svg([Curve(f"policy {number}", (Point(2 + number, 3),)) for number in range(10)])
    assert "and 2 more that are not drawn" in texts(svg)
    assert "policy 8" not in svg


def test_names_of_points_side_by_side_do_not_touch() -> None:
    named = [(f"policy-{number}", 300.0 + 12 * number, 200.0 + 3 * number) for number in range(8)]
    labels = place_labels(named, [(x, y) for _, x, y in named], (80, 90, 650, 500))
    assert not any(one.meets(other) for i, one in enumerate(labels) for other in labels[:i])
    assert all(label.x >= 80 and label.x + label.wide <= 650 for label in labels)


@pytest.mark.parametrize(
    ("length_s", "first", "second"),
    [
        (10 * HOUR_S, ("00:00", "Mon 16 Nov"), ("01:00", "")),
        (3 * DAY_S, ("00:00", "Mon 16 Nov"), ("06:00", "")),
        (12 * DAY_S, ("16 Nov", "2026"), ("17 Nov", "")),
        (60 * DAY_S, ("16 Nov", "2026"), ("23 Nov", "")),
        (300 * DAY_S, ("Dec", "2026"), ("Jan", "2027")),
        (2000 * DAY_S, ("Jan", "2027"), ("Jul", "")),
        (20_000 * DAY_S, ("2030", ""), ("2035", "")),
    ],
)
def test_a_time_axis_names_hours_days_weeks_months_or_years(
    length_s: float, first: tuple[str, str], second: tuple[str, str]
) -> None:
    ticks = tick_times(MONDAY, MONDAY + length_s, most=14)
    assert [(tick.name, tick.below) for tick in ticks[:2]] == [first, second]
    assert len(ticks) <= 15


@given(st.integers(0, 10**11), st.integers(3_600, 10**11))
def test_a_time_axis_has_some_ticks_and_never_many(start: int, length_s: int) -> None:
    ticks = tick_times(start, start + length_s, most=14)
    assert len(ticks) <= 16
    assert all(start <= tick.at <= start + length_s for tick in ticks)


@given(st.floats(0, 1e12))
def test_a_count_axis_reaches_its_largest_number(most: float) -> None:
    ticks = tick_counts(most)
    assert ticks[0].at == 0
    assert ticks[-1].at >= most * (1 - 1e-9)
    assert 2 <= len(ticks) <= 7


def test_logarithmic_axes_are_named_by_round_numbers() -> None:
    assert [tick.name for tick in tick_logs(1, 100)] == ["1", "2", "5", "10", "20", "50", "100"]
    assert [tick.name for tick in tick_logs(1e-3, 1e3)] == ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
    assert [tick.name for tick in tick_durations(600, DAY_S)] == "10 min|20 min|30 min|1 h|3 h|6 h|12 h|1 d".split("|")
    assert Scale(1, 100, 0, 200, is_log=True).place(10) == pytest.approx(100)


def test_durations_are_written_in_their_largest_unit() -> None:
    assert [name_duration(s) for s in (40, 90, 5_400, 129_600)] == ["40 s", "1.5 min", "1.5 h", "1.5 d"]
    assert name_duration(123 * DAY_S, 2) == "120 d"


@pytest.mark.skipif(not has_fonts(), reason="this machine has no fonts: apt-get install fonts-dejavu-core")
def test_an_image_has_its_words() -> None:
    svg = list_svg(History("A title", [VisitRow("visits", [MONDAY])], arrivals=[MONDAY]))
    image = to_png(svg)
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(image[16:20], "big"), int.from_bytes(image[20:24], "big")) == (1920, 816)
    without = to_png(re.sub(r"<text .*?</text>", "", svg))
    assert len(image) > len(without) + 2_000
    assert math.isclose(len(to_png(svg, zoom=1)), len(image) / 2, rel_tol=0.6)


def test_an_image_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from scythe.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtra, match=r"webscythe\[plot\]"):
        to_png("<svg/>")


def test_a_machine_without_fonts_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from scythe.errors import MissingExtra
    from scythe.schedule import svg as raster

    monkeypatch.setattr(raster, "has_fonts", lambda: False)
    with pytest.raises(MissingExtra, match="no fonts"):
        to_png("<svg/>")
