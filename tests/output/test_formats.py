"""One table says which formats there are; what it promises can be written."""

import io
import json

import pytest

from scythe.model import Document
from scythe.output.document_writers import DocumentForm, NamedDocument, document_writer, dump
from scythe.output.formats import (
    DOCUMENTS,
    FORMATS,
    ONE_DOCUMENT,
    PAGE_FOLDER,
    PAGES,
    ROWS,
    format_by_suffix,
    formats_of,
    suffixes_of,
)
from scythe.output.rows import RowBatch, Shape, write_rows


def test_no_suffix_asks_for_two_formats() -> None:
    suffixes = [suffix for one in FORMATS.values() for suffix in one.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize(
    ("output", "thing", "kind"),
    [
        ("a.NDJSON", ROWS, "jsonl"),
        ("a.warc.gz", PAGES, "warc.gz"),
        ("a.htm", DOCUMENTS, "html"),
        ("a.csv", DOCUMENTS, None),
        ("a.pdf", ROWS, None),
        ("notes.md", PAGES, None),
        ("notes.md", PAGE_FOLDER, "md"),
    ],
)
def test_a_suffix_asks_for_a_format_that_holds_what_is_written(output: str, thing: str, kind: str | None) -> None:
    assert format_by_suffix(output, thing) == kind


def test_messages_name_only_suffixes_that_work() -> None:
    assert suffixes_of(ROWS) == ".csv .jsonl .ndjson .json .parquet .sqlite .sqlite3"


@pytest.mark.parametrize("kind", [name for name in formats_of(ROWS) if name != "table"])
def test_every_format_of_rows_can_be_written(kind: str) -> None:
    assert b"Snath" in write_rows(kind, [RowBatch("", ("name",), (("Snath",),))], Shape())


@pytest.mark.parametrize("kind", formats_of(DOCUMENTS))
def test_every_format_of_documents_can_be_written(kind: str, document: Document) -> None:
    file = io.StringIO()
    writer = document_writer(kind, file, DocumentForm(), many=False)
    writer.put(NamedDocument("page.html", document))
    writer.close()
    assert "scythe" in file.getvalue()


@pytest.mark.parametrize("kind", formats_of(ONE_DOCUMENT))
def test_every_format_of_one_document_can_be_dumped(kind: str, document: Document) -> None:
    assert "scythe" in dump(document, kind)


def test_rows_that_miss_columns_are_whole_in_every_format() -> None:
    batches = [RowBatch("p", ("a", "link"), (("1", "x"),)), RowBatch("p", ("b",), (("2",),))]
    assert write_rows("csv", batches, Shape(page=True)) == b"page,a,b,link\np,1,,x\np,,2,\n"
    assert json.loads(write_rows("json", batches, Shape())) == [{"a": "1", "link": "x"}, {"b": "2"}]
    assert write_rows("csv", [], Shape(page=True)) == b"page\n"


@pytest.fixture
def document() -> Document:
    import scythe

    return scythe.read("<title>Mowing</title><article><p>You don't need a tree to mow with a scythe.</article>")
