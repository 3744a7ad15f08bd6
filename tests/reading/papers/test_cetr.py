from __future__ import annotations

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.papers import cetr
from scythe.reading.papers.text_elements import number_elements


def ratios(html: str) -> list[float]:
    page = Page.from_text(html)
    return cetr.measure_ratios(page.blocks, number_elements(page)).tolist()


def test_a_ratio_is_characters_per_tag_since_the_block_before() -> None:
    # first block: html, body, div, p -> 4 tags (the head is not entered)
    # second: </p> <p> <b> -> 3; third: </b> </p> </div> <p> -> 4
    html = f"<div><p>{'x' * 8}</p><p><b>{'y' * 9}</b></p></div><p>{'z' * 2}</p>"
    assert ratios(html) == [8 / 4, 9 / 3, 2 / 4]


def test_paragraphs_are_kept_and_menus_are_not() -> None:
    paragraph = "Reapers walked the field before dawn, cut the barley low and set it up to dry. " * 3
    menu = "<ul>" + "<li><a href=/>Entry</a></li>" * 12 + "</ul>"
    page = Page.from_text(menu + f"<p>{paragraph}</p>" * 5 + menu)
    reading = cetr.read(page, TextOptions())
    assert set(range(12, 17)) <= set(reading.kept) <= set(range(11, 18))  # smoothing may take a neighbour along
    assert len(reading.scores) == len(page.blocks)


def test_a_page_without_text_gives_nothing_and_says_why() -> None:
    assert cetr.read(Page.from_text(""), TextOptions()).why == "no text"
