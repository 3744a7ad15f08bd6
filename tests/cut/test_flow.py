"""The text of an element cut out of a page, and what else can be rendered from it."""

from __future__ import annotations

import pickle

import pytest

from scythe.cut.flow import Flow, FragmentContent, flow_in_python
from scythe.read.images.nearby import mark_relevant
from scythe.rules import FLOW, Way

BODY = b"""<html><div class="post"><h2>Rye</h2><p>The <a href="/rye">rye</a> stood high.<p>Share
<div class="ad">Buy<img src="ad.png"></div><img src="/rye.png"><p>They cut it &amp; bound it.</div>"""
START, END = BODY.index(b"<div"), len(BODY)
WAY = Way(FLOW, (), drops=(b'<div class="ad',), skip_lines=("Share",))


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
    assert flow_in_python(element) is None


@pytest.mark.parametrize("element", [b"<td>a<p>b</td>", b"<tr><td>a<td>b", b"<tbody><tr><td>a</table>"[:-8], b"<li>a"])
def test_table_parts_and_items_stand_alone(element: bytes) -> None:
    text = flow_in_python(element)
    assert text is not None
    assert text.split()[0] == "a"


def test_what_depends_on_the_rest_of_the_page_is_in_doubt() -> None:
    assert flow_in_python(b"<div>a<form>b</form></div>") is None
    assert flow_in_python(b"<div><p>a</p><form><p>b</form></div>") == "a\n\nb"
    assert flow_in_python(b"<div><p>a<table></table><br>b</div>") is None


def test_a_fragment_that_cannot_be_parsed_keeps_its_text() -> None:
    assert FragmentContent(b"", "words", WAY).markdown() == ""
    assert FragmentContent(b"", "words", WAY).text() == "words"
