"""Deep and wide pages keep their words, and rendering them costs what their length does, not its square."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.faults.growth import is_linear

from scythe.page import Page
from scythe.page.content import PageContent

PAGES: dict[str, Callable[[int], str]] = {
    "nested lists": lambda n: "<ul><li>x" * n,
    "nested quotes": lambda n: "<blockquote>x" * n,
    "paragraphs in nested lists": lambda n: "<ul><li>" * 400 + "<p>y" * n,
    "nested styles": lambda n: "<b><i><span>" * 130 + "y <u>x</u>" * n,
    "styles side by side": lambda n: "<p>" + "<b>x</b><i>y</i>" * n,
    "list items": lambda n: "<ul>" + "<li>x" * n,
    "cells": lambda n: "<table>" + "<tr><td>x<td>y" * (n // 2) + "</table>",
    "cells in one row": lambda n: "<table><tr>" + "<td>x" * n + "</table>",
    "spans": lambda n: "<table>" + "<tr><td colspan=9999>x<td rowspan=9999>y" * (n // 2) + "</table>",
    "tables": lambda n: "<table><tr><td>a<td>b</table>" * (n // 2),
    "links": lambda n: "".join(f"<a href=/{i}>l{i}</a> " for i in range(n)),
    "line breaks": lambda n: "<p>" + "x<br>" * n,
    "images": lambda n: "<p>x" + "<img src=a.png><br>" * n + "y",
    "lines of code": lambda n: "<pre>" + "<span>x</span>\n" * n,
    "boxes of code": lambda n: "<pre>" + "<div>x</div>" * n,
    "backticks": lambda n: "<p><code>" + "`" * n,
    "marks": lambda n: "<p>" + "*_[<&1." * n,
    "terms": lambda n: "<dl>" + "<dt>x<dd>y" * (n // 2),
}


@pytest.mark.fault
@pytest.mark.parametrize("name", PAGES)
def test_hostile_pages_say_the_same_in_text_and_html(name: str) -> None:
    page = Page.from_text(PAGES[name](2_000), url="https://example.org/")
    content = PageContent(page, tuple(range(len(page.blocks))))
    assert content.text().split() == " ".join(page.blocks.text).split()
    assert " ".join(Page.from_text(content.html()).blocks.text).split() == content.text().split()


@pytest.mark.fault
@pytest.mark.parametrize("name", PAGES)
def test_rendering_costs_no_more_than_the_page_grows(name: str) -> None:
    pages = {count: Page.from_text(PAGES[name](count), url="https://example.org/") for count in (2_000, 8_000)}
    assert all(page.blocks and page.images is not None for page in pages.values())

    def render(count: int) -> None:
        content = PageContent(pages[count], tuple(range(len(pages[count].blocks))))
        assert None not in (content.text(), content.markdown(), content.html())

    assert is_linear(render, 2_000, slack_s=0.05)
