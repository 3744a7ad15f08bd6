"""Turn a drawing into an image: SVG comes in, PNG goes out.

The letters come from a font of scythe's own, so that an image has its words on a machine without fonts, and is the
same on every machine. Only what that font lacks (it has ASCII and a few signs) is looked for among the system's fonts.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from scythe.errors import MissingExtra

_FONT = ("Aileron.ttf", "Aileron")
ZOOM = 2.0  # dots for each unit of a drawing: sharp on paper and on dense screens


def require_raster() -> None:
    """Raise MissingExtra where images cannot be made, before anything is done for one."""
    try:
        import resvg_py  # noqa: F401 (only whether it is there)
    except ImportError:
        raise MissingExtra("PNG needs the package resvg-py: pip install 'scythe[plot]'; SVG needs nothing") from None


def to_png(svg: str, *, zoom: float = ZOOM) -> bytes:
    """Return a drawing of ours as PNG in its light colours. Raises MissingExtra."""
    require_raster()
    import resvg_py

    name, family = _FONT
    with as_file(files("scythe.schedule") / "fonts" / name) as font:
        return resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=zoom,
            font_files=[str(font)],
            font_family=family,
            sans_serif_family=family,
            skip_system_fonts=_is_covered(svg),
        )


def _is_covered(text: str) -> bool:
    """Say whether the font has all letters: to look through the fonts of a machine takes longer than to draw."""
    return all(sign < "\x7f" or sign in "·…©°±«»‘’“”™" for sign in text)
