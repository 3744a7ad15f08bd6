"""Laws of the text of an element: from its bytes and from the tree of its page it is the same, or in doubt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.page.source import read_source
from scythe.site.cut import cutter
from scythe.site.cut.cutter import flow_text

BOXES = (
    "p div section h1 h2 ul ol li dl dt dd blockquote pre table tr td th tbody thead caption colgroup figure "
    "figcaption article details summary form button center address fieldset legend option slot dialog search listing"
).split()
INLINE = "a b i em code span sub font nobr label ruby rt rp x-y noscript video object svg math marquee".split()
ODD = [
    "<br>",
    "<BR/>",
    "<hr>",
    "<img src=x>",
    "<input>",
    "<script>var a = '<p>';</script>",
    "<style>p{}</style>",
    "<textarea>t<p></textarea>",
    "<xmp>y<b></xmp>",
    "<!-- <p> -->",
    "<!doctype x>",
    "<?php x ?>",
    "</>",
    "</ x>",
    "<svg><path d='x'/><title>t</title></svg>",
    "<math><mi>x</mi><annotation>k</annotation></math>",
    "<select><option>a<option>b</select>",
    "<template><tr><td>q</template>",
    "</body>",
    "<html>",
]
WORDS = [
    "a",
    "two words",
    " ",
    "\n",
    " \t x",
    "&amp;",
    "&nbsp;",
    "&#8217;",
    "&copy",
    "&notit;",
    "&bogus;",
    "&",
    "é",
    "语",
    "\u3000",
    "\u2003x",
    "\u2028",
    "\x85",
    "\x1c",
    "<",
    "1<2",
    "x\r\n  y",
    "&#13;",
    "&#0;",
    "&#x80;",
    "&nGt;",
    "a long text of more than sixteen bytes  with “quotation marks” in it",
    "W" * 250,
]
ATTRIBUTES = [
    "",
    "",
    "",
    " class=x",
    ' class="x y"',
    ' title="a>b"',
    ' data-a="<p>"',
    " hidden",
    ' role="presentation"',
    " /",
]
DROPS = [
    (),
    (b"<div class=x",),
    (b'<span class="x',),
    (b"<b",),
    (b"<p", b"<a class"),
    (b"<table", b"<li class=x"),
    (b"<form",),
]
AROUND = [
    "",
    "<!doctype html>",
    "<p>x",
    "<a href=x>",
    "<form>",
    "<p><b>x",
    "<ul><li>",
    "<button>",
    "<table><tr><td>",
    "<span>",
]
ROOTS = ["div", "div", "article", "p", "li", "span", "pre", "form", "table", "legend", "a", "button", "h2", "ul"]

texts = st.sampled_from(WORDS)
names = st.sampled_from(BOXES + INLINE)
tags = st.builds("<{}{}>".format, names, st.sampled_from(ATTRIBUTES))
soups = st.lists(st.one_of(texts, tags, st.builds("</{}>".format, names), st.sampled_from(ODD)), max_size=16).map(
    "".join
)


def element(name: str, attributes: str, content: str, ended: bool) -> str:
    return f"<{name}{attributes}>{content}" + (f"</{name}>" if ended else "")


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Elements as people write them: lists have items, tables have rows, some end tags are left out."""
    content = st.lists(inner, max_size=4).map("".join)
    attributes = st.sampled_from(ATTRIBUTES)
    items = st.lists(st.builds(element, st.just("li"), attributes, content, st.booleans()), max_size=4).map("".join)
    terms = st.lists(st.builds(element, st.sampled_from(["dt", "dd"]), attributes, content, st.booleans()), max_size=3)
    cells = st.builds(element, st.sampled_from(["td", "th"]), attributes, st.one_of(texts, content), st.booleans())
    rows = st.lists(st.builds("<tr>{}".format, st.lists(cells, max_size=3).map("".join)), max_size=4).map("\n".join)
    return st.one_of(
        st.builds(
            element,
            st.sampled_from("div section article blockquote h2 figure pre".split()),
            attributes,
            content,
            st.just(True),
        ),
        st.builds(
            element, st.sampled_from("a b em code span noscript legend".split()), attributes, content, st.just(True)
        ),
        st.builds(element, st.just("p"), attributes, content, st.booleans()),
        st.builds(element, st.sampled_from(["ul", "ol"]), attributes, items, st.just(True)),
        st.builds(element, st.just("dl"), attributes, terms.map("".join), st.just(True)),
        st.builds(element, st.just("table"), attributes, rows, st.just(True)),
    )


bodies = st.lists(st.recursive(st.one_of(texts, st.sampled_from(ODD[:9])), containers, max_leaves=20), max_size=5).map(
    "".join
)


def by_tree(page: bytes, start: int, drops: tuple[bytes, ...], skip_lines: tuple[str, ...]) -> str | None:
    opening = read_source(page).at(start)
    return flow_text(opening.node, page, drops, skip_lines) if opening is not None else None


@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(AROUND),
    st.sampled_from(ROOTS),
    st.sampled_from(ATTRIBUTES),
    st.one_of(soups, bodies),
    st.sampled_from(DROPS),
    st.sampled_from([(), ("two words",), ("a", "1<2")]),
)
def test_bytes_and_tree_give_the_same_text_or_the_bytes_are_in_doubt(
    around, root, attributes, inner, drops, skip_lines
):
    cut = element(root, attributes, inner, True).encode()
    start = len(around.encode())
    page = around.encode() + cut + b"</div>"
    wanted = by_tree(page, start, drops, skip_lines)
    assert cutter.Flow(drops, skip_lines).text(page, start, start + len(cut)) in (None, wanted)


@pytest.mark.skipif(cutter.native is None, reason="the compiled flow is not built: no C compiler was found")
@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(DROPS))
def test_any_bytes_are_read_or_in_doubt(octets, drops):
    for cut in (octets, b"<div>" + octets + b"</div>"):
        text = cutter.Flow(drops).text(cut, 0, len(cut))
        assert text is None or text == text.strip("\n\t ")
