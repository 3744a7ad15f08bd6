"""The item pipeline that fills in missing fields from the item's page."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from selectolax.lexbor import SelectolaxError

from scythe.errors import ScytheError
from scythe.scrapy.page_document import PageDocument, value_of
from scythe.scrapy.sites import PluginOptions, sites_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from scythe.scrapy.archive_items import Cabinet

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
