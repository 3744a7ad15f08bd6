"""A page has attributes of a bounded number of names, and loses nothing else for it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.attribute_limits import COMPILED, has_many_in_python
from scythe.page.rewrite import rewrite
from scythe.page.tree_guard import is_plain

MOST = LIMITS.attribute_names
COUNTERS: list[Callable[[bytes, int], bool]] = [has_many_in_python]
if COMPILED is not None:
    COUNTERS.append(COMPILED.has_many_names)


def named(count: int, attribute: str = "a{0}=x", tag: str = "p") -> str:
    return "".join(f"<{tag} {attribute.format(number)}>word{number} " for number in range(count))


def names_of(source: bytes) -> set[str]:
    tree = LexborHTMLParser(source)
    assert tree.root is not None
    return {name for node in tree.root.traverse() for name in node.attributes}


@pytest.mark.parametrize(
    "attribute",
    ["a{0}", "data-{0}='x'", 'A{0}="<b>"', "ключ{0}=1", "a{0}=x/", "<a{0}", "=a{0}=x", "/a{0}/", 'x="1"a{0}="2"'],
)
def test_a_page_of_more_names_than_the_limit_keeps_its_text_and_says_so(attribute: str) -> None:
    html = named(3_000, attribute) + "<p class=end href=x>end"
    assert not is_plain(html.encode())
    page = Page.from_text(html)
    assert page.blocks.text == [*(f"word{number}" for number in range(3_000)), "end"]
    assert [loss.what for loss in page.losses] == ["attributes beyond the limit"]
    assert page.losses[0].count >= 3_000 - MOST
    source, _ = rewrite(html.encode())
    assert MOST <= len(names_of(source)) < MOST + 10
    last = LexborHTMLParser(source).css_first("p.end")
    assert last is not None
    assert last.attributes == {"class": "end", "href": "x"}  # what HTML has names for is always kept


def test_names_of_attributes_on_end_tags_are_dropped_without_loss() -> None:
    html = "".join(
        f"<b>word{number}</b a{number}=x></i c{number}><title>t</title b{number}>" for number in range(3_000)
    )
    assert not is_plain(html.encode())
    source, losses = rewrite(html.encode())
    assert losses == ()
    assert not re.search(rb"</\w+ ", source)


def test_names_of_document_types_are_dropped_without_loss() -> None:
    html = "<!DOCTYPE html>" + "".join(f"<!dOcType x{number}>word{number} " for number in range(3_000))
    assert not is_plain(html.encode())
    source, losses = rewrite(html.encode())
    assert losses == ()
    assert source == b"<!DOCTYPE html>" + b"".join(b"word%d " % number for number in range(3_000))


def test_ends_of_ever_new_names_are_dropped_without_loss() -> None:
    html = "".join(f"word{number} </x{number}>" for number in range(3_000))
    assert not is_plain(html.encode())
    assert rewrite(html.encode()) == (b"".join(b"word%d " % number for number in range(3_000)), ())
    assert rewrite(b"</x></y>word") == (b"word", ())  # also where all before it is dropped


@pytest.mark.parametrize(
    "html",
    [
        named(4_000, "data-id={0}"),
        named(1_900, "data-{0}=x") * 2,
        "".join(f"<p {'aA'[number % 2]}{'bB'[number // 2 % 2]}{number % 999}>word" for number in range(3_000)),
    ],
    ids=["one name", "repeated", "spellings"],
)
def test_many_attributes_of_few_names_are_left_alone(html: str) -> None:
    assert is_plain(html.encode())
    assert rewrite(html.encode()) == (html.encode(), ())


def test_what_is_dropped_leaves_a_tag_of_svg_closed() -> None:
    path = "".join(f"<path a{number}=1 />" for number in range(3_000))
    source, losses = rewrite(f"<svg>{path}<text>word</text></svg><p>end".encode())
    assert losses
    tree = LexborHTMLParser(source)
    assert len(tree.css("svg > path")) == 3_000
    assert [node.text() for node in tree.css("p")] == ["end"]


def test_a_tag_is_changed_also_where_its_length_stays() -> None:
    # the space that parts two attributes takes the place of one that is dropped
    html = named(MOST) + '<p title="1"alt="2"z>end'
    source, _ = rewrite((html + named(200, "b{0}")).encode())
    last = LexborHTMLParser(source).css_first("p[title]")
    assert last is not None
    assert last.attributes == {"title": "1", "alt": "2"}


@pytest.mark.parametrize("has_many", COUNTERS)
def test_names_are_counted_wherever_a_tag_may_begin(has_many: Callable[[bytes, int], bool]) -> None:
    names = named(300).encode()
    for before, after in ((b"<!--", b"-->"), (b"<a title='", b"'>"), (b"<script>", b""), (b"<p x='> ", b"")):
        assert has_many(before + names + after, 250)
        assert not has_many(before + names + after, 350)


@pytest.mark.parametrize("has_many", COUNTERS)
@pytest.mark.parametrize("piece", [b"<a", b"<a x=", b"<a x='", b'<a x="', b"<a ", b"</a x", b"<!doctype"])
def test_tags_that_never_end_are_not_read_over_and_over(has_many: Callable[[bytes, int], bool], piece: bytes) -> None:
    assert has_many(piece * 20_000, MOST)  # though there are two names; else each would be read to the end of the page


PIECES = rb"<!doctype <p </p <p>  a  B  b = ' \" > / < x [{@` {[`@".split(b" ")  # the empty one stands for a space
pieces = st.lists(st.sampled_from(PIECES).map(lambda piece: piece or b" "), max_size=60)


@pytest.mark.skipif(COMPILED is None, reason="there is no second one to compare with")
@settings(max_examples=300)
@given(pieces, st.integers(0, 6))
def test_both_engines_count_the_same(parts: list[bytes], most: int) -> None:
    source = b"".join(parts)
    assert COMPILED is not None
    assert COMPILED.has_many_names(source, most) == has_many_in_python(source, most)
