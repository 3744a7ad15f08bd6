"""The benchmark of schedules: recorded arrivals and policies come in, what each would have cost and lost goes out.

`Auto` and the classes beside it are for another simulator: made as Policy(P, records a second, profile of 168 hours)
and asked next(now, new records seen, seconds since the last fetch) for the seconds to wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from bench.pareto_plot import Curve, Point
from scythe.errors import BadInput
from scythe.schedule.policies import policy_kind
from scythe.schedule.simulate import Make, PolicyTask, Score, Trace, Trial, mean, score_trial, simulate
from scythe.watch_model import HOUR_S, Goals, Observation

FIXED_H = (24.0, 12.0, 6.0, 3.0, 1.0, 0.5, 0.25)
DELAYS_H = (None, 24.0, 12.0, 6.0, 3.0, 1.0, 0.5)  # None: the policy's own

Tick = Callable[[str, str, int], None]


def score_policies(traces: Sequence[Trace], tasks: Sequence[PolicyTask], tick: Tick = lambda *_: None) -> list[Score]:
    """Run every policy over every trace."""
    scores = []
    for task in tasks:
        for trace in traces:
            scores.append(score(task, trace))
            tick(task.policy, trace.name, len(tasks) * len(traces))
    return scores


def score(task: PolicyTask, trace: Trace) -> Score:
    """Run one policy over one trace."""
    return score_trial(task.policy, trace, _run(task.make, task, trace))


def _run(make: Make, task: PolicyTask, trace: Trace) -> Trial:
    try:
        return simulate(trace.arrivals, trace.shown, make, begin=task.begin, recovers=task.goals.recovers)
    except BadInput as error:
        raise BadInput(f"{trace.name}: {error}") from None


@dataclass(frozen=True, slots=True)
class Knob:
    """A policy with its goals from thrifty to eager: one curve of the frontier."""

    name: str
    tasks: tuple[PolicyTask, ...]
    default: int | None = None


def knobs(names: Sequence[str], goals: Goals, begin: str = "warm") -> list[Knob]:
    """Return what to try of each policy: maximum delays, and for `auto` delays of 95 in 100 records too."""
    found = []
    for name in names:
        delays = FIXED_H if name == "fixed" else DELAYS_H
        tasks = [PolicyTask(name, replace(goals, max_delay_s=_seconds(hours)), begin) for hours in delays]
        found.append(Knob(name, tuple(tasks), delays.index(1.0 if name == "fixed" else None)))
        if name == "auto":
            shares = [PolicyTask(name, replace(goals, delay_s=_seconds(hours)), begin) for hours in DELAYS_H[1:]]
            found.append(Knob("auto, p95 goal", tuple(shares)))
    return found


def _seconds(hours: float | None) -> float | None:
    return None if hours is None else hours * HOUR_S


@dataclass(frozen=True, slots=True)
class Reach:
    """What a policy comes to with one set of goals: means over all traces."""

    goals: Goals
    requests_day: float
    mean_delay_h: float
    p95_delay_h: float
    missed: float


def try_knob(knob: Knob, traces: Sequence[Trace], tick: Tick = lambda *_: None) -> list[Reach]:
    """Run every setting of a knob over every trace."""
    found = []
    for task in knob.tasks:
        scores = score_policies(traces, [task], tick)
        found.append(
            Reach(
                task.goals,
                mean([one.requests_day for one in scores]) or 0.0,
                mean([one.mean_delay_h for one in scores]) or 0.0,
                mean([one.p95_delay_h for one in scores]) or 0.0,
                mean([one.missed for one in scores]) or 0.0,
            )
        )
    return found


def draw_curve(knob: Knob, reached: Sequence[Reach], measure: str) -> Curve:
    """Return the curve of a knob by its mean delay or its p95."""
    delays_h = [one.p95_delay_h if measure == "p95" else one.mean_delay_h for one in reached]
    points = [Point(one.requests_day, delay_h, one.missed) for one, delay_h in zip(reached, delays_h, strict=True)]
    return Curve(knob.name, tuple(points), knob.default)


class _Adapter:
    """A policy of ours with its default goals (1 % missed), as the other simulator asks for it."""

    policy: ClassVar[str]

    def __init__(self, shown: int, rate_per_s: float, profile: Sequence[float]) -> None:
        self.shown = shown
        self.estimator = policy_kind(self.policy).started(Goals(), shown, rate_per_s, profile)

    def next(self, now: float, new: int, since_s: float | None) -> float:
        """Return the seconds until the next fetch; without a time since the last one, none was made yet."""
        if since_s:
            seen = Observation(at=now, shown=self.shown, new=new, is_full=new >= self.shown, since_s=since_s)
            self.estimator.note(seen)
        return self.estimator.plan(now).wait_s


class Auto(_Adapter):
    policy = "auto"


class FixedHour(_Adapter):
    policy = "fixed"


class Average(_Adapter):
    policy = "average"


class Ses(_Adapter):
    policy = "ses"


class NutchLike(_Adapter):
    policy = "adaptive"


class Poisson(_Adapter):
    policy = "poisson"


class Seasonal(_Adapter):
    policy = "seasonal"
