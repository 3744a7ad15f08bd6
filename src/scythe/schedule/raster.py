"""Turn a drawing into an image: SVG comes in, PNG goes out, with the letters of the system's fonts."""

from __future__ import annotations

from functools import cache

from scythe.errors import MissingExtra

ZOOM = 2.0  # dots for each unit of a drawing: sharp on paper and on dense screens
_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="{}">{}</text></svg>'
# What systems come with, the generic name first: it stands for a family that need not be installed.
_FAMILIES = """
sans-serif, DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, Segoe UI, Roboto, Ubuntu, Cantarell, Open Sans,
FreeSans, Nimbus Sans, Droid Sans, DejaVu Serif, Liberation Serif, Noto Serif, Times New Roman, FreeSerif
"""


def require_raster() -> None:
    """Raise MissingExtra where images cannot be made, before anything is done for one."""
    try:
        import resvg_py  # noqa: F401 (only whether it is there)
    except ImportError:
        raise MissingExtra("PNG needs the package resvg-py: pip install 'scythe[plot]'; SVG needs nothing") from None
    if not has_fonts():
        raise MissingExtra("this machine has no fonts to draw a PNG with: install some, or take SVG, which needs none")


def has_fonts() -> bool:
    """Say whether letters can be drawn: without fonts they are left out, and nobody is told."""
    return find_family() is not None


@cache
def find_family() -> str | None:
    """Return the name of fonts that letters can be drawn with; None where there are none."""
    import resvg_py

    def draws(family: str) -> bool:
        with_letter, without = (resvg_py.svg_to_bytes(svg_string=_PROBE.format(family, text)) for text in ("M", ""))
        return bytes(with_letter) != bytes(without)

    return next(filter(draws, map(str.strip, _FAMILIES.split(","))), None)


def to_png(svg: str, *, zoom: float = ZOOM) -> bytes:
    """Return a drawing of ours as PNG in its light colours. Raises MissingExtra."""
    require_raster()
    import resvg_py

    family = find_family()
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, font_family=family, sans_serif_family=family))
