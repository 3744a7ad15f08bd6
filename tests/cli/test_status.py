"""What `scythe status` says of workers and sites, in lines for people."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from scythe.cli.status import _lines
from scythe.workers.worker_status import HostStatus, SiteStatus, Status, WorkerStatus

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HERE = WorkerStatus("here:1", False, 3.0, 30.0, 8, ("a.example",), "host 1", NOW)
GONE = replace(HERE, name="there:2", is_gone=True, silent_s=7_200.0)
SITE = SiteStatus("a.example", "crawl", "waiting", "", 0, 5, 1, 0.0, (), None, 0.0)


def test_workers_that_are_gone_take_no_places() -> None:
    lines = list(_lines(Status(NOW, (HERE, GONE)), None))
    assert lines[0].startswith("1 worker, 1 of 8 places taken, 0.0 pages/s; lag ")
    assert lines[1:3] == ["  here:1: 1 of 8 places, last seen 3 s ago", "  there:2: gone, last seen 2 h ago"]


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (SITE, "crawl a.example: waiting, 1 page, 5 waiting"),
        (
            replace(SITE, state="working", workers=("here:1", "there:2"), pages_per_second=2.25, pages=9),
            "crawl a.example: working by here:1, there:2, 9 pages, 5 waiting, 2.2 pages/s",
        ),
        (replace(SITE, due_at=NOW), "crawl a.example: waiting until 2026-05-04 12:00:00 UTC, 1 page, 5 waiting"),
        (replace(SITE, due_at=NOW, late_s=60.0), "crawl a.example: waiting, late by 1 min, 1 page, 5 waiting"),
        (replace(SITE, state="failed", why="no such host"), "crawl a.example: failed, 1 page, 5 waiting: no such host"),
        (
            replace(SITE, attempts=1, why="the server is down"),
            "crawl a.example: waiting, 1 page, 5 waiting; failed 1 time: the server is down",
        ),
    ],
)
def test_a_site_is_told_with_who_works_on_it_and_when(site: SiteStatus, said: str) -> None:
    assert f"  {said}" in list(_lines(Status(NOW, sites=(site,)), None))


def test_hosts_that_want_to_be_asked_slowly_are_told() -> None:
    hosts = (HostStatus("a.example", "here:1", 4.0), HostStatus("b.example", "here:1", 1.0))
    lines = list(_lines(Status(NOW, hosts=hosts), 1))
    assert lines[-3:] == [
        "2 hosts being asked",
        "  a.example by here:1, 4 times slower than usual",
        "  ... and 1 more (--all)",
    ]
