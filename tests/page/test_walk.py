"""Blocks of the map are those of the walk in Python."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.demo import site
from scythe.extension import native
from scythe.page import Page
from scythe.page.blocks import Blocks, cut_blocks, read_blocks

pytestmark = pytest.mark.skipif(native is None, reason="the extension is not built: no C compiler was found")

ODD = [
    "",
    "plain",
    "<a><div>linked box</div></a>",
    "<p> <b>a</b> <i>b</i>\u3000<strong>c</strong></p>",
    "<p>\u2003\u00a0\x1c</p><p>\u200b</p>",
    "one<br><br>two<hr>three<br>",
    "<div hidden>x<p style='DISPLAY : none'>y</p></div><div style='visibility: hidden'>z</div>",
    "<div style=color:red>v</div>",
    "<div class='a b' id=c role=main itemprop=body><span class=lead>t</span></div>",
    "<ul><li><a href=x><img src=y></a><li>t<img src=z>u</ul>",
    "<script>no</script><noscript>no</noscript><svg><text>no</text></svg><my-tag>yes</my-tag>",
    "<table><tr><td>1<td>2<tr><td colspan=2>3</table>after",
    "<div>" * 200 + "deep" + "</div>" * 100 + "tail",
    "\U0001f33e<b>\U0001f33e</b>",
]
PIECES = "<p>|</p>|<div hidden>|</div>|<a>|</a>|<b>|</b>|<br>|<hr>|<img>| |x|<li class=q>".split("|")


def assert_same(page: Page) -> None:
    fast, slow = page.blocks, cut_blocks(page.root)
    for field in fields(Blocks):
        ours, theirs = getattr(fast, field.name), getattr(slow, field.name)
        if field.name in ("box_node", "leaves", "image_node"):
            ours, theirs = [node.mem_id for node in ours], [node.mem_id for node in theirs]
        assert list(ours) == list(theirs), field.name


@pytest.mark.parametrize("html", ODD)
def test_odd_pages_are_walked_alike(html):
    assert_same(Page.from_text(html))


@pytest.mark.parametrize("page", site(seed=5, pages=12), ids=lambda page: page.path)
def test_demo_pages_are_walked_alike(page):
    assert_same(Page.from_bytes(page.html))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=80))
def test_any_markup_is_walked_alike(pieces):
    assert_same(Page.from_text("".join(pieces)))


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


@given(st.lists(st.sampled_from(LETTERS), max_size=60).map("".join))
@settings(max_examples=500, deadline=None)
def test_white_space_of_any_kind_is_squeezed_as_python_does(text: str) -> None:
    from scythe.page.map import PageMap

    page = PageMap(f"<p>{text}".encode())
    assert read_blocks(page).text == cut_blocks(page.root).text
