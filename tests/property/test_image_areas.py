"""The law of cut images: they are those that the same areas have on the tree, or it is doubt."""

from __future__ import annotations

from functools import cached_property
from random import Random

import pytest
from tests.property.image_soup import make_areas

from scythe.model import Image
from scythe.page import Page
from scythe.page.source import Source, read_source
from scythe.site.cut.cut_images import AreaCutter
from scythe.site.extract import AskedImages, ImageExtractor
from scythe.site.rules import Layout
from scythe.url import Url

HERE = Url("http://a.example/p")
# where nothing is read on the tree: the page had to be repaired, or an area stands in a canvas or the like
UNREAD = {"the page had to be repaired", "an area is not shown"}


class Trees:
    """The trees of one page."""

    images: tuple[Image, ...] = ()

    def __init__(self, body: bytes) -> None:
        self.body = body

    @cached_property
    def source(self) -> Source:
        return read_source(self.body)

    @cached_property
    def page(self) -> Page:
        return Page.from_bytes(self.body, url=HERE)


def disagreement(page: bytes, layout: Layout) -> object:
    asked = AskedImages(page, HERE, "auto", None, Trees(page))
    gleaner = ImageExtractor(layout)
    images, _, _ = gleaner.cut(asked)
    if images is None:
        return None
    tree, why = gleaner.follow(asked)
    return None if tree == images or why in UNREAD else (page, images, tree, why)


def check(seed: int, cases: int) -> int:
    """Return how many pages were cut; fail where one differs."""
    random = Random(seed)
    done = 0
    for _ in range(cases):
        page, layout = make_areas(random, random.choice((0.0, 0.1, 0.3, 1.0)))
        assert disagreement(page, layout) is None
        done += AreaCutter(layout).find(page, None).state == "cut"
    return done


def test_images_of_cut_areas_are_those_of_the_tree_or_doubt() -> None:
    assert check(seed=41, cases=500) > 150


@pytest.mark.slow
def test_ten_thousand_pages_have_the_images_that_the_tree_has() -> None:
    assert check(seed=42, cases=10_000) > 3_000
