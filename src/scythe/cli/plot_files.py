"""Files of plots: a name and a drawing come in, an SVG or PNG file goes out."""

from __future__ import annotations

from pathlib import Path

from scythe.errors import BadInput

SUFFIXES = (".svg", ".png")


def check_plot(path: Path | None) -> None:
    """Raise BadInput or MissingExtra where a plot cannot be written, before anything is done for it."""
    if path is None:
        return
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path}: plots are written to {' or '.join(SUFFIXES)} files")
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent}: there is no such folder")
    if path.suffix.lower() == ".png":
        from scythe.schedule.raster import require_raster

        require_raster()


def write_plot(path: Path, svg: str) -> None:
    """Write a drawing as the suffix says; a reader sees the old file or the whole new one."""
    from scythe.export import write_atomically

    if path.suffix.lower() == ".png":
        from scythe.schedule.raster import to_png

        write_atomically(path, to_png(svg))
    else:
        write_atomically(path, svg.encode())
