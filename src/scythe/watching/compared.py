"""What other rules would have made of a list: its journal comes in, what happened beside what they would have done.

When a record came is known only to the time between two visits. It is taken to have come at any moment of it, so what
the other rules would have seen and missed is an estimate; what happened is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import median_low

from scythe.archive.rows import LookRow
from scythe.limits import LIMITS
from scythe.schedule.policy import Estimator
from scythe.schedule.simple import STORM, Adaptive, Fixed
from scythe.schedule.simulate import Trial, simulate
from scythe.watched import DAY_S, HOUR_S, Goals

_TURNS = 3  # visits that a rule must have come to, at least, to be worth showing
_APART_S = 1e-3  # between the records that were there before anybody looked


@dataclass(frozen=True, slots=True)
class Compared:
    """One way to visit a list, and what came of it."""

    name: str  # what people call it
    visits: int
    requests: int  # older pages included
    new: int  # records seen
    duplicates: int  # records seen again
    missed: int
    delay_s: float | None  # between arrival and visit, in the mean; None: nothing was seen
    is_estimate: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """What happened, first, and what other rules would have done in the same time."""

    start: float  # seconds since 1970, UTC
    end: float
    came: int  # records
    shown: int  # at once
    recovered: int  # records that only older pages still had
    rows: tuple[Compared, ...]


def compare(looks: Sequence[LookRow]) -> Comparison | None:
    """Compare the visits of a journal, oldest line first, with other rules; None where it is too short to say much."""
    there = _bounded([look for look in looks if look.shown])
    later = there[1:]
    came = sum(look.new + look.lost for look in later)
    if len(later) < _TURNS or not came or later[-1].at <= there[0].at:
        return None
    start, end = there[0].at.timestamp(), later[-1].at.timestamp()
    shown = median_low(look.shown or 1 for look in there)
    arrivals = [start - _APART_S * number for number in range(shown, 0, -1)]
    arrivals += sorted(at for span in _spans(there) for at in span)
    rows = [_happened(there)]
    for name, rule in _rules(end - start, len(later)):
        trial = _try(arrivals, shown, rule, start, end)
        rows.append(_compared(name, trial))
    return Comparison(start, end, came, shown, sum(look.recovered for look in later), tuple(rows))


def _bounded(looks: list[LookRow]) -> list[LookRow]:
    """Return the last of the looks, so many that what came between them can be tried out at once."""
    looks, left = looks[-LIMITS.compared_looks :], LIMITS.compared_arrivals
    for number in range(len(looks) - 1, -1, -1):
        left -= looks[number].new + looks[number].lost
        if left < 0:
            return looks[number + 1 :]
    return looks


def _spans(looks: Sequence[LookRow]) -> Iterator[list[float]]:
    """Yield when the records of each visit may have come: at any moment since the visit before.

    Records a constant time apart would find hardly a visit without news, and let adaptive rules come too often.
    """
    chance = Random(1)  # the same journal, the same numbers
    for before, look in pairwise(looks):
        at, count = look.at.timestamp(), look.new + look.lost
        since_s = max(at - before.at.timestamp(), 0.0)  # a clock that was set back tells nothing
        yield [at - since_s * chance.random() for _ in range(count)]


def _rules(over_s: float, visits: int) -> Iterator[tuple[str, Estimator]]:
    """Yield the rules that are worth comparing over such a time."""
    for name, every_s in (("every hour", HOUR_S), ("every day", DAY_S)):
        if over_s >= _TURNS * every_s:
            yield name, Fixed(Goals(), every_s=every_s)
    even_s = over_s / visits
    goals = Goals(floor_s=min(even_s, Goals().floor_s), ceiling_s=max(even_s, Goals().ceiling_s))
    yield "as often, evenly", Fixed(goals, every_s=even_s)
    if over_s >= _TURNS * DAY_S:
        yield "adaptive", Adaptive(Goals(), habits=STORM)


def _try(arrivals: Sequence[float], shown: int, rule: Estimator, start: float, end: float) -> Trial:
    return simulate(arrivals, shown, lambda _: rule, warm_s=start - arrivals[0], begin="cold", end=end + 1.0)


def _compared(name: str, trial: Trial) -> Compared:
    # What came after the last visit of a rule is seen by none, as long as the page still shows it: neither is counted.
    return Compared(
        name, len(trial.visits), trial.requests, trial.new, trial.duplicates, trial.missed, trial.mean_delay_s
    )


def _happened(looks: Sequence[LookRow]) -> Compared:
    later = looks[1:]
    new = sum(look.new for look in later)
    waits = [(look.at - before.at).total_seconds() / 2 * look.new for before, look in pairwise(looks)]
    return Compared(
        "what happened",
        len(later),
        sum(look.requests for look in later),
        new,
        sum(look.known for look in later),
        sum(look.lost for look in later),
        max(sum(waits), 0.0) / new if new else None,
        is_estimate=False,
    )
