"""What a page lists, by its tree: a page comes in; records, attributes and paging are worked out when asked for."""

from __future__ import annotations

from functools import cached_property

from scythe.model import Listed, Paging, Region
from scythe.page import Page
from scythe.read.records.methods import attribute_method, record_method


class PageLists:
    """The lists of one page. Holds the page's tree; pickled or copied, it becomes what it found."""

    def __init__(self, page: Page, method: str = "auto") -> None:
        self.page = page
        self.method = method

    @cached_property
    def _records(self) -> tuple[Region, ...]:
        return record_method(self.method)(self.page)

    def records(self) -> tuple[Region, ...]:
        """Return the regions of records, best first."""
        return self._records

    def attributes(self) -> tuple[tuple[str, str], ...]:
        """Return what the page says of its subject."""
        return attribute_method("auto")(self.page)

    def paging(self) -> Paging:
        """Return the other pages of the list that the page is part of."""
        from scythe.read.records.paging import read_paging

        return read_paging(self.page)

    def __reduce__(self) -> tuple[type[Listed], tuple[tuple[Region, ...], tuple[tuple[str, str], ...], Paging]]:
        return Listed, (self.records(), self.attributes(), self.paging())
