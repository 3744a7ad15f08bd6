"""A head that is read without a parser says what the parser says."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.page.head import BodyQueries, read_head
from scythe.page.head_from_bytes import read_plain_head
from scythe.page.page import make_map

NAMES = ("name", "property", "content", "itemprop", "http-equiv", "rel", "href", "lang", "xml:lang", "type", "class",
         "itemtype", "charset", "NAME", "a=b", "a/b")  # fmt: skip
WORDS = ("author", "og:title", "ld+json", "application/ld+json", "canonical", "a &amp; b", "&quot;", "&#39;", "&#8217;",
         "&copy", "&notit;", "&#128;", "&#13;", "&#12;", "&#x41;", "a>b", "<i>", "</script>", "<!--", "é", "\u2028",
         "", " Author ", "byline x", "https://schema.org/Recipe/", "'", '"', "\r\n", "\x00", "x/")  # fmt: skip

values = st.lists(st.sampled_from(WORDS), max_size=3).map("".join)
gaps = st.sampled_from((" ", "\n", "\t ", "", "/", "\x0b"))
forms = st.sampled_from(('{}{}="{}"', '{}{}="{}"', '{}{}="{}"', "{}{}='{}'", "{}{}={}", "{}{}", '{}{} = "{}"'))
attributes = st.builds(lambda form, *parts: form.format(*parts), forms, gaps, st.sampled_from(NAMES), values)
openings = st.builds(
    lambda name, parts, end: f"<{name}{''.join(parts)}{end}",
    st.sampled_from(("meta", "meta", "meta", "link", "base", "frame", "META", "html")),
    st.lists(attributes, max_size=4),
    st.sampled_from((">", ">", "/>", " />", "")),
)
metas = st.builds(
    '<meta {}="{}" content="{}"{}>'.format, st.sampled_from(NAMES[:2]), values, values, st.sampled_from(("", " /", "/"))
)
scripts = st.builds('<script {}="{}">{}</script>'.format, st.sampled_from(("type", "class", "id")), values, values)
typed = st.builds('<script type="application/ld+json">{}</script>'.format, values)
items = st.builds('<i itemtype="{}"></i>'.format, values)
sources = st.builds(
    lambda first, *rest: first + "".join(chain.from_iterable(rest)),
    st.sampled_from(
        ("", '<html lang="en">', '<html class="x" itemtype="https://schema.org/Article">', "<html lang=de >")
    ),
    st.lists(metas | openings, max_size=5),
    st.lists(scripts | typed, max_size=2),
    st.lists(items, max_size=2),
)


@given(sources)
def test_a_plain_head_says_what_the_parser_says(source: str) -> None:
    head = read_plain_head(source)
    if head is not None:
        page_map = make_map(source.encode())
        assert head == read_head(page_map)
        body = BodyQueries(page_map)
        assert (body.heading, body.values, body.times, body.bylines) == ("", {}, (), ())


@pytest.mark.parametrize(
    "source",
    [
        '<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta name=author content='Ann &amp; Bob'><link rel=\"canonical\" href=\"/a\"><base href='/x/'/>",
        '<script type="application/ld+json">{"@type": "Recipe"}</script><i itemtype="https://schema.org/Recipe"></i>',
    ],
)
def test_usual_heads_need_no_parser(source: str) -> None:
    assert read_plain_head(source) == read_head(make_map(source.encode()))
