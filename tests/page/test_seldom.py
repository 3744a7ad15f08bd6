"""What pages seldom do: odd heads, microdata of links and images, pages given as the wrong type, plain Python walks."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.blocks import Blocks
from scythe.page.head import read_json_ld
from scythe.page.links_from_bytes import read_hrefs

URL = "https://farm.example/barley"


@pytest.mark.parametrize("body", ["<p>text", None, 5])
def test_bytes_are_wanted_where_bytes_were_promised(body: Any) -> None:
    with pytest.raises(BadInput, match="expects bytes, not"):
        Page.from_bytes(body)


@pytest.mark.parametrize("html", [b"<p>text", None, 5])
def test_text_is_wanted_where_text_was_promised(html: Any) -> None:
    with pytest.raises(BadInput, match="expects text, not"):
        Page.from_text(html)


def test_without_the_compiled_module_a_page_has_the_same_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "<div><p>one <b>two</b><p> </p><!-- no --><ul><li>three<li><a href=x>four</a></ul><br><br>five</div>"
    compiled = Page.from_text(html).blocks
    monkeypatch.setattr("scythe.page.page.native", None)
    plain = Page.from_text(html).blocks
    for field in fields(Blocks):
        if "node" not in field.name and field.name != "leaves":
            assert list(getattr(plain, field.name)) == list(getattr(compiled, field.name)), field.name


def test_the_boxes_above_a_block_lead_to_the_root() -> None:
    blocks = Page.from_text("<div><section><p>one</p></section></div><p>two").blocks
    names = [blocks.box_tag[box] for box in blocks.boxes_above(blocks.text.index("one"))]
    assert names[:3] == ["p", "section", "div"]
    assert blocks.box_parent[blocks.boxes_above(0)[-1]] == -1


def test_scripts_without_a_word_and_values_without_a_type_are_no_objects() -> None:
    linked = read_json_ld(["", " \n", "5", '"text"', "[[1, null], {}]", '{"@type": "Article"}'])
    assert (len(linked.objects), linked.skipped) == (1, 0)


def test_microdata_of_links_and_images_is_their_text_or_address() -> None:
    html = """<article itemscope itemtype="https://schema.org/Article">
      <h1 itemprop="headline name headline">Barley</h1>
      <a itemprop="author" href="/reaper">A. Reaper</a>
      <link itemprop="url" href="/barley"><img itemprop="image" src="/b.jpg">
      <time itemprop="datePublished" datetime="2026-05-04">4 May</time></article>"""
    page = Page.from_text(html, url=URL)
    assert page.metadata.title == "Barley"
    assert page.metadata.author == "A. Reaper"
    assert page.metadata.published == "2026-05-04"


def test_where_images_come_from_is_known_without_their_uses() -> None:
    html = "<img src=/a.jpg><img data-src=/b.jpg><img><noscript><img src=/c.jpg></noscript>"
    for source in (html, html.partition("<noscript>")[0]):
        quick, whole = Page.from_text(source, url=URL), Page.from_text(source, url=URL)
        assert list(quick.image_sources.values()) == [use.image.src for use in whole.images]


@pytest.mark.parametrize(
    ("figure", "caption"),
    [
        ("<figcaption>Barley in July</figcaption><img src=/a.jpg>", "Barley in July"),
        ("<img src=/a.jpg><div><b>x</b><figcaption>Barley in July</figcaption></div>", "Barley in July"),
        ("<img src=/a.jpg>" + "<p>text</p>" * 30, ""),
    ],
)
def test_a_caption_is_looked_for_near_the_top_of_a_figure(figure: str, caption: str) -> None:
    (use,) = Page.from_text(f"<figure>{figure}</figure>", url=URL).images
    assert use.image.caption == caption


def test_links_behind_the_longest_page_are_counted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"<a href=/one>1</a><a href=/two>2</a>"
    monkeypatch.setattr("scythe.page.links_from_bytes.LIMITS", LIMITS._replace(body_bytes=18))
    hrefs = read_hrefs(body, URL)
    assert [href.url for href in hrefs.links] == ["https://farm.example/one"]
    assert [(loss.what, loss.count) for loss in hrefs.losses] == [("bytes beyond the size limit", len(body) - 18)]


def test_frames_that_lead_nowhere_and_tags_in_other_encodings_are_read() -> None:
    body = "<meta charset=windows-1254><frameset><frame src='mailto:x'><frame src=/a title='ağaç'></frameset>"
    hrefs = read_hrefs(body.encode("cp1254"), URL)
    assert hrefs.frames == ("https://farm.example/a",)
