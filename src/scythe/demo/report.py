"""The report page of the demo: results come in, one HTML file that needs nothing else goes out.

Whatever came from pages is escaped; a policy in the head forbids scripts and anything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from scythe.demo.charts import Bar, draw_bars, draw_strip
from scythe.demo.growing import SHOWN, Watched
from scythe.demo.promises import judge_promises
from scythe.demo.race import Lap, total
from scythe.demo.report_parts import legend, section, spell, table, verdict
from scythe.demo.results import CornerRow, Results, Sample
from scythe.demo.timelines import draw_shares, draw_watch
from scythe.demo.wording import corner_ending, describe_redesign, describe_watch, pages, stamp, why_words

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


def _records(listing: Sample) -> str:
    rows = [[escape(text) for text in record] for record in listing.records]
    return table(f"First records of a list page: {listing.title}", listing.columns, rows)
