"""The size rules of the literature choose what their authors say."""

from __future__ import annotations

import pytest

from scythe.model import ImageContext, PageImages
from scythe.reading.papers.image_sizes import SIZE_RULES, Size, declared_sizes, largest_bytes


def page_of(*tags: str, lead: int | None = None) -> PageImages:
    images = (ImageContext(f"/{row}.jpg", ("", "", tag), is_lead=row == lead) for row, tag in enumerate(tags))
    return PageImages(images=tuple(images))


def chosen(rule: str, *sizes: Size, page: PageImages | None = None) -> list[int]:
    page = page or page_of(*["<img>"] * len(sizes))
    return [row for row, score in enumerate(SIZE_RULES[rule](page, sizes)) if score == 1.0]


def test_sizes_are_read_from_attributes_and_style():
    tags = ('<img width="30" height=40px>', '<img style="width: 20px; height:9px">', '<img width="100%">', "<img")
    assert declared_sizes(page_of(*tags)) == [(30, 40), (20, 9), (None, None), (None, None)]


def test_an_image_without_declared_width_is_as_wide_as_the_widest_file_it_offers():
    tags = (
        '<img srcset="a.jpg 400w, b.jpg 1200w" height=9>',
        '<img srcset="a.jpg 2x">',
        '<img width=5 srcset="a 900w">',
    )
    assert declared_sizes(page_of(*tags)) == [(1200, 9), (None, None), (5, None)]


@pytest.mark.parametrize(
    ("rule", "rows"), [("largest-width", [1]), ("largest-height", [2]), ("largest-area", [3]), ("og", [])]
)
def test_the_largest_by_each_measure_is_another_image(rule, rows):
    assert chosen(rule, (None, None), (900, 10), (10, 900), (500, 500)) == rows


def test_images_that_are_equally_large_are_all_chosen():
    assert chosen("largest-width", (600, 1), (600, None), (599, 900)) == [0, 1]


def test_an_image_of_unknown_size_is_never_large():
    sizes = [(None, None), (None, 5000), (5000, None)]
    assert [chosen(rule, *sizes) for rule in ("largest-area", "300x400", "120000", "400x400", "words")] == [[]] * 5


def test_no_image_is_chosen_on_a_page_without_sizes_or_without_images():
    assert [rule(PageImages(), ()) for rule in SIZE_RULES.values()] == [[]] * len(SIZE_RULES)
    assert chosen("largest-width", (None, None), (0, 0)) == []


def test_both_readings_of_300_by_400_are_offered():
    sizes = [(301, 401), (300, 401), (1200, 300), (401, 401)]
    assert (chosen("300x400", *sizes), chosen("120000", *sizes)) == ([0, 3], [0, 1, 2, 3])
    assert chosen("400x400", *sizes) == [3]


def test_the_word_rule_leaves_out_strips_small_images_and_furniture():
    page = page_of(
        "<img alt='A view'>",
        "<img alt='Our LOGO'>",
        "<img title='buy now'>",
        "<img alt='freedom'>",
        "<img>",
        "<img>",
    )
    sizes = [(400, 300)] * 4 + [(101, 100), (400, 200)]
    assert chosen("words", *sizes, page=page) == [0, 3]


def test_the_image_that_the_page_names_is_chosen_whatever_its_size():
    assert chosen("og", (1, 1), (None, None), page=page_of("<img>", "<img>", lead=1)) == [1]


def test_the_longest_file_is_chosen_where_lengths_are_known():
    assert largest_bytes([None, 10, 300, 299]) == [0.0, 0.0, 1.0, 0.0]
