"""Bodies and heads that grow without end, fetched by a process that must not grow with them.

The process may have 400 MB of address space in all, of which Python with what `scythe.fetch` imports takes some 60;
what it uses of that may grow by the longest body, 64 MB, and little more.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import pytest
from tests.faults.servers_bombs import CHAINS, ENDLESS, MEGABYTE, PACKERS, bomb, endless, prose, zeros
from tests.fetch.server import Answer, Server, page, serve

from scythe.fetch import FetchOptions, fetch
from scythe.fetch.decode import Decoder
from scythe.limits import LIMITS

pytestmark = [
    pytest.mark.fault,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS and /proc are Linux"),
]
ADDRESS_SPACE_MB = 400
CHILD = """
import resource, sys
space = int(sys.argv[1]) * 1_000_000
resource.setrlimit(resource.RLIMIT_AS, (space, space))
from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch
from scythe.fetch.decode import Decoder
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


def explode(content: Callable[[], Iterator[bytes]], status: str = "200 OK") -> Answer:
    async def answer(path: str) -> AsyncIterator[bytes]:
        if path == "/small":
            yield page(b"<p>small")
            return
        if path == "/end":
            yield page(b"the end")
            return
        for piece in bomb(path[1:].replace("+", ", "), content, status, "/end"):
            yield piece

    return answer


def path_of(chain: str) -> str:
    return "/" + chain.replace(", ", "+")


def test_ten_gigabytes_of_zeros_stop_at_the_ratio() -> None:
    with serve(explode(zeros)) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, CHAINS))
    assert [one.cut_at_bytes == one.body_bytes > 0 for one in got] == [True] * len(CHAINS), got
    assert all(one.body_bytes <= LIMITS.body_bytes for one in got)
    assert {one.why for one in got} <= {"inflates_more_than_200_times", f"longer_than_{LIMITS.body_bytes}_bytes"}
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


@pytest.mark.slow
def test_ten_gigabytes_that_pack_like_a_page_stop_at_the_length() -> None:
    with serve(explode(prose)) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, PACKERS))
    assert [one.body_bytes for one in got] == [LIMITS.body_bytes] * len(PACKERS), got
    assert all(one.why == f"longer_than_{LIMITS.body_bytes}_bytes" for one in got)
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


@pytest.mark.parametrize("status", ["404 Not Found", "500 Internal Server Error"])
def test_a_bomb_in_an_error_page_is_no_different(status: str) -> None:
    with serve(explode(zeros, status)) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, PACKERS))
    assert all(one.cut_at_bytes == one.body_bytes <= LIMITS.body_bytes for one in got)
    assert {one.status for one in got} == {int(status[:3])}
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


def test_a_bomb_in_a_redirect_is_not_even_inflated() -> None:
    with serve(explode(zeros, "302 Found")) as server:
        got, grown_mb = fetch_in_child(server, *map(path_of, PACKERS))
    assert [(one.status, one.body_bytes, one.cut_at_bytes) for one in got] == [(200, 7, None)] * len(PACKERS)
    assert grown_mb < 5


ENDS = {f"/{what.replace(' ', '-')}": what for what in ENDLESS}


async def go_on(path: str) -> AsyncIterator[bytes]:
    if path == "/small":
        yield page(b"<p>small")
        return
    async for piece in endless(ENDS[path]):
        yield piece


def test_heads_and_bodies_without_end_stop_early() -> None:
    with serve(go_on) as server:
        got, grown_mb = fetch_in_child(server, *ENDS)
    for path, one in zip(ENDS, got, strict=True):
        assert not one.status or one.cut_at_bytes == one.body_bytes, f"{path}: {one}"
    read = {path for path, one in zip(ENDS, got, strict=True) if one.status}
    # trailers without end come behind a whole body: whether that was read first is a matter of time
    assert read - {"/trailers", "/one-trailer"} == {"/plain", "/chunks", "/chunk-size"}
    assert not any("yy" in one.why or "xx" in one.why or "slow" in one.why for one in got), "no bytes of the server"
    assert grown_mb < LIMITS.body_bytes / MEGABYTE + 10


@pytest.mark.parametrize("path", ["/trailers", "/one-trailer"])
def test_trailers_without_end_that_come_late_end_the_body_at_once(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    is_read, feed = threading.Event(), Decoder.feed

    def note(self: Decoder, chunk: bytes) -> None:
        feed(self, chunk)
        is_read.set()

    async def answer(_: str) -> AsyncIterator[bytes]:
        first, again = ENDLESS[ENDS[path]]
        yield first
        await asyncio.to_thread(is_read.wait, 60)
        for _ in range(1_000):
            yield again

    monkeypatch.setattr(Decoder, "feed", note)
    with serve(answer) as server:
        response = fetch(server.url(), options=FetchOptions(allow_private=True, timeout_s=60))
    assert (response.body, response.cut_at_bytes) == (b"x", 1)


HEADS = [path for path in ENDS if path not in ("/plain", "/chunks")]


def test_heads_without_end_cost_next_to_nothing() -> None:
    with serve(go_on) as server:
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
    whys = ("more_than_200_header_lines", "a_header_line_of_more_than", "headers_of_more_than")
    assert is_read or got.why.startswith(whys)
    assert grown_mb < 8
