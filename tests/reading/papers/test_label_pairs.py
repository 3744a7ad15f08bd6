"""Labels paired with their values, in the forms that pages use."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.attributes.dictionary import shipped
from scythe.reading.papers.label_pairs import PAIRS, find_labels, pair_labels


def pairs_of(html):
    elements = Page.from_text(html).elements
    return pair_labels(elements, find_labels(elements, 0, len(elements.text), shipped()), shipped())


@pytest.mark.parametrize(
    ("html", "pairs"),
    [
        ("<table><tr><th>Weight<td>2 kg<tr><td>Colour:<td>red</table>", (("Weight", "2 kg"), ("Colour", "red"))),
        ("<dl><dt>Author<dd>Ann Lee<dt>Pages<dd>312</dl>", (("Author", "Ann Lee"), ("Pages", "312"))),
        ("<p>ISBN: 978<p>Grip type: soft", (("ISBN", "978"), ("Grip type", "soft"))),
        ("<p><b>Brand:</b> Acme<br><b>Model:</b> X <i>2</i>", (("Brand", "Acme"), ("Model", "X 2"))),
        ("<li><strong>Publisher</strong>: Reed Press", (("Publisher", "Reed Press"),)),
        ("<li><strong>Thread count</strong>: 300", (("Thread count", "300"),)),
        ("<div><span>Color</span><span>blue</span></div>", (("Color", "blue"),)),
        ("<h4>Cuisine</h4><a href=/t>Thai</a>", (("Cuisine", "Thai"),)),
        (
            "<p>Genre: <a href=/a>Drama</a>, <a href=/b>War</a></p>",
            (("Genre", "Drama"), ("Genre", "War")),
        ),
        ("<p>价格：<b>99</b>元", (("价格", "99 元"),)),
    ],
)
def test_a_label_gets_the_value_beside_it(html, pairs):
    assert pairs_of(html) == pairs


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>Team<th>Height<th>Weight<tr><td>Reds<td>180<td>80</table>",
        "<table><tr><td>Author<td>Title<td>Price</table>",
        "<ul><li><a href=/l>Location</a><li><a href=/c>Company</a></ul>",
        "<p>Color:</p>",
        "<p>Price: -",
        "<p>Meet at 12:30 or see http://example.org/",
        "<p>Color: " + "very " * 100 + "red",
    ],
)
def test_what_is_no_pair_gives_none(html):
    assert pairs_of(html) == ()


def test_a_pair_printed_twice_is_given_once():
    assert pairs_of("<p>Price: 3<p>Price: 3") == (("Price", "3"),)


def test_the_number_of_pairs_is_bounded():
    assert len(pairs_of("".join(f"<p>Name {n}: {n} x" for n in range(PAIRS + 50)))) == PAIRS


def test_a_row_of_labels_names_columns_and_no_values():
    html = (
        "<table><tr><td>Author<td>Title<td>Year<tr><td>Ann Lee<td>On rye<td>1999<tr><td>Bo<td>On oats<td>2001</table>"
    )
    assert ("Author", "Title") not in pairs_of(html)


def test_a_sentence_before_a_colon_is_no_label():
    long = "All who had come to the town on that day said the same thing to everybody"
    assert [pair for pair in pairs_of(f"<p>{long}: nothing</p><p>Colour: red</p>") if pair[0] != "Colour"] == []
