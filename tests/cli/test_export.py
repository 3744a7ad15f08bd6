"""`scythe export` as a user runs it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.archive.visiting import SITE, begin, done, later, region
from tests.cli.conftest import Run, Terminal
from typer.testing import CliRunner

from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import PageQuery
from scythe.cli.export import _export
from scythe.cli.export import export as app
from scythe.crawl_model import Extracted, Raw
from scythe.errors import BadInput
from scythe.output.archive_export import plan_export, read_date


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An archive of three pages, one of them with a list, one with a bad title."""
    path = tmp_path / "site.db"
    raw = Raw(200, (("Content-Type", "text/html"),), b"<p>rye</p>")
    with open_archive(path) as archive:
        _, tasks = begin(archive, "rye", "news/oats", "hay")
        goods = region(("1", "Rake", "3"), ("2", "Hoe", "5"), columns=("name", "price"))
        pages = (
            Extracted(title="Rye", text="About rye.", kind="article", lists=(goods,)),
            Extracted(title="Oats", text="About oats."),
            Extracted(title="\x1b[31mHay\x07", text="=1+1"),
        )
        outcomes = [done(tasks[i], extracted=page, raw=raw, at=later(86_400 * i)) for i, page in enumerate(pages)]
        store_outcomes(archive, outcomes)
    return path


def test_lines_go_to_standard_output_without_a_word(scythe: Run, site: Path) -> None:
    done = scythe("export", "site.db")
    assert [json.loads(line)["title"] for line in done.stdout.splitlines()] == ["Rye", "Oats", "\x1b[31mHay\x07"]
    assert done.stderr == ""


def test_a_file_is_named_with_its_count(scythe: Run, site: Path, tmp_path: Path) -> None:
    done = scythe("export", "site.db", "-o", "out.csv")
    assert done.stderr == "3 pages written to out.csv\n"
    assert done.stdout == ""
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").count(",'=1+1,") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if "unfinished" in path.name) == []


@pytest.mark.parametrize(
    ("arguments", "titles"),
    [
        (("--match", "*/news/*"), ["Oats"]),
        (("--kind", "article"), ["Rye"]),
        (("--since", "2026-05-05", "--until", "2026-05-06"), ["Oats"]),
        (("--since", "2026-05-05T14:00:01+02:00"), ["\x1b[31mHay\x07"]),
        (("--site", "site.example", "--no-duplicates", "--all-versions"), ["Rye", "Oats", "\x1b[31mHay\x07"]),
    ],
)
def test_options_narrow_what_is_written(site: Path, arguments: tuple[str, ...], titles: list[str]) -> None:
    lines = CliRunner().invoke(app, [str(site), *arguments]).stdout.splitlines()
    assert [json.loads(line)["title"] for line in lines] == titles


def test_records_are_rows(site: Path) -> None:
    out = CliRunner().invoke(app, [str(site), "--what", "records", "-f", "csv"]).stdout.splitlines()
    assert out[0].startswith("page,kind,name,price,link,image,")
    assert out[1].startswith(f"{SITE}rye,list,Rake,3,{SITE}1,,")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_are_chosen_in_every_table(site: Path, tmp_path: Path, kind: str) -> None:
    chosen = ["--what", "records", "--columns", "price=Price,sightings,name"]
    CliRunner().invoke(app, [str(site), *chosen, "-o", str(tmp_path / f"out.{kind}")])
    if kind == "parquet":
        table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
        assert table.column_names == ["Price", "sightings", "name"]
        assert str(table.schema.field("sightings").type) == "int64"
        return
    first, second = (tmp_path / f"out.{kind}").read_text().splitlines()[:2]
    if kind == "csv":
        assert (first, second) == ("Price,sightings,name", "3,1,Rake")
    else:
        assert json.loads(first) == {"Price": "3", "sightings": 1, "name": "Rake"}


def test_folders_and_warc_files_are_written_and_checked(scythe: Run, site: Path, tmp_path: Path) -> None:
    assert scythe("export", "site.db", "-o", "notes/").stderr == "3 pages written to notes\n"
    assert len(list((tmp_path / "notes").glob("*.md"))) == 3
    assert scythe("export", "site.db", "-o", "out.warc.gz").stderr == "3 responses written to out.warc.gz\n"
    assert scythe("export", "--check", "out.warc.gz").stdout == "out.warc.gz: 5 whole records\n"
    assert CliRunner().invoke(app, ["--check", str(tmp_path / "out.warc.gz"), "--quiet"]).output == ""
    whole = (tmp_path / "out.warc.gz").read_bytes()
    (tmp_path / "out.warc.gz").write_bytes(whole[:-20])
    damaged = scythe("export", "--check", "out.warc.gz", check=1)
    assert "the record is cut off" in damaged.stderr
    assert "the end is missing" in damaged.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("missing.db",), 1, "there is no archive"),
        (("site.db", "-o", "out.xyz"), 2, "the suffix names no format"),
        (("site.db", "-f", "xml"), 2, "expected one of txt, md, html, csv, jsonl"),
        (("site.db", "--since", "yesterday"), 2, "write a date as 2026-11-15"),
        (("site.db", "--columns", "a,a", "-f", "csv"), 2, "name columns once each"),
        (("site.db", "--columns", "smell", "-f", "csv"), 2, "no column is called smell; there are url, title"),
        (("site.db", "--columns", "url", "-f", "txt"), 2, "columns are for csv, jsonl, parquet, sqlite, not txt"),
        (("site.db", "--site", "other.example"), 2, "it has site.example"),
        (("site.db", "-o", "none/out.csv"), 1, "cannot be written: No such file or directory"),
        (("note.txt",), 1, "note.txt"),
        (("--check", "missing.warc.gz"), 2, "no such file"),
        (("mysql://host/db",), 2, "postgresql://"),
        (("site.db", "--kind", "product", "--fail-on-empty"), 3, ""),
    ],
)
def test_mistakes_are_told_apart(
    site: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    message: str,
) -> None:
    (tmp_path / "note.txt").write_text("no archive " * 100)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code
    assert message in done.stderr
    assert done.stderr.count("\n") <= 1


def test_a_reader_that_leaves_early_is_no_error(site: Path, tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m scythe export site.db | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode in (0, 141)
    assert done.stderr == b""


def on_a_terminal(folder: Path, *arguments: str, stream: str) -> bytes:
    """Run the command with one of its streams on a terminal and return what is shown there."""
    leader, follower = pty.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: follower}
    done = subprocess.run([sys.executable, "-m", "scythe", "export", *arguments], cwd=folder, timeout=60, **streams)
    os.close(follower)
    shown = os.read(leader, 65_536)
    os.close(leader)
    assert done.returncode == 0
    return shown


@pytest.mark.fault
def test_who_looks_sees_how_far_it_is(site: Path, tmp_path: Path) -> None:
    shown = on_a_terminal(tmp_path, "site.db", "-o", "out.jsonl", stream="stderr")
    assert b"0/3" in shown
    assert shown.endswith(b"3 pages written to out.jsonl\r\n")


def test_the_bar_goes_on_with_what_is_written(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("scythe.cli.export._TOLD", 2)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    plan = plan_export(str(tmp_path / "out.jsonl"), None, "pages")
    done = _export(str(site), "", plan, PageQuery(), quiet=False)
    assert done.count == 3
    assert "2/3" in terminal.getvalue()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-15", "2026-11-15T00:00:00+00:00"),
        ("2026-11-15T12:30", "2026-11-15T12:30:00+00:00"),
        ("2026-11-15T12:30:00+02:00", "2026-11-15T10:30:00+00:00"),
    ],
)
def test_dates_are_in_utc_unless_they_say_otherwise(text: str, expected: str) -> None:
    moment = read_date(text, "--since")
    assert moment is not None
    assert moment.isoformat() == expected


@pytest.mark.parametrize("text", ["", "15.11.2026", "0001-01-01T00:00+14:00", "2026-13-01"])
def test_other_dates_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="write a date as"):
        read_date(text, "--since")
