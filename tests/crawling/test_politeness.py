"""What a server sees of a crawl: its delay, its robots.txt and its refusals are kept, as its own log tells."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.fetch.server import Server, page, serve

from scythe.archive.host_leases import Owner, take_host
from scythe.archive.open import open_archive
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.fetch.connections import Connector

pytestmark = pytest.mark.fault
HTML = "Content-Type: text/html; charset=utf-8"
NO_HARM_S = 0.002  # the moment is noted when a request has been read, a little after it came
BUSY = page(b"later", status="503 Service Unavailable")
POLITE = CrawlOptions(
    delay=0.1, allow_private=True, patience_s=0.0, parts=("text",), sitemaps=False, feeds=False, attempts=2
)


@dataclass
class Log:
    """A server and every request that came to it, with its moment."""

    server: Server
    seen: list[tuple[float, str]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [path for _, path in self.seen]

    @property
    def gaps(self) -> list[float]:
        return [after - before for (before, _), (after, _) in pairwise(self.seen)]

    def url(self, path: str = "/") -> str:
        return self.server.url(path)


def story(number: int, *links: str) -> bytes:
    """Write a page that says something of its own and leads on."""
    anchors = "".join(f'<p><a href="{link}">Read about {link}</a></p>' for link in links)
    words = " ".join(f"word{number * 40 + n}" for n in range(40))
    html = (
        f"<!doctype html><title>Page {number}</title><article><h1>Page {number}</h1><p>{words}.</p></article>{anchors}"
    )
    return page(html.encode(), HTML)


def chain(count: int, robots: bytes = b"") -> dict[str, bytes]:
    """Return a site whose front page leads to all others."""
    paths = [f"/page-{number}" for number in range(1, count)]
    site = {"/": story(0, *paths)} | {path: story(number, "/") for number, path in enumerate(paths, 1)}
    return site | ({"/robots.txt": page(robots)} if robots else {})


@contextmanager
def logged(answer: Callable[[str, Log], bytes | None]) -> Iterator[Log]:
    """Serve what `answer` gives for a path, 404 where it gives nothing, and note when each request came."""

    async def reply(path: str) -> AsyncIterator[bytes]:
        log.seen.append((monotonic(), path))
        yield answer(path, log) or page(b"nothing here", status="404 Not Found")

    with serve(reply) as server:
        log = Log(server)
        yield log


def of(site: dict[str, bytes]) -> Callable[[str, Log], bytes | None]:
    return lambda path, log: site.get(path)


def crawl(start: str, folder: Path, options: CrawlOptions = POLITE) -> Crawl:
    with open_archive(folder / "archive.db") as archive:
        run = Crawl(start, archive, options)
        asyncio.run(run.run())
    return run


def test_the_server_never_sees_less_than_the_delay(tmp_path: Path) -> None:
    with logged(of(chain(12))) as log:
        run = crawl(log.url(), tmp_path)
    assert run.tally.pages == 12
    assert log.paths[0] == "/robots.txt"
    assert len(log.seen) == 13
    assert min(log.gaps) >= 0.1 - NO_HARM_S
    assert log.server.open_most == 1


def test_crawl_delay_is_kept_where_it_is_longer(tmp_path: Path) -> None:
    with logged(of(chain(4, b"User-agent: *\nCrawl-delay: 0.4\n"))) as log:
        crawl(log.url(), tmp_path)
    assert len(log.seen) == 5
    assert min(log.gaps[1:]) >= 0.4 - NO_HARM_S


def test_the_delay_is_kept_from_one_run_to_the_next(tmp_path: Path) -> None:
    with logged(of(chain(6, b"User-agent: *\nCrawl-delay: 0.5\n"))) as log:
        for limit in (1, 3, 6):
            crawl(log.url(), tmp_path, CrawlOptions(limit=limit, delay=0.1, allow_private=True, sitemaps=False))
    assert log.paths.count("/robots.txt") == 1
    assert len(log.seen) == 7
    assert min(log.gaps[1:]) >= 0.5 - NO_HARM_S


def test_the_delay_holds_when_a_run_is_stopped_in_the_middle_of_a_request(tmp_path: Path) -> None:
    async def stop_soon(log: Log) -> None:
        with open_archive(tmp_path / "archive.db") as archive:
            run = Crawl(log.url(), archive, POLITE)
            task = asyncio.ensure_future(run.run())
            while len(log.seen) < 3:
                await asyncio.sleep(0.005)
            run.stop()
            await task

    with logged(of(chain(6))) as log:
        asyncio.run(stop_soon(log))
        crawl(log.url(), tmp_path)
    assert {"/", *(f"/page-{number}" for number in range(1, 6))} <= set(log.paths)
    assert min(log.gaps) >= 0.1 - NO_HARM_S


def test_several_at_a_time_start_a_delay_apart(tmp_path: Path) -> None:
    site = chain(10)

    async def slowly(path: str) -> AsyncIterator[bytes]:
        seen.append(monotonic())
        await asyncio.sleep(0.5)
        yield site.get(path) or page(b"no", status="404 Not Found")

    seen: list[float] = []
    with serve(slowly) as server:
        crawl(server.url(), tmp_path, CrawlOptions(delay=0.1, per_host=4, allow_private=True, sitemaps=False))
    assert len(seen) == 11
    # the way to the server may take longer for one request than for the next, but not for all of them
    assert all(after - before >= 0.2 for before, after in zip(seen, seen[4:], strict=False))
    assert 2 <= server.open_most <= 4


def test_a_site_that_was_closed_is_crawled_when_its_robots_txt_comes(tmp_path: Path) -> None:
    site = chain(3)
    with logged(lambda path, log: BUSY if path == "/robots.txt" and len(log.seen) < 2 else site.get(path)) as log:
        closed = crawl(log.url(), tmp_path)
        assert (closed.tally.pages, log.paths) == (0, ["/robots.txt"])
        assert "robots.txt" in closed.why_ended
        assert crawl(log.url(), tmp_path).tally.pages == 3
    assert log.paths[:3] == ["/robots.txt", "/robots.txt", "/"]


def test_redirects_of_robots_txt_are_followed_at_the_same_pace(tmp_path: Path) -> None:
    site = chain(2) | {"/4": page(b"User-agent: *\nDisallow: /page-1\n")}
    site |= {f"/{n}": page(b"", f"Location: /{n + 1}", status="302 Found") for n in range(1, 4)}
    with logged(of(site | {"/robots.txt": page(b"", "Location: /1", status="302 Found")})) as log:
        crawl(log.url(), tmp_path)
    assert log.paths == ["/robots.txt", "/1", "/2", "/3", "/4", "/"]
    assert min(log.gaps) >= 0.1 - NO_HARM_S


def test_what_is_forbidden_is_never_asked_for(tmp_path: Path) -> None:
    links = ["/private/a", "/x?session=1", "/open/b", "/private/open/c", "/file.pdf", "/moved", "/%70rivate/d"]
    robots = b"User-agent: *\nDisallow: /private\nDisallow: /*?session\nAllow: /private/open\nDisallow: /*.pdf$\n"
    site = {"/": story(0, *links), "/robots.txt": page(robots), "/open/b": story(1), "/private/open/c": story(2)}
    site |= {path: story(9) for path in links if path not in site}
    site["/moved"] = page(b"", "Location: /private/e", status="302 Found")
    with logged(of(site)) as log:
        crawl(log.url(), tmp_path)
    assert sorted(log.paths) == ["/", "/moved", "/open/b", "/private/open/c", "/robots.txt"]


def test_a_start_that_is_forbidden_is_not_asked_for_unless_told_to(tmp_path: Path) -> None:
    with logged(of(chain(2, b"User-agent: scythe\nDisallow: /\n"))) as log:
        run = crawl(log.url(), tmp_path)
        assert log.paths == ["/robots.txt"]
        assert run.tally.pages == 0
        (tmp_path / "other").mkdir()
        own_site = CrawlOptions(delay=0, obey_robots=False, allow_private=True, sitemaps=False)
        assert crawl(log.url(), tmp_path / "other", own_site).tally.pages == 2
    assert log.paths.count("/robots.txt") == 1


def test_robots_txt_is_asked_for_once_a_day_and_not_by_each_run(tmp_path: Path) -> None:
    with logged(of(chain(2, b"User-agent: *\nDisallow: /private\n"))) as log:
        crawl(log.url(), tmp_path)
        crawl(log.url(), tmp_path, CrawlOptions(delay=0, refresh=True, allow_private=True, sitemaps=False))
    assert log.paths.count("/robots.txt") == 1
    assert log.paths.count("/") == 2


def test_a_page_that_asks_for_more_time_than_our_patience_is_left_for_another_run(tmp_path: Path) -> None:
    busy = page(b"later", "Retry-After: 7200", status="503 Service Unavailable")
    with logged(of({"/": story(1, "/busy"), "/busy": busy})) as log:
        run = crawl(log.url(), tmp_path, replace(POLITE, delay=0.0))
    assert log.paths == ["/robots.txt", "/", "/busy"]
    assert (run.tally.pages, run.tally.waiting) == (1, 1)
    again = datetime.now(UTC) + timedelta(seconds=7_200)
    assert f"is to be tried again from {again:%Y-%m-%d}" in run.why_ended


@pytest.mark.slow
def test_retry_after_is_kept_and_the_page_comes_in_the_end(tmp_path: Path) -> None:
    site = chain(4)
    said: list[float] = []

    def once_busy(path: str, log: Log) -> bytes | None:
        if path == "/page-1" and not said:
            said.append(monotonic())
            return page(b"later", "Retry-After: 2", status="429 Too Many Requests")
        return site.get(path)

    with logged(once_busy) as log:
        options = CrawlOptions(delay=0.1, allow_private=True, sitemaps=False, feeds=False, patience_s=30.0)
        run = crawl(log.url(), tmp_path, options)
    assert run.tally.pages == 4
    at = log.paths.index("/page-1")
    assert log.gaps[at] >= 2.0 - NO_HARM_S
    assert log.paths.count("/page-1") == 2
    assert min(log.gaps[at + 1 :]) >= 0.2 - NO_HARM_S  # and slower than before from then on


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.1])
def test_a_storm_of_503_is_met_with_ever_longer_pauses(tmp_path: Path, delay: float) -> None:
    site = chain(8)
    with logged(lambda path, log: site.get(path) if path in ("/", "/robots.txt") else BUSY) as log:
        options = CrawlOptions(delay=delay, per_host=1, allow_private=True, sitemaps=False, feeds=False, patience_s=0.0)
        run = asyncio.run(_until(log, tmp_path, options, requests=6))
    assert run.tally.pages == 1
    storm = log.gaps[log.paths.index("/") + 1 :]
    assert len(storm) >= 3
    least = [delay + 0.5 * (2**refusals - 1) for refusals in range(1, len(storm) + 1)]
    assert all(gap >= pause - NO_HARM_S for gap, pause in zip(storm, least, strict=True))


@pytest.mark.slow
def test_one_refusal_holds_all_requests_at_a_host(tmp_path: Path) -> None:
    site = chain(20)
    with logged(lambda path, log: site.get(path) if path in ("/", "/robots.txt") else BUSY) as log:
        options = CrawlOptions(delay=0.0, per_host=4, allow_private=True, sitemaps=False, feeds=False, patience_s=0.0)
        asyncio.run(_until(log, tmp_path, options, requests=8))
    storm = log.gaps[log.paths.index("/") + 1 :]
    assert sum(gap < 0.45 for gap in storm) <= 3  # those that were under way already
    assert max(storm) >= 1.5 - NO_HARM_S


async def _until(log: Log, folder: Path, options: CrawlOptions, *, requests: int) -> Crawl:
    """Crawl until the server has seen so many requests."""
    with open_archive(folder / "archive.db") as archive:
        run = Crawl(log.url(), archive, options)
        task = asyncio.ensure_future(run.run())
        while len(log.seen) < requests and not task.done():
            await asyncio.sleep(0.01)
        run.stop()
        await task
    return run


@pytest.mark.slow
def test_two_crawls_of_one_archive_keep_one_delay(tmp_path: Path) -> None:
    async def both(log: Log) -> list[Crawl]:
        with open_archive(tmp_path / "archive.db") as one, open_archive(tmp_path / "archive.db") as two:
            runs = [Crawl(log.url(), archive, options) for archive in (one, two)]
            await asyncio.gather(*(run.run() for run in runs))
        return runs

    options = CrawlOptions(delay=0.1, allow_private=True, sitemaps=False, feeds=False)
    with logged(of(chain(20))) as log:
        asyncio.run(both(log))
    assert sorted(set(log.paths)) == sorted(["/robots.txt", "/", *(f"/page-{number}" for number in range(1, 20))])
    assert len(log.paths) == len(set(log.paths))
    assert min(log.gaps) >= 0.1 - NO_HARM_S


async def sleep_over(log: Log, where: Path, fall_asleep: Callable[[Callable[[], None]], None]) -> list[str]:
    """Crawl until four requests were made; return them. What is passed to `fall_asleep` gives the host to another."""
    with open_archive(where) as archive, open_archive(where) as other:
        run = Crawl(log.url(), archive, CrawlOptions(delay=0.1, allow_private=True, sitemaps=False, patience_s=0.0))
        task = asyncio.ensure_future(run.run())
        while len(log.seen) < 4:
            await asyncio.sleep(0.005)

        def lose() -> None:
            later = datetime.now(UTC) + timedelta(minutes=10)
            assert take_host(other, 1, Owner.of_this_process(), now=later, lease_s=600.0) is not None
            for work in run._hosts.values():
                work.kept_at = (0.0, 0.0)

        before = list(log.paths)
        fall_asleep(lose)
        await asyncio.sleep(0.6)
        run.stop()
        await task
        return before


def test_a_process_that_slept_asks_for_its_host_before_it_asks_the_host(tmp_path: Path) -> None:
    """It was stopped for so long that another process took the host, and goes on in the middle of it."""
    with logged(of(chain(30))) as log:
        before = asyncio.run(sleep_over(log, tmp_path / "archive.db", lambda lose: lose()))
    assert log.paths == before


def test_a_process_that_slept_with_a_request_in_its_hand_does_not_send_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was stopped after its last look at the host, and before the request was on its way."""
    connect, lost = Connector.connect, []

    def fall_asleep(lose: Callable[[], None]) -> None:
        async def sleep_first(self: Connector, *given: Any, **named: Any) -> Any:
            if not lost:
                lost.append(lose())
            return await connect(self, *given, **named)

        monkeypatch.setattr(Connector, "connect", sleep_first)

    with logged(of(chain(30))) as log:
        before = asyncio.run(sleep_over(log, tmp_path / "archive.db", fall_asleep))
    assert lost, "nothing was about to be asked"
    assert log.paths == before


def test_a_process_that_slept_with_the_rules_of_a_host_to_ask_for_does_not_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like a page, robots.txt is asked for only while the host is held, as is seen to at the socket."""
    connect, lost = Connector.connect, []

    async def sleep_over_rules(log: Log) -> None:
        with open_archive(tmp_path / "archive.db") as archive, open_archive(tmp_path / "archive.db") as other:
            run = Crawl(log.url(), archive, replace(POLITE, delay=0.0))

            async def sleep_first(self: Connector, *given: Any, **named: Any) -> Any:
                if not lost:
                    later = datetime.now(UTC) + timedelta(minutes=10)
                    lost.append(take_host(other, 1, Owner.of_this_process(), now=later, lease_s=600.0))
                    for work in run._hosts.values():
                        work.kept_at = (0.0, 0.0)
                return await connect(self, *given, **named)

            monkeypatch.setattr(Connector, "connect", sleep_first)
            task = asyncio.ensure_future(run.run())
            while not lost:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.6)
            run.stop()
            await task

    with logged(of(chain(3))) as log:
        asyncio.run(sleep_over_rules(log))
    assert lost != [None]
    assert log.paths == []


def test_a_visit_that_outlives_the_loss_of_its_host_sends_nothing(tmp_path: Path) -> None:
    """It is cancelled when the loss is found out; whatever keeps it alive, the last word on its request is no."""

    async def lose(log: Log) -> tuple[bool, bool, list[str]]:
        with open_archive(tmp_path / "archive.db") as archive:
            run = Crawl(log.url(), archive, replace(POLITE, delay=0.1))
            task = asyncio.ensure_future(run.run())
            while len(log.seen) < 3:
                await asyncio.sleep(0.005)
            (work,) = run._hosts.values()
            was_sure, work.is_lost, before = work.is_sure, True, list(log.paths)
            with pytest.raises(asyncio.CancelledError):
                await run._manners.get(run._fetcher, log.url("/page-29"), work)
            is_sure = work.is_sure
            run.stop()
            await task
            return was_sure, is_sure, before

    with logged(of(chain(30))) as log:
        was_sure, is_sure, before = asyncio.run(lose(log))
        assert (was_sure, is_sure) == (True, False)
        assert "/page-29" not in log.paths[len(before) :]
