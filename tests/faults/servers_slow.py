"""Servers that take their time, each in another place of its answer."""

import asyncio
from collections.abc import AsyncIterator

from tests.faults.servers import OK, Ask, server

PAUSE_S = 0.02  # between two drops
_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
_GZIP = OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"

# what is sent at once, and what is sent again and again behind it
DRIPS: dict[str, tuple[bytes, bytes]] = {
    "silence": (b"", b""),
    "status": (b"HTTP/1.1 200 O", b"K"),
    "header lines": (OK, b"X: y\r\n"),
    "one header": (OK + b"X: ", b"y"),
    "body": (OK + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "chunks": (_CHUNKED, b"1\r\nx\r\n"),
    "one chunk": (_CHUNKED + b"fffff\r\n", b"x"),
    "chunk size": (_CHUNKED, b"0"),
    "gzip": (_GZIP, b"\x00"),
    "no length": (OK + b"\r\n", b"x"),
    "early hints": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "redirect": (b"HTTP/1.1 302 Found\r\nContent-Length: 99999\r\nLocation: /slow", b""),
}


async def drip(first: bytes, drop: bytes) -> AsyncIterator[bytes]:
    """Send something at once, and then a little again and again without end."""
    yield first
    while True:
        await asyncio.sleep(PAUSE_S)
        yield drop


def _register(what: str, first: bytes, drop: bytes) -> None:
    @server(f"drip {what}")
    def behave(ask: Ask) -> AsyncIterator[bytes]:
        return drip(first, drop)


for _what, (_first, _drop) in DRIPS.items():
    _register(_what, _first, _drop)
