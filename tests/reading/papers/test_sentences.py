from __future__ import annotations

import pytest

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.papers import sentences
from scythe.reading.papers.sentences import Sentences

FOUR = "One a. Two b. Three c. Four d."
FIVE = FOUR + " Five e."


def kept(html: str) -> list[str]:
    page = Page.from_text(html)
    return [page.blocks.text[i] for i in sentences.read(page, TextOptions()).kept]


def printed(html: str) -> list[str]:
    page = Page.from_text(html)
    return [page.blocks.text[i] for i in Sentences(printed=True)(page, TextOptions()).kept]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("No end", 0),
        ("One.", 1),
        ("One. Two", 1),
        (FIVE, 5),
        ("Version 1.2 of 3.4", 0),  # a dot without a space ends nothing
        ("Really? Yes! Good", 0),  # only the dot counts, as in the paper
        ("\u6536\u5272\u3002\u7530\u91ce\u3002", 2),  # a full-width stop needs no space
    ],
)
def test_sentences_end_at_dot_and_space(text: str, number: int) -> None:
    assert sentences.read.count_ends(text) == number


def test_the_piece_after_the_last_dot_is_a_sentence() -> None:
    assert kept(f"<p>menu</p><div>{FOUR} Five e</div>") == [f"{FOUR} Five e"]


def test_chinese_sentences_count_unless_only_dots_may() -> None:
    html = "<p>x</p><div>" + "\u6536\u5272\u3002" * 5 + "</div>"
    assert kept(html) == ["\u6536\u5272\u3002" * 5]
    assert Sentences(full_stops="")(Page.from_text(html), TextOptions()).kept == ()


def test_a_div_needs_five_sentences() -> None:
    assert kept(f"<p>menu</p><div>{FIVE}</div><div>{FOUR}</div>") == [FIVE]


def test_all_divs_that_qualify_are_kept_in_page_order() -> None:
    other = FIVE.replace("One", "Uno")
    assert kept(f"<div>{FIVE}</div><div>advert</div><div>{other}</div>") == [FIVE, other]


def test_sentences_of_several_paragraphs_count_together() -> None:
    html = "<div><p>One a.</p><p>Two b.</p><p>Three c.<br>Four d.</p><p>Five e.</p></div><p>foot</p>"
    assert kept(html) == ["One a.", "Two b.", "Three c.", "Four d.", "Five e."]


def test_a_wrapper_does_not_repeat_the_text_of_its_inner_div() -> None:
    assert kept(f"<div><div>Menu</div><div>{FIVE}</div></div>") == [FIVE]


def test_a_deeper_div_does_not_count_for_the_outer_one() -> None:
    # 4 + 4 sentences: no div has five of its own, so the second phase takes the body
    assert kept(f"<p>top</p><div>{FOUR}<div>{FOUR}</div></div>") == ["top", FOUR, FOUR]


def test_text_printed_twice_is_kept_once() -> None:
    assert kept(f"<div>{FIVE}</div><div>{FIVE}</div>") == [FIVE]


def test_the_body_is_searched_when_no_div_qualifies() -> None:
    assert kept(f"<h1>Title</h1><p>{FIVE}</p><div>{FOUR}</div>") == ["Title", FIVE, FOUR]


def test_a_page_of_four_sentences_gives_nothing_and_says_why() -> None:
    reading = sentences.read(Page.from_text(f"<p>{FOUR}</p>"), TextOptions())
    assert reading.kept == ()
    assert "5 sentences" in reading.why


def test_images_anywhere_inside_the_chosen_elements_belong_to_the_reading() -> None:
    html = f"<img src=a.png><div>{FIVE}<div><img src=b.png></div><img src=c.png></div><img src=d.png>"
    page = Page.from_text(html)
    reading = sentences.read(page, TextOptions())
    assert reading.images is not None
    assert [page.blocks.image_node[i].attributes["src"] for i in reading.images] == ["b.png", "c.png"]


def test_the_printed_listing_takes_whole_elements_that_do_not_begin_with_a_div() -> None:
    # the outer div begins with a heading, so it is taken with all it holds; its inner div is not taken again
    assert printed(f"<div><h1>Site</h1><div>Menu</div><div>{FIVE}</div></div>") == ["Site", "Menu", FIVE]
    # begins with a div (white space and comments do not count): skipped, its inner div taken
    assert printed(f"<div> <!-- x --> <div>Menu</div><div>{FIVE}</div></div>") == [FIVE]


def test_the_printed_listing_drops_repeated_text_and_falls_back_to_the_body() -> None:
    assert printed(f"<div>{FIVE}</div><div>{FIVE}</div><div></div>") == [FIVE]
    assert printed(f"<div>{FOUR}</div><p>{FIVE}</p>") == [FOUR, FIVE]
