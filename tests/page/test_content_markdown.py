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
    ("html", "markdown"),
    [
        ("<h1>A</h1><h3>B <b>c</b></h3>", "# A\n\n### B c"),
        ("<h2>What is C#?</h2><h2>C #</h2>", "## What is C#?\n\n## C \\#"),
        ("<p>a <b>b</b> <i>c</i> <s>d</s> <code>e</code></p>", "a **b** *c* ~~d~~ `e`"),
        ("<p><b><i>both</i></b></p>", "***both***"),
        ("<p>un<b>believ</b>able</p>", "un**believ**able"),
        ("<p>a<b>(b)</b>c</p>", "a(b)c"),  # delimiters there would be shown as stars
        ("<p><b>a </b>b</p>", "**a** b"),
        ("<p><b>a</b><i>b</i></p>", "**a**b"),
        ("<p>10<sup>6</sup></p>", "10<sup>6</sup>"),
        ("<p>a<br>b<br><br>c</p>", "a\\\nb\n\nc"),
        ('<p><a href="/x">a <b>b</b></a></p>', "[a **b**](https://example.org/x)"),
        ('<p><a href="x_(y)">a</a></p>', "[a](https://example.org/d/x_%28y%29)"),
        ('<p><a href="?a=1&amp;amp;b">a</a></p>', "[a](https://example.org/d/?a=1&amp;amp;b)"),
        ("<a href=/x><h2>Head</h2></a>", "## [Head](https://example.org/x)"),
        ('<p>wow!<a href="/x">a</a></p>', "wow\\![a](https://example.org/x)"),
        (
            '<p><a href="/x"><img src="i.png" alt="A [b]"></a> c</p>',
            "[![A \\[b\\]](https://example.org/d/i.png)](https://example.org/x) c",
        ),
        ("<blockquote><p>a</p><p>b</p></blockquote><p>c</p>", "> a\n>\n> b\n\nc"),
        ("<blockquote><ul><li>a</ul></blockquote>", "> - a"),
        ("<ul><li><blockquote>a</blockquote></ul>", "- > a"),
        ("<dl><dt>a<dd>b<dd>c</dl>", "**a**\n- b\n- c"),
        (
            "<figure><img src=i.png alt=i><figcaption>cap</figcaption></figure>",
            "![i](https://example.org/d/i.png)\n\ncap",
        ),
    ],
)
def test_html_becomes_markdown(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<p>x</p><ul><li>a</ul><p>y</p>", "x\n\n- a\n\ny"),
        ("<ul><li>a<ul><li>b<ul><li>c</ul></ul><li>d</ul>", "- a\n  - b\n    - c\n- d"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol start=9><li>a<li>b<ul><li>c</ul></ol>", "9. a\n10. b\n    - c"),
        ("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"),
        ("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\n\n  b\n- c"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"),
        ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
        ("<ul><ul><li>a</ul></ul>", "- - a"),
        ("<ul>words<li>a</ul>", "- words\n- a"),
        ("<li>stray", "stray"),
        ("<ul><li><pre>a\nb</pre></ul>", "- ```\n  a\n  b\n  ```"),
        ("<ul><li><h3>a</h3>b</ul>", "- ### a\n\n  b"),
        ("<menu><li>a</menu>", "- a"),
    ],
)
def test_lists_nest_by_indent(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


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


def test_code_keeps_its_lines_language_and_backticks() -> None:
    html = '<pre><code class="hljs language-python">def f():\n    "```"\n</code></pre>'
    assert markdown_of(html) == '````python\ndef f():\n    "```"\n````'


def test_inline_code_with_backticks_gets_a_longer_fence() -> None:
    assert markdown_of("<p><code>a`b</code> <code>`</code></p>") == "``a`b`` `` ` ``"


def test_a_table_gets_a_head_row_and_escaped_bars() -> None:
    html = "<table><caption>Cap</caption><tr><th>A<th>B<tr><td>x|y<td><code>a|b</code></table>"
    assert markdown_of(html) == "Cap\n\n| A | B |\n| --- | --- |\n| x\\|y | `a\\|b` |"


def test_a_table_without_headings_gets_an_empty_head_row() -> None:
    assert markdown_of("<table><tr><td>a<td>b<tr><td>c<td>d</table>") == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"


def test_spans_keep_the_columns_in_line_and_are_clamped() -> None:
    html = "<table><tr><th>A<th>B<th>C<tr><td colspan=2>x<td>y<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>"
    assert markdown_of(html).split("\n")[2:] == ["| x |  | y |", "| 1 | 2 | 3 |", "|  | 4 | 5 |"]
    assert len(markdown_of("<table><tr><td colspan=99999999999>a<td>b</table>")) < 2_000


def test_blocks_inside_a_cell_share_its_line() -> None:
    html = "<table><tr><th>A<th>B<tr><td><p>1</p><p>2</p><td><ul><li>x<li>y</ul></table>"
    assert markdown_of(html).split("\n")[2] == "| 1<br>2 | x<br>y |"


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
