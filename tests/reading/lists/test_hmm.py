"""The hidden Markov model over the tree: its area, its readings of the paper, its bounds."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.reading.attributes.dictionary import shipped
from scythe.reading.papers.hmm import (
    build_model,
    by_delta,
    by_number,
    by_product,
    by_share,
    by_weight,
    find_area,
    find_path,
    make_container,
    read_by_hmm,
)

SPEC = "".join(f"<tr><td>{name}:<td>value {n}" for n, name in enumerate(["Brand", "Model", "Weight", "Color", "Size"]))
MENU = "".join(f"<li><a href=/{n}>Section {n}</a>" for n in range(30))
PROSE = "<p>Something long was written here, and nobody read it." * 12
SHOP = f"<body><ul>{MENU}</ul><div id=main><h1>Lamp</h1>{PROSE}<table id=spec>{SPEC}</table></div><p>Fine print</p>"


def area_id(html):
    page = Page.from_text(html)
    return page.elements.node[find_area(page)].attributes.get("id") or page.elements.tag[find_area(page)]


def test_the_area_is_what_holds_the_pairs_together():
    assert area_id(SHOP) in {"spec", "tbody"}
    assert read_by_hmm(Page.from_text(SHOP)) == tuple(
        (name, f"value {n}") for n, name in enumerate(["Brand", "Model", "Weight", "Color", "Size"])
    )


def test_labels_outside_the_area_are_not_read():
    html = SHOP.replace("Fine print", "Terms: none")
    assert ("Terms", "none") not in read_by_hmm(Page.from_text(html))


def test_the_printed_readings_of_the_end_stop_at_once_or_too_late():
    elements = Page.from_text(SHOP).elements
    model = build_model(elements, make_container())
    depth = {ends: len(find_path(elements, model, ends)) for ends in (by_weight, by_delta, by_product, by_number)}
    ours = len(find_path(elements, model, by_share()))
    assert depth[by_weight] == 1
    assert depth[by_delta] <= ours < depth[by_number]
    assert depth[by_product] >= ours


def test_a_dictionary_of_ones_own_finds_an_area_in_ones_own_words():
    html = f"<body>{PROSE}<div id=spec>" + "".join(f"<p><b>glorp {n}</b> <i>{n}</i>" for n in range(5)) + "</div>"
    own = shipped().extend({"glorp": [f"glorp {n}" for n in range(5)]})
    assert read_by_hmm(Page.from_text(html)) == ()
    assert read_by_hmm(Page.from_text(html), own)[0] == ("glorp 0", "0")


def test_a_page_of_nothing_but_attributes_is_read_whole():
    html = "<table><tr><td>Brand<td>Acme<tr><td>Color<td>red</table>"
    assert read_by_hmm(Page.from_text(html)) == (("Brand", "Acme"), ("Color", "red"))


@pytest.mark.parametrize("html", ["", "<body>", "text", "<p>:", "<table>:<tr>", "\x00<a", "<html><frameset><frame>"])
def test_any_page_gives_pairs_or_none(html):
    assert read_by_hmm(Page.from_text(html)) == ()
