"""Serve the web application beside a test."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from scythe.errors import BadInput
from scythe.web.server import ServeOptions, Serving, serve
from scythe.web.state import State


@contextmanager
def serve_in_thread(state: State, options: ServeOptions | None = None) -> Iterator[Serving]:
    """Serve a state from a thread of this process for as long as the context lasts."""
    up: Future[tuple[Serving, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def work() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            given = options or ServeOptions()
            await serve(state, given, ready=lambda serving: up.set_result((serving, loop, stop)), stop=stop)
        except BadInput as error:
            up.set_exception(error)

    thread = threading.Thread(target=lambda: asyncio.run(work()), name="scythe-web", daemon=True)
    thread.start()
    serving, loop, stop = up.result()
    try:
        yield serving
    finally:
        if thread.is_alive():
            loop.call_soon_threadsafe(stop.set)
        thread.join()
        state.close()
