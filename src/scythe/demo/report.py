"""Write the HTML report of the demo, with tables and inline SVG charts.

Page content is escaped; a policy in the head forbids scripts and external resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from statistics import fmean

from scythe.demo.crawl_results import CornerRow, Lap, Results, SamplePages, total
from scythe.demo.crawl_steps import WINDOW, Step
from scythe.demo.growing import SHOWN, Watched
from scythe.demo.wording import (
    corner_ending,
    describe_redesign,
    describe_watch,
    judge_promises,
    pages,
    stamp,
    why_words,
)
from scythe.schedule.svg import box, line, path
from scythe.watch_model import DAY_S

_WIDE, _HIGH = 1_000, 200
_TOP, _BOTTOM = 30, 170  # lanes of what was published and what was seen
_LABELS = 8  # below a drawing
_FREE = 0.2  # of its width: for the first label, on a telephone


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
    long_s = max(watched.end - watched.begin, 1.0)

    def across(at: float) -> float:
        return _WIDE * min(max((at - watched.begin) / long_s, 0.0), 1.0)

    visits = "".join(_upright("visit", across(look.at)) for look in watched.looks)
    ways = "".join(line("way", across(each.published), _TOP, across(each.seen), _BOTTOM) for each in watched.sightings)
    dots = "".join(_dot("tree", across(at), _TOP) for at in watched.published)
    dots += "".join(_dot("cut", across(each.seen), _BOTTOM) for each in watched.sightings)
    redesign = "" if watched.redesigned_at is None else _upright("mark", across(watched.redesigned_at))
    said = (
        f"{len(watched.published)} records published from {stamp(watched.begin)} to {stamp(watched.end)}, "
        f"{len(watched.looks)} visits, {len(watched.sightings)} records seen"
    )
    days = range(int(watched.begin // DAY_S) + 1, int(watched.end // DAY_S) + 1)
    every = max(1, -(-len(days) // _LABELS))
    places = [(across(day * DAY_S) / _WIDE, stamp(day * DAY_S).partition(" ")[0]) for day in days[::every]]
    labels = [(0.0, stamp(watched.begin)), *(label for label in places if label[0] > _FREE)]
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


_ACROSS = 40  # boxes in a line of a strip
_SIZE = 16
_HEIGHTS = {"cut": 16, "mixed": 12, "tree": 8, "cold": 4}  # told apart without colours too


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with what is written before and behind it."""

    name: str
    parts: tuple[tuple[str, float], ...]  # classes and lengths
    words: str


def draw_bars(title: str, bars: Sequence[Bar], *, most: float, thick: bool = False) -> str:
    """Draw bars below each other; one of the length `most` fills its line."""
    lines = []
    for bar in bars:
        at, boxes = 0.0, []
        for kind, length in bar.parts:
            wide = 100 * length / most if most else 0.0
            boxes.append(box(kind, at, 0, wide, 10))
            at += wide
        drawn = f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{"".join(boxes)}</svg>'
        lines.append(f"<li><span>{escape(bar.name)}</span>{drawn}<span>{escape(bar.words)}</span></li>")
    kind = "bars thick" if thick else "bars"
    return f'<ul class="{kind}" aria-label="{escape(title)}">{"".join(lines)}</ul>'


def draw_strip(title: str, said: str, kinds: Sequence[str], mark_at: int | None) -> str:
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
    named = f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"
    return (
        f'<svg class=strip viewBox="-2 0 {_ACROSS * _SIZE + 2} {rows * high}" role="img" '
        f'aria-label="{escape(title)}: {escape(said)}">{named}{"".join(boxes)}</svg>'
    )


def section(name: str, title: str, inside: str) -> str:
    """Write a part of the page with its heading."""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>\n{inside}\n</section>'


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = ()) -> str:
    """Write a table; cells are markup already, the first of a row names it."""
    right = set(numbers)
    top = "".join(
        f'<th scope="col"{" class=n" if i in right else ""}>{escape(name)}</th>' for i, name in enumerate(head)
    )
    lines = []
    for row in rows:
        cells = [f'<th scope="row">{row[0]}</th>']
        cells += [f"<td{' class=n' if i in right else ''}>{cell}</td>" for i, cell in enumerate(row[1:], start=1)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class=wide tabindex=0 role=region aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def legend(keys: Iterable[tuple[str, str]]) -> str:
    """Write what colours mean: classes with words."""
    return (
        "<ul class=legend>"
        + "".join(f'<li><span class="key {kind}"></span>{what}</li>' for kind, what in keys)
        + "</ul>"
    )


def spell(said: str) -> str:
    """Write a sentence; what stands between backticks is code."""
    parts = escape(said).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


def verdict(is_good: bool) -> str:
    """Write a mark that can be told without colours, and heard."""
    return "<span class=good>✓</span>" if is_good else "<span class=bad>✗ not as it should:</span>"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_HOW = {"cold": "read to learn from", "cut": "cut", "mixed": "partly by the tree", "tree": "by the tree"}


def write_report(results: Results) -> str:
    """Write the page."""
    style = (files("scythe.demo") / "report.css").read_text(encoding="utf-8")
    parts = [
        section("steps", "Page by page", _steps(results)),
        section("speed", "How fast", _speed(results)) if results.laps else "",
        section("watch", "A list that grows", _watch(results.watched)) if results.watched else "",
        section("promises", "What was promised", _promises(results)),
        section("found", "What was found", _found(results)),
        section("fields", "Cut or by the tree", _fields(results)),
        section("corners", "Odd corners", _corners(results.corners)) if results.corners else "",
        section("samples", "What it looks like", _samples(results)),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<title>scythe demo: a crawl of The Field Post</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n{_header(results)}\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n<footer><p>Written by <code>scythe demo</code>. The site is invented; the numbers are this "
        "machine's.</p></footer>\n</body>\n</html>\n"
    )


def _header(results: Results) -> str:
    shown = "".join(f"<li><strong>{escape(big)}</strong> {escape(small)}</li>" for big, small in _tiles(results))
    return (
        "<header><p class=kicker>scythe demo</p><h1>A crawl of The Field Post</h1>"
        f"<p>A site of invented pages, served at <code>{escape(results.url)}</code> while this ran, crawled with the "
        "real engine: the first pages were read by the tree, the site was learned, the others were cut out of their "
        "bytes. Its right content is known, so everything found could be compared.</p>"
        f"<p>{_verdict(results)}</p><ul class=tiles>{shown}</ul></header>"
    )


def _verdict(results: Results) -> str:
    promises = judge_promises(results)
    broken = "; ".join(f"{promise.says} ({promise.came})" for promise in promises if not promise.is_kept)
    if broken:
        return f"{verdict(False)} {escape(broken)}"
    return f"{verdict(True)} All {len(promises)} things that it promises held."


def _tiles(results: Results) -> list[tuple[str, str]]:
    tiles = [(f"{results.found}", f"of {results.pages} pages found")]
    if results.f1 is not None:
        tiles.append((f"{results.f1:.3f}", "F1 of their text"))
    if results.laps:
        tiles.append((f"{total(results.laps).times:.1f} ×", "as fast, cut, as by the tree"))
    if results.redesign is not None and results.redesign.healed is not None:
        tiles.append((f"{results.redesign.healed}", "pages until a redesign was healed"))
    if results.watched is not None:
        seen = len(results.watched.sightings)
        tiles.append((f"{seen}", f"of {len(results.watched.published)} new records seen, each once"))
    return [*tiles, (f"{results.seconds:.0f} s", f"in all, {results.requests} requests")]


def _promises(results: Results) -> str:
    rows = [
        (escape(promise.says), f"{verdict(promise.is_kept)} {escape(promise.came)}")
        for promise in judge_promises(results)
    ]
    return table("What the demo promises", ("promise", "what came of it"), rows)


def _found(results: Results) -> str:
    rows = [
        (
            escape(row.kind),
            _of(row.found, row.pages),
            _of(row.titles, row.found),
            "" if row.f1 is None else f"{row.f1:.3f}",
            _of(*row.images),
            _of(*row.records),
        )
        for row in results.kinds
    ]
    bars = [
        Bar(row.kind, (("cut", row.f1), ("rest", 1 - row.f1)), f"F1 {row.f1:.3f}")
        for row in results.kinds
        if row.f1 is not None
    ]
    head = ("kind of page", "pages", "titles", "F1 of the text", "pictures", "list entries")
    return draw_bars("F1 of the text by kind of page", bars, most=1.0) + table(
        "What was found, by kind of page", head, rows, numbers=range(1, 6)
    )


def _of(found: int, wanted: int) -> str:
    return f"{found} of {wanted}" if wanted else "–"


def _steps(results: Results) -> str:
    kinds = [step.how for step in results.steps]
    mark = next((at for at, step in enumerate(results.steps) if step.design == 1), None)
    said = ", ".join(f"{kinds.count(kind)} {what}" for kind, what in _HOW.items() if kind in kinds)
    keys = [*_HOW.items(), *([("mark", "the site's redesign")] if mark is not None else [])]
    learned, told = "", ""
    if results.learned is not None:
        learned = (
            f" After {pages(results.learned.after)} the site was learned: {results.learned.layouts} layouts with rules "
            f"for {escape(', '.join(results.learned.fields))}."
        )
    if results.redesign is not None:
        first, second, *more = describe_redesign(results.redesign)
        noted = "".join(f"<li>{escape(line.strip())}</li>" for line in more)
        told = (
            f"<p>{escape(first)} {escape(second)} Each kind of page heals by itself, which shows as further dips.</p>"
            + (f"<ul>{noted}</ul>" if noted else "")
        )
    return (
        f"<p>Each box is a page of the site, in the order of the crawl; the taller, the more was cut.{learned}</p>"
        + draw_strip("How the pages were extracted, in the order of the crawl", said, kinds, mark)
        + legend(keys)
        + "<p>Of their fields so much was cut, as a mean of ten pages (top: all, bottom: nothing):</p>"
        + draw_shares(results.steps)
        + told
    )


def _fields(results: Results) -> str:
    most = max((row.cut + row.tree + row.missing for row in results.fields), default=1) or 1
    bars = [
        Bar(row.name, (("cut", row.cut), ("tree", row.tree), ("rest", row.missing)), f"{row.cut} cut, {row.tree} tree")
        for row in results.fields
    ]
    rows = [(escape(row.name), str(row.cut), str(row.tree), str(row.missing)) for row in results.fields]
    return (
        "<p>Pages after the site was learned. What cannot be cut for certain is asked of the tree, field by field.</p>"
        + draw_bars("How fields were got", bars, most=most)
        + table("Pages by how a field was got", ("field", "cut", "by the tree", "not there"), rows, numbers=(1, 2, 3))
    )


def _speed(results: Results) -> str:
    both = total(results.laps)
    again = total(results.laps_after)
    later = (
        f" Of {pages(again.pages)} after the redesign was healed it is {again.times:.1f} times."
        if results.laps_after
        else ""
    )
    rows = [
        (escape(lap.kind), str(lap.pages), _us(lap.tree_s, lap), _us(lap.cut_s, lap), f"{lap.times:.1f} ×")
        for lap in _by_pages(results.laps)
    ]
    head = ("kind of page", "pages", "by the tree", "cut", "as fast")
    return (
        f"<p>CPU time for the text of the same {both.pages} pages, and the records of lists; one core, best of three: "
        f"by what was learned <strong>{both.times:.1f} times as fast</strong> as by the tree.{later}</p>"
        + draw_bars("CPU time a page", _pair("all", both), most=both.tree_s / max(both.pages, 1), thick=True)
        + legend((("tree", "by the tree"), ("cut", "cut, by what was learned")))
        + "<p>How many times as fast, by kind of page (the line ends at the fastest):</p>"
        + draw_bars("Times as fast by kind of page", _times(results.laps), most=_most_times(results.laps))
        + table("CPU time a page, by kind", head, rows, numbers=range(1, 5))
    )


def _by_pages(laps: Sequence[Lap]) -> list[Lap]:
    return sorted(laps, key=lambda lap: -lap.pages)


def _us(seconds: float, lap: Lap) -> str:
    return f"{seconds / max(lap.pages, 1) * 1e6:.0f} µs"


def _pair(name: str, lap: Lap) -> list[Bar]:
    count = max(lap.pages, 1)
    return [
        Bar(f"{name}, tree", (("tree", lap.tree_s / count),), _us(lap.tree_s, lap)),
        Bar(f"{name}, cut", (("cut", lap.cut_s / count),), f"{_us(lap.cut_s, lap)} ({lap.times:.1f} ×)"),
    ]


def _times(laps: Sequence[Lap]) -> list[Bar]:
    return [Bar(lap.kind, (("cut", lap.times),), f"{lap.times:.1f} ×") for lap in _by_pages(laps)]


def _most_times(laps: Sequence[Lap]) -> float:
    return max(lap.times for lap in laps)


def _watch(watched: Watched) -> str:
    rows = [
        (
            stamp(look.at),
            str(look.new),
            str(look.requests),
            "–" if look.next_at is None else stamp(look.next_at),
            f"{look.expected:.0f}",
            escape(why_words(look)),
        )
        for look in watched.looks
    ]
    head = ("visit", "new records", "requests", "next planned for", "expected", "why then")
    keys = [("tree", "published"), ("cut", "seen"), ("visit", "a visit")]
    keys += [("mark", "the list's redesign")] if watched.redesigned_at is not None else []
    told = "".join(f"<p>{spell(line)}</p>" for line in describe_watch(watched))
    return (
        f"<p>A list that shows its newest {SHOWN} records was watched while it grew, by a clock that ran "
        f"{watched.speed:,.0f} times as fast as ours. Each line is a record, from when it was published (above) to "
        "when it was seen (below).</p>"
        + draw_watch(watched)
        + legend(keys)
        + told
        + table("Visits, and when the next one was planned", head, rows, numbers=(1, 2, 4))
    )


def _corners(corners: Sequence[CornerRow]) -> str:
    rows = [
        (escape(row.says), f"{verdict(row.is_good)} {escape(corner_ending(row))}", str(row.requests)) for row in corners
    ]
    head = ("what is there", "what the crawl made of it", "requests")
    return "<p>What servers do to crawlers, one corner for each kind.</p>" + table(
        "Odd corners of the site", head, rows, numbers=(2,)
    )


def _samples(results: Results) -> str:
    parts = []
    if results.article.title:
        text = "".join(f"<p>{escape(line)}</p>" for line in results.article.text.splitlines() if line.strip())
        source = escape(results.article.url)
        parts.append(f"<article><h3>{escape(results.article.title)}</h3>{text}<p class=source>{source}</p></article>")
    if results.listing.records:
        parts.append(_records(results.listing))
    return "\n".join(parts)


def _records(listing: SamplePages) -> str:
    rows = [[escape(text) for text in record] for record in listing.records]
    return table(f"First records of a list page: {listing.title}", listing.columns, rows)
