"""Our default text method, on pages written for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scythe
from scythe.demo import site
from scythe.demo.scoring import compare, cut_tokens, rate
from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.text import choose_text
from scythe.testing import check_text_method

PARAGRAPHS = [
    "The harvest began two weeks late this year, because the spring rains had kept the clay too wet for carts.",
    "By noon the first field was cut, and the women of the village followed the reapers to bind the sheaves.",
    "Nobody in the valley could remember a summer in which the river had stood so low, and the mills stood still.",
    "The price of barley rose by a third within days, said the merchant, who had bought early and smiled.",
    "When the last wagon was home, the farmer counted the sheaves twice and told nobody the sum.",
]
REMARKS = [
    "My grandfather told me the same story, and he was there when the river dried up. Thank you for writing it down.",
    "I do not believe a word of this. The mills never stopped, I worked in one of them for eleven years.",
]


def article(extra: str = "", body: str | None = None) -> str:
    body = body or "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    menu = "".join(
        f'<li><a href="/{name.lower()}">{name}</a></li>' for name in ("Home", "News", "Fields", "Weather", "Prices")
    )
    return (
        "<html><head><title>A late harvest</title></head><body>"
        f'<nav class="menu"><ul>{menu}</ul></nav><article class="post"><h1>A late harvest</h1>'
        f'<div class="entry-content">{body}</div></article>{extra}'
        '<footer class="site-footer"><p>All rights reserved. Subscribe to our newsletter.</p></footer></body></html>'
    )


def comments(name: str = "comments") -> str:
    return (
        f'<div id="{name}" class="{name}">'
        + "".join(f'<div class="comment"><p>{r}</p></div>' for r in REMARKS)
        + "</div>"
    )


def test_it_keeps_the_promises_of_a_text_method():
    check_text_method(choose_text.read)


def test_an_article_is_kept_without_menu_and_footer():
    text = scythe.read(article()).text
    assert all(paragraph in text for paragraph in PARAGRAPHS)
    assert "Weather" not in text
    assert "newsletter" not in text


@pytest.mark.parametrize(
    "page", [page for page in site(seed=3, pages=16) if page.gold_text], ids=lambda page: f"{page.kind}-{page.language}"
)
def test_demo_pages_come_close_to_their_known_text(page):
    text = scythe.read(page.html, url=f"https://demo.example{page.path}").text
    assert rate(compare(cut_tokens(page.gold_text), cut_tokens(text))).f1 > 0.8


def test_the_title_is_not_repeated_where_structured_data_gives_the_headline():
    data = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "A late harvest"}</script>'
    html = article().replace("<head>", f"<head>{data}")
    assert not scythe.read(html).text.startswith("A late harvest")
    assert scythe.read(html, options=TextOptions(title_line=True)).text.startswith("A late harvest")
    assert PARAGRAPHS[0] in scythe.read(html).text


def test_comments_below_an_article_are_left_out():
    document = scythe.read(article(comments()), url="https://example.org/2026/late-harvest")
    assert PARAGRAPHS[-1] in document.text
    assert not any(remark in document.text for remark in REMARKS)


def test_comments_are_kept_when_asked_for():
    options = TextOptions(comments=True)
    document = scythe.read(article(comments()), url="https://example.org/2026/late-harvest", options=options)
    assert all(remark in document.text for remark in REMARKS)


def test_comments_are_the_content_of_a_page_that_has_nothing_else():
    page = Page.from_text(f"<html><body>{comments()}</body></html>")
    seen = choose_text.BlockFacts(
        np.array([0.9, 0.8]), np.array([20.0, 20.0]), np.array([True, True]), np.array([False, False]), np.array([1.0])
    )
    assert choose_text.without_comments(seen).tolist() == [0.9, 0.8]
    assert len(page.blocks) == 2


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/forum/why-so-late",
        "https://example.org/questions/12/why",
        "https://example.org/thread-7-1.html",
        "https://example.org/board/showthread.php?t=7",
        "https://example.org/discussion-topics/why-so-late/",
        "https://forum.example.org/12",
    ],
)
def test_a_thread_is_known_by_its_address(url):
    assert choose_text.is_named_thread(choose_text.head_of(Page.from_text(article(comments()), url=url)))


@pytest.mark.parametrize(
    "path", ["news/1", "2026/the-question-of-the-thread.html", "board-of-trade-meets-forum-of-mayors"]
)
def test_a_headline_about_threads_is_no_thread(path):
    assert not choose_text.is_named_thread(
        choose_text.head_of(Page.from_text(article(), url=f"https://example.org/{path}"))
    )


def test_hidden_blocks_are_left_out():
    hidden = (
        '<div style="display: none"><p>'
        + "This text waits for a script that never comes. It must not be read. " * 5
        + "</p></div>"
    )
    body = hidden + "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    text = scythe.read(article(body=body)).text
    assert "waits for a script" not in text
    assert PARAGRAPHS[0] in text


def test_a_page_that_hides_all_its_text_until_scripts_run_is_read_all_the_same():
    body = '<div style="visibility:hidden">' + "".join(f"<p>{text}</p>" for text in PARAGRAPHS) + "</div>"
    assert PARAGRAPHS[2] in scythe.read(article(body=body)).text


@pytest.mark.parametrize("html", ["", " \n ", "<body></body>", "<body><script>var a = 1</script></body>"])
def test_a_page_without_text_gives_a_reason(html):
    reading = choose_text.read(Page.from_text(html), TextOptions())
    assert reading.kept == ()
    assert reading.why


@pytest.mark.parametrize("html", ["<p>Hello.</p>", "<h1>Closed</h1><p>Back at noon.</p>", "just words"])
def test_a_page_with_very_little_text_is_kept_whole(html):
    assert scythe.read(html).text.split() == Page.from_text(html).map.body_node.text(separator=" ").split()


def test_a_page_of_links_has_no_main_text():
    document = scythe.read("<ul>" + "".join(f"<li><a href=/{i}>Page {i}</a></li>" for i in range(200)) + "</ul>")
    assert document.text == ""
    assert document.why == "only links"


def test_a_page_longer_than_a_window_is_read_to_its_end():
    count = choose_text.WINDOW + 50
    html = article(
        body="".join(f"<p>Line {i} of the long story goes on, and on, and ends here.</p>" for i in range(count))
    )
    text = scythe.read(html).text
    assert f"Line {count - 1} of" in text
    assert "Line 0 of" in text


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "<p>|</p>|<div class=comment>|<h1>|<li>|a b. |收割。|<br>|<a href=x>|</div>|<td>|🌾|<article>".split("|")
        ),
        max_size=60,
    )
)
def test_any_markup_gives_a_reading_with_one_score_per_block(pieces):
    page = Page.from_text("".join(pieces))
    reading = choose_text.read(page, TextOptions())
    assert len(reading.scores) in (0, len(page.blocks))
    assert all(0.0 <= score <= 1.0 for score in reading.scores)
