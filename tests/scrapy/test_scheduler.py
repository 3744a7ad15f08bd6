"""Scrapy with its requests in an archive: real spiders, a real server, and SIGKILL."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bench.trials.harness import new_archives
from bench.trials.scrapy_scheduler import Settings as Trial
from bench.trials.scrapy_scheduler import measure_kills
from scrapy.settings import Settings
from sqlalchemy import select
from tests.scrapy.gated_site import PAGES, GatedSite, serve_gated

from scythe.archive.open import open_archive
from scythe.archive.schema import REQUESTS
from scythe.errors import BadInput
from scythe.scrapy.scheduler import SchedulerOptions

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.fault


def start(site: GatedSite, where: str, *names: str, **settings: Any) -> subprocess.Popen[str]:
    """Begin to run spiders, one after the other, in a process of their own."""
    told = json.dumps({"SCYTHE_ARCHIVE": where, **settings})
    command = [sys.executable, "-m", "tests.scrapy.scheduler_runs", told, site.url(""), *names]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """Wait for runs to end and return what each told."""
    said, complaints = process.communicate(timeout=120)
    assert process.returncode == 0, complaints[-3_000:]
    return [json.loads(line) for line in said.splitlines()]


def kill(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def rows(where: str, crawl: str) -> list[tuple[str, str, str | None]]:
    """Return path, state and owner of every request of a crawl."""
    query = select(REQUESTS.c.url, REQUESTS.c.state, REQUESTS.c.owner).where(REQUESTS.c.crawl == crawl)
    with open_archive(where) as archive, archive.reading() as connection:
        found = connection.execute(query.order_by(REQUESTS.c.id)).all()
    return [("/" + row.url.split("/", 3)[3], row.state, row.owner) for row in found]


def urls(told: dict[str, Any]) -> list[str]:
    return sorted(item["url"] for item in told["items"] if "url" in item)


TREE = sorted(f"/page/{number}" for number in range(PAGES))


@pytest.fixture
def site() -> Iterator[GatedSite]:
    with serve_gated() as served:
        yield served


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Counter[str], str, list[dict[str, Any]]]:
    """Runs in which nothing is killed: requests seen, the archive, and what each run told."""
    where = str(tmp_path_factory.mktemp("calm") / "crawl.db")
    names = ("tree", "tree", "mixed", "mixed", "ranked", "unwritable")
    with serve_gated() as served:
        told = finish(start(served, where, *names, LOG_ENABLED=False))
        return served.counts(), where, told


Calm = tuple[Counter[str], str, list[dict[str, Any]]]


def test_every_page_is_asked_once_and_a_second_run_asks_nothing(calm: Calm) -> None:
    asked, where, told = calm
    assert urls(told[0]) == TREE
    assert told[1]["items"] == []
    assert all(asked[path] == 1 for path in TREE if path != "/page/0")  # another spider asks for that one
    assert {(state, owner) for _, state, owner in rows(where, "tree")} == {("done", None)}
    assert (told[0]["scheduler/done"], told[0]["finish_reason"]) == (PAGES, "finished")


def test_redirects_and_retries_lead_to_their_pages(calm: Calm) -> None:
    asked, _, told = calm
    assert {"/leaf/1", "/flaky/1"} <= set(urls(told[2]))
    assert (asked["/flaky/1"], asked["/dead/1"], told[2]["retry/count"]) == (3, 3, 5)


def test_what_gives_no_answer_runs_the_errback_and_counts_as_failed(calm: Calm) -> None:
    _, where, told = calm
    failed = [item["failed"].rpartition("/")[0] for item in told[2]["items"] if "failed" in item]
    assert sorted(failed) == ["/dead", "/none", "http://127.0.0.1:9"]
    states = {(path, state) for path, state, _ in rows(where, "mixed")}
    assert {("/dead/1", "failed"), ("/refused", "failed"), ("/none/1", "done")} <= states


def test_errors_of_a_callback_or_a_pipeline_count_as_failed(calm: Calm) -> None:
    _, where, told = calm
    states = {path: state for path, state, _ in rows(where, "mixed")}
    assert (states["/leaf/raises"], states["/leaf/item"]) == ("failed", "failed")
    assert (told[2]["scheduler/failed"], told[3]["items"]) == (4, [])


def test_duplicates_are_filtered_unless_the_spider_says_otherwise(calm: Calm) -> None:
    asked, _, told = calm
    assert (asked["/leaf/2"], told[2]["dupefilter/filtered"]) == (3, 1)


def test_urgent_requests_come_first_even_if_named_late(calm: Calm) -> None:
    order = [item["url"] for item in calm[2][4]["items"]]
    assert order.index("/leaf/7") < order.index("/leaf/0") < order.index("/leaf/-3")
    assert order[0] == "/leaf/9"


def test_requests_that_cannot_be_written_are_asked_all_the_same(calm: Calm) -> None:
    _, where, told = calm
    assert urls(told[5]) == ["/leaf/1", "/leaf/last"]
    assert told[5]["scheduler/unserializable"] == 3
    assert [(path, state) for path, state, _ in rows(where, "unwritable")] == [("/page/0", "done")]


def test_a_killed_spider_goes_on_and_every_item_is_in_its_feed(site: GatedSite, where: str, tmp_path: Path) -> None:
    feed = tmp_path / "items.jl"
    feeds = {str(feed): {"format": "jsonlines"}}
    site.held = {"/page/3", "/page/5", "/page/6"}
    killed = start(site, where, "tree", FEEDS=feeds)
    site.wait_for(13)  # all that can be known while those three are not answered
    kill(killed)
    site.gate.set()
    finish(start(site, where, "tree", FEEDS=feeds))
    assert {json.loads(line)["url"] for line in feed.read_text().splitlines()} == set(TREE)
    assert all(site.counts()[path] == 2 for path in site.held)
    assert {(state, owner) for _, state, owner in rows(where, "tree")} == {("done", None)}


def test_pages_are_asked_again_whose_callback_or_unwritten_request_was_killed(site: GatedSite, tmp_path: Path) -> None:
    where = str(tmp_path / "crawl.db")
    site.held = {"/leaf/between", "/leaf/last"}  # a callback waits for the one; nobody could write the other down
    killed = start(site, where, "half")
    site.wait_for(6)
    kill(killed)
    site.gate.set()
    (told,) = finish(start(site, where, "half"))
    assert urls(told) == ["/leaf/1", "/leaf/last", "/leaf/named", "first half", "second half"]


def test_a_spider_outlives_an_archive_that_cannot_be_written_for_a_while(site: GatedSite, tmp_path: Path) -> None:
    where = str(tmp_path / "crawl.db")
    site.held = {"/page/2"}
    process = start(site, where, "tree")
    site.wait_for(17)
    with closing(sqlite3.connect(where, timeout=60)) as database:
        database.execute("ALTER TABLE requests RENAME TO hidden")
        assert process.stderr is not None
        assert "could not be written, nothing is lost yet" in process.stderr.readline()  # comes within seconds
        database.execute("ALTER TABLE hidden RENAME TO requests")
    site.gate.set()
    (told,) = finish(process)
    assert urls(told) == TREE
    assert told["scheduler/archive_errors"] >= 1
    assert {(state, owner) for _, state, owner in rows(where, "tree")} == {("done", None)}


def test_a_spider_that_is_closed_early_gives_back_what_it_did_not_ask(site: GatedSite, tmp_path: Path) -> None:
    where = str(tmp_path / "crawl.db")
    told = finish(start(site, where, *["tree"] * 4, CLOSESPIDER_PAGECOUNT=10, CONCURRENT_REQUESTS=2))
    reasons = [run["finish_reason"] for run in told]
    assert (reasons[0], reasons[-1]) == ("closespider_pagecount", "finished")
    assert sorted(url for run in told for url in urls(run)) == TREE
    assert set(site.counts().values()) == {1}


@pytest.mark.soak
def test_two_processes_share_the_work_and_no_host_is_asked_by_both_at_once(site: GatedSite, postgres_url: str) -> None:
    pace = {"DOWNLOAD_DELAY": 0.08, "DOWNLOAD_DELAY_JITTER": 0}
    runs = [start(site, postgres_url, "hosts", USER_AGENT=name, **pace) for name in ("one", "other")]
    told = [finish(run)[0] for run in runs]
    assert sorted(Counter((host, path) for _, host, path, _ in site.asked).values()) == [1] * 2 * PAGES
    assert sum(len(run["items"]) for run in told) == 2 * PAGES
    for host in ("127.0.0.1", "127.0.0.2"):
        asked = [(at, agent) for at, asked, _, agent in site.asked if asked == host]
        handed_over = [after[0] - before[0] for before, after in pairwise(asked) if before[1] != after[1]]
        assert len(handed_over) <= 3  # of 30; two that do not know of each other take turns all the time
        assert all(gap >= 0.08e9 for gap in handed_over)


@pytest.mark.parametrize("settings", [{}, {"SCYTHE_ARCHIVE": "a.db", "SCYTHE_LEASE": 1}])
def test_settings_that_make_no_scheduler_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="SCYTHE_"):
        SchedulerOptions.from_settings(Settings(settings))


@pytest.mark.soak
@pytest.mark.parametrize("is_postgres", [False, True], ids=["sqlite", "postgresql"])
def test_forty_kills_lose_no_page_where_job_folders_lose_some(tmp_path: Path, is_postgres: bool) -> None:
    kinds = ("scythe",) if is_postgres else ("disk", "scythe")
    with new_archives(tmp_path, is_postgres=is_postgres) as places:
        *others, ours = measure_kills(Trial(kills=40, kinds=kinds), places, tmp_path)
    assert (ours.lost(), ours.torn_lines, ours.complaints) == (0, 0, [])
    assert all(other.lost() > 0 for other in others)
