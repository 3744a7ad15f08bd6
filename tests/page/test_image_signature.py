"""Signatures of images: equal for images in the same place of a template, bounded for all others."""

from __future__ import annotations

from scythe.limits import LIMITS
from scythe.model import ImageContext
from scythe.page.image_context import fold, signature

PATH = ("a", "figure.pic", "div#post-17.entry", "main", "div.wrap", "body")


def context(tag: str, path: tuple[str, ...] = PATH) -> ImageContext:
    return ImageContext("/a.jpg", ("", "", tag), path)


def test_numbers_and_the_order_of_classes_make_no_difference():
    one = signature(context('<img class="size-full wp-image-197" src="/1.jpg">'))
    other = signature(context('<img src="/2.jpg" class="wp-image-8 size-full">', ("a", "figure.pic", *PATH[2:])))
    assert one == other == "img.size-full.wp-image-0<a<figure.pic<div#post-0.entry<main"


def test_other_classes_or_another_place_make_another_signature():
    plain = signature(context('<img src="/1.jpg">'))
    assert plain == "img.<a<figure.pic<div#post-0.entry<main"
    assert signature(context('<img class="logo" src="/1.jpg">')) != plain
    assert signature(context('<img src="/1.jpg">', ("li", *PATH))) != plain


def test_depth_says_how_far_up_it_looks():
    assert signature(context("<img>"), 2) == "img.<a<figure.pic"
    assert signature(context("<img>"), 0) == "img."


def test_a_signature_is_bounded():
    assert len(signature(context(f'<img class="{"x " * 9_000}{"y" * 9_000}">'))) <= LIMITS.place_chars
    assert len(signature(context("<img>", ("div." + "z" * 9_000,)))) <= LIMITS.place_chars


def test_folding_keeps_words_apart():
    assert fold("item12-of-7 ٣") == "item0-of-0 0"
