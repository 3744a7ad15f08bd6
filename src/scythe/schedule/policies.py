"""The scheduling policies by name: fixed, average, exponential smoothing, adaptive, Poisson, seasonal and auto."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol, Self, cast

from scythe.method_parameters import read_method, unknown_method
from scythe.schedule.auto import Auto
from scythe.schedule.safety import largest_mean, share_over
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S, Goals, Observation, VisitPlan

VERSION = 1
LEARN_S = 28 * DAY_S  # so long the mean of a list is learned where a rule holds it constant: the benchmark's warm-up
LEAST_RATE = 1e-9  # records a second: one in thirty years
# A cold start guesses that a page turns over in so long, as firmly as if it had been watched for an hour, and
# forgets the guess by half with every day. Two hours are shorter than any of 13 news lists takes.
GUESS_TURN_S, GUESS_S, GUESS_HALF_S = 2 * HOUR_S, HOUR_S, DAY_S
_LARGEST = 1e12  # of a number in a saved state; a date of the year 9999 has 11 digits


class CountingPolicy(ABC):
    """An estimator that counts records over an exponential window; what it does with them is told by a subclass."""

    name: ClassVar[str] = ""
    half_s: ClassVar[float] = 3 * DAY_S  # of the window; infinite: all visits count alike
    cold_cap_s: ClassVar[float] = DAY_S  # in the first week a night may look like the end of everything
    numbers: ClassVar[tuple[str, ...]] = ("shown", "counted", "over_s", "watched_s")  # what is saved

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None) -> None:
        self.goals = goals
        self.shown = self.counted = self.over_s = self.watched_s = 0.0
        self._prepare()
        if known is not None and self._is_mine(known):
            self._take_up(known)

    @classmethod
    def started(cls, goals: Goals, shown: int, rate_per_s: float, profile: Sequence[float]) -> Self:
        """Return one that knows a list already: records shown, mean rate, and that of each hour of the week."""
        rule = cls(goals)
        rule.shown = float(shown)
        rule.over_s = LEARN_S if math.isinf(cls.half_s) else cls.half_s
        rule.counted = rate_per_s * rule.over_s
        rule.watched_s = LEARN_S
        rule._begin(profile)
        return rule

    def note(self, seen: Observation) -> None:
        """Learn from one visit; one that is the first, or follows nobody knows what, only shows the page."""
        if seen.shown > 0:
            self.shown = float(seen.shown)
        if seen.since_s is None:
            if not self.watched_s:
                self._note_first(seen)
        elif seen.since_s > 0 and not (seen.is_full and seen.since_s > 1.01 * self.goals.ceiling_s):
            # A visit long after it was due that finds nothing known says how long nobody came, not how much came.
            since_s = max(seen.since_s, 1.0)  # what came in no time has no rate
            self._learn(seen, since_s)
            self.watched_s += since_s

    def plan(self, now: float) -> VisitPlan:
        """Say when to come again: as the rule has it, within the goals."""
        wanted, why = self._wait(now)
        wait_s, why = self._bound(wanted, why)
        expected = self._expect(now, wait_s)
        risk = 0.0 if self.goals.recovers else share_over(expected, self.shown)
        return VisitPlan(wait_s=wait_s, expected=expected, risk=risk, rate=self.rate() * DAY_S, why=why)

    def rates(self, now: float, hours: int) -> list[float]:
        """Return the records expected in each hour from `now` on."""
        return [self._expect(now + HOUR_S * hour, HOUR_S) for hour in range(hours)]

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""
        return {"policy": self.name, "version": VERSION, **{number: getattr(self, number) for number in self.numbers}}

    def rate(self) -> float:
        """Return the records a second; a young list's is mixed with the guess of a cold start."""
        guess_s = GUESS_S * 0.5 ** (self.watched_s / GUESS_HALF_S) if self.watched_s < LEARN_S else 0.0
        counted = self.counted + self.shown * guess_s / GUESS_TURN_S
        return max(counted / max(self.over_s + guess_s, 1.0), LEAST_RATE)

    def state(self) -> float:
        """Return the paper's P - 2; at least 1, or a list of two would be asked for without a pause."""
        return max(self.shown - 2, 1.0)

    def _prepare(self) -> None:  # noqa: B027 (a rule may have nothing of its own)
        """Set what only this rule knows to its beginning."""

    def _begin(self, profile: Sequence[float]) -> None:  # noqa: B027 (nor want anything)
        """Take what only this rule wants of a warm start."""

    @abstractmethod
    def _wait(self, now: float) -> tuple[float, str]:
        """Return the seconds until the next visit and what set them."""

    def _expect(self, now: float, wait_s: float) -> float:
        return self.rate() * wait_s

    def _learn(self, seen: Observation, since_s: float) -> None:
        kept = 0.5 ** (since_s / self.half_s)
        self.counted = self.counted * kept + seen.new
        self.over_s = self.over_s * kept + since_s

    def _note_first(self, seen: Observation) -> None:
        """Learn a rate from the dates on the first page: half the records are younger than their median age."""
        ages = sorted(seen.at - at for at in seen.published if 0 <= seen.at - at < math.inf)
        middle = len(ages) // 2
        if len(ages) >= 3 and ages[middle] > 0:
            self.counted, self.over_s = middle + 1.0, max(ages[middle], 1.0)
            self.watched_s = min(self.over_s, WEEK_S)

    def _bound(self, wanted: float, why: str) -> tuple[float, str]:
        """Keep a wait within the goals; the floor holds always."""
        goals = self.goals
        caps = [(goals.ceiling_s, "ceiling")]
        if goals.max_delay_s is not None:
            caps.append((goals.max_delay_s, "max delay"))
        if goals.delay_s is not None:
            # Between visits w apart, a record waits at most d with the chance d / w.
            caps.append((goals.delay_s / goals.delay_share, "delay"))
        if self.watched_s < WEEK_S:
            caps.append((self.cold_cap_s, "cold start"))
        cap_s, name = min(caps)
        if wanted > cap_s:
            wanted, why = cap_s, name
        return (wanted, why) if wanted >= goals.floor_s else (goals.floor_s, "floor")

    def _is_mine(self, known: object) -> bool:
        """Tell whether a saved state is whole, of this rule and of this version."""
        if not isinstance(known, dict) or known.get("policy") != self.name or known.get("version") != VERSION:
            return False
        return all(is_number(known.get(number)) for number in self.numbers)

    def _take_up(self, known: dict[str, Any]) -> None:
        for number in self.numbers:
            setattr(self, number, float(known[number]))


def is_number(value: object) -> bool:
    """Tell whether a value of a saved state can be one of ours: a finite number, not below 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST


HOURS = 168  # of a week; hour 0 is that of 1970-01-01, a Thursday, 0:00 UTC
STEP_S = 900.0  # a seasonal wait is the floor and so many of these
_LEAST, _MOST = 0.02, 168.0  # of an hour, as a multiple of the mean hour; all in one hour is 168
_GAIN = 0.1  # of the profile, by one visit
_SHARP_S = 6 * HOUR_S  # a longer wait says too little about its hours
_JUMP = 5.0  # a burst teaches the profile no more than this


class Poisson(CountingPolicy):
    """Take the longest wait after which no more than P - 2 records have come, but for the share to miss."""

    name = "poisson"

    def _state(self) -> float:
        """Return the records that may be expected, so that what comes fits the page."""
        return largest_mean(int(self.state()), 1 - self.goals.miss)

    def _wait(self, now: float) -> tuple[float, str]:
        """Halve the range of waits thirty times: to the millisecond, and to the same one wherever it is done."""
        state, rate = self._state(), self.rate()
        low, high = self.goals.floor_s, self.goals.ceiling_s
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if rate * middle <= state else (low, middle)
        return low, "forecast"


class Seasonal(Poisson):
    """The same where the rate is a level times that of the hour of the week."""

    name = "seasonal"

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None) -> None:
        self.profile = [1.0] * HOURS
        super().__init__(goals, known)

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""
        return {**super().to_plain(), "profile": list(self.profile)}

    def _begin(self, profile: Sequence[float]) -> None:
        if len(profile) == HOURS:
            self.profile = [float(hour) for hour in profile]

    def _is_mine(self, known: object) -> bool:
        profile = known.get("profile") if isinstance(known, dict) else None
        if not isinstance(profile, list) or len(profile) != HOURS:
            return False
        return super()._is_mine(known) and all(is_number(hour) and 0 < hour <= _MOST for hour in profile)

    def _take_up(self, known: dict[str, Any]) -> None:
        super()._take_up(known)
        self._begin(known["profile"])

    def _learn(self, seen: Observation, since_s: float) -> None:
        """Count records over weighed time, then move the hours of a short wait towards what came."""
        mass = max(self.mass(seen.at - since_s, since_s), 1.0)
        kept = 0.5 ** (since_s / self.half_s)
        self.counted = self.counted * kept + seen.new
        self.over_s = self.over_s * kept + mass
        if since_s > _SHARP_S:
            return
        level = max(self.counted / self.over_s, LEAST_RATE)
        factor = 1 - _GAIN + _GAIN * min(seen.new / max(level * mass, 0.5), _JUMP)
        at = seen.at - since_s
        while at < seen.at:
            hour = hour_of(at)
            self.profile[hour] = min(_MOST, max(_LEAST, self.profile[hour] * factor))
            at += HOUR_S

    def _expect(self, now: float, wait_s: float) -> float:
        return self.rate() * self.mass(now, wait_s)

    def _wait(self, now: float) -> tuple[float, str]:
        """Walk on until the hours hold what the page does; a quarter of an hour is fine enough."""
        reach_s = self._reach(now, self._state() / self.rate())
        if reach_s >= self.goals.ceiling_s:
            return reach_s, "forecast"
        steps = math.floor((reach_s - self.goals.floor_s) / STEP_S)
        return self.goals.floor_s + max(steps, 0) * STEP_S, "forecast"

    def mass(self, at: float, length_s: float) -> float:
        """Return the weighed seconds of a stretch of time; a whole week has about as many as it has seconds."""
        weeks, rest_s = divmod(length_s, WEEK_S)
        total = weeks * HOUR_S * sum(self.profile) if weeks else 0.0
        end = at + rest_s
        while at < end:
            until = min(end, (at // HOUR_S + 1) * HOUR_S)
            total += self.profile[hour_of(at)] * (until - at)
            at = until
        return total

    def _reach(self, now: float, mass: float) -> float:
        """Return the seconds after which a stretch has `mass`, no more than the ceiling."""
        at, end = now, now + self.goals.ceiling_s
        while at < end:
            until = (at // HOUR_S + 1) * HOUR_S
            here = self.profile[hour_of(at)] * (until - at)
            if here >= mass:
                return min(at + mass / self.profile[hour_of(at)], end) - now
            mass, at = mass - here, until
        return self.goals.ceiling_s


def hour_of(at: float) -> int:
    """Return the hour of the week, UTC."""
    return int(at // HOUR_S) % HOURS


class Fixed(CountingPolicy):
    """Come again after a constant time: the maximum delay where one is wanted, else an hour."""

    name = "fixed"
    cold_cap_s = math.inf

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None, *, every_s: float | None = None) -> None:
        super().__init__(goals, known)
        self.every_s = every_s or goals.max_delay_s or HOUR_S

    def _wait(self, now: float) -> tuple[float, str]:
        return self.every_s, "fixed"


class Average(CountingPolicy):
    """Come again after P - 2 mean times between records: the yardstick of the paper. The mean is that of 28 days."""

    name = "average"
    half_s = math.inf

    def _learn(self, seen: Observation, since_s: float) -> None:
        if self.watched_s < LEARN_S:
            super()._learn(seen, since_s)

    def _wait(self, now: float) -> tuple[float, str]:
        return self.state() / self.rate(), "average"


class Ses(Average):
    """Smooth the count of an interval and come again when it will have filled the page but for two records.

    Equations (1) to (4) of the paper. With X = n T / e, the n records of e seconds scaled to an interval T, and
    dt = T / S, the interval cancels: S / T is kept, in records a second, so that T and P may change on the way.
    """

    name = "ses"
    alpha = 0.5
    numbers = (*CountingPolicy.numbers, "smoothed")

    def _prepare(self) -> None:
        self.smoothed = 0.0  # 0: no visit was counted yet

    def _begin(self, profile: Sequence[float]) -> None:
        self.smoothed = super().rate()

    def _learn(self, seen: Observation, since_s: float) -> None:
        before = self.smoothed or super().rate()
        super()._learn(seen, since_s)
        self.smoothed = self.alpha * seen.new / since_s + (1 - self.alpha) * before

    def rate(self) -> float:
        """Return the smoothed rate; the paper divides by n = 0 after an interval without records, we do not."""
        mean = super().rate()
        return max(self.smoothed, 1e-6 / self.shown * mean) if self.smoothed and self.shown else mean

    def _wait(self, now: float) -> tuple[float, str]:
        return self.state() / self.rate(), "forecast"


@dataclass(frozen=True, slots=True)
class Habits:
    """How a crawler moves its interval."""

    longer: float  # share added where nothing changed
    shorter: float  # share taken off where something did
    toward_s: float = 0.0  # what is left of it after many changes
    sync: float = 0.0  # share of the time since the last change by which the next visit is brought forward
    start_s: float = HOUR_S


# Of nutch-default.xml. The interval to begin with is 30 days there, which says nothing about news: an hour.
NUTCH = Habits(longer=0.4, shorter=0.2)
NUTCH_SYNC = Habits(longer=0.4, shorter=0.2, sync=0.3)
STORM = Habits(longer=0.5, shorter=0.5, toward_s=HOUR_S, start_s=DAY_S)  # StormCrawler's AdaptiveScheduler


class Adaptive(CountingPolicy):
    """Come sooner after a change and later after none, as Nutch's AdaptiveFetchSchedule does.

    Nutch bounds the interval by a minute and a year; here the goals do, for all rules alike.
    """

    name = "adaptive"
    cold_cap_s = math.inf
    numbers = (*CountingPolicy.numbers, "every_s", "changed_at")

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None, *, habits: Habits = NUTCH) -> None:
        self.habits = habits
        super().__init__(goals, known)

    def _prepare(self) -> None:
        self.every_s = self.habits.start_s
        self.changed_at = 0.0  # 0: nobody knows

    def _learn(self, seen: Observation, since_s: float) -> None:
        super()._learn(seen, since_s)
        habits = self.habits
        if seen.new:
            every_s = (1 - habits.shorter) * self.every_s + habits.shorter * habits.toward_s
            self.changed_at = seen.at
        else:
            every_s = (1 + habits.longer) * self.every_s
            if habits.sync and self.changed_at:
                every_s = max(every_s, seen.at - self.changed_at)
        self.every_s = max(self.goals.floor_s, min(self.goals.ceiling_s, every_s))

    def _wait(self, now: float) -> tuple[float, str]:
        unchanged_s = max(0.0, now - self.changed_at) if self.changed_at else 0.0
        return self.every_s - self.habits.sync * unchanged_s, "changes"


class Estimator(Protocol):
    """What knows one list. It survives in an archive as a JSON object."""

    def note(self, seen: Observation) -> None:
        """Learn from one visit."""

    def plan(self, now: float) -> VisitPlan:
        """Say when to come again, from `now` on; nothing is learned by asking."""

    def rates(self, now: float, hours: int) -> list[float]:
        """Return the records expected in each hour from `now` on."""

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""


_HOURS_MOST = 24 * 28  # of one forecast


class Foretold:
    """An estimator whose forecasts, each up to the visit it plans, are kept from `since` on."""

    def __init__(self, estimator: Estimator, since: float) -> None:
        self._estimator, self._since = estimator, since
        self.forecast: list[tuple[float, float]] = []  # when an hour begins, the records expected in it

    def note(self, seen: Observation) -> None:
        """Learn from one visit."""
        self._estimator.note(seen)

    def plan(self, now: float) -> VisitPlan:
        """Say when to come again, and keep what is expected until then."""
        plan = self._estimator.plan(now)
        if now + plan.wait_s >= self._since:
            hours = min(math.ceil(plan.wait_s / HOUR_S), _HOURS_MOST)
            rates = self._estimator.rates(now, hours)
            self.forecast += [(now + HOUR_S * hour, expected) for hour, expected in enumerate(rates)]
        return plan

    def rates(self, now: float, hours: int) -> list[float]:
        """Return the records expected in each hour from `now` on."""
        return self._estimator.rates(now, hours)

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""
        return self._estimator.to_plain()


DEFAULT = "auto"


class Kind(Protocol):
    """A class of estimators: made anew or from a saved state, or started with what is known of a list."""

    def __call__(self, goals: Goals, known: dict[str, Any] | None = None) -> Estimator: ...

    def started(self, goals: Goals, shown: int, rate_per_s: float, profile: Sequence[float]) -> Estimator:
        """Return one that knows the records shown, the mean rate, and the rate of each hour of the week."""


POLICIES: dict[str, Kind] = {
    "fixed": Fixed,
    "average": Average,
    "ses": Ses,
    "adaptive": Adaptive,
    "poisson": Poisson,
    "seasonal": Seasonal,
    "auto": Auto,
}


def policy_kind(name: str) -> Kind:
    """Return the class of a name, parameters behind it (`ses:alpha=.3`); raise BadInput where there is none."""
    known = POLICIES.get(name)
    return known if known is not None else _with_parameters(name)


@lru_cache(maxsize=64)
def _with_parameters(text: str) -> Kind:
    """Return the class of a policy with other parameters than the paper's: what it has learned is its own."""
    name, arguments = read_method(text)
    if name not in POLICIES:
        raise unknown_method("policy", name, POLICIES)
    kind: Any = POLICIES[name]
    return cast("Kind", type(f"{kind.__name__}WithParameters", (kind,), {**arguments, "name": text}))


def make_policy(name: str, goals: Goals, known: dict[str, Any] | None = None) -> Estimator:
    """Return the estimator of a name; a state of another name or version, or a damaged one, starts anew."""
    return policy_kind(name)(goals, known)
