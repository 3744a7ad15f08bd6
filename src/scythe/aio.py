"""The functions that wait for the network, for programs with an event loop: `get`, `crawl` and `watch`.

`crawl` and `watch` do their work in a thread of their own, with its own event loop; closing the generator stops it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from scythe.crawling.crawl import crawl as begin_crawl
from scythe.reader import fetch_document as get
from scythe.watching.watch import watch as begin_watch

__all__ = ["crawl", "get", "watch"]

P = ParamSpec("P")
T = TypeVar("T")


def _stream(begin: Callable[P, Iterator[T]]) -> Callable[P, AsyncGenerator[T, None]]:
    @wraps(begin)
    async def stream(*args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        items = await asyncio.to_thread(begin, *args, **kwargs)
        try:
            while found := await asyncio.to_thread(_next, items):
                yield found[0]
        finally:
            await asyncio.shield(asyncio.to_thread(items.close))  # type: ignore[attr-defined]

    return stream


def _next(items: Iterator[T]) -> tuple[T] | None:
    """Return the next item; None at the end, since StopIteration cannot leave a thread."""
    for item in items:
        return (item,)
    return None


crawl = _stream(begin_crawl)
watch = _stream(begin_watch)
