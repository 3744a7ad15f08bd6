"""What a watch of a replay should have asked for: a page and its arrivals come in, the visits of a simulation go out.

`scythe.schedule.simulate` knows one list that is always there. A page of a replay has one list or several, which are
visited together, when the first of them is due; and it fails at times. Each list has its own estimator, told what the
engine tells it: the page and one older page at the first visit, with the dates that the records show.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scythe.demo.replay import ListPage, Replay, ReplayList
from scythe.schedule.policies import Estimator, make_policy
from scythe.schedule.simulate import simulate
from scythe.watch_model import Goals, Observation

_ROUNDED_S = 60.0  # dates on pages say hours and minutes


@dataclass
class Expected:
    """What a simulation asks for."""

    visits: int = 0
    older: int = 0
    new: int = 0
    behind: int = 0  # records that were gone from the first page when it was visited


@dataclass
class _List:
    """One list of a page with what is known of it."""

    shelf: ReplayList
    estimator: Estimator
    seen: int = 0  # arrivals that were seen
    at: float | None = None  # of the last visit

    def visit(self, at: float, *, recovers: bool) -> tuple[int, int]:
        """Look at the list; return how many records are new, and the older pages needed to find what was known."""
        here, length = bisect_right(self.shelf.arrivals, at), self.shelf.length
        is_first = self.at is None
        came = min(here, (2 if recovers else 1) * length) if is_first else here - self.seen
        older = 0 if not recovers else 1 if is_first else came // length
        new = came if recovers else min(came, length)
        dates = tuple(moment // _ROUNDED_S * _ROUNDED_S for moment in self.shelf.arrivals[here - new : here])
        since_s = None if self.at is None else at - self.at
        is_full = not is_first and not recovers and came >= length
        self.estimator.note(Observation(at, length, new, is_full, since_s, dates, 1 + older))
        self.seen, self.at = here, at
        return came, older


def expect(replay: Replay, page: ListPage, goals: Goals, span: tuple[float, float], policy: str = "auto") -> Expected:
    """Visit one page of a replay in thought, from the first moment of a span to the last."""
    goals = replace(goals, recovers=page.has_pager)
    lists = [_List(replay.shelf(name), make_policy(policy, goals)) for name in page.shelves]
    outages = sorted((one.since, one.until) for one in replay.outages if one.host == page.host)
    expected, at = Expected(), span[0]
    while at <= span[1]:
        told = [one.visit(at, recovers=page.has_pager) for one in lists]
        expected.visits += 1
        expected.older += max(older for _, older in told)
        expected.new += sum(new for new, _ in told)
        expected.behind += sum(max(0, new - one.shelf.length) for (new, _), one in zip(told, lists, strict=True))
        at = _after(at + min(one.estimator.plan(at).wait_s for one in lists), outages)
    return expected


def simulate_alone(
    replay: Replay, page: ListPage, goals: Goals, span: tuple[float, float], policy: str = "auto"
) -> Expected | None:
    """Run the product's own simulator, which knows one list; None where a page has several."""
    if len(page.shelves) > 1:
        return None
    shelf, (first, last) = replay.shelf(page.shelves[0]), span
    goals = replace(goals, recovers=page.has_pager)
    arrivals = [*(at for at in shelf.arrivals if at < last), last]
    outages = sorted((one.since, one.until) for one in replay.outages if one.host == page.host)
    trial = simulate(
        arrivals,
        shelf.length,
        lambda _: make_policy(policy, goals),
        warm_s=first - arrivals[0],
        begin="dated",
        recovers=page.has_pager,
        outages=outages,
    )
    visits = len(trial.visits)
    return Expected(visits + 1, trial.requests - visits + int(page.has_pager), trial.new)


def _after(at: float, outages: Sequence[tuple[float, float]]) -> float:
    """Return when a visit due at a time is made: what fails is tried again until it does not."""
    for since, until in outages:
        if since <= at < until:
            at = until
    return at
