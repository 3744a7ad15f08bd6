"""A spider that knows nothing of scythe, but for one line."""

from pathlib import Path

import scrapy


class StorySpider(scrapy.Spider):
    name = "stories"
    start_urls = [Path("examples/harvest.html").absolute().as_uri()]
    custom_settings = {"ADDONS": {"scythe.scrapy.Addon": 300}}

    def parse(self, response):
        yield {"file": response.url.rpartition("/")[2]}
