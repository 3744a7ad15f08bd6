"""What stands in the settings of a Scrapy project: the add-on, the spider middleware and the item pipeline.

The add-on enables the others with one setting. The middleware attaches a document to every response and collects pages
to learn from, the pipeline fills in missing fields from the page of an item.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from selectolax.lexbor import SelectolaxError

from scythe.errors import ScytheError
from scythe.scrapy.page_document import PageDocument, value_of
from scythe.scrapy.sites import PluginOptions, sites_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scythe.scrapy.archive_items import Cabinet

_HERE = "scythe.scrapy"
# behind HttpError (50), so that pages of errors are not learned from; behind the others on the way back, so that the
# items it takes note of are those that come to the pipeline
_PARTS = (
    ("SPIDER_MIDDLEWARES", f"{_HERE}.ScytheSpiderMiddleware", 100),
    ("ITEM_PIPELINES", f"{_HERE}.ScythePipeline", 100),
    ("SCRAPY_POET_PROVIDERS", f"{_HERE}.provider.LearnedSiteProvider", 500),
)


class Addon:
    """`ADDONS = {"scythe.scrapy.Addon": 300}`; a part that a project has in its settings stays as it is."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the parts that are not there; one that is set to None stays switched off."""
        for setting, path, order in _PARTS:
            places = settings.getdict(setting)
            if not any(_is_same(key, path) for key in places):
                settings.set(setting, {**places, path: order}, settings.getpriority(setting) or "addon")


def _is_same(key: object, path: str) -> bool:
    """Tell whether a key of a setting, a path or a class, is one of our parts, whichever module it is taken from."""
    module, _, name = key.rpartition(".") if isinstance(key, str) else _place(key)
    return name == path.rpartition(".")[2] and module.startswith(_HERE)


def _place(part: object) -> tuple[str, str, str]:
    return str(getattr(part, "__module__", "")), ".", str(getattr(part, "__qualname__", ""))


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


logger = logging.getLogger(__name__)
_EMPTY: tuple[Any, ...] = (None, "", [], ())  # a value that is there is never replaced, 0 and False included


class ScythePipeline:
    """Fills the fields that SCYTHE_FIELDS names and that an item may have and lacks."""

    def __init__(self, crawler: Crawler) -> None:
        self._sites = sites_of(crawler)
        self._sites.origins.is_wanted = True
        self._wanted = self._sites.options.fields
        self._cabinet = _open_cabinet(self._sites.options)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ScythePipeline:
        """Make the pipeline of a crawler."""
        return cls(crawler)

    async def process_item(self, item: Any, spider: Spider | None = None) -> Any:
        """Return the item with what it lacked; one that no response gave is left as it is."""
        page = self._sites.origins.take(item)
        if page is None or not ItemAdapter.is_item(item):
            self._sites.count("items/without_page")
            return item
        try:
            if self._cabinet is not None and not page.is_filed:
                page.is_filed = True
                page.new_records = await self._cabinet.file(page)
            item = fill(item, page, self._wanted)
        except (ScytheError, SelectolaxError, MemoryError) as error:  # the page is bad; the item need not be
            logger.warning("scythe: nothing of %s: %s", page.page_url, error)
            self._sites.count("items/failed")
        else:
            self._sites.count("items/filled")
        return item

    async def close_spider(self, spider: Spider | None = None) -> None:
        """Wait until what was begun is stored."""
        if self._cabinet is not None:
            await self._cabinet.close()


def _open_cabinet(options: PluginOptions) -> Cabinet | None:
    if not options.stores:
        return None
    from scythe.scrapy.archive_items import Cabinet  # brings SQLAlchemy

    return Cabinet(options.archive)


def fill(item: Any, page: PageDocument, wanted: Any) -> Any:
    """Return an item with the fields filled that it may have and lacks; a frozen one is made anew."""
    adapter = ItemAdapter(item)
    may_have = None if isinstance(item, dict) else set(adapter.field_names())
    lacking = {
        name: value_of(page, what)
        for name, what in wanted.items()
        if (may_have is None or name in may_have) and _is_empty(adapter.get(name))
    }
    try:
        for name, value in lacking.items():
            adapter[name] = value
    except AttributeError:  # what dataclasses and attrs raise of a class that is frozen
        return type(item)(**{**adapter, **lacking})
    return item


def _is_empty(value: Any) -> bool:
    return any(value is one or (type(value) is type(one) and value == one) for one in _EMPTY)
