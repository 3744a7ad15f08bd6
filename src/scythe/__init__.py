"""Extract text, images and records from web pages; learn a site from a few pages, cut the rest out of raw bytes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scythe import aio as aio
    from scythe.batch.batch import run_batch
    from scythe.batch.batch_options import BatchOptions
    from scythe.crawling.crawl import crawl
    from scythe.crawling.crawl_options import CrawlOptions
    from scythe.errors import ArchiveFailed, BadInput, FetchFailed, MissingExtra, ScytheError
    from scythe.model import Document, Field, Image, Link, Loss, Metadata, Paging, Record, RecordList, TextOptions
    from scythe.output.archive_export import scan_archive
    from scythe.output.arrow_documents import from_arrow
    from scythe.output.arrow_tables import stream_arrow, to_arrow
    from scythe.page import Page
    from scythe.reader import get, read, read_lists
    from scythe.site.export_rules import opening_tag
    from scythe.site.site import Site
    from scythe.watching.watch import watch
    from scythe.watching.watch_options import ListOptions, WatchOptions

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
    "RecordList",
    "ScytheError",
    "Site",
    "TextOptions",
    "WatchOptions",
    "crawl",
    "from_arrow",
    "get",
    "opening_tag",
    "read",
    "read_lists",
    "run_batch",
    "scan_archive",
    "stream_arrow",
    "to_arrow",
    "watch",
]


_HOMES = {
    "scythe.batch.batch_options": ["BatchOptions"],
    "scythe.batch.batch": ["run_batch"],
    "scythe.crawling.crawl_options": ["CrawlOptions"],
    "scythe.crawling.crawl": ["crawl"],
    "scythe.errors": ["ArchiveFailed", "BadInput", "FetchFailed", "MissingExtra", "ScytheError"],
    "scythe.model": "Document Field Image Link Loss Metadata Paging Record RecordList TextOptions".split(),
    "scythe.page": ["Page"],
    "scythe.reader": ["get", "read", "read_lists"],
    "scythe.site.export_rules": ["opening_tag"],
    "scythe.site.site": ["Site"],
    "scythe.output.archive_export": ["scan_archive"],
    "scythe.output.arrow_documents": ["from_arrow"],
    "scythe.output.arrow_tables": ["stream_arrow", "to_arrow"],
    "scythe.watching.watch_options": ["ListOptions", "WatchOptions"],
    "scythe.watching.watch": ["watch"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import what is public when it is first asked for: `scythe --help` must not pay for a parser."""
    if name == "aio":
        return import_module("scythe.aio")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'scythe' has no attribute {name!r}")
    found = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List public names that were not asked for yet, too: editors complete by this."""
    return sorted({*globals(), *__all__, "aio"})
