"""Run spiders one after the other in this process: `python -m tests.scrapy.scheduler_runs SETTINGS URL NAME...`.

SETTINGS is JSON. It prints one JSON object a run: the statistics, and in `items` what the spider yielded.
"""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.log import configure_logging
from scrapy.utils.reactor import install_reactor

SETTINGS: dict[str, Any] = {
    "SCHEDULER": "scythe.scrapy.Scheduler",
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "RETRY_TIMES": 2,
}


class Base(scrapy.Spider):
    """A spider of the gated site."""

    def __init__(self, url: str = "", **more: Any) -> None:
        super().__init__(**more)
        self.url = url

    def ask(self, path: str, **more: Any) -> scrapy.Request:
        return scrapy.Request(self.url + path, **more)

    def parse(self, response: Response, **more: Any) -> Any:
        yield {"url": response.url.removeprefix(self.url), **more}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse)


class Tree(Base):
    """Follow every link."""

    name = "tree"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield self.ask("/page/0", dont_filter=True)


class Hosts(Base):
    """Walk two hosts."""

    name = "hosts"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for host in ("127.0.0.1", "127.0.0.2"):
            yield scrapy.Request(self.url.replace("127.0.0.1", host) + "/page/0", dont_filter=True)


class Mixed(Base):
    """Meet everything that may become of a request."""

    name = "mixed"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for path in ("/moved/1", "/flaky/1", "/dead/1", "/none/1", "/leaf/raises", "/leaf/item", "/leaf/2"):
            yield self.ask(path, callback=self.parse_one, errback=self.note)
        yield scrapy.Request("http://127.0.0.1:9/refused", errback=self.note, meta={"max_retry_times": 1})
        yield self.ask("/leaf/2", callback=self.parse_one)
        yield self.ask("/leaf/2", callback=self.parse_one, dont_filter=True)
        yield self.ask("/leaf/2", callback=self.parse_one, dont_filter=True)

    def parse_one(self, response: Response) -> Iterator[dict[str, str]]:
        if response.url.endswith("raises"):
            raise RuntimeError("as it is meant to")
        yield {"url": response.url.removeprefix(self.url)}

    def note(self, failure: Any) -> Iterator[dict[str, str]]:
        yield {"failed": failure.request.url.removeprefix(self.url)}


class Ranked(Base):
    """Name requests in another order than they are urgent."""

    name = "ranked"
    custom_settings: ClassVar[dict[str, Any] | None] = {"CONCURRENT_REQUESTS": 1}

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield self.ask("/leaf/first", callback=self.name_more)

    def name_more(self, response: Response) -> Iterator[scrapy.Request]:
        for priority in (0, 5, -3, 9):
            yield self.ask(f"/leaf/{priority}", priority=priority, callback=self.once_more if priority == 9 else None)

    def once_more(self, response: Response) -> Iterator[Any]:
        yield {"url": "/leaf/9"}
        yield self.ask("/leaf/7", priority=7)


class Unwritable(Base):
    """Name requests with callbacks that nobody can write down."""

    name = "unwritable"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield self.ask("/page/0", callback=self.name_more)

    def name_more(self, response: Response) -> Iterator[scrapy.Request]:
        yield self.ask("/moved/1", callback=lambda response: self.once_more(response, 2))

    def once_more(self, response: Response, number: int) -> Iterator[Any]:
        yield {"url": response.url.removeprefix(self.url)}
        yield self.ask("/leaf/last", callback=lambda response: self.parse(response, number=number))


class Half(Unwritable):
    """Yield an item, wait for another page, and yield the rest; and name what cannot be written."""

    name = "half"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield self.ask("/page/0", callback=self.name_more)
        yield self.ask("/page/1", callback=self.parse_half)

    async def parse_half(self, response: Response) -> AsyncIterator[Any]:
        yield {"url": "first half"}
        await self.crawler.engine.download_async(self.ask("/leaf/between"))
        yield {"url": "second half"}
        yield self.ask("/leaf/named", callback=self.parse)


class Refuse:
    """A pipeline that fails for one item."""

    def process_item(self, item: dict[str, str]) -> dict[str, str]:
        if item.get("url") == "/leaf/item":
            raise RuntimeError("as it is meant to")
        return item


SPIDERS = {spider.name: spider for spider in (Half, Hosts, Mixed, Ranked, Tree, Unwritable)}


async def run(name: str, url: str, settings: dict[str, Any]) -> dict[str, Any]:
    items: list[Any] = []
    pipelines = {"ITEM_PIPELINES": {Refuse: 1}} if name == "mixed" else {}
    crawler = Crawler(SPIDERS[name], SETTINGS | pipelines | settings)
    crawler.signals.connect(lambda item: items.append(item), signal=signals.item_scraped, weak=False)
    await AsyncCrawlerRunner().crawl(crawler, url=url)
    assert crawler.stats is not None
    told = {key: value for key, value in crawler.stats.get_stats().items() if isinstance(value, (int, str))}
    return told | {"items": items}


async def run_all(names: list[str], url: str, settings: dict[str, Any]) -> None:
    for name in names:
        print(json.dumps(await run(name, url, settings)), flush=True)


def main() -> None:
    settings, url, *names = sys.argv[1:]
    configure_logging(SETTINGS)
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor

    ended: Any = deferred_from_coro(run_all(names, url, json.loads(settings)))
    ended.addErrback(lambda failure: failure.printTraceback(sys.stderr))
    ended.addBoth(lambda _: reactor.stop())  # type: ignore[attr-defined]
    reactor.run()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
