"""Remember what an estimator expects: an estimator comes in, the same one that writes down its forecasts goes out."""

from __future__ import annotations

import math
from typing import Any

from scythe.schedule.policy import Estimator
from scythe.watched import HOUR_S, Plan, Seen

_HOURS_MOST = 24 * 28  # of one forecast


class Foretold:
    """An estimator whose forecasts, each up to the visit it plans, are kept from `since` on."""

    def __init__(self, estimator: Estimator, since: float) -> None:
        self._estimator, self._since = estimator, since
        self.forecast: list[tuple[float, float]] = []  # when an hour begins, the records expected in it

    def note(self, seen: Seen) -> None:
        """Learn from one visit."""
        self._estimator.note(seen)

    def plan(self, now: float) -> Plan:
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
