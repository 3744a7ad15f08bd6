"""A response cut anywhere: what came back is marked or refused, never taken for the whole."""

import asyncio
import gzip
import random
import zlib
from collections.abc import AsyncIterator

import brotli
import pytest
from tests.fetch.server import serve

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, open_fetcher
from scythe.fetch.decode import zstd
from scythe.model import Response

pytestmark = pytest.mark.fault
CUTS = 200
DICE = random.Random(20)
PAGE = b"<title>A page</title>" + b"".join(b"<p>%d: %d</p>" % (n, DICE.getrandbits(64)) for n in range(600))
CODINGS = {
    "identity": lambda body: body,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "br, gzip": lambda body: gzip.compress(brotli.compress(body)),
}


def record(coding: str, framing: str) -> bytes:
    """Write out one whole response."""
    body = CODINGS[coding](PAGE)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: %s\r\n" % coding.encode()
    if framing == "length":
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    if framing == "close":
        return head + b"\r\n" + body
    chunks = (body[start : start + 999] for start in range(0, len(body), 999))
    framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + framed + b"0\r\n\r\n"


def fetch_cut(whole: bytes, cuts: list[int]) -> list[Response | FetchFailed]:
    """Fetch `whole` once for every cut, ended there."""

    async def answer(path: str) -> AsyncIterator[bytes]:
        yield whole[: int(path[1:])]

    async def work() -> list[Response | FetchFailed]:
        options = FetchOptions(allow_private=True, timeout_s=30, concurrency=4, per_host=4)
        async with open_fetcher(options) as fetcher:
            return await asyncio.gather(*(fetcher.settle(server.url(f"/{cut}")) for cut in cuts))

    with serve(answer) as server:
        return asyncio.run(work())


# nothing says where a plain body without a length ends: such a one is not among them
FRAMED = [(coding, framing) for coding in CODINGS for framing in ("length", "chunked", "close")]
FRAMED.remove(("identity", "close"))


@pytest.mark.parametrize(("coding", "framing"), FRAMED)
def test_a_cut_response_is_never_taken_for_the_whole(coding: str, framing: str) -> None:
    whole = record(coding, framing)
    cuts = [*random.Random(4).sample(range(len(whole)), CUTS - 3), *range(len(whole) - 3, len(whole))]
    results = fetch_cut(whole, cuts)
    for cut, result in zip(cuts, results, strict=True):
        if isinstance(result, Response):
            assert result.cut_at_bytes == len(result.body), f"cut at {cut} of {len(whole)}"
            assert result.why_cut
            assert PAGE.startswith(result.body)
    assert sum(isinstance(result, Response) for result in results) > CUTS / 2, "a failure for every cut proves little"


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_the_whole_response_is_whole(coding: str, framing: str) -> None:
    whole = record(coding, framing)
    (result,) = fetch_cut(whole, [len(whole)])
    assert isinstance(result, Response)
    assert (result.body, result.cut_at_bytes, result.why_cut) == (PAGE, None, "")


def test_most_of_a_cut_body_is_kept() -> None:
    whole = record("identity", "length")
    cuts = [len(whole) * n // 10 for n in range(2, 10)]
    for cut, result in zip(cuts, fetch_cut(whole, cuts), strict=True):
        assert isinstance(result, Response)
        assert len(result.body) > cut - 200
