"""Rules that forecast a count and its spread: a homogeneous Poisson process, and one with the hours of the week."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scythe.schedule.chances import largest_mean
from scythe.schedule.rule import LEAST_RATE, Rule, is_number
from scythe.watched import HOUR_S, WEEK_S, Goals, Seen

HOURS = 168  # of a week; hour 0 is that of 1970-01-01, a Thursday, 0:00 UTC
STEP_S = 900.0  # a seasonal wait is the floor and so many of these
_LEAST, _MOST = 0.02, 168.0  # of an hour, as a multiple of the mean hour; all in one hour is 168
_GAIN = 0.1  # of the profile, by one visit
_SHARP_S = 6 * HOUR_S  # a longer wait says too little about its hours
_JUMP = 5.0  # a burst teaches the profile no more than this


class Poisson(Rule):
    """Take the longest wait after which no more than P - 2 records have come, but for the share to miss."""

    name = "poisson"

    def _room(self) -> float:
        """Return the records that may be expected, so that what comes fits the page."""
        return largest_mean(int(self.room()), 1 - self.goals.miss)

    def _wait(self, now: float) -> tuple[float, str]:
        """Halve the range of waits thirty times: to the millisecond, and to the same one wherever it is done."""
        room, rate = self._room(), self.rate()
        low, high = self.goals.floor_s, self.goals.ceiling_s
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if rate * middle <= room else (low, middle)
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

    def _learn(self, seen: Seen, since_s: float) -> None:
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
        reach_s = self._reach(now, self._room() / self.rate())
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
