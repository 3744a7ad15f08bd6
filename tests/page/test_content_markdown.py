"""Markdown: structure kept, words escaped."""

from __future__ import annotations

from html import escape

import pytest
from markdown_it import MarkdownIt

from scythe.model import TextOptions
from scythe.page import Page
from scythe.page.content import PageContent, Prose


def markdown_of(html: str, options: TextOptions | None = None) -> str:
    page = Page.from_text(html, url="https://example.org/d/")
    return PageContent(page, tuple(range(len(page.blocks))), options or TextOptions()).markdown()


@pytest.mark.parametrize(
    "words",
    (
        "# no heading¦- no item¦+ no item¦* no item¦1. no item¦12) no item¦> no quote¦--- no rule"
        "¦=== no underline¦***¦___¦*no* _emphasis_ __none__ **none** ~~none~~¦`no code` ``none``"
        "¦[no](link) ![no](image) [no]: link¦<b>no tag</b> <!-- none --> <https://no.example>"
        "¦&lt; &#35; &copy; AT&T¦back\\slash \\* \\¦| a | b |¦:--|--:¦snake_case_name and 2*3*4"
        "¦a < b > c & d¦```¦~~~"
    ).split("¦"),
)
def test_words_never_become_markup(words: str) -> None:
    for html in (f"<p>{escape(words)}</p>", f"<p>x<br>{escape(words)}</p>", f"<ul><li>{escape(words)}</ul>"):
        rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown_of(html))
        page = Page.from_text(rendered)
        assert page.blocks.text[-1] == words
        assert page.map.find(*"em strong s code a img h1 h2 hr table blockquote ol".split()) == []


def test_spans_keep_the_columns_in_line_and_are_clamped() -> None:
    html = "<table><tr><th>A<th>B<th>C<tr><td colspan=2>x<td>y<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>"
    assert markdown_of(html).split("\n")[2:] == ["| x |  | y |", "| 1 | 2 | 3 |", "|  | 4 | 5 |"]
    assert len(markdown_of("<table><tr><td colspan=99999999999>a<td>b</table>")) < 2_000


def test_links_and_images_can_be_left_out() -> None:
    html = '<p>a <a href="/x">b</a> <img src=i.png alt=i> c</p>'
    assert markdown_of(html, TextOptions(links=False, images=False)) == "a b c"


def test_lists_deeper_than_any_reader_shows_lose_indent_not_words() -> None:
    markdown = markdown_of("".join(f"<ul><li>w{n}" for n in range(100)))
    assert [word for word in markdown.split() if word != "-"] == [f"w{n}" for n in range(100)]
    rendered = Page.from_text(MarkdownIt("commonmark").render(markdown))  # drops what is nested deeper than 20
    assert rendered.blocks.text == [f"w{n}" for n in range(100)]


def test_prose_is_escaped_and_keeps_its_lines() -> None:
    prose = Prose("# One\n* two\n\n<three> & four")
    assert prose.markdown() == "\\# One\\\n\\* two\n\n\\<three> & four"
    assert prose.html() == "<p># One<br>\n* two</p>\n<p>&lt;three&gt; &amp; four</p>"
