"""Pieces of SVG: shapes and words come in, elements go out, every text of them escaped.

A drawing refers to nothing outside of itself and runs nothing. Colours are classes with plain values, dark ones in a
media query: what knows no media queries or variables, such as a rasteriser, still shows the light ones. There are no
ids, so that several drawings can stand in one page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
# name -> (light, dark)
PAPER, INK, SOFT, GRID = ("#fdfcf9", "#171a15"), ("#22261f", "#e8eae2"), ("#5b6355", "#a7af9f"), ("#e3e0d5", "#30362c")
LINES = (  # told apart by people who see few colours too, and by their dashes by those who see none
    ("#2f7a3a", "#7fc274"),
    ("#b4502f", "#ee9670"),
    ("#2f62b3", "#86b0f2"),
    ("#7a3fb0", "#c79bf2"),
    ("#a0790a", "#e0bb50"),
    ("#0e7f86", "#5fc9cf"),
    ("#a83275", "#f08fc2"),
    ("#5b6355", "#b4bbac"),
)
_FILLS = {
    "paper": PAPER,
    "ink": INK,
    "soft": SOFT,
    "came": ("#a5c99f", "#48764a"),
    "lost": ("#c62f2a", "#ff7a70"),
    "ahead": ("#f4f1e8", "#1f241c"),
    "lostword": ("#b32720", "#ff8b82"),
    "none": ("none", "none"),
    "due": ("#7a3fb0", "#c79bf2"),
} | {f"f{number}": colours for number, colours in enumerate(LINES)}
_STROKES = {
    "grid": GRID,
    "base": ("#9aa093", "#6b7366"),
    "visit": INK,
    "rate": ("#b4641a", "#f0a55a"),
    "plan": ("#7a3fb0", "#c79bf2"),
    "halo": PAPER,
    "goal": ("#c62f2a", "#ff7a70"),
} | {f"s{number}": colours for number, colours in enumerate(LINES)}


def _rules(dark: int) -> str:
    fills = (f".scythe-plot .{name}{{fill:{colours[dark]}}}" for name, colours in _FILLS.items())
    strokes = (f".scythe-plot .{name}{{stroke:{colours[dark]}}}" for name, colours in _STROKES.items())
    return "".join((*fills, *strokes))


_STYLE = (
    f"<style>.scythe-plot text{{font-family:{_FONT};font-size:12px}}"
    ".scythe-plot .name{font-size:17px;font-weight:600}.scythe-plot .small{font-size:11px}"
    ".scythe-plot .strong{font-weight:600}"
    ".scythe-plot .halo{stroke-width:4px;stroke-linejoin:round}"
    f"{_rules(0)}@media (prefers-color-scheme:dark){{{_rules(1)}}}</style>"
)


def draw(width: float, height: float, title: str, said: str, parts: Iterable[str]) -> str:
    """Return a whole drawing with its name and what it shows in words, for those who hear it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scythe-plot" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{quote(title)}" '
        'style="max-width:100%;height:auto">'
        f"<title>{quote(title)}</title><desc>{quote(said)}</desc>{_STYLE}"
        f"{box('paper', 0, 0, width, height)}{''.join(parts)}</svg>\n"
    )


def move(down: float, parts: Iterable[str]) -> str:
    """Return elements as one, so much further down."""
    return f'<g transform="translate(0 {down:.6g})">{"".join(parts)}</g>'


def quote(text: str) -> str:
    """Return text for XML: escaped, and without the characters that XML has no way to write."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text))


def box(kind: str, x: float, y: float, wide: float, high: float, *, said: str = "", round_by: float = 0.0) -> str:
    """Draw a filled box; `said` is shown where the pointer rests on it."""
    corner = f' rx="{round_by:g}"' if round_by else ""
    inner = f"><title>{quote(said)}</title></rect>" if said else "/>"
    return f'<rect class="{kind}" x="{x:.5g}" y="{y:.5g}" width="{wide:.5g}" height="{high:.5g}"{corner}{inner}'


def words(kind: str, x: float, y: float, text: str, *, anchor: str = "start") -> str:
    """Write a line of text; `anchor` is start, middle or end."""
    held = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text class="{kind}" x="{x:.5g}" y="{y:.5g}"{held}>{quote(text)}</text>'


def path(kind: str, steps: str, *, width: float = 1.0, dash: str = "", said: str = "") -> str:
    """Draw a line along the steps of a path."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    inner = f"><title>{quote(said)}</title></path>" if said else "/>"
    return (
        f'<path class="{kind}" d="{steps}" fill="none" stroke-width="{width:g}" stroke-linejoin="round" '
        f'stroke-linecap="round"{dashed}{inner}'
    )


def line(kind: str, x1: float, y1: float, x2: float, y2: float, *, width: float = 1.0, dash: str = "") -> str:
    """Draw a straight line."""
    return path(kind, f"M{x1:.5g} {y1:.5g}L{x2:.5g} {y2:.5g}", width=width, dash=dash)


def ticks(kind: str, places: Iterable[float], top: float, high: float, *, width: float = 1.5) -> str:
    """Draw short upright lines, all of them as one element."""
    steps = "".join(f"M{x:.5g} {top:.5g}v{high:g}" for x in places)
    return path(kind, steps, width=width) if steps else ""


def diamonds(kind: str, places: Iterable[float], middle: float) -> str:
    """Draw small filled marks, all of them as one element."""
    steps = "".join(f"M{x - 3.5:.5g} {middle:.5g}l3.5-3.5 3.5 3.5-3.5 3.5z" for x in places)
    return f'<path class="{kind}" d="{steps}"/>' if steps else ""


def circle(kind: str, x: float, y: float, radius: float, *, width: float = 1.75, said: str = "") -> str:
    """Draw a circle."""
    inner = f"><title>{quote(said)}</title></circle>" if said else "/>"
    return f'<circle class="{kind}" cx="{x:.5g}" cy="{y:.5g}" r="{radius:g}" stroke-width="{width:g}"{inner}'


def wide_of(text: str, size: float = 12.0) -> float:
    """Return about how wide a text is written, generously: fonts differ from machine to machine."""
    return 0.6 * size * len(text)


def shorten(text: str, most: int) -> str:
    """Return at most so many characters of a text."""
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"
