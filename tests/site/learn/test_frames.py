"""The words around a value in a longer text: those that other pages will have too."""

from __future__ import annotations

import pytest

from scythe.site.learn.examples import frame
from scythe.site.learn.page_text import ValuePlace


def place(text: str, value: str) -> ValuePlace:
    start = text.index(value)
    return ValuePlace(0, "element", "", text, start, start + len(value), 3)


def test_what_all_texts_share_around_the_value_is_its_frame() -> None:
    places = [place(f"Sold by {name} since {year}", name) for name, year in (("Ann", 1999), ("Bert", 2004))]
    assert frame(places) == ("Sold by ", " since ")


def test_of_one_page_digits_before_the_value_are_not_expected_elsewhere() -> None:
    assert frame([place("Lot 17 of Ann", "Ann")]) == (" of ", "")


def test_a_long_text_before_the_value_is_cut_to_its_last_words() -> None:
    before, after = frame([place(f"{'word ' * 30}sold by Ann", "Ann")]) or ("", "x")
    assert (len(before) <= 40, before.startswith("word "), before.endswith("sold by "), after) == (True, True, True, "")


@pytest.mark.parametrize("known", [["hay scythes"], ["Millham"]])
def test_a_frame_that_holds_the_value_of_another_field_is_none(known: list[str]) -> None:
    places = [place(f"hay scythes by {name} of Millham", name) for name in ("Ann", "Bert")]
    assert frame(places, known) is None
    assert frame(places) is not None


def test_texts_that_share_nothing_have_no_frame() -> None:
    assert frame([place("by Ann", "Ann"), place("from Bert", "Bert")]) is None


def test_a_frame_that_finds_another_value_is_none() -> None:
    assert frame([place("a a a Ann a", "Ann"), place("a a Bert a", "Bert")]) is None
