"""Text as a reader sees it: order, paragraphs, lines, rows."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.page.content import PageContent


def text_of(html: str, *kept: int) -> str:
    page = Page.from_text(html)
    return PageContent(page, kept or tuple(range(len(page.blocks)))).text()


def test_only_the_chosen_blocks_are_rendered() -> None:
    assert text_of("<p>a</p><p>b</p><p>c</p>", 0, 2) == "a\n\nc"


def test_a_break_before_a_block_that_was_not_chosen_is_no_line() -> None:
    assert text_of("<p>a<br>b<br>c</p>", 0, 2) == "a\n\nc"


@pytest.mark.parametrize("html", ["", "<p></p>", "<table></table>", "<pre></pre>", "<img src=x>"])
def test_a_page_without_words_gives_no_text(html: str) -> None:
    page = Page.from_text(html)
    content = PageContent(page, tuple(range(len(page.blocks))))
    assert (content.text(), content.markdown(), content.html()) == ("", "", "")


def test_a_title_line_that_stands_in_no_block_comes_first() -> None:
    page = Page.from_text("<p>Body.</p>")
    content = PageContent(page, (0,), heading="The *Title*")
    assert content.text() == "The *Title*\n\nBody."
    assert content.markdown() == "# The \\*Title\\*\n\nBody."
    assert content.html() == "<h1>The *Title*</h1>\n<p>Body.</p>"
