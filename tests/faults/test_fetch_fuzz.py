"""Answers of any bytes: each becomes a response or a reason, and the next request finds the fetcher in order."""

import asyncio
import gzip
import random
from collections.abc import AsyncIterator

import brotli
import pytest
from tests.fetch.server import always, kept_page, serve

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, open_fetcher
from scythe.fetch.decode import zstd
from scythe.model import Response

pytestmark = pytest.mark.fault
PAGE = b"<p>" + b"words " * 200
SEEDS = [
    kept_page(PAGE, "Content-Type: text/html", 'ETag: "a"', "Set-Cookie: a=b; Path=/; Max-Age=3", "Vary: *"),
    kept_page(gzip.compress(PAGE), "Content-Encoding: gzip"),
    kept_page(brotli.compress(PAGE), "Content-Encoding: br"),
    kept_page(gzip.compress(zstd.compress(PAGE)), "Content-Encoding: zstd, gzip"),
    kept_page(b"", "Location: /x?y#z", "Set-Cookie: a=b", status="302 Found"),
    kept_page(b"", status="304 Not Modified"),
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + kept_page(PAGE),
    b"HTTP/1.0 200 OK\r\n\r\n" + PAGE,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n3\r\nyou\r\n0\r\nX: y\r\n\r\n",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
]
PARTS = [b"\r\n", b"\n", b":", b"\x00", b"\xff", b" ", b"chunked", b"Content-Length: ", b"-1", b"9" * 30, b"HTTP/1.1 "]


def mutate(dice: random.Random) -> bytes:
    """Damage one good answer in a few places, or make one up."""
    answer = bytearray(dice.choice(SEEDS))
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(min(len(answer), dice.choice([200, 10**6])) or 1)
        what = dice.randrange(6)
        if what == 0:
            answer[at : at + 1] = bytes((dice.randrange(256),))
        elif what == 1:
            del answer[at : at + dice.randint(1, 40)]
        elif what == 2:
            answer[at:at] = dice.choice(PARTS)
        elif what == 3:
            answer[at:at] = dice.choice(SEEDS)
        elif what == 4:
            answer += dice.randbytes(dice.randint(1, 60))
        else:
            lines = bytes(answer).split(b"\r\n")
            dice.shuffle(lines)
            answer = bytearray(b"\r\n".join(lines))
        if not answer:
            answer += b"H"
    return bytes(answer)


def fetch_mutated(count: int, seed: int) -> tuple[int, int]:
    """Return how many answers became responses, and how many became reasons."""

    async def answer(path: str) -> AsyncIterator[bytes]:
        dice = random.Random(f"{seed} {path}")
        damaged = mutate(dice)
        cut = dice.randrange(len(damaged))
        yield damaged[:cut]
        await asyncio.sleep(0)
        yield damaged[cut:]

    async def work(url: str) -> list[Response | FetchFailed]:
        options = FetchOptions(
            allow_private=True, timeout_s=1.0, concurrency=64, per_host=64, cookies=True, max_redirects=2
        )
        async with open_fetcher(options) as fetcher:
            results = await asyncio.gather(*(fetcher.settle(f"{url}/{n}") for n in range(count)))
            for _ in range(20):
                assert (await fetcher.get(honest.url())).body == b"good"
        return results

    good = always(kept_page(b"good"))
    with serve(answer, keeps=True) as server, serve(good, keeps=True, address="127.0.0.2") as honest:
        results = asyncio.run(work(server.url("")))
    for result in results:
        if isinstance(result, Response):
            f"{result.headers}".encode()  # can be written anywhere
    failed = sum(isinstance(result, FetchFailed) for result in results)
    return count - failed, failed


def test_any_answer_becomes_a_response_or_a_reason() -> None:
    responses, reasons = fetch_mutated(800, seed=1)
    assert responses > 50
    assert reasons > 50


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 42))
def test_many_more_answers_become_a_response_or_a_reason(seed: int) -> None:
    responses, reasons = fetch_mutated(2_500, seed)
    assert responses + reasons == 2_500
