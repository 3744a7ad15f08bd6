"""Runs that are stopped while a server keeps them waiting: they end soon, and others need not wait for them."""

import asyncio
import gc
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.fetch.server import by_path, page, serve

from scythe.archive.archive import Archive
from scythe.archive.host_leases import host_rows, take_host
from scythe.archive.open import open_archive
from scythe.archive.outcomes import store_outcomes
from scythe.archive.stored_sites import site_rows
from scythe.crawl_model import HostLease, Outcome, Receipt
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.errors import ArchiveFailed
from scythe.watching.watch import Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

pytestmark = pytest.mark.fault


@contextmanager
def stalling(*, knows_robots: bool) -> Iterator[tuple[str, threading.Event]]:
    """A server that takes requests and never answers, except perhaps for robots.txt; give its address."""
    is_asked, kept = threading.Event(), list[socket.socket]()

    def answer(listener: socket.socket) -> None:
        while True:
            try:
                talk, _ = listener.accept()
            except OSError:
                return
            kept.append(talk)
            if b"robots.txt" in talk.recv(4_096) and knows_robots:
                talk.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                talk.close()
            else:
                is_asked.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, args=(listener,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/", is_asked
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for talk in kept:
                talk.close()


async def stop_when_asked(run: Crawl | Watch, is_asked: threading.Event) -> float:
    """Run until the server keeps it waiting; return how long it then takes to stop."""
    going = asyncio.ensure_future(run.run())
    await asyncio.to_thread(is_asked.wait, 20)
    began = monotonic()
    run.stop()
    await going
    return monotonic() - began


def make_run(kind: str, archive: Archive, address: str) -> Crawl | Watch:
    if kind == "crawl":
        return Crawl(address, archive, CrawlOptions(delay=0.0, allow_private=True))
    add_lists(archive, [address], ListOptions())
    return Watch(archive, WatchOptions(delay=0.0, allow_private=True))


@pytest.mark.parametrize("knows_robots", [True, False])
@pytest.mark.parametrize("kind", ["crawl", "watch"])
def test_a_run_that_waits_for_an_answer_stops_soon_and_leaves_its_lane(
    tmp_path: Path, kind: str, knows_robots: bool
) -> None:
    with stalling(knows_robots=knows_robots) as (address, is_asked), open_archive(tmp_path / "a.db") as archive:
        took_s = asyncio.run(stop_when_asked(make_run(kind, archive, address), is_asked))
        assert took_s < 10
        (site,) = site_rows(archive)
        hosts = host_rows(archive, site.id, now=datetime.now(UTC), kinds=("page", "list", "sitemap"))
        assert {host.owner for host in hosts} == {""}
        assert sum(host.waiting for host in hosts) >= 1


async def cancel_everything(run: Crawl, is_time: Callable[[], bool]) -> None:
    """Do what the end of a loop does to a run in the middle of its work."""
    going = asyncio.ensure_future(run.run())
    while not is_time():
        await asyncio.sleep(0)
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    await asyncio.wait([going])


@pytest.mark.parametrize("is_starting", [True, False])
def test_a_run_of_which_every_task_is_cancelled_ends(tmp_path: Path, is_starting: bool) -> None:
    """In the moment in which the process that extracts is being started, or while the server is waited for."""
    with stalling(knows_robots=True) as (address, is_asked), open_archive(tmp_path / "a.db") as archive:
        run = Crawl(address, archive, CrawlOptions(delay=0.0, allow_private=True))

        def starts() -> bool:
            return hasattr(run, "_kit") and any(slot.is_alive for slot in run._kit.pool._slots)

        is_time = starts if is_starting else is_asked.is_set
        ending = threading.Thread(target=lambda: asyncio.run(cancel_everything(run, is_time)), daemon=True)
        ending.start()
        ending.join(60)
        assert not ending.is_alive()


def test_an_archive_that_is_gone_is_told_once_however_many_pages_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    names = [f"/{number}" for number in range(16)]
    links = "".join(f'<p><a href="{name}">page</a>' for name in names).encode()
    pages = {name: page(f"<p>The page {name}.".encode(), "Content-Type: text/html") for name in names}
    pages["/"] = page(links, "Content-Type: text/html")
    failed = []
    with serve(by_path(pages)) as server, open_archive(tmp_path / "a.db") as archive:
        crawl = Crawl(server.url(), archive, CrawlOptions(delay=0, allow_private=True, workers=1))
        listed = {server.url(name) for name in names}

        def take_none(*asked: Any, **more: Any) -> HostLease | None:
            until = monotonic() + 30
            while len(server.heads) > len(names) and monotonic() < until:  # pages come while this is asked
                sleep(0.01)
                if crawl._clerk._storing:
                    raise ArchiveFailed("the archive is gone")
            return take_host(*asked, **more)

        def store_none(archive: Archive, outcomes: Sequence[Outcome]) -> list[Receipt]:
            if not any(outcome.task.url in listed for outcome in outcomes):
                return store_outcomes(archive, outcomes)
            failed.append(len(outcomes))
            sleep(0.5)  # the run is ending by now
            raise ArchiveFailed("the archive is still gone")

        monkeypatch.setattr("scythe.crawling.crawl.take_host", take_none)
        monkeypatch.setattr("scythe.engine.archive_thread.store_outcomes", store_none)
        with pytest.raises(ArchiveFailed, match=r"the archive is (?:still )?gone"):
            asyncio.run(crawl.run())
    gc.collect()
    assert failed
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []
