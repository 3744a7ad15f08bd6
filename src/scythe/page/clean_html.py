"""Render pieces as html: every tag and attribute is written by us, every word is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from scythe.page.pieces import PLAIN, Close, Marks, Open, Picture, Piece, Run

_LINE_AFTER_OPEN = frozenset({"ul", "ol", "dl", "table", "tr", "blockquote", "figure"})
_ATTRIBUTES = frozenset({"start", "colspan", "rowspan"})


def render_html(pieces: Iterable[Piece]) -> str:
    """Return html of allow-listed elements and attributes; addresses are absolute http(s) ones."""
    out: list[str] = []
    inline: list[str] = []  # open inline elements as written, outermost first
    preformatted = False
    for piece in pieces:
        if isinstance(piece, Run | Picture):
            if inline or piece.marks is not PLAIN:
                _set_marks(out, inline, piece.marks)
            out.append(_picture(piece) if isinstance(piece, Picture) else escape(piece.text, quote=False))
            continue
        if inline:
            _set_inline(out, inline, [])
        if isinstance(piece, Open):
            out.append(_start_tag(piece))
            preformatted = piece.tag == "pre"
        elif isinstance(piece, Close):
            out.append(f"</{piece.tag}>\n")
            preformatted = False
        else:
            out.append("\n" if preformatted else "<br>\n")
    return "".join(out).strip("\n")


def _start_tag(piece: Open) -> str:
    attributes = ""
    if piece.attributes:
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in piece.attributes if name in _ATTRIBUTES)
    return f"<{piece.tag}{attributes}>" + ("\n" if piece.tag in _LINE_AFTER_OPEN else "")


def _picture(piece: Picture) -> str:
    image = piece.image
    size = "".join(
        f' {name}="{pixels}"' for name, pixels in (("width", image.width), ("height", image.height)) if pixels
    )
    return f'<img src="{escape(image.src)}" alt="{escape(image.alt)}"{size}>'


def _set_marks(out: list[str], inline: list[str], marks: Marks) -> None:
    wanted = [f'a href="{escape(marks.link)}"'] if marks.link else []
    wanted += marks.styles
    _set_inline(out, inline, wanted)


def _set_inline(out: list[str], inline: list[str], wanted: list[str]) -> None:
    shared = 0
    while shared < len(inline) and shared < len(wanted) and inline[shared] == wanted[shared]:
        shared += 1
    while len(inline) > shared:
        out.append(f"</{inline.pop().partition(' ')[0]}>")
    for element in wanted[shared:]:
        out.append(f"<{element}>")
        inline.append(element)
