"""Pages that would make a tree builder slow are rewritten; all others pass unchanged."""

from __future__ import annotations

from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.rewrite import rewrite
from scythe.page.tree_guard import is_plain

ORDINARY = """<!DOCTYPE html><html><head><title>T</title><style>a > b { color: red }</style></head>
<body class="x"><nav><ul><li><a href="/">Home</a><li><a href="/2">Two</a></ul></nav>
<p>One <b>bold</b> word<p>Two<br>lines <i>here</i>
<table><tr><td>a<td>b<tr><td colspan=2>c</table>
<svg viewBox="0 0 1 1"><title>icon</title><path d="M0 0"/></svg>
<dl><dt>t<dd>d<dt>u<dd>e</dl><form><select><option>1<option selected>2</select><input name=q></form>
<script>if (a < b) document.write("<p>" + '</' + 'p>')</script><!-- <div> --><pre>
x < y</pre></body></html>"""


def texts(html: str) -> list[str]:
    return Page.from_text(html).blocks.text


def test_an_ordinary_page_is_plain_and_not_touched() -> None:
    source = ORDINARY.encode()
    assert is_plain(source)
    assert rewrite(source)[1] == ()


@pytest.mark.parametrize(
    "html",
    [
        ORDINARY,
        "<div><p>one<p>two<div>three</div>four</div>five",
        "<p><b>one<p>two</b> three",
        "<b><div>one</b>two</div>three",
        "<a href=1>one<a href=2>two</a>three",
        "<ul><li>one<ul><li>two</ul><li>three</ul>four",
        "<table><td>one<table><td>two</table>three</table>four",
        "<table>one<tr><td>two</table>three",
        "<svg><g><p>one</p></g></svg>two",
        "<h1>one<h2>two</h1>three",
        "<button>one<button>two</button>three",
        "<form>one<form>two</form>three</form>four",
        "one</p>two</div>three</span>four",
        "<textarea><p>hidden</textarea>one<title><p>hidden</title>two",
        "<script><!-- <script> </script> --></script>one",
        "<select><option>one<option>two</select>three",
        "one<!-- two --!>three<!-->four<!--->five",
        "one<?php echo 'two' ?>three</ four>five<!x>six",
        "<math><mi>one</mi></math>two",
        "one < two <3 three",
        "<dl><dt>one<dd>two<dt>three</dl>four",
        "<span><div>one</span>two</div>three",
        "<plaintext-not>one</plaintext-not>two",
        "<object><p>one</object>two",
        "<P CLASS=a>one</P><DIV>two</DIV>",
        "<svg><![CDATA[one <b>two</b>]]></svg>three",
        "<p title='a>b'>one<p title=\"</p>\">two",
        "<details><summary>one</summary>two</details>three",
        "<ruby>one<rt>two</ruby>three",
        "<p><svg><div>one<noscript><div>two",
        "<div><foreignObject><noscript></div>one",
        "<tr><noscript>one</noscript>two<tr>three",
        "<svg><foreignObject><textarea>one</b>two</textarea></foreignObject></svg>three",
        "<svg><desc><xmp>one</p><p>two</xmp>three</desc></svg>four",
        "<svg><title><iframe>one</i></iframe>two</title></svg>three",
        "<svg><foreignObject><div><noembed>one</b>two</noembed>three</div></foreignObject></svg>four",
        "<math><mi><textarea>one</b>two</textarea></mi></math>three",
        "<math><annotation-xml encoding='text/html'><textarea>one</b>two</textarea></annotation-xml></math>three",
        "<math><annotation-xml><textarea>one</b>two<p>three</textarea>four</annotation-xml></math>five",
        "<math><foreignObject><div><textarea>one</b>two</textarea>three</div></foreignObject></math>four",
        "<svg><textarea>one</b>two<p>three</textarea>four</svg>five",
        "<svg></p><textarea>one</b>two</textarea>three",
        "<svg></br><textarea>one</b>two</textarea>three",
        "<svg><font color=red><textarea>one</b>two</textarea>three",
        "<svg><head><title>one<svg><script>two",
        "<svg><foreignObject><![CDATA[one<p>two]]><p>three<![CDATA[four]]>",
        "<svg><font><textarea>one</b>two<p>three</textarea>four",
    ],
)
def test_rewriting_keeps_what_a_reader_sees(html: str) -> None:
    rewritten, _ = rewrite(html.encode())
    assert texts(rewritten.decode()) == texts(html)


def test_raw_text_in_the_html_of_a_drawing_is_left_as_it_is() -> None:
    raw = b"<svg><foreignObject><textarea>one</b>two</textarea></foreignObject></svg>"
    assert rewrite(raw) == (raw, ())


@pytest.mark.parametrize("tag", ["div", "span", "b", "font", "ul", "blockquote", "section", "center", "x-y"])
def test_deep_nesting_loses_its_tags_but_not_its_text(tag: str) -> None:
    n = LIMITS.plain_tags + 1
    page = Page.from_text(f"<p>before</p>{f'<{tag}>' * n}inside{f'</{tag}>' * n}<p>after</p>")
    assert [text for text in page.blocks.text if text.isalpha()] == ["before", "inside", "after"]
    assert sum(loss.count for loss in page.losses) >= n - LIMITS.depth


def test_paragraphs_below_the_depth_limit_stay_apart() -> None:
    deep = "<div>" * (LIMITS.plain_tags + 1) + "<p>one</p><p>two</p>three"
    assert texts(deep) == ["one", "two", "three"]


def test_excess_attributes_are_dropped_and_counted() -> None:
    attributes = " ".join(f"a{i}={i}" for i in range(LIMITS.tag_attributes + 100))
    page = Page.from_text(f"<p id=first {attributes}>text</p>")
    node = page.tree.css_first("p")
    assert node is not None
    assert node.attributes["id"] == "first"
    assert len(node.attributes) == LIMITS.tag_attributes
    assert page.blocks.text == ["text"]
    assert [(loss.what, loss.count) for loss in page.losses] == [("attributes beyond the limit", 101)]


def test_formatting_left_open_is_not_built_again_in_every_paragraph() -> None:
    page = Page.from_text("".join(f"<p><b id=b{i}>word{i}</p>" for i in range(2000)))
    assert page.blocks.text == [f"word{i}" for i in range(2000)]
    assert len(page.tree.css("b")) == 2000


def test_a_tag_without_end_is_counted_as_lost() -> None:
    page = Page.from_text("<p>before</p>" + "<i></i>" * LIMITS.plain_tags + "<a b='" + "x" * 100)
    assert page.blocks.text == ["before"]
    assert [loss.what for loss in page.losses] == ["bytes in a tag without end"]


def test_a_page_beyond_the_size_limit_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    small = type(LIMITS)(body_bytes=1000)
    for module in ("scythe.page.page", "scythe.page.encoding"):
        monkeypatch.setattr(f"{module}.LIMITS", small)
    text = "<p>" + "ü" * 2000
    for page in (Page.from_text(text), Page.from_bytes(text.encode())):
        assert page.blocks.text[0].strip("ü") == ""
        assert page.losses[0].count > 900


def test_many_options_are_linear() -> None:
    page = Page.from_text(
        "<select><selectedcontent></selectedcontent>" + "<option>x</option>" * 3000 + "</select><p>after"
    )
    assert page.blocks.text[-1] == "after"


def test_a_tag_loses_only_what_is_too_long_of_it() -> None:
    candidates = ", ".join(f"/photo-{number}.jpg {number + 1}w" for number in range(60_000))
    inline = f"data:,{'A' * 2_000_000}"
    html = f"<img title='x'alt='a'srcset='{candidates}'src=/a.jpg><img src='{inline}'data-src=/b.jpg>"
    page = Page.from_text(html, url="https://farm.example/")
    first, second = page.images
    assert first.image.alt == "a"
    assert "https://farm.example/a.jpg" in first.image.sources
    assert "https://farm.example/photo-1.jpg" in first.image.sources
    assert second.image.src == "https://farm.example/b.jpg"
    assert ("attributes beyond the limit", 2) in [(loss.what, loss.count) for loss in page.losses]


@pytest.mark.parametrize(
    "piece",
    [
        "<p>word{0}",
        "<div>word{0}</div>",
        "<br>word{0}",
        "</p>word{0}",
        "</br>word{0}",
        "<!--x-->word{0}",
        "<!x>word{0}",
        "<script>x</script>word{0}",
        "<table><tr><td>word{0}</td></tr></table>",
    ],
)
def test_a_page_of_more_tags_than_the_limit_keeps_its_text(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.page.rewrite.LIMITS", replace(LIMITS, page_tags=500))
    html = "<html><body>" + "".join(piece.format(number) for number in range(7_000)) + "<p>end"
    source, losses = rewrite(html.encode())
    assert [loss.what for loss in losses] == ["tags beyond the limit"]
    tree = LexborHTMLParser(source)
    assert tree.body is not None
    text = tree.body.text(separator=" ")
    assert all(f"word{number}" in text for number in (0, 400, 501, 3_000, 6_999))
    assert text.rstrip().endswith("end")
    assert sum(1 for _ in tree.root.traverse(include_text=False)) < 2_000


def test_a_page_of_more_names_of_tags_than_the_limit_keeps_its_text() -> None:
    html = (
        "".join(f"<x-{number}>word{number}</x-{number}>" for number in range(9_000))
        + "<p>end</p><b>bold</b><a href=x>link</a>"
    )
    source, losses = rewrite(html.encode())
    assert [(loss.what, loss.count) for loss in losses] == [("tags of too many names", 9_000 - LIMITS.tag_names)]
    tree = LexborHTMLParser(source)
    assert tree.body is not None
    text = tree.body.text(separator=" ")
    assert all(f"word{number}" in text for number in (0, 1_999, 2_000, 8_999))
    assert [tree.css_first(name).text() for name in ("p", "b", "a")] == ["end", "bold", "link"]
    assert len({node.tag for node in tree.root.traverse()}) < LIMITS.tag_names + 10
