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


def test_chinese_sentences_count_unless_only_dots_may() -> None:
    html = "<p>x</p><div>" + "\u6536\u5272\u3002" * 5 + "</div>"
    assert kept(html) == ["\u6536\u5272\u3002" * 5]
    assert Sentences(full_stops="")(Page.from_text(html), TextOptions()).kept == ()


def test_the_printed_listing_takes_whole_elements_that_do_not_begin_with_a_div() -> None:
    # the outer div begins with a heading, so it is taken with all it holds; its inner div is not taken again
    assert printed(f"<div><h1>Site</h1><div>Menu</div><div>{FIVE}</div></div>") == ["Site", "Menu", FIVE]
    # begins with a div (white space and comments do not count): skipped, its inner div taken
    assert printed(f"<div> <!-- x --> <div>Menu</div><div>{FIVE}</div></div>") == [FIVE]


def test_the_printed_listing_drops_repeated_text_and_falls_back_to_the_body() -> None:
    assert printed(f"<div>{FIVE}</div><div>{FIVE}</div><div></div>") == [FIVE]
    assert printed(f"<div>{FOUR}</div><p>{FIVE}</p>") == [FOUR, FIVE]
