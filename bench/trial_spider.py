"""Crawl with Scrapy, only saving bodies: `python -m bench.trial_spider URL OUT [--list FILE] [--kept FOLDER]`.

The fastest spider we know how to write: no robots.txt, no cookies, no log, no retries, no items or pipelines; a body is
appended to one open file. Links are found by one XPath, each address of a page once. With `--list` no page is parsed;
with `--kept` Scrapy keeps its queue in a folder (JOBDIR), as it does for crawls that are to go on after a stop.
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response


class Saver(scrapy.Spider):  # type: ignore[misc, unused-ignore]
    """Save every body of one host."""

    name = "saver"

    def __init__(self, url: str, out: str, listed: str | None, **more: Any) -> None:
        super().__init__(**more)
        self._url = url
        self._listed = listed
        self._out = open(out, "ab", buffering=0)  # noqa: SIM115 (closed when the spider is)
        self._origin = "/".join(url.split("/")[:3]) + "/"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Ask for the first page, or for all of a list."""
        urls = Path(self._listed).read_text(encoding="utf-8").split() if self._listed else [self._url]
        for url in urls:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        """Save a body and ask for what it names."""
        self._out.write(response.body)
        if self._listed is None:
            found = {urldefrag(response.urljoin(href)).url for href in response.xpath("//a/@href").getall()}
            yield from (scrapy.Request(url) for url in found if url.startswith(self._origin))

    def closed(self, reason: str) -> None:
        """Close the file."""
        self._out.close()


def main() -> None:
    """Crawl as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("out")
    parser.add_argument("--list", metavar="FILE", help="ask for these addresses, and do not look for links")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--kept", metavar="FOLDER", help="keep what is to be asked for in this folder")
    said = parser.parse_args()
    settings = {
        "CONCURRENT_REQUESTS": said.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": said.concurrency,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
    }
    if said.kept:
        settings["JOBDIR"] = said.kept
    process = CrawlerProcess(settings)
    process.crawl(Saver, url=said.url, out=said.out, listed=said.list)
    process.start()


if __name__ == "__main__":
    main()
