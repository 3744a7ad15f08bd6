"""The spider middleware that attaches a document to every response and collects pages to learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scythe.scrapy.page_document import PageDocument
from scythe.scrapy.sites import sites_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

KEY = "scythe"  # in response.meta


class ScytheSpiderMiddleware(BaseSpiderMiddleware):
    """Puts a document into `response.meta["scythe"]`, read or cut when something of it is first asked for."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._sites = sites_of(crawler)
        self._origins = self._sites.origins

    def process_spider_input(self, response: Response, spider: Spider | None = None) -> None:
        """Give a response its document, and keep it to learn from."""
        page = self._sites.page(response)
        response.meta[KEY] = page
        self._sites.meet(page, response.status)

    def get_processed_request(self, request: Request, response: Response | None) -> Request:
        """Take a document out of what a spider passes on with `meta=response.meta`: it is of another page."""
        if isinstance(request.meta.get(KEY), PageDocument):
            del request.meta[KEY]
        return request

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Remember which page an item is from, for the pipeline."""
        page = response.meta.get(KEY) if response is not None and response.request is not None else None
        if isinstance(page, PageDocument):
            self._origins.note(item, page)
        return item
