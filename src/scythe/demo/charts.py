"""Small charts: numbers come in, text with inline SVG beside it goes out, without any reference to the outside.

Names and numbers stay text of the page, so that they keep their size on small screens and can be read aloud; colours
are classes, so that the style sheet of the page decides them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_ACROSS = 40  # boxes in a line of a strip
_SIZE = 16
_HEIGHTS = {"cut": 16, "mixed": 12, "tree": 8, "cold": 4}  # told apart without colours too


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with what is written before and behind it."""

    name: str
    parts: tuple[tuple[str, float], ...]  # classes and lengths
    words: str


def draw_bars(title: str, bars: Sequence[Bar], *, most: float, thick: bool = False) -> str:
    """Draw bars below each other; one of the length `most` fills its line."""
    lines = []
    for bar in bars:
        at, boxes = 0.0, []
        for kind, length in bar.parts:
            wide = 100 * length / most if most else 0.0
            boxes.append(f'<rect class="{kind}" x="{at:.2f}" width="{wide:.2f}" height="10"/>')
            at += wide
        drawn = f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{"".join(boxes)}</svg>'
        lines.append(f"<li><span>{escape(bar.name)}</span>{drawn}<span>{escape(bar.words)}</span></li>")
    kind = "bars thick" if thick else "bars"
    return f'<ul class="{kind}" aria-label="{escape(title)}">{"".join(lines)}</ul>'


def draw_strip(title: str, said: str, kinds: Sequence[str], mark_at: int | None) -> str:
    """Draw a box for each page, the taller the less of a tree it took, forty in a line; a line before `mark_at`."""
    high = _SIZE + 8
    boxes = []
    for number, kind in enumerate(kinds):
        x, y = number % _ACROSS * _SIZE, number // _ACROSS * high
        tall = _HEIGHTS[kind]
        boxes.append(
            f'<rect class="{kind}" x="{x + 1}" y="{y + 20 - tall}" width="{_SIZE - 2}" height="{tall}" rx="2"/>'
        )
        if number == mark_at:
            boxes.append(f'<rect class="mark" x="{x - 1.5}" y="{y}" width="3" height="{high}"/>')
    rows = -(-len(kinds) // _ACROSS)
    named = f"<title>{escape(title)}</title><desc>{escape(said)}</desc>"
    return (
        f'<svg class=strip viewBox="-2 0 {_ACROSS * _SIZE + 2} {rows * high}" role="img" '
        f'aria-label="{escape(title)}: {escape(said)}">{named}{"".join(boxes)}</svg>'
    )
