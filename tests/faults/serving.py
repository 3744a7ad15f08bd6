"""Serve everything hostile on loopback: a list at the root, pages and servers below it, one of them alone if wanted."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from html import escape
from urllib.parse import parse_qs, unquote

from tests.faults.registry import PAGES, SERVERS, TABLES, find, slug
from tests.faults.servers import HTML, Ask, Behave
from tests.fetch.server import Server, listen, page

SIZE = 1_000  # repetitions in a page, unless it is asked for otherwise
MOST = 5_000_000
_NOT_THERE = page(b"not found", status="404 Not Found")


async def answer(head: str) -> AsyncIterator[bytes]:
    """Answer one request to the server that has everything."""
    path, _, query = head.split(" ")[1].partition("?")
    _, kind, name, *rest = [*path.split("/"), "", ""]
    try:
        if kind == "pages" and name:
            body = PAGES[find("page", unquote(name))](size_of(query))
            yield page(body, "Content-Type: text/html")
        elif kind == "servers" and name:
            behave = SERVERS[find("server", unquote(name))]
            below = "/" + "/".join(rest).rstrip("/")
            async for piece in behave(Ask(f"/servers/{name}", below, query, head)):
                yield piece
        else:
            yield page(write_list(), HTML) if path == "/" else _NOT_THERE
    except KeyError:
        yield _NOT_THERE


def size_of(query: str) -> int:
    """Return how many repetitions are wanted."""
    wanted = parse_qs(query).get("n", [""])[0]
    return min(int(wanted), MOST) if wanted.isascii() and wanted.isdecimal() else SIZE


def write_list() -> bytes:
    """Write the page that lists everything that is served."""
    rows = [
        f'<tr><td>{kind}<td><a href="/{kind}s/{escape(slug(name))}">{escape(name)}</a>'
        for kind in ("page", "server")
        for name in TABLES[kind]
    ]
    head = "<!doctype html><title>Everything hostile</title><h1>Everything hostile</h1>"
    return f"{head}<table><tr><th>kind<th>name{''.join(rows)}</table>".encode()


@contextmanager
def serve_hostile(port: int = 0, *, alone: str = "") -> Iterator[Server]:
    """Serve everything until the block ends, or one server alone at the root of its port."""
    server = Server(port)
    behave: Behave | None = SERVERS[find("server", alone)] if alone else None

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        server.heads.append(head)
        if behave is None:
            pieces = answer(head)
        else:
            path, _, query = head.split(" ")[1].partition("?")
            pieces = behave(Ask("", path, query, head))
        async for piece in pieces:
            writer.write(piece)
            await writer.drain()

    with listen(talk, server):
        yield server
