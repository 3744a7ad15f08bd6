"""Servers that take their time: every exchange ends at its deadline, and what it held is free again."""

import asyncio
import resource
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import pytest
from aiohttp.abc import ResolveResult
from tests.faults.servers_slow import DRIPS, drip
from tests.fetch.server import Answer, always, kept_page, page, serve

from scythe.errors import FetchFailed
from scythe.fetch import Fetcher, FetchOptions, open_fetcher
from scythe.model import Response

pytestmark = pytest.mark.fault
DEADLINE_S = 0.4
T = TypeVar("T")


async def never(path: str) -> AsyncIterator[bytes]:
    await asyncio.sleep(60)
    yield b""


def slow(how: str) -> Answer:
    async def answer(path: str) -> AsyncIterator[bytes]:
        if path == "/ok":
            yield kept_page(b"ok")
            return
        async for piece in drip(*DRIPS[how]):
            yield piece

    return answer


def run(work: Callable[[Fetcher], Awaitable[T]], options: FetchOptions, **more: object) -> T:
    async def inside() -> T:
        async with open_fetcher(options, **more) as fetcher:  # type: ignore[arg-type]
            return await work(fetcher)

    return asyncio.run(inside())


async def time_out(fetcher: Fetcher, url: str) -> str:
    began = time.monotonic()
    with pytest.raises(FetchFailed) as caught:
        await fetcher.get(url)
    assert DEADLINE_S * 0.9 < time.monotonic() - began < 50  # the servers here would keep it for 60 s
    assert caught.value.retry_after_s == 60
    return caught.value.why


@pytest.mark.parametrize("how", DRIPS)
def test_a_server_that_drips_is_left_at_the_deadline_and_its_place_is_free(how: str) -> None:
    async def work(fetcher: Fetcher) -> tuple[str, bytes]:
        reason = await time_out(fetcher, server.url("/slow"))
        for _ in range(200):  # the server notices that it was left when it next writes
            if server.open_now == 0 or how in ("silence", "redirect"):  # these write nothing more
                break
            await asyncio.sleep(0.01)
        else:
            raise AssertionError("the connection was not given up")
        return reason, (await fetcher.get(server.url("/ok"))).body

    options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S, concurrency=1)
    with serve(slow(how), keeps=True) as server:
        assert run(work, options) == (f"too slow: no complete answer within {DEADLINE_S} s", b"ok")


def test_a_secure_server_that_does_not_shake_hands_is_left() -> None:
    with serve(never) as server:
        options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S)
        reason = run(lambda fetcher: time_out(fetcher, server.url().replace("http:", "https:")), options)
    assert reason.startswith("too slow")


def test_a_proxy_that_opens_no_tunnel_is_left() -> None:
    with serve(never) as server:
        options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S, proxy=server.url())
        assert run(lambda fetcher: time_out(fetcher, "https://site.example/"), options).startswith("too slow")


def test_a_name_that_takes_for_ever_to_resolve_is_left() -> None:
    async def look_up(host: str, port: int) -> list[ResolveResult]:
        await asyncio.sleep(60)
        return []

    options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S, concurrency=1)
    reason = run(lambda fetcher: time_out(fetcher, "http://slow.example/"), options, look_up=look_up)
    assert reason.startswith("too slow")


def test_a_port_that_does_not_accept_is_left() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        crowd = [socket.socket() for _ in range(4)]  # fill the queue of connections nobody accepts
        try:
            for one in crowd:
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
            options = FetchOptions(allow_private=True, timeout_s=DEADLINE_S)
            reason = run(lambda fetcher: time_out(fetcher, f"http://127.0.0.1:{port}/"), options)
        finally:
            for one in crowd:
                one.close()
    assert reason.startswith("too slow")


@pytest.mark.slow
def test_a_thousand_stalled_connections_end_in_time_and_hold_up_nobody() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 4_096:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4_096), hard))

    async def stall(fetcher: Fetcher, url: str) -> None:
        with pytest.raises(FetchFailed, match="too slow"):
            await fetcher.get(url)

    async def work(fetcher: Fetcher) -> list[Response]:
        stalls = [asyncio.ensure_future(stall(fetcher, stalled.url(f"/{n}"))) for n in range(1_000)]
        while stalled.connections < 1_000 and not all(one.done() for one in stalls):
            await asyncio.sleep(0.01)
        answers = [await fetcher.get(honest.url()) for _ in range(30)]  # each within the same deadline
        await asyncio.gather(*stalls)
        return answers

    options = FetchOptions(allow_private=True, timeout_s=5.0, concurrency=1_100, per_host=1_000)
    with serve(never) as stalled, serve(always(page(b"ok")), address="127.0.0.2") as honest:
        assert [answer.body for answer in run(work, options)] == [b"ok"] * 30
        assert stalled.connections == 1_000
