"""Records and attributes in a whole run: page sets come in, F1 of scythe and of published methods goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench import records as bench
from bench.cut_tables import Cell, Table
from bench.whole.parts import (
    MORE,
    SCYTHE,
    SEEN,
    SPEED,
    UNSEEN,
    Figure,
    Section,
    Tick,
    Wish,
    boldest,
    few,
    number_of,
    share,
)

NAME = "records"
METHODS = ("auto", "mdr", "stm", "hmm", "cnbe")
NAMES = {"auto": SCYTHE, "mdr": "MDR", "stm": "MDR with STM", "hmm": "HMM", "cnbe": "CNBE"}
FIRST, HARD, WHOLE, BEST, TITLES, CPU = "first", "first, hard", "page F1", "best", "title column", "cpu-ms"
MEASURES = {
    FIRST: "the list ranked first",
    HARD: "the list ranked first, records that are no plain siblings",
    WHOLE: "all records returned",
    BEST: "the best region",
    TITLES: "titles in one column",
}
WORDS = {
    "mixedlists": "shops, forums, blogs",
    "newslists": "news front pages",
    "recipes": "ingredients of recipes",
    "products": "product pages",
    "swde": "pages of 40 sites",
}
TOLD = {"mixedlists": (FIRST, HARD, TITLES), "newslists": (WHOLE,), "recipes": (BEST,)}  # what each set is good for
ALL = "all together"
_SAID = (
    "Record F1 by page; attributes without training. Published methods are ours to run, written from their papers. "
    "Attributes, columns and next links are rules, written with these pages at hand; only the ranking of lists was "
    "trained."
)


def measure(wish: Wish, tick: Tick) -> Section:
    """Score records, attributes and next links."""
    tables = bench.run(
        wish.place(NAME),
        methods=METHODS if wish.compares else METHODS[:1],
        limit=wish.limit,
        folds=wish.folds,
        tick=lambda page_set, method, pages: tick(f"{page_set}: {NAMES[method]}", pages),
    )
    figures = tuple(_figures(tables))
    said = f"{_SAID} {UNSEEN if wish.folds else SEEN}"
    return Section(NAME, "Lists and properties", said, (_table(figures, tables),), tuple(tables), figures)


def _method(table: Table) -> str:
    """Return the method that a table of attributes is about."""
    return table.title.removeprefix("attributes by ").partition(",")[0]


def _figures(tables: Sequence[Table]) -> Iterator[Figure]:
    for table in tables:
        if table.title.startswith("attributes by "):
            who = NAMES[_method(table)]
            for row in ("price", ALL):
                f1 = number_of(table, row, "F1")
                if f1 is not None and (row == ALL or table.name == "products"):
                    yield Figure(f"records/{table.name}/{row}", who, f1, "F1", MORE)
        elif table.title == "paging":
            found = number_of(table, "next", "share")
            if found is not None:
                yield Figure(f"records/{table.name}/next links", SCYTHE, 100 * found, "%", MORE)
        else:
            yield from _list_figures(table)


def _list_figures(table: Table) -> Iterator[Figure]:
    for row in table.rows:
        method = str(row[0])
        for measure in TOLD.get(table.name, (FIRST, WHOLE)):
            value = number_of(table, method, measure)
            if value is not None:
                yield Figure(f"records/{table.name}/{MEASURES[measure]}", NAMES[method], value, "F1", MORE)
        cpu_ms = number_of(table, method, CPU)
        if cpu_ms is not None:
            yield Figure(f"records/{table.name}/CPU", NAMES[method], cpu_ms, "ms", kind=SPEED)


def _table(figures: Sequence[Figure], tables: Sequence[Table]) -> Table:
    """Make one row a figure, scythe and what was published beside it."""
    pages = {table.name: table.title.split(", ")[1] for table in tables if ", " in table.title}
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(figure.name for figure in figures):
        own = [figure for figure in figures if figure.name == name]
        ours = next((figure for figure in own if figure.who == SCYTHE), None)
        others = [figure for figure in own if figure.who != SCYTHE]
        if ours is None:
            continue
        _, page_set, what = name.split("/", 2)
        unit = ours.unit
        cells = [_written(ours.value, unit), *(f"{_written(one.value, unit)} ({one.who})" for one in others)]
        best = boldest([cells[0], *(_written(one.value, unit) for one in others)], [one.value for one in own])[0]
        best = best if unit == "F1" else cells[0]
        size = pages.get(page_set, "")
        row = f"{WORDS.get(page_set, page_set)} ({size}): {what}, {'median' if unit == 'ms' else unit}"
        rows.append((row, best, ", ".join(cells[1:])))
    return Table(NAME, "Records and attributes", ("", SCYTHE, "published"), tuple(rows))


def _written(value: float, unit: str) -> str:
    return share(value) if unit == "F1" else few(value, unit)
