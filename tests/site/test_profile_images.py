"""What is known of images comes back from a profile file as it was written, or is refused with place and reason."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from tests.site.test_profile import ARTICLE, PROFILE, changed, mutate, outcome, resigned

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import ImageContext, ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.reading.papers.tc import TokenTables, to_plain
from scythe.site.profile import dump_profile, load_profile
from scythe.site.profile_format import write_plain
from scythe.site.rules import FLOW, ImageArea, ImageRules, Rule, Way

CART = ImageContext(
    "https://news.example/cart.jpg",
    ('<figure class="lead">', "<a href='/x'>", '<img src="cart.jpg" alt="\u00e9t\u00e9">'),
    path=("a", "figure.lead", "article#story", "body"),
    link="/x",
    caption="The last cart",
    is_figure=True,
    order=0.25,
    text_before=0.125,
    is_lead=True,
    is_stated=True,
    addresses=("https://news.example/cart.jpg", "https://news.example/cart-2x.jpg"),
)
LOGO = ImageContext("https://news.example/logo.png", ("", "<body>", "<img>"))
PAGE = PageImages("https://news.example/1", "ExtractedPage", 4_000, True, (CART, LOGO))
MARKED = LabelledPage(PAGE, (ImageMarks("Ann", (0,), (1,)), ImageMarks("", (), (0,))))
KNOWN = SiteImages(
    pages=12, sources=(("https://news.example/logo.png", 12),), signatures=(("img<a", 10, 30),), labelled=(MARKED,)
)
MODEL = write_plain(to_plain(TokenTables("tree", why="no image is marked as relevant")))
AREAS = ImageRules(
    (ImageArea((Way(FLOW, (Rule("tag", b"<figure"),)),), ("figure", "body"), 700, 9, 8), ImageArea()),
    scores=(("img<a", 900),),
    sources=(("https://news.example/logo.png", 3),),
    pages=9,
    present=8,
)
SITE = replace(PROFILE, layouts=(replace(ARTICLE, images=AREAS),), images=KNOWN)


def with_images(**changes: Any) -> str:
    return changed(scythe_profile=3, images=json.loads(dump_profile(SITE))["images"] | changes)


def with_label(page: dict[str, Any] | None = None, marks: object = None, image: dict[str, Any] | None = None) -> str:
    saved = json.loads(dump_profile(SITE))["images"]["labelled"][0]
    saved["page"]["images"][0] |= image or {}
    saved["page"] |= page or {}
    return with_images(labelled=[saved | ({"marks": marks} if marks is not None else {})])


def test_labels_and_rules_for_images_come_back() -> None:
    assert load_profile(dump_profile(SITE)).profile == SITE
    published = replace(SITE, images=replace(KNOWN, method="tree", model=MODEL))
    assert load_profile(dump_profile(published)).profile == published


def test_only_a_profile_that_knows_of_images_needs_the_format_with_images() -> None:
    known = [replace(PROFILE, images=KNOWN), replace(PROFILE, layouts=(replace(ARTICLE, images=AREAS),))]
    assert [json.loads(dump_profile(each))["scythe_profile"] for each in (PROFILE, *known)] == [1, 3, 3]


def test_what_is_left_out_of_what_is_known_of_images_means_the_same_in_every_version() -> None:
    image = {"src": "a", "tags": ["", "", "<img>"]}
    labelled = {"page": {"images": [image]}, "marks": [{"by": ""}]}
    loaded = load_profile(with_images(labelled=[labelled])).profile.images.labelled
    context = ImageContext("a", ("", "", "<img>"), (), None, "", False, 0.0, 0.0, False, False, ())
    assert loaded == (LabelledPage(PageImages("", "", 0, False, (context,)), (ImageMarks("", (), ()),)),)
    assert load_profile(changed()).profile.images == SiteImages(0, (), (), (), "relevance", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (with_images(pages=-1), "images.pages: a whole number from 0"),
        (with_images(method="guess"), "images.method: one of relevance, adaboost, .* was expected, not 'guess'"),
        (with_images(model=[]), "images.model: an object was expected"),
        (with_images(model={}), "images: only a published method has a model"),
        (with_images(model={"a": 1}, method="svm"), "images: not an image model"),
        (with_images(model={"a": [[[[[[[[[[[[[1]]]]]]]]]]]]]}, method="svm"), "nested more than 12 deep"),
        (with_images(model=json.loads(MODEL), method="svm"), "images: the model is of the method tree"),
        (with_images(sources=[["a"]]), r"images.sources\[0\]: a list of 2 was expected"),
        (with_images(sources=[["a", -1]]), r"images.sources\[0\]\[1\]: a whole number"),
        (with_images(signatures=[["a", 1, True]]), r"images.signatures\[0\]\[2\]: a whole number"),
        (with_images(labelled=[{}]), r"images.labelled\[0\]: 'page' is missing"),
        (with_label(marks=[]), "marks: a list of 1 to"),
        (with_label(marks=[{"by": "a", "relevant": [2]}]), "marks an image that the page does not have; it has 2"),
        (with_label(marks=[{"by": "a", "relevant": [-1]}]), r"relevant\[0\]: a whole number from 0"),
        (with_label(marks=[{"by": "a", "relevant": [10**9]}]), r"relevant\[0\]: a whole number from 0"),
        (with_label(marks=[{"by": "a", "relevant": [0], "irrelevant": [0]}]), "says twice what an image is"),
        (with_label(marks=[{"by": "a", "relevant": [0, 0]}]), "says twice what an image is"),
        (with_label(marks=[{"by": "a"}, {"by": "a"}]), "the same person marks it twice"),
        (with_label(marks=[{"by": "a" * 201}]), "by: text of at most 200"),
        (with_label(marks=[{"by": f"{n}"} for n in range(1_001)]), "marks: a list of 1 to 1000"),
        (with_label(page={"images": [{}]}), r"page.images\[0\]: 'src' is missing"),
        (with_label(page={"text_chars": 10**12}), "page.text_chars: a whole number"),
        (with_label(image={"tags": ["<a>", "<b>"]}), "tags: a list of 3 was expected"),
        (with_label(image={"order": 1.5}), "order: a number from 0 to 1"),
        (with_label(image={"order": True}), "order: a number from 0 to 1"),
        (with_label(image={"link": 3}), "link: text was expected"),
        (with_label(image={"src": "a" * (LIMITS.url_chars + 1)}), "src: text of at most"),
        (with_label(image={"addresses": ["a"] * 1_000}), "addresses: a list of 0 to"),
        (with_label(image={"pixels": "GIF89a"}), "unknown key 'pixels'"),
    ],
)
def test_what_cannot_be_true_of_images_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        load_profile(text)


def test_huge_counts_are_refused_before_they_cost_anything() -> None:
    image = {"src": "a", "tags": ["", "", "<img>"]}
    many = {"page": {"images": [image] * (LIMITS.page_images + 1)}, "marks": [{"by": ""}]}
    with pytest.raises(BadInput, match=f"a list of 0 to {LIMITS.page_images} was expected"):
        load_profile(with_images(labelled=[many]))
    one = {"page": {}, "marks": [{"by": ""}]}
    with pytest.raises(BadInput, match=f"a list of 0 to {LIMITS.labelled_pages} was expected"):
        load_profile(with_images(labelled=[one] * (LIMITS.labelled_pages + 1)))


def test_labels_that_would_make_the_file_too_long_are_not_written() -> None:
    long = replace(CART, caption="x" * 900_000)
    page = replace(PAGE, images=(long,) * 40)
    with pytest.raises(BadInput, match="cannot be written: longer than"):
        dump_profile(replace(SITE, images=replace(KNOWN, labelled=(LabelledPage(page, (ImageMarks("Ann", (0,)),)),))))


def test_random_damage_to_what_is_known_of_images_is_refused_or_harmless() -> None:
    chance = random.Random(8)
    good = dump_profile(replace(SITE, layouts=(), boilerplate=()))
    texts = [text for _ in range(6_000) if (text := resigned(mutate(good, chance)))]
    assert len(texts) > 500
    assert {outcome(text) for text in texts} == {"refused", "whole"}
