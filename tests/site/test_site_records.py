"""A learned site gives the records of its pages: by rules, the same as read cold, with columns that stay."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from tests.list_pages import product, shop_page

from scythe import Document, Paging, Site, read_lists


def url_of(number: int) -> str:
    return f"https://shop.example/tools?page={number}"


@pytest.fixture(scope="module")
def shop() -> Site:
    return Site.learn([(url_of(number), shop_page(number)) for number in range(4)])


def extract(site: Site, page: bytes, via: str = "auto") -> Document:
    return site.extract(page, url_of(9), via)  # type: ignore[arg-type]


def test_records_are_cut_and_say_so(shop: Site) -> None:
    document = extract(shop, shop_page(9))
    (record_list,) = document.lists
    assert document.how["records"] == "cut: 1 of 1 lists by rules"
    assert (record_list.kind, len(record_list.records)) == ("products", 12)
    first = dict(zip(record_list.columns, record_list.records[0].fields, strict=True))
    assert (first["price"], first["rating"]) == ("$ 181.50", "1.5 of 5")
    assert record_list.records[0].links == ("https://shop.example/p/181",)
    assert record_list.records[0].images == ("https://shop.example/i/181.jpg",)


def test_cut_and_cold_give_the_same_records(shop: Site) -> None:
    page = shop_page(9)
    _ = extract(shop, page).lists  # upon which rules are learned, if they were not
    by_cut, cold = extract(shop, page, "cut"), read_lists(page, url_of(9))
    assert by_cut.how["records"] == "cut: by rules, when asked for"
    assert [record.html for record in by_cut.lists[0].records] == [record.html for record in cold[0].records]


def test_columns_stay_those_learned_where_a_page_lacks_one(shop: Site) -> None:
    def plain(number: int) -> str:
        return product(number).replace('<span class="stars">', "<!--").replace(" of 5</span>", "-->")

    columns = extract(shop, shop_page(9)).lists[0].columns
    record_list = extract(shop, shop_page(9, make=plain)).lists[0]
    assert record_list.columns == columns
    assert {record.fields[columns.index("rating")] for record in record_list.records} == {""}


def test_a_saved_site_cuts_the_same_records(shop: Site, tmp_path: Path) -> None:
    shop.save(tmp_path / "shop.json")
    loaded = Site.load(tmp_path / "shop.json")
    assert loaded.profile == shop.profile
    assert extract(loaded, shop_page(9)).lists == extract(shop, shop_page(9)).lists


def test_a_page_that_the_rules_do_not_fit_is_read_cold(shop: Site) -> None:
    page = shop_page(9).replace(b'<li class="item">', b'<li class="thing">')
    document = extract(shop, page)
    assert len(document.lists[0].records) == 12
    assert document.how["records"] == "tree: read cold (no records begin as learned)"


def test_a_list_that_no_page_learned_had_is_not_lost(shop: Site) -> None:
    cards = "".join(product(900 + i, "offer").replace("li", "div") for i in range(9))
    page = shop_page(9).replace(b"</main>", f"<h2>On offer</h2><section>{cards}</section></main>".encode())
    document = extract(shop, page)
    firsts = [found.records[0].links for found in document.lists]
    assert ("https://shop.example/p/900",) in firsts
    assert document.how["records"] == "tree: read cold (siblings of a kind that no page learned had)"


def test_what_is_no_page_of_the_site_has_its_records_read_cold(shop: Site) -> None:
    rows = "".join(f"<tr><td>Plant {i}</td><td>{i} cm</td><td>{i + 3} days</td></tr>" for i in range(12))
    page = f"<html><body><table><tr><th>Name</th><th>Height</th><th>Time</th></tr>{rows}</table></body></html>"
    document = shop.extract(page, "https://shop.example/plants")
    assert document.lists
    assert document.how["records"].startswith("tree: read cold")


def test_records_that_were_not_asked_for_are_not_learned() -> None:
    site = Site.learn([(url_of(number), shop_page(number)) for number in range(3)], fields=["title"])
    document = extract(site, shop_page(9))
    assert len(document.lists[0].records) == 12
    assert "records" not in document.how
    assert not any(layout.records.lists for layout in site.profile.layouts)


def test_records_alone_can_be_learned() -> None:
    site = Site.learn([(url_of(number), shop_page(number)) for number in range(3)], fields=["records"])
    document = extract(site, shop_page(9))
    assert (dict(document.fields), len(document.lists[0].records)) == ({}, 12)
    assert document.how["records"].startswith("cut")


def test_attributes_and_paging_come_from_the_tree(shop: Site) -> None:
    pager = '<a rel="next" href="/tools?page=10">Next</a>'
    document = extract(shop, shop_page(9).replace(b"</main>", pager.encode() + b"</main>"))
    assert document.paging.next == "https://shop.example/tools?page=10"
    assert isinstance(document.attributes, tuple)


def test_lists_survive_copies(shop: Site) -> None:
    document = extract(shop, shop_page(9))
    for other in (pickle.loads(pickle.dumps(document)), copy.deepcopy(document), document.detach()):
        assert other.lists == document.lists
        assert other.paging == Paging()


def test_what_is_not_html_lists_nothing(shop: Site) -> None:
    assert shop.extract(b"%PDF-1.4 ...", "https://shop.example/a.pdf").lists == ()
    assert shop.extract(b'{"a": [1, 2]}', "https://shop.example/a.json").lists == ()
