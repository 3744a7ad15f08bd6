"""WVC: elements weighed by the characteristics of the leaves below them."""

from __future__ import annotations

from math import log

import pytest

from scythe.page import Page
from scythe.reading.attributes.dictionary import shipped
from scythe.reading.papers.hmm import (
    RecordCharacteristic,
    make_container,
    mark_delimiters,
    mark_names,
    mark_quantities,
    weigh,
)
from scythe.testing import check_record_characteristic

TABLE = "<table><tr><td>Price:<td>12<tr><td>Color:<td>red</table><p>Nothing to see here<p>Nor here<p>Or here"


def elements_of(html):
    return Page.from_text(html).elements


def test_weights_follow_the_formula_bottom_up():
    elements = elements_of(TABLE)
    weights = weigh(elements, (mark_delimiters(shipped()),), as_printed=True)
    rows = [row for row, tag in enumerate(elements.tag) if tag == "tr"]
    assert weights[elements.tag.index("table")] == pytest.approx(2 * log(7 / 2))
    assert weights[rows].tolist() == pytest.approx([log(7), log(7)])
    assert weights[elements.tag.index("p")] == 0.0


def test_characteristics_add_up():
    elements = elements_of(TABLE)
    parts = [weigh(elements, (one,)) for one in make_container()]
    assert weigh(elements, make_container()).tolist() == pytest.approx((parts[0] + parts[1]).tolist())


def test_what_every_leaf_has_weighs_nothing_as_printed_and_most_as_we_take_it():
    elements = elements_of(TABLE)
    everywhere = RecordCharacteristic("text", lambda elements: [True] * len(elements.text))
    assert weigh(elements, (everywhere,), as_printed=True)[0] == 0.0
    assert weigh(elements, (everywhere,))[0] == weigh(elements, (everywhere,)).max()


def test_a_whole_never_weighs_less_than_its_part():
    elements = elements_of("<table><tr><td>Brand:<td>Acme<tr><td>Color:<td>red<tr><td>Size:<td>4</table>")
    weights = weigh(elements, make_container())
    assert all(weights[parent] >= weights[row] for row, parent in enumerate(elements.parent) if parent >= 0)


@pytest.mark.parametrize("html", ["", "<!-- -->", "<body></body>", "<img>"])
def test_a_page_without_text_weighs_nothing(html):
    assert not weigh(elements_of(html), make_container()).any()


def test_names_in_links_do_not_count():
    elements = elements_of("<nav><a href=/>Location</a></nav><dl><dt>Location<dd>Oslo</dl><p>Price: 3")
    assert mark_names(shipped()).mark(elements) == [False, True, False, True]


def test_quantities_are_short_texts_with_digits():
    elements = elements_of("<p>12 cm<p>red<p>In 1984 a long sentence had a number in it")
    assert mark_quantities().mark(elements) == [True, False, False]


@pytest.mark.parametrize("characteristic", [*make_container(), mark_quantities()], ids=lambda one: one.name)
def test_shipped_characteristics_keep_the_contract(characteristic):
    check_record_characteristic(characteristic)
