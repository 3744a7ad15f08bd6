"""Every estimator by its name: a name and goals come in, an estimator of one region goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from scythe.errors import BadInput
from scythe.schedule.auto import Auto
from scythe.schedule.poisson import Poisson, Seasonal
from scythe.schedule.policy import Estimator
from scythe.schedule.simple import Adaptive, Average, Fixed, Ses
from scythe.watched import Goals

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
    """Return the class of a name; raise BadInput where there is none."""
    if name not in POLICIES:
        raise BadInput(f"no policy is called {name!r}; there are {', '.join(POLICIES)}")
    return POLICIES[name]


def make_policy(name: str, goals: Goals, known: dict[str, Any] | None = None) -> Estimator:
    """Return the estimator of a name; a state of another name or version, or a damaged one, starts anew."""
    return policy_kind(name)(goals, known)
