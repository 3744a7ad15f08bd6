"""Let a thread do what takes time, whatever Scrapy runs in: asyncio, asyncio in a reactor, or another reactor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from scrapy.utils.asyncio import is_asyncio_available

T = TypeVar("T")


async def run_in_thread(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Return, or raise, what came of work that a thread did."""
    if is_asyncio_available():
        return await asyncio.get_running_loop().run_in_executor(threads, work)
    from twisted.internet.threads import deferToThread  # asks for the reactor, which asyncio may do without

    done: T = await deferToThread(lambda: threads.submit(work).result())
    return done
