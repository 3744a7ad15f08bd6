"""Compute the delay until the next request to a host from its responses.

The delay counts from the first byte of a response, so the server never sees a shorter gap. Nothing here sleeps; the
clock is passed in.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from statistics import median
from time import monotonic

LONGEST_S = 86_400.0  # nothing a server says stops a host for longer than a day
SLOWEST = 64.0  # times the usual delay
_BUSY = frozenset({429, 503})
_STEP_S = 0.5  # what slowing down by a factor starts from where the delay is shorter
_GOOD_RUN = 10  # answers in a row after which a slow host is tried faster
_USUAL = 51  # answers whose median is what a server usually takes
_RECENT = 5  # answers whose median is what it takes now: one slow page is no slow server
_NOTICED_S = 0.1  # a server is not called slow by less than this
_LATE = 3.0  # times slower than usual that count
_LATEST = 8.0  # times the delay, at most, for late answers
_FIRST_RETRY_S = 10.0
_AWAY = 5  # requests in a row that reached nobody: not the addresses are at fault, the host is gone
_LONGEST_AWAY_S = 15.0  # between two tries whether it is there again


class Pace:
    """When the next request to one host may begin. `slow` and `ready_in_s` carry it over a restart."""

    def __init__(
        self,
        delay_s: float,
        *,
        clock: Callable[[], float] = monotonic,
        slow: float = 1.0,
        free_in_s: float = 0.0,
        speed: float = 1.0,
    ) -> None:
        self.delay_s = delay_s  # our own
        self.speed = speed  # how many times faster than `clock` the world of the server runs; 1 but in replays
        self.slow = min(max(slow, 1.0), SLOWEST)  # how many times slower the server wants it
        self._crawl_delay_s = 0.0
        self._clock = clock
        self._free_at = clock() + _bounded(free_in_s)
        self._slowed_at = float("-inf")
        self._under_way = 0
        self._good = 0
        self._taken_s: deque[float] = deque(maxlen=_USUAL)
        self._unreached = 0  # requests in a row
        self._reached_at = clock()

    @property
    def is_away(self) -> bool:
        """Say whether the host seems to be gone: what fails then is no fault of its address."""
        return self._unreached >= _AWAY

    @property
    def away_s(self) -> float:
        """Return for how long the host has been gone; 0: it is there."""
        return (self._clock() - self._reached_at) * self.speed if self.is_away else 0.0

    @property
    def crawl_delay_s(self) -> float:
        """Return what robots.txt asks for."""
        return self._crawl_delay_s

    @crawl_delay_s.setter
    def crawl_delay_s(self, seconds: float) -> None:
        self._crawl_delay_s = _bounded(seconds)

    @property
    def gap_s(self) -> float:
        """Return the seconds that lie between two requests at present."""
        base_s = max(self.delay_s, self._crawl_delay_s)
        factor = min(self.slow * self._lateness(), SLOWEST)
        return min(base_s + max(base_s, _STEP_S) * (factor - 1.0), max(LONGEST_S, base_s)) / self.speed

    def ready_in_s(self) -> float:
        """Return in how many seconds the next request may begin; 0: now."""
        return max(self._free_at - self._clock(), 0.0)

    def began(self) -> None:
        """Note that a request begins now."""
        self._under_way += 1
        self._wait_until(self._clock() + self.gap_s)

    def answered(self, at: float, status: int, seconds: float = 0.0, retry_after_s: float | None = None) -> None:
        """Note an answer: when its first byte came, how long it took, and what its Retry-After says (None: nothing)."""
        at = self._moment(at)
        self._note_reached()
        if status in _BUSY:
            self._slow_down(at, seconds)
            self._wait_until(at + max(_bounded(retry_after_s or 0.0) / self.speed, self.gap_s))
        else:
            self._taken_s.append(seconds)
            self._note_good()
        self._end(at)

    def failed(self, at: float = 0.0, seconds: float = 0.0, *, is_unreached: bool | None = None) -> None:
        """Note an attempt without an answer, and when it ended; one that took long tells of a slow server.

        `is_unreached`: whether nobody was there; None: that is not known. A host that is gone is tried ever less often.
        """
        self._good = 0
        if is_unreached:
            self._note_unreached()
        elif is_unreached is not None:
            self._note_reached()
        if seconds > _LATE * self._usual_s():
            self._taken_s.append(seconds)
        self._end(self._moment(at))

    def _note_reached(self) -> None:
        self._unreached, self._reached_at = 0, self._clock()

    def _note_unreached(self) -> None:
        self._unreached += 1
        if self.is_away:
            wait_s = min(2.0 ** min(self._unreached - _AWAY, 10), _LONGEST_AWAY_S)
            self._wait_until(self._clock() + wait_s / self.speed)

    def _moment(self, at: float) -> float:
        """Return `at`, or now where it is unknown (0) or still to come."""
        now = self._clock()
        return at if 0.0 < at < now else now

    def _end(self, at: float) -> None:
        # With other requests under way the starts alone are spaced: these began at least a gap apart.
        if self._under_way <= 1:
            self._wait_until(at + self.gap_s)
        self._under_way = max(self._under_way - 1, 0)

    def _wait_until(self, moment: float) -> None:
        self._free_at = max(self._free_at, moment)

    def _slow_down(self, at: float, seconds: float) -> None:
        self._good = 0
        if at - seconds >= self._slowed_at:  # else it was under way already when the server said so first
            self.slow = min(self.slow * 2.0, SLOWEST)
            self._slowed_at = at

    def _note_good(self) -> None:
        self._good += 1
        if self._good >= _GOOD_RUN:
            self._good = 0
            self.slow = max(self.slow / 2.0, 1.0)

    def _usual_s(self) -> float:
        return max(median(self._taken_s), _NOTICED_S) if self._taken_s else _NOTICED_S

    def _lateness(self) -> float:
        """Return how many times longer than usual answers take now, where that is much; else 1."""
        if self.delay_s <= 0.0 or len(self._taken_s) <= _RECENT:
            return 1.0
        recent_s = median(list(self._taken_s)[-_RECENT:])
        times = recent_s / self._usual_s()
        return min(times, _LATEST) if times >= _LATE else 1.0


def retry_in_s(attempts: int, *, said_s: float | None = None, spread: Callable[[], float] = random.random) -> float:
    """Return in how many seconds to try an address again that failed `attempts` times, one day at most.

    Twice as long after each attempt, never before what the server said, and spread, so that what failed together does
    not come again together; `spread` gives numbers from 0 to 1.
    """
    doubled_s = _FIRST_RETRY_S * 2.0 ** min(max(attempts - 1, 0), 20)
    wait_s = max(doubled_s, _bounded(said_s or 0.0))
    return min(wait_s + min(0.5 * wait_s, 60.0) * spread(), LONGEST_S)


def _bounded(seconds: float) -> float:
    return min(seconds, LONGEST_S) if seconds > 0.0 else 0.0  # not a number: 0
