"""How much the archive has of each site: asked for at any rate, and counted for a small share of the time only."""

from __future__ import annotations

import threading
import time

from scythe.archive.archive import Archive
from scythe.visits import Counts
from scythe.web.room import Room

_SHARE = 20.0  # a count is kept so many times as long as it took
_QUICK_S = 0.05  # one that takes less is made anew each time: 100 000 addresses


class SiteCounts:
    """The counts of all sites, as they were when they were last made."""

    def __init__(self, room: Room) -> None:
        self._lock = threading.Lock()  # who comes while others count waits for what they find
        self._counts: dict[int, Counts] = {}
        self._until = 0.0

    def of(self, archive: Archive) -> dict[int, Counts]:
        """Return the counts of every site that has anything."""
        with self._lock:
            if time.monotonic() >= self._until:
                began = time.thread_time()  # of the processor: a busy machine is no reason to show what is old
                self._counts = archive.counts_of_sites()
                took_s = time.thread_time() - began
                self._until = time.monotonic() + _SHARE * took_s if took_s > _QUICK_S else 0.0
            return self._counts
