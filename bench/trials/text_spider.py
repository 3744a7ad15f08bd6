"""Crawl a list of addresses with Scrapy and write what trafilatura reads: `... URL OUT --list FILE [--whole]`."""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import scrapy
import trafilatura
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response


class Reader(scrapy.Spider):  # type: ignore[misc, unused-ignore]
    """Read every page of a list."""

    name = "reader"

    def __init__(self, out: str, listed: str, whole: bool, **more: Any) -> None:
        super().__init__(**more)
        self._listed = listed
        self._whole = whole
        self._out = open(out, "a", encoding="utf-8")  # noqa: SIM115 (closed when the spider is)

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Ask for all addresses."""
        for url in Path(self._listed).read_text(encoding="utf-8").split("\n"):
            yield scrapy.Request(url, dont_filter=True)

    def parse(self, response: Response) -> None:
        """Write the text of a page, or all that is read of it."""
        if self._whole:
            found = trafilatura.extract(
                response.body, url=response.url, output_format="json", with_metadata=True, include_images=True
            )
        else:
            found = trafilatura.extract(response.body, url=response.url, include_comments=False)
        self._out.write(json.dumps({"url": response.url, "found": found}) + "\n")

    def closed(self, reason: str) -> None:
        """Close the file."""
        self._out.close()


def main() -> None:
    """Crawl as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("out")
    parser.add_argument("--list", required=True)
    parser.add_argument("--whole", action="store_true")
    said = parser.parse_args()
    settings = {
        "CONCURRENT_REQUESTS": 8,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }
    process = CrawlerProcess(settings)
    process.crawl(Reader, out=said.out, listed=said.list, whole=said.whole)
    process.start()


if __name__ == "__main__":
    main()
