"""Sites are handed over: what is wanted and a job for it are written together, once."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workers.stations import QUICK, ask
from typer.testing import CliRunner

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import watch_rows
from scythe.cli.main import app
from scythe.errors import ArchiveFailed, BadInput
from scythe.watching.watch_options import ListOptions, WatchOptions
from scythe.workers.job_queue import prepare_jobs
from scythe.workers.orders import crawl_order, queue_crawl, queue_watch, watch_order

JOBS = "SELECT task_name, lock, queueing_lock, status::text, args ->> 'assignment' AS of FROM procrastinate_jobs"


@pytest.fixture
def archive(postgres_url: str) -> Iterator[Archive]:
    with open_archive(postgres_url) as archive:
        yield archive


def test_a_site_is_handed_over_with_one_job_however_often_it_is_said(archive: Archive) -> None:
    queue_crawl(archive, "https://example.org/", QUICK)
    row = queue_crawl(archive, "https://example.org/", replace(QUICK, limit=7))
    assert crawl_order(row) == replace(QUICK, limit=7)
    assert [tuple(job) for job in ask(archive, JOBS)] == [
        ("crawl_site", "crawl example.org", "crawl example.org", "todo", str(row.id))
    ]


def test_a_job_that_waits_for_later_waits_no_longer_when_its_site_is_handed_over_again(archive: Archive) -> None:
    queue_crawl(archive, "https://example.org/", QUICK)
    ask(archive, "UPDATE procrastinate_jobs SET scheduled_at = now() + interval '1 day'")
    queue_crawl(archive, "https://example.org/", QUICK)
    assert ask(archive, "SELECT scheduled_at <= now() FROM procrastinate_jobs")[0][0]


def test_a_job_that_is_worked_on_gets_a_second_behind_it(archive: Archive) -> None:
    queue_crawl(archive, "https://example.org/", QUICK)
    ask(archive, "UPDATE procrastinate_jobs SET status = 'doing'")
    queue_crawl(archive, "https://example.org/", QUICK)
    assert sorted(job.status for job in ask(archive, JOBS)) == ["doing", "todo"]


def test_what_cannot_be_written_whole_is_not_written(archive: Archive) -> None:
    prepare_jobs(archive)
    ask(archive, "ALTER TABLE procrastinate_jobs ADD CHECK (lock <> 'crawl example.org')")
    with pytest.raises(ArchiveFailed, match="no job could be made"):
        queue_crawl(archive, "https://example.org/", QUICK)
    assert ask(archive, "SELECT * FROM assignments") == []


def test_lists_are_handed_over_by_site(archive: Archive) -> None:
    addresses = ["https://example.org/news", "https://example.org/jobs", "https://example.net/"]
    rows = queue_watch(archive, addresses, ListOptions(), WatchOptions(delay=3.0))
    assert [(row.kind, row.site_key) for row in rows] == [("watch", "example.org"), ("watch", "example.net")]
    assert watch_order(rows[0]) == WatchOptions(delay=3.0, once=True)
    assert len(watch_rows(archive)) == 3
    assert {job.lock for job in ask(archive, JOBS)} == {"watch example.org", "watch example.net"}
    assert [row.id for row in queue_watch(archive, [], ListOptions())] == [row.id for row in rows]


def test_pages_are_visited_again_once_and_not_by_every_job(archive: Archive) -> None:
    site = add_site(archive, "example.org", queue_crawl(archive, "https://example.org/", QUICK).start)  # type: ignore[arg-type]
    ask(archive, f"INSERT INTO hosts (name) VALUES ('example.org'); {_done(site)}")
    row = queue_crawl(archive, "https://example.org/", replace(QUICK, refresh=True))
    assert not crawl_order(row).refresh
    assert count_archive(archive, site).states == {"retry": 1}


def _done(site: int) -> str:
    columns = "site, host, key, url, how, kind, depth, hops, rank, state, found_at"
    values = f"{site}, id, 'x', 'https://example.org/a', 'link', 'page', 0, 0, 0, 'done', 0"
    return f"INSERT INTO urls ({columns}) SELECT {values} FROM hosts"


def test_several_may_make_the_tables_of_the_engine_at_once(postgres_url: str) -> None:
    open_archive(postgres_url).close()

    def prepare(_: int) -> None:
        with open_archive(postgres_url) as archive:
            prepare_jobs(archive)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(prepare, range(4))) == [None] * 4


def test_an_engine_that_is_too_old_is_refused(archive: Archive) -> None:
    ask(archive, "CREATE TABLE procrastinate_jobs (id bigint)")
    with pytest.raises(ArchiveFailed, match="too old"):
        prepare_jobs(archive)


def test_an_sqlite_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with open_archive(tmp_path / "a.db") as archive, pytest.raises(BadInput, match="postgresql://"):
        queue_crawl(archive, "https://example.org/", QUICK)


def test_options_that_cannot_be_are_told_apart_from_those_of_a_newer_version(archive: Archive) -> None:
    row = queue_crawl(archive, "https://example.org/", QUICK)
    newer = replace(row, options=json.dumps(json.loads(row.options) | {"unheard_of": 1}))
    assert crawl_order(newer) == QUICK
    with pytest.raises(BadInput, match="delay"):
        crawl_order(replace(row, options='{"delay": -1}'))
    with pytest.raises(BadInput, match="cannot be read"):
        crawl_order(replace(row, options="[]"))


def test_the_command_hands_over_and_says_so(postgres_url: str) -> None:
    done = CliRunner().invoke(app, ["crawl", "example.org", "--queue", "--archive", postgres_url, "--limit", "5"])
    assert (done.exit_code, "https://example.org/: queued" in done.stdout) == (0, True)
    done = CliRunner().invoke(app, ["watch", "example.org/news", "--queue", "--archive", postgres_url])
    assert (done.exit_code, done.stdout) == (0, "example.org: queued\n")
    with open_archive(postgres_url) as archive:
        assert {job.lock for job in ask(archive, JOBS)} == {"crawl example.org", "watch example.org"}


def test_the_command_takes_back_what_it_handed_over(postgres_url: str) -> None:
    given = ["crawl", "example.org", "--archive", postgres_url]
    assert CliRunner().invoke(app, [*given, "--queue", "--quiet"]).output == ""
    done = CliRunner().invoke(app, [*given, "--unqueue"])
    assert (done.exit_code, done.stdout.partition(";")[0]) == (0, "https://example.org/: removed from the queue")
    assert CliRunner().invoke(app, [*given, "--queue", "--quiet"]).exit_code == 0
    done = CliRunner().invoke(app, [*given, "--unqueue", "--quiet"])
    assert (done.exit_code, done.output) == (0, "")


def test_nothing_to_watch_is_handed_over_to_nobody(postgres_url: str) -> None:
    open_archive(postgres_url).close()
    done = CliRunner().invoke(app, ["watch", "--queue", "--archive", postgres_url])
    assert (done.exit_code, done.stdout) == (3, "")
    assert "nothing is watched in " in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["crawl", "example.org", "--queue"], "say where the archive is"),
        (["crawl", "example.org", "--queue", "--archive", "postgresql://x/y", "-o", "a.jsonl"], "scythe export"),
        (["watch", "example.org", "--queue", "--archive", "postgresql://x/y", "--exec", "a"], "workers run no hooks"),
        (["crawl", "example.org", "--queue", "--archive", "a.db"], "share an archive in PostgreSQL"),
        (["worker", "--archive", "a.db"], "share an archive in PostgreSQL"),
    ],
)
def test_what_a_fleet_cannot_do_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert said in done.stderr
