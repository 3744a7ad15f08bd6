"""Fetch pages: addresses come in, one Response each (or a FetchFailed with the reason) goes out.

robots.txt is not consulted: this fetches pages that a person named, not pages that a program found.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from scythe.errors import FetchFailed
from scythe.fetch import guard
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.options import FetchOptions
from scythe.fetch.window import Window
from scythe.model import Response

_READ_AHEAD = 4  # pages under way per host asked: many may wait for one slow host


def fetch(url: str, *, options: FetchOptions | None = None) -> Response:
    """Fetch one address and return what its server sent, whatever the status. Raises `FetchFailed`.

    Starts an event loop of its own: inside a running one use `fetch_all`.
    """

    async def fetch_one() -> Response | FetchFailed:
        async with aclosing(fetch_all([url], options=options)) as results:
            return await anext(results)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        result = asyncio.run(fetch_one())
    else:
        raise RuntimeError("fetch starts an event loop of its own; inside a running one use fetch_all")
    if isinstance(result, FetchFailed):
        raise result
    return result


async def fetch_all(
    urls: Iterable[str], *, options: FetchOptions | None = None, look_up: guard.LookUp = guard.look_up
) -> AsyncGenerator[Response | FetchFailed, None]:
    """Yield one result per address, in the order given, each as soon as those before it are there.

    `urls` is read ahead only as far as there is room; it may be endless, and it may block, as a pipe does.
    """
    options = options or FetchOptions()
    async with open_fetcher(options, look_up=look_up) as fetcher:
        window = Window(iter(urls), fetcher.settle, room=_READ_AHEAD * options.concurrency)
        try:
            while await window.advance():
                for result in window.take():
                    yield result
        finally:
            await window.close()
