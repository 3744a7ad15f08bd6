"""What columns are called."""

from __future__ import annotations

import pytest
from tests.reading.lists.filling import articles, fill

from scythe.reading.lists.column_names import make_unique


def names(*bodies: str) -> tuple[str, ...]:
    return fill(articles(*bodies)).columns


def test_a_shop_has_titles_prices_ratings_and_links():
    bodies = [
        f"<h3><a href=/{i}>Copper kettle {word}</a></h3><p>€ {i}.50</p><i>{i}/5</i><a href=/b>Buy now</a>"
        for i, word in enumerate(["small", "large", "old"], 1)
    ]
    assert names(*bodies) == ("title", "price", "rating", "link")


def test_a_blog_has_titles_authors_dates_and_text():
    bodies = [
        f"<h2>About {word}</h2><span>by</span> <a class=author href=/a>Ann {word}</a><time>1{i} May 2016</time>"
        f"<p>{f'The {word} was closed in winter. ' * 5}</p>"
        for i, word in enumerate(["mills", "rivers", "harbours"])
    ]
    assert names(*bodies) == ("title", "by", "author", "date", "text")


@pytest.mark.parametrize("classes", ["autor", "post-author", "byLine"])
def test_class_words_name_the_author_in_several_languages(classes):
    bodies = [f"<h2>About {word}</h2><span class={classes}>Ann {word}</span>" for word in ("mills", "rivers", "ports")]
    assert names(*bodies) == ("title", "author")


def test_a_label_names_the_value_behind_it():
    bodies = [f"<h2>About {word}</h2><b>Replies:</b><i>{i}</i>" for i, word in enumerate(["mills", "rivers", "ports"])]
    assert names(*bodies) == ("title", "label", "replies")


def test_a_word_beside_numbers_names_them():
    bodies = [f"<h2>About {word}</h2><i>{i} Kommentare</i>" for i, word in enumerate(["mills", "rivers", "ports"])]
    assert names(*bodies) == ("title", "kommentare")


def test_the_only_text_beside_a_price_is_the_title():
    assert names("<p>Ann</p><p>€ 5</p>", "<p>Ann</p><p>€ 6</p>", "<p>Bob</p><p>€ 7</p>") == ("title", "price")


def test_texts_that_nothing_tells_more_of_are_numbered():
    bodies = [f"<p>{a} one</p><div>{a} two</div>" for a in ("mill", "river", "port")]
    assert names(*bodies) == ("text", "text_2")


def test_names_are_unique_even_where_a_head_looks_like_a_number():
    assert make_unique(["a", "a_2", "a", "a"]) == ("a", "a_2", "a_3", "a_4")


def test_numbers_inside_words_do_not_make_the_words_a_name():
    bodies = [f"<h2><a href=/{i}>About {word}</a></h2><cite>e{i}.org</cite>" for i, word in enumerate("ab", 7)]
    assert names(*bodies) == ("title", "text")


@pytest.mark.parametrize(
    "said",
    [
        ("In stock", "Sold out", "In stock"),
        ("Auf Lager", "Auf Lager, 3 Stück", "Ausverkauft"),
        ("4 in stock", "12 in stock", "out of stock"),
        ("Add to cart", "Add to cart", "Sold out"),
        ("In stock", "In stock", "In stock"),
        ("有货", "缺货", "有货"),
    ],
)
def test_what_can_be_had_is_the_availability(said):
    bodies = [f"<h3>Copper kettle {word}</h3><i>{one}</i>" for word, one in zip("abc", said, strict=True)]
    assert names(*bodies) == ("title", "availability")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (("Add to cart", "Add to cart", "Add to cart"), "add_to_cart"),
        (("Image not available", "Image not available", "Image not available"), "image_not_available"),
        (("In stock", "Made of copper", "Made of tin"), "text"),
    ],
)
def test_buttons_and_other_texts_are_no_availability(said, name):
    bodies = [f"<h3>Copper kettle {word}</h3><i>{one}</i>" for word, one in zip("abc", said, strict=True)]
    assert names(*bodies) == ("title", name)


def test_availability_beside_a_price_is_no_title():
    bodies = [f"<p>{said}</p><p>€ {i}</p>" for i, said in enumerate(["Sold out", "In stock", "Sold out"], 5)]
    assert names(*bodies) == ("availability", "price")
