"""A thousand hosts that stall beside a thousand honest ones, which are asked as fast as without the others."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import AsyncIterator

import pytest
from tests.fetch.server import always, page, serve

from scythe.errors import FetchFailed
from scythe.fetch import Fetcher, FetchOptions, open_fetcher

pytestmark = [pytest.mark.fault, pytest.mark.soak]
HOSTS = 1_000
DEADLINE_S = 120.0
ROUNDS = 4


async def stall(path: str) -> AsyncIterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX: "
    await asyncio.sleep(3_600)


async def ask_all(fetcher: Fetcher, urls: list[str]) -> float:
    """Ask every honest host once; return the CPU seconds that it took, the server's included."""
    began = time.process_time()
    for start in range(0, len(urls), 50):
        await asyncio.gather(*(fetcher.get(url) for url in urls[start : start + 50]))
    return time.process_time() - began


async def settle(fetcher: Fetcher, url: str) -> tuple[bool, float]:
    began = time.monotonic()
    result = await fetcher.settle(url)
    return isinstance(result, FetchFailed), time.monotonic() - began


def test_a_thousand_hosts_that_stall_cost_honest_ones_next_to_nothing() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S, concurrency=2_100, keep_alive=False)

    async def work() -> tuple[float, float, list[tuple[bool, float]]]:
        async with open_fetcher(options) as fetcher:
            honest = [f"http://127.1.{n // 250}.{n % 250 + 1}:{good.port}/" for n in range(HOSTS)]
            stalled = [f"http://127.2.{n // 250}.{n % 250 + 1}:{bad.port}/" for n in range(HOSTS)]
            await ask_all(fetcher, honest[:100])
            alone = min([await ask_all(fetcher, honest) for _ in range(ROUNDS)])
            waits = [asyncio.ensure_future(settle(fetcher, url)) for url in stalled]
            while bad.connections < HOSTS:
                await asyncio.sleep(0.05)
            beside = min([await ask_all(fetcher, honest) for _ in range(ROUNDS)])
            assert not any(wait.done() for wait in waits), "the deadline came before the honest hosts were asked"
            return alone, beside, await asyncio.gather(*waits)

    try:
        with serve(always(page(b"ok")), address="0.0.0.0") as good, serve(stall, address="0.0.0.0") as bad:
            alone, beside, ends = asyncio.run(work())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print(f"{alone:.2f} s of CPU for {HOSTS} honest hosts alone, {beside:.2f} s beside {HOSTS} that stall")
    assert all(has_failed for has_failed, _ in ends)
    assert max(took for _, took in ends) < DEADLINE_S + 1 + 10  # the last of them began some seconds late
    assert beside < 1.05 * alone + 0.1
