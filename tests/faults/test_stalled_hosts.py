"""A thousand hosts that stall beside a thousand honest ones, which are asked as fast as without the others."""

import asyncio
import resource
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import FrameType

import pytest
from tests.fetch.server import always, page, serve

from scythe.errors import FetchFailed
from scythe.fetch import Fetcher, FetchOptions, open_fetcher

pytestmark = [pytest.mark.fault, pytest.mark.soak]
HOSTS = 1_000
DEADLINE_S = 120.0
ROUNDS = 3


async def stall(path: str) -> AsyncIterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX: "
    await asyncio.sleep(3_600)


@dataclass
class Cost:
    """What asking every honest host once took: calls of functions, and CPU seconds of the thread that asks."""

    calls: int = 0
    seconds: float = 0.0


async def ask_all(fetcher: Fetcher, urls: list[str], *, counts: bool = False) -> Cost:
    """Ask every honest host once. Calls are the same on any machine, busy or not; seconds are for people."""
    cost = Cost()

    def count(frame: FrameType, event: str, given: object) -> None:
        cost.calls += event in ("call", "c_call")

    began = time.thread_time()
    sys.setprofile(count if counts else None)
    try:
        for start in range(0, len(urls), 50):
            await asyncio.gather(*(fetcher.get(url) for url in urls[start : start + 50]))
    finally:
        sys.setprofile(None)
    cost.seconds = time.thread_time() - began
    return cost


async def measure(fetcher: Fetcher, urls: list[str]) -> Cost:
    calls = min([(await ask_all(fetcher, urls, counts=True)).calls for _ in range(2)])
    return Cost(calls, min([(await ask_all(fetcher, urls)).seconds for _ in range(ROUNDS)]))


async def settle(fetcher: Fetcher, url: str) -> tuple[bool, float]:
    began = time.monotonic()
    result = await fetcher.settle(url)
    return isinstance(result, FetchFailed), time.monotonic() - began


def test_a_thousand_hosts_that_stall_cost_honest_ones_next_to_nothing() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S, concurrency=2_100, keep_alive=False)

    async def work() -> tuple[Cost, Cost, list[tuple[bool, float]]]:
        async with open_fetcher(options) as fetcher:
            honest = [f"http://127.1.{n // 250}.{n % 250 + 1}:{good.port}/" for n in range(HOSTS)]
            stalled = [f"http://127.2.{n // 250}.{n % 250 + 1}:{bad.port}/" for n in range(HOSTS)]
            await ask_all(fetcher, honest[:100])
            alone = await measure(fetcher, honest)
            waits = [asyncio.ensure_future(settle(fetcher, url)) for url in stalled]
            while len(bad.heads) < HOSTS:
                await asyncio.sleep(0.05)
            beside = await measure(fetcher, honest)
            assert not any(wait.done() for wait in waits), "the deadline came before the honest hosts were asked"
            return alone, beside, await asyncio.gather(*waits)

    try:
        with serve(always(page(b"ok")), address="0.0.0.0") as good, serve(stall, address="0.0.0.0") as bad:
            alone, beside, ends = asyncio.run(work())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print(f"{HOSTS} honest hosts: {alone} alone, {beside} beside {HOSTS} that stall")
    assert all(has_failed for has_failed, _ in ends)
    assert max(took for _, took in ends) < DEADLINE_S + 1 + 10  # the last of them began some seconds late
    assert beside.calls < 1.05 * alone.calls
