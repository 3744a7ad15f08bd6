"""Cutting in a whole run: pages of sites come in, CPU times of the cutter, of parsers and of whole pages go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench import cut as bench
from bench.cut_tables import Cell, Table, make_tables
from bench.learned import BYTES, LOCAL, TOGETHER, time_learned
from bench.learned_tables import make_learned_tables
from bench.whole.parts import (
    LESS,
    MORE,
    SCYTHE,
    SPEED,
    Figure,
    Section,
    Tick,
    Wish,
    boldest,
    cell_of,
    few,
    number_of,
    ratio,
)

NAME, FOLDER = "cut", "sites"
CUT, TREE = "Site.extract", "scythe.read"  # columns of the table of whole pages
TASKS = (  # what is cut, by which way of ours, how a parser is used, the column
    ("one value, two rules agreeing", LOCAL, "field", "value"),
    ("one value where a page is parsed, or cut, once for all", TOGETHER, "page", "value"),
    ("one body as it stands in the page, its end checked", BYTES, "field", "body"),
)
_ROUNDS = 3
_PAGES = "whole page with its text"
_SAID = (
    "Sites are learned from ten pages each; the others are timed, by all ways in one run. Microseconds of CPU, the "
    "least of three rounds. Other work on the machine moves single numbers by a tenth or more: compare within a row."
)


def measure(wish: Wish, tick: Tick) -> Section:
    """Time every way to cut, and whole pages."""
    done = bench.run(wish.place(FOLDER), site_limit=wish.limit, rounds=_ROUNDS, tick=tick)
    learned = time_learned(
        done.sites, rounds=_ROUNDS, peers=wish.peers, tick=lambda site, sites: tick(f"{site}, learned", sites)
    )
    fields, pages = make_learned_tables(learned)
    tables = [_fields_table(fields, learned.parsers)]
    if learned.pages:
        tables.append(_pages_table(pages))
    figures = (*_field_figures(fields, learned.parsers), *_page_figures(pages))
    title = "Speed: cutting against parsing"
    return Section(NAME, title, _SAID, tuple(tables), (*make_tables(done), fields, pages), figures)


def _fields_table(fields: Table, parsers: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for task, way, parse, column in TASKS:
        times = [number_of(fields, way, column)]
        times += [number_of(fields, f"{parser}, one parse per {parse}", column) for parser in parsers]
        others = [time for time in times[1:] if time is not None]
        gain = ratio(min(others, default=None), times[0])
        rows.append((task, *boldest(map(few, times), times, LESS), few(gain, "x") if gain else ""))
    columns = ("us of CPU", f"{SCYTHE}, cut", *parsers, "against the fastest")
    return Table("fields", "One element of a page", columns, tuple(rows))


def _pages_table(pages: Table) -> Table:
    ways = pages.columns[2:]
    rows: list[tuple[Cell, ...]] = []
    for cells in pages.rows:
        category, count = str(cells[0]), cells[1]
        if count is None:  # ratios
            continue
        times = [number_of(pages, category, way) for way in ways]
        rows.append((f"{_PAGES}: {category} ({count})", *boldest(map(few, times), times, LESS)))
    names = {CUT: f"{SCYTHE}, cut", "Site.extract, via tree": f"{SCYTHE}, learned, by tree", TREE: f"{SCYTHE}, read"}
    columns = ("us of CPU", *(names.get(way, way) for way in ways))
    return Table("pages", "Whole pages", columns, tuple(rows))


def _field_figures(fields: Table, parsers: Sequence[str]) -> Iterator[Figure]:
    for task, way, parse, column in TASKS:
        own = number_of(fields, way, column)
        if own is None:
            continue
        yield Figure(f"cut/{task}", SCYTHE, own, "us", kind=SPEED)
        for parser in parsers:
            time = number_of(fields, f"{parser}, one parse per {parse}", column)
            if time is not None:
                yield Figure(f"cut/{task}", parser, time, "us", kind=SPEED)
        lexbor = number_of(fields, f"lexbor, one parse per {parse}", column)
        if lexbor is not None:  # always there: scythe reads with it
            yield Figure(f"cut/{task}/times as fast as lexbor", SCYTHE, lexbor / own, "x", MORE, SPEED)


def _page_figures(pages: Table) -> Iterator[Figure]:
    ways = pages.columns[2:]
    for cells in pages.rows:
        category = str(cells[0])
        if cells[1] is None or cell_of(pages, category, CUT) is None:
            continue
        for way in ways:
            time = number_of(pages, category, way)
            if time is not None:
                yield Figure(f"cut/page, {category}", way, time, "us", kind=SPEED)
        own = number_of(pages, category, CUT)
        for way in ways:
            times = ratio(number_of(pages, category, way), own)
            if way not in (CUT, "Site.extract, via tree", TREE) and times is not None:
                yield Figure(f"cut/page, {category}/times as fast as {way}", SCYTHE, times, "x", MORE, SPEED, way)
