"""Render an outline as Markdown: CommonMark 0.31 with GitHub's tables and strikethrough, all words escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby

from scythe.page.outline import (
    CODE,
    DEL,
    EM,
    PLAIN,
    STRONG,
    SUB,
    SUP,
    Break,
    Close,
    Math,
    Open,
    Picture,
    Piece,
    TextRun,
    TextStyle,
)

Inline = TextRun | Picture | Math | Break

_MARKED = re.compile(r"[\\`*\[\]~|<&_]")  # tells in a tenth of the time that there is nothing to escape
_ESCAPE = re.compile(
    r"[\\`*\[\]~|]"
    r"|<(?=[A-Za-z/!?]|$)"  # "a < b" stays readable; at the end of a run the next run may complete a tag
    r"|&(?=[#A-Za-z]|$)"
    r"|(?<![^\W_])_|_(?![^\W_])"  # snake_case is no emphasis
)
_LINE_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+](?=[\s-]|$)|=|>|:(?=-))|(\d{1,9})(?=[.)](?:\s|$))")
_REFERENCE = re.compile(r"&(?=#?\w{1,32};)")
_BAR = re.compile(r"(?<!\\)\|")
_DOLLAR = re.compile(r"(?<!\\)\$")
_ESCAPED = r"\\\g<0>"
_BACKTICKS = re.compile(r"`+")
_DELIMITERS = ((STRONG, "**"), (EM, "*"), (DEL, "~~"))


def escape_words(text: str) -> str:
    """Escape what markdown would read as inline markup."""
    return text if _MARKED.search(text) is None else _ESCAPE.sub(_ESCAPED, text)


def escape_line_start(line: str) -> str:
    """Escape what markdown would read as a heading, list, quote or rule at the start of a line."""
    found = _LINE_START.match(line)
    if found is None:
        return line
    return f"{found[1]}\\{line[found.end() :]}" if found[1] else f"\\{line}"


def fence_for(text: str, least: int) -> str:
    """Return backticks, at least `least` and more than any run of them inside `text`."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def write_lines(pieces: Sequence[Inline]) -> list[str]:
    """Return the pieces as the lines of a paragraph, joined by hard breaks."""
    lines = [escape_line_start(line) for line in _write(pieces, bold=True)]
    return [f"{line}\\" for line in lines[:-1]] + lines[-1:]


def write_heading(pieces: Sequence[Inline]) -> str:
    """Return the pieces as one line without bold, and without the run of "#" at its end that markdown takes away."""
    line = " ".join(_write(pieces, bold=False))
    kept = line.rstrip("#")
    return kept + "\\#" * (len(line) - len(kept))


def write_cell(pieces: Sequence[Inline], *, bold: bool = True) -> str:
    """Return the pieces as one line for a table, where a bar ends the cell even inside code."""
    runs = [
        piece._replace(text=" ".join(piece.text.split("\n"))) if isinstance(piece, TextRun) else piece
        for piece in pieces
    ]
    return _BAR.sub(r"\\|", "<br>".join(_write(runs, bold=bold)))


def _write(pieces: Sequence[Inline], *, bold: bool) -> list[str]:
    """Return the filled lines; `bold` False drops strong where all is."""
    plain = _plain_lines(pieces)
    if plain is not None:
        return plain
    lines: list[str] = []
    pieces = _join_code(pieces)
    writer = _LineWriter(bold)
    for number, piece in enumerate(pieces):
        if isinstance(piece, Break):
            lines.append(writer.finish())
            writer = _LineWriter(bold)
        else:
            writer.add(piece, pieces[number + 1] if number + 1 < len(pieces) else None)
    lines.append(writer.finish())
    return [line for line in lines if line]


def _plain_lines(pieces: Sequence[Inline]) -> list[str] | None:
    """Return the filled lines of text in no setting, which most paragraphs are; None where there is anything else."""
    lines: list[str] = []
    is_begun = False
    for piece in pieces:
        if isinstance(piece, TextRun) and piece.marks is PLAIN and not is_begun:
            is_begun = True  # a second run on the line might change what the end of this one means
            lines.append(escape_words(piece.text.strip(" ")).strip())
        elif isinstance(piece, Break):
            is_begun = False
        else:
            return None
    return [line for line in lines if line]


def _join_code(pieces: Sequence[Inline]) -> list[Inline]:
    """Return the pieces with code in no other style, neighbours joined: two code spans in touch would read as one."""
    joined: list[Inline] = []
    for marks, group in groupby(pieces, key=_code_marks):
        if marks is None:
            joined.extend(group)
        else:
            joined.append(TextRun("".join(piece.text for piece in group if isinstance(piece, TextRun)), marks))
    return joined


def _code_marks(piece: Inline) -> TextStyle | None:
    if isinstance(piece, TextRun) and CODE in piece.marks.styles:
        return TextStyle(piece.marks.link, (CODE,))
    return None


class _LineWriter:
    """One line under way: what was written, which link is open, whether the last thing written was a delimiter."""

    def __init__(self, bold: bool) -> None:
        self._bold = bold
        self._out: list[str] = []
        self._link: str | None = None
        self._after_delimiter = False

    def add(self, piece: TextRun | Picture | Math, following: Inline | None) -> None:
        """Write one piece; `following` tells whether emphasis can end where the piece ends."""
        link = piece.marks.link
        if link != self._link:
            self._close_link()
            if link and isinstance(piece, TextRun):
                text = piece.text.lstrip(" ")
                self._write("[" if text == piece.text else " [")
                piece = piece._replace(text=text)
            elif link:
                self._write("[")
            self._link = link
        if isinstance(piece, Picture):
            self._write(f"![{escape_words(piece.image.alt)}]({_destination(piece.image.src)})")
        elif isinstance(piece, Math):
            self._write_formula(piece)
        else:
            self._add_run(piece, _first_character(following, link))

    def _write_formula(self, piece: Math) -> None:
        tex = " ".join(piece.formula.tex.split())
        if self._out and self._out[-1].endswith("$"):
            self._write(" ")  # two in touch would read as one on a line of its own
        self._write(f"$${tex}$$" if piece.formula.is_display else f"${_DOLLAR.sub(_ESCAPED, tex)}$")

    def finish(self) -> str:
        """Return the line."""
        self._close_link()
        return "".join(self._out).strip()

    def _close_link(self) -> None:
        if self._link:
            text = self._out[-1]
            self._out[-1] = text.rstrip(" ")
            self._write(f"]({_destination(self._link)}){' ' if text.endswith(' ') else ''}")
        self._link = None

    def _write(self, text: str) -> None:
        if text:
            self._out.append(text)
            self._after_delimiter = False

    def _add_run(self, run: TextRun, following: str) -> None:
        core = run.text.strip(" ")
        if not core:
            self._write(run.text)
            return
        self._write(run.text[: len(run.text) - len(run.text.lstrip(" "))])
        after = run.text[len(run.text.rstrip(" ")) :]
        if CODE in run.marks.styles:
            fence = fence_for(core, 1)
            pad = " " if core[0] == "`" or core[-1] == "`" else ""
            self._write(f"{fence}{pad}{core}{pad}{fence}")
        else:
            self._write_words(core, run.marks, after[:1] or following)
        self._write(after)

    def _write_words(self, core: str, marks: TextStyle, following: str) -> None:
        words = escape_words(core)
        if following == "[" and words[-1] == "!":  # before a link it would make an image
            words = f"{words[:-1]}\\!"
        wanted = [mark for style, mark in _DELIMITERS if style in marks.styles and (self._bold or style != STRONG)]
        before = self._out[-1][-1:] if self._out else ""
        tilde = "~" if len(wanted) > 1 and DEL in marks.styles else ""
        if wanted and not self._after_delimiter:
            if _flanks(before, tilde or words[0]) and _flanks(following, tilde or words[-1]):
                opening = "".join(wanted)
                self._write(f"{opening}{words}{opening[::-1]}")
                self._after_delimiter = True
                return
        raised = next((style for style in (SUB, SUP) if style in marks.styles), None)
        self._write(f"<{raised}>{words}</{raised}>" if raised and not marks.link else words)


def _flanks(outside: str, inside: str) -> bool:
    """Say whether a delimiter between these characters opens or closes emphasis (CommonMark 6.2)."""
    return not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _first_character(following: Inline | None, link: str | None) -> str:
    if following is None or isinstance(following, Break):
        return ""
    if isinstance(following, Picture | Math):
        return "!" if isinstance(following, Picture) else "$"
    if following.marks.link != link:
        return "["
    return "`" if CODE in following.marks.styles and following.text[:1] != " " else following.text[:1]


def _destination(url: str) -> str:
    return _REFERENCE.sub("&amp;", url.replace("(", "%28").replace(")", "%29"))


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
    return _MarkdownWriter().write(pieces)


class _MarkdownWriter:
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
            for part in _apart(_strong(pieces) if self._holder == "dt" else pieces):
                self._put(_display(part) if isinstance(part, Math) else write_lines(part))

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


def _apart(pieces: list[Inline]) -> list[list[Inline] | Math]:
    """Return the pieces of a paragraph with the formulas apart that stand on lines of their own."""
    parts: list[list[Inline] | Math] = []
    under_way: list[Inline] = []
    for piece in pieces:
        if isinstance(piece, Math) and piece.formula.is_display:
            parts += [under_way, piece]
            under_way = []
        else:
            under_way.append(piece)
    return [*parts, under_way]


def _display(piece: Math) -> list[str]:
    return ["$$", *piece.formula.tex.split("\n"), "$$"]


def _fenced(pieces: list[Inline], language: str) -> list[str]:
    text = "".join(
        "\n" if isinstance(piece, Break) else piece.text for piece in pieces if isinstance(piece, TextRun | Break)
    )
    fence = fence_for(text, 3)
    return [f"{fence}{language}", *text.split("\n"), fence] if text else []


def _strong(pieces: list[Inline]) -> list[Inline]:
    return [
        piece._replace(marks=piece.marks._replace(styles=(STRONG, *(s for s in piece.marks.styles if s != STRONG))))
        if isinstance(piece, TextRun)
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
