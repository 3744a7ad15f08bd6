"""How tables become records."""

from __future__ import annotations

import pytest
from tests.reading.lists.filling import fields, fill

TABLE = """
<table><caption>Towns</caption>
<thead><tr><th rowspan=2>Town<th colspan=2>2020<tr><th>Q1<th>Q2</thead>
<tbody><tr><td rowspan=2>Bonn<td>1<td>2<tr><td>3<td>4<tr><td colspan=3>South</tbody>
<tfoot><tr><td>Sum<td>4<td>6</tfoot></table>
"""


def test_heads_of_several_rows_name_the_columns():
    assert fill(TABLE, "tr").columns == ("Town", "2020 Q1", "2020 Q2")


def test_rows_of_the_head_are_no_records_and_the_foot_is_one():
    assert fields(TABLE, "tr") == [("Bonn", "1", "2"), ("Bonn", "3", "4"), ("South", "", ""), ("Sum", "4", "6")]


def test_links_and_html_belong_to_the_rows_that_are_left():
    html = "<table><tr><th>A<th>B<tr><td><a href=/x>x</a><td>1<tr><td><a href=y>y</a><td>2</table>"
    record_list = fill(html, "tr")
    assert [record.links for record in record_list.records] == [
        ("https://example.org/x",),
        ("https://example.org/list/y",),
    ]
    assert record_list.records[0].html.startswith("<tr><td><a href=")


def test_a_first_row_of_head_cells_names_the_columns():
    record_list = fill("<table><tr><th>Name<th>Age<tr><td>Ann<td>7<tr><td>Bob<td>8</table>", "tr")
    assert (record_list.columns, len(record_list.records)) == (("Name", "Age"), 2)


def test_row_heads_are_the_first_column():
    assert fields("<table><tr><th>Weight<td>1 kg<tr><th>Colour<td>red</table>", "tr") == [
        ("Weight", "1 kg"),
        ("Colour", "red"),
    ]


def test_columns_without_a_head_are_named_by_what_they_hold():
    html = "<table><tr><th>Name<th>&nbsp;<tr><td>Ann<td>€ 7<tr><td>Bob<td>€ 8</table>"
    assert fill(html, "tr").columns == ("Name", "price")


def test_heads_that_say_the_same_are_numbered():
    html = "<table><tr><th>Goals<th>Goals<tr><td>1<td>2<tr><td>3<td>4</table>"
    assert fill(html, "tr").columns == ("Goals", "Goals_2")


def test_the_head_of_rows_that_hold_more_than_values_is_no_record():
    row = "<tr><td><h4>About {0}</h4><i>by {0}</i><p>{0} writes</p><td>{0} and all"
    record_list = fill(f"<table><tr><th>Thread<th>Last post{row.format('Ann')}{row.format('Bob')}</table>", "tr")
    assert record_list.columns == ("title", "text", "text_2", "Last post")
    assert record_list.records[0].fields == ("About Ann", "by Ann", "Ann writes", "Ann and all")


def test_a_table_inside_a_cell_is_not_mixed_with_the_outer_one():
    inner = "<table><tr><td>in 1<td>in 2</table>"
    html = f"<table><tr><td>a<td>{inner}<tr><td>b<td>{inner}</table>"
    assert fields(html, "tr") == [("a", "in 1", "in 2"), ("b", "in 1", "in 2")]


def test_a_rowspan_ends_with_its_group():
    html = "<table><tbody><tr><td rowspan=0>a<td>1</tbody><tbody><tr><td>b<td>2<tr><td>c<td>3</tbody></table>"
    assert fields(html, "tr") == [("a", "1"), ("b", "2"), ("c", "3")]


def test_a_table_that_is_all_head_keeps_its_rows():
    assert len(fields("<table><thead><tr><th>a<th>b<tr><th>c<th>d</thead></table>", "tr")) == 2


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
