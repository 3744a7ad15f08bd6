"""Rows of records: columns, safe cells and formats, without a process around them."""

import csv
import io
import json
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from scythe.cli.records import Trail
from scythe.cli.sinks import BinaryBatches, open_row_sink
from scythe.errors import BadInput, MissingExtra
from scythe.fetch.fetch_options import FetchOptions
from scythe.model import Document, Listed, Record, RecordList
from scythe.output.column_choice import ColumnChoice, tidy
from scythe.output.document_writers import render_records
from scythe.output.formats import require_parquet
from scythe.output.rows import RowBatch, Shape, attributes_batch, list_batch, write_rows
from scythe.page import Page
from scythe.url import Url

LINK, IMAGE = Url("https://example.org/a"), Url("https://example.org/a.jpg")
GOODS = RecordList(
    (Record(("Snath", "€54"), (LINK,), (IMAGE,)), Record(("Blade", ""))), ("title", "price"), "products", 0.9
)
TABLE = RecordList((Record(("3", "x", "y")),), ("page", "link", "kind"), "table")


def text_of(kind: str, shape: Shape, *lists: RecordList) -> str:
    batches = [list_batch("https://example.org/", number, one) for number, one in enumerate(lists, 1)]
    return write_rows(kind, batches, shape).decode()


def test_header_has_the_columns_of_all_lists_once_and_link_and_image_last() -> None:
    rows = list(csv.reader(io.StringIO(text_of("csv", Shape(page=True, list=True), GOODS, TABLE))))
    assert rows[0] == ["page", "list", "kind", "title", "price", "page_2", "link_2", "kind_2", "link", "image"]
    assert rows[1] == ["https://example.org/", "1", "products", "Snath", "€54", "", "", "", LINK, IMAGE]
    assert rows[3][5:8] == ["3", "x", "y"]


def test_header_of_one_list_is_its_columns_link_and_image() -> None:
    assert text_of("csv", Shape(), GOODS).splitlines()[0] == "title,price,link,image"


# what a spreadsheet would run or look up
ACTIVE = (
    '=HYPERLINK("http://a.example","x")', "=1+1", "=A1", "@SUM(A1:A9)", "@a", "\t=1", "\n=1", "＝1", "＠x",
    "+A1", "-A1", "-B2:C3", "+SUM(1)", "-SUM(1)+2", "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "－SUM(1)", "＋A1",
    "+1+A1", "-", "--", "+", "- see below", "+more", "-1 (SUM(2))",
)  # fmt: skip
# what people write: numbers, money, dates, telephone numbers, and texts that no spreadsheet takes for anything
QUIET = (
    "-12.5", "-12,5", "+3", "-1.299,00", "-1 299.00", "-5 %", "-5%", "-12.5 °C", "-3.2e-5", "-€ 12.50", "-€12", "-12 €",
    "-EUR 5.00", "-US$ 12", "-7 kg", "+49 30 123456", "+49 (0) 30 / 12 34 56", "+1-800-555-0199", "+4930123456",
    "+44 20 7946 0018", "-12:30", "2026-11-19", "19.11.2026", "11/19/2026", "12-14", "12,-", "€ 5", "a=b", "1+1", "(5)",
    "#3", "'quoted'", "a@example.org", "−12", "• one", "/path", "80 %", "",
)  # fmt: skip


@pytest.mark.parametrize("cell", [*ACTIVE, *QUIET])
def test_a_cell_of_csv_cannot_be_run_and_is_not_spoiled(cell: str) -> None:
    def written(cells: str) -> str:
        body = write_rows("csv", [RowBatch("", ("x", "y"), ((cell, "z"),))], Shape(cells=cells)).decode()
        return list(csv.reader(io.StringIO(body, newline="")))[1][0]

    assert written("auto") == (f"'{cell}" if cell in ACTIVE else cell)
    assert written("plain") == cell
    assert written("safe") == (f"'{cell}" if cell[:1] in tuple("=+-@\t\n\r＝＠－＋") else cell)


def test_an_end_of_line_in_a_cell_begins_no_row() -> None:
    body = write_rows("csv", [RowBatch("", ("x",), (("a\r=1+1",), ("\r\n=1",)))], Shape())
    assert b"\r" not in body
    assert list(csv.reader(io.StringIO(body.decode(), newline=""))) == [["x"], ["a\n=1+1"], ["'\n=1"]]


def test_json_lines_keep_numbers_and_texts_as_they_are() -> None:
    row = json.loads(text_of("jsonl", Shape(list=True), GOODS).splitlines()[0])
    assert row == {"list": 1, "kind": "products", "title": "Snath", "price": "€54", "link": LINK, "image": IMAGE}


def test_parquet_has_null_where_a_record_has_nothing(tmp_path: Path) -> None:
    sink = BinaryBatches("parquet", tmp_path / "out.parquet", Shape(list=True))
    sink.put(list_batch("", 1, GOODS))
    sink.close()
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.column("price").to_pylist() == ["€54", None]
    assert str(table.schema.field("list").type) == "int32"


def test_run_without_records_writes_an_empty_file(tmp_path: Path) -> None:
    for name in ("out.csv", "out.jsonl", "out.json", "out.parquet"):
        open_row_sink(str(tmp_path / name), None, Shape()).close()
    assert (tmp_path / "out.csv").read_text() == ""
    assert json.loads((tmp_path / "out.json").read_text()) == []
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").num_rows == 0


def test_missing_package_is_said_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'webscythe\[parquet\]'"):
        require_parquet()


def test_rows_do_not_go_to_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="suffix names a format"):
        open_row_sink(str(tmp_path), None, Shape())


CARDS = RecordList(
    (
        *(
            Record((f"Blade {n}", f"Product Code: 65019{n}", "Steel:", f"{n} %", "Read More", ":", "", ""), (LINK,))
            for n in range(4)
        ),
        Record(("", "", "", "", "", "", "", "« 1 2 3 »")),
    ),
    ("title", "text", "label", "text_2", "link", "sign", "text_3", "text_4"),
    "products",
)


def test_a_list_is_tidied() -> None:
    batch = tidy(list_batch("", 1, CARDS))
    assert batch.columns == ("title", "product_code", "steel", "link")
    assert batch.rows[3] == ("Blade 3", "650193", "3 %", LINK)
    assert len(batch.rows) == 4
    assert len(ColumnChoice(keeps_all=True).of_batch(list_batch("", 1, CARDS)).columns) == 10


def test_tables_keep_what_is_the_same_and_small_lists_keep_all_that_is_said() -> None:
    same = RecordList((Record(("a", "on", "")),) * 4, ("name", "state", "note"), "table")
    assert tidy(list_batch("", 1, same)).columns == ("name", "state")
    assert tidy(list_batch("", 1, GOODS)).columns == ("title", "price", "link", "image")


def test_columns_are_chosen_ordered_and_renamed() -> None:
    choice = ColumnChoice.read("price=Price, title,none,page,list")
    chosen = choice.of_batch(list_batch("https://example.org/", 2, GOODS))
    assert chosen.columns == ("Price", "title", "none", "page", "list")
    assert chosen.rows[0] == ("€54", "Snath", "", "https://example.org/", 2)
    untidy = ColumnChoice.read("sign").of_batch(list_batch("", 1, CARDS))
    assert untidy.rows == ((":",),) * 4 + (("",),)
    for wrong in ("", "a,", "a=,b", "a,b=a"):
        with pytest.raises(BadInput, match="name columns once each"):
            ColumnChoice.read(wrong)


def test_attributes_of_a_page_are_one_row_where_that_is_wanted() -> None:
    pairs = [("price", "9"), ("Steel", "hard"), ("Steel", "cold"), ("page", "3")]
    batch = attributes_batch("x", pairs, wide=True)
    assert dict(zip(batch.columns, batch.rows[0], strict=True)) == {
        "price": "9",
        "Steel": "hard\ncold",
        "page_2": "3",
    }


def test_attributes_are_pairs() -> None:
    assert attributes_batch("p", [("Wood", "Ash")]).rows == (("Wood", "Ash"),)


def test_words_of_records_are_no_markup() -> None:
    region = RecordList((Record(("a | b *c*",)),), ("<b>",), "table")
    document = Document(listing=Listed((region,)))
    assert r"| a \| b \*c\* |" in render_records(document, "md")
    assert "<th>&lt;b&gt;</th>" in render_records(document, "html")


def trail(most: int = 3) -> Trail:
    def refuse(seconds: float) -> None:
        raise AssertionError("nothing is to be fetched")

    return Trail(most, FetchOptions(), delay_s=1.0, sleep=refuse)


def list_page(href: str) -> Page:
    html = f"<ul><li>One<li>Two</ul><p class=pager><a class=next href='{href}'>Next page</a></p>"
    return Page.from_text(html, url="https://example.org/list?page=2")


def test_trail_ends_at_another_host_and_at_its_own_beginning() -> None:
    for href in ("https://other.example/list?page=3", "/list?page=2", "/list?page=2#top"):
        way = trail()
        assert way.after(list_page(href)) is None
        assert way.why == "the last page"


def test_trail_ends_after_as_many_pages_as_asked_for() -> None:
    way = trail(0)
    assert way.after(list_page("/list?page=3")) is None
    assert way.why.endswith("continues at https://example.org/list?page=3")


def test_trail_notices_a_page_that_repeats_another() -> None:
    way = trail()
    batch = list_batch("https://example.org/", 1, GOODS)
    again = list_batch("https://example.org/?page=99", 1, GOODS)
    assert [way.is_repeat((batch,)), way.is_repeat((again,))] == [False, True]
