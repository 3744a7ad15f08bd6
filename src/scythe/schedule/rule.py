"""What the simple estimators share: visits of one region come in, a wait within the goals goes out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from scythe.schedule.chances import share_over
from scythe.watched import DAY_S, HOUR_S, WEEK_S, Goals, Plan, Seen

VERSION = 1
LEARN_S = 28 * DAY_S  # so long the mean of a region is learned where a rule holds it constant: the benchmark's warm-up
LEAST_RATE = 1e-9  # records a second: one in thirty years
# A cold start guesses that a page turns over in so long, as firmly as if it had been watched for an hour, and
# forgets the guess by half with every day. Two hours are shorter than any of 13 news lists takes.
GUESS_TURN_S, GUESS_S, GUESS_HALF_S = 2 * HOUR_S, HOUR_S, DAY_S
_LARGEST = 1e12  # of a number in a saved state; a date of the year 9999 has 11 digits


class Rule(ABC):
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
        """Return one that knows a region already: records shown, mean rate, and that of each hour of the week."""
        rule = cls(goals)
        rule.shown = float(shown)
        rule.over_s = LEARN_S if math.isinf(cls.half_s) else cls.half_s
        rule.counted = rate_per_s * rule.over_s
        rule.watched_s = LEARN_S
        rule._begin(profile)
        return rule

    def note(self, seen: Seen) -> None:
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

    def plan(self, now: float) -> Plan:
        """Say when to come again: as the rule has it, within the goals."""
        wanted, why = self._wait(now)
        wait_s, why = self._bound(wanted, why)
        expected = self._expect(now, wait_s)
        risk = 0.0 if self.goals.recovers else share_over(expected, self.shown)
        return Plan(wait_s=wait_s, expected=expected, risk=risk, rate=self.rate() * DAY_S, why=why)

    def rates(self, now: float, hours: int) -> list[float]:
        """Return the records expected in each hour from `now` on."""
        return [self._expect(now + HOUR_S * hour, HOUR_S) for hour in range(hours)]

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""
        return {"policy": self.name, "version": VERSION, **{number: getattr(self, number) for number in self.numbers}}

    def rate(self) -> float:
        """Return the records a second; a young region's is mixed with the guess of a cold start."""
        guess_s = GUESS_S * 0.5 ** (self.watched_s / GUESS_HALF_S) if self.watched_s < LEARN_S else 0.0
        counted = self.counted + self.shown * guess_s / GUESS_TURN_S
        return max(counted / max(self.over_s + guess_s, 1.0), LEAST_RATE)

    def room(self) -> float:
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

    def _learn(self, seen: Seen, since_s: float) -> None:
        kept = 0.5 ** (since_s / self.half_s)
        self.counted = self.counted * kept + seen.new
        self.over_s = self.over_s * kept + since_s

    def _note_first(self, seen: Seen) -> None:
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
