"""Tables of the demo for a terminal: rows of results come in, tables of at most 77 columns go out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from scythe.cli.ending import neutralise

if TYPE_CHECKING:
    from scythe.demo.race import Lap
    from scythe.demo.results import KindRow, Sample

_BAR, _BESIDE = 40, 22  # characters, and those of the words beside it


def kinds_table(rows: Iterable[KindRow]) -> Table:
    """Show what was found by kind of page, against what there is."""
    numbers = ("pages", "titles", "text F1", "images", "list entries")
    table = _table("kind", *numbers, right=numbers)
    for row in rows:
        if row.found:
            f1 = "" if row.f1 is None else f"{row.f1:.2f}"
            colour = "" if row.f1 is None else "green" if row.f1 >= 0.95 else "yellow" if row.f1 >= 0.8 else "red"
            right = (_of(row.titles, row.found), Text(f1, colour), _of(*row.images), _of(*row.records))
            table.add_row(row.kind, str(row.found), *right)
    return table


def sample_table(listing: Sample) -> Table:
    """Show the first records of a list page."""
    table = _table(*(neutralise(name) for name in listing.columns[:3]))
    table.expand = True
    for record in listing.records[:2]:
        table.add_row(*(Text(neutralise(text)) for text in record[:3]))
    return table


def lap_lines(lap: Lap, width: int, *, is_plain: bool) -> list[Text]:
    """Draw how long a page takes both ways, one bar below the other, in lines of at most `width`."""
    lines, most = [], max(4, min(_BAR, width - _BESIDE))
    for name, seconds, style in (("tree", lap.tree_s, "red"), ("cut", lap.cut_s, "green")):
        wide = max(1, round(most * seconds / max(lap.tree_s, lap.cut_s)))
        bar = ("#" if is_plain else "█") * wide
        each_ms = 1_000 * seconds / max(lap.pages, 1)
        lines.append(Text(f"{name:<5}").append(bar, style).append(f" {each_ms:.2f} ms a page"))
    return lines


def _table(*columns: str, right: Iterable[str] = ()) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", no_wrap=True, overflow="ellipsis")
    return table


def _of(found: int, wanted: int) -> Text:
    if not wanted:
        return Text("-", "dim")
    colour = "green" if found == wanted else "yellow" if found > 0.9 * wanted else "red"
    return Text(str(found), colour).append(f" of {wanted}", "")
