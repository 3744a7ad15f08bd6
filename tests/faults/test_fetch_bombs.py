"""Bodies and heads that grow without end, fetched by a process that must not grow with them.

The process may have 400 MB of address space in all, of which Python with what `scythe.fetch` imports takes some 60;
what it uses of that may grow by the longest body, 64 MB, and little more.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import brotli
import pytest
from tests.fetch.server import Answer, Server, page, serve

from scythe.fetch import FetchOptions, fetch
from scythe.fetch.codings import zstd
from scythe.limits import LIMITS

pytestmark = [
    pytest.mark.fault,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS and /proc are Linux"),
]
ADDRESS_SPACE_MB = 400
MEGABYTE = 1_000_000
CHILD = """
import resource, sys
space = int(sys.argv[1]) * 1_000_000
resource.setrlimit(resource.RLIMIT_AS, (space, space))
from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) // 1024
options = FetchOptions(allow_private=True, timeout_s=60)
fetch(sys.argv[2] + "/small", options=options)
before = peak()
for path in sys.argv[3:]:
    got = None
    try:
        got = fetch(sys.argv[2] + path, options=options)
        print(path, got.status, len(got.body), got.cut_at_bytes, got.why_cut.replace(" ", "_") or "-", sep=" ")
    except FetchFailed as failure:
        print(path, 0, 0, None, failure.why.replace(" ", "_"))
print(peak() - before)
"""


@dataclass(frozen=True)
class Got:
    """What the process got of one path."""

    status: int
    body_bytes: int
    cut_at_bytes: int | None
    why: str


def fetch_in_child(server: Server, *paths: str) -> tuple[list[Got], int]:
    """Fetch in a process with little memory; return what it got, and by how many MB it grew at most."""
    command = [sys.executable, "-c", CHILD, str(ADDRESS_SPACE_MB), server.url("")]
    done = subprocess.run([*command, *paths], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-800:]
    *lines, grown = done.stdout.splitlines()
    rows = [line.split(" ") for line in lines]
    got = [Got(int(row[1]), int(row[2]), None if row[3] == "None" else int(row[3]), row[4]) for row in rows]
    return got, int(grown)


def pack_zlib(window: int) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    def pack(pieces: Iterator[bytes]) -> Iterator[bytes]:
        packer = zlib.compressobj(9, wbits=window)
        for piece in pieces:
            yield packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH)

    return pack


def pack_brotli(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = brotli.Compressor(quality=5)
    for piece in pieces:
        yield packer.process(piece) + packer.flush()


def pack_zstd(pieces: Iterator[bytes]) -> Iterator[bytes]:
    packer = zstd.ZstdCompressor()
    for piece in pieces:
        yield packer.compress(piece, packer.FLUSH_BLOCK)


PACKERS = {"gzip": pack_zlib(31), "deflate": pack_zlib(15), "br": pack_brotli, "zstd": pack_zstd}
CHAINS = [*PACKERS, "gzip, gzip", "br, gzip", "zstd, br", "deflate, zstd"]


def zeros() -> Iterator[bytes]:
    """Ten gigabytes that pack into ten megabytes or much less."""
    return (bytes(MEGABYTE) for _ in range(10_000))


def prose() -> Iterator[bytes]:
    """As much that packs a hundred times, as a long and dull page would: no ratio gives it away."""
    dice = random.Random(5)
    return (dice.randbytes(10_000).hex().encode() * 50 for _ in range(10_000))


def bomb(content: Callable[[], Iterator[bytes]], status: str = "200 OK") -> Answer:
    async def answer(path: str) -> AsyncIterator[bytes]:
        if path == "/small":
            yield page(b"<p>small")
            return
        if path == "/end":
            yield page(b"the end")
            return
        coding = path[1:].replace("+", ", ")
        yield f"HTTP/1.1 {status}\r\nLocation: /end\r\nContent-Encoding: {coding}\r\n\r\n".encode()
        coded = content()
        for name in coding.split(", "):
            coded = PACKERS[name](coded)
        for piece in coded:
            if piece:
                yield piece

    return answer


def path_of(chain: str) -> str:
    return "/" + chain.replace(", ", "+")


def test_ten_gigabytes_of_zeros_stop_at_the_ratio() -> None:
    with serve(bomb(zeros)) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, CHAINS))
    assert [one.cut_at_bytes == one.body_bytes > 0 for one in got] == [True] * len(CHAINS), got
    assert all(one.body_bytes <= LIMITS.body_bytes for one in got)
    assert {one.why for one in got} <= {"inflates_more_than_200_times", f"longer_than_{LIMITS.body_bytes}_bytes"}
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


@pytest.mark.slow
def test_ten_gigabytes_that_pack_like_a_page_stop_at_the_length() -> None:
    with serve(bomb(prose)) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, PACKERS))
    assert [one.body_bytes for one in got] == [LIMITS.body_bytes] * len(PACKERS), got
    assert all(one.why == f"longer_than_{LIMITS.body_bytes}_bytes" for one in got)
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


@pytest.mark.parametrize("status", ["404 Not Found", "500 Internal Server Error"])
def test_a_bomb_in_an_error_page_is_no_different(status: str) -> None:
    with serve(bomb(zeros, status)) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, PACKERS))
    assert all(one.cut_at_bytes == one.body_bytes <= LIMITS.body_bytes for one in got)
    assert {one.status for one in got} == {int(status[:3])}
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


def test_a_bomb_in_a_redirect_is_not_even_inflated() -> None:
    with serve(bomb(zeros, "302 Found")) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, PACKERS))
    assert [(one.status, one.body_bytes, one.cut_at_bytes) for one in got] == [(200, 7, None)] * len(PACKERS)
    assert grown_mb < 5


OK = b"HTTP/1.1 200 OK\r\n"
# what is sent once, and what is sent again and again behind it
ENDLESS = {
    "/header-lines": (OK, b"X-Header: y\r\n" * 5_000),
    "/one-header": (OK + b"X: ", b"y" * 65_536),
    "/header-name": (OK, b"x" * 65_536),
    "/large-headers": (OK, b"X: " + b"y" * 60_000 + b"\r\n"),
    "/status": (b"HTTP/1.1 200 ", b"O" * 65_536),
    "/version": (b"HTTP/", b"1" * 65_536),
    "/folded": (OK + b"X: y\r\n", b" folded\r\n" * 7_000),
    "/hints": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 1_000),
    "/empty-lines": (b"", b"\r\n" * 30_000),
    "/cookies": (OK, b"Set-Cookie: a=b; Path=/\r\n" * 3_000),
    "/plain": (OK + b"\r\n", b"x" * 65_536),
    "/chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 10_000),
    "/trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"X-Trailer: y\r\n" * 5_000),
    "/one-trailer": (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX: ", b"y" * 65_536),
    "/chunk-size": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 65_536),
}


async def endless(path: str) -> AsyncIterator[bytes]:
    if path == "/small":
        yield page(b"<p>small")
        return
    first, again = ENDLESS[path]
    yield first
    for _ in range(5_000):
        yield again


def test_heads_and_bodies_without_end_stop_early() -> None:
    with serve(endless) as server:
        got, grown_mb = fetch_in_child(server, *ENDLESS)
    for path, one in zip(ENDLESS, got, strict=True):
        assert not one.status or one.cut_at_bytes == one.body_bytes, f"{path}: {one}"
    read = {path for path, one in zip(ENDLESS, got, strict=True) if one.status}
    # trailers without end come behind a whole body: whether that was read first is a matter of time
    assert read - {"/trailers", "/one-trailer"} == {"/plain", "/chunks", "/chunk-size"}
    assert not any("yy" in one.why or "xx" in one.why or "slow" in one.why for one in got), "no bytes of the server"
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


@pytest.mark.parametrize("path", ["/trailers", "/one-trailer"])
def test_trailers_without_end_that_come_late_end_the_body_at_once(path: str) -> None:
    async def answer(_: str) -> AsyncIterator[bytes]:
        first, again = ENDLESS[path]
        yield first
        await asyncio.sleep(0.1)  # the body is being read by now
        for _ in range(1_000):
            yield again

    with serve(answer) as server:
        response = fetch(server.url(), options=FetchOptions(allow_private=True, timeout_s=60))
    assert (response.body, response.cut_at_bytes) == (b"x", 1)
    assert response.seconds < 20


HEADS = [path for path in ENDLESS if path not in ("/plain", "/chunks")]


def test_heads_without_end_cost_next_to_nothing() -> None:
    with serve(endless) as server:
        got, grown_mb = fetch_in_child(server, *HEADS, *HEADS)
    assert all(one.body_bytes < 10 for one in got)
    assert grown_mb < 8


@pytest.mark.parametrize(
    ("head", "is_read"),
    [
        ([f"X-{n}: y" for n in range(190)], True),
        ([f"X-{n}: y" for n in range(210)], False),
        ([f"X-{n}: y" for n in range(100_000)], False),
        (["X: " + "y" * 60_000], True),
        (["X: " + "y" * 70_000], False),
        (["X: " + "y" * 50_000_000], False),
        ([f"X-{n}: {'y' * 1_000}" for n in range(60)], True),
        ([f"X-{n}: {'y' * 1_000}" for n in range(70)], False),
    ],
    ids=["190", "210", "100000", "60K", "70K", "50M", "60x1K", "70x1K"],
)
def test_a_head_has_two_hundred_lines_and_64_kilobytes_at_most(head: list[str], is_read: bool) -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield page(b"<p>small") if path == "/small" else page(b"<p>body", *head)

    with serve(answer) as server:
        (got,), grown_mb = fetch_in_child(server, "/x")
    assert (got.status, got.body_bytes) == ((200, 7) if is_read else (0, 0)), got
    assert grown_mb < 8
