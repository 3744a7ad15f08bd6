"""Units: a stretch of a file becomes tables and exact counts, the same ones whoever extracts it and when."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.batch.warcs import DATE, http, page, record, tale, tales, write

from scythe.batch import extract_unit as extracting
from scythe.batch.batch_options import BatchOptions
from scythe.batch.extract_unit import extract_unit
from scythe.batch.local_engine import run_units
from scythe.batch.units import Unit, plan_units
from scythe.errors import BadInput
from scythe.site.profile_folder import ProfileFolder
from scythe.site.site import Site

COLD = BatchOptions(learn=False)


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a profile of the invented site."""
    folder = tmp_path_factory.mktemp("profiles")
    ProfileFolder(folder).put("mill.example", Site.learn(tales(1, 10)))
    return str(folder)


def unit_of(path: Path, *records: bytes) -> Unit:
    return plan_units([str(write(path, records))])[0]


def rows(out: Path, table: str = "documents") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(out / table).to_pylist()
    return found


def test_counts_are_exact(tmp_path: Path, profiles: str) -> None:
    unit = unit_of(
        tmp_path / "a.warc.gz",
        record("https://mill.example/", b"GET / HTTP/1.1\r\n\r\n", kind="request"),
        *(page(number) for number in range(20, 40)),
        page(1, "other.example"),
        record("https://mill.example/x.png", http(b"\x89PNG\r\n\x1a\n", kind="image/png")),
        record("https://mill.example/y.png", http(b"\x89PNG\r\n\x1a\n", kind="image/png")),
        record("https://mill.example/bad", b"no response"),
        record("https://mill.example/", b"x", kind="revisit"),
    )
    report = extract_unit(unit, tmp_path / "out", BatchOptions(parts=("text", "images"), profiles=profiles))
    assert (report.responses, report.documents, report.failed) == (24, 21, 1)
    assert report.skipped == {"not HTML: image/png": 2}
    assert report.others == {"request": 1, "revisit": 1}
    assert report.how == {"cut": 20, "cold": 1}
    assert (report.documents, report.images) == (len(rows(tmp_path / "out")), len(rows(tmp_path / "out", "images")))
    assert [failure.why for failure in report.failures] == ["no HTTP response"]
    assert report.profiles.keys() == {"mill.example", "other.example"}
    assert report.body_bytes == sum(len(tale(number).encode()) for number in [*range(20, 40), 1])


def test_a_row_says_what_a_page_has_and_where_it_comes_from(tmp_path: Path, profiles: str) -> None:
    unit = unit_of(tmp_path / "a.warc.gz", page(33), page(34))
    extract_unit(unit, tmp_path / "out", BatchOptions(profiles=profiles))
    row = rows(tmp_path / "out")[1]
    assert row["url"] == "https://mill.example/tales/34.html"
    assert row["title"] == "Tale 34 of the mill"
    assert "In the year 34" in row["text"]
    assert (row["site"], row["status"], row["via"], row["file"]) == ("mill.example", 200, "cut", unit.path)
    assert row["fetched_at"].strftime("%Y-%m-%dT%H:%M:%SZ") == DATE
    assert Path(unit.path).read_bytes()[row["offset"] :][:2] == b"\x1f\x8b"
    images = [image for image in rows(tmp_path / "out", "images") if image["page"] == row["url"] and image["relevant"]]
    assert [image["src"] for image in images][:1] == ["https://mill.example/plates/34.jpg"]
    assert images[0]["offset"] == row["offset"]


def test_what_is_not_asked_for_is_not_written(tmp_path: Path) -> None:
    unit = unit_of(tmp_path / "a.warc.gz", page(1))
    report = extract_unit(unit, tmp_path / "out", replace(COLD, parts=("text", "markdown")))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["_done", "documents"]
    assert rows(tmp_path / "out")[0]["markdown"].count("In the year 1 the") == 6
    assert set(report.files) == {f"documents/{unit.name}.parquet"}


def test_rows_depend_on_nothing_but_input_options_and_profiles(tmp_path: Path, profiles: str) -> None:
    records = [page(number, host) for number in range(30, 50) for host in ("mill.example", "other.example")]
    unit = unit_of(tmp_path / "a.warc.gz", *records)
    options = BatchOptions(profiles=profiles)
    first, second = tmp_path / "first", tmp_path / "second"
    extract_unit(unit, first, options)
    extract_unit(unit_of(tmp_path / "b.warc.gz", page(3)), second, options)  # another unit before
    extract_unit(unit, second, options)
    for table in ("documents", "images"):
        name = f"{table}/{unit.name}.parquet"
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_a_unit_is_done_once(tmp_path: Path, profiles: str) -> None:
    unit, out = unit_of(tmp_path / "a.warc.gz", page(30)), tmp_path / "out"
    options = BatchOptions(profiles=profiles)
    report = extract_unit(unit, out, options)
    again = extract_unit(unit, out, replace(options, processes=3))  # which changes no row
    assert again == replace(report, resumed=True)


@pytest.mark.parametrize("change", ["input", "options", "profile", "table", "manifest", "version"])
def test_a_unit_is_done_again_where_something_changed(tmp_path: Path, profiles: str, change: str) -> None:
    unit, out = unit_of(tmp_path / "a.warc.gz", page(30)), tmp_path / "out"
    folder = tmp_path / "profiles"
    options = BatchOptions(profiles=str(folder))
    report = extract_unit(unit, out, options)
    manifest = out / "_done" / f"{unit.name}.json"
    if change == "input":
        os.utime(unit.path, ns=(1, 1))
    elif change == "options":
        options = replace(options, parts=("text",))
    elif change == "profile":
        ProfileFolder(folder).put("mill.example", Site.load(next(Path(profiles).glob("*.json"))))
    elif change == "table":
        (out / next(iter(report.files))).unlink()
    elif change == "manifest":
        manifest.write_bytes(manifest.read_bytes()[:50])
    else:
        manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 99'))
    again = extract_unit(unit, out, options)
    assert not again.resumed
    assert len(rows(out)) == 1
    assert (out / "images").exists() is any((out / "images").glob("*")) or change == "options"


def test_what_is_written_anew_leaves_no_rows_of_before(tmp_path: Path) -> None:
    unit, out = unit_of(tmp_path / "a.warc.gz", page(30)), tmp_path / "out"
    extract_unit(unit, out, COLD)
    extract_unit(unit, out, replace(COLD, parts=("text",)))
    assert not list((out / "images").iterdir())


def test_a_unit_that_ends_early_leaves_nothing_behind(tmp_path: Path) -> None:
    unit, out = unit_of(tmp_path / "a.warc.gz", *(page(number) for number in range(5))), tmp_path / "out"

    def stop(number: int) -> None:
        if number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract_unit(unit, out, COLD, note=stop)
    assert not [path for path in out.rglob("*") if path.is_file()]


def test_text_of_any_page_can_be_stored(tmp_path: Path) -> None:
    halves = b'<script type="application/ld+json">{"@type": "Article", "headline": "\\ud800 half"}</script><p>'
    bodies = [
        halves + b"text " * 99,
        b"<p>" + bytes(range(256)) * 20,
        b"<title>\xff\xfe\xed\xa0\x80</title><p>" + b"word " * 99,
    ]
    unit = unit_of(
        tmp_path / "a.warc.gz",
        *(
            record(f"https://mill.example/{i}", http(body, kind="text/html; charset=utf-8"))
            for i, body in enumerate(bodies)
        ),
    )
    assert extract_unit(unit, tmp_path / "out", COLD).documents == 3


def test_a_header_says_what_a_page_is_written_in(tmp_path: Path, profiles: str) -> None:
    body = tale(44).replace("In the year", "Müller im Jahr").encode("latin-1")
    records = [
        record(f"https://{host}/a", http(body, kind="text/html; charset=iso-8859-1"))
        for host in ("mill.example", "o.example")
    ]
    extract_unit(unit_of(tmp_path / "a.warc.gz", *records), tmp_path / "out", BatchOptions(profiles=profiles))
    assert all("Müller im Jahr 44" in row["text"] for row in rows(tmp_path / "out"))


def test_failures_beyond_the_first_are_only_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "FAILURES", 2)
    bad = [record(f"https://mill.example/{number}", b"no response") for number in range(5)]
    report = extract_unit(unit_of(tmp_path / "a.warc.gz", *bad, page(1)), tmp_path / "out", COLD)
    assert (report.failed, len(report.failures), report.documents) == (5, 2, 1)


def test_rows_of_a_large_unit_are_written_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = unit_of(tmp_path / "a.warc.gz", *(page(number) for number in range(5)))
    options = replace(COLD, parts=("text",))
    extract_unit(unit, tmp_path / "once", options)
    monkeypatch.setattr("scythe.output.arrow_tables.FULL_ROWS", 2)
    extract_unit(unit, tmp_path / "often", options)
    assert rows(tmp_path / "often") == rows(tmp_path / "once")
    path = next((tmp_path / "often" / "documents").iterdir())
    assert [pq.ParquetFile(path).metadata.row_group(number).num_rows for number in range(3)] == [2, 2, 1]


def test_sites_beyond_the_number_kept_are_cut_all_the_same(
    tmp_path: Path, profiles: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extracting, "_SITES", 1)
    records = [page(number, host) for number in (31, 32) for host in ("mill.example", "other.example")]
    options = BatchOptions(parts=("text",), profiles=profiles)
    report = extract_unit(unit_of(tmp_path / "a.warc.gz", *records), tmp_path / "out", options)
    assert report.how == {"cut": 2, "cold": 2}


@pytest.mark.fault
@pytest.mark.slow
def test_a_page_that_ends_its_process_costs_that_page_only(tmp_path: Path) -> None:
    huge = record(
        "https://mill.example/huge", http(b"<!doctype html><body>" + b"<p>The reapers cut the barley." * 250_000)
    )
    unit, out = unit_of(tmp_path / "a.warc.gz", page(1), huge, page(2)), tmp_path / "out"
    options = replace(COLD, memory_bytes=540_000_000, processes=1)
    (report,) = run_units([unit], out, options)
    assert [(failure.url, failure.why) for failure in report.failures] == [
        ("https://mill.example/huge", "took too much memory")
    ]
    assert [row["title"] for row in rows(out)] == ["Tale 1 of the mill", "Tale 2 of the mill"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"parts": ("words",)}, "words"),
        ({"engine": "steam"}, "steam"),
        ({"processes": 0}, "0"),
        ({"cpu_s": 0}, "cpu_s"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        BatchOptions(**given)
