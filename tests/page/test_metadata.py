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
    "wrap", [lambda x: x, lambda x: [x], lambda x: {"@graph": [{"@type": "WebSite"}, x]}, lambda x: {"a": {"b": [x]}}]
)
def test_json_ld_is_found_wherever_it_is_nested(wrap) -> None:  # type: ignore[no-untyped-def]
    found = metadata(linked(wrap(ARTICLE)))
    assert (found.title, found.author) == ("The harvest begins", "Ada Reaper, Bo Miller")
    assert (found.published, found.modified) == ("2024-07-01T06:00:00+02:00", "2024-07-02")
    assert (found.site_name, found.kind) == ("Field & Mill", "newsarticle")
    assert (found.image, found.keywords) == ("https://www.example.org/field.jpg", ("wheat", "rye"))
    assert "newsarticle" in found.schema


def test_open_graph_and_plain_meta_tags_are_read() -> None:
    found = metadata(
        "<title>Harvest | The Mill</title><meta property=og:title content='Harvest'>"
        "<meta name=description content=' All  about it '>"
        "<meta property=article:published_time content=2024-07-01><meta name=author content='By Ada Reaper'>"
        "<meta property=og:site_name content='The Mill'><meta property=og:image content=/x.jpg>"
        "<link rel=canonical href=/c>"
        "<meta property=article:tag content=wheat><meta property=article:tag content=rye>"
        "<meta property=og:type content=Article>"
    )
    assert (found.title, found.description, found.author) == ("Harvest", "All about it", "Ada Reaper")
    assert (found.published, found.language, found.kind) == ("2024-07-01", "en-gb", "article")
    assert (found.canonical, found.image) == ("https://www.example.org/c", "https://www.example.org/x.jpg")
    assert found.keywords == ("wheat", "rye")
    assert ("og:site_name", "The Mill") in found.properties


@pytest.mark.parametrize(
    ("title", "head", "body", "expected"),
    [
        ("Story - The Mill", "<meta property=og:site_name content='The Mill'>", "", "Story"),
        ("The Mill: Story", "<meta property=og:site_name content='The Mill'>", "", "Story"),
        ("Story | example.org", "", "", "Story"),
        ("Story – EXAMPLE", "", "", "Story"),
        ("A long story told – DW – 13.06.2023", "", "<h1>A long story told</h1>", "A long story told"),
        ("Wheat - a history", "<meta property=og:site_name content='The Mill'>", "", "Wheat - a history"),
        ("Well-known", "", "", "Well-known"),
        ("Wheat - The Mill", "", "<h1>The Mill</h1><h1>Wheat</h1>", "Wheat"),
        ("", "", "<h1>Only a heading</h1>", "Only a heading"),
    ],
)
def test_the_name_of_the_site_is_cut_off_only_when_proved(title: str, head: str, body: str, expected: str) -> None:
    assert metadata(f"<title>{title}</title>{head}", body).title == expected


def test_microdata_and_the_body_fill_what_the_head_leaves_out() -> None:
    found = metadata(
        "",
        "<article itemscope itemtype='https://schema.org/BlogPosting'><h1 itemprop=headline>Rye</h1>"
        "<span itemprop=author><span itemprop=name>Ada Reaper</span></span>"
        "<time itemprop=datePublished datetime=2023-05-06>May</time></article>",
    )
    assert (found.title, found.author, found.published, found.kind) == (
        "Rye",
        "Ada Reaper",
        "2023-05-06",
        "blogposting",
    )
    found = metadata("", "<h1>Oats</h1><div class=byline>By Bo Miller</div><time datetime=2022-01-02T03:04>x</time>")
    assert (found.title, found.author, found.published) == ("Oats", "Bo Miller", "2022-01-02T03:04")


def test_a_page_that_says_nothing_has_empty_metadata() -> None:
    found = Page.from_text("").metadata
    assert found == Metadata()


BROKEN_BUT_CLEAR = [
    '{"@type": "Article", "headline": "H",}',
    '<!-- {"@type": "Article", "headline": "H"} -->',
    '//<![CDATA[\n{"@type": "Article", "headline": "H"}\n//]]>',
    '/*<![CDATA[*/ {"@type": "Article", "headline": "H", "x": [1, 2, ], } /*]]>*/',
    '{"@type": "Article", "headline": "H", "body": "two\nlines\tand a tab"};',
    '\ufeff {"@type": "Article", "headline": "H"}',
    '{"@type": "Article", "headline": "H", "n": ' + "9" * 6000 + "}",
    '{"@type": "Article", "@type": "Article", "headline": "G", "headline": "H"}',
]


@pytest.mark.parametrize("script", BROKEN_BUT_CLEAR)
def test_json_ld_with_a_trivial_fault_is_repaired(script: str) -> None:
    page = Page.from_text(f"<script type='application/ld+json'>{script}</script>")
    assert page.metadata.title == "H"
    assert page.losses == ()


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


WRONG = [None, 1, -1.5, True, "", "x", [], {}, [None], [[["x"]]], {"name": {"name": 1}}, {"@type": 7}, "\ud800", 10**20]


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_wrong_types_anywhere_never_break_a_page(value: object) -> None:
    item: dict[str, object] = dict.fromkeys(
        [*ARTICLE, "url", "@id", "mainEntityOfPage", "inLanguage", "description", "creator"], value
    )
    for types in ("Article", ["Article", value], value):
        page = Page.from_text(f"<title>T</title>{linked({**item, '@type': types})}", url=URL)
        assert page.metadata.title in ("T", "x", "?")


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


@pytest.mark.parametrize(
    "body",
    [
        '<form><label class="author-label">Name (required)</label><input name=author></form>',
        '<div class="comment"><cite class="comment-author">Reader 7</cite></div>',
        '<ol class="commentlist"><li><span class="author">Reader 7</span></li></ol>',
    ],
)
def test_readers_are_not_taken_for_the_author(body):
    assert metadata("", f"<h1>Oats</h1><p>text</p>{body}").author == ""
