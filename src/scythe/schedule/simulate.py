"""Run an estimator over arrivals that were recorded: times and an estimator come in, what it would have seen goes out.

The world: a list shows the newest P records. A visit sees them all and learns how many are new. What was pushed off
the list between two visits is missed for good, unless older pages can be followed back (`recovers`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scythe.errors import BadInput
from scythe.schedule.poisson import HOURS, hour_of
from scythe.schedule.policy import Estimator
from scythe.watched import DAY_S, Seen

WARM_S = 28 * DAY_S
BEGINNINGS = ("warm", "cold", "dated")


@dataclass(frozen=True, slots=True)
class Start:
    """What the time before a trial says about a list."""

    shown: int
    rate_per_s: float
    profile: tuple[float, ...]  # of the hours of the week, mean 1


Make = Callable[[Start | None], Estimator]  # None: nothing is known


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of a trial."""

    at: float
    new: int
    shown: int
    missed: int
    requests: int
    expected: float  # new records, by the forecast
    wait_s: float  # since the visit before


@dataclass(frozen=True, slots=True)
class Trial:
    """What an estimator did with a trace. Shares and means are None where nothing came."""

    shown: int
    days: float
    came: int  # records, those behind the last visit too
    visits: tuple[Visit, ...]
    delays_s: tuple[float, ...]  # between arrival and the visit that saw it, sorted
    missed_at: tuple[float, ...]  # when the records came that no visit saw

    @property
    def new(self) -> int:
        return len(self.delays_s)

    @property
    def missed(self) -> int:
        return len(self.missed_at)

    @property
    def requests(self) -> int:
        return sum(visit.requests for visit in self.visits)

    @property
    def duplicates(self) -> int:
        """Records that were seen again, on older pages too."""
        return sum(visit.shown for visit in self.visits) - self.new

    @property
    def fetches_per_day(self) -> float:
        return len(self.visits) / self.days

    @property
    def requests_per_day(self) -> float:
        return self.requests / self.days

    @property
    def duplicates_per_fetch(self) -> float:
        """The paper's mean absolute error on duplicates too: its error is their number, and 0 would be right."""
        return self.duplicates / max(len(self.visits), 1)

    @property
    def duplicates_per_new(self) -> float:
        return self.duplicates / max(self.new, 1)

    @property
    def missed_share(self) -> float:
        return self.missed / max(self.new + self.missed, 1)

    @property
    def floor_per_day(self) -> float:
        """Fetches below which no schedule can go without missing anything: the rate over P."""
        return self.came / self.shown / self.days

    @property
    def mean_delay_s(self) -> float | None:
        return sum(self.delays_s) / len(self.delays_s) if self.delays_s else None

    def delay_s(self, share: float) -> float | None:
        """Return the delay that `share` of the records stay below."""
        return self.delays_s[min(int(share * self.new), self.new - 1)] if self.delays_s else None


def simulate(
    arrivals: Sequence[float],
    shown: int,
    make: Make,
    *,
    warm_s: float = WARM_S,
    begin: str = "warm",
    recovers: bool = False,
    outages: Sequence[tuple[float, float]] = (),
    end: float | None = None,
) -> Trial:
    """Visit a list as an estimator says, from `warm_s` after its first record to its last, or to `end`.

    `begin` says what the estimator knows: "warm" the rate and profile of the time before, "cold" the first page,
    "dated" the same, and every record says when it was published. A visit due in an outage (start, end) is made at its
    end. Arrivals are sorted. With `recovers`, a visit after A arrivals takes A // P + 1 requests and misses nothing.
    """
    check_arrivals(arrivals, shown, warm_s, end)
    if begin not in BEGINNINGS:
        raise BadInput(f"a trial begins {', '.join(BEGINNINGS)}, not {begin!r}")
    now, end = arrivals[0] + warm_s, arrivals[-1] if end is None else end
    estimator = make(start_of(arrivals, shown, warm_s) if begin == "warm" else None)
    world = _World(arrivals, shown, recovers, is_dated=begin == "dated", seen=bisect_right(arrivals, now))
    if begin != "warm":
        estimator.note(world.look_first(now))
    days, came = max((end - now) / DAY_S, 1e-9), len(arrivals) - world.seen
    while True:
        plan = estimator.plan(now)
        if not plan.wait_s > 0:
            raise BadInput(f"an estimator waits {plan.wait_s} s")
        at = _after_outage(now + plan.wait_s, outages)
        if at > end:
            break
        estimator.note(world.visit(at, at - now, plan.expected))
        now = at
    return Trial(shown, days, came, tuple(world.visits), tuple(sorted(world.delays_s)), tuple(world.missed_at))


class _World:
    """The list, and what was seen of it."""

    def __init__(
        self, arrivals: Sequence[float], shown: int, recovers: bool, *, is_dated: bool = False, seen: int = 0
    ) -> None:
        self.arrivals, self.shown, self.recovers, self.is_dated, self.seen = arrivals, shown, recovers, is_dated, seen
        self.visits: list[Visit] = []
        self.delays_s: list[float] = []
        self.missed_at: list[float] = []

    def look_first(self, at: float) -> Seen:
        """Return what the page shows before anything is known of it; with older pages, the first of them too."""
        pages = 2 if self.recovers else 1
        page = tuple(self.arrivals[max(self.seen - pages * self.shown, 0) : self.seen])
        return Seen(at, min(self.shown, len(page)), len(page), published=page if self.is_dated else (), requests=pages)

    def visit(self, at: float, since_s: float, expected: float) -> Seen:
        """Look at the list, write down what was seen and return it as an estimator is told."""
        here = bisect_right(self.arrivals, at, self.seen)
        came, self.seen = here - self.seen, here
        new = came if self.recovers else min(came, self.shown)
        requests = came // self.shown + 1 if self.recovers else 1
        shown = min(requests * self.shown, here)
        self.visits.append(Visit(at, new, shown, came - new, requests, expected, since_s))
        found = self.arrivals[here - new : here]
        self.delays_s += [at - arrived for arrived in found]
        self.missed_at += self.arrivals[here - came : here - new]
        is_full = new >= self.shown and not self.recovers
        dates = tuple(found) if self.is_dated else ()
        return Seen(at, min(self.shown, here), new, is_full, since_s, published=dates, requests=requests)


def start_of(arrivals: Sequence[float], shown: int, warm_s: float = WARM_S) -> Start:
    """Return what the first `warm_s` of a trace say about its list."""
    known = bisect_right(arrivals, arrivals[0] + warm_s)
    counts = [0] * HOURS
    for at in arrivals[:known]:
        counts[hour_of(at)] += 1
    mean = known / HOURS
    profile = [max(0.05, (count + 1) / (mean + 1)) for count in counts]
    scale = sum(profile) / HOURS
    return Start(shown, max(known, 5) / warm_s, tuple(hour / scale for hour in profile))


def check_arrivals(arrivals: Sequence[float], shown: int, warm_s: float, end: float | None = None) -> None:
    """Raise BadInput where a trace is too short for a trial, or no list."""
    if shown < 1:
        raise BadInput(f"a list shows 1 record at least, not {shown}")
    if not warm_s > 0:
        raise BadInput(f"the time before a trial is above 0 s, not {warm_s}")
    length_s = (arrivals[-1] if end is None else end) - arrivals[0] if arrivals else 0.0
    if length_s <= warm_s:
        raise BadInput(f"a trace of {length_s / DAY_S:.1f} days is too short for {warm_s / DAY_S:.1f} days of warm-up")


def _after_outage(at: float, outages: Sequence[tuple[float, float]]) -> float:
    for start, end in outages:
        if start <= at < end:
            at = end
    return at
