"""A loopback server whose every answer is written out byte by byte by the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Answer = Callable[[str], AsyncIterator[bytes]]  # request path -> pieces to send; the connection closes after the last


@dataclass
class Server:
    """A running server: its port, and every request head it saw."""

    port: int = 0
    address: str = "127.0.0.1"
    heads: list[str] = field(default_factory=list)
    open_now: int = 0
    open_most: int = 0

    def url(self, path: str = "/") -> str:
        return f"http://{self.address}:{self.port}{path}"


@contextmanager
def serve(answer: Answer, *, listens: bool = True, address: str = "127.0.0.1") -> Iterator[Server]:
    """Serve `answer` from a thread of its own until the block ends; a server may talk without listening."""
    server = Server(address=address)
    loop = asyncio.new_event_loop()
    started = threading.Event()
    stop = asyncio.Event()
    talks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks[task] = writer
        server.open_now += 1
        server.open_most = max(server.open_most, server.open_now)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1") if listens else "GET / HTTP/1.1"
            server.heads.append(head)
            async for piece in answer(head.split(" ")[1]):
                writer.write(piece)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            server.open_now -= 1
            writer.close()

    async def main() -> None:
        listener = await asyncio.start_server(talk, address, 0)
        server.port = listener.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        for turn in range(20):  # connections just accepted become talks, aborted transports go
            for task, writer in list(talks.items()):
                task.cancel()
                writer.transport.abort()
            if turn == 10:
                listener.close()  # not earlier: Python 3.11 leaks a connection that is being accepted meanwhile
            await asyncio.sleep(0)

    thread = threading.Thread(target=loop.run_until_complete, args=(main(),), daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Write out one whole answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
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
