"""Step 1: look at some pages of a site and keep their source, to choose from and to learn from."""

from scrapy.http import HtmlResponse

from tc.walk import SiteSpider, follow_links


class SurveySpider(SiteSpider):
    """`scrapy crawl survey -a start=https://example.org/` writes pages.jsonl."""

    name = "survey"
    custom_settings = {
        "FEEDS": {"pages.jsonl": {"format": "jsonlines", "overwrite": True}},
        "SCYTHE_FIELDS": {},  # nothing is extracted yet
        "CLOSESPIDER_PAGECOUNT": 120,
    }

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        yield {"url": response.url, "html": response.text}
        yield from follow_links(response)
