"""Image uses: the address a reader would see, lazy twins merged, trackers left out."""

from __future__ import annotations

import pytest

from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page import Page
from scythe.page.images import ImageUse, source_of
from scythe.page.tag_attributes import read_srcset

URL = "https://example.org/a/b.html"
DATA = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def images(html: str) -> tuple[ImageUse, ...]:
    return Page.from_text(html, url=URL).images


def sources(html: str) -> list[str]:
    return [use.image.src.removeprefix("https://example.org") for use in images(html)]


def test_the_node_of_an_image_can_be_found_in_the_tree() -> None:
    page = Page.from_text("<p><img src=/a.jpg><img src=/b.jpg></p>", url=URL)
    nodes = {node.mem_id: node.attributes["src"] for node in page.map.find("img")}
    assert [nodes[use.node_id] for use in page.images] == ["/a.jpg", "/b.jpg"]


def test_a_placeholder_without_address_stands_for_its_noscript_twin() -> None:
    page = Page.from_text(f"<p><img src='{DATA}' class=lazy><noscript><img src=/y.jpg></noscript></p>", url=URL)
    shown, hidden = (node.mem_id for node in page.map.find("img"))
    (use,) = page.images
    assert (use.node_id, use.twin_ids) == (shown, (hidden,))


def test_commas_inside_an_address_do_not_split_a_srcset() -> None:
    assert read_srcset("/c,w_300/x.jpg 300w, /c,w_600/x.jpg 600w") == [("/c,w_300/x.jpg", 300), ("/c,w_600/x.jpg", 600)]
    assert read_srcset("/a.jpg, /b.jpg 2x,/c.jpg 3x") == [("/a.jpg", 0), ("/b.jpg", 2000), ("/c.jpg", 3000)]


def test_a_srcset_of_fifty_thousand_items_is_cut_and_reported() -> None:
    srcset = ", ".join(f"/{i}.jpg {i}w" for i in range(50_000))
    assert len(read_srcset(srcset)) == LIMITS.srcset_items
    page = Page.from_text(f"<img src=/x.jpg srcset='{srcset}'>", url=URL)
    (use,) = page.images
    assert len(use.image.sources) == LIMITS.srcset_items
    assert use.image.src in use.image.sources
    (loss,) = page.losses
    assert (loss.what, loss.count > 49_000) == ("srcset candidates beyond the limit", True)


def test_images_beyond_the_limit_are_reported() -> None:
    page = Page.from_text("<img src=/x.jpg>" * (LIMITS.page_images + 7), url=URL)
    assert len(page.images) == LIMITS.page_images
    assert page.losses == (Loss("images beyond the limit", 7),)


@pytest.mark.parametrize(
    "html",
    (
        "<img src=/x.jpg>|<img data-url=/z.jpg data-src=/x.jpg src=/img/blank.gif>"
        "|<img src=/x.jpg srcset='/s.jpg 300w, /l.jpg 900w, /m.jpg 900w'>"
        "|<img src=/x.jpg srcset='/y.jpg, /z.jpg'>|<img srcset='/y.jpg, /z.jpg'>"
        "|<img src=/x.jpg srcset='/img/blank.gif 900w, javascript:1 800w, /s.jpg 300w'>"
        "|<img src=/x.jpg srcset='/img/blank.gif 900w'>"
        "|<picture><source srcset='/x.webp 2x'><img src=/x.jpg></picture>"
        "|<picture><source media='(min-width: 9px)' srcset=/x.webp><img src=/x.jpg data-image=3></picture>"
        "|<img src=/p.gif width=1 height=1>|<img src='javascript:1'>"
    ).split("|"),
)
def test_the_source_of_one_node_is_that_of_the_image(html: str) -> None:
    page = Page.from_text(html, url=URL)
    (node,) = page.map.find("img")
    assert source_of(node, page.base) == next((use.image.src for use in page.images), None)
