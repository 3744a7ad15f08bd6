"""Step 3: learn the site, and from a person's clicks which of its images are relevant."""

import json
from pathlib import Path

from scrapy.commands import ScrapyCommand

import scythe
from scythe.site.profile_folder import ProfileFolder, site_of
from tc.surveyed import read_pages

_LEARNED_FROM = 16  # pages: more of them teach little, and cost as much again


class Command(ScrapyCommand):
    """`scrapy teach labels.json` writes the profile that `scrapy crawl harvest` uses."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def short_desc(self):
        return "Learn a site and its relevant images from a file of labels"

    def add_options(self, parser):
        super().add_options(parser)
        parser.add_argument("labels", help='JSON: {"page": ["image", ...]}')
        parser.add_argument("--method", default="adaboost", help="adaboost, as published, or relevance: scythe's own")

    def run(self, args, opts):
        labels = json.loads(Path(opts.labels).read_text(encoding="utf-8"))
        pages = sorted(read_pages(), key=lambda page: (page[0] not in labels, page[0]))
        step = max(1, (len(pages) - len(labels)) // _LEARNED_FROM)
        shown = pages[: len(labels)] + pages[len(labels) :: step]
        site = scythe.Site.learn(shown)
        outcome = site.annotate(labels, pages=shown, method=opts.method)
        address = pages[0][0]
        ProfileFolder(self.settings["SCYTHE_PROFILES"]).put(site_of(address), site)
        marked = sum(map(len, labels.values()))
        print(f"{len(outcome.new)} pages, {marked} relevant images; labels not found: {len(outcome.lost)}")
