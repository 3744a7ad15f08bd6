"""Which of the addresses that pages name are visited."""

import json

from scythe.crawl_model import Extracted, Task
from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.url_filter import UrlFilter
from scythe.engine.worker_protocol import NamedUrl
from scythe.limits import LIMITS
from scythe.url import Url

START = Url("https://example.org/")
TASK = Task(1, 1, START, "example.org")


def test_a_redirect_to_the_same_page_in_another_spelling_is_not_taken_for_known() -> None:
    addresses = UrlFilter(START, CrawlOptions())
    source, target = "https://example.org/a?b=1&a=2", "https://example.org/a?a=2&b=1"
    (found,) = addresses.choose(TASK, [NamedUrl(Url(source))])
    assert addresses.key_behind(source, target) != found.key
    assert addresses.key_behind("https://example.org/old", target) == found.key


def test_every_address_not_taken_is_counted_by_its_reason() -> None:
    addresses = UrlFilter(START, CrawlOptions(deny=("*/private/*",), feeds=False))
    named = [
        NamedUrl(Url("https://example.org/a")),
        NamedUrl(Url("https://elsewhere.org/")),
        NamedUrl(Url("https://example.org/a.zip")),
        NamedUrl(Url("https://example.org/private/x")),
        NamedUrl(Url("https://example.org/b"), is_nofollow=True),
        NamedUrl(Url("https://example.org/feed"), "feed", "feed"),
        NamedUrl(Url("https://example.org/a/b/a/b/a/b")),
    ]
    found = addresses.choose(TASK, named)
    assert [one.url for one in found] == ["https://example.org/a"]
    assert sum(addresses.skipped.values()) == len(named) - 1
    assert len(addresses.skipped) == len(named) - 1


def test_what_was_learned_is_there_in_the_next_run() -> None:
    first = UrlFilter(START, CrawlOptions())
    first.widen("https://moved.example/")
    for page in range(5):
        for session in "abc":
            url = Url(f"https://example.org/{page}?zid={session}")
            first.note(url, Extracted(text=f"page {page} " * 100))
    second = UrlFilter(START, CrawlOptions())
    second.recall(first.to_notes())
    assert second.scope.why_not("https://moved.example/x", 1) == ""
    (found,) = second.choose(TASK, [NamedUrl(Url("https://example.org/9?zid=q"))])
    assert found.key == "https://example.org/9"


def test_sitemaps_that_name_sitemaps_without_end_are_left() -> None:
    addresses = UrlFilter(START, CrawlOptions())
    deep = Task(1, 1, START, "example.org", kind="sitemap", depth=LIMITS.sitemap_depth)
    assert addresses.choose(deep, [NamedUrl(Url("https://example.org/s.xml"), "sitemap", "sitemap")]) == ()
    many = [
        NamedUrl(Url(f"https://example.org/{n}.xml"), "sitemap", "sitemap") for n in range(LIMITS.site_sitemaps + 10)
    ]
    assert len(addresses.choose(TASK, many)) < LIMITS.site_sitemaps
    assert sum(addresses.skipped.values()) == 12


def test_pages_of_a_gallery_are_told_apart_by_their_images() -> None:
    addresses = UrlFilter(START, CrawlOptions())
    for n in range(100):
        rest = json.dumps({"images": [{"src": f"/{n}.jpg", "relevant": True}, {"src": "/logo.png", "relevant": False}]})
        addresses.note(Url(f"https://example.org/picture/{n}"), Extracted("Gallery", "All rights reserved", rest=rest))
    assert len(addresses.choose(TASK, [NamedUrl(Url("https://example.org/picture/100"))])) == 1
