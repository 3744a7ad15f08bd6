"""What is written about an image is compared with the article by the names in both."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.papers.main_block import entity_similarity, nearby_texts

ARTICLE = (
    "The mayor of Port Ellery met Helen Marsh on Monday. Later Marsh went to Lake Orrin with Robert Hale. "
    "People in Port Ellery like Marsh."
)


def test_contexts_rank_by_the_names_they_share():
    contexts = [
        "Helen Marsh and Robert Hale at Lake Orrin",
        "Helen Marsh with Paul Adler in Vienna, Rome and Oslo",
        "Win a car",
    ]
    near, half, none = entity_similarity(ARTICLE, contexts)
    assert near > half > none == 0


def test_few_names_count_by_whether_the_article_has_them():
    assert entity_similarity(ARTICLE, ["Marsh", "photo of Vienna", "Marsh", ""]) == [1.0, 0.0, 1.0, 0.0]


def test_names_are_compared_without_their_endings():
    article = "Wczoraj Anna Zielińska była w Krakowie. Tam mówi Zielińska."
    assert entity_similarity(article, ["na zdjęciu Zielińskiej", "foto Krakowa"]) == [1.0, 1.0]


@pytest.mark.parametrize("article", ["", "no names here at all", "。。。"])
def test_an_article_without_names_is_like_nothing(article):
    assert entity_similarity(article, ["Helen Marsh", ""]) == [0.0, 0.0]


def test_nearby_text_is_alt_caption_and_the_words_of_the_box():
    page = Page.from_text(
        "<article><p>One long story.<p>Two.<p>Three.<figure><img src=a.jpg alt='A view'><figcaption>Lake "
        "Orrin</figcaption></figure><p>Four.<p>Five.<img src=b.jpg></article><div>"
        "<a><img src=c.jpg></a><h3>Win a car</h3></div>",
        url="https://example.org/",
    )
    assert nearby_texts(page) == ["A view\nLake Orrin", "Five.", "Win a car"]


def test_a_page_without_images_has_no_nearby_text():
    assert nearby_texts(Page.from_text("<p>x")) == []
