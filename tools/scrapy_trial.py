"""Crawl with Scrapy, only saving bodies: `python -m tools.scrapy_trial URL OUT [--list FILE] [--concurrency N]`.

The spider is in `bench.trial_spider`, because `python -m bench crawl` needs it.
"""

from __future__ import annotations

from bench.trial_spider import main

if __name__ == "__main__":
    main()
