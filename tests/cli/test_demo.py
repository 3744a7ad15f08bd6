from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scythe import Page

from .conftest import Run


@pytest.mark.slow
@pytest.mark.fault
def test_demo_crawls_its_site_through_odd_corners_and_a_redesign(scythe: Run, tmp_path: Path) -> None:
    done = scythe("demo", "--pages", "50", "--report", "report.html")
    out = " ".join(done.stdout.split())
    found = re.search(r"(\d+) of (\d+) pages found, \d+ records, \d+ requests", out)
    assert found is not None
    assert found[1] == found[2]
    for text in ("text F1", "A list page, as records", "How fields were got", "times as fast", "What to try next"):
        assert text in out
    assert "✗" not in out
    assert "500 once, then a page 2 1 archived" in out
    assert "robots.txt says no 0 2 not asked for" in out
    assert re.search(r"After \d+ pages the site got another design", out)
    assert max(map(len, done.stdout.splitlines())) <= 80
    report = Page.from_bytes((tmp_path / "report.html").read_bytes())
    assert f"{found[1]} of {found[2]} pages" in " ".join(" ".join(report.blocks.text).split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html"]


@pytest.mark.soak
def test_demo_tells_of_a_hundred_pages_in_a_report_of_its_own(scythe: Run, tmp_path: Path) -> None:
    out = " ".join(scythe("demo", "--pages", "100").stdout.split())
    assert "The same with charts, for a browser: scythe-demo.html" in out
    assert (tmp_path / "scythe-demo.html").stat().st_size < 100_000


def test_demo_saves_the_same_content_in_another_design(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "3", "--save", "old")
    scythe("demo", "--pages", "3", "--save", "new", "--design", "1")
    old, new = (
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*.html"))
        for name in ("old", "new")
    )
    assert old == new
    assert (tmp_path / "old" / old[-1]).read_bytes() != (tmp_path / "new" / old[-1]).read_bytes()


def test_demo_saves_its_pages_for_other_commands(scythe: Run, tmp_path: Path) -> None:
    scythe("demo", "--pages", "12", "--save", "site")
    assert len(list((tmp_path / "site").rglob("*.html"))) == 13
    scythe("read", "site", "-o", "site.jsonl")
    assert len((tmp_path / "site.jsonl").read_text(encoding="utf-8").splitlines()) == 13


def test_demo_says_beforehand_that_a_report_cannot_be_written(scythe: Run) -> None:
    done = scythe("demo", "--report", "nowhere/report.html", check=1)
    assert done.stdout == ""
    assert "there is no folder nowhere" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_demo_serves_its_site_until_interrupted() -> None:
    command = [sys.executable, "-m", "scythe", "demo", "--serve", "--pages", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 0
