"""Read a table of labels: the text of a CSV file comes in, its rows go out with their lines, strictly.

The separator (comma, semicolon or tab) is the one that makes sense of the first line; a file is never read in a way
that only might be meant.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from scythe.errors import BadInput

COLUMNS = ("page", "image", "relevant", "by", "score", "alt", "note")  # the last three are for people
_READ = COLUMNS[:4]
_SEPARATORS = ",;\t"
_PAGE_ENDS = (".html", ".htm", ".xhtml", ".shtml")
_FORMULA = frozenset("=+-@\t＝＋－＠")  # what a cell for spreadsheets begins with behind its apostrophe

Row = tuple[int, object, object, object, object]  # line, page, image, relevant (None: no such column), by


class _Head(NamedTuple):
    """What the first line says of a table."""

    separator: str
    columns: tuple[str, ...]
    is_named: bool  # it names the columns, and is no row


def read_table(text: str, name: str) -> Iterator[Row]:
    """Yield the rows of a table. Raises BadInput with the file's name and the line."""
    lines = io.StringIO(text, newline="")
    first, above, wanted = "", -1, ""
    while not first.strip() and above < len(text):
        above += 1
        first = lines.readline()
        if first[:4].lower() == "sep=":  # by which spreadsheets name the separator
            first, wanted = "", first[4:5]
        elif not first:
            raise BadInput(f"{name}: there are no labels in this file")
    head = _read_head(first, wanted, f"{name}:{above + 1}")
    reader = csv.reader(chain([first], lines), delimiter=head.separator, strict=True)
    where = [head.columns.index(column) if column in head.columns else None for column in _READ]
    is_head = head.is_named
    try:
        for cells in reader:
            if is_head:
                is_head = False
                continue
            line = reader.line_num + above
            if len(cells) > len(head.columns) and any(cells[len(head.columns) :]):
                raise BadInput(f"{name}:{line}: {len(cells)} cells, but the columns are {', '.join(head.columns)}")
            page, image, relevant, by = (_take(cells, number) for number in where)
            yield line, page, image, relevant, by
    except csv.Error as error:
        raise BadInput(f"{name}:{reader.line_num + above}: {error}") from None


def _read_head(line: str, wanted: str, where: str) -> _Head:
    """Tell the columns by their names or, in a file without names, by what stands in its first row."""
    rows = {separator: _split(line, separator) for separator in wanted or _SEPARATORS}
    for separator, cells in rows.items():
        names = tuple(cell.lower() for cell in cells)
        if "page" in names:
            return _Head(separator, _check_names(names, where), is_named=True)
    likely = [separator for separator, cells in rows.items() if _is_row(cells)]
    if len(likely) != 1:
        raise BadInput(f"{where}: the first line must name the columns: page, image and, if wanted, relevant and by")
    return _Head(likely[0], _READ[: len(rows[likely[0]])], is_named=False)


def _split(line: str, separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []


def _check_names(names: tuple[str, ...], where: str) -> tuple[str, ...]:
    while names and not names[-1]:  # spreadsheets write empty columns
        names = names[:-1]
    for name in names:
        if name not in COLUMNS:
            raise BadInput(f"{where}: unknown column {name!r:.60}; known are {', '.join(COLUMNS)}")
        if names.count(name) > 1:
            raise BadInput(f"{where}: there are two columns {name}")
    if "image" not in names:
        raise BadInput(f"{where}: the column image is missing")
    return names


def _is_row(cells: Sequence[str]) -> bool:
    if not 2 <= len(cells) <= len(_READ):
        return False
    page, image = cells[0].lower(), cells[1]
    is_page = page.startswith(("http://", "https://")) or page.endswith(_PAGE_ENDS)
    return is_page and (not image or image[0] == "#" or "/" in image or "." in image)


def _take(cells: Sequence[str], number: int | None) -> str | None:
    """Return a cell without the apostrophe that kept a spreadsheet from calculating it."""
    if number is None:
        return None
    cell = cells[number] if number < len(cells) else ""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA else cell
