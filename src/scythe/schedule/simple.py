"""Rules that know no hours: a constant interval, the published one, its yardstick, and what crawlers do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scythe.schedule.rule import LEARN_S, Rule
from scythe.watched import DAY_S, HOUR_S, Goals, Seen


class Fixed(Rule):
    """Come again after a constant time: the maximum delay where one is wanted, else an hour."""

    name = "fixed"
    cold_cap_s = math.inf

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None, *, every_s: float | None = None) -> None:
        super().__init__(goals, known)
        self.every_s = every_s or goals.max_delay_s or HOUR_S

    def _wait(self, now: float) -> tuple[float, str]:
        return self.every_s, "fixed"


class Average(Rule):
    """Come again after P - 2 mean times between records: the yardstick of the paper. The mean is that of 28 days."""

    name = "average"
    half_s = math.inf

    def _learn(self, seen: Seen, since_s: float) -> None:
        if self.watched_s < LEARN_S:
            super()._learn(seen, since_s)

    def _wait(self, now: float) -> tuple[float, str]:
        return self.room() / self.rate(), "average"


class Ses(Average):
    """Smooth the count of an interval and come again when it will have filled the page but for two records.

    Equations (1) to (4) of the paper. With X = n T / e, the n records of e seconds scaled to an interval T, and
    dt = T / S, the interval cancels: S / T is kept, in records a second, so that T and P may change on the way.
    """

    name = "ses"
    alpha = 0.5
    numbers = (*Rule.numbers, "smoothed")

    def _prepare(self) -> None:
        self.smoothed = 0.0  # 0: no visit was counted yet

    def _begin(self, profile: Sequence[float]) -> None:
        self.smoothed = super().rate()

    def _learn(self, seen: Seen, since_s: float) -> None:
        before = self.smoothed or super().rate()
        super()._learn(seen, since_s)
        self.smoothed = self.alpha * seen.new / since_s + (1 - self.alpha) * before

    def rate(self) -> float:
        """Return the smoothed rate; the paper divides by n = 0 after an interval without records, we do not."""
        mean = super().rate()
        return max(self.smoothed, 1e-6 / self.shown * mean) if self.smoothed and self.shown else mean

    def _wait(self, now: float) -> tuple[float, str]:
        return self.room() / self.rate(), "forecast"


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


class Adaptive(Rule):
    """Come sooner after a change and later after none, as Nutch's AdaptiveFetchSchedule does.

    Nutch bounds the interval by a minute and a year; here the goals do, for all rules alike.
    """

    name = "adaptive"
    cold_cap_s = math.inf
    numbers = (*Rule.numbers, "every_s", "changed_at")

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None, *, habits: Habits = NUTCH) -> None:
        self.habits = habits
        super().__init__(goals, known)

    def _prepare(self) -> None:
        self.every_s = self.habits.start_s
        self.changed_at = 0.0  # 0: nobody knows

    def _learn(self, seen: Seen, since_s: float) -> None:
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
