"""What one whole run is made of: what is wished for, single figures, and the sections they are told in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.crawl import PAGES as CRAWL_PAGES
from bench.cut_tables import Cell, Table
from bench.folds import Folds

SCYTHE = "scythe"
MORE, LESS = "more", "less"
QUALITY, SPEED = "quality", "speed"
UNSEEN = "Models that never saw the site of a page judged it (held out by site, five folds)."
SEEN = "The models that ship were trained on these very sites: scythe's figures show memory, not skill. Use --folds."

Tick = Callable[[str, int], None]  # what is under way, and how many steps of it there are; called before each step


@dataclass(frozen=True, slots=True)
class Setting:
    """What two runs must have in common to be compared, besides their data."""

    limit: int | None = None  # pages, sites or lists of each set
    is_held_out: bool = False  # sites were judged by models that have not seen them
    crawl_pages: int = CRAWL_PAGES


@dataclass(frozen=True, slots=True)
class Wish:
    """What to measure."""

    data: Path | None
    limit: int | None = None  # pages, sites or lists of each set
    peers: tuple[str, ...] = ()  # extractors to compare with
    compares: bool = True  # with published methods, and with Scrapy where it is installed
    folds: Folds | None = None
    crawl_pages: int = CRAWL_PAGES

    @property
    def setting(self) -> Setting:
        """What a run with this wish has in common with others."""
        return Setting(self.limit, self.folds is not None, self.crawl_pages)

    def place(self, folder: str) -> Path:
        """Return a folder of the data."""
        assert self.data is not None
        return self.data / folder


@dataclass(frozen=True, slots=True)
class Figure:
    """One number."""

    name: str  # section/set/measure
    who: str
    value: float
    unit: str = ""
    better: str = ""  # MORE or LESS; of others no floor is kept
    kind: str = QUALITY
    peer: str = ""  # the other tool that the number is a ratio to


@dataclass(frozen=True, slots=True)
class Section:
    """What one part of a run came to."""

    name: str
    title: str
    said: str  # what the numbers are, and what to beware of
    tables: tuple[Table, ...] = ()  # of text, ready to be shown
    details: tuple[Table, ...] = ()  # everything
    figures: tuple[Figure, ...] = ()
    seconds: float = 0.0
    skipped: str = ""  # why there is nothing


def share(value: float | None) -> str:
    """Write a number between 0 and 1 as the tables of the README do: .964."""
    if value is None:
        return ""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.00"


def few(value: float | None, unit: str = "") -> str:
    """Write a number with about three digits that count."""
    if value is None:
        return ""
    size = abs(value)
    digits = 0 if size >= 99.5 else 1 if size >= 9.95 else 2
    written = f"{value:,.{digits}f}".replace(",", " ")
    return f"{written} {unit}" if unit else written


def boldest(cells: Iterable[str], numbers: Iterable[float | None], better: str = MORE) -> tuple[str, ...]:
    """Return cells with the best of a row in bold, all of those that read the same."""
    written, values = list(cells), list(numbers)
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return tuple(written)
    best = (max if better == MORE else min)(known)
    text = written[values.index(best)]
    return tuple(f"**{cell}**" if cell and cell == text else cell for cell in written)


def cell_of(table: Table, row: str, column: str) -> Cell:
    """Return what a table has in the first row of that name; None where it has no such row or column."""
    if column not in table.columns:
        return None
    found = next((cells for cells in table.rows if cells[0] == row), None)
    return None if found is None else found[table.columns.index(column)]


def number_of(table: Table, row: str, column: str) -> float | None:
    """Return the number a table has there, whether as a number or as text."""
    cell = cell_of(table, row, column)
    if isinstance(cell, str):
        try:
            return float(cell)
        except ValueError:
            return None
    return None if cell is None else float(cell)


def ratio(slow: float | None, fast: float | None) -> float | None:
    """Return how many times one number is the other."""
    return slow / fast if slow and fast else None
