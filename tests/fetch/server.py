"""A loopback server whose every answer is written out byte by byte by the test."""

import asyncio
import itertools
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Answer = Callable[[str], AsyncIterator[bytes]]  # request path -> pieces to send; the connection closes after the last


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    """A running server: its port (a free one unless one is wanted), and every request head it saw."""

    port: int = 0
    address: str = "127.0.0.1"
    heads: list[str] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    open_most: int = 0

    def url(self, path: str = "/") -> str:
        return f"http://{self.address}:{self.port}{path}"

    def seen(self, name: str) -> list[str]:
        """Return the values of one header in all requests, an empty one where a request had none."""
        found = []
        for head in self.heads:
            lines = (line.partition(":") for line in head.split("\r\n")[1:])
            found.append(next((value.strip() for key, _, value in lines if key.lower() == name.lower()), ""))
        return found


@contextmanager
def serve(
    answer: Answer,
    *,
    listens: bool = True,
    address: str = "127.0.0.1",
    keeps: bool = False,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Server]:
    """Serve `answer` until the block ends; a server may talk without listening, and may keep its connections."""
    server = Server(address=address)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in itertools.count() if keeps else range(1):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1") if listens else "GET / HTTP/1.1"
            server.heads.append(head)
            async for piece in answer(head.split(" ")[1]):
                writer.write(piece)
                await writer.drain()

    with listen(talk, server, tls=tls):
        yield server


@contextmanager
def listen(talk: Talk, server: Server, *, tls: ssl.SSLContext | None = None) -> Iterator[None]:
    """Run `talk` for every connection, in a loop and thread of its own, until the block ends."""
    loop = asyncio.new_event_loop()
    started = threading.Event()
    stop = asyncio.Event()
    talks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks[task] = writer
        server.connections += 1
        server.open_now += 1
        server.open_most = max(server.open_most, server.open_now)
        try:
            await talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            server.open_now -= 1
            writer.close()

    async def main() -> None:
        listener = await asyncio.start_server(count, server.address, server.port, ssl=tls, backlog=1_024)
        server.port = listener.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        for turn in range(20):  # connections just accepted become talks, aborted transports go
            for task, writer in list(talks.items()):
                task.cancel()
                with suppress(AttributeError):  # Python 3.11: a secure transport that its other side just closed
                    writer.transport.abort()
            if turn == 10:
                listener.close()  # not earlier: Python 3.11 leaks a connection that is being accepted meanwhile
            await asyncio.sleep(0)

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),), daemon=True)
    thread.start()
    while thread.is_alive() and not started.wait(0.05):
        continue
    if not started.is_set():
        raise OSError(f"nothing can listen on {server.address}:{server.port}")
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Write out one whole answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def kept_page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Write out one whole answer after which the connection stays."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def always(*pieces: bytes) -> Answer:
    """Answer every request with the same pieces."""

    async def answer(path: str) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return answer


def by_path(pages: dict[str, bytes]) -> Answer:
    """Answer by path; what is not in the table is 404."""

    async def answer(path: str) -> AsyncIterator[bytes]:
        yield pages.get(path) or page(b"nothing here", status="404 Not Found")

    return answer
