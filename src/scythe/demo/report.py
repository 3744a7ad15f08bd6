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
    environment.globals |= {"pages": pages, "stamp": stamp, "why_words": why_words, "shown": SHOWN, "speed": SPEED}
    return environment.get_template("report.html").render(
        it=results,
        style=(files("scythe.demo") / "report.css").read_text(encoding="utf-8"),
        hows=_HOW,
        promises=judge_promises(results),
        both=total(results.laps),
        again=total(results.laps_after),
        strip=draw_strip(results.steps),
        shares=draw_shares(results.steps),
        redesign=list(describe_redesign(results.redesign)) if results.redesign is not None else [],
        watch_chart=draw_watch(results.watched) if results.watched is not None else "",
        watch_lines=[
            re.sub("`(.*?)`", r"<code>\1</code>", escape(said))
            for said in (describe_watch(results.watched) if results.watched is not None else ())
        ],
    )


_ACROSS = 40  # boxes in a line of a strip
_SIZE = 16
_HEIGHTS = {"cut": 16, "mixed": 12, "tree": 8, "cold": 4}  # told apart without colours too


def draw_strip(steps: Sequence[Step]) -> str:
    """Draw a box for each page, the taller the less of a tree it took, forty in a line; a line before the redesign."""
    high, kinds, mark_at = _SIZE + 8, [step.how for step in steps], _redesigned(steps)
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
    changed = _redesigned(steps)
    marks = "" if changed is None else _upright("mark", _WIDE * changed / last)
    grid = "".join(line("grid", 0, _HIGH * part, _WIDE, _HIGH * part) for part in (0, 0.5, 1))
    said = f"between {min(means):.0%} and {max(means):.0%}" if means else "nothing"
    if changed is not None:
        said += f", {min(means[changed:]):.0%} at the least after the redesign and {means[-1]:.0%} at the end"
    labels = [(0.0, "page 1"), (1.0, f"{len(steps)}")]
    labels += [] if changed is None else [(changed / last, f"{changed}: redesign")]
    shown = path("line", f"M{points}") if points else ""
    return _figure("Share of the fields that were cut, of the last ten pages", said, grid + shown + marks, labels)


def _redesigned(steps: Sequence[Step]) -> int | None:
    """Return the place of the first page in the new design."""
    return next((at for at, step in enumerate(steps) if step.design == 1), None)


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
