"""Keep long-running processes from growing: collect garbage and trim the heap.

Only for processes of our own, commands and workers; inside another program that is the program's decision.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TIDY_S = 60.0  # between two times
SELDOM = 20_000  # objects between two looks for garbage: starts and pages leave few cycles


def tidy() -> None:
    """Look for garbage and return free memory to the system, where its C library can.

    By itself, Python looks at what is old when there is a quarter more of it, which takes hours where little is done,
    and glibc keeps most of what was free once: 20 MB after a site was learned. What is there at the first time is taken
    for lasting and looked at no more; from then on it takes a few milliseconds.
    """
    import ctypes  # short runs do without

    gc.collect()
    if not gc.get_freeze_count():
        gc.freeze()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


@contextmanager
def trimmed(every_s: float = TIDY_S) -> Iterator[None]:
    """Do that once a minute for as long as the context lasts."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(every_s):
            tidy()

    thread = threading.Thread(target=work, name="scythe-tidy", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
