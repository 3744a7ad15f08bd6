"""Pages to annotate are chosen by what images they show, or by address."""

from __future__ import annotations

import pytest

from scythe.errors import BadInput
from scythe.model import ImageContext, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.page import Page
from scythe.site.labels.suggest_pages import suggest_pages

URLS = [f"https://a.example/story/{number}" for number in range(6)]
BODY = "<article><figure><img src=/cart.jpg width=800></figure></article>"


def images_of(url: str, *places: str) -> PageImages:
    """Return a page with one image in each place."""
    images = [
        ImageContext(f"/{place}.jpg", ("", f"<div class={place}>", "<img>"), (f"div.{place}",)) for place in places
    ]
    return PageImages(url, images=tuple(images))


def test_pages_come_as_pages_bytes_texts_or_read_already() -> None:
    given = [Page.from_text(BODY, url=URLS[0]), (URLS[1], BODY.encode()), (None, BODY), images_of(URLS[3], "a")]
    found = suggest_pages(given, 9)
    assert {one.at for one in found} == {0, 1, 2, 3}
    assert {one.by for one in found} == {"cover"}
    assert {one.url for one in found} == {URLS[0], URLS[1], "", URLS[3]}


def test_addresses_alone_are_chosen_from_by_address() -> None:
    found = suggest_pages(URLS, 3)
    assert len(found) == 3
    assert {(one.by, one.cluster, one.alike, one.images) for one in found} == {("clusters", 1, 6, None)}
    assert suggest_pages([(URLS[0], BODY), *URLS[1:]], 9)[0].by == "clusters"


def test_each_page_says_what_it_adds() -> None:
    pages = [images_of(URLS[0], "a"), images_of(URLS[1], "a", "b", "c"), images_of(URLS[2], "d")]
    first, second, third = suggest_pages(pages, 3)
    assert (first.at, first.images, first.kinds, first.new_kinds) == (1, 3, 3, 3)
    assert (second.at, second.new_kinds) == (2, 1)
    assert (third.at, third.new_kinds) == (0, 0)
    assert third.why.startswith("1 image, 1 kind, 0 new")


def test_a_page_given_twice_or_annotated_is_not_suggested() -> None:
    pages = [images_of(URLS[0], "a"), images_of(URLS[0], "a"), images_of("", "b"), images_of("", "c")]
    site = SiteImages(labelled=(LabelledPage(images_of("", "b"), (ImageMarks("me", (0,)),)),))
    assert sorted(one.at for one in suggest_pages(pages, 9)) == [0, 2, 3]
    assert sorted(one.at for one in suggest_pages(pages, 9, site=site)) == [0, 3]
    known = SiteImages(labelled=(LabelledPage(images_of(URLS[0], "a"), (ImageMarks("me", (0,)),)),))
    assert sorted(one.at for one in suggest_pages(URLS, 9, site=known)) == [1, 2, 3, 4, 5]


def test_pages_without_an_address_are_different_pages() -> None:
    found = suggest_pages([(None, BODY), (None, BODY), (URLS[0], BODY)], 9, by="clusters")
    assert sorted(one.at for one in found) == [0, 1, 2]


def test_no_page_gives_no_suggestion() -> None:
    for way in ("auto", "cover", "clusters", "random"):
        assert suggest_pages([], 3, by=way) == ()


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(BadInput, match="not by 'colour'"):
        suggest_pages(URLS, 3, by="colour")
    with pytest.raises(BadInput, match="one page or more"):
        suggest_pages(URLS, 0)
    with pytest.raises(BadInput, match="needs their source"):
        suggest_pages(URLS, 3, by="cover")
