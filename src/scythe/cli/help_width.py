"""Help that fits the terminal: what a command says of itself comes in, lines that are not too wide go out."""

from __future__ import annotations

import re
import shutil

_EXAMPLE = re.compile(r"(  \S(?:.*?\S)?)( {2,})(\S.*)")  # a command or code, then what it does
_INDENT = 2  # of all that a command says of itself, added when it is shown
_SHORT = 24  # characters: what is said of a longer command goes below it


def fold(text: str, width: int | None = None) -> str:
    """Break lines of the blocks that are shown as they are: what a command does goes below it where it does not fit.

    `width` is in characters; None: that of the terminal.
    """
    width = (width or shutil.get_terminal_size().columns) - _INDENT
    return "\n".join(line for whole in text.splitlines() for line in _lines(whole, width))


def _lines(line: str, width: int) -> list[str]:
    found = _EXAMPLE.fullmatch(line)
    if len(line) <= width or found is None:
        return [line]
    head = found[1] + found[2]
    if len(head) > _SHORT:
        return [found[1], *_wrapped(found[3], width, "      ")]
    first, *others = _wrapped(found[3], width, " " * len(head))
    return [head + first.lstrip(), *others]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    lines = [indent]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width and lines[-1].strip():
            lines.append(indent)
        lines[-1] += word if lines[-1] == indent else f" {word}"
    return lines
