"""Labels find the images they mean, whatever the page's copy calls them, and say so where they do not."""

from __future__ import annotations

import pytest
from tests.site.labels.labelled import PAGE, image, page

from scythe.errors import BadInput
from scythe.model import ImageMarks, PageImages
from scythe.site.labels.label_files import Label, Labels, read_labels
from scythe.site.labels.match_labels import Marked, mark_page

HARVEST = page("img/cart.jpg", "img/sheaf.jpg", "logo.png")


def mark(rows: str, on: PageImages = HARVEST) -> Marked:
    """Mark a page by rows of image, relevant and by."""
    lines = "".join(f"{PAGE},{row}\n" for row in rows.split())
    labels = read_labels(f"page,image,relevant,by\n{lines}".encode(), "labels.csv")
    return mark_page(labels.rows, on, labels)


def relevant(text: str, on: PageImages) -> tuple[int, ...]:
    """Return the images that are relevant when a label names `text`."""
    marked = mark_page([Label(PAGE, text, True)], on, Labels("labels.csv", ()))
    return marked.labelled.marks[0].relevant if marked.labelled.marks else ()


def test_who_names_relevant_images_only_says_that_the_others_are_not() -> None:
    marked = mark("/img/cart.jpg,1")
    assert marked.labelled.marks == (ImageMarks("", (0,), (1, 2)),)
    assert marked.labelled.page is HARVEST
    assert marked.lost == ()


def test_who_names_both_kinds_says_nothing_of_the_others() -> None:
    assert mark("/img/cart.jpg,1 #3,0").labelled.marks == (ImageMarks("", (0,), (2,)),)
    assert mark("#3,0").labelled.marks == (ImageMarks("", (), (2,)),)


def test_a_page_without_a_relevant_image_has_only_irrelevant_ones() -> None:
    assert mark(",").labelled.marks == (ImageMarks("", (), (0, 1, 2)),)


def test_each_person_has_marks() -> None:
    assert mark("#1,1,Ann #2,1,Bo #3,0,Bo").labelled.marks == (
        ImageMarks("Ann", (0,), (1, 2)),
        ImageMarks("Bo", (1,), (2,)),
    )


@pytest.mark.parametrize(
    "text",
    (
        "https://news.example/img/cart.jpg /img/cart.jpg ../img/cart.jpg //news.example/img/cart.jpg"
        " http://www.news.example/img/cart.jpg https://news.example/img/cart.jpg#top"
        " https://news.example/img/cart.jpg?w=300 https://news.example/img/cart-300x200.jpg"
        " https://cdn.example/img/cart.jpg img/cart.jpg cart.jpg #1"
    ).split(),
)
def test_an_image_is_known_by_its_number_and_by_every_address_that_can_only_mean_it(text: str) -> None:
    assert relevant(text, HARVEST) == (0,)


@pytest.mark.parametrize(
    "text", ["https://news.example/other/cart.jpg", "cart", "#4", "#99999999999", "hay.jpg", "https://[broken", "/"]
)
def test_what_is_not_on_the_page_is_reported(text: str) -> None:
    marked = mark_page([Label(PAGE, text, True, line=7)], HARVEST, Labels("labels.csv", ()))
    assert [(lost.label.line, lost.why) for lost in marked.lost] == [(7, "not on the page, which has 3 images")]
    assert marked.labelled.marks == ()


def test_any_address_that_a_page_offers_for_an_image_means_it() -> None:
    sizes = [f"https://news.example/s{width}/cart.webp" for width in range(100)]
    offering = PageImages(
        PAGE, images=(image("https://news.example/cart.jpg", *sizes), image("https://a.example/b.jpg"))
    )
    assert relevant(sizes[99], offering) == (0,)
    assert relevant("/s5/cart.webp?v=2", offering) == (0,)


def test_an_address_means_the_image_wherever_the_page_shows_it() -> None:
    twice = page("a.jpg", "b.jpg", "a.jpg")
    assert relevant("/a.jpg", twice) == (0, 2)
    assert relevant("/a.jpg?size=2", twice) == (0, 2)
    assert relevant("#3", twice) == (2,)


def test_an_address_that_may_mean_several_images_means_none_and_leaves_them_unmarked() -> None:
    sizes = page("a.jpg?w=1", "a.jpg?w=2", "b.jpg", "c.jpg")
    marked = mark("/a.jpg?w=3,1 /b.jpg,1", sizes)
    assert marked.labelled.marks == (ImageMarks("", (2,), (3,)),)
    assert [lost.why for lost in marked.lost] == ["could be any of #1, #2; write the number"]
    assert relevant("/a.jpg?w=2", sizes) == (1,)


def test_a_page_that_has_none_of_the_images_named_was_never_looked_at() -> None:
    marked = mark("/gone.jpg,1 /lost.jpg,1")
    assert marked.labelled.marks == ()
    assert len(marked.lost) == 2


def test_images_of_a_page_that_changed_are_found_as_far_as_they_are_there() -> None:
    marked = mark("/img/cart.jpg,1 /gone.jpg,1 #3,0 #8,0")
    assert marked.labelled.marks == (ImageMarks("", (0,), (2,)),)
    assert [lost.label.image for lost in marked.lost] == ["/gone.jpg", "#8"]


def test_a_page_without_images_loses_all_labels() -> None:
    marked = mark("#1,1", PageImages(PAGE))
    assert [lost.why for lost in marked.lost] == ["the page has no image"]
    assert mark(",", PageImages(PAGE)).labelled.marks == ()


def test_relative_addresses_are_found_on_a_page_whose_address_is_not_known() -> None:
    saved = PageImages("", images=HARVEST.images)
    assert relevant("img/cart.jpg", saved) == (0,)
    assert relevant("./img/sheaf.jpg", saved) == (1,)
    assert relevant("g/cart.jpg", saved) == ()


def test_one_image_called_both_by_two_names_is_refused_with_both_lines() -> None:
    with pytest.raises(
        BadInput, match=r"labels\.csv:3: #1 of .* is not relevant, but in labels\.csv:2 .* /img/cart\.jpg"
    ):
        mark("/img/cart.jpg,1 #1,0")
