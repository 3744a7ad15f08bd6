"""`python -m bench crawl`: scythe and Scrapy on a site that is made up and served here."""

import json
import sys
from pathlib import Path

import pytest
from bench.command import app
from bench.trial_pages import build_pages, load_pages
from bench.trial_runs import Ledger, serve_trial, time_command
from typer.testing import CliRunner

from bench import crawl
from scythe.errors import ScytheError

ASK = """
import sys, urllib.request
for _ in range(int(sys.argv[2])):
    urllib.request.urlopen(sys.argv[1]).read()
"""


def test_pages_are_made_once_and_kept(tmp_path: Path) -> None:
    made = load_pages(42, 0, tmp_path)
    assert [page.body for page in made] == [page.body for page in build_pages(42)]
    (kept,) = tmp_path.iterdir()
    written = kept.stat().st_mtime_ns
    assert load_pages(42, 0, tmp_path) == made
    assert kept.stat().st_mtime_ns == written


@pytest.mark.fault
def test_a_command_is_timed_and_its_requests_are_counted(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    with serve_trial("--pages", "42", "--tiny", "--ledger", str(ledger.path)) as url:
        took = time_command([sys.executable, "-c", ASK, url, "3"], ledger)
        assert (took.requests, took.cpu_s > 0, took.seconds >= took.asking_s > 0) == (3, True, True)
        silent = time_command([sys.executable, "-c", "pass"], ledger)
        assert (silent.requests, silent.asking_s) == (0, 0.0)
        with pytest.raises(ScytheError, match="exit code 3"):
            time_command([sys.executable, "-c", "raise SystemExit(3)"], ledger)


@pytest.mark.fault
def test_a_command_is_killed_when_it_has_asked_often_enough(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    with serve_trial("--pages", "42", "--tiny", "--ledger", str(ledger.path)) as url:
        seen = crawl.kill_after([sys.executable, "-c", ASK, url, "1000000"], ledger, 5)
        assert 5 <= seen < 1_000_000
        with pytest.raises(ScytheError, match="too few requests"):
            crawl.kill_after([sys.executable, "-c", ASK, url, "1"], ledger, seen + 100)


@pytest.mark.soak
def test_scythe_loses_and_doubles_nothing_and_scrapy_is_there_too(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    done = CliRunner().invoke(app, ["crawl", "--pages", "210", "--json"])
    assert done.exit_code == 0, done.output
    rows = {row[0]: row for row in json.loads(done.stdout)["tables"][0]["rows"]}
    assert rows["scythe"][1] == rows["Scrapy"][1] == 210
    assert rows["scythe"][5:7] == [0, 0]


@pytest.mark.soak
def test_the_part_crawl_of_a_whole_run_needs_no_data(tmp_path: Path) -> None:
    asked = ["--only", "crawl", "--crawl-pages", "42", "--no-peers", "-o", str(tmp_path)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert "pages stored twice, killed half way with `kill -9` and started again | 0 |" in done.stdout
