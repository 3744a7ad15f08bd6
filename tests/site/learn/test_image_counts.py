"""Pages of images become counts of what repeats across them."""

from __future__ import annotations

import dataclasses

import pytest

from scythe.limits import LIMITS
from scythe.model import ImageContext, PageImages
from scythe.site.labels import site_relevance
from scythe.site.labels.site_relevance import count_images


def _image(src: str, where: str) -> ImageContext:
    return ImageContext(src, ("", f'<div class="{where}">', f'<img src="{src}">'), (f"div.{where}", "body"))


def _page(*images: ImageContext) -> PageImages:
    return PageImages("https://news.example/", images=images)


def test_addresses_of_several_pages_are_counted_by_page() -> None:
    logo = _image("/logo.png", "head")
    site = count_images([_page(logo, logo, _image("/a.jpg", "story")), _page(logo), _page(_image("/b.jpg", "story"))])
    assert site.pages == 3
    assert site.sources == (("/logo.png", 2),)


def test_kinds_of_images_are_counted_by_page_and_by_use() -> None:
    site = count_images([_page(*[_image(f"/{name}.jpg", "story") for name in "abc"]), _page(_image("/d.jpg", "story"))])
    assert site.signatures == (("img.<div.story<body", 2, 4),)


def test_no_pages_give_no_counts() -> None:
    site = count_images([])
    assert (site.pages, site.sources, site.signatures) == (0, (), ())


def test_only_the_most_frequent_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_relevance, "LIMITS", dataclasses.replace(LIMITS, site_signatures=2))
    often, twice = _image("/often.png", "o"), [_image(f"/{name}.png", name) for name in "abc"]
    site = count_images([_page(often, *twice), _page(often, *twice), _page(often)])
    assert site.sources == (("/often.png", 3), ("/a.png", 2))
    assert [kind for kind, _, _ in site.signatures] == ["img.<div.o<body", "img.<div.a<body"]
