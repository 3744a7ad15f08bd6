"""Batches: many files become tables and one report, also after a run was killed in the middle."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.batch.warcs import http, page, record, tale, write
from typer.testing import CliRunner, Result

import scythe
from scythe.batch.batch import Progress, _alone_in, _tidy
from scythe.batch.extract_unit import extract_unit
from scythe.batch.units import plan_units
from scythe.cli.main import app
from scythe.errors import BadInput

COMMAND = [sys.executable, "-m", "scythe", "batch"]
QUICK = scythe.BatchOptions(parts=("text",), learn=False, processes=1)


def rows(out: Path, table: str = "documents") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(out / table).to_pylist()
    return sorted(found, key=lambda row: (row["file"], row["offset"]))


def batch(*arguments: str) -> Result:
    """Run the command in this process; its workers are processes all the same."""
    return CliRunner().invoke(app, ["batch", *arguments])


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A folder with two files, of two sites with enough pages to be learned and one with too few."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    hosts = ["mill.example", "river.example"]
    records = [page(number, host) for number in range(20) for host in hosts] + [page(99, "small.example")]
    write(folder / "a.warc.gz", records[::2])
    write(folder / "b.warc.gz", [*records[1::2], record("https://mill.example/x", http(b"<p>", status="404 Gone"))])
    return folder


@pytest.mark.slow
def test_sites_are_learned_and_their_pages_cut(crawl: Path, tmp_path: Path) -> None:
    told: list[Progress] = []
    options = scythe.BatchOptions(parts=("text", "images"), processes=2)
    report = scythe.run_batch([str(crawl / "*.warc.gz")], tmp_path / "out", options, watch=told.append)
    assert report.learned is not None
    assert report.learned.learned == ("mill.example", "river.example")
    assert (report.total("responses"), report.total("documents")) == (42, 41)
    assert report.by_kind("how") == {"cut": 40, "cold": 1}
    assert report.cut_share() == 1.0
    assert [row["title"] for row in rows(tmp_path / "out")].count("Tale 7 of the mill") == 2
    assert [told[0].doing, told[-1].doing, told[-1].done] == ["learning", "extracting", 2]

    again = scythe.run_batch([str(crawl)], tmp_path / "out", options)
    assert all(unit.resumed for unit in again.units)
    assert again.total("documents") == 41


@pytest.mark.fault
@pytest.mark.slow
def test_a_killed_run_is_taken_up_and_gives_the_same_rows(tmp_path: Path) -> None:
    files = [
        str(write(tmp_path / f"{part}.warc.gz", [page(20 * part + number) for number in range(20)]))
        for part in range(4)
    ]
    arguments = [*files, "--no-learn", "--processes", "1", "--parts", "text,images", "--json"]
    with subprocess.Popen([*COMMAND, *arguments, "-o", str(tmp_path / "killed")], stdout=subprocess.DEVNULL) as run:
        wait_until(lambda: len(list((tmp_path / "killed" / "_done").glob("*.json"))) >= 1)
        run.kill()
    left = len(list((tmp_path / "killed" / "_done").glob("*.json")))
    taken_up = json.loads(batch(*arguments, "-o", str(tmp_path / "killed")).stdout)
    assert taken_up["resumed"] >= left >= 1  # the worker may have ended one more
    options = scythe.BatchOptions(parts=("text", "images"), learn=False)
    whole = [extract_unit(unit, tmp_path / "whole", options) for unit in plan_units(files)]
    assert taken_up["documents"] == sum(report.documents for report in whole) == 80
    for table in ("documents", "images"):
        assert rows(tmp_path / "killed", table) == rows(tmp_path / "whole", table)
    assert not list((tmp_path / "killed").rglob(".*.unfinished"))


def wait_until(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.mark.fault
@pytest.mark.slow
def test_ctrl_c_ends_a_run_and_its_workers(tmp_path: Path) -> None:
    files = [str(write(tmp_path / f"{part}.warc.gz", [page(number) for number in range(40)])) for part in range(6)]
    command = [*COMMAND, *files, "-o", str(tmp_path / "out"), "--no-learn", "--processes", "1", "--parts", "text"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        wait_until(lambda: list((tmp_path / "out" / "_done").glob("*.json")))
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=60)[1]
    assert (run.returncode, said) == (130, "scythe: interrupted\n")
    assert not list((tmp_path / "out").rglob(".*.unfinished"))


def test_a_file_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    good = write(tmp_path / "good.warc.gz", [page(1)])
    gone = write(tmp_path / "gone.warc.gz", [page(2)])
    out = tmp_path / "out"

    def remove(now: Progress) -> None:
        gone.unlink(missing_ok=True)

    report = scythe.run_batch([str(good), str(gone)], out, QUICK, watch=remove)
    assert report.total("documents") + len(report.broken) == 2
    assert len(rows(out)) == report.total("documents")


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", [page(1)])
    (tmp_path / "out" / "_done").mkdir(parents=True)
    with _alone_in(tmp_path / "out"), pytest.raises(BadInput, match="another batch"):
        scythe.run_batch([str(path)], tmp_path / "out", QUICK)


def test_rows_of_parts_that_are_no_more_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scythe.batch.units._LEAST_BYTES", 2_000)
    path = write(tmp_path / "a.warc.gz", [page(number) for number in range(30)])
    out = tmp_path / "out"
    before = plan_units([str(path)])
    for unit in before:
        extract_unit(unit, out, QUICK)
    write(path, [page(number) for number in range(3)])
    now = plan_units([str(path)])
    _tidy(now, out)
    for unit in now:
        extract_unit(unit, out, QUICK)
    assert len(now) == 1 < len(before)
    assert len(rows(out)) == 3


def test_what_a_killed_run_left_unfinished_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    units = plan_units([str(write(tmp_path / "a.warc.gz", [page(1)]))])
    extract_unit(units[0], out, QUICK)
    left = [out / "documents" / ".a.parquet.unfinished", out / "_done" / ".a.json.unfinished"]
    for path in left:
        path.write_bytes(b"half")
    _tidy(units, out)
    assert not any(path.exists() for path in left)
    assert len(rows(out)) == 1


def test_html_files_are_read_by_the_address_given(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(tale(number))
    done = batch(
        str(tmp_path), "-o", str(tmp_path / "out"), "--url", "https://mill.example/", "--no-learn", "--processes", "1"
    )
    assert done.exit_code == 0
    assert f"{tmp_path / 'out'}: 3 pages in 1 part" in done.stdout
    assert {row["url"] for row in rows(tmp_path / "out")} == {"https://mill.example/"}


def test_a_summary_says_what_was_read_and_only_what_was_asked_for(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(tale(number))
    quick = ("--no-learn", "--processes", "1", "--parts")
    said = batch(str(tmp_path), "-o", str(tmp_path / "out"), *quick, "text").stdout.splitlines()
    assert said[0].endswith("out: 3 pages in 1 part")
    assert re.fullmatch(r"  of 3 HTML files: [0-9.]+ K?B of HTML", said[1])
    write(tmp_path / "a.warc.gz", [page(7)])
    said = batch(str(tmp_path), "-o", str(tmp_path / "more"), *quick, "text,images").stdout.splitlines()
    assert re.fullmatch(r"  of 1 response and 3 HTML files: \d+ images?, [0-9.]+ K?B of HTML", said[1])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.warc.gz"], 2, "no such file"),
        (["empty.warc.gz", "--no-learn", "--processes", "1"], 3, ""),
        (["empty.warc.gz", "--engine", "steam"], 2, "engine is local or ray"),
    ],
    ids="none empty engine".split(),
)
def test_exit_codes_say_what_came_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "empty.warc.gz", [record("urn:x", b"nothing", kind="warcinfo")])
    done = batch(*arguments, "-o", "out")
    assert done.exit_code == code
    assert said in done.stderr
