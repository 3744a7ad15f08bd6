"""Rendering costs grow with the page, not with its square; deep and wide pages keep their words."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

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


def render(html: str) -> tuple[PageContent, float]:
    page = Page.from_text(html, url="https://example.org/")
    _ = page.blocks, page.images
    content = PageContent(page, tuple(range(len(page.blocks))))
    gc.collect()
    start = time.process_time()
    content.text(), content.markdown(), content.html()
    took = time.process_time() - start
    return content, took


@pytest.mark.fault
@pytest.mark.parametrize("name", PAGES)
def test_rendering_twice_the_page_takes_about_twice_the_time(name: str) -> None:
    half = whole = float("inf")
    for _ in range(8):  # the least of several: other work on the machine only ever adds time
        half = min(half, render(PAGES[name](4_000))[1])
        content, took = render(PAGES[name](8_000))
        whole = min(whole, took)
        if whole < 0.3 or whole < 2.6 * half:
            break
    assert whole < 0.3 or whole < 3.0 * half, f"{half:.2f} s, then {whole:.2f} s at twice the size"
    assert content.text().split() == " ".join(content.page.blocks.text).split()


@pytest.mark.soak
@pytest.mark.parametrize("name", ["nested lists", "cells", "links"])
def test_a_hundred_thousand_of_them_still_render(name: str) -> None:
    content, took = render(PAGES[name](100_000))
    assert took < 30.0  # about 3 s of CPU on an idle core
    assert content.text().split() == " ".join(content.page.blocks.text).split()


@pytest.mark.fault
@pytest.mark.parametrize("name", PAGES)
def test_hostile_pages_say_the_same_in_html(name: str) -> None:
    content, _ = render(PAGES[name](2_000))
    assert " ".join(Page.from_text(content.html()).blocks.text).split() == content.text().split()
