"""What a page lists, from html to records: every way in which pages write lists."""

from __future__ import annotations

import copy
import pickle

import pytest

import scythe
from scythe.demo import site

MENU = (
    "<ul class=menu><li><a href=/>Home</a><li><a href=/about>About us</a><li><a href=/c>Contact</a>"
    "<li><a href=/n>News</a></ul>"
)
FOOTER = (
    "<footer><ul><li><a href=/i>Imprint</a><li><a href=/p>Privacy</a><li><a href=/t>Terms</a></ul>"
    "<p>All rights reserved</p></footer>"
)
URL = "https://example.org/list"
DISHES = (
    "Barley soup for cold evenings|Rye bread with caraway seeds|Oat cakes from the north"
    "|Wheat beer in summer|Millet porridge with honey|Spelt noodles by hand"
).split("|")


def page(body: str) -> str:
    return (
        f"<html><head><title>Dishes of the year</title></head><body><header>{MENU}</header>"
        f"<main><h1>Dishes of the year</h1>{body}</main>{FOOTER}</body></html>"
    )


def story(number: int, dish: str) -> str:
    return f"<h3><a href=/s/{number}>{dish}</a></h3><p>We tell about {dish.lower()} and more.</p>"


def test_menus_and_footers_come_last_and_only_when_asked_for():
    body = page("".join(f"<div class=post>{story(i, dish)}</div>" for i, dish in enumerate(DISHES)))
    assert len(scythe.read(body, url=URL).lists) == 1
    regions = scythe.read_lists(body, url=URL, everything=True)
    assert regions[0].kind not in ("menu", "footer")
    assert {"menu", "footer"} & {region.kind for region in regions[1:]}
    assert [region.score for region in regions] == sorted((region.score for region in regions), reverse=True)


def test_every_record_has_one_field_for_each_column():
    for made in site(seed=4, pages=24):
        for region in scythe.read_lists(made.html, everything=True):
            assert len(set(region.columns)) == len(region.columns)
            assert all(len(record.fields) == len(region.columns) for record in region.records)


def test_the_list_pages_of_the_demo_site_give_their_cards_first():
    pages = site(seed=2, pages=40)
    lists = [made for made in pages if made.kind == "list"]
    stories = {made.url for made in pages} - {made.url for made in lists}
    assert len(lists) >= 2
    for made in lists:
        records = scythe.read(made.html, url=made.url).lists[0].records
        assert len(records) >= 3
        assert all(set(record.links) & stories for record in records)


def test_a_document_keeps_its_lists_when_copied_and_detached():
    doc = scythe.read(
        page("".join(f"<div class=post>{story(i, dish)}</div>" for i, dish in enumerate(DISHES))), url=URL
    )
    for other in (pickle.loads(pickle.dumps(doc)), copy.deepcopy(doc), doc.detach()):
        assert other.lists == doc.lists
        assert other.attributes == doc.attributes
        assert other.paging == doc.paging


@pytest.mark.parametrize("body", [b"", b"plain words", b"%PDF-1.4", b"{}", b"\x00\xff", b"<ul><li>", b"<table><tr>"])
def test_what_lists_nothing_has_no_records(body):
    doc = scythe.read(body)
    assert doc.lists == ()
    assert doc.paging == scythe.Paging()
    assert scythe.read_lists(body) == ()


def test_an_unknown_method_is_refused():
    with pytest.raises(scythe.BadInput, match="unknown record method"):
        scythe.read_lists("<p>", method="guess")
