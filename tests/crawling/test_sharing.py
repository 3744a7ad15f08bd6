"""Two who work on one site never learn it against each other: one line of profiles, taken up by both."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.crawling.pages import SITE, make_job, write_page
from tests.fetch.server import Server, page, serve

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.archive.stored_sites import add_site, newest_version, save_profile, stored_profile
from scythe.archive.verify import verify_archive
from scythe.engine.context import open_kit
from scythe.engine.site_learning import Learning
from scythe.engine.worker_protocol import WorkerAnswer
from scythe.url import Url

PROGRAM = Path(__file__).with_name("crawl_beside.py")
LEASE_S = 1.0  # of processes; they look for profiles four times as often


@asynccontextmanager
async def two_runs(archive: Archive) -> AsyncIterator[tuple[Learning, Learning]]:
    """Begin with one site twice, as a crawl and a watch of it do; each is an owner of its own."""
    site = add_site(archive, SITE.key, Url(SITE.start))
    async with open_kit(archive) as kit:
        setups = (SITE, replace(SITE, key="watch.mill.example"))
        runs = [Learning(kit, kit.new_owner(), site, setup) for setup in setups]
        for run in runs:
            await run.begin()
        yield runs[0], runs[1]


async def extract(run: Learning, *numbers: int) -> list[WorkerAnswer]:
    """Extract pages, with what is to be known by now."""
    run._looked_at = float("-inf")
    return [await run.extract(make_job(number, site=run.setup)) for number in numbers]


def ways(answers: list[WorkerAnswer]) -> list[str]:
    return [answer.extracted.how for answer in answers if answer.extracted]


def end_rights(archive: Archive) -> None:
    """Let time pass."""
    with archive.writing() as connection:
        connection.exec_driver_sql("UPDATE sites SET learner_until = 0")


def test_what_the_one_learns_the_other_cuts_with_and_only_one_learns(tmp_path: Path) -> None:
    async def both(archive: Archive) -> None:
        async with two_runs(archive) as (one, other):
            assert one.setup.is_learner
            assert not other.setup.is_learner
            assert set(ways(await extract(other, *range(30)))) == {"tree"}  # more than would do to learn
            assert ways(await extract(one, *range(14)))[-1] == "cut"
            assert newest_version(archive, 1) == 1
            assert ways(await extract(other, 50, 51)) == ["cut", "cut"]
            assert other.setup.profile == stored_profile(archive, 1)
            by_hand = json.dumps(json.loads(stored_profile(archive, 1) or ""), indent=1)
            save_profile(archive, 1, by_hand)
            for run in (one, other):  # a person knows better than both
                assert ways(await extract(run, 60)) == ["cut"]
                assert run.setup.profile == by_hand
            await one.close()
            await other.close()
            assert one.changes >= 1
            assert other.changes == 0

    with open_archive(tmp_path / "archive.db") as archive:
        asyncio.run(both(archive))


def test_one_who_was_silent_for_too_long_stores_nothing_and_takes_what_the_other_learned(tmp_path: Path) -> None:
    async def both(archive: Archive) -> None:
        async with two_runs(archive) as (one, other):
            await extract(one, 0)
            end_rights(archive)  # the first was stopped meanwhile
            await extract(other, *range(14))
            assert other.setup.is_learner
            assert newest_version(archive, 1) == 1
            learned = stored_profile(archive, 1)
            await one._store('{"made": "from what was long ago"}')  # it learned in its sleep
            assert stored_profile(archive, 1) == learned
            assert not one.setup.is_learner
            assert ways(await extract(one, 60)) == ["cut"]
            assert one.setup.profile == learned
            await one.close()
            await other.close()
            assert one.changes == 0

    with open_archive(tmp_path / "archive.db") as archive:
        asyncio.run(both(archive))


def test_who_takes_over_learns_from_the_pages_to_come(tmp_path: Path) -> None:
    async def both(archive: Archive) -> None:
        async with two_runs(archive) as (one, other):
            await extract(other, *range(20))
            await one.close()  # without a page
            assert ways(await extract(other, *range(30, 50)))[-1] == "cut"
            assert other.setup.is_learner
            assert newest_version(archive, 1) == 1
            await other.close()

    with open_archive(tmp_path / "archive.db") as archive:
        asyncio.run(both(archive))


def test_a_site_that_another_run_of_the_process_has_is_waited_for(tmp_path: Path) -> None:
    async def both(archive: Archive) -> None:
        site = add_site(archive, SITE.key, Url(SITE.start))
        async with open_kit(archive) as kit:
            one, other = (Learning(kit, kit.new_owner(), site, replace(SITE, learns=False)) for _ in range(2))
            await one.begin()
            waiting = asyncio.ensure_future(other.begin())
            await asyncio.sleep(0)
            assert not waiting.done()
            await one.close()
            await waiting
            assert other.setup.is_learner
            await other.close()

    with open_archive(tmp_path / "archive.db") as archive:
        asyncio.run(both(archive))


# -- processes ---------------------------------------------------------------------------------------------------------


@dataclass
class Crawler:
    """A process that crawls, and what it said so far."""

    process: subprocess.Popen[str]
    said: list[dict[str, Any]] = field(default_factory=list)

    def of(self, what: str) -> list[dict[str, Any]]:
        return [line for line in self.said if what in line]

    def wait_for(self, what: str, count: int = 1) -> None:
        while len(self.of(what)) < count:
            assert self.process.poll() is None
            time.sleep(0.002)

    def go(self) -> None:
        """Let it begin."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.close()


@contextmanager
def crawler(start: str, where: str, delay_s: float = 0.02) -> Iterator[Crawler]:
    """Make a process ready to crawl; at the end of the block it is waited for, or ended where something failed."""
    command = [sys.executable, str(PROGRAM), start, where, str(LEASE_S), str(delay_s)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
    crawl = Crawler(process)
    assert process.stdout is not None
    lines = process.stdout
    reader = Thread(target=lambda: crawl.said.extend(json.loads(line) for line in lines), daemon=True)
    reader.start()
    try:
        crawl.wait_for("ready")
        yield crawl
        process.wait(60)
        reader.join(10)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        lines.close()


@contextmanager
def mill(pages: int) -> Iterator[Server]:
    """Serve a site whose pages each name some others."""
    front = "".join(f'<li><a href="/page-{n}.html">Page number {n}</a></li>' for n in range(pages))
    site = {f"/page-{n}.html": page(write_page(n, links=0), "Content-Type: text/html") for n in range(pages)}
    site["/"] = page(f"<title>All</title><h1>All of them</h1><ul>{front}</ul>".encode(), "Content-Type: text/html")

    async def answer(path: str) -> AsyncIterator[bytes]:
        yield site.get(path) or page(b"nothing here", status="404 Not Found")

    with serve(answer) as server:
        yield server


def check_one_line(where: str, crawlers: list[Crawler], pages: int) -> None:
    """Assert that profiles were stored one after the other, and that nobody cut with any other."""
    stored = sorted(
        (line["stored"], line["after"], line["digest"])
        for crawl in crawlers
        for line in crawl.of("stored")
        if line["stored"] is not None and line["stored"] != line["after"]
    )
    versions = [version for version, _, _ in stored]
    assert versions == list(range(1, len(stored) + 1))
    assert [after for _, after, _ in stored] == [version - 1 for version in versions]
    assert {line["taken"] for crawl in crawlers for line in crawl.of("taken")} <= {digest for *_, digest in stored}
    with open_archive(where) as archive:
        assert newest_version(archive, 1) == len(stored) >= 1
        assert len(list(read_pages(archive, PageQuery()))) == pages
        assert not verify_archive(archive)


@pytest.mark.soak
def test_two_processes_on_one_site_make_one_line_of_profiles(postgres_url: str) -> None:
    where = postgres_url
    with mill(120) as server, crawler(server.url("/"), where) as one, crawler(server.url("/"), where) as other:
        one.go()
        other.go()
    assert one.said[-1] == other.said[-1] == {"ended": True}
    asked = [line["page"] for crawl in (one, other) for line in crawl.of("page")]
    assert len(asked) == len(set(asked)) == 121
    for crawl in (one, other):
        assert [line["how"] for line in crawl.of("page")][-5:] == ["cut"] * 5
    check_one_line(where, [one, other], 121)


@pytest.mark.slow
@pytest.mark.fault
def test_when_the_process_that_learns_is_killed_the_other_goes_on(tmp_path: Path) -> None:
    where = str(tmp_path / "archive.db")
    with (
        mill(40) as server,
        crawler(server.url("/"), where, 0.05) as one,
        crawler(server.url("/"), where, 0.05) as other,
    ):
        one.go()
        one.wait_for("page")  # it has the right
        other.go()
        one.wait_for("page", 3)
        os.killpg(one.process.pid, signal.SIGKILL)
    assert other.said[-1] == {"ended": True}
    assert one.of("stored") or other.of("stored")
    assert [line["how"] for line in other.of("page")][-5:] == ["cut"] * 5
    check_one_line(where, [one, other], 41)
