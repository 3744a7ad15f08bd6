"""All scheduling policies by name, and the protocol they implement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol, cast

from scythe.method_parameters import read_method, unknown_method
from scythe.schedule.auto import Auto
from scythe.schedule.simple_policies import Adaptive, Average, Fixed, Poisson, Seasonal, Ses
from scythe.watch_model import HOUR_S, Goals, Observation, VisitPlan


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


class Maker(Protocol):
    """What makes an estimator: the goals, and what was known of the list before, as `to_plain` gave it."""

    def __call__(self, goals: Goals, known: dict[str, Any] | None = None) -> Estimator: ...


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
