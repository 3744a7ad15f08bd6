"""Every way to judge images has a name and marks every image of a page."""

from __future__ import annotations

import pytest

from scythe.errors import BadInput
from scythe.page import Page
from scythe.reading.images.image_methods import METHODS, image_method, mark_by_sizes

STORY = "The mayor of Port Ellery met Helen Marsh in the new library, and later they all went to Lake Orrin together. "
HTML = f"""<html><head><meta property="og:image" content="/lead.jpg"></head><body>
<header><img src="/logo.png" width="900" height="900" alt="Port Ellery Herald logo"></header>
<main><div><h1>A library for Port Ellery</h1><div><img src="/lead.jpg" width="500" height="450"></div>
<div><p>{STORY}</p><p>{STORY}</p><p>{STORY}</p></div>
<ul><li><img src="/more.jpg" width="200" height="150" alt="Vienna">
<a href="/x">Win a car in Vienna</a></li>
<li><img src="/marsh.jpg" alt="Helen Marsh at Lake Orrin"><a href="/y">Helen Marsh at Lake Orrin</a></li></ul></div>
</main></body></html>"""


def the_page() -> tuple[Page, tuple[int, ...]]:
    page = Page.from_text(HTML, url="https://example.org/a")
    kept = tuple(i for i, text in enumerate(page.blocks.text) if text.startswith("The mayor"))
    return page, kept


def relevant(name: str) -> list[str]:
    page, kept = the_page()
    return [image.src.rpartition("/")[2] for image in image_method(name)(page, kept) if image.relevant]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("og", ["lead.jpg"]),
        ("largest-width", ["logo.png"]),
        ("largest-area", ["logo.png"]),
        ("400x400", ["logo.png", "lead.jpg"]),
        ("words", ["lead.jpg", "more.jpg"]),
        ("entities", ["lead.jpg", "marsh.jpg"]),
    ],
)
def test_each_method_chooses_by_its_own_light(name, names):
    assert relevant(name) == names


@pytest.mark.parametrize("name", METHODS)
def test_every_image_comes_back_scored_and_in_page_order(name):
    page, kept = the_page()
    images = image_method(name)(page, kept)
    assert [image.src for image in images] == [use.image.src for use in page.images]
    assert all(0 <= image.score <= 1 and image.relevant == (image.score >= 0.5) for image in images)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("html", ["", "<p>text", "<img src=a.png>", "<img>", "<h1>x</h1><img src='http://['>"])
def test_pages_without_text_or_images_are_judged_too(name, html):
    page = Page.from_text(html)
    assert len(image_method(name)(page, ())) == len(page.images)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(BadInput, match=r"unknown image method 'best'; expected one of .*nearby.*400x400"):
        image_method("best")


def test_real_sizes_replace_declared_ones():
    page, _ = the_page()
    images = mark_by_sizes(page, "400x400", [(None, None), (10, 10), (800, 600), (401, 401)])
    assert [image.relevant for image in images] == [False, False, True, True]


def test_sizes_of_other_images_and_other_methods_are_refused():
    page, _ = the_page()
    with pytest.raises(BadInput, match="1 sizes for the 4 images"):
        mark_by_sizes(page, "400x400", [(1, 1)])
    with pytest.raises(BadInput, match="does not judge by sizes"):
        mark_by_sizes(page, "nearby", [])
