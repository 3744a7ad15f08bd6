"""Simulate policies over recorded or generated arrivals: what they fetch, miss, and how late they are.

A list shows its newest P records. What leaves it between two visits is missed, unless older pages can be followed
(`recovers`).
"""

from __future__ import annotations

import csv
import json
import lzma
import math
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.schedule.policies import HOURS, NUTCH_SYNC, POLICIES, STORM, Adaptive, Estimator, hour_of, policy_kind
from scythe.watch_model import DAY_S, HOUR_S, Goals, Observation

EPOCH = 1_640_995_200.0  # 2022-01-01 0:00 UTC, a Saturday


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How the records of a list come."""

    per_day: float = 50.0
    days: float = 120.0
    daily: float = 0.9  # 0: nights are as busy as days; below 1
    weekend: float = 0.45  # of the rate of a working day
    bursts: float = 0.01  # share of the records that start one
    burst_size: tuple[int, int] = (3, 12)
    burst_s: float = 1_800.0  # mean time between the start of a burst and one of its records
    silences: tuple[tuple[float, float], ...] = ()  # (day, days) in which nothing comes
    start: float = EPOCH


NEWS = Rhythm()


def make_arrivals(seed: int, rhythm: Rhythm = NEWS) -> tuple[float, ...]:
    """Return times in whole seconds, sorted: the same for the same seed."""
    chance = random.Random(seed)
    most = rhythm.per_day / DAY_S * (1 + rhythm.daily) * 7 / (5 + 2 * rhythm.weekend)
    end, at, found = rhythm.start + rhythm.days * DAY_S, rhythm.start, []
    while (at := at + chance.expovariate(most)) < end:
        if chance.random() * most >= _rate(at, rhythm):
            continue
        found.append(at)
        if chance.random() < rhythm.bursts:
            found += [at + chance.expovariate(1 / rhythm.burst_s) for _ in range(chance.randint(*rhythm.burst_size))]
    return tuple(sorted(float(int(at)) for at in found if at < end and not _is_silent(at, rhythm)))


def _rate(at: float, rhythm: Rhythm) -> float:
    """Return the records a second, apart from bursts: most at 15 h UTC, fewest at 3 h, fewer at weekends."""
    hour = at % DAY_S / 3_600
    weekday = int(at // DAY_S + 3) % 7  # the first of January 1970 was a Thursday
    week = (rhythm.weekend if weekday >= 5 else 1.0) * 7 / (5 + 2 * rhythm.weekend)
    return rhythm.per_day / DAY_S * week * (1 + rhythm.daily * math.sin((hour - 9) / 24 * 2 * math.pi))


def _is_silent(at: float, rhythm: Rhythm) -> bool:
    return any(0 <= at - rhythm.start - day * DAY_S < days * DAY_S for day, days in rhythm.silences)


SUFFIXES = (".csv", ".csv.xz")
META = "meta.json"  # beside the files: {"NAME": {"P": 30}}, the records each list shows
_LATEST = 253_402_300_800.0  # the year 10000
_SHOWN_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Trace:
    """When the records of one list came, and how many of them it shows."""

    name: str
    shown: int
    arrivals: tuple[float, ...]  # seconds since 1970, UTC, sorted


def read_traces(path: Path, shown: int | None = None) -> list[Trace]:
    """Read a file, or all those of a folder; `shown` holds where no meta.json says how many records a list shows.

    A file with several sites gives a trace for each; a file with one is called what the file is. Raise BadInput with
    the line where a file is none, and where it is not known how many records a list shows.
    """
    files = _files(path)
    meta = _read_meta((path if path.is_dir() else path.parent) / META)
    traces = []
    for file in files:
        for name, arrivals in _read_file(file).items():
            said = meta.get(name, shown)
            if said is None:
                raise BadInput(
                    f"{file}: how many records {name!r} shows is not known: neither --shown nor {META} says it"
                )
            traces.append(Trace(name, said, arrivals))
    return traces


def write_trace(path: Path, name: str, arrivals: Sequence[float]) -> None:
    """Write arrivals as `site,unix_time`, packed where the name ends in .xz."""
    with _open(path, "wt") as handle:
        rows = csv.writer(handle, lineterminator="\n")
        rows.writerow(("site", "unix_time"))
        rows.writerows((name, int(at) if float(at).is_integer() else at) for at in arrivals)


def name_of(path: Path) -> str:
    """Return what a file of arrivals is called, without its suffixes."""
    return path.name.removesuffix(".xz").removesuffix(".csv")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        if not path.is_file():
            raise BadInput(f"{path}: there is no such file or folder")
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES))
    if not files:
        raise BadInput(f"{path}: no file here ends in {' or '.join(SUFFIXES)}")
    if len(files) > LIMITS.traces:
        raise BadInput(f"{path}: {len(files)} traces, more than {LIMITS.traces}")
    return files


def _open(path: Path, mode: str) -> TextIO:
    if path.name.endswith(".xz"):
        return lzma.open(path, mode, encoding="utf-8", newline="")  # type: ignore[return-value]  # text, by the mode
    return path.open(mode, encoding="utf-8", newline="")  # type: ignore[return-value]


def _read_file(path: Path) -> dict[str, tuple[float, ...]]:
    """Return the arrivals of each site in a file, sorted."""
    found: dict[str, list[float]] = {}
    try:
        with _open(path, "rt") as handle:
            for site, at in _rows(path, handle):
                found.setdefault(site, []).append(at)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None
    if not found:
        raise BadInput(f"{path}: holds no arrivals")
    named = {name_of(path): times for times in found.values()} if len(found) == 1 else found
    return {site: tuple(sorted(times)) for site, times in named.items()}


def _rows(path: Path, handle: TextIO) -> Iterator[tuple[str, float]]:
    """Yield site and time of every line; a first line without a number is a header."""
    count = 0
    for number, line in enumerate(iter(lambda: handle.readline(LIMITS.trace_line_chars + 1), ""), 1):
        if len(line) > LIMITS.trace_line_chars:
            raise BadInput(f"{path}, line {number}: is longer than {LIMITS.trace_line_chars} characters")
        site, at = _split(line)
        if at is None:
            if number > 1 and line.strip():
                raise BadInput(f"{path}, line {number}: expected site,unix_time, found {line.strip()[:60]!r}")
            continue
        count += 1
        if count > LIMITS.trace_arrivals:
            raise BadInput(f"{path}, line {number}: more than {LIMITS.trace_arrivals} arrivals")
        yield site, at


def _split(line: str) -> tuple[str, float | None]:
    """Return the site and the time of a line; None where the last column is no time."""
    site, _, written = line.strip().rpartition(",")
    try:
        at = float(written)
    except ValueError:
        return site, None
    return site.strip('"'), at if 0 <= at < _LATEST else None


def _read_meta(path: Path) -> dict[str, int]:
    """Return the records that each list shows, as far as a file says so."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None
    if not isinstance(told, dict):
        raise BadInput(f"{path}: expected an object with a P for each list")
    shown = {}
    for name, said in told.items():
        count = said.get("P") if isinstance(said, dict) else None
        if type(count) is not int or not 1 <= count <= _SHOWN_MOST:
            raise BadInput(f"{path}: P of {name!r} is not a number of records: {count!r}")
        shown[name] = count
    return shown


WARM_S = 28 * DAY_S
BEGINNINGS = ("warm", "cold", "dated")


@dataclass(frozen=True, slots=True)
class Start:
    """What the time before a trial says about a list."""

    shown: int
    rate_per_s: float
    profile: tuple[float, ...]  # of the hours of the week, mean 1


Make = Callable[[Start | None], Estimator]  # None: nothing is known


@dataclass(frozen=True, slots=True)
class TrialVisit:
    """One visit of a trial."""

    at: float
    new: int
    shown: int
    missed: int
    requests: int
    expected: float  # new records, by the forecast
    wait_s: float  # since the visit before


@dataclass(frozen=True, slots=True)
class Trial:
    """What an estimator did with a trace. Shares and means are None where nothing came."""

    shown: int
    days: float
    came: int  # records, those behind the last visit too
    visits: tuple[TrialVisit, ...]
    delays_s: tuple[float, ...]  # between arrival and the visit that saw it, sorted
    missed_at: tuple[float, ...]  # when the records came that no visit saw

    @property
    def new(self) -> int:
        return len(self.delays_s)

    @property
    def missed(self) -> int:
        return len(self.missed_at)

    @property
    def requests(self) -> int:
        return sum(visit.requests for visit in self.visits)

    @property
    def duplicates(self) -> int:
        """Records that were seen again, on older pages too."""
        return sum(visit.shown for visit in self.visits) - self.new

    @property
    def fetches_per_day(self) -> float:
        return len(self.visits) / self.days

    @property
    def requests_per_day(self) -> float:
        return self.requests / self.days

    @property
    def duplicates_per_fetch(self) -> float:
        """The paper's mean absolute error on duplicates too: its error is their number, and 0 would be right."""
        return self.duplicates / max(len(self.visits), 1)

    @property
    def duplicates_per_new(self) -> float:
        return self.duplicates / max(self.new, 1)

    @property
    def missed_share(self) -> float:
        return self.missed / max(self.new + self.missed, 1)

    @property
    def floor_per_day(self) -> float:
        """Fetches below which no schedule can go without missing anything: the rate over P."""
        return self.came / self.shown / self.days

    @property
    def mean_delay_s(self) -> float | None:
        return sum(self.delays_s) / len(self.delays_s) if self.delays_s else None

    def delay_s(self, share: float) -> float | None:
        """Return the delay that `share` of the records stay below."""
        return self.delays_s[min(int(share * self.new), self.new - 1)] if self.delays_s else None


def simulate(
    arrivals: Sequence[float],
    shown: int,
    make: Make,
    *,
    warm_s: float = WARM_S,
    begin: str = "warm",
    recovers: bool = False,
    outages: Sequence[tuple[float, float]] = (),
    end: float | None = None,
) -> Trial:
    """Visit a list as an estimator says, from `warm_s` after its first record to its last, or to `end`.

    `begin` says what the estimator knows: "warm" the rate and profile of the time before, "cold" the first page,
    "dated" the same, and every record says when it was published. A visit due in an outage (start, end) is made at its
    end. Arrivals are sorted. With `recovers`, a visit after A arrivals takes A // P + 1 requests and misses nothing.
    """
    check_arrivals(arrivals, shown, warm_s, end)
    if begin not in BEGINNINGS:
        raise BadInput(f"a trial begins {', '.join(BEGINNINGS)}, not {begin!r}")
    now, end = arrivals[0] + warm_s, arrivals[-1] if end is None else end
    estimator = make(start_of(arrivals, shown, warm_s) if begin == "warm" else None)
    world = _World(arrivals, shown, recovers, is_dated=begin == "dated", seen=bisect_right(arrivals, now))
    if begin != "warm":
        estimator.note(world.look_first(now))
    days, came = max((end - now) / DAY_S, 1e-9), len(arrivals) - world.seen
    while True:
        plan = estimator.plan(now)
        if not plan.wait_s > 0:
            raise BadInput(f"an estimator waits {plan.wait_s} s")
        at = _after_outage(now + plan.wait_s, outages)
        if at > end:
            break
        estimator.note(world.visit(at, at - now, plan.expected))
        now = at
    return Trial(shown, days, came, tuple(world.visits), tuple(sorted(world.delays_s)), tuple(world.missed_at))


class _World:
    """The list, and what was seen of it."""

    def __init__(
        self, arrivals: Sequence[float], shown: int, recovers: bool, *, is_dated: bool = False, seen: int = 0
    ) -> None:
        self.arrivals, self.shown, self.recovers, self.is_dated, self.seen = arrivals, shown, recovers, is_dated, seen
        self.visits: list[TrialVisit] = []
        self.delays_s: list[float] = []
        self.missed_at: list[float] = []

    def look_first(self, at: float) -> Observation:
        """Return what the page shows before anything is known of it; with older pages, the first of them too."""
        pages = 2 if self.recovers else 1
        page = tuple(self.arrivals[max(self.seen - pages * self.shown, 0) : self.seen])
        return Observation(
            at, min(self.shown, len(page)), len(page), published=page if self.is_dated else (), requests=pages
        )

    def visit(self, at: float, since_s: float, expected: float) -> Observation:
        """Look at the list, write down what was seen and return it as an estimator is told."""
        here = bisect_right(self.arrivals, at, self.seen)
        came, self.seen = here - self.seen, here
        new = came if self.recovers else min(came, self.shown)
        requests = came // self.shown + 1 if self.recovers else 1
        shown = min(requests * self.shown, here)
        self.visits.append(TrialVisit(at, new, shown, came - new, requests, expected, since_s))
        found = self.arrivals[here - new : here]
        self.delays_s += [at - arrived for arrived in found]
        self.missed_at += self.arrivals[here - came : here - new]
        is_full = new >= self.shown and not self.recovers
        dates = tuple(found) if self.is_dated else ()
        return Observation(at, min(self.shown, here), new, is_full, since_s, published=dates, requests=requests)


def start_of(arrivals: Sequence[float], shown: int, warm_s: float = WARM_S) -> Start:
    """Return what the first `warm_s` of a trace say about its list."""
    known = bisect_right(arrivals, arrivals[0] + warm_s)
    counts = [0] * HOURS
    for at in arrivals[:known]:
        counts[hour_of(at)] += 1
    mean = known / HOURS
    profile = [max(0.05, (count + 1) / (mean + 1)) for count in counts]
    scale = sum(profile) / HOURS
    return Start(shown, max(known, 5) / warm_s, tuple(hour / scale for hour in profile))


def check_arrivals(arrivals: Sequence[float], shown: int, warm_s: float, end: float | None = None) -> None:
    """Raise BadInput where a trace is too short for a trial, or no list."""
    if shown < 1:
        raise BadInput(f"a list shows 1 record at least, not {shown}")
    if not warm_s > 0:
        raise BadInput(f"the time before a trial is above 0 s, not {warm_s}")
    length_s = (arrivals[-1] if end is None else end) - arrivals[0] if arrivals else 0.0
    if length_s <= warm_s:
        raise BadInput(f"a trace of {length_s / DAY_S:.1f} days is too short for {warm_s / DAY_S:.1f} days of warm-up")


def _after_outage(at: float, outages: Sequence[tuple[float, float]]) -> float:
    for start, end in outages:
        if start <= at < end:
            at = end
    return at


# Rules that nobody should watch by, for comparison; they begin without being told anything.
VARIANTS: dict[str, Callable[[Goals], Estimator]] = {
    "nutch": lambda goals: Adaptive(goals, habits=NUTCH_SYNC),
    "stormcrawler": lambda goals: Adaptive(goals, habits=STORM),
}


@dataclass(frozen=True, slots=True)
class PolicyTask:
    """One policy with its goals."""

    policy: str
    goals: Goals
    begin: str = "warm"

    def make(self, start: Start | None) -> Estimator:
        """Return its estimator for a list of which `start` is known."""
        if self.policy in VARIANTS:
            return VARIANTS[self.policy](self.goals)
        kind = policy_kind(self.policy)
        if start is None:
            return kind(self.goals)
        return kind.started(self.goals, start.shown, start.rate_per_s, start.profile)


@dataclass(frozen=True, slots=True)
class Score:
    """What one policy did on one trace; shares are 0..1."""

    policy: str
    trace: str
    shown: int
    arrivals: int
    fetches_day: float
    requests_day: float
    floor_day: float  # the rate over P: no policy can fetch less often and miss nothing
    duplicates_fetch: float
    duplicates_new: float
    missed: float
    mean_delay_h: float | None
    p95_delay_h: float | None


def check_policies(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without repeats, all policies where there are none; raise BadInput for one that is unknown."""
    for name in names:
        if name not in VARIANTS:
            policy_kind(name)
    return tuple(dict.fromkeys(names)) or tuple(POLICIES)


def score_trial(policy: str, trace: Trace, trial: Trial) -> Score:
    """Say in figures what a policy did."""
    mean_s, p95_s = trial.mean_delay_s, trial.delay_s(0.95)
    return Score(
        policy=policy,
        trace=trace.name,
        shown=trace.shown,
        arrivals=trial.new + trial.missed,
        fetches_day=trial.fetches_per_day,
        requests_day=trial.requests_per_day,
        floor_day=trial.floor_per_day,
        duplicates_fetch=trial.duplicates_per_fetch,
        duplicates_new=trial.duplicates_per_new,
        missed=trial.missed_share,
        mean_delay_h=None if mean_s is None else mean_s / HOUR_S,
        p95_delay_h=None if p95_s is None else p95_s / HOUR_S,
    )


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values there are."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
