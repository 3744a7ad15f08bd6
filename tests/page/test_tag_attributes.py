"""Attributes of tags that stand alone are those a browser would see."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from scythe.page.tag_attributes import read_attributes


def _by_tree(tag: str) -> dict[str, str] | None:
    node = LexborHTMLParser(tag).css_first("img")
    return None if node is None else {name: value or "" for name, value in node.attributes.items()}


@given(st.text(alphabet="<>=\"'/ \nab&;#1x-\v\u00e9\u00a0", max_size=60))
def test_attributes_are_those_of_the_tree(inside):
    assume("&#" not in inside)  # numbers of control characters come out as nothing, not as the character
    tag = f"<img {inside}>"
    expected = _by_tree(tag)  # None: a quote left open swallows the end of the tag
    assert expected is None or dict(read_attributes(tag)) == expected
