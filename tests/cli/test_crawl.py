"""`scythe crawl` as a user runs it."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from scythe.cli.crawl_report import tell_duration, tell_reasons, tell_size
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo

FAST = ("--allow-private", "--delay", "0", "--per-host", "4", "--parts", "text,images")

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoThread]:
    with serve_demo(DemoOptions(pages=12)) as served:
        yield served


def test_a_site_goes_into_an_archive_and_files(scythe: Run, demo: DemoThread, tmp_path: Path) -> None:
    outputs = [option for name in ("out.jsonl", "out.csv", "out.warc.gz") for option in ("-o", name)]
    done = scythe("crawl", demo.url, *FAST, "--archive", "a.db", *outputs)
    count = len(demo.world.page_urls)
    assert f"{count} pages in a.db" in done.stdout
    assert "complete" in done.stdout
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert sorted(row["url"] for row in rows) == sorted(demo.world.page_urls)
    assert {"url", "title", "text", "images", "metadata"} <= set(rows[0])
    assert (tmp_path / "out.csv").stat().st_size > 1_000
    assert (tmp_path / "out.warc.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_without_an_archive_named_the_host_names_it_and_the_next_run_goes_on(
    scythe: Run, demo: DemoThread, tmp_path: Path
) -> None:
    first = scythe("crawl", demo.url, *FAST, "--limit", "3")
    (archive,) = tmp_path.glob("*.scythe.db")
    assert archive.name == f"127.0.0.1-{demo.url.rstrip('/').rpartition(':')[2]}.scythe.db"
    assert "3 pages" in first.stdout
    assert "run the same command to resume" in first.stdout
    assert "5 pages" in scythe("crawl", demo.url, *FAST, "--limit", "5").stdout


def test_ctrl_c_ends_a_crawl_in_good_order(demo: DemoThread, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "scythe",
        "crawl",
        demo.url,
        "--allow-private",
        "--delay",
        "0.3",
        "--archive",
        "a.db",
    ]
    before = len(demo.log)
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while len(demo.log) < before + 5 and process.poll() is None:
            pass
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in out
    with sqlite3.connect(tmp_path / "a.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        states = dict(database.execute("SELECT state, count(*) FROM urls GROUP BY state").fetchall())
        pages = database.execute("SELECT count(*) FROM pages").fetchone()[0]
        assert database.execute("SELECT count(*) FROM hosts WHERE owner IS NOT NULL").fetchone() == (0,)
    database.close()
    assert states["new"] > 0
    assert 0 < pages <= states["done"]


def test_whoever_looks_sees_how_it_goes(demo: DemoThread, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scythe", "crawl", demo.url, *FAST, "--archive", "a.db"]
    environment = os.environ | {"COLUMNS": "120", "TERM": "xterm"}
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65_536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait(60) == 0
    for word in (b"pages/s", b"waiting", b"errors", b"cut", b"drift"):
        assert word in shown


def test_nothing_fetched_is_a_failure_that_says_why(scythe: Run, demo: DemoThread) -> None:
    done = scythe("crawl", demo.url, "--delay", "0", "--archive", "a.db", check=1)
    assert "robots.txt could not be fetched" in done.stdout
    assert "--allow-private" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ftp://example.org/",), "ftp://example.org/"),
        (("http://127.0.0.1:1/", "-o", "out.docx"), "out.docx"),
        (("http://127.0.0.1:1/", "--parts", "wings"), "wings"),
        (("http://127.0.0.1:1/", "--profile", "none.json"), "none.json"),
        (("http://127.0.0.1:1/", "--limit", "0"), "limit"),
    ],
)
def test_mistakes_are_told_before_anything_is_fetched(
    scythe: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = scythe("crawl", *arguments, check=2)
    assert said in done.stderr
    assert list(tmp_path.glob("*.db")) == []


def test_a_file_that_is_no_archive_is_left_alone(scythe: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but somebody's notes\n" * 100, encoding="utf-8")
    before = (tmp_path / "notes.txt").read_bytes()
    done = scythe("crawl", "http://127.0.0.1:1/", "--archive", "notes.txt", check=1)
    assert "notes.txt" in done.stderr
    assert (tmp_path / "notes.txt").read_bytes() == before


def test_quiet_says_nothing(scythe: Run, demo: DemoThread) -> None:
    done = scythe("crawl", demo.url, *FAST, "--limit", "2", "--quiet", "--archive", "a.db")
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (99.94, "99.9 s"), (100.0, "1 min 40 s"), (5_999.0, "99 min 59 s"), (6_000.0, "1 h 40 min")],
)
def test_durations_are_told_as_people_say_them(seconds: float, said: str) -> None:
    assert tell_duration(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 B"), (999, "999 B"), (1_500, "1.5 KB"), (2_340_000, "2.34 MB"), (5e12, "5e+03 GB")]
)
def test_sizes_are_told_as_people_say_them(count: float, said: str) -> None:
    assert tell_size(count) == said


def test_of_many_reasons_the_most_frequent_are_told_and_the_others_counted() -> None:
    lines = list(tell_reasons("failed", Counter({f"reason {number}": 20 - number for number in range(10)})))
    assert lines[0] == "  failed: 20 x reason 0"
    assert lines[8:] == ["  failed: 23 for other reasons"]
    assert list(tell_reasons("failed", Counter({"one": 2}))) == ["  failed: 2 x one"]


def test_help_teaches(scythe: Run) -> None:
    shown = scythe("crawl", "--help").stdout
    for word in ("robots.txt", "kill -9", "--archive", "--delay", "--limit", "--allow-private", "--render", "warc.gz"):
        assert word in shown
