"""Crawl with Scrapy and any of its schedulers.

KIND is `memory`, `disk` or `sqlite` (Scrapy's own, the latter two with STATE as JOBDIR) or `scythe` (STATE is an
archive). The spider is an ordinary one: it follows every link of its host and yields one item a page, which Scrapy
appends to FEED as a line of JSON.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any
from urllib.parse import urldefrag

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

KINDS: dict[str, dict[str, Any]] = {
    "memory": {},
    "disk": {},
    "sqlite": {
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoSQLiteQueue",
        "SCHEDULER_START_DISK_QUEUE": "scrapy.squeues.PickleFifoSQLiteQueue",
    },
    "scythe": {"SCHEDULER": "scythe.scrapy.Scheduler"},
}


class Walker(scrapy.Spider):
    """Yield every page of one host."""

    name = "walker"

    def __init__(self, url: str, **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = [url]
        self._origin = "/".join(url.split("/")[:3]) + "/"

    def parse(self, response: Response) -> Iterator[dict[str, str] | scrapy.Request]:
        yield {"url": response.url, "title": response.css("title::text").get("")}
        for url in sorted({urldefrag(response.urljoin(href)).url for href in response.xpath("//a/@href").getall()}):
            if url.startswith(self._origin):
                yield scrapy.Request(url, callback=self.parse)


def settings_of(kind: str, state: str, feed: str, concurrency: int) -> dict[str, Any]:
    """Return the settings of a project that uses one of the schedulers."""
    own = {"scythe": {"SCYTHE_ARCHIVE": state}, "memory": {}}.get(kind, {"JOBDIR": state})
    return {
        **KINDS[kind],
        **own,
        "FEEDS": {feed: {"format": "jsonlines"}},
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("state")
    parser.add_argument("url")
    parser.add_argument("feed")
    parser.add_argument("--concurrency", type=int, default=16)
    said = parser.parse_args()
    process = CrawlerProcess(settings_of(said.kind, said.state, said.feed, said.concurrency))
    process.crawl(Walker, url=said.url)
    process.start()


if __name__ == "__main__":
    main()
