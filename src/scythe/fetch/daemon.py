"""Wait for blocking work without being held up by it: a function comes in, its result goes out.

The executors of asyncio are joined when a loop or the interpreter ends; a stuck name look-up or a silent pipe would
then hold up the deadline, Ctrl-C and the exit. A daemon thread does not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def run_in_daemon(work: Callable[[], T], name: str) -> T:
    """Run `work` in a daemon thread called `name` and return its result, or raise what it raised."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as caught:  # noqa: BLE001 (raised again where somebody waits for it)
            error = caught
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # the loop closed while we were working
            return

    threading.Thread(target=run, daemon=True, name=name).start()
    return await answer
