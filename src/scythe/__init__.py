"""Harvest web sites: read first pages with the tree, learn them, then cut the same things out of raw bytes."""

from importlib import import_module
from typing import TYPE_CHECKING

import scythe.read  # noqa: F401  (the stage first: importing it later would replace the function of the same name)
from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra, ScytheError
from scythe.model import Document, Field, Image, Link, Loss, Metadata, Paging, Record, Region, TextOptions
from scythe.page import Page
from scythe.reader import read, read_regions

if TYPE_CHECKING:
    from scythe.batch.options import BatchOptions
    from scythe.batch.run import run_batch
    from scythe.crawling.options import CrawlOptions
    from scythe.crawling.stream import crawl
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


_LATER = {
    "BatchOptions": "scythe.batch.options",
    "CrawlOptions": "scythe.crawling.options",
    "ListOptions": "scythe.watching.options",
    "Site": "scythe.site",
    "WatchOptions": "scythe.watching.options",
    "crawl": "scythe.crawling.stream",
    "from_arrow": "scythe.tables.reading",
    "run_batch": "scythe.batch.run",
    "scan_archive": "scythe.tables.archived",
    "stream_arrow": "scythe.tables.writing",
    "to_arrow": "scythe.tables.writing",
    "watch": "scythe.watching.stream",
}


def __getattr__(name: str) -> object:
    """Import what learns, crawls and watches only when it is asked for: it takes longer than all the rest."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'scythe' has no attribute {name!r}")
