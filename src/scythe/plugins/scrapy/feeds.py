"""Feed files of Scrapy that a kill leaves whole lines in: written out in time, ended where one was torn."""

from __future__ import annotations

import logging
from pathlib import Path

from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage

logger = logging.getLogger(__name__)

_LINES = ("jsonlines", "jl", "csv")  # formats that can be gone on with


def flush_feeds(crawler: Crawler) -> None:
    """Hand to the system what feed exports keep in memory; those that are sent away at the end stay as they are."""
    exporter = crawler.get_extension(FeedExporter)
    for slot in exporter.slots if exporter is not None else ():
        if slot.file is not None and not slot.file.closed:
            slot.file.flush()


def mend_feeds(crawler: Crawler) -> None:
    """End the last line of local feed files that a kill tore: the next item would be written behind it."""
    exporter = crawler.get_extension(FeedExporter)
    for slot in exporter.slots if exporter is not None else ():
        if isinstance(slot.storage, FileFeedStorage) and slot.format in _LINES:
            _end_line(Path(slot.storage.path))


def _end_line(path: Path) -> None:
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb+") as file:
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
            logger.warning("The last line of %s was torn, and is ended: its page is asked again", path)
