"""Exports of an archive: every format holds what the archive holds, harmless, whole and under safe names."""

import csv
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.archive.visiting import HOST, NOW, SITE, begin, done, later, prose, region

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.archive.stored_sites import find_site
from scythe.crawl_model import Extracted, FoundUrl, Raw
from scythe.errors import BadInput
from scythe.output import archive_export
from scythe.output.archive_export import count_wanted, export_archive, plan_export
from scythe.output.rows import Columns, row_writer
from scythe.output.warc import verify_warc
from scythe.url import Url

RAW = Raw(200, (("Content-Type", "text/html"),), b"<p>as it came</p>")
IMAGES = [
    {"src": "http://site.example/cart.jpg", "alt": "=1+1", "relevant": True, "score": 0.9, "width": 800, "height": 600},
    {"src": "http://site.example/logo.png", "score": 0.1},
]
REST = {
    "metadata": {"author": "Ada \ud800Byron", "description": "On rye", "keywords": ["rye"]},
    "images": IMAGES,
    "attributes": [["Price", "$3"], ["+Tax", "1"]],
    "how": {"text": "cut: marker"},
}
PAGE = Extracted(
    title="=HYPERLINK(1)",
    text="First *line* of\nthe # text.\n- and a list",
    rest=json.dumps(REST),
    kind="article",
    language="en",
    published="2026-05-01",
    how="cut",
    lists=(region(("1", "Rake", "-3"), ("2", "@hoe", "5"), columns=("name", "page")),),
)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with filled(tmp_path / "archive.db") as opened:
        yield opened


@contextmanager
def filled(where: Path | str) -> Iterator[Archive]:
    with open_archive(where) as opened:
        _, tasks = begin(opened, "rye", "oats", "copy")
        oats = Extracted(title="Oats", text=prose("oats"), markdown="# Oats\n\n*Fine*.", html="<h1>Oats</h1>")
        copy = replace(oats, title="Copy")
        outcomes = [done(tasks[0], extracted=PAGE, raw=RAW), done(tasks[1], extracted=oats, raw=RAW, at=later(60))]
        store_outcomes(opened, [*outcomes, done(tasks[2], extracted=copy, raw=RAW, at=later(120))])
        yield opened


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_json_lines_hold_everything(archive: Archive, tmp_path: Path) -> None:
    exported = export_archive(archive, tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (exported.what, exported.count, len(lines)) == ("pages", 3, 3)
    rye, oats, copy = lines
    assert list(rye)[:3] == ["url", "title", "text"]
    assert (rye["url"], rye["title"], rye["text"]) == (f"{SITE}rye", PAGE.title, PAGE.text)
    assert (rye["markdown"], oats["markdown"], oats["html"]) == (None, "# Oats\n\n*Fine*.", "<h1>Oats</h1>")
    assert rye["images"][0]["alt"] == "=1+1"
    assert rye["attributes"] == [["Price", "$3"], ["+Tax", "1"]]
    assert rye["metadata"]["description"] == "On rye"
    assert [record["fields"] for record in rye["lists"][0]["records"]] == [["Rake", "-3"], ["@hoe", "5"]]
    assert (rye["via"], rye["how"], rye["status"], rye["site"]) == ("cut", {"text": "cut: marker"}, 200, HOST)
    assert (rye["fetched_at"], rye["duplicate_of"], rye["versions"]) == ("2026-05-04T12:00:00.000Z", None, 1)
    assert copy["duplicate_of"] == f"{SITE}oats"


def test_both_databases_give_the_same_files(postgres_url: str, archive: Archive, tmp_path: Path) -> None:
    with filled(postgres_url) as other:
        for what in ("pages", "records", "images"):
            for name in ("out.jsonl", "out.csv"):
                export_archive(archive, plan_export(tmp_path / name, what=what))
                export_archive(other, plan_export(tmp_path / f"other-{name}", what=what))
                assert (tmp_path / name).read_bytes() == (tmp_path / f"other-{name}").read_bytes()


def test_cells_of_csv_are_no_formulas(archive: Archive, tmp_path: Path) -> None:
    export_archive(archive, tmp_path / "out.csv")
    rye, oats, _ = rows_of(tmp_path / "out.csv")
    assert rye["title"] == "'=HYPERLINK(1)"
    assert (rye["author"], rye["images"], rye["records"]) == ("Ada ?Byron", "http://site.example/cart.jpg", "2")
    assert rye["attributes"] == "Price: $3\n+Tax: 1"
    assert (oats["text"], oats["fetched_at"], oats["is_complete"]) == (
        prose("oats"),
        "2026-05-04T12:01:00.000Z",
        "true",
    )


def test_parquet_holds_pages_with_types(archive: Archive, tmp_path: Path) -> None:
    export_archive(archive, tmp_path / "out.parquet")
    rye, oats, _ = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert (rye["url"], rye["author"], rye["kind"]) == (f"{SITE}rye", "Ada ?Byron", None)
    assert (rye["fetched_at"], oats["fetched_at"]) == (NOW, later(60))
    assert rye["images"][0] == {**IMAGES[0], "caption": ""}
    assert rye["lists"][0]["columns"] == ["name", "page"]
    assert rye["lists"][0]["records"][1] == {"fields": ["@hoe", "5"], "links": [f"{SITE}2"], "images": []}
    assert rye["attributes"][0] == {"name": "Price", "value": "$3"}
    assert (oats["markdown"], oats["via"], oats["versions"]) == ("# Oats\n\n*Fine*.", "cold", 1)


TAUGHT = {
    "fields": {
        "title": {"span": [1, 2]},
        "weight": {"values": ["520 g"]},
        "features": {"values": ["=1", "b"]},
        "kind": {"values": ["blade"]},
    }
}


@contextmanager
def taught(where: Path) -> Iterator[Archive]:
    """Two pages with fields by example beside one without."""
    with open_archive(where) as opened:
        _, tasks = begin(opened, "blade", "rake", "about")
        blade = Extracted(title="Blade", text=prose("blade"), rest=json.dumps(TAUGHT))
        rake = Extracted(title="Rake", text=prose("rake"), rest=json.dumps({"fields": {"price": {"values": ["5"]}}}))
        about = Extracted(title="About", text=prose("about"))
        pages = [done(task, extracted=one) for task, one in zip(tasks, (blade, rake, about), strict=True)]
        store_outcomes(opened, pages)
        yield opened


def test_fields_by_example_are_columns_of_csv_behind_the_others_by_name(tmp_path: Path) -> None:
    with taught(tmp_path / "a.db") as archive:
        export_archive(archive, tmp_path / "out.csv")
        export_archive(archive, plan_export(tmp_path / "rake.csv"), PageQuery(matches=("*rake",)))
    blade, rake, about = rows_of(tmp_path / "out.csv")
    assert list(blade)[-5:] == ["is_complete", "features", "kind_2", "price", "weight"]
    assert (blade["features"], blade["kind_2"], blade["price"], blade["weight"]) == ("'=1\nb", "blade", "", "520 g")
    assert [rake[name] for name in ("features", "kind_2", "price", "weight")] == ["", "", "5", ""]
    assert not any(about[name] for name in ("features", "kind_2", "price", "weight"))
    assert list(rows_of(tmp_path / "rake.csv")[0])[-2:] == ["is_complete", "price"]


def test_fields_beyond_the_bound_share_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_export, "_FIELD_COLUMNS", 2)
    with taught(tmp_path / "a.db") as archive:
        export_archive(archive, tmp_path / "out.csv")
    blade, rake, _ = rows_of(tmp_path / "out.csv")
    assert list(blade)[-3:] == ["features", "kind_2", "other"]
    assert (json.loads(blade["other"]), json.loads(rake["other"])) == ({"weight": ["520 g"]}, {"price": ["5"]})


def test_fields_by_example_are_pairs_in_parquet(tmp_path: Path) -> None:
    with taught(tmp_path / "a.db") as archive:
        export_archive(archive, tmp_path / "out.parquet")
    blade, _, about = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    untyped = {"type": None, "typed": [], "numbers": []}
    values = {"weight": ["520 g"], "features": ["=1", "b"], "kind": ["blade"]}
    assert blade["fields"] == [{"name": name, "values": all_of, **untyped} for name, all_of in values.items()]
    assert about["fields"] == []


@pytest.mark.parametrize("kind", ["csv", "parquet", "sqlite"])
def test_records_are_a_table_of_their_own(archive: Archive, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"goods.{kind}"
    assert export_archive(archive, plan_export(path, what="records")).count == 2
    readers = {"csv": rows_of, "parquet": lambda path: pyarrow.parquet.read_table(path).to_pylist(), "sqlite": rows_in}
    rows = readers[kind](path)
    assert list(rows[0]) == [
        "page", "kind", "name", "page_2", "link", "image", "first_seen", "last_seen", "sightings", "site"
    ]  # fmt: skip
    assert [row["name"] for row in rows] == (["Rake", "'@hoe"] if kind == "csv" else ["Rake", "@hoe"])
    assert [row["link"] for row in rows] == [f"{SITE}1", f"{SITE}2"]


def rows_in(path: Path) -> list[dict[str, object]]:
    with closing(sqlite3.connect(path)) as base:
        base.row_factory = sqlite3.Row
        return [dict(row) for row in base.execute("SELECT * FROM rows")]


def test_a_table_in_sqlite_has_numbers_and_nulls_and_columns_of_any_name(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "out.sqlite"
    export_archive(archive, plan_export(path, what="images"))
    first, second = rows_in(path)
    assert (first["width"], first["relevant"], first["score"], first["caption"]) == (800, 1, 0.9, None)
    assert (second["width"], second["relevant"], second["alt"]) == (None, 0, None)
    with path.open("wb") as file:
        rows = row_writer("sqlite", file, Columns(lead=("page",)))
        rows.put({"page": "a", "Price": 1.5, "price": "€ 1.50", 'odd"; DROP TABLE rows; --': "\ud800", "n\0ul": [1, 2]})
        rows.put({"page": "b", "later": True})
        rows.close()
    assert rows_in(path) == [
        {
            "page": "a",
            "Price": 1.5,
            "price_2": "€ 1.50",
            'odd"; DROP TABLE rows; --': "?",
            "nul": "[1, 2]",
            "later": None,
        },
        {"page": "b", "Price": None, "price_2": None, 'odd"; DROP TABLE rows; --': None, "nul": None, "later": 1},
    ]


def test_a_table_in_sqlite_takes_odd_rows_and_says_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with path.open("wb") as file:
        rows = row_writer("sqlite", file, Columns(lead=("a",)))
        rows.put({"a": 1 << 70, "A\0": 2})
        rows.put({})
        rows.close()
    assert rows_in(path) == [{"a": str(1 << 70), "A_2": 2}]
    with path.open("wb") as file:
        rows = row_writer("sqlite", file, Columns())
        rows.put({f"column {n}": n for n in range(2_000)})
        with pytest.raises(BadInput, match="at most 2000 columns"):
            rows.put({"one more": 1})
        rows.close()
    assert len(rows_in(path)[0]) == 2_000


def test_lines_of_records_and_images(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    export_archive(archive, plan_export(path, what="records"))
    first = json.loads(path.read_text().splitlines()[0])
    assert first["fields"] == {"name": "Rake", "page": "-3"}
    assert (first["links"], first["sightings"], first["first_seen"]) == ([f"{SITE}1"], 1, "2026-05-04T12:00:00.000Z")
    assert export_archive(archive, plan_export(path, what="images")).count == 2
    assert json.loads(path.read_text().splitlines()[0]) == {
        "page": f"{SITE}rye", "src": IMAGES[0]["src"], "relevant": True, "score": 0.9, "alt": "=1+1", "caption": "",
        "width": 800, "height": 600,
    }  # fmt: skip
    export_archive(archive, plan_export(tmp_path / "out.csv", what="images"))
    assert rows_of(tmp_path / "out.csv")[1] == {
        "page": f"{SITE}rye", "src": IMAGES[1]["src"], "relevant": "false", "score": "0.1", "alt": "", "caption": "",
        "width": "", "height": "",
    }  # fmt: skip


def test_more_columns_of_records_than_a_table_takes_are_kept_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_export, "_RECORD_COLUMNS", 4)
    with open_archive(tmp_path / "archive.db") as archive:
        _, tasks = begin(archive, "0", "1", "2")
        lists = [region((f"{n}", f"v{n}", f"w{n}"), columns=(f"c{n}", f"d{n}")) for n in range(3)]
        done_with = [done(task, extracted=Extracted(text=task.url, lists=(lists[n],))) for n, task in enumerate(tasks)]
        store_outcomes(archive, done_with)
        export_archive(archive, plan_export(tmp_path / "out.csv", what="records"))
    rows = rows_of(tmp_path / "out.csv")
    assert len(rows[0]) == 2 + 4 + 7
    assert (rows[1]["d1"], rows[1]["other"]) == ("w1", "")
    assert json.loads(rows[2]["other"]) == {"c2": "v2", "d2": "w2"}


def test_a_folder_has_one_file_per_page(archive: Archive, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    assert export_archive(archive, f"{folder}/").count == 3
    rye, oats = sorted(folder.glob("=*.md"))[0], next(folder.glob("Oats*.md"))
    head, body = rye.read_text(encoding="utf-8").removeprefix("---\n").split("---\n\n")
    front = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in head.splitlines())}
    assert (front["url"], front["title"], front["date"]) == (f"{SITE}rye", "=HYPERLINK(1)", "2026-05-01")
    assert body == "# =HYPERLINK(1)\n\nFirst \\*line\\* of\n\nthe # text.\n\n\\- and a list\n"
    assert oats.read_text(encoding="utf-8").endswith("---\n\n# Oats\n\n*Fine*.\n")
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    export_archive(archive, folder)
    assert {path.name for path in folder.iterdir()} == {path.name for path in before}, "a page keeps its name"


def test_folders_of_text_and_html(archive: Archive, tmp_path: Path) -> None:
    export_archive(archive, plan_export(tmp_path / "texts", "txt"))
    assert next((tmp_path / "texts").glob("=*.txt")).read_text(encoding="utf-8") == f"{PAGE.text}\n"
    export_archive(archive, plan_export(tmp_path / "pages", "html"))
    html = next((tmp_path / "pages").glob("=*.html")).read_text(encoding="utf-8")
    assert "<p>First *line* of</p>" in html
    assert "<h1>Oats</h1>" in next((tmp_path / "pages").glob("Oats*.html")).read_text(encoding="utf-8")


def test_one_file_of_text_tells_pages_apart(archive: Archive, tmp_path: Path) -> None:
    export_archive(archive, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith(f"==> {SITE}rye <==\n{PAGE.text}\n\n==> ")


def test_hostile_titles_and_addresses_stay_in_the_folder(tmp_path: Path) -> None:
    titles = [
        "../../etc/passwd",
        "CON",
        "a" * 5_000,
        "x\u202egnp",
        "",
        "..",
        "Same",
        "same",
        "Same",
        "a/b\\c:d\nurl: evil",
    ]
    with open_archive(tmp_path / "archive.db") as archive:
        _, tasks = begin(archive, *(f"../{number}/%00" for number in range(len(titles))))
        store_outcomes(
            archive,
            [
                done(task, extracted=Extracted(title=title, text=f"{prose(task.url)}\n---\nurl: evil"))
                for task, title in zip(tasks, titles, strict=True)
            ],
        )
        folder = tmp_path / "out"
        export_archive(archive, folder)
    names = [path.name for path in folder.iterdir()]
    assert len({name.casefold() for name in names}) == len(titles)
    assert {path.name for path in tmp_path.iterdir()} <= {"out", "archive.db", "archive.db-wal", "archive.db-shm"}
    for path in folder.iterdir():
        head = path.read_text(encoding="utf-8").removeprefix("---\n").partition("---\n")[0]
        assert [line.partition(":")[0] for line in head.splitlines()].count("url") == 1
        assert len(path.name.encode()) < 200


def test_a_warc_file_holds_the_responses(archive: Archive, tmp_path: Path) -> None:
    exported = export_archive(archive, tmp_path / "out.warc.gz")
    assert (exported.what, exported.count) == ("responses", 3)
    checked = verify_warc(tmp_path / "out.warc.gz")
    assert (checked.records, checked.complaints) == (5, ())


def test_without_kept_responses_there_is_no_warc(tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive.db") as archive:
        _, (task,) = begin(archive, "a")
        store_outcomes(archive, [done(task)])
        with pytest.raises(BadInput, match=r"no responses were kept.*--no-raw"):
            export_archive(archive, tmp_path / "out.warc.gz")
        assert not (tmp_path / "out.warc.gz").exists()


def test_what_is_wanted_is_what_is_written(archive: Archive, tmp_path: Path) -> None:
    def count(**wanted: object) -> int:
        return export_archive(archive, tmp_path / "out.jsonl", PageQuery(**wanted)).count  # type: ignore[arg-type]

    assert count(kinds=("article",)) == 1
    assert count(since=later(1)) == 2
    assert count(duplicates=False) == 2
    assert count(matches=("*/nothing",)) == 0
    assert (tmp_path / "out.jsonl").read_bytes() == b""
    with pytest.raises(BadInput, match=r"none\.example: no such site in .*; it has site\.example"):
        count(sites=("none.example",))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl", "out.sqlite"])
def test_an_archive_without_pages_makes_an_empty_table(tmp_path: Path, name: str) -> None:
    with open_archive(tmp_path / "archive.db") as archive:
        for what in ("pages", "records", "images"):
            assert export_archive(archive, plan_export(tmp_path / name, what=what)).count == 0
    if name.endswith("parquet"):
        assert pyarrow.parquet.read_table(tmp_path / name).num_rows == 0
    elif name.endswith("sqlite"):
        assert rows_in(tmp_path / name) == []
    else:
        assert len((tmp_path / name).read_text().splitlines()) == name.endswith("csv")


def test_progress_is_told_and_known_beforehand(archive: Archive, tmp_path: Path) -> None:
    told: list[int] = []
    plan = plan_export(tmp_path / "out.jsonl")
    export_archive(archive, plan, tell=told.append)
    assert told == [1, 2, 3]
    assert count_wanted(archive, plan, PageQuery()) == 3
    assert count_wanted(archive, replace(plan, what="records"), PageQuery()) == 2
    assert count_wanted(archive, replace(plan, what="images"), PageQuery()) is None
    assert count_wanted(archive, plan_export(tmp_path / "out.warc"), PageQuery()) == 3


@pytest.mark.parametrize(
    ("output", "kind", "what", "message"),
    [
        ("out.xyz", None, "pages", "suffix names no format"),
        ("out.md", None, "pages", "one file per page"),
        ("out", "csv", "nothing", "nothing cannot be exported"),
        ("out", "json", "pages", "json is not an export format"),
        ("out.warc.gz", None, "records", "records go to csv, jsonl, parquet"),
        (None, "parquet", "pages", "not to standard output"),
        ("-", "md", "pages", "not to standard output"),
    ],
)
def test_what_does_not_fit_together_is_said_at_once(output: str | None, kind: str, what: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        plan_export(output, kind, what)


def test_a_table_does_not_go_to_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="this is a folder"):
        plan_export(tmp_path, "csv")


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out.warc.gz"])
def test_a_file_that_cannot_be_written_leaves_the_old_one(archive: Archive, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    path = folder / name
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    noise = random.Random(1).randbytes(200_000)
    big = Extracted(title="big", text=noise.hex())
    site = find_site(archive, HOST)
    assert site is not None
    add_urls(archive, site, [FoundUrl(Url(f"{SITE}big"), HOST)])
    much = replace(RAW, body=noise)
    store_outcomes(
        archive, [done(task, extracted=big, raw=much) for task in next_tasks(archive, site, HOST, 9, now=later(9))]
    )
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        with pytest.raises(OSError, match="File too large"):
            export_archive(archive, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [(name, "old")]


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet", "out.warc.gz"])
def test_an_export_that_is_interrupted_leaves_nothing(archive: Archive, tmp_path: Path, name: str) -> None:
    def interrupt(number: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    (tmp_path / "files").mkdir()
    with pytest.raises(KeyboardInterrupt):
        export_archive(archive, tmp_path / "files" / name, tell=interrupt)
    assert list((tmp_path / "files").iterdir()) == []


def test_what_is_no_file_is_written_to_and_not_replaced(archive: Archive, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "real.jsonl")
    export_archive(archive, link)
    assert link.is_symlink()
    assert len((tmp_path / "real.jsonl").read_text().splitlines()) == 3
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    export_archive(archive, pipe)
    out, _ = reader.communicate(timeout=10)
    assert out.startswith(b"url,title,")
    assert pipe.is_fifo()


@pytest.mark.fault
@pytest.mark.slow
def test_an_export_killed_on_the_way_leaves_nothing_under_its_name(tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive.db") as archive:
        _, tasks = begin(archive, *(f"{number}" for number in range(300)))
        store_outcomes(
            archive, [done(task, extracted=Extracted(text=prose(task.url, 20_000)), raw=RAW) for task in tasks]
        )
    code = (
        "import sys, time; from scythe.archive.open import open_archive;"
        "from scythe.output.archive_export import export_archive;"
        "tell = lambda n: (print(n, flush=True), time.sleep(60)) if n == 150 else None;"
        "export_archive(open_archive(sys.argv[1]), sys.argv[2], tell=tell)"
    )
    for name in ("out.jsonl", "out.parquet", "out.warc.gz"):
        command = [sys.executable, "-c", code, tmp_path / "archive.db", tmp_path / "out" / name]
        (tmp_path / "out").mkdir(exist_ok=True)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "150\n"
            process.kill()
        assert not (tmp_path / "out" / name).exists()


def test_a_parquet_file_is_written_in_groups_of_rows(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_archive(archive, tmp_path / "whole.parquet")
    monkeypatch.setattr("scythe.output.rows._GROUP_ROWS", 1)
    export_archive(archive, tmp_path / "groups.parquet")
    whole, groups = (pyarrow.parquet.ParquetFile(tmp_path / name) for name in ("whole.parquet", "groups.parquet"))
    assert groups.read().equals(whole.read())
    assert whole.num_row_groups == 1 < groups.num_row_groups == whole.metadata.num_rows
