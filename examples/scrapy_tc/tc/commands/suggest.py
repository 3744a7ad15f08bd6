"""Step 2: say which pages a person should look at, by clusters of their addresses, and write a file to fill in."""

import json
from pathlib import Path

from scrapy.commands import ScrapyCommand

from scythe.site.labels.suggest_pages import suggest_pages
from tc.surveyed import read_pages


class Command(ScrapyCommand):
    """`scrapy suggest -n 6` prints pages and writes labels.json."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def short_desc(self):
        return "Suggest pages to annotate (of those that `scrapy crawl survey` kept)"

    def add_options(self, parser):
        super().add_options(parser)
        parser.add_argument("-n", type=int, default=6, help="how many pages")
        parser.add_argument("-o", default="labels.json", help="file to fill in: relevant images by page")

    def run(self, args, opts):
        addresses = sorted(url for url, _ in read_pages())  # a crawl never has the same order twice
        chosen = suggest_pages(addresses, opts.n, by="clusters")
        for page in chosen:
            print(f"{page.url}\t{page.why}")
        Path(opts.o).write_text(json.dumps({page.url: [] for page in chosen}, indent=2) + "\n", encoding="utf-8")
