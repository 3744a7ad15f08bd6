"""Stop a run in order on Ctrl-C or SIGTERM, and at once the second time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def on_interrupt(stop: Callable[[], None]) -> None:
    """Call `stop` at the first signal, in the loop that runs; a second one does what it always does."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        stop()

    for number in _SIGNALS:
        with suppress(NotImplementedError, RuntimeError):  # Windows; a thread that is not the main one
            loop.add_signal_handler(number, interrupt)
