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


def first_region(body: str) -> scythe.RecordList:
    return scythe.read(page(body), url=URL).lists[0]


def story(number: int, dish: str) -> str:
    return f"<h3><a href=/s/{number}>{dish}</a></h3><p>We tell about {dish.lower()} and more.</p>"


def test_siblings_of_one_class_are_records_with_links():
    region = first_region("".join(f"<div class=post>{story(i, dish)}</div>" for i, dish in enumerate(DISHES)))
    assert [record.fields[region.columns.index("title")] for record in region.records] == DISHES
    assert [record.links for record in region.records] == [(f"https://example.org/s/{i}",) for i in range(6)]


def test_adverts_and_rules_between_records_are_not_part_of_them():
    between = ("<hr>", "<div class=ad>Advert: buy a sickle</div>")
    body = "".join(f"<div class=post>{story(i, dish)}</div>{between[i % 2]}" for i, dish in enumerate(DISHES))
    region = first_region(f"<div class=list>{body}</div>")
    assert len(region.records) == 6
    assert not any("Advert" in " ".join(record.fields) for record in region.records)


def test_rows_of_a_grid_are_taken_apart_into_cells():
    cells = [f"<div class=col>{story(i, dish)}<span class=price>${i}.99</span></div>" for i, dish in enumerate(DISHES)]
    body = "".join(f"<div class=row>{''.join(cells[i : i + 2])}</div>" for i in (0, 2, 4))
    region = first_region(body)
    assert [record.fields[0] for record in region.records] == DISHES
    assert "price" in region.columns


def test_pairs_of_table_rows_are_one_record():
    rows = "".join(
        f"<tr><td><a href=/s/{i}>{dish}</a></td></tr><tr><td>{i} points by user{i}, {i} hours ago</td></tr>"
        for i, dish in enumerate(DISHES)
    )
    region = first_region(f"<table>{rows}</table>")
    assert [record.fields[0] for record in region.records] == DISHES
    assert all("points" in record.fields[1] for record in region.records)


def test_a_heading_and_what_follows_it_are_one_record():
    body = "".join(f"{story(i, dish)}<p class=date>{i + 1} May 2024</p>" for i, dish in enumerate(DISHES))
    region = first_region(body)
    assert [record.fields[0] for record in region.records] == DISHES
    assert region.columns == ("title", "text", "date")


@pytest.mark.parametrize("wrapper", ["", "div"])
def test_terms_and_their_definitions_are_records_of_two_fields(wrapper):
    pairs = (f"<dt>{dish.split()[0]}</dt><dd>It is used for {dish.lower()}.</dd>" for dish in DISHES)
    body = "".join(f"<{wrapper}>{pair}</{wrapper}>" if wrapper else pair for pair in pairs)
    region = first_region(f"<dl>{body}</dl>")
    assert region.kind == "definitions"
    assert [record.fields for record in region.records] == [
        (dish.split()[0], f"It is used for {dish.lower()}.") for dish in DISHES
    ]


def test_lines_of_text_are_records():
    region = first_region("<p>" + "<br>".join(f"{i + 2} cups of {dish.lower()}" for i, dish in enumerate(DISHES)))
    assert [record.fields for record in region.records] == [
        (f"{i + 2} cups of {dish.lower()}",) for i, dish in enumerate(DISHES)
    ]


def test_comments_are_whole_with_author_and_date():
    replies = (
        "<div class=replies><div class=comment><b class=author>Bo</b> <time>9 May</time><p>Not at all!</p></div></div>"
    )
    body = "".join(
        f"<div class=comment><b class=author>user{i}</b> <time datetime=2024-05-0{i + 1}>{i + 1} May 2024</time>"
        f"<p>I think that {dish.lower()} is what we all want, really.</p>{replies if i % 3 == 0 else ''}</div>"
        for i, dish in enumerate(DISHES)
    )
    region = first_region(f"<div class=comments>{body}</div>")
    told = [" ".join(record.fields) for record in region.records]
    for i, dish in enumerate(DISHES):
        assert any(f"user{i}" in text and "May 2024" in text and dish.lower() in text for text in told), dish


def test_a_table_has_the_names_of_its_head_and_spans_are_filled():
    region = first_region(
        "<table><thead><tr><th rowspan=2>Grain<th colspan=2>Harvest<tr><th>Yield<th>Price</thead><tbody>"
        "<tr><td rowspan=2>Barley<td>3 t<td>2.50 EUR<tr><td>5 t<td>2.60 EUR<tr><td>Oats<td>2 t<td>1.50 EUR"
        "<tr><td>Wheat<td>7 t<td>2.80 EUR</tbody></table>"
    )
    assert region.kind == "table"
    assert region.columns == ("Grain", "Harvest Yield", "Harvest Price")
    assert [record.fields for record in region.records][:2] == [
        ("Barley", "3 t", "2.50 EUR"),
        ("Barley", "5 t", "2.60 EUR"),
    ]


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
