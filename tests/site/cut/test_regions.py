"""Records are cut where the tree has them: outermost, inside their holder, whole; else it is doubt."""

from __future__ import annotations

import pytest
from tests.list_pages import frame, product, shop_page

from scythe.site.cut.cut_lists import CutLists, CutRecords, ListCutter, RecordCutter
from scythe.site.rules import FLOW, ColumnRules, Layout, ListRules, Rule, Way

COLUMNS = (ColumnRules("title", (">h2.name>a",)), ColumnRules("text", (">p.about",)), ColumnRules("rest", (">div",)))
ITEMS = ListRules((b'<li class="item',), COLUMNS, pages=3, present=3, fewest=6, most=12, tight=True)
HOLDER = Way(FLOW, (Rule("tag", b'<ul class="products"'), Rule("before", b"</h1><ul", skip=5)))


def layout(*rules: ListRules, encodings: tuple[str, ...] = ("utf-8",)) -> Layout:
    return Layout("list", (), lists=rules, encodings=encodings)


def cut(page: bytes, *rules: ListRules) -> CutLists:
    return ListCutter(layout(*rules)).cut(page)


def texts(page: bytes, found: CutLists) -> list[bytes]:
    return [page[start:end] for record_list in found.lists for start, end in record_list.spans]


def test_every_record_is_cut_from_its_tag_to_its_end() -> None:
    page = shop_page(1)
    found = cut(page, ITEMS)
    assert found.state == "cut"
    assert texts(page, found) == [product(i).encode() for i in range(21, 33)]


def test_only_records_inside_the_holder_count() -> None:
    rules = ListRules((b"<li",), COLUMNS, holder=(HOLDER,), outside=4)
    page = shop_page(1)
    assert texts(page, cut(page, rules)) == [product(i).encode() for i in range(21, 33)]


def test_a_record_inside_a_record_is_part_of_it() -> None:
    inner = '<li class="item"><p>answer</p></li>'
    page = frame("Thread", f'<ul><li class="item"><p>one</p><ul>{inner}</ul></li><li class="item">two</li></ul>')
    assert [part.count(b"<li") for part in texts(page, cut(page, ListRules((b'<li class="item"',), COLUMNS)))] == [
        2,
        1,
    ]


def test_records_in_comments_and_scripts_are_none() -> None:
    page = shop_page(1).replace(
        b"<main>", b"<main><!-- <li class='item'> -->" + b'<script>"<li class=\\"item\\">"</script>'
    )
    assert len(texts(page, cut(page, ITEMS))) == 12


def test_a_record_of_two_elements_reaches_to_the_end_of_the_second() -> None:
    rules = ListRules((b"<dt>",), (ColumnRules("term", (">dt",)), ColumnRules("text", (">dd",))), (b"<dd>",))
    page = frame("Words", "<dl><dt>a</dt> <dd>A.</dd>\n<dt>b</dt><dd>B.</dd><dd>BB.</dd></dl>")
    assert texts(page, cut(page, rules)) == [b"<dt>a</dt> <dd>A.</dd>", b"<dt>b</dt><dd>B.</dd><dd>BB.</dd>"]
    records = RecordCutter(layout(rules)).read(page, cut(page, rules))
    assert records is not None
    assert [record.fields for record in records[0].records] == [("a", "A."), ("b", "B. BB.")]


def test_something_between_the_parts_of_a_record_is_doubt() -> None:
    rules = ListRules((b"<dt>",), COLUMNS, (b"<dd>",))
    page = frame("Words", "<dl><dt>a</dt><div>x</div><dd>A.</dd><dt>b</dt><dd>B.</dd></dl>")
    assert cut(page, rules) == CutLists("doubt", why="something stands between the parts of a record")


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (frame("Empty", "<p>Nothing found.</p>"), "no records begin as learned"),
        (shop_page(1, count=1), "no records begin as learned"),
        (shop_page(1).replace(b'"item"', b'"entry"', 11), "no records begin as learned"),
        (shop_page(1, make=lambda i: product(i, "item" if i < 30 else "entry")), "may be one"),
        (shop_page(1, count=2), ""),
        (shop_page(1).replace(b'<li class="item"><a href="/p/25">', b'<li class="offer"><a>'), "may be one"),
    ],
)
def test_what_the_rules_do_not_fit_is_strange(page: bytes, why: str) -> None:
    found = cut(page, ITEMS)
    assert found.state == ("strange" if why else "cut")
    assert why in found.why


def test_far_fewer_records_than_usual_are_strange() -> None:
    rules = ListRules((b'<li class="item',), COLUMNS, pages=3, present=3, fewest=10, most=12)
    assert cut(shop_page(1, count=4), rules).state == "cut"
    assert cut(shop_page(1, count=3), rules).why == "far fewer records than usual"


def test_a_region_that_some_pages_lack_may_be_missing() -> None:
    seldom = ListRules((b'<div class="offer',), COLUMNS, pages=10, present=4, fewest=2, most=3)
    found = cut(shop_page(1), seldom, ITEMS)
    assert [record_list.number for record_list in found.lists] == [1]


def test_more_records_than_are_looked_at_are_doubt() -> None:
    page = frame("Long", "<ul>" + '<li class="item">x</li>' * 1_000 + "</ul>")
    assert cut(page, ITEMS) == CutLists("doubt", why="too many records")


@pytest.mark.parametrize(
    "broken", [b"<p><b>left open</p>", b"<a href='/x'>left open", b"<select><li class='item'>", b"<svg><p>"]
)
def test_what_may_reach_into_records_from_outside_is_doubt(broken: bytes) -> None:
    page = shop_page(1).replace(b"<h1>", broken + b"<h1>")
    cutter = RecordCutter(layout(ITEMS))
    found = cutter.find(page)
    assert found.state == "doubt" or cutter.read(page, found) is None


def test_links_are_relative_to_the_base_that_the_page_gives() -> None:
    page = frame("Tools", f"<ul>{product(1)}{product(2)}</ul>", lead='<base href="https://cdn.example/a/">')
    cutter = RecordCutter(layout(ListRules((b'<li class="item',), COLUMNS)))
    found = cutter.find(page)
    records = cutter.read(page, found, None)
    assert found.base == "https://cdn.example/a/"
    assert records is not None
    assert records[0].records[0].links == ("https://cdn.example/p/1",)
    assert records[0].records[1].images == ("https://cdn.example/i/2.jpg",)


def test_rows_of_tables_are_read_as_rows() -> None:
    rules = ListRules((b'<tr class="r"',), (ColumnRules("name", (">td",)), ColumnRules("count", (">td:2",))))
    rows = "".join(f'<tr class="r"><td>name {i}</td><td>{i}</td></tr>' for i in range(3))
    page = frame("Table", f"<table><tr><th>Name</th><th>Count</th></tr>{rows}</table>")
    cutter = RecordCutter(layout(rules))
    records = cutter.read(page, cutter.find(page))
    assert records is not None
    assert [record.fields for record in records[0].records] == [("name 0", "0"), ("name 1", "1"), ("name 2", "2")]


def test_pages_in_another_encoding_are_read_in_it() -> None:
    page = shop_page(1).replace(b"utf-8", b"iso-8859-1").replace(b"No. ", "Stück ".encode("latin-1"))
    cutter = RecordCutter(layout(ITEMS, encodings=("cp1252",)))
    records = cutter.read(page, cutter.find(page))
    assert records is not None
    assert "Stück 21" in records[0].records[0].fields[0]


def test_a_page_whose_bytes_speak_against_its_word_is_doubt() -> None:
    russian = "Жнецы вышли в поле на рассвете ".encode("windows-1251")
    page = shop_page(1).replace(b"utf-8", b"iso-8859-1").replace(b"No. ", russian)
    assert ListCutter(layout(ITEMS, encodings=("cp1252",))).cut(page).why == "its encoding is not certain"


def test_an_encoding_that_was_not_learned_is_doubt() -> None:
    page = shop_page(1).replace(b"utf-8", b"koi8-r").replace(b"No. ", b"N\xba ")
    assert ListCutter(layout(ITEMS, encodings=("cp1252",))).cut(page).why == "its encoding is not certain"


def test_rows_with_cells_that_span_others_are_left_to_the_whole_table() -> None:
    rules = ListRules((b'<tr class="r"',), (ColumnRules("name", (">td",)), ColumnRules("count", (">td:2",))))
    rows = '<tr class="r"><td rowspan=2>a</td><td>1</td></tr><tr class="r"><td>2</td></tr>'
    assert cut(frame("Table", f"<table>{rows}</table>"), rules).state == "strange"


def test_icons_in_templates_do_not_put_the_page_behind_them_in_doubt() -> None:
    icon = b'<template><li class="item"><svg><title>t</title><g><path d="M"/></g></svg></li></template>'
    page = shop_page(1).replace(b"<h1>", icon + b"<h1>")
    assert len(texts(page, cut(page, ITEMS))) == 12
    assert cut(page.replace(b"<path", b"<p><path"), ITEMS).state == "doubt"


def test_many_more_records_outside_of_the_holder_than_ever_are_strange() -> None:
    rules = ListRules((b"<li",), COLUMNS, holder=(HOLDER,), outside=4)
    page = shop_page(1)
    assert cut(page, rules).state == "cut"
    other = b"<ul>" + b"<li>more</li>" * 20 + b"</ul></main>"
    assert cut(page.replace(b"</main>", other), rules).why == "more records than usual stand elsewhere"


PLAIN = ListRules((b'<li class="item"',), COLUMNS)
ITEM = b'<li class="item">a</li>'


def test_everything_that_was_cut_is_told() -> None:
    page = ITEM + b" " + ITEM  # from the first byte on
    spans = ((0, 23), (24, 47))
    assert cut(page, PLAIN) == CutLists("cut", (CutRecords(0, spans, spans),), "", "", "utf-8")


def test_parts_of_records_are_told_and_members_before_the_first_head_are_none() -> None:
    rules = ListRules((b"<dt>",), COLUMNS, (b"<dd>",))
    page = b"<body><dl><dd>z</dd><dt>a</dt><dd>A</dd><dt>b</dt><dd>B</dd></dl>"
    found = cut(page, rules)
    assert texts(page, found) == [b"<dt>a</dt><dd>A</dd>", b"<dt>b</dt><dd>B</dd>"]
    parts = [page[start:end] for start, end in found.lists[0].parts]
    assert parts == [b"<dt>a</dt>", b"<dd>A</dd>", b"<dt>b</dt>", b"<dd>B</dd>"]


def test_a_tag_that_is_head_and_member_is_a_head() -> None:
    rules = ListRules((b"<li",), COLUMNS, (b'<li class="item"', b"<li"))
    page = b"<body><ul>" + ITEM * 3 + b"</ul>"
    assert texts(page, cut(page, rules)) == [ITEM] * 3


def test_what_an_earlier_region_took_is_left_out_and_one_alone_is_no_list() -> None:
    other = b'<li class="other">b</li>'
    page = b"<body><ul>" + ITEM * 2 + other * 2 + b"</ul>"
    every = ListRules((b"<li",), COLUMNS)
    assert [len(record_list.spans) for record_list in cut(page, PLAIN, every).lists] == [2, 2]
    found = cut(page, every, PLAIN)
    assert [(record_list.number, len(record_list.spans), len(record_list.parts)) for record_list in found.lists] == [
        (0, 4, 4)
    ]
    alone = b"<body><ul>" + ITEM * 2 + other + b"</ul>"
    assert [record_list.number for record_list in cut(alone, PLAIN, every).lists] == [0]


@pytest.mark.parametrize("tag", [b"<base", b"<BASE", b"<Base"])
def test_the_first_base_is_the_one(tag: bytes) -> None:
    page = tag + b" href='/a/'>" + tag + b" href='/b/'><ul>" + ITEM * 2 + b"</ul>"
    assert cut(page, PLAIN).base == "/a/"
    assert cut(b"<base target=x><ul>" + ITEM * 2 + b"</ul>", PLAIN).base == ""


def test_a_base_that_is_not_certain_puts_the_page_in_doubt() -> None:
    doubt = CutLists("doubt", why="the base address is not certain")
    assert cut(b"<BASE href='/a/'><base href='/b/'><ul>" + ITEM * 2 + b"</ul>", PLAIN) == doubt
    assert cut(b"<bASE href='/a/'><ul>" + ITEM * 2 + b"</ul>", PLAIN) == doubt
    assert cut(b"<base href='/\0'><ul>" + ITEM * 2 + b"</ul>", PLAIN) == doubt
    raw = b"<meta charset=iso-8859-1><base href='/\xe9'><ul>" + ITEM * 2 + b"</ul>"
    assert ListCutter(layout(PLAIN, encodings=("cp1252",))).cut(raw) == doubt


@pytest.mark.parametrize(
    ("page", "is_expected", "said"),
    [
        (b"<body><ul>" + ITEM * 2 + b"</ul>", True, ("doubt", "the element around the records: no anchor on the page")),
        (b"<body><ul>" + ITEM * 2 + b"</ul>", False, ("strange", "no records begin as learned")),
        (
            b'<body><ul class="products">' + ITEM * 2 + b"</ul>",
            True,
            ("doubt", "around the records: too few rules agree"),
        ),
        (b'<body><ul class="products">' + ITEM * 2 + b"</ul>", False, ("strange", "no records begin as learned")),
        (b'<body></h1><ul class="products">' + ITEM * 2, False, ("doubt", "around the records: the page ends inside")),
        (b'<body></h1><ul class="products">' + ITEM * 2 + b"</ul>", True, ("cut", "")),
    ],
)
def test_without_the_element_around_them_there_are_no_records(
    page: bytes, is_expected: bool, said: tuple[str, str]
) -> None:
    rules = ListRules((b"<li",), COLUMNS, holder=(HOLDER,), pages=10, present=10 if is_expected else 4)
    found = cut(page, rules)
    assert found.state == said[0]
    assert said[1] in found.why


def test_something_like_a_record_matters_only_between_records_that_stand_close() -> None:
    page = b"<body><ul>" + ITEM + b'<li class="offer">x</li>' + ITEM + b"</ul>"
    assert cut(page, PLAIN).state == "cut"
    close = ListRules((b'<li class="item"',), COLUMNS, tight=True)
    assert cut(page, close) == CutLists("strange", why="something stands between records that may be one")
