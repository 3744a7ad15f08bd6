"""Turn a drawing into an image: SVG comes in, PNG goes out, with the letters of the system's fonts."""

from __future__ import annotations

from functools import cache

from scythe.errors import MissingExtra

ZOOM = 2.0  # dots for each unit of a drawing: sharp on paper and on dense screens
_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">{}</text></svg>'


def require_raster() -> None:
    """Raise MissingExtra where images cannot be made, before anything is done for one."""
    try:
        import resvg_py  # noqa: F401 (only whether it is there)
    except ImportError:
        raise MissingExtra("PNG needs the package resvg-py: pip install 'scythe[plot]'; SVG needs nothing") from None
    if not has_fonts():
        raise MissingExtra("this machine has no fonts to draw a PNG with: install some, or take SVG, which needs none")


@cache
def has_fonts() -> bool:
    """Say whether letters can be drawn: without fonts they are left out, and nobody is told."""
    import resvg_py

    with_letter, without = (resvg_py.svg_to_bytes(svg_string=_PROBE.format(text)) for text in ("M", ""))
    return bytes(with_letter) != bytes(without)


def to_png(svg: str, *, zoom: float = ZOOM) -> bytes:
    """Return a drawing of ours as PNG in its light colours. Raises MissingExtra."""
    require_raster()
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom))
