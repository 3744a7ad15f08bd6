"""Frames of other tools become documents and documents become frames; a row that is no page stops nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import scythe
from scythe.demo import site as demo_site
from scythe.output import arrow_tables as builder_module

PAGES = [page for page in demo_site(pages=24) if page.kind in ("news", "list")][:10]
ROWS = {"id": list(range(len(PAGES))), "url": [page.url for page in PAGES], "html": [page.html for page in PAGES]}
TITLES = [scythe.read(page.html, page.url).title for page in PAGES]


def relation() -> Any:
    pages = pa.table(ROWS)  # noqa: F841 (named in the query)
    return duckdb.sql("SELECT * FROM pages ORDER BY id")


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pa.table(ROWS),
        lambda: pa.record_batch(ROWS),
        lambda: pa.table(ROWS).to_reader(),
        lambda: pd.DataFrame(ROWS),
        lambda: pl.DataFrame(ROWS),
        relation,
    ],
    ids=["table", "batch", "reader", "pandas", "polars", "duckdb"],
)
def test_every_frame_gives_its_rows_as_documents(frame: Any) -> None:
    assert [document.title for document in scythe.from_arrow(frame())] == TITLES


@pytest.mark.parametrize("take", [pl.from_arrow, lambda table: pl.from_pandas(table.to_pandas()), duckdb.from_arrow])
def test_every_tool_takes_the_tables(take: Any) -> None:
    documents = [scythe.read(page.html, page.url).detach() for page in PAGES]
    for name in ("documents", "images", "records"):
        table = scythe.to_arrow(documents, name)
        taken = take(table)
        assert pa.table(taken).num_rows == table.num_rows > 0
    assert scythe.to_arrow(documents).column("title").to_pylist() == TITLES


def test_parquet_files_and_folders_are_read_a_few_rows_at_a_time(tmp_path: Path) -> None:
    for number in (1, 2):
        pyarrow.parquet.write_table(pa.table(ROWS), tmp_path / f"{number}.parquet")
    documents = scythe.from_arrow(tmp_path)
    assert next(documents).title == TITLES[0]
    assert len([*documents]) == 2 * len(PAGES) - 1
    assert [document.title for document in scythe.from_arrow(str(tmp_path / "2.parquet"))] == TITLES


def test_rows_that_are_no_pages_give_documents_that_say_why() -> None:
    bad = b"\xff\xfe\x00broken"
    invalid = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, 9], pa.int32()).buffers()[1], pa.py_buffer(bad)]
    )
    odd = pa.concat_arrays([pa.array([None, "", '{"json": 1}', PAGES[0].html.decode()]), invalid])
    table = pa.table({"page": odd, "at": [None, "no address", "http://[", PAGES[0].url, PAGES[0].url]})
    documents = [*scythe.from_arrow(table, html="page", url="at")]
    assert [bool(document.text) for document in documents] == [False, False, False, True, True]
    assert documents[0].why == "no page in this row"
    assert all(document.why for document in documents if not document.text)
    assert documents[3].title == TITLES[0]


def test_texts_that_are_kept_once_are_read_like_any_other() -> None:
    table = pa.table({"html": pa.array(["<p>Rye grows here.", None, "<p>Rye grows here."]).dictionary_encode()})
    assert [document.text for document in scythe.from_arrow(table, url=None)] == [
        "Rye grows here.",
        "",
        "Rye grows here.",
    ]


def test_a_site_or_what_knows_sites_extracts_the_rows() -> None:
    news = [page for page in PAGES if page.kind == "news"]
    site = scythe.Site.learn([(page.url, page.html) for page in news])
    table = pa.table({"url": [page.url for page in news] * 2, "html": [*(page.html for page in news)] * 2})
    learned = [*scythe.from_arrow(table, site=site)]
    assert [document.fields["title"].values[0] for document in learned] == [page.gold_title for page in news] * 2
    asked: list[str] = []
    some = [
        *scythe.from_arrow(table.slice(0, 2), site=lambda url: asked.append(url) or (site if len(asked) > 1 else None))
    ]
    assert [bool(document.fields) for document in some] == [False, True]
    assert asked == [page.url for page in news[:2]]


def test_the_header_of_a_page_decides_its_encoding() -> None:
    body = "<title>Getreide</title><p>Über die Ähren wächst Gras, sagen die Bauern im Süden.".encode("latin-1") * 3
    table = pa.table({"html": [body], "type": ["text/html; charset=iso-8859-1"]})
    (document,) = scythe.from_arrow(table, url=None, content_type="type")
    assert "Ähren" in document.text


def test_a_stream_takes_documents_as_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder_module, "FULL_ROWS", 2)
    seen = []

    def documents() -> Iterator[scythe.Document]:
        for number in range(9):
            seen.append(number)
            yield scythe.Document(title=str(number), text="x")

    reader = scythe.stream_arrow(documents(), parts=("text",))
    assert seen == []
    assert reader.read_next_batch().column("title").to_pylist() == ["0", "1"]
    assert len(seen) == 2
    assert sum(batch.num_rows for batch in reader) == 7


def test_no_documents_give_an_empty_table_with_all_columns() -> None:
    table = scythe.to_arrow([], "records")
    assert (table.num_rows, table.schema.names[:2]) == (0, ["page", "list"])


@pytest.mark.parametrize(
    ("source", "named", "says"),
    [
        (pa.table({"url": ["x"]}), {}, "no column 'html'"),
        (pa.table({"html": ["x"]}), {}, "no column 'url'"),
        (pa.table({"html": [1]}), {"url": None}, "not text or bytes"),
        (pa.table({"html": [["x"]]}), {"url": None}, "not text or bytes"),
        (pl.LazyFrame(ROWS), {}, "collect"),
        ([1], {}, "not list"),
        ("missing.parquet", {}, "not a Parquet file"),
    ],
)
def test_what_is_no_table_of_pages_is_told_at_once(source: Any, named: dict[str, Any], says: str) -> None:
    with pytest.raises(scythe.BadInput, match=says):
        scythe.from_arrow(source, **named)


def test_a_folder_without_parquet_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(scythe.BadInput, match=r"no \.parquet file"):
        scythe.from_arrow(tmp_path)


@pytest.mark.parametrize("wrong", [scythe.Document(), ["text"]])
def test_only_documents_become_tables(wrong: Any) -> None:
    with pytest.raises(scythe.BadInput):
        scythe.to_arrow(wrong)
