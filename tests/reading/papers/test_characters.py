from __future__ import annotations

from scythe.model import TextOptions
from scythe.page import Page
from scythe.reading.papers import characters

LONG = "x" * 500
SHORT = "y" * 499


def kept(html: str) -> list[str]:
    page = Page.from_text(html)
    return [page.blocks.text[i] for i in characters.read(page, TextOptions()).kept]


def test_the_first_div_with_500_characters_is_kept_alone() -> None:
    assert kept(f"<div>{SHORT}</div><div>{LONG}</div><div>{LONG}z</div>") == [LONG]


def test_paragraphs_count_for_the_div_around_them() -> None:
    half = "z" * 250
    assert kept(f"<div>menu</div><div><p>{half}</p><p>{half}</p></div>") == [half, half]


def test_the_text_of_inner_divs_does_not_count_but_comes_along() -> None:
    assert kept(f"<div>{SHORT}<div>{LONG}</div></div>") == [LONG]
    assert kept(f"<div>{LONG}<div>inner</div></div>") == [LONG, "inner"]


def test_the_body_is_taken_when_no_div_is_long_enough() -> None:
    assert kept(f"<p>{LONG}</p><div>side</div>") == [LONG, "side"]


def test_a_short_page_gives_nothing_and_says_why() -> None:
    reading = characters.read(Page.from_text(f"<p>{SHORT}</p>"), TextOptions())
    assert reading.kept == ()
    assert "500 characters" in reading.why
