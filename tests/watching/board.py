"""A list on a loopback server that tests add to, page by page, and a watch over it whose clock they set."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.fetch.server import Server, serve

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_records
from scythe.archive.watches import watch_rows
from scythe.watching.clock import Clock
from scythe.watching.events import Event
from scythe.watching.hooks import HookOptions
from scythe.watching.watch import Totals, Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

HOUR_S = 3_600.0
TOPICS = ("harbour", "council", "orchard", "railway", "museum", "library", "bridge", "market", "theatre", "river")


@dataclass
class Board:
    """What the server shows: numbered stories, newest first, so many on a page."""

    stories: list[int] = field(default_factory=list)
    shown: int = 10
    has_pager: bool = True
    is_new_design: bool = False
    status: int = 200
    headers: tuple[str, ...] = ()
    robots: str = ""
    fails_at_page: int = 0  # this one answers 503
    tag: str = ""
    moves: dict[str, tuple[int, str]] = field(default_factory=dict)  # path -> status and where it leads
    story_status: int = 200
    is_cut: bool = False  # the connection ends before the page does
    has_front: bool = False  # the four newest stand in a box above, and not in the list

    def add(self, count: int) -> None:
        """Let stories arrive."""
        first = max(self.stories, default=100) + 1
        self.stories[:0] = range(first + count - 1, first - 1, -1)

    def page(self, number: int) -> str:
        skip = 4 if self.has_front else 0
        here = self.stories[skip + (number - 1) * self.shown : skip + number * self.shown]
        write = _new_card if self.is_new_design else _old_card
        rows = "\n".join(write(story) for story in here)
        box = '<ol class="feed">' if self.is_new_design else '<div class="list">'
        end = "</ol>" if self.is_new_design else "</div>"
        pager = ""
        if self.has_pager and number * self.shown < len(self.stories):
            pager = f'<nav class="pager"><a rel="next" href="/news?page={number + 1}">Next page</a></nav>'
        return f"""<!doctype html><html lang="en"><head><title>News of the day</title></head><body>
        <nav><ul><li><a href="/">Home</a></li><li><a href="/about">About us</a></li>
        <li><a href="/help">Help</a></li></ul></nav>
        <main><h1>News of the day</h1>{self.front()}{box}{rows}{end}{pager}</main>
        <footer><p>Made by hand.</p></footer></body></html>"""

    def front(self) -> str:
        if not self.has_front:
            return ""
        cards = (
            f"""<article class="lead"><figure><img src="/i/{n}.jpg" alt=""></figure>
            <h2><a href="/story/{n}-{TOPICS[n % 10]}">{_title(n)}</a></h2>
            <p>It is the talk of the town, {n} people say, and more will come.</p></article>"""
            for n in self.stories[:4]
        )
        return f'<section class="leads">{"".join(cards)}</section>'


def _title(story: int) -> str:
    first, second = TOPICS[story % 10], TOPICS[story // 10 % 10]
    return f"The {first} beside the {second} opens again after {story} days of work"


def _old_card(story: int) -> str:
    return f"""<div class="item"><a href="/story/{story}-{TOPICS[story % 10]}"><img src="/i/{story}.jpg" alt=""></a>
    <h2><a href="/story/{story}-{TOPICS[story % 10]}">{_title(story)}</a></h2>
    <p class="teaser">People waited for {story} days, and on the last of them it rained from morning on.</p></div>"""


def _new_card(story: int) -> str:
    topic = TOPICS[story // 3 % 10]
    return f"""<li class="card"><header><a class="topic" href="/topic/{topic}">{topic}</a>
    <h3><a href="/story/{story}-{TOPICS[story % 10]}">{_title(story)}</a></h3></header>
    <section>On the last of {story} days it rained, and nobody who had waited went home before the evening.</section>
    <a class="by" href="/people/{story % 7}">Writer {story % 7}</a></li>"""


@dataclass
class Stand:
    """A server with a board, and an archive beside it."""

    board: Board
    server: Server
    archive: Archive
    ahead_s: float = 0.0  # what the clock shows beyond the time
    events: list[Event] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.server.url("/news")

    @property
    def asked(self) -> list[str]:
        """The paths that were asked for, without robots.txt."""
        return [path for head in self.server.heads if (path := head.split(" ")[1]) != "/robots.txt"]

    def clock(self) -> Clock:
        return Clock(wall=lambda: time.time() + self.ahead_s)

    def visit(
        self, options: ListOptions | None = None, *, hooks: HookOptions | None = None, after_s: float = 0.0
    ) -> Totals:
        """Watch what is due, once; `after_s` later than the last time."""
        self.ahead_s += after_s
        add_lists(self.archive, [self.url], options or ListOptions(), self.clock())
        return self.go_on(hooks=hooks)

    def go_on(self, *, hooks: HookOptions | None = None) -> Totals:
        said = WatchOptions(delay=0.0, allow_private=True, once=True)
        watch = Watch(self.archive, said, listener=self._take, clock=self.clock(), hooks=hooks)
        return asyncio.run(watch.run())

    async def _take(self, event: Event) -> None:
        self.events.append(event)

    def stories(self) -> list[int]:
        """Return the stories that are archived, one entry for each record that leads to one."""
        found = []
        for record in read_records(self.archive, PageQuery()):
            numbers = {int(link.split("/story/")[1].split("-")[0]) for link in record.links if "/story/" in link}
            found += sorted(numbers)
        return sorted(found)


@contextmanager
def open_stand(folder: Path, board: Board | None = None) -> Iterator[Stand]:
    """Serve a board and open an archive until the block ends."""
    shown = board or Board()

    async def answer(target: str) -> AsyncIterator[bytes]:
        yield _answer(shown, target)

    with serve(answer) as server, open_archive(folder / "watch.db") as archive:
        yield Stand(shown, server, archive)


def _answer(board: Board, target: str) -> bytes:
    parts = urlsplit(target)
    if parts.path == "/robots.txt":
        return _response(200 if board.robots else 404, board.robots, ("Content-Type: text/plain",))
    if target in board.moves:
        status, there = board.moves[target]
        return _response(status, "", (f"Location: {there}",))
    if parts.path.startswith("/story/") and board.story_status != 200:
        return _response(board.story_status, "")
    if parts.path.startswith("/story/"):
        number = int(parts.path.split("/")[2].split("-")[0])
        text = "".join(
            f"<p>{_title(number)}. Sentence {n} says what else happened there on that day.</p>" for n in range(12)
        )
        return _response(
            200, f"<html><head><title>{_title(number)}</title></head><body><article>{text}</article></body></html>"
        )
    number = int(parse_qs(parts.query).get("page", ["1"])[0])
    if board.status != 200 or number == board.fails_at_page:
        return _response(board.status if board.status != 200 else 503, "", board.headers)
    answer = _response(200, board.page(number), board.headers)
    return answer if not board.is_cut else answer[:-200]


def _response(status: int, body: str, headers: tuple[str, ...] = ()) -> bytes:
    sent = body.encode()
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(sent)}", "Connection: close", *headers]
    if not any(line.startswith("Content-Type") for line in headers):
        lines.append("Content-Type: text/html; charset=utf-8")
    return "\r\n".join([*lines, "", ""]).encode() + sent


def next_visit_s(stand: Stand) -> float:
    """Return in how many seconds the page is due."""
    (row,) = watch_rows(stand.archive)
    assert row.due_at is not None
    return (row.due_at - stand.clock().now()).total_seconds()
