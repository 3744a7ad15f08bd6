"""Read label files: CSV, JSON or JSON lines that say which images of a page are relevant.

A table has the columns page and image and optionally relevant and by; without relevant, every image listed is relevant.
JSON is {"page": ["image", ...]}, {"page": {"relevant": [...], "irrelevant": [...]}} or a list of objects with the keys
of the table. An image is a URL or its number on the page (`#3`); an empty image means that none is relevant.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from scythe.errors import BadInput
from scythe.limits import LIMITS

COLUMNS = ("page", "image", "relevant", "by", "score", "alt", "note")  # the last three are for people
_READ = COLUMNS[:4]
_SEPARATORS = ",;\t"
_PAGE_ENDS = (".html", ".htm", ".xhtml", ".shtml")
_FORMULA = frozenset("=+-@\t＝＋－＠")  # what a cell for spreadsheets begins with behind its apostrophe


class Statement(NamedTuple):
    """One row as written, not yet checked; `relevant` is None where the file has no such column."""

    line: int
    page: object
    image: object
    relevant: object = None
    by: object = None


class _Head(NamedTuple):
    """What the first line says of a table."""

    separator: str
    columns: tuple[str, ...]
    is_named: bool  # it names the columns, and is no row


def read_table(text: str, name: str) -> Iterator[Statement]:
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
            yield Statement(line, *(_take(cells, number) for number in where))
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
            raise BadInput(f"{where}: unknown column {name!r:.60}; expected one of {', '.join(COLUMNS)}")
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


_YES = frozenset({"1", "1.0", "true", "yes", "y", "x", "relevant"})
_NO = frozenset({"0", "0.0", "false", "no", "n", "irrelevant"})
_JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Label:
    """What one person said of one image of one page."""

    page: str  # address or file, as written
    image: str  # address, or number such as #3; "" where no image of the page is relevant
    relevant: bool
    by: str = ""
    line: int = 0  # of the file, or number of the entry where a file has no useful lines


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one file, in its order, none twice."""

    name: str  # of the file
    rows: tuple[Label, ...]
    has_lines: bool = True

    def place(self, line: int) -> str:
        """Say where in the file a label stands."""
        return f"{self.name}:{line}" if self.has_lines else f"{self.name}: entry {line}"


def open_labels(path: Path, by: str = "") -> Labels:
    """Read a file of labels; `by` is who made those that do not say. Raises BadInput with file and line, OSError."""
    with path.open("rb") as file:
        return read_labels(file.read(LIMITS.label_bytes + 1), path.name, by)


def read_labels(body: bytes, name: str, by: str = "") -> Labels:
    """Read labels from the bytes of a file, whose name says by its suffix what it is. Raises BadInput."""
    if len(body) > LIMITS.label_bytes:
        raise BadInput(f"{name}: longer than {LIMITS.label_bytes} bytes; labels of one site are far fewer")
    text = _decode(body, name)
    if name.lower().endswith(_JSON_LINES):
        rows = _read_lines(text, name)
    elif name.lower().endswith(".json"):
        rows = _read_json(text, name)
    else:
        rows = read_table(text, name)
    into = Labels(name, (), has_lines=not name.lower().endswith(".json"))
    return check_labels(rows, into, by)


def check_labels(rows: Iterable[Statement], into: Labels, by: str = "") -> Labels:
    """Turn statements into labels, each once. Raises BadInput where one cannot be understood or two contradict."""
    default = _name(by, "by")
    pages: dict[str, str] = {}  # one text for all labels of a page: there may be a million
    said: dict[tuple[str, str, str], Label] = {}
    looked: dict[tuple[str, str], Label] = {}  # pages of which somebody says that none is relevant
    chosen: dict[tuple[str, str], Label] = {}  # pages of which somebody names a relevant image
    for number, row in enumerate(rows):
        if number >= LIMITS.labels:
            raise BadInput(f"{into.place(row.line)}: more than {LIMITS.labels} labels")
        label = _label(row, into.place, default)
        if label is None:
            continue
        label = replace(label, page=pages.setdefault(label.page, label.page))
        before = said.setdefault((label.page, label.image, label.by), label)
        if before.relevant != label.relevant:
            raise contradiction(before, label, into.place)
        if label.image == "" or label.relevant:
            (chosen if label.image else looked).setdefault((label.page, label.by), label)
    for key in looked.keys() & chosen.keys():
        raise contradiction(looked[key], chosen[key], into.place)
    return Labels(into.name, tuple(said.values()), into.has_lines)


def contradiction(one: Label, other: Label, place: Callable[[int], str]) -> BadInput:
    """Return the error for two labels of one person that cannot both be true."""
    first, second = sorted((one, other), key=lambda label: label.line)
    who = f"{first.by} says" if first.by else "the same person says"
    return BadInput(f"{place(second.line)}: {_said(second)}, but in {place(first.line)} {who} {_said(first)}")


def _said(label: Label) -> str:
    if not label.image:
        return f"no image of {label.page[:80]} is relevant"
    return f"{label.image[:80]} of {label.page[:80]} is {'' if label.relevant else 'not '}relevant"


def _label(row: Statement, place: Callable[[int], str], by: str) -> Label | None:
    """Check one statement; None where a cell was left empty: nothing is said of that image."""
    page, image = (_cell(value, what, row.line, place) for value, what in ((row.page, "page"), (row.image, "image")))
    if not page:
        if not image and not row.relevant:
            return None  # an empty row
        raise BadInput(f"{place(row.line)}: the page is missing")
    if image[:1] == "#":
        image = image.split(maxsplit=1)[0]  # an address behind the number is for people
    if image[:1] == "#" and not (image[1:].isascii() and image[1:].isdecimal() and int(image[1:9]) > 0):
        raise BadInput(f"{place(row.line)}: the number of an image was expected, such as #3, not {image!r:.40}")
    who = _name(row.by, place(row.line)) or by
    if not image:
        if row.relevant is not None and _verdict(row.relevant, row.line, place):
            raise BadInput(f"{place(row.line)}: says that an image is relevant, but not which")
        return Label(page, "", False, who, row.line)
    relevant = True if row.relevant is None else _verdict(row.relevant, row.line, place)
    return None if relevant is None else Label(page, image, relevant, who, row.line)


def _cell(value: object, what: str, line: int, place: Callable[[int], str]) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{place(line)}: {what} must be text, not {value!r:.60}")
    text = value.strip()
    if len(text) > LIMITS.url_chars:
        raise BadInput(f"{place(line)}: {what} has {len(text)} characters, more than any address ({LIMITS.url_chars})")
    return text


def _verdict(value: object, line: int, place: Callable[[int], str]) -> bool | None:
    """Return what a cell says, None where it is empty."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower() if isinstance(value, str | int | float) else repr(value)
    if text in _YES:
        return True
    if text in _NO:
        return False
    if text:
        raise BadInput(
            f"{place(line)}: relevant must be 1 or 0, yes or no, true or false, x or empty, not {text!r:.40}"
        )
    return None


def _name(value: object, where: str) -> str:
    if value is None:
        return ""
    name = value.strip() if isinstance(value, str) else None
    if name is None or len(name) > LIMITS.name_chars or not name.isprintable():
        raise BadInput(f"{where}: the name of a person was expected, not {value!r:.60}")
    return name


def _decode(body: bytes, name: str) -> str:
    if body[:2] == b"PK":
        raise BadInput(f"{name}: this is a spreadsheet; save it as CSV, encoded in UTF-8")
    is_wide = body[:2] in (b"\xff\xfe", b"\xfe\xff")  # what spreadsheets call Unicode text
    try:
        text = body.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        why = "cut or damaged" if is_wide else "not UTF-8; save it as CSV, encoded in UTF-8"
        raise BadInput(f"{name}:{line}: {why}") from None
    if "\0" in text:
        raise BadInput(f"{name}:{text.count(chr(10), 0, text.index(chr(0))) + 1}: not a text file")
    return text


def _parse(text: str, where: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _pairs(pairs, where))
    except json.JSONDecodeError as error:
        raise BadInput(f"{where}: not JSON: {error.msg} in column {error.colno}") from None
    except (ValueError, RecursionError):
        raise BadInput(f"{where}: not JSON of labels: a number too long, or nested too deeply") from None


def _pairs(pairs: list[tuple[str, object]], where: str) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for number, key in enumerate(keys) if key in set(keys[:number]))
        raise BadInput(f"{where}: {twice!r:.80} is there twice")
    return made


def _read_lines(text: str, name: str) -> Iterator[Statement]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _object(_parse(line, f"{name}:{number}"), number, f"{name}:{number}")


def _read_json(text: str, name: str) -> Iterator[Statement]:
    line = text.count("\n") + 1
    parsed = _parse(text, name if line == 1 else f"{name} ({line} lines)")
    if isinstance(parsed, dict):
        for number, (page, said) in enumerate(parsed.items(), 1):
            yield from _of_page(page, said, number, f"{name}: entry {number}")
    elif isinstance(parsed, list):
        for number, row in enumerate(parsed, 1):
            yield _object(row, number, f"{name}: entry {number}")
    else:
        raise BadInput(f'{name}: an object such as {{"page.html": ["image.jpg"]}} or a list was expected')


def _object(row: object, number: int, where: str) -> Statement:
    if not isinstance(row, dict):
        raise BadInput(f"{where}: an object with page and image was expected, not {row!r:.60}")
    unknown = sorted(row.keys() - set(COLUMNS))
    if unknown:
        raise BadInput(f"{where}: unknown key {unknown[0]!r:.60}; expected one of {', '.join(COLUMNS)}")
    relevant = ("" if row["relevant"] is None else row["relevant"]) if "relevant" in row else None
    return Statement(number, row.get("page"), row.get("image"), relevant, row.get("by"))


def _of_page(page: str, said: object, number: int, where: str) -> Iterator[Statement]:
    """Yield what a file says of one page: a list of relevant images, or lists of both kinds."""
    lists = {"relevant": said} if isinstance(said, list) else said
    known = ("relevant", "irrelevant", "by")
    if not isinstance(lists, dict) or lists.keys() - set(known):
        raise BadInput(
            f"{where}: a list of images, or an object with {', '.join(known)} was expected, not {said!r:.60}"
        )
    by = lists.get("by")
    images = {key: lists.get(key, []) for key in known[:2]}
    for key, names in images.items():
        if not isinstance(names, list):
            raise BadInput(f"{where}: {key} must be a list of images, not {names!r:.60}")
        for image in names:
            if not isinstance(image, str) or not image.strip():
                raise BadInput(f"{where}: an image is an address or a number such as #3, not {image!r:.60}")
            yield Statement(number, page, image, key == "relevant", by)
    if not any(images.values()):
        yield Statement(number, page, "", None, by)
