"""Tokens of an image's tags as paper 003 (TC, Algorithm 3) cuts them: text comes in, a bag of tokens goes out."""

from __future__ import annotations

from scythe.model import ImageContext

_SPACED = ("//", "/", ".", "?", ";")  # become a space, in this order, so that `//` leaves one space and not two


def text_of(context: ImageContext) -> str:
    """Return the paper's textual data of an image: the opening tags of grandparent, parent and image."""
    return "".join(context.tags)


def tokenise(text: str, *, as_printed: bool = False) -> list[str]:
    """Cut text into tokens as the paper's code does, or with `as_printed` as the paper's example shows.

    The code leaves quotes in (`class="row`), glues tags that no space parts (`wrapper"div`) and makes empty tokens
    where spaces meet; the printed bag has none of that. The published scores come from the code.
    """
    text = text.lower().replace("<", " " if as_printed else "").replace(">", "").strip()
    for mark in _SPACED:
        text = text.replace(mark, " ")
    if as_printed:
        return text.replace('"', " ").split()
    # the second call finds something only where five or more spaces met; it stands here because it does in the original
    return text.replace("  ", " ").replace("   ", " ").split(" ")
