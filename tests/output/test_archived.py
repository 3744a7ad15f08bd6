"""An archive is a table to other tools: what it holds streams out, from either database, a few rows at a time."""

from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from tests.archive.visiting import NOW
from tests.crawling.test_export import filled

import scythe
from scythe.archive.open import open_archive
from scythe.archive.stored_sites import site_rows


@pytest.fixture
def archive(where: str) -> str:
    with filled(where):
        pass
    return where


def test_documents_say_what_pages_say_and_what_the_archive_knows(archive: str) -> None:
    rows = scythe.scan_archive(archive).read_all().to_pylist()
    assert [row["title"] for row in rows] == ["=HYPERLINK(1)", "Oats", "Copy"]
    assert [row["via"] for row in rows] == ["cut", "cold", "cold"]
    assert rows[0]["author"] == "Ada ?Byron"
    assert (rows[0]["markdown"], rows[1]["markdown"]) == (None, "# Oats\n\n*Fine*.")
    assert rows[0]["attributes"] == [{"name": "Price", "value": "$3"}, {"name": "+Tax", "value": "1"}]
    assert (rows[0]["site"], rows[0]["status"], rows[0]["version"]) == ("site.example", 200, 1)
    assert rows[0]["fetched_at"] == NOW
    assert rows[2]["duplicate_of"] == rows[1]["url"]


def test_images_and_records_have_rows_of_their_own(archive: str) -> None:
    images = scythe.scan_archive(archive, "images").read_all().to_pylist()
    assert [(image["src"], image["relevant"]) for image in images] == [
        ("http://site.example/cart.jpg", True),
        ("http://site.example/logo.png", False),
    ]
    records = scythe.scan_archive(archive, "records").read_all().to_pylist()
    fields = [[(pair["name"], pair["value"]) for pair in record["fields"]] for record in records]
    assert fields == [[("name", "Rake"), ("page", "-3")], [("name", "@hoe"), ("page", "5")]]
    assert records[0]["sightings"] == 1


def test_moments_and_sites_narrow_it(archive: str) -> None:
    later = scythe.scan_archive(archive, since=NOW + timedelta(seconds=90)).read_all()
    assert later.column("title").to_pylist() == ["Copy"]
    naive: datetime = (NOW + timedelta(seconds=30)).replace(tzinfo=None)
    assert scythe.scan_archive(archive, sites=["site.example"], until=naive).read_all().num_rows == 1


def test_duckdb_and_polars_query_it(archive: str) -> None:
    pages = scythe.scan_archive(archive)  # noqa: F841 (named in the query)
    assert duckdb.sql("SELECT count(*) FROM pages WHERE duplicate_of IS NULL").fetchall() == [(2,)]
    frame = pl.from_arrow(scythe.scan_archive(archive, "records"))
    assert isinstance(frame, pl.DataFrame)
    assert frame.explode("fields").unnest("fields").filter(pl.col("value") == "Rake").height == 1


def test_an_open_archive_stays_open(tmp_path: Path) -> None:
    with filled(tmp_path / "a.db") as archive:
        assert scythe.scan_archive(archive).read_all().num_rows == 3
        assert len(site_rows(archive)) == 1


def test_a_reader_that_nobody_reads_leaves_nothing_open(tmp_path: Path) -> None:
    with filled(tmp_path / "a.db"):
        pass
    reader = scythe.scan_archive(tmp_path / "a.db")
    assert isinstance(reader, pa.RecordBatchReader)
    reader.close()
    with open_archive(tmp_path / "a.db") as again:
        assert len(site_rows(again)) == 1


def test_what_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with filled(tmp_path / "a.db"):
        pass
    with pytest.raises(scythe.BadInput, match="no such site"):
        scythe.scan_archive(tmp_path / "a.db", sites=["other.example"])
    with pytest.raises(scythe.BadInput, match="no table 'pages'"):
        scythe.scan_archive(tmp_path / "a.db", "pages")
    with pytest.raises(scythe.BadInput, match="list of keys"):
        scythe.scan_archive(tmp_path / "a.db", sites="site.example")
    with pytest.raises(scythe.ArchiveFailed):
        scythe.scan_archive(tmp_path / "none.db")
