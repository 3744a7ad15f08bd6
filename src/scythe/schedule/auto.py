"""The default policy, `Auto`: the latest next visit that still meets the goals.

    forecast   hour-of-week profile x level x past forecast errors              forecast.py
    allowance  how many records may be expected before a list is visited        safety.py
    wait       until the forecast reaches the allowance; sooner for other goals

It sees counts only. A full page means "at least this many"; a visit to a page that had to be full says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from scythe.schedule.forecast import (
    HOURS,
    Correction,
    Forecast,
    Level,
    Numbers,
    Span,
    WeekProfile,
    cut_hours,
    published_shares,
    read_numbers,
)
from scythe.schedule.safety import COLD_SPREAD, PRIOR_SPREAD, Budget, Errors, allowance, hidden
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S, Goals, Observation, VisitPlan

AIM = 0.7  # of the share that may be late; at 0.8 three of 13 lists exceed it
EARLIER = 1.05  # requests that are paid for an earlier visit: 4 % more, a fifth less delay
SPREAD = 0.1  # of a forecast, besides what counting alone makes; how many pages are needed hardly depends on it


def quiet_rate(week: Numbers, late_share: float) -> float:
    """Return the rate below which hours may be slept through: together they have so large a share of the records."""
    ordered = np.sort(week)
    sums = np.cumsum(ordered)
    place = int(np.searchsorted(sums, late_share * sums[-1]))
    return float(ordered[min(place, len(ordered) - 1)])


def sleep_through(forecast: Forecast, delay_s: float, quiet: float) -> float:
    """Return the wait that sees all but the records of quiet hours within `delay_s`.

    A visit at delay_s + s is late for what comes in the first s seconds. It saves s / delay_s visits, which are worth
    their price where fewer records come than `quiet` a second.
    """
    starts = forecast.span.leads_h * HOUR_S
    late = np.concatenate([[0.0], np.cumsum(forecast.rates * forecast.span.seconds)[:-1]])
    return delay_s + float(starts[int(np.argmax(quiet * starts - late))])


def late_records(forecast: Forecast, records: float, delay_s: float, length_s: float) -> float:
    """Estimate how many of the records of a stretch were seen later than `delay_s`."""
    expected = forecast.expected()
    return records * forecast.until(length_s - delay_s) / expected if expected > 0 else 0.0


def fewest_requests(forecast: Forecast, shown: int) -> float:
    """Return the wait with the fewest requests per record, where older pages are followed back.

    A visit that finds A new records takes floor(A / P) + 1 requests: best is just before another page is needed.
    """
    ends = forecast.span.leads_h * HOUR_S + forecast.span.seconds
    expected = np.maximum(np.cumsum(forecast.rates * forecast.span.seconds), 1e-9)
    pages = np.arange(1, int(2 * expected[-1] / shown) + 2)[:64]
    places = (pages[None, :] * shown - expected[:, None]) / np.sqrt(expected + (SPREAD * expected) ** 2)[:, None]
    price = (1.0 + (1.0 / (1.0 + np.exp(1.7 * np.clip(places, -20, 20)))).sum(1)) / expected
    return float(ends[int(np.argmax(price <= EARLIER * price.min()))])


NAME, VERSION = "auto", 1
CAP_S = 36 * HOUR_S  # saves slow lists from rare bursts: at 48 h one of 13 lists loses 1.4 %, at 72 h 3.2 %
KNOWN_WEEKS = 4.0  # that a profile counts which is given at the start
GUESS_TURN_S, GUESS_S = DAY_S, 2 * HOUR_S  # a cold start: a page turns over in a day, as if watched for two hours
COLD_PART = 0.25  # of the time a list is known: no wait is longer. Some 20 visits until the cap
ROTATES = 8  # full pages in a row, the last after the shortest wait: the list shows others at every visit
ROTATES_S = 6 * HOUR_S  # between two looks at such a list
OPEN_S = DAY_S  # after so long an error counts even where few records were expected
OPEN_PART = 0.5  # of the allowance: an error over less is chance
OUTAGE_CEILINGS = 2.0  # longer than so many longest waits: the machine slept or a clock jumped


class Auto:
    """The estimator of one list."""

    at: float | None  # of the last visit
    watched_s: float

    def __init__(self, goals: Goals, known: dict[str, Any] | None = None) -> None:
        self.goals = goals
        self._begin(0)
        if known is not None:
            try:
                self._take_up(known)
            except (KeyError, TypeError, ValueError):
                self._begin(0)

    @classmethod
    def started(cls, goals: Goals, shown: int, rate_per_s: float, profile: Sequence[float]) -> Self:
        """Return one that knows a list already: records shown, mean rate, and that of each hour of the week."""
        auto = cls(goals)
        auto._begin(shown)
        auto.errors = Errors.assumed(shown, PRIOR_SPREAD)
        auto.level = Level(rate_per_s * 5 * DAY_S, 5 * DAY_S)
        auto.profile = WeekProfile(KNOWN_WEEKS * np.array(profile, dtype=np.float64), np.full(HOURS, KNOWN_WEEKS))
        auto.profile.settle(rate_per_s)
        auto.watched_s = 4 * WEEK_S
        return auto

    def note(self, seen: Observation) -> None:
        """Learn from one visit."""
        self._note_shown(seen)
        since_s = seen.since_s
        if since_s is None or not 0 < since_s <= OUTAGE_CEILINGS * self.goals.ceiling_s:
            if self.at is None and not self.watched_s:
                self._note_first(seen)
        else:
            self._note_next(seen, since_s)
            self.watched_s += since_s
        self.at = seen.at
        self.last_s = max(since_s or 0.0, 0.0)

    def plan(self, now: float) -> VisitPlan:
        """Say when to come again, from `now` on; nothing is learned by asking."""
        start = now if self.at is None else min(max(self.at, now - self.goals.ceiling_s), now)
        forecast = self.forecast(start, self._cap()[0] + HOUR_S)
        wait_s, why = self._choose(forecast)
        wait_s = min(max(wait_s - (now - start), self.goals.floor_s), self.goals.ceiling_s)
        expected = forecast.until(wait_s + now - start)
        risk = self.errors.lost(self.room / max(expected, 1e-6))
        busy = 1.0 + float(self.correction.weights[0]) * self.level.surge
        return VisitPlan(
            wait_s=wait_s,
            expected=expected,
            risk=0.0 if self.goals.recovers else risk,
            rate=self.level.rate * busy * DAY_S,
            why=why,
        )

    def rates(self, now: float, hours: int) -> list[float]:
        """Return the records expected in each hour from `now` on."""
        forecast = self.forecast(now, hours * HOUR_S)
        sums = np.concatenate([[0.0], np.cumsum(forecast.rates * forecast.span.seconds)])
        edges = np.append(forecast.span.leads_h, float(hours))
        return [float(step) for step in np.diff(np.interp(np.arange(hours + 1), edges, sums))]

    def forecast(self, start: float, length_s: float) -> Forecast:
        """Return the records expected in a stretch of time, as known now."""
        span = cut_hours(start, length_s)
        plain = self.level.rate * self.profile.factors[span.hours]
        return Forecast(span, plain * self.correction.bends(span, self.level.surge))

    @property
    def room(self) -> int:
        """Return how many records the list is sure to show: the fewer of the last two visits."""
        return max(1, min(self.shown, self.shown_before))

    # What is learned

    def _begin(self, shown: int) -> None:
        """Know nothing but how many records the list shows."""
        self.shown = self.shown_before = shown
        self.at = None
        self.last_s = self.watched_s = 0.0
        self.full_in_row = 0
        self.calm = [0.0] * 6  # level and budget before the first full page in a row
        self.open_new = self.open_expected = self.open_s = 0.0
        self.late = self.in_time = 0.0
        self.level = Level(shown * GUESS_S / GUESS_TURN_S, GUESS_S)
        self.profile, self.correction = WeekProfile(), Correction()
        self.errors, self.budget = Errors.assumed(shown, COLD_SPREAD), Budget()
        self.budget.open(shown, self.goals.miss)

    def _note_shown(self, seen: Observation) -> None:
        """Remember how many records the list shows; an empty one is a mistake or tells nothing."""
        if seen.shown <= 0:
            return
        if not self.shown:
            self._begin(seen.shown)
        self.shown_before, self.shown = self.shown, seen.shown

    def _note_first(self, seen: Observation) -> None:
        """Learn from the dates on the first page: half of its records are younger than their median age."""
        ages = sorted(seen.at - when for when in seen.published if 0 <= seen.at - when < math.inf)
        if len(ages) < 3 or (middle := ages[len(ages) // 2]) <= 0:
            return
        window_s = min(2 * middle, 4 * WEEK_S)
        young = [age for age in ages if age <= window_s]
        weight = min(1.0, 5 * DAY_S / window_s)
        self.level = Level(len(young) * weight, window_s * weight)
        self.watched_s = min(window_s, WEEK_S)
        span = cut_hours(seen.at - window_s, window_s)
        shares = published_shares(span, [seen.at - age for age in young])
        if shares is not None and window_s >= DAY_S:
            self.profile.learn(span, shares, len(young), self.level.rate)
            self.profile.settle(self.level.rate)

    def _note_next(self, seen: Observation, since_s: float) -> None:
        forecast = self.forecast(seen.at - since_s, since_s)
        expected = max(forecast.expected(), 1e-6)
        self._note_full(seen.is_full)
        if seen.is_full and (expected >= seen.new or self.full_in_row > ROTATES):
            self.open_new = self.open_expected = self.open_s = 0.0
            return  # it had to be full, or it always is: nothing can be learned from it
        behind = 0.0
        if seen.is_full:
            behind = hidden(self.errors, self.room, seen.new, expected, self.full_in_row)
        self._note_error(seen, expected, since_s)
        self._note_goals(forecast, seen.new, behind, since_s)
        self._learn(forecast.span, seen, seen.new + behind, since_s)

    def _note_full(self, is_full: bool) -> None:
        """Count full pages in a row; what a list taught that showed others at every visit is taken back."""
        if is_full:
            if not self.full_in_row:
                self.calm = [*self.level.to_plain(), self.budget.seen, self.budget.lost]
            self.full_in_row += 1
        else:
            if self.full_in_row >= ROTATES:
                self.level = Level.from_plain(self.calm[:4])
                self.budget = Budget(*self.calm[4:])
                self.errors.forget_full()
                self.correction = Correction()
            self.full_in_row = 0

    def _note_error(self, seen: Observation, expected: float, since_s: float) -> None:
        """Add the error of the forecast, once it is about enough records: hourly visits say little each."""
        self.open_new += seen.new
        self.open_expected += expected
        self.open_s += since_s
        enough = OPEN_PART * self._allowance()
        if seen.is_full or self.open_s >= OPEN_S or self.open_expected >= enough:
            self.errors.add(self.open_new / max(self.open_expected, 0.5), seen.is_full)
            self.open_new = self.open_expected = self.open_s = 0.0

    def _note_goals(self, forecast: Forecast, new: int, behind: float, since_s: float) -> None:
        """Enter what was lost, and what was late."""
        self.budget.add(new + behind, behind, since_s)
        if self.goals.delay_s is not None:
            late = late_records(forecast, new, self.goals.delay_s, since_s)
            fade = 0.5 ** (since_s / (4 * WEEK_S))
            self.late, self.in_time = self.late * fade + late, self.in_time * fade + new - late

    def _learn(self, span: Span, seen: Observation, records: float, since_s: float) -> None:
        """Learn the level, the profile and the correction."""
        factors = self.profile.factors[span.hours]
        plain = factors * span.seconds
        exposure_s = max(float(plain.sum()), 1.0)
        self.correction.learn(span, plain * self.level.rate, self.level.surge, records)
        self.level.learn(records, exposure_s, since_s)
        shares = published_shares(span, seen.published) if len(seen.published) >= 0.8 * seen.new > 0 else None
        self.profile.learn(span, plain / exposure_s if shares is None else shares, records, self.level.rate)
        self.profile.settle(self.level.rate)

    # When to come again

    def _allowance(self) -> float:
        return allowance(self.errors, self.budget, self.room, self.goals.miss, self.full_in_row)

    def _cap(self) -> tuple[float, str]:
        """Return the longest wait, and why."""
        caps = [(self.goals.ceiling_s, "ceiling")]
        if self.goals.max_delay_s is not None:
            caps.append((self.goals.max_delay_s, "max delay"))
        if self.goals.max_delay_s is None or not self.goals.recovers:
            caps.append((CAP_S, "cap"))  # who may wait for longer may still not lose more
        if self.watched_s < CAP_S / COLD_PART:
            caps.append((max(HOUR_S, COLD_PART * self.watched_s), "cold start"))
        return min(caps)

    def _choose(self, forecast: Forecast) -> tuple[float, str]:
        """Return the wait since the last visit that keeps all goals, and what set it."""
        waits = [self._cap()]
        if self.goals.recovers:
            waits.append((fewest_requests(forecast, self.room), "fewest requests"))
        else:
            waits.append((forecast.reaches(self._allowance()), "forecast"))
        if self.goals.delay_s is not None:
            waits.append((self._sleep(forecast, self.goals.delay_s), "delay"))
        wait_s, why = min(waits)
        if self.full_in_row >= ROTATES:
            wait_s, why = min(self._look_in_pairs(), self._cap()[0]), "always full"
        return (wait_s, why) if wait_s > self.goals.floor_s else (self.goals.floor_s, "floor")

    def _sleep(self, forecast: Forecast, delay_s: float) -> float:
        """Return the wait by which all but the allowed share of the records are seen in time."""
        allowed = AIM * (1.0 - self.goals.delay_share)
        expected = self.late + self.in_time + 10.0 * self.room
        credit = allowed * expected / max(self.late + allowed * 10.0 * self.room, 1e-9)
        week = self.forecast(forecast.span.start, WEEK_S).rates
        return sleep_through(forecast, delay_s, quiet_rate(week, allowed * min(max(credit**4, 0.05), 1.5)))

    def _look_in_pairs(self) -> float:
        """Return a short wait after a long one: only the second of two visits can tell whether a list still rotates."""
        floor_s = self.goals.floor_s
        if self.last_s > 1.5 * floor_s:
            return floor_s
        return min(floor_s * 2.0 ** min(self.full_in_row - ROTATES + 1, 30), max(ROTATES_S, floor_s))

    # What is kept

    def to_plain(self) -> dict[str, Any]:
        """Return everything it knows as plain values for JSON."""
        return {
            "policy": NAME,
            "version": VERSION,
            "counts": [self.shown, self.shown_before, self.full_in_row],
            "at": self.at,
            "numbers": [
                self.last_s,
                self.watched_s,
                self.open_new,
                self.open_expected,
                self.open_s,
                self.late,
                self.in_time,
            ],
            "level": self.level.to_plain(),
            "calm": self.calm,
            "budget": [self.budget.seen, self.budget.lost],
            "errors": self.errors.to_plain(),
            "profile": self.profile.to_plain(),
            "correction": self.correction.to_plain(),
        }

    def _take_up(self, known: dict[str, Any]) -> None:
        """Take a saved state; raise ValueError, KeyError or TypeError where it is none of ours."""
        if known["policy"] != NAME or known["version"] != VERSION:
            raise ValueError("the state of another policy")
        shown, before, full_in_row = read_numbers(known["counts"], 3)
        self.shown, self.shown_before, self.full_in_row = int(shown), int(before), int(full_in_row)
        self.at = None if known["at"] is None else read_numbers([known["at"]], 1, is_signed=True)[0]
        (self.last_s, self.watched_s, self.open_new, self.open_expected, self.open_s, self.late, self.in_time) = (
            read_numbers(known["numbers"], 7)
        )
        self.level = Level.from_plain(known["level"])
        self.calm = read_numbers(known["calm"], 6)
        self.budget = Budget(*read_numbers(known["budget"], 2))
        self.errors = Errors.from_plain(known["errors"])
        self.profile = WeekProfile.from_plain(known["profile"])
        self.profile.settle(self.level.rate)
        self.correction = Correction.from_plain(known["correction"])
