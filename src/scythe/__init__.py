"""Harvest web sites: read first pages with the tree, learn them, then cut the same things out of raw bytes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scythe.batch.options import BatchOptions
    from scythe.batch.run import run_batch
    from scythe.crawling.options import CrawlOptions
    from scythe.crawling.stream import crawl
    from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra, ScytheError
    from scythe.model import Document, Field, Image, Link, Loss, Metadata, Paging, Record, Region, TextOptions
    from scythe.page import Page
    from scythe.reader import read, read_regions
    from scythe.site import Site
    from scythe.tables.archived import scan_archive
    from scythe.tables.reading import from_arrow
    from scythe.tables.writing import stream_arrow, to_arrow
    from scythe.watching.options import ListOptions, WatchOptions
    from scythe.watching.stream import watch

__all__ = [
    "ArchiveFailed",
    "BadInput",
    "BatchOptions",
    "CrawlOptions",
    "Document",
    "FetchFailed",
    "Field",
    "Image",
    "Link",
    "ListOptions",
    "Loss",
    "Metadata",
    "MissingExtra",
    "Page",
    "Paging",
    "Record",
    "Region",
    "ScytheError",
    "Site",
    "TextOptions",
    "WatchOptions",
    "crawl",
    "from_arrow",
    "read",
    "read_regions",
    "run_batch",
    "scan_archive",
    "stream_arrow",
    "to_arrow",
    "watch",
]


_HOMES = {
    "scythe.batch.options": ["BatchOptions"],
    "scythe.batch.run": ["run_batch"],
    "scythe.crawling.options": ["CrawlOptions"],
    "scythe.crawling.stream": ["crawl"],
    "scythe.errors": ["ArchiveFailed", "BadInput", "FetchFailed", "MissingExtra", "ScytheError"],
    "scythe.model": "Document Field Image Link Loss Metadata Paging Record Region TextOptions".split(),
    "scythe.page": ["Page"],
    "scythe.reader": ["read", "read_regions"],
    "scythe.site": ["Site"],
    "scythe.tables.archived": ["scan_archive"],
    "scythe.tables.reading": ["from_arrow"],
    "scythe.tables.writing": ["stream_arrow", "to_arrow"],
    "scythe.watching.options": ["ListOptions", "WatchOptions"],
    "scythe.watching.stream": ["watch"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# The stage is imported here and its name given back: imported later, it would replace the function of the same name.
import_module("scythe.read")
globals().pop("read")


def __getattr__(name: str) -> object:
    """Import what is public when it is first asked for: `scythe --help` must not pay for a parser."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'scythe' has no attribute {name!r}")
    found = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List public names that were not asked for yet, too: editors complete by this."""
    return sorted({*globals(), *__all__})
