"""What a page says about itself, from the best place that says it; nothing a page says breaks it."""

from __future__ import annotations

import json

import pytest

from scythe.model import Metadata
from scythe.page import Page
from scythe.page.dates import to_iso
from scythe.page.head import read_json_ld

URL = "https://www.example.org/2024/harvest.html"


def metadata(head: str, body: str = "<p>text</p>") -> Metadata:
    return Page.from_text(f"<html lang=en-GB><head>{head}</head><body>{body}</body></html>", url=URL).metadata


def linked(item: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(item)}</script>'


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "The harvest begins",
    "author": [{"@type": "Person", "name": "Ada Reaper"}, {"name": "Bo Miller"}],
    "datePublished": "2024-07-01T06:00:00+0200",
    "dateModified": "2024-07-02",
    "publisher": {"@type": "Organization", "name": "Field &amp; Mill"},
    "image": [{"@type": "ImageObject", "url": "/field.jpg"}],
    "keywords": ["wheat", "rye"],
}


@pytest.mark.parametrize(
    "script",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        "{not json}",
        '{"@type": "Article"',
        "\x01\x02",
        " " * 3_000_000 + "{}",
    ],
    ids=["open", "lists", "objects", "words", "cut", "control", "large"],
)
def test_json_ld_beyond_repair_is_skipped_and_counted(script: str) -> None:
    page = Page.from_text(f"<title>T</title><script type='application/ld+json'>{script}</script>{linked(ARTICLE)}")
    assert page.metadata.author == "Ada Reaper, Bo Miller"
    assert [(loss.what, loss.count) for loss in page.losses] == [("unreadable JSON-LD scripts", 1)]


def test_nesting_is_followed_no_deeper_than_the_limit() -> None:
    deep: object = {"@type": "Article", "headline": "too deep"}
    for _ in range(200):
        deep = {"part": deep}
    assert read_json_ld([json.dumps(deep)]).objects == ()


def test_a_million_typed_objects_are_not_all_kept() -> None:
    found = read_json_ld([json.dumps([{"@type": "Thing"}] * 20_000)])
    assert len(found.objects) == 5_000


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-07-01", "2024-07-01"),
        ("2024-07-01T06:05:04Z", "2024-07-01T06:05:04Z"),
        ("2024-07-01 06:05", "2024-07-01T06:05"),
        ("2024-07-01T06:05:04.123+0200", "2024-07-01T06:05:04+02:00"),
        ("20240701", "2024-07-01"),
        ("2024/07/01", "2024-07-01"),
        ("1.7.2024", "2024-07-01"),
        ("July 1, 2024", "2024-07-01"),
        ("1st Jul 2024 at noon", "2024-07-01"),
        ("Mon, 01 Jul 2024 06:05:04 GMT", "2024-07-01"),
        ("1719813904", "2024-07-01T06:05:04Z"),
        ("2024-13-01", ""),
        ("2024-02-31", ""),
        ("1000000-01-01", ""),
        ("0000-00-00", ""),
        ("yesterday", ""),
        ("9" * 5000, ""),
        ("", ""),
    ],
)
def test_dates_become_iso_8601_or_nothing(text: str, iso: str) -> None:
    assert to_iso(text) == iso
