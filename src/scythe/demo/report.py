"""The report page of the demo: results come in, one HTML file that needs nothing else goes out.

Whatever came from pages is escaped; a policy in the head forbids scripts and anything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from scythe.demo.charts import Bar, draw_bars, draw_strip
from scythe.demo.race import total
from scythe.demo.results import CornerRow, Results, Sample
from scythe.demo.wording import corner_ending, describe_redesign

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_HOW = {"cold": "read to learn from", "cut": "cut", "mixed": "some by the tree", "tree": "by the tree"}


def write_report(results: Results) -> str:
    """Write the page."""
    style = (files("scythe.demo") / "report.css").read_text(encoding="utf-8")
    inside = [
        _header(results),
        _section("found", "What was found", _found(results)),
        _section("steps", "Page by page", _steps(results)),
        _section("fields", "Cut or by the tree", _fields(results)),
        _section("speed", "How fast", _speed(results)) if results.laps else "",
        _section("corners", "Odd corners", _corners(results.corners)) if results.corners else "",
        _section("samples", "What it looks like", _samples(results)),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<title>scythe demo: a crawl of The Field Post</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in inside if part)
        + "\n<footer><p>Written by <code>scythe demo</code>. The site is invented; the numbers are this machine's."
        "</p></footer>\n</body>\n</html>\n"
    )


def _header(results: Results) -> str:
    found = sum(row.found for row in results.kinds)
    scored = [row for row in results.kinds if row.f1 is not None]
    f1 = sum((row.f1 or 0) * row.found for row in scored) / max(1, sum(row.found for row in scored))
    images = [sum(row.images[i] for row in results.kinds) for i in (0, 1)]
    entries = [sum(row.records[i] for row in results.kinds) for i in (0, 1)]
    tiles = [
        (f"{found}", f"of {results.pages} pages"),
        (f"{f1:.3f}", "mean F1 of the text"),
        (f"{images[0]}", f"of {images[1]} pictures"),
        (f"{entries[0]}", f"of {entries[1]} list entries"),
        (f"{results.requests}", "requests"),
        (f"{results.seconds:.1f} s", "in all"),
    ]
    shown = "".join(f"<li><strong>{escape(big)}</strong> {escape(small)}</li>" for big, small in tiles)
    return (
        "<header><p class=kicker>scythe demo</p><h1>A crawl of The Field Post</h1>"
        f"<p>A site of invented pages, served at <code>{escape(results.url)}</code> while this ran, crawled with the "
        "real engine: the first pages were read by the tree, the site was learned, the others were cut out of their "
        f"bytes. Its right content is known, so everything found could be compared.</p><ul class=tiles>{shown}</ul>"
        "</header>\n<main>"
    )


def _section(name: str, title: str, inside: str) -> str:
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(title)}</h2>\n{inside}\n</section>'


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = ()) -> str:
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
    return draw_bars("F1 of the text by kind of page", bars, most=1.0) + _table(
        "What was found, by kind of page", head, rows, numbers=range(1, 6)
    )


def _of(found: int, wanted: int) -> str:
    return f"{found} of {wanted}" if wanted else "–"


def _steps(results: Results) -> str:
    kinds = [step.how for step in results.steps]
    mark = next((at for at, step in enumerate(results.steps) if step.design == 1), None)
    said = ", ".join(f"{kinds.count(kind)} {what}" for kind, what in _HOW.items() if kind in kinds)
    legend = "".join(f'<li><span class="key {kind}"></span>{what}</li>' for kind, what in _HOW.items())
    legend += "<li><span class='key mark'></span>the site's redesign</li>" if mark is not None else ""
    told = ""
    if results.redesign is not None:
        first, *more = describe_redesign(results.redesign)
        noted = "".join(f"<li>{escape(line.strip())}</li>" for line in more)
        told = f"<p>{escape(first)}</p>" + (f"<ul>{noted}</ul>" if noted else "")
    return (
        "<p>Each box is a page of the site, in the order of the crawl; the taller, the more was cut.</p>"
        + draw_strip("How the pages were extracted, in the order of the crawl", said, kinds, mark)
        + f"<ul class=legend>{legend}</ul>"
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
        + _table("Pages by how a field was got", ("field", "cut", "by the tree", "not there"), rows, numbers=(1, 2, 3))
    )


def _speed(results: Results) -> str:
    laps = sorted(results.laps, key=lambda lap: -lap.pages)
    both = total(laps)
    slowest = max(lap.tree_s / lap.pages for lap in laps)
    bars = []
    for lap in laps:
        tree_us, cut_us = lap.tree_s / lap.pages * 1e6, lap.cut_s / lap.pages * 1e6
        bars.append(Bar(f"{lap.kind}, tree", (("tree", lap.tree_s / lap.pages),), f"{tree_us:.0f} µs"))
        words = f"{cut_us:.0f} µs ({lap.times:.1f} ×)"
        bars.append(Bar(f"{lap.kind}, cut", (("cut", lap.cut_s / lap.pages),), words))
    return (
        f"<p>CPU time for the text of the same {both.pages} pages, and the records of lists; one core, best of three: "
        f"by what was learned <strong>{both.times:.1f} times as fast</strong> as by the tree "
        f"({both.cut_s / both.pages * 1e6:.0f} against {both.tree_s / both.pages * 1e6:.0f} µs a page).</p>"
        + draw_bars("CPU time a page by kind of page", bars, most=slowest)
    )


def _corners(corners: Sequence[CornerRow]) -> str:
    rows = []
    for row in corners:
        mark = "<span class=good>✓</span>" if row.is_good else "<span class=bad>✗ not as it should:</span>"
        rows.append((escape(row.says), f"{mark} {escape(corner_ending(row))}", str(row.requests)))
    head = ("what is there", "what the crawl made of it", "requests")
    return "<p>What servers do to crawlers, one corner for each kind.</p>" + _table(
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
    return "\n".join(parts) + "</main>"


def _records(listing: Sample) -> str:
    rows = [[escape(text) for text in record] for record in listing.records]
    return _table(f"First records of a list page: {listing.title}", listing.columns, rows)
