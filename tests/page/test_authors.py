"""Authors are names and nothing else, and none is made up."""

from __future__ import annotations

import pytest

import scythe
from scythe.page.authors import read_names

_WORDS = "<p>The reapers walked down to the field before the sun was up, and cut the barley low all morning.</p>" * 4


def authors(html: str, head: str = "") -> tuple[str, ...]:
    page = f"<html><head>{head}</head><body><h1>The barley is in</h1>{html}{_WORDS}</body></html>"
    return scythe.read(page, url="https://example.org/story").metadata.authors


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ann Reap", ("Ann Reap",)),
        ("Written by Ann Reap and Joe Sickle", ("Ann Reap", "Joe Sickle")),
        ("By Ann Reap | Updated on 19-Dec-2025", ("Ann Reap",)),
        ("by Amanda · Dec 20, 2025 at 3:00 am", ("Amanda",)),
        ("By Ann Reap, Senior Editor", ("Ann Reap",)),
        ("By Ann Reap, MD", ("Ann Reap",)),
        ("ByAnn Reap", ("Ann Reap",)),
        ("Published August 7, 2023 by Ann Reap", ("Ann Reap",)),
        ("Von Anna Sense", ("Anna Sense",)),
        ("作者：王小明", ("王小明",)),
        ("Ann Reap (Ann | The Field)", ("Ann Reap",)),
        ("Ann Reap -", ("Ann Reap",)),
        ("Ann Reap Mar 14, 2024 34 min read", ("Ann Reap",)),
        ("billed annually, or $50 / mo", ()),
        ("By A. J. Reap", ("A. J. Reap",)),
        ("By admin", ()),
        ("https://example.org/ann", ()),
    ],
)
def test_names_are_told_from_what_stands_around_them(text: str, names: tuple[str, ...]) -> None:
    assert read_names(text) == names


def test_what_json_ld_declares_are_the_authors() -> None:
    head = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "The barley is in", "datePublished": '
        '"2024-05-03", "author": [{"@type": "Person", "name": "Ann Reap"}, {"@type": "Person", "name": "Joe Sickle"}]}'
        "</script>"
    )
    assert authors("", head) == ("Ann Reap", "Joe Sickle")


def test_a_byline_below_the_heading_names_the_author() -> None:
    assert authors('<p class="byline">By Ann Reap, May 3, 2024</p>', "<meta property=og:type content=article>") == (
        "Ann Reap",
    )


@pytest.mark.parametrize("line", ["Ann Reap | May 3, 2024", "May 3, 2024Ann Reap", "Ann Reap Published: May 3, 2024"])
def test_a_name_beside_the_day_below_the_heading_is_the_author(line: str) -> None:
    assert authors(f"<p>{line}</p>", "<meta property=og:type content=article>") == ("Ann Reap",)


def test_a_name_that_a_label_calls_the_writer_is_the_author() -> None:
    card = "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ann Reap'>"
    assert authors("", f"<meta property=og:type content=article>{card}") == ("Ann Reap",)


def test_who_wrote_a_comment_or_a_review_is_no_author() -> None:
    review = '<div class="review"><span class="review-author">Ann R.</span> Cuts well, every day.</div>'
    assert authors(f"{_WORDS}{review * 3}") == ()
    assert scythe.read("<p>nothing</p>").metadata.author == ""
