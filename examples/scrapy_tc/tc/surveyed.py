"""The pages that `scrapy crawl survey` kept."""

import json
from pathlib import Path


def read_pages(path="pages.jsonl"):
    """Return address and source of each page."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [(page["url"], page["html"].encode()) for page in map(json.loads, lines)]
