"""Runs that share a kit: each does what it would do alone, with the processes and connections of one."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Timer
from time import monotonic, sleep, time
from typing import Any

import pytest
from tests.crawling.pages import SITE, write_page
from tests.fetch.server import Server, page, serve

from scythe.archive.archive import Archive
from scythe.archive.host_leases import Owner, leave_host, take_host
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import add_site
from scythe.crawl_model import HostLease, Outcome, Receipt
from scythe.crawling.crawl import Crawl, Listener
from scythe.crawling.crawl_options import CrawlOptions
from scythe.engine.context import RunContext, open_kit
from scythe.engine.site_learning import Learning
from scythe.url import Url
from scythe.watching.watch import Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

HTML = "Content-Type: text/html; charset=utf-8"
OPTIONS = CrawlOptions(delay=0.02, allow_private=True, parts=("text",), sitemaps=False, feeds=False)
WATCHING = WatchOptions(delay=0.02, allow_private=True, once=True)


@contextmanager
def mill(pages: int, seen: list[tuple[float, str]] | None = None) -> Iterator[Server]:
    """Serve a front page with links to all others."""
    links = "".join(f'<li><a href="/page-{n}.html">Page number {n} of the mill</a></li>' for n in range(1, pages))
    site = {f"/page-{n}.html": page(write_page(n, links=0), HTML) for n in range(1, pages)}
    site["/"] = page(write_page(0, links=0).replace(b"</main>", f"<ul>{links}</ul></main>".encode()), HTML)
    with serve(lambda path: answer(site, path, seen)) as server:
        yield server


async def answer(site: dict[str, bytes], path: str, seen: list[tuple[float, str]] | None) -> AsyncIterator[bytes]:
    if seen is not None:
        seen.append((monotonic(), path))
    yield site.get(path) or page(b"nothing here", status="404 Not Found")


def test_crawls_at_once_share_one_worker_and_keep_their_pages_apart(tmp_path: Path) -> None:
    async def both(starts: list[str]) -> tuple[list[int], set[int]]:
        with open_archive(tmp_path / "archive.db") as archive:
            async with open_kit(archive) as kit:
                pids: set[int] = set()
                crawls = [Crawl(start, archive, OPTIONS, kit=kit, listener=note(kit, pids)) for start in starts]
                tallies = await asyncio.gather(*(crawl.run() for crawl in crawls))
                assert not kit.pool._slot_of
                assert (await kit.clerk.ask(count_archive, archive)).pages == 20  # the kit outlives them
                return [tally.pages for tally in tallies], pids

    with mill(10) as one, mill(10) as other:
        pages, pids = asyncio.run(both([one.url("/"), other.url("/")]))
    assert pages == [10, 10]
    assert len(pids) == 1


def note(kit: RunContext, pids: set[int]) -> Listener:
    async def listen(_outcome: Outcome, _receipt: Receipt) -> None:
        pids.update(kit.pool.pids)

    return listen


@pytest.mark.soak
def test_two_crawls_of_one_site_in_a_process_take_turns_and_ask_for_no_page_twice(tmp_path: Path) -> None:
    async def both(start: str) -> None:
        with open_archive(tmp_path / "archive.db") as archive:
            async with open_kit(archive) as kit:
                await asyncio.gather(*(Crawl(start, archive, OPTIONS, kit=kit).run() for _ in range(2)))

    seen: list[tuple[float, str]] = []
    with mill(8, seen) as server:
        asyncio.run(both(server.url("/")))
    assert len(seen) == len({path for _, path in seen})
    assert min(after - before for (before, _), (after, _) in pairwise(seen)) >= OPTIONS.delay - 0.002
    with open_archive(tmp_path / "archive.db") as archive:
        assert len(list(read_pages(archive, PageQuery()))) == 8


def test_a_crawl_that_was_stopped_is_taken_up_by_the_next_one_with_the_same_kit(tmp_path: Path) -> None:
    async def twice(start: str) -> tuple[int, int]:
        with open_archive(tmp_path / "archive.db") as archive:
            async with open_kit(archive, lease_s=3.0) as kit:
                first = Crawl(start, archive, OPTIONS, kit=kit)

                async def stop_soon(_outcome: Outcome, _receipt: Receipt) -> None:
                    if first.tally.pages >= 3:
                        first.stop()

                first._listener = stop_soon
                stopped = (await first.run()).pages
                return stopped, (await Crawl(start, archive, OPTIONS, kit=kit).run()).pages

    with mill(12) as server:
        stopped, whole = asyncio.run(twice(server.url("/")))
    assert 3 <= stopped < 12
    assert whole == 12


@pytest.mark.soak
def test_a_watch_and_a_crawl_share_a_kit(tmp_path: Path) -> None:
    async def both(start: str, other: str) -> tuple[int, int]:
        with open_archive(tmp_path / "archive.db") as archive:
            add_lists(archive, [start], ListOptions())
            async with open_kit(archive) as kit:
                watch = Watch(archive, WATCHING, kit=kit)
                crawl = Crawl(other, archive, OPTIONS, kit=kit)
                totals, tally = await asyncio.gather(watch.run(), crawl.run())
                return totals.visits, tally.pages

    with mill(6) as one, mill(6) as other:
        assert asyncio.run(both(one.url("/"), other.url("/"))) == (1, 6)


class Ahead(Archive):
    """An archive on a machine whose clock is an hour ahead of ours."""

    def clock_ahead_s(self) -> float:
        return 3_600.0

    def holds(self) -> list[float]:
        with self.reading() as connection:
            rows = connection.exec_driver_sql("SELECT until FROM hosts UNION SELECT learner_until FROM sites")
            return [until for (until,) in rows if until is not None]


def test_holds_are_counted_by_the_clock_that_all_machines_share(tmp_path: Path) -> None:
    async def hold(archive: Ahead) -> None:
        site = add_site(archive, SITE.key, Url(SITE.start))
        async with open_kit(archive, lease_s=60.0) as kit:
            assert abs(kit.seconds() - time() - 3_600.0) < 1.0
            await Learning(kit, kit.new_owner(), site, SITE).begin()

    with open_archive(tmp_path / "archive.db") as archive:
        archive.__class__ = Ahead
        assert isinstance(archive, Ahead)
        asyncio.run(hold(archive))
        [until] = archive.holds()
        assert 3_600.0 < until - time() <= 3_660.0


def test_clocks_that_differ_by_no_more_than_looking_takes_are_equal(where: str) -> None:
    async def run() -> float:
        with open_archive(where) as archive:
            assert abs(archive.clock_ahead_s()) < 1.0
            async with open_kit(archive) as kit:
                return kit.ahead_s

    assert asyncio.run(run()) == 0.0


class Late:
    """Gives a host out so late that another has it already when the answer comes."""

    left_at = 0.0

    def take_host(
        self, archive: Archive, site: int, owner: Owner, *, now: datetime, lease_s: float = 60.0, **more: Any
    ) -> HostLease | None:
        host = take_host(archive, site, owner, now=now, lease_s=lease_s, **more)
        if host is not None and not self.left_at:
            other, later = owner.another(), now + timedelta(seconds=2 * lease_s)
            sleep(lease_s)
            assert take_host(archive, site, other, now=later, **more)
            self.left_at = monotonic() + 2 * lease_s
            Timer(2 * lease_s, leave_host, (archive, host, other), {"free_at": now, "slow": 1.0}).start()
        return host


def test_a_host_is_held_from_when_it_was_asked_for_not_from_when_the_answer_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(archive: Archive, start: str) -> int:
        async with open_kit(archive, lease_s=0.4) as kit:
            return (await Crawl(start, archive, OPTIONS, kit=kit).run()).pages

    seen: list[tuple[float, str]] = []
    late = Late()
    monkeypatch.setattr("scythe.crawling.crawl.take_host", late.take_host)
    with open_archive(tmp_path / "archive.db") as archive, mill(3, seen) as server:
        assert asyncio.run(run(archive, server.url("/"))) == 3
    assert min(seen)[0] >= late.left_at - 0.01


def test_a_process_that_was_stopped_while_it_looked_at_the_clock_looks_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def stopped_once() -> float:
        nonlocal calls
        calls += 1
        return time() + (15.0 if calls > 1 else 0.0)  # stopped for 15 s after the first look at our own clock

    with open_archive(postgres_url) as archive:
        with monkeypatch.context() as patch:
            patch.setattr("scythe.archive.archive.time", stopped_once)
            ahead_s = archive.clock_ahead_s()
        assert calls == 4
        assert abs(ahead_s + 15.0) < 1.0  # our clock shows 15 s more from then on
