"""The text of an element cut out of a page, and what else can be rendered from it."""

from __future__ import annotations

import pickle
from html.entities import html5

import pytest

from scythe.extension import native
from scythe.page.source import read_source
from scythe.reading.images.image_methods import mark_relevant
from scythe.site.cut.cutter import Flow, FragmentContent, flow_text
from scythe.site.rules import FLOW, Way

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
BODY = b"""<html><div class="post"><h2>Rye</h2><p>The <a href="/rye">rye</a> stood high.<p>Share
<div class="ad">Buy<img src="ad.png"></div><img src="/rye.png"><p>They cut it &amp; bound it.</div>"""
START, END = BODY.index(b"<div"), len(BODY)
WAY = Way(FLOW, (), drops=(b'<div class="ad',), skip_lines=("Share",))


GOLDEN = [
    ("<div>one <b>t</b>wo<br>three<br><br>four<hr>five</div>", "one two\nthree\n\nfour\n\nfive"),
    ("<div>a<p>b<p>c<div>d</div>e</div>", "a\n\nb\n\nc\n\nd\n\ne"),
    ("<ul><li>a<li>b<ul><li>c</li></ul><li><p>d</p></ul>", "a\nb\nc\n\nd"),
    ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"),
    ("<div>x<table><tr><th>a<th>b<tr><td>1<td>2</table>y</div>", "x\n\na\tb\n1\t2\n\ny"),
    ("<div><table><tr><td>a<td><tr><td><td>d<p>e</table></div>", "a\n\td e"),
    ('<table role="presentation"><tr><td>a<td>b<tr><td>c<td>d</table>', "a\n\nb\n\nc\n\nd"),
    ("<div><table><tr><td>a<td><table><tr><td>b<td>c</table></table></div>", "a\n\nb\tc"),
    ("<pre>\n  a\n\n    b  \n</pre>", "a\n\n    b"),
    ("<div><p>x</p><pre>  <code>a\n  b</code><div>c</div></pre></div>", "x\n\na\n  b\nc"),
    ("<div>a<!-- <p> -->b<script>'<p>'</script>c<noscript><p>d</p></noscript>e</div>", "abce"),
    ("<div>caf&eacute; &notit; &#8217;&nbsp; &bogus; AT&T &lt;b&gt;</div>", "café ¬it; ’ &bogus; AT&T <b>"),
    ("<div>a<svg><title>x</title><path d='M0'/></svg>b<select><option>c</select>d</div>", "abd"),
    ("<div><p>a</p><html><body><p>b</body></html><p>c</div>", "a\n\nb\n\nc"),
    ("<div><ruby>漢<rp>(<rt>kan<rp>)</ruby>字</div>", "漢字"),
    ("<div><p title='a>b'>x</p ><P>y</P><br/></div>", "x\n\ny"),
    ("<div><a><b>x</a>y</b> <i>z</div>", "xy z"),
    ("<div><form><p>Search</p></form> and words</div>", "Search\n\nand words"),
    ("<div><h2><a>x<br><h1>y</h1></a></h2>z</div>", "x\n\ny\n\nz"),
    ("<div></div>", ""),
]


@pytest.mark.parametrize(("element", "text"), GOLDEN)
def test_text_is_as_a_reader_sees_it(element: str, text: str) -> None:
    body = element.encode()
    source = read_source(body)
    assert flow_text(source.openings[0].node, body) == text
    assert Flow().text(body, 0, len(body)) == text


def test_every_named_reference_is_resolved() -> None:
    flow, wrong = Flow(), []
    for name, meaning in html5.items():
        body = f"<p>.&{name}.</p>".encode()
        if flow.text(body, 0, len(body)) != " ".join(f".{meaning}.".split()):
            wrong.append(name)
    assert wrong == []


def content() -> FragmentContent:
    text = Flow(WAY.drops, WAY.skip_lines).text(BODY, START, END)
    assert text is not None
    return FragmentContent(BODY[START:END], text, WAY, "https://example.org/a/", mark_relevant)


def test_a_fragment_becomes_text_without_what_is_left_out() -> None:
    assert (
        Flow(WAY.drops, WAY.skip_lines).text(BODY, START, END)
        == "Rye\n\nThe rye stood high.\n\nThey cut it & bound it."
    )


def test_a_fragment_in_another_encoding_is_read_by_it() -> None:
    body = "<p>Größe</p><div title='é'>Größe <b class='ü'>x</b></div>".encode("cp1252")
    drops = ["<b class='ü'".encode("cp1252")]
    assert Flow(drops, encoding="cp1252").text(body, body.index(b"<div"), len(body)) == "Größe"


def test_a_fragment_that_does_not_decode_is_in_doubt() -> None:
    assert Flow(encoding="shift_jis").text(b"<p>\x81</p>", 0, 8) is None


def test_what_stands_before_the_element_counts() -> None:
    element = b"<div><button>a</button></div>"
    for around, text in ((b"<button>x</button>", "a"), (b"<button>", None)):
        page = around + element
        for encoding in ("utf-8", "cp1252"):
            assert Flow(encoding=encoding).text(page, len(around), len(page)) in (text, None)
    assert Flow().text(b"<button>x</button>" + element, 18, 18 + len(element)) == "a"


def test_a_fragment_is_rendered_as_markdown_and_html() -> None:
    assert content().markdown() == (
        "## Rye\n\nThe [rye](https://example.org/rye) stood high.\n\n![](https://example.org/rye.png)\n\n"
        "They cut it & bound it."
    )
    assert content().html().count("<p>") == 3
    assert "Buy" not in content().html()


def test_images_of_a_fragment_are_marked_and_those_of_dropped_parts_are_not_relevant() -> None:
    assert [(image.src, image.relevant) for image in content().images()] == [
        ("https://example.org/a/ad.png", False),
        ("https://example.org/rye.png", True),
    ]


def test_pickled_content_is_what_it_renders_to() -> None:
    copy = pickle.loads(pickle.dumps(content()))
    assert (copy.text(), copy.markdown(), copy.html()) == (content().text(), content().markdown(), content().html())


@pytest.mark.parametrize(
    "element", [b"", b"text", b"<div>a", b"<p>a<div>b</div></p>", b"<div>a</div><p>b", b"<div>\xff</div>"]
)
def test_what_is_not_one_whole_element_is_in_doubt(element: bytes) -> None:
    assert Flow().text(element, 0, len(element)) is None


def test_a_fragment_that_cannot_be_parsed_keeps_its_text() -> None:
    assert FragmentContent(b"", "words", WAY).markdown() == ""
    assert FragmentContent(b"", "words", WAY).text() == "words"


@pytest.mark.parametrize(
    ("element", "why"),
    [
        (b"<div>a</div><p>", "the element ends early"),
        (b"<div><b><form><p>a</b></form>b</div>", "an inline element closed out of turn"),
        (b"<div>a</section></div>", "the end of an element around"),
        (b"<div>a<xmp>b</xmp></div>", "raw text that is shown"),
        (b"<div><table>a<tr><td>b</table></div>", "words between cells"),
        (b"<div>\xff</div>", "not UTF-8"),
        (b"<div>" * 300, "too deep"),
        (b"<div>a", "the element does not end"),
        (b"<div>a</div>", ""),
    ],
)
def test_doubt_has_a_reason(element: bytes, why: str) -> None:
    assert native is not None
    assert native.doubt_of_flow(element, 0, len(element), native.plan_flow(())) == why


def test_wrong_arguments_are_refused() -> None:
    assert native is not None
    plan = native.plan_flow((b"<p", b"", b"no tag"))
    assert native.read_flow(b"<div><p>a</p>b</div>", 0, 100, plan) == "b"
    with pytest.raises(ValueError, match="range"):
        native.read_flow(b"<p>", 2, 1, plan)
    with pytest.raises(TypeError):
        native.plan_flow(("<p",))
    with pytest.raises((ValueError, TypeError)):
        native.read_flow(b"<p>", 0, 3, None)
