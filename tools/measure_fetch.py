"""Time requests through one fetcher and through bare aiohttp, against a server in a process of its own.

python tools/measure_fetch.py [REQUESTS]
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import aiohttp

from scythe.fetch import FetchOptions, open_fetcher

WAYS = 16  # requests under way
ROUNDS = 10  # the best one counts: whatever else runs on the machine only adds
PATHS = {"/1": 1_000, "/100": 100_000}
HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "1"\r\nContent-Length: %d\r\n\r\n'
ANSWERS = {path.encode(): HEAD % size + b"x" * size for path, size in PATHS.items()}
Get = Callable[[str], Awaitable[object]]


class Server(asyncio.Protocol):
    """Answer every request with a body of the size its path names."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.unread = transport, b""

    def data_received(self, data: bytes) -> None:
        *heads, self.unread = (self.unread + data).split(b"\r\n\r\n")
        for head in heads:
            self.transport.write(ANSWERS[head.split(b" ", 2)[1]])


async def serve() -> None:
    listener = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    print(listener.sockets[0].getsockname()[1], flush=True)
    await listener.serve_forever()


async def time_requests(get: Get, url: str, count: int) -> tuple[float, float]:
    """Return processor and wall time of one request, in microseconds."""
    left = iter(range(count))

    async def ask() -> None:
        for _ in left:
            await get(url)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(WAYS)))
    return (time.process_time() - cpu) / count * 1e6, (time.perf_counter() - wall) / count * 1e6


async def compare(port: int, count: int) -> None:
    options = FetchOptions(allow_private=True, concurrency=WAYS, per_host=WAYS)
    connector = aiohttp.TCPConnector(limit=WAYS)
    async with aiohttp.ClientSession(connector=connector) as session, open_fetcher(options) as fetcher:

        async def get_bare(url: str) -> bytes:
            async with session.get(url) as answer:
                return await answer.read()

        for path, size in PATHS.items():
            for name, get in (("aiohttp", get_bare), ("scythe", fetcher.get)):
                url = f"http://127.0.0.1:{port}{path}"
                cpu, wall = min([await time_requests(get, url, count) for _ in range(ROUNDS)])
                print(f"{name:8} {size:7,} bytes: {cpu:4.0f} us of processor time, {wall:4.0f} us in all")


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    with subprocess.Popen([sys.executable, __file__, "serve"], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            asyncio.run(compare(int(server.stdout.readline()), int(sys.argv[1]) if sys.argv[1:] else 2_000))
        finally:
            server.terminate()
