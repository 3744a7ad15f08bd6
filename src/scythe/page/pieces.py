"""The flat form between a tree and its renderings: what chosen blocks say, with allow-listed structure only.

Everything that leaves scythe as markdown or html is built from these pieces, never from the page's own markup.
"""

from __future__ import annotations

from typing import NamedTuple

from scythe.model import Image
from scythe.url import Url

STRONG, EM, DEL, SUB, SUP, MARK, CODE = "strong", "em", "del", "sub", "sup", "mark", "code"


class Marks(NamedTuple):
    """How a run of text is set: inside which link, and in which of the seven styles, outermost first."""

    link: Url | None = None
    styles: tuple[str, ...] = ()


PLAIN = Marks()


class Open(NamedTuple):
    """An element of structure begins. `attributes` are typed by the outline: numbers clamped, names checked."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()


class Close(NamedTuple):
    """An element of structure ends; pieces nest."""

    tag: str


class Run(NamedTuple):
    """Text in one setting; inside `pre` with its line breaks, else with white space squeezed."""

    text: str
    marks: Marks = PLAIN


class Picture(NamedTuple):
    """An image with its resolved address."""

    image: Image
    marks: Marks = PLAIN


class Break(NamedTuple):
    """A line break inside a paragraph."""


Piece = Open | Close | Run | Picture | Break
