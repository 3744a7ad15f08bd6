"""Conformance checks for text methods and for text and record characteristics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isfinite

from scythe.model import Reading, TextOptions
from scythe.page import Page
from scythe.reading.papers.hmm import LeafMarks
from scythe.reading.papers.text_elements import number_elements
from scythe.reading.papers.vsse import VisualCharacteristic
from scythe.reading.text import TextMethod

_ADDRESS = "https://example.org/page"
_PARAGRAPH = "<p>Reapers walked the field before dawn. They cut the barley low, bound it, and set it up to dry.</p>"
PAGES = (
    "",
    "   \n\t ",
    "plain words without any tag",
    "<html><head><title>Only a title</title></head><body></body></html>",
    "<body><script>var a = 1;</script><nav><a href='/'>Home</a></nav></body>",
    f"<title>Harvest</title><body><nav><a href='/'>Home</a></nav><div>{_PARAGRAPH * 6}</div><footer>2020</footer>",
    f"<table><tr><td>{_PARAGRAPH * 3}<td>side</table>",
    "<h1>Snath</h1><dl><dt>Price:<dd>$12.00<dt>Colour<dd>ash</dl><p>Weight: 2 kg",
    "<div>" * 300 + _PARAGRAPH * 5,
    "<p>\u6536\u5272\u8005\u5728\u9ece\u660e\u524d\u8d70\u8fc7\u7530\u91ce\u3002</p>" * 8 + "<p>\u4ef7\u683c\uff1a9",
    "<p>nul \x00, surrogate \ud800, mark \u202e, end</p>",
    "<" * 500 + "<!-- never closed " + _PARAGRAPH,
)
OPTIONS = (
    TextOptions(),
    TextOptions(title_line=True, captions=True, comments=True, tables=True),
    TextOptions(title_line=False, captions=False, comments=False, tables=False, links=False, images=False),
)


def check_text_method(read: TextMethod) -> None:
    """Assert what scythe relies on: any page gives a Reading, its block numbers ascend and exist, twice is the same.

    And it leaves the page as it was, whatever the options.
    """
    for html in PAGES:
        for options in OPTIONS:
            _check_reading(read, html, options)
    _check_order(lambda page: read(page, OPTIONS[0]), "reading")


def _check_reading(read: TextMethod, html: str, options: TextOptions) -> None:
    page, where = _open(html), _where(html)
    before = list(page.blocks.text)
    reading = read(page, options)
    assert isinstance(reading, Reading), f"{where}: expected a Reading, got {type(reading).__name__}"
    assert reading.method, f"{where}: the reading does not name its method"
    kept, total = reading.kept, len(before)
    assert all(a < b for a, b in pairwise(kept)), f"{where}: kept blocks do not ascend: {kept}"
    assert all(0 <= i < total for i in kept), f"{where}: kept blocks outside 0..{total - 1}: {kept}"
    assert not reading.scores or len(reading.scores) == total, f"{where}: {len(reading.scores)} scores, {total} blocks"
    assert kept or (reading.text or "").strip() or reading.why, f"{where}: nothing kept and no reason given"
    assert read(page, options) == reading, f"{where}: a second reading of the same page differs"
    assert list(page.blocks.text) == before, f"{where}: the method changes the page"
    assert read(_open(html), options) == reading, f"{where}: a reading of an equal page differs"


def check_text_characteristic(characteristic: VisualCharacteristic) -> None:
    """Assert what VSSE relies on: one finite value per leaf, none below zero, the same when asked again."""

    def weigh(page: Page) -> Sequence[float]:
        elements = number_elements(page)
        leaves, where = list(elements.leaf_text), f"{len(elements.leaf_text)} leaves"
        values = list(characteristic.weigh(elements))
        assert len(values) == len(leaves), f"{len(values)} values for {where}"
        assert all(isinstance(value, (int, float)) for value in values), f"a value is no number: {values}"
        assert all(isfinite(value) and value >= 0 for value in values), f"a value is negative or not finite: {values}"
        assert list(characteristic.weigh(elements)) == values, "a second look at the same page gives other values"
        assert elements.leaf_text == leaves, "the characteristic changes the page"
        return values

    _check_order(weigh, "look")


def check_record_characteristic(characteristic: LeafMarks) -> None:
    """Assert what the weights of records rely on: one yes or no per leaf, the same when asked again, on any page."""

    def mark(page: Page) -> Sequence[bool]:
        elements = page.elements
        leaves = list(elements.text)
        marks = list(characteristic.mark(elements))
        assert len(marks) == len(leaves), f"{len(marks)} answers for {len(leaves)} leaves"
        assert all(one in (True, False) for one in marks), f"an answer is neither yes nor no: {marks}"
        assert list(characteristic.mark(elements)) == marks, "a second look at the same page gives other answers"
        assert list(elements.text) == leaves, "the characteristic changes the page"
        return marks

    _check_order(mark, "look")


def _check_order(look: Callable[[Page], object], what: str) -> None:
    """Assert that what is said of a page does not depend on the pages before it."""
    first = [look(_open(html)) for html in PAGES]
    later = [look(_open(html)) for html in reversed(PAGES)]
    for html, one, other in zip(PAGES, first, reversed(later), strict=True):
        assert one == other, f"{_where(html)}: a {what} depends on the pages before"


def _open(html: str) -> Page:
    return Page.from_text(html, url=_ADDRESS)


def _where(html: str) -> str:
    return f"page {html[:60]!r}"
