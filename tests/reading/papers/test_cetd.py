from __future__ import annotations

from math import e, log

import pytest

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.papers import cetd
from scythe.reading.papers.text_elements import number_elements


def kept(html: str) -> list[str]:
    page = Page.from_text(html)
    return [page.blocks.text[i] for i in cetd.read(page, TextOptions()).kept]


def test_density_is_the_composite_of_the_paper() -> None:
    # div: 30 characters in 2 tags, 10 of them in 1 link; the page: 40 characters, 10 linked
    html = f"<div><p>{'x' * 20}</p><a>{'y' * 10}</a></div><p>{'z' * 10}</p>"
    page = Page.from_text(html)
    elements = number_elements(page)
    density = cetd.measure_density(elements)
    base = log(log(30 / 20 * 10 + 10 / 40 * 30 + e))
    assert density[elements.tag.index("div")] == pytest.approx(30 / 2 * log(30 / 10 * 2 / 1) / base)


def test_the_dense_part_is_kept_and_the_menu_is_not() -> None:
    paragraph = "Reapers walked the field before dawn and cut the barley low."
    menu = "<ul>" + "<li><a href=/>Menu entry</a></li>" * 8 + "</ul>"
    html = f"<div>{menu}</div><div>" + f"<p>{paragraph}</p>" * 6 + "</div>"
    assert kept(html) == [paragraph] * 6


def test_a_page_without_text_gives_nothing_and_says_why() -> None:
    assert cetd.read(Page.from_text("<p></p>"), TextOptions()).why == "no text"


def test_a_frame_set_is_read_without_a_body() -> None:
    page = Page.from_text("<frameset><frame src=a><noframes>Text here</noframes></frameset>")
    assert cetd.read(page, TextOptions()).method == "cetd"
