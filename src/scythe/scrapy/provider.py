"""Let scrapy-poet inject what the run has learned into page objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scrapy.crawler import Crawler
from scrapy_poet.page_input_providers import PageObjectInputProvider

from scythe.scrapy.page_objects import LearnedSite
from scythe.scrapy.sites import sites_of


class LearnedSiteProvider(PageObjectInputProvider):
    """Provides LearnedSite: until a site is learned it reads its pages by their trees."""

    provided_classes = {LearnedSite}  # noqa: RUF012  (as scrapy-poet declares it)
    name = "scythe_site"

    def __call__(self, to_provide: set[Callable[..., Any]], crawler: Crawler) -> Sequence[LearnedSite]:
        """Return what to extract by; it is the same for every address."""
        return [LearnedSite(sites_of(crawler).extract)]
