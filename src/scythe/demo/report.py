"""Write the HTML report of the demo, with tables and inline SVG charts.

Page content is escaped; a policy in the head forbids scripts and external resources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from statistics import fmean

from jinja2 import Environment, PackageLoader, StrictUndefined

from scythe.demo.crawl_results import Results, total
from scythe.demo.crawl_steps import WINDOW, Step
from scythe.demo.live_list import SHOWN
from scythe.demo.watched_list import BEGIN, SPEED, Watched
from scythe.demo.wording import describe_redesign, describe_watch, judge_promises, pages, stamp, why_words
from scythe.schedule.svg import box, line, path
from scythe.watch_model import DAY_S

_WIDE, _HIGH = 1_000, 200
_TOP, _BOTTOM = 30, 170  # lanes of what was published and what was seen
_LABELS = 8  # below a drawing
_FREE = 0.2  # of its width: for the first label, on a telephone
_HOW = {"cold": "read to learn from", "cut": "cut", "mixed": "partly by the tree", "tree": "by the tree"}


def write_report(results: Results) -> str:
    """Write the page. The template escapes everything but drawings and sentences that were escaped here."""
    environment = Environment(
        loader=PackageLoader("scythe.demo", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"draw_bar": draw_bar, "pages": pages}
    style = (files("scythe.demo") / "report.css").read_text(encoding="utf-8")
    values = _values(results) | _speed(results)
    values |= _watch(results.watched) if results.watched else {}
    return environment.get_template("report.html").render(values, it=results, style=style)


def _values(results: Results) -> dict[str, object]:
    kinds = [step.how for step in results.steps]
    mark = next((at for at, step in enumerate(results.steps) if step.design == 1), None)
    scored = [(row.kind, row.f1) for row in results.kinds if row.f1 is not None]
    fields = results.fields
    return {
        "promises": judge_promises(results),
        "tiles": _tiles(results),
        "strip": draw_strip(kinds, mark),
        "step_keys": [*_HOW.items(), *([("mark", "the site's redesign")] if mark is not None else [])],
        "shares": draw_shares(results.steps),
        "redesign": list(describe_redesign(results.redesign)) if results.redesign is not None else [],
        "found_bars": [(kind, (("cut", f1), ("rest", 1 - f1)), f"F1 {f1:.3f}") for kind, f1 in scored],
        "found_rows": [
            (
                row.kind,
                _of(row.found, row.pages),
                _of(row.titles, row.found),
                "" if row.f1 is None else f"{row.f1:.3f}",
                _of(*row.images),
                _of(*row.records),
            )
            for row in results.kinds
        ],
        "field_bars": [
            (row.name, (("cut", row.cut), ("tree", row.tree), ("rest", row.missing)), f"{row.cut} cut, {row.tree} tree")
            for row in fields
        ],
        "field_rows": [(row.name, row.cut, row.tree, row.missing) for row in fields],
        "most_fields": max((row.cut + row.tree + row.missing for row in fields), default=1) or 1,
    }


def _tiles(results: Results) -> list[tuple[str, str]]:
    tiles = [(f"{results.found}", f"of {results.pages} pages found")]
    if results.f1 is not None:
        tiles.append((f"{results.f1:.3f}", "F1 of their text"))
    if results.laps:
        tiles.append((f"{total(results.laps).times:.1f} ×", "as fast, cut, as by the tree"))
    if results.redesign is not None and results.redesign.healed is not None:
        tiles.append((f"{results.redesign.healed}", "pages until a redesign was healed"))
    if results.watched is not None:
        tiles.append((f"{len(results.watched.seen)}", f"of {len(results.watched.published)} new records seen"))
    return [*tiles, (f"{results.seconds:.0f} s", f"in all, {results.requests} requests")]


def _of(found: int, wanted: int) -> str:
    return f"{found} of {wanted}" if wanted else "–"


def _speed(results: Results) -> dict[str, object]:
    laps = sorted(results.laps, key=lambda lap: -lap.pages)
    return {
        "both": total(results.laps),
        "again": total(results.laps_after),
        "lap_bars": [(lap.kind, (("cut", lap.times),), f"{lap.times:.1f} ×") for lap in laps],
        "lap_rows": [
            (lap.kind, lap.pages, f"{lap.tree_us:.0f} µs", f"{lap.cut_us:.0f} µs", f"{lap.times:.1f} ×") for lap in laps
        ],
    }


def _watch(watched: Watched) -> dict[str, object]:
    keys = [("tree", "published"), ("cut", "seen"), ("visit", "a visit")]
    return {
        "shown": SHOWN,
        "speed": SPEED,
        "watch_chart": draw_watch(watched),
        "watch_keys": keys + ([("mark", "the list's redesign")] if watched.redesigned_at is not None else []),
        "watch_lines": [re.sub("`(.*?)`", r"<code>\1</code>", escape(said)) for said in describe_watch(watched)],
        "visit_rows": [
            (
                stamp(visit.at),
                visit.new,
                visit.requests,
                "–" if visit.next_at is None else stamp(visit.next_at),
                f"{visit.expected:.0f}",
                why_words(visit),
            )
            for visit in watched.visits
        ],
    }


def draw_bar(parts: Iterable[tuple[str, float]], most: float) -> str:
    """Draw a bar of parts, each with a class and a length; one of the length `most` fills its line."""
    at, boxes = 0.0, []
    for kind, length in parts:
        wide = 100 * length / most if most else 0.0
        boxes.append(box(kind, at, 0, wide, 10))
        at += wide
    return f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{"".join(boxes)}</svg>'


_ACROSS = 40  # boxes in a line of a strip
_SIZE = 16
_HEIGHTS = {"cut": 16, "mixed": 12, "tree": 8, "cold": 4}  # told apart without colours too


def draw_strip(kinds: Sequence[str], mark_at: int | None) -> str:
    """Draw a box for each page, the taller the less of a tree it took, forty in a line; a line before `mark_at`."""
    high = _SIZE + 8
    boxes = []
    for number, kind in enumerate(kinds):
        x, y = number % _ACROSS * _SIZE, number // _ACROSS * high
        tall = _HEIGHTS[kind]
        boxes.append(box(kind, x + 1, y + 20 - tall, _SIZE - 2, tall, round_by=2))
        if number == mark_at:
            boxes.append(box("mark", x - 1.5, y, 3, high))
    rows = -(-len(kinds) // _ACROSS)
    counts = ", ".join(f"{kinds.count(kind)} {what}" for kind, what in _HOW.items() if kind in kinds)
    return (
        f'<svg class=strip viewBox="-2 0 {_ACROSS * _SIZE + 2} {rows * high}" role="img" '
        f'aria-label="How the pages were extracted, in the order of the crawl: {counts}">{"".join(boxes)}</svg>'
    )


def draw_shares(steps: Sequence[Step]) -> str:
    """Draw how much of the last ten pages was cut, page by page; a line where the design changed."""
    shares = [step.share for step in steps]
    means = [fmean(shares[max(0, at - WINDOW + 1) : at + 1]) for at in range(len(shares))]
    last = max(len(steps) - 1, 1)
    points = "L".join(f"{_WIDE * at / last:.1f} {_HIGH * (1 - mean):.1f}" for at, mean in enumerate(means))
    changed = next((at for at, step in enumerate(steps) if step.design == 1), None)
    marks = "" if changed is None else _upright("mark", _WIDE * changed / last)
    grid = "".join(line("grid", 0, _HIGH * part, _WIDE, _HIGH * part) for part in (0, 0.5, 1))
    said = f"between {min(means):.0%} and {max(means):.0%}" if means else "nothing"
    if changed is not None:
        said += f", {min(means[changed:]):.0%} at the least after the redesign and {means[-1]:.0%} at the end"
    labels = [(0.0, "page 1"), (1.0, f"{len(steps)}")]
    labels += [] if changed is None else [(changed / last, f"{changed}: redesign")]
    shown = path("line", f"M{points}") if points else ""
    return _figure("Share of the fields that were cut, of the last ten pages", said, grid + shown + marks, labels)


def draw_watch(watched: Watched) -> str:
    """Draw when each record was published and when it was seen, with the visits."""
    long_s = max(watched.end - BEGIN, 1.0)

    def across(at: float) -> float:
        return _WIDE * min(max((at - BEGIN) / long_s, 0.0), 1.0)

    visits = "".join(_upright("visit", across(visit.at.timestamp())) for visit in watched.visits)
    ways = "".join(line("way", across(published), _TOP, across(seen), _BOTTOM) for published, seen in watched.seen)
    dots = "".join(_dot("tree", across(at), _TOP) for at in watched.published)
    dots += "".join(_dot("cut", across(seen), _BOTTOM) for _, seen in watched.seen)
    redesign = "" if watched.redesigned_at is None else _upright("mark", across(watched.redesigned_at))
    said = (
        f"{len(watched.published)} records published from {stamp(BEGIN)} to {stamp(watched.end)}, "
        f"{len(watched.visits)} visits, {len(watched.seen)} records seen"
    )
    days = range(int(BEGIN // DAY_S) + 1, int(watched.end // DAY_S) + 1)
    every = max(1, -(-len(days) // _LABELS))
    places = [(across(day * DAY_S) / _WIDE, stamp(day * DAY_S).partition(" ")[0]) for day in days[::every]]
    labels = [(0.0, stamp(BEGIN)), *(label for label in places if label[0] > _FREE)]
    return _figure(
        "Records from when they were published to when they were seen", said, visits + ways + redesign + dots, labels
    )


def _upright(kind: str, x: float) -> str:
    return line(kind, x, 0, x, _HIGH)


def _dot(kind: str, x: float, y: float) -> str:
    # A line without length and with round ends is a dot that stays round in a drawing that is stretched.
    return path(f"dot {kind}", f"M{x:.1f} {y}h0")


def _figure(title: str, said: str, inside: str, labels: Iterable[tuple[float, str]]) -> str:
    """Put a drawing and the words of its axis together; labels have their place, 0 is left and 1 is right."""
    axis = "".join(_label(place, text) for place, text in labels)
    return (
        f'<div class=chart><svg viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(title)}: {escape(said)}">{inside}</svg>'
        f"<p class=axis aria-hidden=true>{axis}</p></div>"
    )


def _label(place: float, text: str) -> str:
    side = "start" if place < 0.1 else "end" if place > 0.9 else "middle"
    return f'<span class="{side}" style="left:{100 * place:.1f}%">{escape(text)}</span>'
