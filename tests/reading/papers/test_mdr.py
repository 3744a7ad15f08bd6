"""MDR finds runs of siblings whose tag strings repeat."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.reading.papers.mdr import TagStrings, find_data_regions, find_mdr_regions, identify_regions, read_by_mdr

ITEM = "<li><h3><a href=/{0}>Title {0}</a></h3><p>About <b>{0}</b></p></li>"


def texts(html: str, **options: float) -> list[list[list[str]]]:
    """Read a page and return the texts that are there, by region and record."""
    regions = read_by_mdr(Page.from_text(html), **options)  # type: ignore[arg-type]
    return [[[text for text in record.fields if text] for record in region.records] for region in regions]


def among(symbols: str, most_nodes: int = 10, threshold: float = 0.0) -> list[tuple[int, int, int]]:
    """Identify regions among childless siblings written as one letter each."""
    strings = TagStrings(Elements(tag=list(symbols)), threshold)
    return list(identify_regions(strings, range(len(symbols) + 1), most_nodes))


def test_siblings_that_are_built_alike_are_records() -> None:
    html = "<h1>News</h1><ul>" + "".join(ITEM.format(n) for n in range(4)) + "</ul>"
    assert texts(html) == [[[f"Title {n}", "About", str(n)] for n in range(4)]]


def test_records_of_several_siblings_are_found_with_the_shortest_node_that_covers_them() -> None:
    assert among("abababab") == [(2, 0, 8)]
    assert among("aaaa") == [(1, 0, 4)]
    assert among("xabcabcabcyy") == [(3, 1, 9), (1, 10, 2)]
    assert among("abcd") == []


@given(st.text("abc", max_size=30), st.integers(1, 10))
def test_regions_never_overlap_and_repeat_what_they_say(symbols: str, most_nodes: int) -> None:
    at = 0
    for size, first, covered in among(symbols, most_nodes):
        assert first >= at
        assert covered >= 2 * size
        assert symbols[first : first + covered] == symbols[first : first + size] * (covered // size)
        at = first + covered


def test_the_rows_of_a_grid_give_its_cells() -> None:
    cell = "<div class=c><h3>Name {0}</h3><p>{0}<b>EUR</b></p></div>"
    rows = ["".join(cell.format(3 * row + n) for n in range(3)) for row in range(3)]
    html = "".join(f"<div class=row>{row}</div>" for row in rows)
    assert [record[0] for record in texts(f"<main>{html}</main>")[0]] == [f"Name {n}" for n in range(9)]


def test_a_short_last_row_of_a_grid_is_not_lost() -> None:
    cell = "<div class=c><h3>Name {0}</h3><p>{0}<b>EUR</b></p></div>"
    rows = [cell.format(0) + cell.format(1) + cell.format(2), cell.format(3) + cell.format(4) + cell.format(5)]
    html = "".join(f"<div class=row>{row}</div>" for row in [*rows, cell.format(6)])
    assert [record[0] for record in texts(f"<main>{html}</main>")[0]] == [f"Name {n}" for n in range(7)]


def test_the_rows_of_a_table_stay_records() -> None:
    row = "<tr><td><b>{0}</b></td><td><b>x</b></td></tr>"
    assert texts("<table>" + "".join(row.format(n) for n in range(3)) + "</table>") == [
        [[str(n), "x"] for n in range(3)]
    ]


def test_records_that_are_not_contiguous_are_put_together() -> None:
    # a row of names above a row of prices, twice: each record is one cell of either row
    names = "<tr class=n><td><a>{}</a></td><td><a>{}</a></td></tr>"
    prices = "<tr class=p><td><i>{}</i><s>old</s><u>x</u></td><td><i>{}</i><s>old</s><u>x</u></td></tr>"
    html = names.format("A", "B") + prices.format(1, 2) + names.format("C", "D") + prices.format(3, 4)
    page = Page.from_text(f"<table>{html}</table>")
    records = read_by_mdr(page)[0].records
    assert [record.fields[:2] for record in records] == [("A", "1"), ("B", "2"), ("C", "3"), ("D", "4")]
    assert [len(candidate.rows) for candidate in find_mdr_regions(page.elements)] == [2]


def test_a_region_inside_another_is_not_reported() -> None:
    inner = "<ul>" + "<li><a>x</a></li>" * 5 + "</ul>"
    html = f"<div><h2>One</h2>{inner}</div>" * 3
    regions = find_data_regions(Page.from_text(html).elements)
    assert [len(region.records) for region in regions] == [3]


def test_fields_links_and_images_come_with_each_record() -> None:
    item = "<li><a href=/{0}>T{0}</a><img src=/{0}.png><p>x</p></li>"
    page = Page.from_text("<ul>" + item.format(1) + item.format(2) + "</ul>", url="https://example.org/list")
    (region,) = read_by_mdr(page)
    assert region.columns == ("field_1", "field_2")
    assert region.records[0].links == ("https://example.org/1",)
    assert region.records[1].images == ("https://example.org/2.png",)
    assert region.records[0].html.startswith("<li><a href")


def test_the_region_with_most_text_comes_first() -> None:
    menu = "<ul>" + "<li><a>Home</a></li>" * 6 + "</ul>"
    news = "<section>" + "<article><h2>Headline</h2><p>A long enough teaser text.</p></article>" * 3 + "</section>"
    assert [len(region) for region in texts(menu + news)] == [3, 6]


def test_pages_without_lists_have_no_regions() -> None:
    for html in ("", "x", "<p>x</p>", "<ul><li><li><li></ul>", "<br><br><br>"):
        assert read_by_mdr(Page.from_text(html)) == ()


@given(st.text("<>/abipul =", max_size=200))
def test_any_page_is_read(html: str) -> None:
    page = Page.from_text(html)
    for region in read_by_mdr(page):
        assert len(region.records) >= 2
        assert all(len(record.fields) == len(region.columns) for record in region.records)


def test_rows_with_different_numbers_of_cells_are_one_record_together() -> None:
    head, body = (
        "<tr><td><a>{0}</a></td><td><a>x</a></td></tr>",
        "<tr><td><b>{0}</b></td><td><b>y</b></td><td><b>z</b></td></tr>",
    )
    html = "<table>" + "".join(head.format(n) + body.format(n) for n in range(3)) + "</table>"
    assert [record[0] for record in texts(html)[0]] == ["0", "1", "2"]
