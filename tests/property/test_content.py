"""Laws of rendering: whatever the page, its three renderings say the same words and none carries code."""

import json
import pickle

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import scythe
from scythe.page import Page
from scythe.page.content import PageContent

_BLOCK_TAGS = (
    "p div section h1 h2 h4 ul ol li dl dt dd blockquote pre table tr td th caption figure figcaption article aside "
    "menu details summary form button center address main nav hr br xmp listing fieldset"
).split()
_INLINE_TAGS = "a b i em strong code kbd sub sup s del mark span cite font u q svg noscript template label".split()
_MARKUP = "* _ ` [ ] ( ) < > # + - = | ~ \\ ! & : ; . \" ' 1 &lt; &amp; &#35; &#13; ``` --- 1. ** __ ](".split(" ")
_words = st.one_of(
    st.lists(st.sampled_from(["a", "b", "é", "语", " ", "\t", "\n", *_MARKUP]), max_size=12).map("".join),
    st.text(max_size=8),
)
_attributes = st.sampled_from(
    [
        "",
        ' href="/x"',
        ' href="javascript:alert(1)"',
        ' onclick="alert(1)"',
        ' style="color:red"',
        ' colspan="3"',
        ' rowspan="2"',
        ' start="7"',
        ' class="language-python"',
        ' src="a.png" alt="x*y"',
    ]
)
_tokens = st.one_of(
    _words,
    st.builds("<{}{}>".format, st.sampled_from(_BLOCK_TAGS + _INLINE_TAGS), _attributes),
    st.builds("</{}>".format, st.sampled_from(_BLOCK_TAGS + _INLINE_TAGS)),
    st.sampled_from(
        ["<img src=i.png alt='a]b'>", "<img onerror=alert(1) src=x>", "<script>alert(1)</script>", "<br>", "<br><br>"]
    ),
)
pages = st.lists(_tokens, max_size=40).map("".join)

_markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def render(html: str) -> PageContent:
    page = Page.from_text(html, url="https://example.org/d/")
    return PageContent(page, tuple(range(len(page.blocks))))


def words(html: str) -> list[str]:
    return " ".join(Page.from_text(html).blocks.text).split()


@given(pages)
@settings(max_examples=300, deadline=None)
def test_text_holds_the_words_of_the_blocks_in_order(html: str) -> None:
    content = render(html)
    assert content.text().split() == " ".join(content.page.blocks.text).split()


@given(pages)
@settings(max_examples=500, deadline=None)
def test_html_parses_to_the_words_of_the_text(html: str) -> None:
    content = render(html)
    assert words(content.html()) == content.text().split()


@given(pages)
@settings(max_examples=500, deadline=None)
def test_markdown_reads_as_the_words_of_the_text(html: str) -> None:
    content = render(html)
    assert words(_markdown.render(content.markdown())) == content.text().split()


@given(pages)
@settings(max_examples=300, deadline=None)
def test_html_of_html_is_the_same_html(html: str) -> None:
    once = render(html).html()
    assert words(render(once).html()) == words(once)


@given(pages)
@settings(max_examples=200, deadline=None)
def test_content_survives_pickling_with_all_renderings(html: str) -> None:
    content = render(html)
    again = pickle.loads(pickle.dumps(content))
    assert (again.text(), again.markdown(), again.html()) == (content.text(), content.markdown(), content.html())


@given(pages, st.data())
@settings(max_examples=200, deadline=None)
def test_any_choice_of_blocks_renders_its_own_words(html: str, data: st.DataObject) -> None:
    page = Page.from_text(html)
    kept = tuple(i for i in range(len(page.blocks)) if data.draw(st.booleans()))
    content = PageContent(page, kept)
    expected = " ".join(page.blocks.text[i] for i in kept).split()
    assert content.text().split() == expected
    assert words(content.html()) == expected
    assert words(_markdown.render(content.markdown())) == expected


@given(st.one_of(st.binary(max_size=3_000), pages.map(str.encode), st.text(max_size=500)))
@settings(max_examples=300, deadline=None)
def test_anything_gives_a_document_that_can_be_written_as_utf8(html: str | bytes) -> None:
    doc = scythe.read(html, "https://example.org/d/", method="sentences")
    written = json.dumps(doc.to_dict(), ensure_ascii=False).encode()
    assert b"\\u0000" not in written
    assert bool(doc.text) != bool(doc.why)
