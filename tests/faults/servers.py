"""Hostile servers by name: a request comes in, pieces of bytes go out that no honest server would send.

`SERVERS[name]` can be mounted anywhere: below a folder of one server that has them all, or at the root of a port of
its own, where also its robots.txt is asked for. The connection closes behind the last piece.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from tests.fetch.server import page


@dataclass(frozen=True, slots=True)
class Ask:
    """One request."""

    mount: str  # where the server was mounted: empty, or a path without a slash at its end
    path: str  # below that; begins with a slash
    query: str = ""
    head: str = ""  # the whole head of the request


Behave = Callable[[Ask], AsyncIterator[bytes]]
SERVERS: dict[str, Behave] = {}
HTML = "Content-Type: text/html; charset=utf-8"
OK = b"HTTP/1.1 200 OK\r\n"


def server(name: str) -> Callable[[Behave], Behave]:
    """Register how a server behaves."""

    def register(behave: Behave) -> Behave:
        SERVERS[name] = behave
        return behave

    return register


def answers_always(name: str, *pieces: bytes) -> None:
    """Register a server that answers every request with the same pieces."""

    async def behave(ask: Ask) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    server(name)(behave)


def plain(text: str = "An honest page.") -> bytes:
    """Write out a small page."""
    return page(f"<!doctype html><title>Plain</title><p>{text}</p>".encode(), HTML)


def redirect(location: str, *headers: str, body: bytes = b"", status: str = "302 Found") -> bytes:
    """Write out an answer that leads elsewhere."""
    return page(body, f"Location: {location}", *headers, status=status)
