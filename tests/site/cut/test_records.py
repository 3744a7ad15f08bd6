"""Records that were cut are read on their own: what comes out is what the same rules give on the tree, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import RecordList
from scythe.page.source import read_source
from scythe.site.cut import cut_lists, cutter
from scythe.site.cut.cut_lists import RecordCutter, parse_parts
from scythe.site.extract import ListExtractor
from scythe.site.rules import ColumnRules, Layout, ListRules
from scythe.url import absolute

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
URL = absolute("https://shop.example/list")


def layout(tag: str, *places: str, encodings: tuple[str, ...] = ("utf-8",)) -> Layout:
    columns = tuple(ColumnRules(f"c{i}", (place,)) for i, place in enumerate(places))
    rules = ListRules((f'<{tag} class="r"'.encode(),), columns, kind="shop", pattern="(li)", score=640)
    return Layout("list", (), encodings=encodings, lists=(rules,))


LIST = layout("li", ">b", ">a")


def page(main: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body><h1>x</h1>{main}<p>end</p></body></html>".encode()


def item(number: int, more: str = "") -> str:
    return f'<li class="r"><b>name {number}</b><a href="p/{number}">more</a>{more}</li>'


def items(more: str = "", head: str = "") -> bytes:
    return page(f"<ul>{item(1)}{item(2, more)}{item(3)}</ul>", head)


def read(body: bytes, rules: Layout = LIST) -> tuple[RecordList, ...] | None:
    cutter = RecordCutter(rules)
    found = cutter.find(body)
    assert found.state == "cut", found
    return cutter.read(body, found, URL)


def by_tree(body: bytes, rules: Layout = LIST) -> tuple[RecordList, ...] | None:
    return ListExtractor(rules).follow(read_source(body), URL)[0]


def test_a_region_is_named_as_learned() -> None:
    found = read(items())
    assert found is not None
    assert found == by_tree(items())
    assert (found[0].kind, found[0].pattern, found[0].score, found[0].columns) == ("shop", "(li)", 0.64, ("c0", "c1"))
    assert [record.fields for record in found[0].records] == [(f"name {i}", "more") for i in (1, 2, 3)]
    assert [record.links for record in found[0].records] == [(f"https://shop.example/p/{i}",) for i in (1, 2, 3)]


CELLS = "<td>name {0}</td><td><a href=/{0}>more</a></td>"
TABLES = [
    ("tr", f'<tr class="r">{CELLS}</tr>', "<table>{}</table>", ">td", ">td:2>a"),
    ("td", '<td class="r"><b>name {0}</b> <a href=/{0}>more</a></td>', "<table><tr>{}</tr></table>", ">b", ">a"),
    ("th", '<th class="r"><b>name {0}</b> <a href=/{0}>more</a></th>', "<table><tr>{}</tr></table>", ">b", ">a"),
    ("tbody", f'<tbody class="r"><tr>{CELLS}</tr></tbody>', "<table>{}</table>", ">tr>td", ">tr>td:2>a"),
    ("thead", f'<thead class="r"><tr>{CELLS}</tr></thead>', "<table>{}</table>", ">tr>td", ">tr>td:2>a"),
    ("tfoot", f'<tfoot class="r"><tr>{CELLS}</tr></tfoot>', "<table>{}</table>", ">tr>td", ">tr>td:2>a"),
    ("div", '<div class="r"><b>name {0}</b> <a href=/{0}>more</a></div>', "<main>{}</main>", ">b", ">a"),
]


@pytest.mark.parametrize(("tag", "record", "around", "first", "second"), TABLES, ids=[row[0] for row in TABLES])
def test_records_of_every_kind_of_element_are_read_as_on_the_tree(
    tag: str, record: str, around: str, first: str, second: str
) -> None:
    rules = layout(tag, first, second)
    body = page(around.format("\n".join(record.format(i) for i in (1, 2, 3))))
    found = read(body, rules)
    assert found is not None
    assert found == by_tree(body, rules)
    assert [record.fields for record in found[0].records] == [(f"name {i}", "more") for i in (1, 2, 3)]


def test_one_record_that_is_not_certain_leaves_all_to_the_tree() -> None:
    more = "<svg><a></svg><form></form>words"
    assert cutter.Flow().text(item(2, more).encode(), 0, len(item(2, more))) is None
    assert read(items(more)) is None
    assert by_tree(items(more)) is not None


def test_records_that_lose_something_by_themselves_are_left_to_the_tree() -> None:
    attributes = "".join(f" a{i}" for i in range(LIMITS.tag_attributes + 1))
    assert read(items(f"<i{attributes}>x</i>")) is None


def test_records_that_cannot_stand_alone_are_left_to_the_tree() -> None:
    rules = layout("caption", ">b", ">a")
    caption = '<table><caption class="r"><b>x</b><a href=/1>y</a></caption></table>'
    assert read(page(caption * 3), rules) is None


def test_records_longer_than_a_page_may_be_are_left_to_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [item(1).encode(), item(2).encode()]
    size = sum(len(b"<div></div>") + len(part) for part in parts) + len(b"<!DOCTYPE html><body>")
    monkeypatch.setattr(cut_lists, "LIMITS", replace(LIMITS, body_bytes=size))
    assert parse_parts(parts, None) is not None
    monkeypatch.setattr(cut_lists, "LIMITS", replace(LIMITS, body_bytes=size - 1))
    assert parse_parts(parts, None) is None


def test_a_base_in_a_record_is_no_base_where_the_page_has_one() -> None:
    body = items('<base href="/other/">', '<base href="/first/">')
    found = read(body)
    assert found is not None
    assert found[0].records[0].links == ("https://shop.example/first/p/1",)
    assert found == by_tree(body)


@pytest.mark.parametrize("base", ["", "x/", "https://cdn.example/", "mailto:x", "http://["])
def test_links_go_by_the_address_of_the_page_where_the_base_is_none(base: str) -> None:
    body = items(head=f'<base href="{base}">')
    assert read(body) == by_tree(body)


def test_records_in_another_encoding_are_those_of_the_tree() -> None:
    rules = layout("li", ">b", ">a", encodings=("cp1252",))
    body = items("Größe", "<meta charset=iso-8859-1>").decode().encode("cp1252")
    found = read(body, rules)
    assert found is not None
    assert "Größe" in found[0].records[1].html
    assert found == by_tree(body, rules)


def test_a_reader_keeps_apart_the_encodings_of_pages() -> None:
    rules = layout("li", ">b", ">a", encodings=("cp1252", "utf-8"))
    cutter = RecordCutter(rules)
    pages = [items("Größe", f"<meta charset={name}>").decode().encode(name) for name in ("cp1252", "utf-8", "cp1252")]
    htmls = [(cutter.read(body, cutter.find(body)) or ())[0].records[1].html for body in pages]
    assert all("Größe" in html for html in htmls)
