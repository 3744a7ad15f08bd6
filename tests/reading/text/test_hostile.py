"""Pages made to hurt: every published method must end soon, and time must grow with size, not with its square."""

from __future__ import annotations

import time
from functools import lru_cache

import pytest

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading import text

PUBLISHED = [name for name in text.BUILT_IN if name != "auto"]
SIZE = 100_000
SECONDS = 8.0  # CPU; honest runs take up to 1.5

PAGES = {
    "one-letter paragraphs": lambda n: "<p>x" * n,
    "paragraphs with marks": lambda n: "<p>a, b. c" * n,
    "links": lambda n: "<a href=/>x, y.</a> " * n,
    "line breaks": lambda n: "word. <br>" * n,
    "empty elements": lambda n: "<i></i>" * n + "text, text. " * 50,
    "one long text": lambda n: "word, word. " * n,
    "many divs of five sentences": lambda n: "<div>A. B. C. D. E.</div>" * (n // 5),
    "different words": lambda n: "<title>word0 word1</title>" + "".join(f"<p>word{i}" for i in range(n)) + "<p>a, b.",
    "different tags": lambda n: "".join(f"<t{i}>a, b.</t{i}>" for i in range(n // 4)),
}


@lru_cache(maxsize=1)  # methods vary fastest: each page is parsed once, and not kept
def parsed(html: str) -> Page:
    page = Page.from_text(html)
    assert page.blocks  # parsed once, for all methods
    return page


@pytest.mark.fault
@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("kind", PAGES)
def test_a_large_page_is_read_in_bounded_time(name: str, kind: str) -> None:
    page = parsed(PAGES[kind](SIZE))
    start = time.process_time()
    reading = text.method(name)(page, TextOptions())
    assert time.process_time() - start < SECONDS
    assert list(reading.kept) == sorted(set(reading.kept))
    assert reading.kept or reading.why


@pytest.mark.fault
@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize(
    "opening", ["<div>", "<b>", "<ul><li>", "<blockquote>x. ", "<div>a, b. c. d. e. f. ", "<span>a, b."]
)
def test_a_deep_page_is_read_in_bounded_time(name: str, opening: str) -> None:
    page = parsed(opening * SIZE + "the end, at last.")
    start = time.process_time()
    reading = text.method(name)(page, TextOptions())
    assert time.process_time() - start < SECONDS
    assert reading.kept or reading.why
