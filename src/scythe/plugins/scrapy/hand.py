"""What a scheduler has handed out, or is about to: requests go in, those that are over come out.

A request is over when Scrapy is done with its answer and every request that could not be written, and that may have
been named by it, is over too: were the process killed before, only asking it again would bring those back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from scrapy import Request

from scythe.archive.requests import TakenRequest


@dataclass(eq=False, slots=True)
class Asked:
    """One request that Scrapy has, or that waits in memory for Scrapy to take it."""

    request: Request | None  # None: Scrapy is done with it
    id: int  # of its row; below 0: it has none
    lane: str
    named_by: tuple[Asked, ...] = ()  # one of these named it
    open: int = 0  # requests without a row that this one may have named and that are not over
    is_answered: bool = False
    is_replaced: bool = False  # by another request: a redirect, a retry
    has_failed: bool = False

    @property
    def state(self) -> str:
        """Return what the archive is to keep of it."""
        return "failed" if self.has_failed or not (self.is_answered or self.is_replaced) else "done"


@dataclass(slots=True)
class Hand:
    """Requests between an archive and Scrapy."""

    ready: list[TakenRequest] = field(default_factory=list)
    asked: dict[int, Asked] = field(default_factory=dict)  # by number
    _memory: list[tuple[int, int, Asked]] = field(default_factory=list)  # by priority, then age
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def remember(self, request: Request, lane: str, namers: Collection[Request], origin: Asked | None) -> None:
        """Keep a request that cannot be written; who may have named it, or is replaced by it, is not over before it."""
        named_by = tuple(asked for asked in self.asked.values() if asked.request in namers or asked is origin)
        for asked in named_by:
            asked.open += 1
        number = next(self._numbers)
        heappush(self._memory, (-request.priority, number, Asked(request, -number, lane, named_by)))

    def next_from_memory(self) -> Asked | None:
        """Return the most urgent request that has no row, and count it as asked."""
        if not self._memory:
            return None
        asked = heappop(self._memory)[2]
        self.asked[asked.id] = asked
        return asked

    def next_ready(self) -> TakenRequest | None:
        """Return the request of the host that has the fewest under way: the most urgent of it, the oldest of those."""
        if not self.ready:
            return None
        busy = Counter(asked.lane for asked in self.asked.values() if asked.request is not None)
        row = min(self.ready, key=lambda row: (busy[row.lane], -row.priority, row.id))
        self.ready.remove(row)
        return row

    def end(self, underway: Collection[Request]) -> tuple[list[int], list[int]]:
        """Take away what is over; return the numbers of those done, and of those that failed."""
        for asked in self.asked.values():
            if asked.request is not None and asked.request not in underway:
                asked.request = None
        over: dict[str, list[int]] = {"done": [], "failed": []}
        heap = [asked for asked in self.asked.values() if asked.request is None and not asked.open]
        while heap:
            asked = heap.pop()
            del self.asked[asked.id]
            if asked.id > 0:
                over[asked.state].append(asked.id)
            for parent in asked.named_by:
                parent.open -= 1
                if not parent.open and parent.request is None and parent.id in self.asked:
                    heap.append(parent)
        return over["done"], over["failed"]

    def drop(self, kept: Collection[int], promised: Collection[str]) -> set[int]:
        """Let go of what was lost, and of what is promised to others and not begun; return what is to be given back.

        That includes rows nobody here knows of: the archive had stored a turn whose answer was lost.
        """
        self.ready = [row for row in self.ready if row.id in kept and row.lane not in promised]
        return set(kept) - self.numbers()

    def numbers(self) -> set[int]:
        """Return the numbers of everything in hand."""
        return {row.id for row in self.ready} | self.asked.keys()

    def lanes(self, ready: Collection[TakenRequest]) -> Counter[str]:
        """Count what is ready and what has not been answered, by host."""
        lanes = Counter(row.lane for row in ready)
        lanes.update(asked.lane for asked in self.asked.values() if asked.id > 0 and asked.request is not None)
        return lanes

    def in_memory(self) -> int:
        """Count the requests that wait and have no row."""
        return len(self._memory)
