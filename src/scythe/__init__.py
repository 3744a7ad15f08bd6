"""Harvest web sites: read first pages with the tree, learn them, then cut the same things out of raw bytes."""

from importlib import import_module
from typing import TYPE_CHECKING

import scythe.read  # noqa: F401  (the stage first: importing it later would replace the function of the same name)
from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra, ScytheError
from scythe.model import Document, Field, Image, Link, Loss, Metadata, Paging, Record, Region, TextOptions
from scythe.page import Page
from scythe.reader import read, read_regions

if TYPE_CHECKING:
    from scythe.crawling.options import CrawlOptions
    from scythe.crawling.stream import crawl
    from scythe.site import Site
    from scythe.watching.options import ListOptions, WatchOptions
    from scythe.watching.stream import watch

__all__ = [
    "ArchiveFailed",
    "BadInput",
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
    "read",
    "read_regions",
    "watch",
]


_LATER = {
    "CrawlOptions": "scythe.crawling.options",
    "ListOptions": "scythe.watching.options",
    "Site": "scythe.site",
    "WatchOptions": "scythe.watching.options",
    "crawl": "scythe.crawling.stream",
    "watch": "scythe.watching.stream",
}


def __getattr__(name: str) -> object:
    """Import what learns, crawls and watches only when it is asked for: it takes longer than all the rest."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'scythe' has no attribute {name!r}")
