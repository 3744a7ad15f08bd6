"""Sites on loopback servers that note every request, and workers on them, in this process or in their own."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import make_url, text
from tests.fetch.server import Server, page, serve

from scythe.archive.archive import Archive
from scythe.crawling.crawl_options import CrawlOptions
from scythe.workers.worker import Worker, WorkerOptions

QUICK = CrawlOptions(delay=0.0, allow_private=True, parts=("text",), sitemaps=False, feeds=False, attempts=2)
HEARTBEAT_S = 4.0  # the shortest that leaves a busy machine time for four signs in half of it
_SOCKET = ".s.PGSQL.5432"
_HTML = "Content-Type: text/html; charset=utf-8"


@dataclass
class Site:
    """A site whose front page leads to all others, and every request that came to it, with its moment."""

    pages: int
    server: Server = field(default_factory=Server)
    seen: list[tuple[float, str]] = field(default_factory=list)
    status: str = "200 OK"

    @property
    def url(self) -> str:
        return self.server.url("/")

    @property
    def key(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    @property
    def asked(self) -> list[str]:
        """The pages that were asked for, in order."""
        return [path for _, path in self.seen if path != "/robots.txt"]

    @property
    def gaps(self) -> list[float]:
        return [after - before for (before, _), (after, _) in pairwise(self.seen)]

    def answer(self, path: str) -> bytes:
        if path == "/robots.txt":
            return page(b"", status="404 Not Found" if self.status.startswith("200") else self.status)
        number = int(path.removeprefix("/page-") if path != "/" else 0)
        links = [f"/page-{n}" for n in range(1, self.pages)] if path == "/" else ["/"]
        anchors = "".join(f'<p><a href="{link}">Read about {link}</a></p>' for link in links)
        words = " ".join(f"word{number * 40 + n}" for n in range(40))
        html = f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1><p>{words}.</p>{anchors}"
        return page(html.encode(), _HTML, status=self.status)


@contextmanager
def serve_site(pages: int) -> Iterator[Site]:
    """Serve a site until the block ends."""
    site = Site(pages)

    async def reply(path: str) -> AsyncIterator[bytes]:
        site.seen.append((monotonic(), path))
        yield site.answer(path)

    with serve(reply) as site.server:
        yield site


def work(archive: Archive, options: WorkerOptions | None = None) -> list[str]:
    """Have a worker in this process work until nothing is left; return what it said."""
    said: list[str] = []
    options = options or WorkerOptions(heartbeat_s=HEARTBEAT_S, until_idle=True)
    run = Worker(archive, options, tell=lambda site, line: said.append(line))
    asyncio.run(asyncio.wait_for(run.run(), 60))
    return said


@contextmanager
def start_worker(where: str, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Run `scythe worker` as a process; it is killed where it still runs at the end of the block."""
    command = [sys.executable, "-m", "scythe", "worker", "--archive", where, "--heartbeat", str(HEARTBEAT_S), *flags]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(is_so: Callable[[], Any], limit_s: float = 60.0) -> float:
    """Wait until something is so; return how long it took."""
    began = monotonic()
    while not is_so():
        if monotonic() - began > limit_s:
            raise AssertionError(f"it was not so within {limit_s:g} s")
        sleep(0.02)
    return monotonic() - began


def ask(archive: Archive, query: str) -> Sequence[Any]:
    """Ask the database something."""
    with archive.writing() as connection:
        found = connection.execute(text(query))
        return found.all() if found.returns_rows else []


def states(archive: Archive) -> dict[str, str]:
    """Return the state of every assignment by its site."""
    rows = ask(archive, "SELECT key, state FROM assignments a JOIN sites s ON site = s.id")
    return {row.key: row.state for row in rows}


@contextmanager
def relay(where: str, folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Pass connections to a database on; give the address to connect to, and what cuts all of them off for good."""
    socket_folder = make_url(where).query["host"]
    path, ends = folder / _SOCKET, list[socket.socket]()
    listener = socket.create_server(str(path), family=socket.AF_UNIX)

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while said := source.recv(65_536):
                target.sendall(said)
        shut(target)

    def take() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(f"{socket_folder}/{_SOCKET}")
                ends.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=pass_on, args=pair, daemon=True).start()

    def cut() -> None:
        path.unlink(missing_ok=True)
        for each in (listener, *ends):
            shut(each)

    threading.Thread(target=take, daemon=True).start()
    try:
        yield make_url(where).update_query_dict({"host": str(folder)}).render_as_string(), cut
    finally:
        cut()
        for each in (listener, *ends):
            each.close()


def shut(talk: socket.socket) -> None:
    """End a connection for both sides."""
    with suppress(OSError):
        talk.shutdown(socket.SHUT_RDWR)
