"""Serve a replay or a growing list on loopback, and log its requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.sites.replay import Outage, Replay, ReplayHost

from scythe.demo.answers import Answer
from scythe.demo.protocol import DemoConnection, Request, write_head

_ADDRESS = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """One request as the ledger has it."""

    at: float  # what the site's clock showed when the answer was written
    host: int
    target: str
    status: int  # 0: it was left hanging
    agent: str = ""


@dataclass
class ReplayDesk:
    """What all connections of one host share."""

    site: ReplayHost
    now: Callable[[], float]
    write: Callable[[ReplayRequest], None]
    latency_s: float = 0.0
    connections: int = 0
    open: set[DemoConnection] = field(default_factory=set)
    moment: float = 0.0  # that the last answer is of

    def serve(self, target: str) -> tuple[Answer, bytes]:
        """Answer one request, with the head of the answer."""
        self.moment = self.now()
        answer = self.site.answer(target, self.moment)
        return answer, write_head(answer)

    def note(self, request: Request) -> None:
        """Write the request down that was just answered."""
        status = 0 if self.site.replay.failure(self.site.host, self.moment) == "hang" else request.status
        self.write(ReplayRequest(self.moment, self.site.host, request.target, status, request.agent))


@dataclass
class _Door:
    """The port of one host, which can be shut: connections are refused then, and nobody else gets the port."""

    desk: ReplayDesk | None = None  # it names the port, so the port comes first
    server: asyncio.Server | None = None
    port: int = 0

    async def hold(self) -> None:
        """Take the port without listening."""
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(self._greet, _ADDRESS, self.port, backlog=512, start_serving=False)
        self.port = self.server.sockets[0].getsockname()[1]

    def _greet(self) -> DemoConnection:
        assert self.desk is not None
        return DemoConnection(self.desk)

    async def open(self) -> None:
        """Begin to listen."""
        assert self.server is not None
        await self.server.start_serving()

    async def shut(self) -> None:
        """End every connection and refuse new ones."""
        for _ in range(3):  # connections just accepted become talks, aborted transports go
            for talk in list(self.desk.open if self.desk else ()):
                if talk.transport is not None:
                    talk.transport.abort()
            await asyncio.sleep(0)
        if self.server is not None:
            self.server.close()
        await asyncio.sleep(0)


class ReplayServer:
    """A replay that is being served by the running loop."""

    def __init__(self, replay: Replay, now: Callable[[], float], write: Callable[[ReplayRequest], None]) -> None:
        self.replay = replay
        self.now = now
        self.write = write
        self.doors = [_Door() for _ in range(replay.hosts)]
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def bases(self) -> tuple[str, ...]:
        """Scheme, host and port of each host."""
        return tuple(f"http://{_ADDRESS}:{door.port}" for door in self.doors)

    async def start(self) -> None:
        """Begin to serve."""
        for number, door in enumerate(self.doors):
            await door.hold()
            door.desk = ReplayDesk(ReplayHost(self.replay, number, self.bases[number]), self.now, self.write)
            await door.open()
        refused = (outage for outage in self.replay.outages if outage.how == "refused")
        self.tasks = [asyncio.get_running_loop().create_task(self._refuse(outage)) for outage in refused]

    async def stop(self) -> None:
        """End every connection."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for door in self.doors:
            await door.shut()

    async def _refuse(self, outage: Outage) -> None:
        """Shut one door for the time of an outage."""
        door = self.doors[outage.host]
        await self._wait_until(outage.since)
        await door.shut()
        await door.hold()
        await self._wait_until(outage.until)
        await door.open()

    async def _wait_until(self, moment: float) -> None:
        while (left_s := (moment - self.now()) / self.replay.pace.speed) > 0:
            await asyncio.sleep(min(left_s, 1.0))


@dataclass(frozen=True)
class ServedReplay:
    """A replay that is being served."""

    replay: Replay
    bases: tuple[str, ...]  # scheme, host and port of each host

    def url(self, path: str) -> str:
        """Return the address of a list page."""
        page = next(page for page in self.replay.pages if page.path == path)
        return self.bases[page.host] + path

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of all list pages."""
        return tuple(self.bases[page.host] + page.path for page in self.replay.pages)

    def stories(self, path: str, since: float, until: float) -> dict[str, float]:
        """Return the addresses of the stories that arrived on a list page in a time, with when they did."""
        page = next(page for page in self.replay.pages if page.path == path)
        found: dict[str, float] = {}
        for shelf in map(self.replay.shelf, page.shelves):
            places = range(self.replay.count(shelf, since), self.replay.count(shelf, until))
            arrived = (self.replay.story(shelf, at) for at in places)
            found |= {self.bases[page.host] + story.plan.path: story.at for story in arrived}
        return found


@dataclass(frozen=True)
class ReplayThread(ServedReplay):
    """A replay served by a thread of this process."""

    asked: list[ReplayRequest]


@contextmanager
def serve_replay(replay: Replay, now: Callable[[], float] | None = None) -> Iterator[ReplayThread]:
    """Serve a replay from a thread of this process until the block ends; `now` replaces the clock of its pace."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True, name="replay")
    thread.start()
    asked: list[ReplayRequest] = []
    try:
        server = ReplayServer(replay, now or replay.pace.now, asked.append)
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
        try:
            yield ReplayThread(replay, server.bases, asked)
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
