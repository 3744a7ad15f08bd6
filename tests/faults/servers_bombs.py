"""Servers whose answers grow without end: packed small, or never ending in some part."""

import random
import zlib
from collections.abc import AsyncIterator, Callable, Iterator

import brotli
from tests.faults.servers import OK, Ask, Behave, plain, server

from scythe.fetch.decode import zstd  # type: ignore[attr-defined]

MEGABYTE = 1_000_000
Pack = Callable[[Iterator[bytes]], Iterator[bytes]]


def pack_zlib(window: int) -> Pack:
    """Return a packer for gzip (31) or deflate (15)."""

    def pack(pieces: Iterator[bytes]) -> Iterator[bytes]:
        packer = zlib.compressobj(9, wbits=window)
        for piece in pieces:
            yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)

    return pack


def pack_brotli(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pack as br."""
    packer = brotli.Compressor(quality=5)
    for piece in pieces:
        yield packer.process(piece) + packer.flush()


def pack_zstd(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Pack as zstd."""
    packer = zstd.ZstdCompressor()
    for piece in pieces:
        yield packer.compress(piece, packer.FLUSH_BLOCK)


PACKERS: dict[str, Pack] = {"gzip": pack_zlib(31), "deflate": pack_zlib(15), "br": pack_brotli, "zstd": pack_zstd}
CHAINS = [*PACKERS, "gzip, gzip", "br, gzip", "zstd, br", "deflate, zstd"]


def zeros() -> Iterator[bytes]:
    """Ten gigabytes that pack into ten megabytes or much less."""
    return (bytes(MEGABYTE) for _ in range(10_000))


def prose() -> Iterator[bytes]:
    """As much that packs a hundred times, as a long and dull page would: no ratio gives it away."""
    dice = random.Random(5)
    return (dice.randbytes(10_000).hex().encode() * 50 for _ in range(10_000))


def bomb(
    chain: str, content: Callable[[], Iterator[bytes]] = zeros, status: str = "200 OK", location: str = ""
) -> Iterator[bytes]:
    """Yield an answer whose body is packed by a chain of codings."""
    where = f"Location: {location}\r\n" if location else ""
    yield f"HTTP/1.1 {status}\r\n{where}Content-Encoding: {chain}\r\n\r\n".encode()
    coded = content()
    for name in chain.split(", "):
        coded = PACKERS[name](coded)
    yield from filter(None, coded)


def _bombs(chain: str, status: str, content: Callable[[], Iterator[bytes]] = zeros) -> Behave:
    async def behave(ask: Ask) -> AsyncIterator[bytes]:
        if ask.path == "/end":
            yield plain("The end of a redirect.")
            return
        for piece in bomb(chain, content, status, f"{ask.mount}/end" if status[0] == "3" else ""):
            yield piece

    return behave


for _chain in CHAINS:
    _name = _chain.replace(",", "")
    server(f"bomb {_name}")(_bombs(_chain, "200 OK"))
for _chain in PACKERS:
    server(f"bomb {_chain} of prose")(_bombs(_chain, "200 OK", prose))
    server(f"bomb {_chain} in a redirect")(_bombs(_chain, "302 Found"))
    server(f"bomb {_chain} in an error")(_bombs(_chain, "500 Internal Server Error"))

_CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
# what is sent once, and what is sent again and again behind it
ENDLESS: dict[str, tuple[bytes, bytes]] = {
    "header lines": (OK, b"X-Header: y\r\n" * 5_000),
    "one header": (OK + b"X: ", b"y" * 65_536),
    "header name": (OK, b"x" * 65_536),
    "large headers": (OK, b"X: " + b"y" * 60_000 + b"\r\n"),
    "status": (b"HTTP/1.1 200 ", b"O" * 65_536),
    "version": (b"HTTP/", b"1" * 65_536),
    "folded": (OK + b"X: y\r\n", b" folded\r\n" * 7_000),
    "hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 1_000),
    "empty lines": (b"", b"\r\n" * 30_000),
    "cookies": (OK, b"Set-Cookie: a=b; Path=/\r\n" * 3_000),
    "plain": (OK + b"\r\n", b"x" * 65_536),
    "chunks": (_CHUNKED, b"1\r\nx\r\n" * 10_000),
    "trailers": (_CHUNKED + b"1\r\nx\r\n0\r\n", b"X-Trailer: y\r\n" * 5_000),
    "one trailer": (_CHUNKED + b"1\r\nx\r\n0\r\nX: ", b"y" * 65_536),
    "chunk size": (_CHUNKED, b"0" * 65_536),
}


async def endless(what: str, times: int = 5_000) -> AsyncIterator[bytes]:
    """Send one of `ENDLESS`."""
    first, again = ENDLESS[what]
    yield first
    for _ in range(times):
        yield again


def _register(what: str) -> None:
    @server(f"endless {what}")
    def behave(ask: Ask) -> AsyncIterator[bytes]:
        return endless(what)


for _what in ENDLESS:
    _register(_what)
