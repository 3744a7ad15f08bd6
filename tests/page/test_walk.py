"""Blocks and elements of the map are those of the walk in Python, and their ranges nest."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.demo import site
from scythe.extension import native
from scythe.page import Page
from scythe.page.blocks import Blocks, cut_blocks, read_blocks
from scythe.page.elements import Elements, list_elements

ODD = [
    "",
    "plain",
    "<a><div>linked box</div></a><a href=''>e</a><a href='/x'>f</a><a href>g</a>",
    "<p> <b>a</b> <i>b</i>\u3000<strong>c</strong></p>",
    "<p>\u2003\u00a0\x1c</p><p>\u200b</p>",
    "one<br><br>two<hr>three<br>",
    "<div hidden>x<p style='DISPLAY : none'>y</p></div><div style='visibility: hidden'>z</div>",
    "<div style=color:red>v</div>",
    "<div class='a b' id=c role=main itemprop=body><span class=lead>t</span></div>",
    "<ul><li><a href=x><img src=y></a><li>t<img src=z>u</ul>",
    "<script>no</script><noscript>no</noscript><svg><text>no</text></svg><my-tag>yes</my-tag>",
    "<table><tr><td>1<td>2<tr><td colspan=2>3</table>after<br>x<hr>",
    "<div>" * 200 + "deep" + "</div>" * 100 + "tail",
    "\U0001f33e<b>\U0001f33e</b>",
]
PIECES = (
    "<p> </p> <div+hidden> </div> <a+href=q> </a> <b> </b> <br> <hr> <img> + x <li+class=q> <svg> </svg> <table> <td>"
)
SOUP = st.lists(st.sampled_from([*PIECES.split(), "<table>", "<td>"]), max_size=80)
COMPILED = pytest.mark.skipif(native is None, reason="the extension is not built: no C compiler was found")


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


def assert_same(page: Page) -> None:
    assert broken_ranges(page.elements) == []
    if native is None:
        return
    assert columns(page.elements) == columns(list_elements(page.map))
    fast, slow = page.blocks, cut_blocks(page.root)
    for field in fields(Blocks):
        ours, theirs = getattr(fast, field.name), getattr(slow, field.name)
        if field.name in ("box_node", "leaves", "image_node"):
            ours, theirs = [node.mem_id for node in ours], [node.mem_id for node in theirs]
        assert list(ours) == list(theirs), field.name


@pytest.mark.parametrize("html", ODD)
def test_odd_pages_are_walked_alike(html):
    assert_same(Page.from_text(html))


@pytest.mark.parametrize("page", [*site(seed=5, pages=12), *site(seed=6, pages=8)], ids=lambda page: page.path)
def test_demo_pages_are_walked_alike(page):
    assert_same(Page.from_bytes(page.html))


@settings(max_examples=300, deadline=None)
@given(SOUP)
def test_any_markup_is_walked_alike(soup):
    assert_same(Page.from_text("".join(soup).replace("+", " ")))


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


@COMPILED
def test_elements_taken_for_empty_are_walked_alike():
    page = Page.from_text("<p>a<span>b</span>c<div><b>d</b><a>e</a></div><li><p>f</p>")
    emptied = frozenset(node.mem_id for node in page.map.find("span", "a", "li"))
    fast, slow = read_blocks(page.map, 0, emptied), cut_blocks(page.root, emptied)
    assert fast.text == slow.text == ["ac", "d"]
    ours, theirs = ((one.links, one.box, one.box_end) for one in (fast, slow))
    assert [*map(list, ours)] == [*map(list, theirs)]


WORDS = "a|bc|word|long words | |  |\t|\n|\x0b|\x1c|\x1f|\x01|\x7f|&|&amp;|&nbsp;".split("|")
LETTERS = [
    *WORDS,
    "&#32;",
    "&x",
    " & ",
    "e " * 9,
    "é",
    "\u2009",
    "\u3000",
    "\u2014",
    "あ",
    "\x85",
    "\xa0",
    "\U0001d11e",
]


@COMPILED
@given(st.lists(st.sampled_from(LETTERS), max_size=60).map("".join))
@settings(max_examples=500, deadline=None)
def test_white_space_of_any_kind_is_squeezed_as_python_does(text: str) -> None:
    from scythe.page.map import PageMap

    page = PageMap(f"<p>{text}".encode())
    assert read_blocks(page).text == cut_blocks(page.root).text
