"""Turn what a page lists into rows: regions or attributes come in, batches of rows with named columns go out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scythe.model import Image, Region

LEADING = ("page", "region", "kind")
TRAILING = ("link", "image")
IMAGES = "images"
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows of one region of a page, or of its attributes."""

    page: str  # its address, or the name of its source
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]  # one per column; texts but for what is counted, measured or judged
    region: int = 0  # counted from 1, best first; 0 for attributes
    kind: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Which columns come before those of the records; the options decide, so that a header does not hang on a page."""

    page: bool = False
    region: bool = False

    def lead(self, batch: Batch) -> dict[str, Value]:
        """Return the leading cells of all rows of a batch."""
        cells: dict[str, Value] = {"page": batch.page} if self.page else {}
        return cells | ({"region": batch.region, "kind": batch.kind} if self.region else {})

    def dictionaries(self, batch: Batch) -> Iterator[dict[str, Value]]:
        """Yield the rows of a batch by column name."""
        lead = self.lead(batch)
        for row in batch.rows:
            yield lead | dict(zip(batch.columns, row, strict=True))

    def header(self, batches: Iterable[Batch]) -> tuple[str, ...]:
        """Return the columns of several batches in one order: leading ones, those of the records, trailing ones."""
        lead = ("page",) * self.page + ("region", "kind") * self.region
        seen = dict.fromkeys(column for batch in batches for column in batch.columns)
        return (*lead, *(name for name in seen if name not in TRAILING), *(name for name in TRAILING if name in seen))


def region_batch(page: str, number: int, region: Region) -> Batch:
    """Return the records of a region as rows: its columns, then the first link and the first image of each."""
    rows = (
        (*record.fields, record.links[0] if record.links else "", record.images[0] if record.images else "")
        for record in region.records
    )
    return Batch(page, (*own_names(region.columns), *TRAILING), tuple(rows), number, region.kind, region.score)


def attributes_batch(page: str, pairs: Iterable[tuple[str, str]]) -> Batch:
    """Return the attributes of a page as rows of a name and a value."""
    return Batch(page, ("name", "value"), tuple(pairs))


def images_batch(page: str, images: Iterable[Image]) -> Batch:
    """Return the images of a page as rows, those that do not belong to its content too."""
    columns = ("src", "relevant", "score", "alt", "caption", "width", "height")
    rows = ((one.src, one.relevant, round(one.score, 4), one.alt, one.caption, one.width, one.height) for one in images)
    return Batch(page, columns, tuple(rows), kind=IMAGES)


def cell_text(value: Value) -> str:
    """Return a value as text: nothing for None, true and false in lower case as in JSON."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def own_names(columns: tuple[str, ...], ours: tuple[str, ...] = (*LEADING, *TRAILING)) -> tuple[str, ...]:
    """Rename columns of a page that are called like ours."""
    taken = set(ours)
    names = []
    for column in columns:
        name, number = column or "column", 2
        while name in taken:
            name, number = f"{column or 'column'}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return tuple(names)
