"""The columns of elements and leaves: what they hold, and that the map and the walk in Python give the same."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.demo import site
from scythe.extension import native
from scythe.page import Page
from scythe.page.elements import Elements, list_elements

ODD = [
    "",
    "plain",
    "<a><div>linked box</div></a><a href=''>e</a><a href='/x'>f</a><a href>g</a>",
    "<p> <b>a</b> <i>b</i>\u3000<strong>c</strong></p>",
    "<div hidden>x<p style='DISPLAY : none'>y</p></div><div style='visibility: hidden'>z</div>",
    "<div class='a b' id=c role=main itemprop=body><span class=lead>t</span></div>",
    "<script>no</script><noscript>no</noscript><svg><text>no</text></svg><my-tag>yes</my-tag>",
    "<table><tr><td>1<td>2<tr><td colspan=2>3</table>after<br>x<hr>",
    "<div>" * 200 + "deep" + "</div>" * 100 + "tail",
]
PIECES = (
    "<p>|</p>|<div hidden>|</div>|<a href=q>|</a>|<b>|</b>|<br>|<img>| |x|<li class=q>|<svg>|</svg>|<table>|<td>".split(
        "|"
    )
)


def columns(elements: Elements) -> dict[str, object]:
    found = {field.name: getattr(elements, field.name) for field in fields(Elements)}
    del found["leaf_run"]  # places in the bytes, which only the map knows
    found = {name: one if isinstance(one, dict) else list(one) for name, one in found.items()}
    return found | {"node": [node.mem_id for node in elements.node]}


def broken_ranges(elements: Elements) -> list[int]:
    """Return the rows whose ranges do not nest inside those of the element around them."""
    rows = range(1, len(elements))
    return [
        row
        for row in rows
        for above in [elements.parent[row]]
        if not (above < row < elements.end[row] <= elements.end[above])
        or not (
            elements.leaf_start[above] <= elements.leaf_start[row] <= elements.leaf_end[row] <= elements.leaf_end[above]
        )
        or elements.depth[row] != elements.depth[above] + 1
    ]


def test_rows_are_the_visible_elements_in_page_order():
    elements = Page.from_text("<ul class=k><li id=i>one <b>two</b></li><script>x</script><li>three</ul>").elements
    assert elements.tag == ["html", "body", "ul", "li", "b", "li"]
    assert elements.text == ["one", "two", "three"]
    assert [elements.tag[row] for row in elements.leaf_row] == ["li", "b", "li"]
    assert (elements.classes[2], elements.names[3]) == ("k", " i")
    assert elements.children(2) == [3, 5]


def test_links_keep_their_address_as_written():
    elements = Page.from_text("<a href=' /a?b '>x</a><a>y</a><area href=z>").elements
    assert list(elements.href.values()) == [" /a?b "]


@pytest.mark.parametrize("html", ODD)
def test_ranges_nest_on_odd_pages(html):
    assert broken_ranges(Page.from_text(html).elements) == []


@pytest.mark.skipif(native is None, reason="the extension is not built: no C compiler was found")
@pytest.mark.parametrize("html", ODD)
def test_odd_pages_are_listed_alike(html):
    page = Page.from_text(html)
    assert columns(page.elements) == columns(list_elements(page.map))


@pytest.mark.skipif(native is None, reason="the extension is not built: no C compiler was found")
@pytest.mark.parametrize("page", site(seed=6, pages=8), ids=lambda page: page.path)
def test_demo_pages_are_listed_alike(page):
    page = Page.from_bytes(page.html)
    assert columns(page.elements) == columns(list_elements(page.map))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80))
def test_any_markup_is_listed_alike_with_ranges_that_nest(pieces):
    page = Page.from_text("".join(pieces))
    elements = page.elements
    assert columns(elements) == columns(list_elements(page.map))
    assert broken_ranges(elements) == []
