"""The durable scheduler of Scrapy by itself: what is stored when, and what an archive that fails costs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("scrapy")
import scrapy
from scrapy.extensions.feedexport import FeedExporter
from scrapy.http import Request
from scrapy.utils.asyncio import AsyncioLoopingCall
from tests.scrapy.test_scrapy_parts import crawler

from scythe.errors import ArchiveFailed
from scythe.scrapy import scheduler as scheduling
from scythe.scrapy.scheduler import Scheduler, mend_feeds

URL = "https://mill.example/{}"


class Mill(scrapy.Spider):
    name = "mill"


class Engine:
    """As much of Scrapy's engine as a scheduler asks: nothing is under way."""

    def __init__(self) -> None:
        self.downloader = SimpleNamespace(active=set(), slots={})
        self.scraper = SimpleNamespace(slot=None)
        self.closed: list[str] = []

    async def close_spider_async(self, *, reason: str) -> None:
        self.closed.append(reason)


@pytest.fixture(autouse=True)
def _loop_without_reactor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The looping call of a process without a reactor, whatever other tests installed."""
    monkeypatch.setattr(scheduling, "create_looping_call", AsyncioLoopingCall)


def play(where: Path, work: Callable[[Scheduler], Awaitable[None]], **settings: Any) -> None:
    """Open a scheduler, do something with it, and close it."""

    async def inside() -> None:
        ours = crawler(SCYTHE_ARCHIVE=str(where), **settings)
        ours.engine = Engine()
        made = Scheduler.from_crawler(ours)
        made.open(Mill())
        try:
            await work(made)
        finally:
            made.close("finished")

    asyncio.run(inside())


def name(made: Scheduler, *numbers: int) -> list[bool]:
    return [made.enqueue_request(Request(URL.format(number))) for number in numbers]


def asked(made: Scheduler) -> list[str]:
    return [request.url.rpartition("/")[2] for request in iter(made.next_request, None)]


def test_what_was_not_asked_waits_for_the_next_run_and_anew_forgets_it(tmp_path: Path) -> None:
    lengths: list[int] = []

    async def leave(made: Scheduler) -> None:
        assert name(made, 1, 2, 3, 2) == [True, True, True, False]
        assert made.has_pending_requests()
        lengths.append(len(made))

    async def look(made: Scheduler) -> None:
        lengths.append(len(made))

    play(tmp_path / "a.db", leave)
    play(tmp_path / "a.db", look)
    play(tmp_path / "a.db", look, SCYTHE_ANEW=True)
    assert lengths == [3, 3, 0]


def test_many_named_requests_are_stored_before_anybody_asks_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_NEW_AT_ONCE", 3)

    async def work(made: Scheduler) -> None:
        name(made, 1, 2)
        assert made._requests.count_waiting() == 0
        name(made, 3)
        assert made._requests.count_waiting() == 3

    play(tmp_path / "a.db", work)


def test_a_duplicate_that_was_forgotten_is_known_by_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_RECENT", 2)

    async def work(made: Scheduler) -> None:
        assert name(made, 1, 2, 3, 1) == [True, True, True, True]  # the first is not remembered any more
        assert len(made._recent) == 2
        assert len(asked(made)) == 3

    play(tmp_path / "a.db", work)


def test_an_archive_that_fails_loses_nothing_and_closes_the_spider_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(scheduling, "_AGAIN_S", 0.0)

    async def work(made: Scheduler) -> None:
        name(made, 1, 2)
        turn = made._requests.turn

        def fail(*_: object) -> None:
            raise ArchiveFailed("the disk is full")

        monkeypatch.setattr(made._requests, "turn", fail)
        closed = made._crawler.engine.closed  # type: ignore[union-attr]
        assert asked(made) == []
        assert made.has_pending_requests()
        made._tick()
        assert closed == []
        monkeypatch.setattr(scheduling, "_GIVE_UP_S", -1.0)
        made._tick()
        await asyncio.sleep(0)
        assert closed == ["archive_failed"]
        monkeypatch.setattr(made._requests, "turn", turn)
        assert sorted(asked(made)) == ["1", "2"]

    with caplog.at_level(logging.ERROR):
        play(tmp_path / "a.db", work)
    assert [record.message for record in caplog.records] == [
        "The archive could not be written, nothing is lost yet: the disk is full"
    ]


def test_what_the_archive_was_not_told_at_the_end_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ArchiveFailed("the disk is full")

    async def work(made: Scheduler) -> None:
        name(made, 1)
        monkeypatch.setattr(made._requests, "turn", fail)

    play(tmp_path / "a.db", work)
    assert "The last requests were not stored in the archive" in caplog.text


def test_a_scheduler_that_was_never_open_can_be_closed(tmp_path: Path) -> None:
    Scheduler.from_crawler(crawler(SCYTHE_ARCHIVE=str(tmp_path / "a.db"))).close("shutdown")
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_what_this_run_did_not_ask_is_nobodys(tmp_path: Path) -> None:
    async def work(made: Scheduler) -> None:
        name(made, 1)
        request = made.next_request()
        assert request is not None
        made._note_failure(None)
        assert not made._asked_of(Source(request)).has_failed  # type: ignore[union-attr]
        made._note_failure(Source(request))
        assert made._asked_of(Source(request)).has_failed  # type: ignore[union-attr]

    play(tmp_path / "a.db", work)


class Source:
    """What an error came from."""

    def __init__(self, request: Request) -> None:
        self.request = request


# feed files -----------------------------------------------------------------------------------------------------------


def exporting(*paths: Path) -> Any:
    """A crawler that writes feeds, as Scrapy has it when a spider was opened."""
    ours = crawler(FEEDS={str(path): {"format": path.suffix[1:]} for path in paths})
    exporter = FeedExporter.from_crawler(ours)
    ours.get_extension = lambda kind: exporter if kind is FeedExporter else None
    exporter.open_spider(Mill())
    return ours


def test_only_lines_that_a_kill_tore_are_ended(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    said = {"torn.jsonlines": b'{"a": 1}\n{"a"', "whole.jsonlines": b'{"a": 1}\n', "empty.csv": b"", "other.json": b"["}
    for file, content in said.items():
        (tmp_path / file).write_bytes(content)
    mend_feeds(exporting(*(tmp_path / file for file in (*said, "none.csv"))))
    now = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert now == said | {"torn.jsonlines": b'{"a": 1}\n{"a"\n'}
    assert caplog.text.count("was torn, and is ended") == 1
