"""Step 4: collect the relevant images of every page of a site, without asking for a single image."""

from dataclasses import dataclass, field

from scrapy.http import HtmlResponse

from tc.walk import SiteSpider, follow_links


@dataclass
class PageImages:
    """What is collected of a page; scythe fills it in, by SCYTHE_FIELDS."""

    page: str = ""
    title: str = ""
    images: list[str] = field(default_factory=list)


class HarvestSpider(SiteSpider):
    """`scrapy crawl harvest -a start=https://example.org/ -O images.jsonl`."""

    name = "harvest"

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        yield PageImages()
        yield from follow_links(response)
