"""The lists of a learned layout are cut out of the page map: the same records as reading the page cold gives."""

from __future__ import annotations

import msgspec
import pytest
from tests.list_pages import frame, product, shop_page

from scythe import read_lists
from scythe.model import RecordList
from scythe.page import Page
from scythe.page.map import PageMap
from scythe.site.learn_records import learn_records
from scythe.site.record_rules import LayoutListReader, LayoutRecords, base_of


def url_of(number: int) -> str:
    return f"https://shop.example/tools?page={number}"


def learn(*bodies: bytes) -> LayoutRecords:
    pages = [Page.from_bytes(body, url=url_of(number)) for number, body in enumerate(bodies)]
    return learn_records([PageMap(body) for body in bodies], pages)


def cut(layout: LayoutRecords, body: bytes) -> tuple[tuple[RecordList, ...] | None, str]:
    page = PageMap(body)
    return LayoutListReader(layout).cut(page, base_of(page, Page.from_bytes(body, url=url_of(9)).url))


@pytest.fixture(scope="module")
def shop() -> LayoutRecords:
    return learn(*[shop_page(number) for number in range(4)])


def test_cut_and_cold_give_the_same_records(shop: LayoutRecords) -> None:
    (found,), why = cut(shop, shop_page(9)) or ((), "")
    (cold,) = read_lists(shop_page(9), url_of(9))
    assert not why
    assert [record.html for record in found.records] == [record.html for record in cold.records]
    assert [(record.links, record.images) for record in found.records] == [
        (record.links, record.images) for record in cold.records
    ]
    assert found.columns == cold.columns
    assert found.to_dicts() == cold.to_dicts()
    assert (found.kind, found.pattern) == (cold.kind, cold.pattern)


def test_columns_stay_those_learned_where_a_page_lacks_one(shop: LayoutRecords) -> None:
    def plain(number: int) -> str:
        return product(number).replace('<span class="stars">', "<!--").replace(" of 5</span>", "-->")

    found, _ = cut(shop, shop_page(9, make=plain))
    assert found is not None
    assert "rating" in found[0].columns
    assert {row["rating"] for row in found[0].to_dicts()} == {""}


@pytest.mark.parametrize(
    "hider",
    ["<select><table></select>", "<select><option>a<table><tr><td>x</select>", "<select>", "<template>", "<iframe>"],
)
def test_records_that_the_page_does_not_show_are_in_doubt(shop: LayoutRecords, hider: str) -> None:
    page = shop_page(9)
    at = page.index(b"<main")
    body = page[:at] + hider.encode() + page[at:]
    assert read_lists(body, url_of(9)) == ()
    found, why = cut(shop, body)
    assert found is None
    assert why
    assert cut(shop, page)[0]


def test_element_like_a_record_of_another_make_is_told(shop: LayoutRecords) -> None:
    def mixed(number: int) -> str:
        return product(number, "offer" if number % 4 == 0 else "item")

    found, why = cut(shop, shop_page(9, make=mixed))
    assert found is None
    assert why == "something stands between records that may be one"


def test_page_without_the_list_is_told(shop: LayoutRecords) -> None:
    found, why = cut(shop, frame("Imprint", "<p>A scythe shop in the old mill.</p>"))
    assert found is None
    assert why == "no records begin as learned"


def test_layout_without_lists_has_none() -> None:
    def story(number: int) -> bytes:
        return frame(f"Story {number}", f"<p>The mill of {number} was built by a miller from the valley.</p>")

    layout = learn(*[story(number) for number in range(4)])
    assert cut(layout, story(9)) == ((), "")


def test_rows_of_a_table_with_cells_that_span_others_are_told() -> None:
    def table(number: int, cell: str = "<td>") -> bytes:
        rows = "".join(
            f"<tr>{cell}Blade {number + i}</td><td>{60 + i} cm</td><td>{i * 3} pieces</td><td>$ {i}.50</td></tr>"
            for i in range(8)
        )
        heads = "<tr><th>Name</th><th>Length</th><th>Stock</th><th>Price</th></tr>"
        return frame(f"Stock {number}", f'<table class="stock">{heads}{rows}</table>')

    layout = learn(*[table(number * 10) for number in range(4)])
    found, why = cut(layout, table(90))
    assert found is not None, why
    assert found[0].to_dicts() == read_lists(table(90), url_of(9))[0].to_dicts()
    assert cut(layout, table(90, "<td rowspan=1>")) == (None, "cells that span others")


def test_parts_of_a_record_stay_together() -> None:
    def glossary(number: int) -> bytes:
        words = "".join(
            f"<dt>Term {number}-{i}</dt><dd>What mowers mean by the word number {i} of page {number}.</dd>"
            for i in range(9)
        )
        return frame(f"Glossary {number}", f'<dl class="words">{words}</dl>')

    layout = learn(*[glossary(number) for number in range(4)])
    found, why = cut(layout, glossary(9))
    assert found is not None, why
    assert [record.html for record in found[0].records] == [
        record.html for record in read_lists(glossary(9), url_of(9))[0].records
    ]


def test_rules_survive_json(shop: LayoutRecords) -> None:
    again = msgspec.json.decode(msgspec.json.encode(shop), type=LayoutRecords)
    assert again == shop
    assert cut(again, shop_page(9)) == cut(shop, shop_page(9))


@pytest.mark.parametrize("body", [b"", b"<li class=item>" * 2_000, b"<ul class=products>" * 300, b"\xff<table><tr>"])
def test_odd_pages_are_told_or_give_what_is_there(shop: LayoutRecords, body: bytes) -> None:
    found, why = cut(shop, body)
    assert found is None
    assert why
