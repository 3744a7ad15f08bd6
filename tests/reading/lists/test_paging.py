"""Pages that go on: next, previous, numbered and loaded pages, and links that only look like them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.model import Paging
from scythe.page import Page
from scythe.reading.lists.page_numbers import compare, read_label
from scythe.reading.lists.paging import read_paging

OWN = "https://example.org/news/"
ROWS = "".join(f"<li><a href='/news/story-of-field-{word}'>A story of the {word} field</a></li>" for word in "abcdefg")


def paging(pager: str, url: str | None = OWN, head: str = "") -> Paging:
    html = f"<html><head>{head}</head><body><ul class=list>{ROWS}</ul>{pager}</body></html>"
    return read_paging(Page.from_text(html, url=url))


PIECES = st.sampled_from(
    "<a href='?page=2'> |<a href='/a/3'>|</a>|next|›|2|3| |<ul class=pager>|</ul>|<li>|<button data-url='/x?page=4'>|"
    "load more|<a href='http://[:1'>|<a rel=next href='?p=٣'>|<b>|次".split("|")
)


@given(st.lists(PIECES, max_size=40), st.sampled_from([None, OWN, f"{OWN}?page=2", "http://a/²?page=²"]))
@settings(max_examples=150, deadline=None)
def test_any_pager_gives_absolute_addresses_other_than_its_own(pieces: list[str], url: str | None) -> None:
    found = read_paging(Page.from_text("".join(pieces), url=url))
    for address in (found.next, found.previous, found.more):
        assert address is None or (address.startswith("http") and address != url)
    assert list(found.pages) == sorted(found.pages)


@pytest.mark.parametrize(
    "pager",
    [
        "<div class=years>" + "".join(f"<a href='/news/{year}/'>{year}</a> " for year in range(2018, 2026)) + "</div>",
        "<p>Show <a href='/news/?n=10'>10</a> <a href='/news/?n=25'>25</a> <a href='/news/?n=50'>50</a></p>",
        "<p><a href='/news/" + "x" * 5_000 + "?page=2'>2</a> <a href='/news/" + "x" * 5_000 + "?page=3'>3</a></p>",
        "<a href='/news/?page=2'>" + "<b>a</b> <i>word</i> " * 20 + "next</a>",
    ],
    ids=["years", "how many", "endless", "a story"],
)
def test_numbers_that_count_no_pages_are_no_pages(pager: str) -> None:
    assert paging(pager).next is None


@pytest.mark.parametrize(
    ("own", "other", "step"),
    [
        ("https://example.org/news", "https://else.example/news?page=2", None),
        ("https://example.org/news", "mailto:a@example.org", None),
        ("https://example.org/list/", "https://example.org/list/page/0", None),
        ("https://example.org/list.html", "https://example.org/list-2.html", (None, 2)),
        ("https://example.org/list-3.html", "https://example.org/list.html", (3, None)),
    ],
)
def test_addresses_are_compared_by_their_page_numbers(
    own: str, other: str, step: tuple[int | None, int | None] | None
) -> None:
    found = compare(own, other)
    assert (None if found is None else (found.before, found.after)) == step


@pytest.mark.parametrize(
    ("text", "says"), [("›", "forward"), ("‹", "backward"), ("‹ ›", ""), ("…", ""), ("next " * 100, "")]
)
def test_arrows_say_where_a_link_leads(text: str, says: str) -> None:
    assert read_label(text).says == says
