"""A Scrapy spider as you have it, filled by scythe through one line of settings (extra: scrapy)."""

from pathlib import Path

import scrapy
from scrapy.crawler import CrawlerProcess

ITEMS = []


class StorySpider(scrapy.Spider):
    name = "stories"
    start_urls = [Path(__file__).with_name("harvest.html").absolute().as_uri()]

    def parse(self, response):
        yield {"file": response.url.rpartition("/")[2]}  # all that the spider knows


def keep(item):
    ITEMS.append(item)


process = CrawlerProcess({"ADDONS": {"scythe.scrapy.Addon": 300}, "LOG_LEVEL": "ERROR"})
crawler = process.create_crawler(StorySpider)
crawler.signals.connect(keep, scrapy.signals.item_scraped)
process.crawl(crawler)
process.start()
print(ITEMS[0]["file"], "-", ITEMS[0]["title"], "-", ITEMS[0]["author"])
print(sorted(ITEMS[0]))

# Prints:
# harvest.html - Late rain saves the barley harvest around Harrowby - Owen Farrow
# ['author', 'file', 'images', 'language', 'published', 'text', 'title', 'url']
