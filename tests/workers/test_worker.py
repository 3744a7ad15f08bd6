"""Workers on real sites and a real database: sites are finished, given back, taken over, and asked at their pace."""

import asyncio
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from procrastinate.jobs import Job
from tests.fetch.server import page, serve
from tests.watching.board import Board
from tests.workers.stations import (
    HEARTBEAT_S,
    QUICK,
    Site,
    ask,
    relay,
    serve_site,
    start_worker,
    states,
    wait_until,
    work,
)

from scythe.archive.archive import LOCKS, Archive
from scythe.archive.frontier import next_due
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import newest_records, read_pages
from scythe.crawl_model import WATCHED
from scythe.errors import ArchiveFailed, BadInput
from scythe.watching.watch import forget_lists
from scythe.watching.watch_options import ListOptions, WatchOptions
from scythe.workers.orders import cancel_crawl, name_lock, queue_crawl, queue_watch
from scythe.workers.work import Again, wait_after
from scythe.workers.worker import Worker, WorkerOptions

pytestmark = pytest.mark.fault
NO_HARM_S = 0.002  # the moment is noted when a request has been read, a little after it came


@pytest.fixture
def archive(postgres_url: str) -> Iterator[Archive]:
    with open_archive(postgres_url) as archive:
        yield archive


def nobody_asks() -> bool:
    """Say whether no thread has to do with an archive any more."""
    return not [thread for thread in threading.enumerate() if thread.name.startswith("scythe-archive")]


def pages(archive: Archive, site: Site) -> int:
    return len(list(read_pages(archive, PageQuery(sites=(site.key,)))))


def test_sites_that_were_handed_over_are_crawled_until_nothing_is_left(archive: Archive) -> None:
    with ExitStack() as stack:
        sites = [stack.enter_context(serve_site(6)) for _ in range(3)]
        for site in sites:
            queue_crawl(archive, site.url, QUICK)
        said = work(archive, WorkerOptions(places=2, heartbeat_s=HEARTBEAT_S, until_idle=True))
        assert states(archive) == {site.key: "done" for site in sites}
        assert [(pages(archive, site), len(site.asked)) for site in sites] == [(6, 6)] * 3
        assert Counter(said) == {"crawl": 3, "complete": 3}
        assert ask(archive, "SELECT * FROM workers") == []
        assert ask(archive, "SELECT * FROM procrastinate_jobs") == []


def test_a_site_that_fails_is_tried_again_later_and_not_for_ever(archive: Archive) -> None:
    with serve_site(3) as site, serve_site(3) as other, serve_site(1) as empty:
        site.status = "503 Service Unavailable"
        empty.answer = lambda path: page(b"nothing", status="404 Not Found")  # type: ignore[method-assign]
        for one in (site, other, empty):
            queue_crawl(archive, one.url, replace(QUICK, limit=2))
        ask(archive, f"UPDATE assignments SET attempts = 11 WHERE strpos(start, '{site.server.port}') > 0")
        said = work(archive)
    assert states(archive) == {site.key: "failed", other.key: "done", empty.key: "failed"}
    assert [line for line in said if "failed (12 of 12)" in line and "robots.txt" in line]
    assert [line for line in said if "no page" in line and "404" in line]
    assert pages(archive, other) == 2
    assert [wait_after(failures) for failures in (1, 2, 3, 50)] == [15.0, 30.0, 60.0, 3600.0]


def test_a_watch_visits_what_is_due_and_comes_again_when_something_is(archive: Archive) -> None:
    board = Board()
    board.add(10)

    async def reply(path: str):  # type: ignore[no-untyped-def]
        yield page(board.page(1).encode() if path == "/news" else b"", "Content-Type: text/html; charset=utf-8")

    with serve(reply) as server, serve(reply) as other:
        url, urls = server.url("/news"), [server.url("/news"), other.url("/news")]
        row, _ = queue_watch(archive, urls, ListOptions(), WatchOptions(delay=0.0, allow_private=True))
        work(archive)
        due = next_due(archive, row.site, WATCHED)
        assert due is not None
        assert due > datetime.now(UTC)
        assert len(newest_records(archive, 50, watches=None)) == 20
        (job,) = ask(
            archive, f"SELECT status::text, scheduled_at FROM procrastinate_jobs WHERE lock = '{name_lock(row)}'"
        )
        assert (job.status, abs((job.scheduled_at - due).total_seconds()) < 0.01) == ("todo", True)
        forget_lists(archive, [url])
        ask(archive, "UPDATE procrastinate_jobs SET scheduled_at = now()")
        work(archive)
    assert sorted(states(archive).values()) == ["done", "open"]
    assert len(ask(archive, "SELECT * FROM procrastinate_jobs")) == 1


@pytest.mark.slow
def test_a_worker_that_was_stopped_loses_its_sites_and_one_that_is_ended_gives_them_back(
    archive: Archive, postgres_url: str
) -> None:
    """Within its heartbeat the one; the other at once, with its hosts and its row."""
    heartbeat_s = 12.0
    slow = ("--heartbeat", str(heartbeat_s))
    with serve_site(500) as site, ExitStack() as stack:
        queue_crawl(archive, site.url, replace(QUICK, delay=0.2))
        first = stack.enter_context(start_worker(postgres_url, *slow))
        wait_until(lambda: len(site.asked) >= 3)
        other = stack.enter_context(start_worker(postgres_url, *slow))
        wait_until(lambda: len(ask(archive, "SELECT * FROM workers")) == 2)
        first.send_signal(signal.SIGSTOP)
        ((old,),) = ask(archive, "SELECT number FROM workers WHERE sites <> '[]'")
        before = len(site.seen)
        took_s = wait_until(lambda: len(site.seen) > before + 1)
        first.send_signal(signal.SIGCONT)
        anew = f"SELECT * FROM workers WHERE number <> {old}"
        wait_until(lambda: len(ask(archive, anew)) == 2)
        wait_until(lambda: ask(archive, "SELECT * FROM workers WHERE sites <> '[]'"))
        (now,) = ask(archive, "SELECT number, name FROM workers WHERE sites <> '[]'")
        assert now.name.endswith(f":{other.pid}")
        assert [tuple(row) for row in ask(archive, "SELECT status::text, worker_id FROM procrastinate_jobs")] == [
            ("doing", now.number)
        ]
        said = end(first)
        end(other)
        assert [row.status for row in ask(archive, "SELECT status::text FROM procrastinate_jobs")] == ["todo"]
        assert ask(archive, "SELECT * FROM hosts WHERE owner IS NOT NULL") == []
        assert ask(archive, "SELECT * FROM workers") == []
        asked = len(site.seen)
    assert took_s < 30  # a heartbeat, as the trial measures; a busy machine may take its time
    assert "silent for too long" in said
    assert asked == len(site.seen)
    assert pages(archive, site) == ask(archive, "SELECT count(*) FROM versions")[0][0]
    assert min(site.gaps) >= 0.2 - NO_HARM_S


def end(worker: subprocess.Popen[str]) -> str:
    """End a worker as a service is ended; return what it said."""
    worker.send_signal(signal.SIGTERM)
    _, said = worker.communicate(timeout=60)
    assert worker.returncode == 130
    return said


def test_a_worker_that_is_asked_to_end_does_not_wait_for_one_that_stands_still(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another was stopped inside a transaction: it holds the site, its host and its job for as long as it likes."""
    monkeypatch.setattr("scythe.workers.worker._ENDING_S", 1.0)
    run = Worker(archive, WorkerOptions(heartbeat_s=600.0))
    with serve_site(500) as site, ThreadPoolExecutor(1) as pool:
        row = queue_crawl(archive, site.url, replace(QUICK, delay=0.1))
        working = pool.submit(asyncio.run, run.run())
        wait_until(lambda: len(site.asked) >= 3)
        with archive.engine.connect() as stopped:
            stopped.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCKS}, {row.site})")
            stopped.exec_driver_sql("SELECT * FROM hosts, procrastinate_jobs FOR UPDATE")
            run.stop()
            working.result(50)  # while it still stands there: a lock is waited for for a minute
    wait_until(nobody_asks)
    assert run.is_late
    assert [row.status for row in ask(archive, "SELECT status::text FROM procrastinate_jobs")] == ["doing"]


def test_a_worker_says_that_its_database_is_gone_and_ends_when_it_stays_away(
    archive: Archive, postgres_url: str, tmp_path: Path
) -> None:
    said: list[str] = []
    with serve_site(500) as site, relay(postgres_url, tmp_path) as (where, cut), open_archive(where) as behind:
        queue_crawl(archive, site.url, replace(QUICK, delay=0.1))
        options = WorkerOptions(heartbeat_s=HEARTBEAT_S, patience_s=1.0)
        run = Worker(behind, options, tell=lambda about, line: said.append(line))
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(asyncio.run, run.run())
            wait_until(lambda: len(site.asked) >= 3)
            cut()
            with pytest.raises(ArchiveFailed, match="away for more than 1 s"):
                working.result(200)
        wait_until(nobody_asks)
    assert [line for line in said if line.startswith("the database is away for 0 s")]


@pytest.mark.soak
def test_a_worker_goes_on_when_all_its_connections_break(archive: Archive) -> None:
    with serve_site(30) as site, ThreadPoolExecutor(1) as pool:
        queue_crawl(archive, site.url, replace(QUICK, delay=0.1))
        working = pool.submit(work, archive)
        wait_until(lambda: len(site.asked) >= 3)
        ask(archive, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        working.result()
    assert states(archive) == {site.key: "done"}
    assert pages(archive, site) == 30


def test_a_site_that_is_taken_back_is_left_by_who_works_on_it(archive: Archive) -> None:
    with serve_site(200) as site:
        queue_crawl(archive, site.url, replace(QUICK, delay=0.05))
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(work, archive)
            wait_until(lambda: len(site.asked) >= 3)
            cancel_crawl(archive, site.url, QUICK)
            assert "left to others" in working.result()
        assert states(archive) == {site.key: "cancelled"}
        assert 3 <= pages(archive, site) < 200
        assert ask(archive, "SELECT * FROM procrastinate_jobs") == []
    with pytest.raises(BadInput, match="not queued"):
        cancel_crawl(archive, site.url, QUICK)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(BadInput, match="heartbeat"):
        WorkerOptions(heartbeat_s=0.1)
    with pytest.raises(BadInput, match="places"):
        WorkerOptions(places=0)
    with pytest.raises(BadInput, match="patience"):
        WorkerOptions(patience_s=-1.0)


def test_attempts_that_ended_with_their_worker_do_not_make_the_next_one_wait() -> None:
    job = Job(queue="scythe", lock=None, queueing_lock=None, task_name="crawl_site", attempts=9)
    decision = Again().get_retry_decision(exception=ArchiveFailed("locked"), job=job)
    assert decision is not None
    assert decision.retry_at is not None
    assert (decision.retry_at - datetime.now(UTC)).total_seconds() <= 2.0
