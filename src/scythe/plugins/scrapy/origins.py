"""Which page an item is from: Scrapy tells a spider middleware, and its pipelines are not told."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from scythe.plugins.scrapy.page_document import PageDocument

_ITEMS = 2_000  # that are between spider and pipeline: by default Scrapy has 100 of each of 16 responses there


class Origins:
    """Which page each item is from, for as long as it is on its way to the pipeline."""

    def __init__(self) -> None:
        self.is_wanted = False  # somebody will take them
        self._pages: OrderedDict[int, tuple[Any, PageDocument]] = OrderedDict()

    def note(self, item: Any, page: PageDocument) -> None:
        """Remember where an item is from; one that nobody asks about is forgotten in time."""
        if not self.is_wanted:
            return
        self._pages[id(item)] = (item, page)  # the item is held, so that no other gets its number
        if len(self._pages) > _ITEMS:
            self._pages.popitem(last=False)

    def take(self, item: Any) -> PageDocument | None:
        """Return the page of an item and forget it; None where it is not known."""
        found = self._pages.pop(id(item), None)
        return found[1] if found is not None and found[0] is item else None
