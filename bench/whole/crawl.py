"""Crawling in a whole run: a number of pages comes in, speed and losses of scythe and Scrapy go out."""

from __future__ import annotations

from collections.abc import Iterator

from bench import crawl as bench
from bench.crawl import SCRAPY, CrawlRun, make_tables
from bench.cut_tables import Cell, Table
from bench.peers import release
from bench.whole.parts import LESS, MORE, SCYTHE, SPEED, Figure, Section, Tick, Wish, boldest, few, ratio

NAME = "crawl"
RATE, CPU, LOST, DOUBLED = "pages a second, following links", "CPU per page", "pages lost", "pages stored twice"
_KILLED = ", killed half way with `kill -9` and started again"
_SAID = (
    "A server and {pages} pages of {kb} KB on this machine. scythe extracts title, text and images and archives them; "
    "Scrapy only saves bodies. One crawl each, start and learning included, then one kill each."
)


def measure(wish: Wish, tick: Tick) -> Section:
    """Crawl and kill."""
    done = bench.run(pages=wish.crawl_pages, peers=wish.compares, tick=tick)
    said = _SAID.format(pages=done.pages, kb=done.page_bytes // 1000)
    figures = tuple(figures_of(done))
    return Section(NAME, "Crawling", said, (_table(figures),), tuple(make_tables(done)), figures)


def figures_of(done: CrawlRun) -> Iterator[Figure]:
    """Yield what was measured, in single numbers."""
    rates = {one.who: one.pages / one.seconds for one in done.crawled}
    for one, killed in zip(done.crawled, done.killed, strict=True):
        yield Figure(f"crawl/{RATE}", one.who, rates[one.who], "", kind=SPEED)
        yield Figure(f"crawl/{CPU}", one.who, 1e3 * one.cpu_s / max(1, one.pages), "ms", kind=SPEED)
        yield Figure(f"crawl/{LOST}", one.who, float(killed.lost), "", LESS)
        yield Figure(f"crawl/{DOUBLED}", one.who, float(killed.doubled), "", LESS)
    times = ratio(rates.get(SCYTHE), rates.get(SCRAPY))
    if times is not None:
        yield Figure("crawl/times as fast as Scrapy", SCYTHE, times, "x", MORE, SPEED, "scrapy")


def _table(figures: tuple[Figure, ...]) -> Table:
    who = list(dict.fromkeys(figure.who for figure in figures))
    rows: list[tuple[Cell, ...]] = []
    for what, unit, better in ((RATE, "", MORE), (CPU, "ms", LESS), (LOST, "", LESS), (DOUBLED, "", LESS)):
        values = [next(f.value for f in figures if f.name == f"crawl/{what}" and f.who == one) for one in who]
        is_count = what in (LOST, DOUBLED)
        cells = [f"{value:.0f}" if is_count else few(value, unit) for value in values]
        rows.append((what + (_KILLED if is_count else ""), *boldest(cells, values, better)))
    names = [f"{one} {'.'.join(release('scrapy').split('.')[:2])}" if one == SCRAPY else one for one in who]
    return Table(NAME, "Crawling", ("", *names), tuple(rows))
