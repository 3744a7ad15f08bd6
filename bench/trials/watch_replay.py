"""Watch a replayed site and compare.

A local news server replays three traces on five list pages, so many times faster than they were, with redesigns and
outages in between (`watch_trial`). The engine of `scythe watch` watches them by the same clock. Then its archive
is compared with what the site showed: records lost, records archived twice; and what it asked for with what the
simulation asks for. Ends with exit code 1 where anything was lost or doubled or the requests differ by over 10 %.

The simulation: `scythe.schedule.simulate` knows one list that is always there. A page of a replay has one list or
several, which are visited together, when the first of them is due; and it fails at times. Each list has its own
estimator, told what the engine tells it: the page and one older page at the first visit, with the dates of records.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.sites.replay import ListPage, Replay, ReplayList
from tests.sites.replay_process import ReplayProcess, serve_replay_process

from bench.trials.harness import trial_folder
from bench.trials.watch_trial import (
    Asks,
    Found,
    Settings,
    compare,
    count_asks,
    make_trial,
    pick_traces,
    start_watch,
    watch_command,
)
from scythe.schedule.policies import Estimator, make_policy
from scythe.schedule.simulate import Trace, simulate
from scythe.watch_model import DAY_S, HOUR_S, Goals, Observation

_ROUNDED_S = 60.0  # dates on pages say hours and minutes
_START_S = 2.0  # real, for two processes to start
_ENDING_S = 60.0
_WITHIN = 0.10


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


@dataclass
class Verdict:
    """What a trial came to."""

    found: Found = field(default_factory=Found)
    asks: dict[str, Asks] = field(default_factory=dict)
    expected: dict[str, Expected] = field(default_factory=dict)
    alone: dict[str, Expected] = field(default_factory=dict)  # by scythe.schedule.simulate, of pages with one list
    events: Counter[str] = field(default_factory=Counter)
    code: int = 0
    complaint: str = ""

    def total(self, *, is_expected: bool = False, with_older: bool = False) -> int:
        """Return visits, or requests with those for older pages, of all pages."""
        rows: list[Asks] | list[Expected] = list(self.expected.values() if is_expected else self.asks.values())
        return sum(row.visits + (row.older if with_older else 0) for row in rows)

    def differs(self, *, with_older: bool = False) -> float:
        """Return by which share the watch asked more than the simulation."""
        wanted = self.total(is_expected=True, with_older=with_older)
        return self.total(with_older=with_older) / max(wanted, 1) - 1

    @property
    def is_right(self) -> bool:
        """Whether nothing was lost or doubled, and as much was asked for as was expected."""
        close = abs(self.differs()) <= _WITHIN and abs(self.differs(with_older=True)) <= _WITHIN
        return not self.found.faults and not self.code and close


@dataclass(frozen=True)
class Wish:
    """What is wanted of the watch."""

    policy: str = "auto"
    max_delay_s: float | None = None


PLAIN = Wish()


def measure(traces: Sequence[Trace], settings: Settings, folder: Path, wish: Wish = PLAIN) -> Verdict:
    """Run one trial in a folder."""
    replay = make_trial(traces, settings).started(time.time() + _START_S)
    until = replay.pace.start + settings.days * DAY_S
    archive, events = str(folder / "archive.db"), folder / "events.jsonl"
    with serve_replay_process(replay, folder) as server:
        more = ["--policy", wish.policy, "--timeout", str(_timeout_s(settings))]
        more += ["--max-delay", str(wish.max_delay_s)] if wish.max_delay_s else []
        process = start_watch(watch_command(archive, server.urls, replay.pace, until, *more), events)
        verdict = Verdict()
        try:
            _, said = process.communicate(timeout=replay.pace.real(until) - time.time() + _ENDING_S)
            verdict.code, verdict.complaint = process.returncode, said[-2_000:]
        except subprocess.TimeoutExpired:
            verdict.code, verdict.complaint = 1, "it did not end"
        finally:
            process.kill()
        _judge(verdict, server, archive, wish)
    verdict.events = _count(events)
    return verdict


def _timeout_s(settings: Settings) -> float:
    """Return how long a request may hang: half an hour of the site's time, within what this machine may need."""
    return max(1_800.0 / settings.speed, 1.5)


def _judge(verdict: Verdict, server: ReplayProcess, archive: str, wish: Wish) -> None:
    replay: Replay = server.replay
    verdict.asks = count_asks(server, archive)
    verdict.found = compare(server, archive, verdict.asks)
    goals = Goals(max_delay_s=wish.max_delay_s)
    for page in replay.pages:
        ours = verdict.asks[page.path]
        span = (ours.first, ours.last)
        verdict.expected[page.path] = expect(replay, page, goals, span, wish.policy)
        alone = simulate_alone(replay, page, goals, span, wish.policy)
        if alone is not None:
            verdict.alone[page.path] = alone


def _count(events: Path) -> Counter[str]:
    """Count the events by their kind."""
    rows = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(row["kind"] for row in rows)
    kinds.update(f"list {row['what']}" for row in rows if row["kind"] == "list")
    kinds.update("gap closed" if row["is_closed"] else "gap open" for row in rows if row["kind"] == "gap")
    return kinds


def tabulate(verdict: Verdict) -> str:
    """Write what was found as a table."""
    lines = ["| page | visits | simulated | older pages | simulated | failed | lost |", "|---|---|---|---|---|---|---|"]
    for path, asks in verdict.asks.items():
        wanted = verdict.expected[path]
        lost = verdict.found.lost_by_page[path]
        cells = (path, asks.visits, wanted.visits, asks.older, wanted.older, asks.failed, lost)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    found, kinds = verdict.found, sorted(verdict.events.items())
    lines.append(f"\nstories {found.stories}, lost {found.lost}, archived twice {found.doubled}")
    lines.append(f"records {found.records}, of two stories {found.mixed}, of none {found.others}")
    for name, older in (("visits", False), ("requests", True)):
        ours, wanted = verdict.total(with_older=older), verdict.total(is_expected=True, with_older=older)
        lines.append(f"{name} {ours} against {wanted} ({100 * verdict.differs(with_older=older):+.1f} %)")
    ours = sum(verdict.asks[path].visits for path in verdict.alone)
    older = sum(verdict.asks[path].older for path in verdict.alone)
    visits, pages = (sum(getattr(one, name) for one in verdict.alone.values()) for name in ("visits", "older"))
    lines.append(
        f"pages with one list: visits {ours} against {visits}, requests {ours + older} against {visits + pages}"
    )
    lines.append("events: " + ", ".join(f"{kind} {count}" for kind, count in kinds))
    return "\n".join(lines + [f"such as {name}" for name in found.names])


def run(
    *,
    traces: Path | None = None,
    pick: str = "",
    days: float = 10.0,
    speed: float = 1_000.0,
    policy: str = "auto",
    max_delay: float | None = None,
    seed: int = 1,
    calm: bool = False,
    keep: Path | None = None,
) -> int:
    """Without `traces` three are made; `max_delay` is in hours; `calm`: neither redesigns nor outages."""
    chosen = pick_traces(traces, pick.split(",") if pick else ())
    with trial_folder(keep) as (folder, _):
        wish = Wish(policy, max_delay * HOUR_S if max_delay else None)
        verdict = measure(chosen, Settings(days, speed, not calm, not calm, seed), folder, wish)
    print(f"{', '.join(trace.name for trace in chosen)}: {days:g} days at {speed:g} times their speed")
    print(tabulate(verdict))
    if verdict.complaint:
        print(verdict.complaint, file=sys.stderr)
    return 0 if verdict.is_right else 1
