"""Write inline content as markdown: runs and pictures come in, one line (or several, by hard breaks) goes out.

Words of the page are escaped so that they read as themselves: by CommonMark 0.31 and GitHub's tables and strikethrough.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from scythe.page.pieces import CODE, DEL, EM, PLAIN, STRONG, SUB, SUP, Break, Marks, Picture, Run

Inline = Run | Picture | Break

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
_BACKTICKS = re.compile(r"`+")
_DELIMITERS = ((STRONG, "**"), (EM, "*"), (DEL, "~~"))


def escape_words(text: str) -> str:
    """Escape what markdown would read as inline markup."""
    return text if _MARKED.search(text) is None else _ESCAPE.sub(r"\\\g<0>", text)


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
        piece._replace(text=" ".join(piece.text.split("\n"))) if isinstance(piece, Run) else piece for piece in pieces
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
        if isinstance(piece, Run) and piece.marks is PLAIN and not is_begun:
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
            joined.append(Run("".join(piece.text for piece in group if isinstance(piece, Run)), marks))
    return joined


def _code_marks(piece: Inline) -> Marks | None:
    if isinstance(piece, Run) and CODE in piece.marks.styles:
        return Marks(piece.marks.link, (CODE,))
    return None


class _LineWriter:
    """One line under way: what was written, which link is open, whether the last thing written was a delimiter."""

    def __init__(self, bold: bool) -> None:
        self._bold = bold
        self._out: list[str] = []
        self._link: str | None = None
        self._after_delimiter = False

    def add(self, piece: Run | Picture, following: Inline | None) -> None:
        """Write one piece; `following` tells whether emphasis can end where the piece ends."""
        link = piece.marks.link
        if link != self._link:
            self._close_link()
            if link and isinstance(piece, Run):
                piece = self._open_link(piece)
            elif link:
                self._write("[")
            self._link = link
        if isinstance(piece, Picture):
            self._write(f"![{escape_words(piece.image.alt)}]({_destination(piece.image.src)})")
        else:
            self._add_run(piece, _first_character(following, link))

    def finish(self) -> str:
        """Return the line."""
        self._close_link()
        return "".join(self._out).strip()

    def _open_link(self, run: Run) -> Run:
        text = run.text.lstrip(" ")
        self._write("[" if text == run.text else " [")
        return run._replace(text=text)

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

    def _add_run(self, run: Run, following: str) -> None:
        core = run.text.strip(" ")
        if not core:
            self._write(run.text)
            return
        self._write(run.text[: len(run.text) - len(run.text.lstrip(" "))])
        after = run.text[len(run.text.rstrip(" ")) :]
        if CODE in run.marks.styles:
            self._write(_code_span(core))
        else:
            self._write_words(core, run.marks, after[:1] or following)
        self._write(after)

    def _write_words(self, core: str, marks: Marks, following: str) -> None:
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
    if isinstance(following, Picture):
        return "!"
    if following.marks.link != link:
        return "["
    return "`" if CODE in following.marks.styles and following.text[:1] != " " else following.text[:1]


def _code_span(text: str) -> str:
    fence = fence_for(text, 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _destination(url: str) -> str:
    return _REFERENCE.sub("&amp;", url.replace("(", "%28").replace(")", "%29"))
