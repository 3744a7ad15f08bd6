"""Records that no page of one tag makes: of several elements, of bare lines, very many, in hostile tables."""

from __future__ import annotations

import pytest
from tests.reading.lists.filling import articles, fields, fill

from scythe.page import Page
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.fill import fill_list, make_unique


def test_a_record_of_several_elements_has_them_all():
    page = Page.from_text("<dl><dt>a<dd>1<dt>b<dd>2</dl>", url="https://example.org/")
    elements = page.elements
    terms = [row for row, tag in enumerate(elements.tag) if tag == "dt"]
    rows = tuple((row, elements.end[row + 1]) for row in terms)
    leaves = tuple((elements.leaf_start[first], elements.leaf_end[last - 1]) for first, last in rows)
    record_list = fill_list(page, Candidate("test", 0, rows, leaves), 0.75, "definitions")
    assert [record.fields for record in record_list.records] == [("a", "1"), ("b", "2")]
    assert record_list.records[0].html == "<dt>a</dt><dd>1</dd>"
    assert (record_list.kind, record_list.score) == ("definitions", 0.75)


def test_lines_of_bare_text_are_records_with_escaped_text():
    page = Page.from_text("<p>1 &lt; 2<br>2 &lt; 3</p>", url="https://example.org/")
    record_list = fill_list(page, Candidate("test", 0, ((4, 4), (5, 5)), ((0, 1), (1, 2))), 0.5, "list")
    assert [(record.fields, record.html) for record in record_list.records] == [
        (("1 < 2",), "1 &lt; 2"),
        (("2 < 3",), "2 &lt; 3"),
    ]


def test_text_beside_the_elements_of_a_line_is_in_its_html():
    page = Page.from_text("<p>1 &lt; <b>2</b> &amp; 3<br>4</p>", url="https://example.org/")
    mark = page.elements.tag.index("b")
    record_list = fill_list(page, Candidate("test", 0, ((mark, mark + 1), (5, 5)), ((0, 3), (3, 4))), 0.5, "list")
    assert record_list.records[0].html == "1 &lt; <b>2</b> &amp; 3"


def test_no_records_make_an_empty_region():
    record_list = fill_list(Page.from_text("<p>x"), Candidate("test", 0, (), ()), 0.0, "list")
    assert (record_list.records, record_list.columns) == ((), ())


def test_siblings_too_many_to_compare_are_numbered():
    kinds = "€ 5|12 May 2016|4/5|17|some words|https://example.org/".split("|")
    html = articles(*("".join(f"<p>{kinds[i // (6**k) % 6]}</p>" for k in range(5)) for i in range(3_000)))
    record_list = fill(html)
    assert sum(bool(text) for text in record_list.records[2_321].fields) == 5


@pytest.mark.parametrize("span", ["x", "", "-3", "²", "99999999999999999999"])
def test_spans_that_make_no_sense_do_no_harm(span):
    html = f"<table><tr><td rowspan='{span}' colspan='{span}'>a<td>1<tr><td>b<td>2</table>"
    assert fields(html, "tr")[0][0] == "a"


@pytest.mark.parametrize("cell", ["<td rowspan=1000000000 colspan=1000000000>x", "<td rowspan=1000000000>x", "<td>x"])
def test_hostile_tables_stay_bounded(cell):
    record_list = fill(f"<table><tr>{'<td>w' * 2_000}{f'<tr>{cell}<td>y' * 4_000}</table>", "tr")
    assert len(record_list.records) == 4_001
    assert len(record_list.columns) <= 1_000
    assert " ".join(record_list.records[0].fields).count("w") == 2_000


def test_names_are_unique_even_where_a_head_looks_like_a_number():
    assert make_unique(["a", "a_2", "a", "a"]) == ("a", "a_2", "a_3", "a_4")
