"""Attributes of tags that stand alone are those a browser would see."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from scythe.page.tag_attributes import read_attributes


def _by_tree(tag: str) -> dict[str, str] | None:
    node = LexborHTMLParser(tag).css_first("img")
    return None if node is None else {name: value or "" for name, value in node.attributes.items()}


def test_quoted_values_may_hold_the_end_of_a_tag():
    tag = """<img alt="a > b" title='c "d" > e' src=/x.png width=30>"""
    assert read_attributes(tag) == {"alt": "a > b", "title": 'c "d" > e', "src": "/x.png", "width": "30"}


def test_names_are_lower_case_and_the_first_of_equal_names_counts():
    assert read_attributes('<IMG SRC="a" src="b" Data-SRC=c hidden>') == {"src": "a", "data-src": "c", "hidden": ""}


def test_nothing_behind_the_end_of_the_tag_is_read():
    assert read_attributes('<a href="x">width="3"') == {"href": "x"}


def test_references_are_resolved_but_not_inside_addresses():
    tag = '<img alt="&quot;A&amp;B&#39;&nbsp" src="?a=1&copy=2&amp;b=3&copyx;">'
    assert read_attributes(tag) == {"alt": "\"A&B'\xa0", "src": "?a=1&copy=2&b=3&copyx;"}


def test_a_quote_left_open_holds_the_rest():
    assert read_attributes('<img alt="a b src=c') == {"alt": "a b src=c"}


def test_tags_that_are_empty_or_torn_have_no_attributes():
    assert [dict(read_attributes(tag)) for tag in ("", "<", "<img", "<img>", ">", "<img/>", "  <img / >")] == [{}] * 7


@given(st.text(alphabet="<>=\"'/ \nab&;#1x-\v\u00e9\u00a0", max_size=60))
def test_attributes_are_those_of_the_tree(inside):
    assume("&#" not in inside)  # numbers of control characters come out as nothing, not as the character
    tag = f"<img {inside}>"
    expected = _by_tree(tag)  # None: a quote left open swallows the end of the tag
    assert expected is None or dict(read_attributes(tag)) == expected
