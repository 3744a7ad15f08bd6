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


@pytest.mark.parametrize(
    ("html", "src"),
    [
        ("<img src=/x.jpg>", "/x.jpg"),
        ("<img src=x.jpg>", "/a/x.jpg"),
        ("<base href=/c/><img src=x.jpg>", "/c/x.jpg"),
        (f"<img src='{DATA}' data-src=/x.jpg>", "/x.jpg"),
        ("<img src=/img/blank.gif data-original=/x.jpg>", "/x.jpg"),
        ("<img data-lazy-src=/x.jpg>", "/x.jpg"),
        (f"<img src='{DATA}' data-srcset='/x-300.jpg 300w, /x-900.jpg 900w'>", "/x-900.jpg"),
        ("<img src=/x.jpg srcset='/x-300.jpg 300w, /x-900.jpg 900w'>", "/x-900.jpg"),
        ("<img src=/x.jpg srcset='/x.jpg 1x, /x2.jpg 2x'>", "/x2.jpg"),
        ("<picture><source srcset=/x.webp><img src=/x.jpg></picture>", "/x.jpg"),
        (f"<picture><source srcset='/x-8.webp 800w'><img src='{DATA}'></picture>", "/x-8.webp"),
        ("<amp-img src=/x.jpg width=10 height=10></amp-img>", "/x.jpg"),
        ("<picture><source media='(min-width: 60em)' srcset=/l.jpg><source srcset=/m.jpg><img src=/s.jpg>", "/l.jpg"),
        ("<picture><source media='(max-width: 600px)' srcset=/s.jpg><img src=/l.jpg></picture>", "/l.jpg"),
        ("<picture><source width=90 srcset='/t2.jpg 2x'><img src=/s.jpg width=300 srcset='/l.jpg 1x'>", "/l.jpg"),
        ("<picture><source media='(min-width:9px)' srcset='/a 1x'><img src=/s.jpg srcset='/b 900w'>", "/b"),
        ("<img src='{{ image.url }}' data-src='/x.jpg' data-image='{\"a\": 1}'>", "/x.jpg"),
        ("<img src=/x.jpg data-image=17>", "/x.jpg"),
        ("<image src=/x.jpg>", "/x.jpg"),
    ],
)
def test_the_best_address_is_found(html: str, src: str) -> None:
    assert sources(html) == [src]


@pytest.mark.parametrize(
    "html",
    [
        "<img>",
        f"<img src='{DATA}'>",
        "<img src=/pixel.php width=1 height=1>",
        "<img src=/p.php style='width:1px;height:1px'>",
        "<img src='http://[::1/x'>",
        "<img src='javascript:alert(1)'>",
        "<img srcset=', ,,, '>",
        "<img src='${url}'>",
        "<picture><source srcset=/x.jpg></picture>",
        "<svg><image href=/x.jpg></image></svg>",
        "<video poster=/x.jpg></video><p style='background: url(/x.jpg)'>",
    ],
)
def test_what_shows_nothing_is_no_image(html: str) -> None:
    assert images(html) == ()


def test_a_noscript_twin_is_merged_with_its_placeholder() -> None:
    before, after = "<img data-src=/x.jpg alt=a>", "<noscript><img src=/x.jpg alt=b></noscript>"
    for html in (before + after, f"<div>{before}</div>{after}"):
        (use,) = images(html)
        assert use.image.alt == "a"
        assert len(use.twin_ids) == 1
    (use,) = images(f"<div>{after}{before}</div>")
    assert use.image.alt == "a"
    (use,) = images(f"<img src='{DATA}' class=lazy><noscript><img src=/y.jpg alt=b></noscript>")
    assert (use.image.src, use.image.alt) == ("https://example.org/y.jpg", "b")


def test_neighbours_with_twins_and_one_address_stay_two_images() -> None:
    one = "<img data-src=/x.jpg class=lazy><noscript><img src=/x.jpg></noscript>"
    assert [len(use.twin_ids) for use in images(f"<p>{one}</p><p>{one}</p>")] == [1, 1]
    other = "<noscript><img src=/x.jpg></noscript><img data-src=/x.jpg class=lazy>"
    assert len(images(f"<p>{other}</p><p>{other}</p><p>{one}</p>")) == 3


def test_copies_inside_copies_are_one_image() -> None:
    lazy = "<img data-src=/x.jpg class=lazy>"
    (use,) = images(f"{lazy}<noscript>{lazy}<noscript><img src=/x.jpg></noscript></noscript>")
    assert len(use.twin_ids) == 2


def test_every_address_is_told_the_best_one_first() -> None:
    (use,) = images(
        "<picture><source srcset='/x.webp 800w, /x-2.webp 1600w'>"
        "<img src=/x.jpg data-src=/y.jpg srcset='/x.jpg 800w, /x-2.jpg 1600w'></picture>"
    )
    assert [url.removeprefix("https://example.org") for url in use.image.sources] == [
        "/x-2.jpg",
        "/x.jpg",
        "/y.jpg",
        "/x.webp",
        "/x-2.webp",
    ]
    assert use.loaded == "https://example.org/y.jpg"
    (use,) = images("<img src=/x.jpg>")
    assert use.image.sources == (use.image.src,)


def test_a_twin_adds_what_it_offers() -> None:
    (use,) = images("<img data-src=/x.jpg class=lazy><noscript><img src=/x.jpg srcset='/y.jpg 2x'></noscript>")
    assert [url[-6:] for url in use.image.sources] == ["/x.jpg", "/y.jpg"]


def test_the_node_of_an_image_can_be_found_in_the_tree() -> None:
    page = Page.from_text("<p><img src=/a.jpg><img src=/b.jpg></p>", url=URL)
    nodes = {node.mem_id: node.attributes["src"] for node in page.map.find("img")}
    assert [nodes[use.node_id] for use in page.images] == ["/a.jpg", "/b.jpg"]


def test_a_placeholder_without_address_stands_for_its_noscript_twin() -> None:
    page = Page.from_text(f"<p><img src='{DATA}' class=lazy><noscript><img src=/y.jpg></noscript></p>", url=URL)
    shown, hidden = (node.mem_id for node in page.map.find("img"))
    (use,) = page.images
    assert (use.node_id, use.twin_ids) == (shown, (hidden,))


def test_a_noscript_tracker_is_not_taken_for_the_image_before() -> None:
    assert (
        sources(f"<img src='{DATA}'><div><div><p>x</div><noscript><img src=/t.gif width=1 height=1></noscript></div>")
        == []
    )


def test_caption_and_declared_size_come_along() -> None:
    (use,) = images(
        "<figure><a href=/big.jpg><img src=/x.jpg alt=' An  ear of wheat ' width=640 style='height: 480px'></a>"
        "<figcaption>Wheat, <b>June</b></figcaption></figure>"
    )
    assert (use.image.alt, use.image.caption) == ("An ear of wheat", "Wheat, June")
    assert (use.image.width, use.image.height) == (640, 480)


@pytest.mark.parametrize(
    ("declared", "width"),
    [
        ("-1", None),
        ("100%", None),
        ("9" * 40, 100_000),
        ("99999999", 100_000),
        ("12.7", 12),
        ("300px", 300),
        ("٣", None),
    ],
)
def test_sizes_are_clamped_or_ignored(declared: str, width: int | None) -> None:
    (use,) = images(f"<img src=/x.jpg width='{declared}'>")
    assert use.image.width == width


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


def test_what_a_script_loads_goes_before_what_stands_in_its_place() -> None:
    page = Page.from_text("<img src=/images/pxl.gif data-src=/field.jpg>", url="https://farm.example/")
    assert page.images[0].image.src == "https://farm.example/field.jpg"
    assert page.images[0].image.sources == ("https://farm.example/field.jpg", "https://farm.example/images/pxl.gif")
