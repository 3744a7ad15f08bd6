"""Serve the demo site on loopback, from a thread, with a log of requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address

from scythe.demo.answers import ServedSite
from scythe.demo.live_list import LiveSite, grow
from scythe.demo.protocol import DemoConnection, Request, ServerState
from scythe.demo.world import World
from scythe.errors import BadInput


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What to serve and how; the defaults are a plain site of which every page answers at once."""

    seed: int = 1  # another seed makes another site
    pages: int = 200  # content pages; lists come on top
    design: int = 0  # 0 or 1
    latency_s: float = 0.0  # before every answer
    address: str = "127.0.0.1"  # of this machine: 127.0.0.0/8 or ::1
    port: int = 0  # 0: any that is free

    def __post_init__(self) -> None:
        """Raise BadInput where something is asked for that cannot be served."""
        try:
            is_own = ip_address(self.address).is_loopback
        except ValueError:
            is_own = False
        if not is_own:
            raise BadInput(f"the demo site is served on loopback only, not on {self.address}")
        if self.pages < 1:
            raise BadInput(f"pages must be at least 1, not {self.pages}")
        if self.design not in (0, 1):
            raise BadInput(f"design must be 0 or 1, not {self.design}")


@dataclass(frozen=True)
class DemoThread:
    """A demo site served by a thread of this process."""

    desk: ServerState
    log: list[Request]  # every request so far, in the order they came
    loop: asyncio.AbstractEventLoop

    @property
    def site(self) -> ServedSite:
        """What is served."""
        return self.desk.site

    @property
    def world(self) -> World:
        """The pages it has."""
        return self.site.world

    @property
    def url(self) -> str:
        """The address of the front page."""
        return self.world.base + "/"

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of the lists that grow."""
        return (self.world.base + self.site.path,) if isinstance(self.site, LiveSite) else ()

    def redesign(self, design: int, after: int = 0) -> int:
        """Serve another design once so many more requests came; return how many came before."""

        async def change() -> int:  # between two requests, so that the number is exact
            self.desk.redesign = (self.desk.requests + after, design)
            return self.desk.requests + after

        return asyncio.run_coroutine_threadsafe(change(), self.loop).result()


Make = Callable[[World], ServedSite]


@contextmanager
def serve_demo(options: DemoOptions | None = None, make: Make = ServedSite) -> Iterator[DemoThread]:
    """Serve a demo site from a thread of this process until the block ends; `make` makes it of its pages."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True, name="demo site")
    thread.start()
    log: list[Request] = []
    try:
        start = start_serving(options or DemoOptions(), log.append, make)
        desk, server = asyncio.run_coroutine_threadsafe(start, loop).result()
        try:
            yield DemoThread(desk, log, loop)
        finally:
            asyncio.run_coroutine_threadsafe(stop_serving(desk, server), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@contextmanager
def serve_live(every_s: float, seed: int = 1) -> Iterator[DemoThread]:
    """Serve a site with a list that gets a story every so many seconds, more or less; `urls` has its address."""
    with serve_demo(DemoOptions(seed, pages=12), grow(every_s, seed)) as served:
        yield served


async def start_serving(
    options: DemoOptions, note: Callable[[Request], None], make: Make = ServedSite
) -> tuple[ServerState, asyncio.Server]:
    """Begin to serve; the site is made when its port is known, for its pages name their own address."""
    desks: list[ServerState] = []
    server = await asyncio.get_running_loop().create_server(
        lambda: DemoConnection(desks[0]), options.address, options.port, backlog=1024, start_serving=False
    )
    port = server.sockets[0].getsockname()[1]
    host = f"[{options.address}]" if ":" in options.address else options.address
    site = make(World(options.seed, options.pages, options.design, f"http://{host}:{port}"))
    desks.append(ServerState(site, options.design, options.latency_s, note))
    await server.start_serving()
    return desks[0], server


async def stop_serving(desk: ServerState, server: asyncio.Server) -> None:
    """End every connection."""
    for turn in range(20):  # connections just accepted become talks, aborted transports go
        for talk in list(desk.open):
            if talk.transport is not None:
                talk.transport.abort()
        if turn == 10:
            server.close()  # not earlier: Python 3.11 leaks a connection that is being accepted meanwhile
        await asyncio.sleep(0)
