"""Go from page to page of one host."""

import scrapy


def follow_links(response):
    """Yield a request for each page that a page of the same host links to."""
    origin = response.urljoin("/")
    for link in response.css("a::attr(href)").getall():
        address = response.urljoin(link)
        if address.startswith(origin):
            yield response.follow(link)


class SiteSpider(scrapy.Spider):
    """A spider of one site, told where to begin: `-a start=https://example.org/`."""

    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = [start]
