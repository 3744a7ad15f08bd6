"""Co-trained naive Bayes: names that no dictionary has, dense areas, bounds."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.attributes.dictionary import parse_dictionary, shipped
from scythe.reading.papers.cnbe import find_names, read_by_cnbe
from scythe.reading.papers.label_pairs import PAIRS, find_labels, pair_labels

NAMES = ["Brand", "Model", "Weight", "Color", "Material", "Grip width", "Beam angle", "Shade form"]
SPEC = "".join(f"<tr><td class=key>{name}</td><td class=value>some value {n}</td></tr>" for n, name in enumerate(NAMES))
MENU = "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(30))
PROSE = "<p>Something long was written here, and nobody ever read it to the end.</p>" * 20
SHOP = f"<body><ul>{MENU}</ul><h1>Lamp</h1>{PROSE}<table>{SPEC}</table><p>Fine print</p>"


def test_names_unknown_to_the_dictionary_are_learned_from_where_known_ones_stand():
    elements = Page.from_text(SHOP).elements
    found = [label.name for label in find_names(elements, shipped())]
    assert [name for name in found if name in NAMES] == NAMES
    assert not any(name.startswith("some value") for name in found)


def test_pairs_come_from_the_dense_area_in_page_order():
    assert read_by_cnbe(Page.from_text(SHOP)) == tuple((name, f"some value {n}") for n, name in enumerate(NAMES))


def test_without_a_known_name_there_is_nothing_to_learn_from():
    nothing = parse_dictionary("[en]\nx: xyzzy")
    assert read_by_cnbe(Page.from_text(SHOP), nothing) == ()
    assert read_by_cnbe(Page.from_text("<p>Brand: Acme")) == (("Brand", "Acme"),)


@pytest.mark.parametrize("html", ["", "<body>", "text", "<p>:", "<p>::: <b>:</b>", "\x00<a", "<html><frameset><frame>"])
def test_any_page_gives_pairs_or_none(html):
    assert read_by_cnbe(Page.from_text(html)) == ()


def test_the_number_of_pairs_is_bounded():
    elements = Page.from_text("".join(f"<p>Name {n}: {n} x" for n in range(PAIRS + 50))).elements
    assert len(pair_labels(elements, find_labels(elements, 0, len(elements.text), shipped()), shipped())) == PAIRS
