"""Render pieces as markdown: nested pieces come in, CommonMark with GitHub tables goes out."""

from __future__ import annotations

from collections.abc import Iterable

from scythe.page.markdown_text import Inline, fence_for, write_cell, write_heading, write_lines
from scythe.page.pieces import STRONG, Break, Close, Open, Piece, Run

_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_WIDEST = 64  # columns that spans may add up to; columns that cells fill have no such bound


class _Level:
    """One container around the lines: what stands before its first line, and before all others."""

    __slots__ = ("first", "item", "rest", "used")

    def __init__(self, first: str, rest: str, *, item: bool) -> None:
        self.first = first
        self.rest = rest
        self.item = item
        self.used = False


class _List:
    """One list under way: its next number (None: bullets), its mark, and whether an item was written."""

    __slots__ = ("mark", "number", "used")

    def __init__(self, number: int | None, mark: str) -> None:
        self.number = number
        self.mark = mark
        self.used = False


def render_markdown(pieces: Iterable[Piece]) -> str:
    """Return the pieces as markdown; the same words as the text, escaped where they would read as markup."""
    return _Writer().write(pieces)


class _Writer:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._levels: list[_Level] = []
        self._lists: list[_List] = []
        self._inline: list[Inline] = []
        self._holder = ""
        self._language = ""
        self._table: _Table | None = None
        self._ended: tuple[int, str] = (-1, "")  # line number at which a list ended, and its mark

    def write(self, pieces: Iterable[Piece]) -> str:
        for piece in pieces:
            if isinstance(piece, Open):
                self._open(piece)
            elif isinstance(piece, Close):
                self._close(piece.tag)
            else:
                self._inline.append(piece)
        self._flush()
        return "\n".join(self._lines)

    def _open(self, piece: Open) -> None:
        tag = piece.tag
        if self._table is not None:
            self._table.open(piece, self._inline)
            return
        self._flush()
        if tag in ("ul", "ol", "dl"):
            self._open_list(piece)
        elif tag in ("li", "dd"):
            self._open_item()
        elif tag == "blockquote":
            self._levels.append(_Level("> ", "> ", item=False))
        elif tag == "table":
            self._table = _Table()
        else:
            self._holder = tag
            self._language = dict(piece.attributes).get("language", "") if piece.attributes else ""

    def _close(self, tag: str) -> None:
        if self._table is not None:
            self._close_in_table(tag)
            return
        self._flush()
        self._holder = ""
        if tag in ("li", "dd", "blockquote"):
            self._levels.pop()
        elif tag in ("ul", "ol", "dl"):
            self._ended = (len(self._lines), self._lists.pop().mark)

    def _close_in_table(self, tag: str) -> None:
        table = self._table
        assert table is not None
        if tag == "caption":
            lines = write_lines(self._inline)
            self._inline.clear()
            self._put(lines)
            return
        table.close(tag, self._inline)
        if tag == "table":
            self._table = None
            self._put(table.lines())

    def _open_list(self, piece: Open) -> None:
        number = int(dict(piece.attributes).get("start", "1")) if piece.tag == "ol" else None
        first, second = (".", ")") if piece.tag == "ol" else ("-", "*")
        # a list right after another of its kind would continue that one: another mark makes it a new list
        mark = second if self._ended == (len(self._lines), first) else first
        self._lists.append(_List(number, mark))

    def _open_item(self) -> None:
        current = self._lists[-1]
        mark = f"{current.mark} "
        if current.number is not None:
            mark = f"{current.number}{current.mark} "
            current.number += 1
        self._levels.append(_Level(mark, " " * len(mark), item=True))

    def _flush(self) -> None:
        """Write the words gathered so far as a block of the kind that holds them."""
        if not self._inline:
            return
        pieces, self._inline = self._inline, []
        if self._holder == "pre":
            self._put(_fenced(pieces, self._language))
        elif self._holder in _HEADINGS:
            words = write_heading(pieces)
            self._put([f"{_HEADINGS[self._holder]} {words}"] if words else [])
        else:
            self._put(write_lines(_strong(pieces) if self._holder == "dt" else pieces))

    def _put(self, lines: list[str]) -> None:
        if not lines or not any(lines):
            return
        if not self._levels and not self._lists:
            self._lines += ["", *lines] if self._lines else lines
            return
        if self._lines and not self._is_tight():
            self._lines.append("".join(level.rest for level in self._levels if level.used).rstrip())
        for line in lines:
            prefix = "".join(level.rest if level.used else level.first for level in self._levels)
            self._lines.append(f"{prefix}{line}" if line else prefix.rstrip())
            for level in self._levels:
                level.used = True
        for current in self._lists:
            current.used = True

    def _is_tight(self) -> bool:
        """Say whether the next block follows without a blank line: an item after an item, a list inside an item."""
        new = next((number for number, level in enumerate(self._levels) if not level.used), None)
        if new is None or not self._levels[new].item:
            return False
        depth = sum(level.item for level in self._levels[:new])
        if self._lists[min(depth, len(self._lists) - 1)].used:
            return True
        inside_item = new > 0 and self._levels[new - 1].item
        return inside_item and self._lists[min(depth, len(self._lists) - 1)].number in (None, 2)


def _fenced(pieces: list[Inline], language: str) -> list[str]:
    text = "".join(
        "\n" if isinstance(piece, Break) else piece.text for piece in pieces if isinstance(piece, Run | Break)
    )
    fence = fence_for(text, 3)
    return [f"{fence}{language}", *text.split("\n"), fence] if text else []


def _strong(pieces: list[Inline]) -> list[Inline]:
    return [
        piece._replace(marks=piece.marks._replace(styles=(STRONG, *(s for s in piece.marks.styles if s != STRONG))))
        if isinstance(piece, Run)
        else piece
        for piece in pieces
    ]


class _Table:
    """A table of data under way; what a cell holds becomes one line."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._heads: list[bool] = []  # per row: every cell is a th
        self._spans: list[int] = []  # per column: rows that a cell further up still covers
        self._parts: list[str] = []
        self._span = (1, 1)

    def open(self, piece: Open, inline: list[Inline]) -> None:
        """Begin a row, a cell or something inside a cell, which ends the line gathered so far."""
        self._take(inline)
        if piece.tag == "tr":
            self._rows.append([])
            self._heads.append(True)
            self._skip_covered()
        elif piece.tag in ("td", "th"):
            spans = dict(piece.attributes)
            self._span = (int(spans.get("colspan", "1")), int(spans.get("rowspan", "1")))
            self._heads[-1] = self._heads[-1] and piece.tag == "th"

    def close(self, tag: str, inline: list[Inline]) -> None:
        """Take the words gathered inside a cell; they are joined when the cell ends."""
        self._take(inline, bold=tag != "th")
        if tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr":
            self._parts.clear()

    def _take(self, inline: list[Inline], *, bold: bool = True) -> None:
        if inline:
            self._parts.append(write_cell(inline, bold=bold))
            inline.clear()

    def lines(self) -> list[str]:
        """Return the lines of the table; without a row of headings it gets an empty one, which markdown demands."""
        rows = [row for row in self._rows if any(row)]
        if not rows:
            return []
        width = max(map(len, rows))
        head = rows.pop(0) if self._heads[0] and self._rows[0] is rows[0] else []
        head = head + [""] * (width - len(head))
        return [_row(head), _row(["---"] * width), *map(_row, rows)]

    def _end_cell(self) -> None:
        columns, rows = self._span
        row = self._rows[-1]
        for number in range(columns if len(row) + columns <= _WIDEST else 1):
            column = len(row)
            row.append("<br>".join(filter(None, self._parts)) if number == 0 else "")
            while len(self._spans) <= column:
                self._spans.append(0)
            self._spans[column] = max(self._spans[column], rows - 1) if column < _WIDEST else 0
        self._parts.clear()
        self._skip_covered()

    def _skip_covered(self) -> None:
        row = self._rows[-1]
        while len(row) < len(self._spans) and self._spans[len(row)] > 0:
            self._spans[len(row)] -= 1
            row.append("")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
