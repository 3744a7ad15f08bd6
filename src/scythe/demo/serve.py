"""Serve the demo site on loopback, in a thread or process, with a log of requests.

`python -m scythe.demo.serve --pages 1500` runs it as a process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TextIO

from scythe.demo.answers import DemoRobots, ServedSite
from scythe.demo.corners import LAB, Setting, build_corners
from scythe.demo.protocol import DemoConnection, Request, ServerState
from scythe.demo.world import World
from scythe.errors import BadInput


def _option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What to serve and how; the defaults are a plain site of which every page answers at once."""

    seed: int = _option(1, "another seed makes another site")
    pages: int = _option(200, "content pages; lists come on top")
    design: int = _option(0, "0 or 1")
    redesign_after: int | None = _option(None, "requests after which the other design is served")
    latency_s: float = _option(0.0, "wait before every answer")
    crawl_delay_s: float | None = _option(None, "what robots.txt asks for")
    weight_bytes: int = _option(0, "minimum length of pages")
    corners: tuple[str, ...] = _option((), "odd corners to add, names with commas between, or: all")
    slow_s: float = _option(2.0, "what the slow corner waits")
    address: str = _option("127.0.0.1", "of this machine: 127.0.0.0/8 or ::1")
    port: int = _option(0, "0: any that is free")

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


def write_arguments(options: DemoOptions) -> Iterator[str]:
    """Say options on a command line."""
    for name, value in asdict(options).items():
        if value is not None:
            yield f"--{name.replace('_', '-')}={','.join(value) if isinstance(value, tuple) else value}"


def read_arguments(arguments: list[str]) -> tuple[DemoOptions, argparse.Namespace]:
    """Read options from a command line; what is only for the process is in the namespace."""
    parser = argparse.ArgumentParser(prog="python -m scythe.demo.serve", description="Serve the demo site on loopback.")
    parser.add_argument("--log", help="write every request to this file, a JSON object per line")
    parser.add_argument("--eager", action="store_true", help="write all pages before the first request")
    parser.add_argument("--heed", action="store_true", help="obey lines of standard input (design N), end with it")
    readers: dict[str, Callable[[str], object]] = {"redesign_after": int, "crawl_delay_s": float, "corners": _split}
    known = fields(DemoOptions)
    for option in known:
        parser.add_argument(
            f"--{option.name.replace('_', '-')}",
            type=readers.get(option.name, type(option.default)),
            default=option.default,
            help=option.metadata["help"],
        )
    said = parser.parse_args(arguments)
    return DemoOptions(**{option.name: getattr(said, option.name) for option in known}), said


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


@dataclass(frozen=True)
class Served:
    """A demo site that is being served."""

    site: ServedSite

    @property
    def world(self) -> World:
        """The pages it has."""
        return self.site.world

    @property
    def url(self) -> str:
        """The address of the front page."""
        return self.site.world.base + "/"


@dataclass(frozen=True)
class DemoThread(Served):
    """A demo site served by a thread of this process."""

    desk: ServerState
    log: list[Request]  # every request so far, in the order they came

    def redesign(self, design: int) -> int:
        """Serve another design from now on; return how many requests came before."""
        self.desk.design = design
        return self.desk.served


@dataclass(frozen=True)
class DemoProcess(Served):
    """A demo site served by a process of its own."""

    process: subprocess.Popen[str]
    log_file: Path

    @property
    def log(self) -> list[Request]:
        """Every request so far, in the order they came."""
        lines = self.log_file.read_text(encoding="utf-8").splitlines(keepends=True)
        return [Request(**json.loads(line)) for line in lines if line.endswith("\n")]

    def redesign(self, design: int) -> int:
        """Serve another design from now on; return how many requests came before."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"design {design}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def make_site(options: DemoOptions, base: str) -> ServedSite:
    """Put together what is served at an address."""
    more = (LAB,) if options.corners else ()
    world = World(options.seed, options.pages, options.design, base, options.weight_bytes, more)
    corners = build_corners(Setting(world, options.slow_s), options.corners)
    disallow = ("/private/",) if any(corner.name == "private" for corner in corners) else ()
    return ServedSite(world, DemoRobots(disallow, options.crawl_delay_s), corners)


@contextmanager
def serve_demo(options: DemoOptions | None = None) -> Iterator[DemoThread]:
    """Serve a demo site from a thread of this process until the block ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True, name="demo site")
    thread.start()
    log: list[Request] = []
    try:
        start = _start(options or DemoOptions(), log.append)
        desk, server = asyncio.run_coroutine_threadsafe(start, loop).result()
        try:
            yield DemoThread(desk.site, desk, log)
        finally:
            asyncio.run_coroutine_threadsafe(_stop(desk, server), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


@contextmanager
def serve_demo_process(options: DemoOptions | None = None) -> Iterator[DemoProcess]:
    """Serve a demo site from a process of its own until the block ends; it ends too when this process dies."""
    options = options or DemoOptions()
    with tempfile.TemporaryDirectory() as folder:
        log_file = Path(folder) / "requests.jsonl"
        command = [sys.executable, "-m", "scythe.demo.serve", "--log", str(log_file), "--heed"]
        command += write_arguments(options)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  (our own module)
            assert process.stdout is not None
            try:
                base = process.stdout.readline().strip().rstrip("/")
                if not base:
                    raise OSError(f"the demo site cannot be served on {options.address}, port {options.port}")
                yield DemoProcess(make_site(options, base), process, log_file)
            finally:
                process.terminate()


async def _start(options: DemoOptions, note: Callable[[Request], None]) -> tuple[ServerState, asyncio.Server]:
    """Begin to serve; the site is made when its port is known, for its pages name their own address."""
    desks: list[ServerState] = []
    server = await asyncio.get_running_loop().create_server(
        lambda: DemoConnection(desks[0]), options.address, options.port, backlog=1024, start_serving=False
    )
    port = server.sockets[0].getsockname()[1]
    host = f"[{options.address}]" if ":" in options.address else options.address
    site = make_site(options, f"http://{host}:{port}")
    desks.append(ServerState(site, options.design, options.latency_s, options.redesign_after, note))
    await server.start_serving()
    return desks[0], server


async def _stop(desk: ServerState, server: asyncio.Server) -> None:
    """End every connection."""
    for turn in range(20):  # connections just accepted become talks, aborted transports go
        for talk in list(desk.open):
            if talk.transport is not None:
                talk.transport.abort()
        if turn == 10:
            server.close()  # not earlier: Python 3.11 leaks a connection that is being accepted meanwhile
        await asyncio.sleep(0)


def serve_here(options: DemoOptions, *, log: str | None = None, is_eager: bool = False, heeds: bool = False) -> None:
    """Serve until interrupted; the first line of the output is the address.

    `log` is a file for every request, a JSON object per line. `is_eager`: write all pages before the first request.
    `heeds`: obey lines of standard input (design N) and end with it.
    """
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve_here(options, log, is_eager, heeds))


async def _serve_here(options: DemoOptions, log: str | None, is_eager: bool, heeds: bool) -> None:
    with open(log or os.devnull, "a", buffering=1, encoding="utf-8") as lines:
        desk, server = await _start(options, lambda request: _write_down(request, lines))
        if is_eager:
            for path in desk.site.world.paths:
                desk.keep(path)
        _speak(f"{desk.site.world.base}/")
        ended = asyncio.Event()
        if heeds:
            loop = asyncio.get_running_loop()
            threading.Thread(target=_heed, args=(desk, loop, ended), daemon=True).start()
        await ended.wait()
        await _stop(desk, server)


def _write_down(request: Request, log: TextIO) -> None:
    log.write(json.dumps(asdict(request)) + "\n")


def _speak(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _heed(desk: ServerState, loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Obey what the process that started this one says, and answer with the number of requests before."""
    for line in sys.stdin:
        asyncio.run_coroutine_threadsafe(_obey(desk, line), loop).result()
    loop.call_soon_threadsafe(ended.set)


async def _obey(desk: ServerState, line: str) -> None:
    """Do it between two requests, so that the number is exact."""
    word, _, number = line.strip().partition(" ")
    if word == "design" and number in ("0", "1"):
        desk.design = int(number)
    _speak(str(desk.served))


if __name__ == "__main__":
    options, said = read_arguments(sys.argv[1:])
    serve_here(options, log=said.log, is_eager=said.eager, heeds=said.heed)
