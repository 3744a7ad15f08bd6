"""How long Scrapy's one thread is kept from its work: `python -m tools.measure_scrapy [--pages 300] [--weight 60000]`.

The same spider crawls the demo site four times: without scythe, with the add-on (which learns the site in another
process), and with an add-on that learns in a thread or in the reactor itself. A task that wants to run every 5 ms says
how late it came. CPU is that of the Scrapy process alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response

from scythe.demo.serve import DemoOptions, serve_demo_process
from scythe.engine.worker_protocol import Message, pack_setup
from scythe.scrapy import sites
from scythe.scrapy.learned_profiles import Study, learn

WAYS = ("without", "process", "thread", "reactor")
_EVERY_S = 0.005


class Walker(scrapy.Spider):
    """An item of every page, and every link followed."""

    name = "walker"

    def __init__(self, start: str, **more: Any) -> None:
        super().__init__(**more)
        self.start_urls = [start]

    def parse(self, response: Response) -> Iterator[Any]:
        if isinstance(response, HtmlResponse):
            yield {"address": response.url, "title": response.css("title::text").get()}
            for link in response.css("a::attr(href)").getall():
                if response.urljoin(link).startswith(self.start_urls[0]):
                    yield response.follow(link)


class Lateness:
    """Notes how late a task runs that wants to run all the time."""

    def __init__(self, crawler: Any) -> None:
        self.late: list[float] = []
        self.task: asyncio.Task[None] | None = None
        crawler.signals.connect(self.begin, signals.response_received)
        crawler.signals.connect(self.end, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Lateness:
        return cls(crawler)

    def begin(self) -> None:
        if self.task is None:
            self.task = asyncio.ensure_future(self.run())

    async def run(self) -> None:
        while True:
            due = time.perf_counter() + _EVERY_S
            await asyncio.sleep(_EVERY_S)
            self.late.append(time.perf_counter() - due)

    def end(self, spider: Any) -> None:
        assert self.task is not None
        self.task.cancel()
        late = sorted(self.late)
        spider.crawler.stats.set_value("late", [late[-1], late[int(0.99 * len(late))]])


def crawl(way: str, start: str) -> None:
    """Crawl in this process and print what came of it."""
    settings: dict[str, Any] = {"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "EXTENSIONS": {Lateness: 1}}
    settings |= {"DOWNLOAD_DELAY": 0.04, "RANDOMIZE_DOWNLOAD_DELAY": False}  # or there is no moment to be late for
    if way != "without":
        settings["ADDONS"] = {"scythe.scrapy.Addon": 300}
    if way in ("thread", "reactor"):
        Study.run = _learn_here  # type: ignore[method-assign]
    if way == "reactor":
        sites.run_in_thread = _at_once
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Walker)
    began = time.process_time()
    process.crawl(crawler, start=start)
    process.start()
    assert crawler.stats is not None
    said = crawler.stats.get_stats()
    figures = {name: value for name, value in said.items() if isinstance(value, int | float | list)}
    print(json.dumps({**figures, "cpu": time.process_time() - began}))


async def _at_once(_threads: Any, work: Any) -> Any:
    return work()


def _learn_here(study: Study) -> str | None:
    head, parts = pack_setup(study.setup)
    return learn([Message(head, tuple(parts)), *(Message({"url": url}, (body,)) for url, body in study.pages)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--weight", type=int, default=60_000, help="bytes of a page, at least")
    parser.add_argument("--crawl", nargs=2, help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.crawl:
        crawl(*said.crawl)
        return
    names = ("pages", "CPU s", "ms/page", "worst ms", "p99 ms", "read", "cut", "doubt")
    print(" " * 8 + "".join(f"{name:>9}" for name in names))
    with serve_demo_process(DemoOptions(pages=said.pages, weight_bytes=said.weight)) as served:
        for way in WAYS:
            command = [sys.executable, "-m", "tools.measure_scrapy", "--crawl", way, served.url]
            row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            pages, (worst, usual) = row["item_scraped_count"], row["late"]
            ways = [row.get(f"scythe/pages/{name}", 0) for name in ("read", "cut", "doubtful")]
            times = (f"{1e3 * row['cpu'] / pages:.1f}", f"{1e3 * worst:.0f}", f"{1e3 * usual:.0f}")
            print(f"{way:8}" + "".join(f"{cell:>9}" for cell in (pages, f"{row['cpu']:.1f}", *times, *ways)))


if __name__ == "__main__":
    main()
