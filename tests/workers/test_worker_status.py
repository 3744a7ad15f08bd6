"""What `scythe status` shows: workers, sites, hosts, lag and failures, also where there is nothing of the kind."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.workers.stations import QUICK, ask
from typer.testing import CliRunner

from scythe.archive.archive import Archive
from scythe.archive.assignments import keep_worker
from scythe.archive.frontier import add_urls
from scythe.archive.host_leases import Owner, take_host
from scythe.archive.open import open_archive
from scythe.archive.results import WorkerRow
from scythe.archive.stored_sites import add_site
from scythe.cli.main import app
from scythe.crawl_model import FoundUrl
from scythe.watching.watch_options import ListOptions
from scythe.workers.orders import queue_crawl, queue_watch
from scythe.workers.worker_status import read_status

NOW = datetime.now(UTC)


@pytest.fixture
def archive(postgres_url: str) -> Iterator[Archive]:
    with open_archive(postgres_url) as archive:
        yield archive


def sign(archive: Archive, owner: Owner, *sites: str, name: str = "here:1") -> None:
    with archive.writing() as connection:
        keep_worker(connection, WorkerRow(owner.to_text(), name, "1.0", 30.0, 8, sites, 1, NOW, NOW))


def test_an_archive_that_nobody_handed_anything_over_in_has_a_status(where: str) -> None:
    with open_archive(where) as archive:
        found = read_status(archive)
    assert (found.workers, found.sites, found.hosts, found.counts, found.lag_s) == ((), (), (), {}, 0.0)


def test_a_host_that_one_process_asks_is_shown_without_any_worker(where: str) -> None:
    with open_archive(where) as archive:
        start = "https://example.org/"
        site = add_site(archive, "example.org", start)  # type: ignore[arg-type]
        add_urls(archive, site, [FoundUrl(start, "example.org")])  # type: ignore[arg-type]
        mine = Owner.of_this_process()
        assert take_host(archive, site, mine, now=datetime.now(UTC)) is not None
        (host,) = read_status(archive).hosts
    assert (host.host, host.by.endswith(f":{mine.pid}")) == ("example.org", True)


def test_workers_are_shown_with_what_they_work_on_and_those_that_are_gone_are_marked(archive: Archive) -> None:
    mine = Owner.of_this_process()
    row = queue_crawl(archive, "https://example.org/", QUICK)
    queue_crawl(archive, "https://example.net/", QUICK)
    ask(archive, f"UPDATE procrastinate_jobs SET status = 'doing' WHERE lock = 'crawl {row.site_key}'")
    sign(archive, mine, "example.org")
    sign(archive, replace(mine, started="1"), "example.com", name="there:2")
    add_urls(archive, row.site, [FoundUrl(row.start, "example.org")])  # type: ignore[arg-type]
    assert take_host(archive, row.site, mine.another(), now=datetime.now(UTC)) is not None
    found = read_status(archive)
    assert [(one.name, one.is_gone) for one in found.workers] == [("here:1", False), ("there:2", True)]
    assert [(one.host, one.by) for one in found.hosts] == [("example.org", "here:1")]
    assert {one.site: (one.state, one.workers, one.waiting) for one in found.sites} == {
        "example.org": ("working", ("here:1",), 1),
        "example.net": ("waiting", (), 0),
    }


def test_the_lag_is_that_of_the_job_which_has_waited_longest(archive: Archive) -> None:
    queue_crawl(archive, "https://example.org/", QUICK)
    assert read_status(archive).lag_s < 30
    queue_watch(archive, ["https://example.net/"], ListOptions())
    ask(archive, "UPDATE procrastinate_jobs SET scheduled_at = now() - interval '1 hour' WHERE lock LIKE 'watch %%'")
    found = read_status(archive)
    assert 3_600 <= found.lag_s < 3_700
    assert found.counts == {"crawl open": 1, "watch open": 1}
    ask(archive, "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 hour'")
    assert read_status(archive).lag_s == 0.0


def test_a_failure_is_shown_with_its_reason(archive: Archive, postgres_url: str) -> None:
    queue_crawl(archive, "https://example.org/", QUICK)
    ask(archive, "UPDATE assignments SET state = 'failed', why = 'no such host', attempts = 12")
    ask(archive, "DELETE FROM procrastinate_jobs")
    sign(archive, Owner.of_this_process())
    done = CliRunner().invoke(app, ["status", "--archive", postgres_url])
    assert done.exit_code == 0
    assert "1 worker, 0 of 8 places taken" in done.stdout
    assert "crawl example.org: failed, 0 pages, 0 waiting; failed 12 times: no such host" in done.stdout


def test_programs_get_one_json_object(archive: Archive, postgres_url: str) -> None:
    queue_crawl(archive, "https://example.org/", QUICK)
    done = CliRunner().invoke(app, ["status", "--archive", postgres_url, "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == 0
    assert [(one["site"], one["state"]) for one in told["sites"]] == [("example.org", "waiting")]
    assert {"at", "workers", "hosts", "counts", "lag_s", "pages_per_second"} < set(told)


def test_many_sites_are_cut_short_for_people(archive: Archive, postgres_url: str) -> None:
    queue_watch(archive, [f"https://s{n}.example.org/" for n in range(25)], ListOptions())
    short = CliRunner().invoke(app, ["status", "--archive", postgres_url]).stdout
    whole = CliRunner().invoke(app, ["status", "--archive", postgres_url, "--all"]).stdout
    assert "... and 5 more (--all)" in short
    assert (short.count("watch s"), whole.count("watch s")) == (20, 25)


def test_where_there_is_no_archive_it_says_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["status", "--archive", str(tmp_path / "none.db")])
    assert done.exit_code == 1
    assert "there is no archive" in done.stderr
