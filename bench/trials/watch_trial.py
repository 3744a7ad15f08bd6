"""Watch a replayed news site: what the measuring of loss, kills and load shares.

A trial is a replay (`tests.sites.replay`) of three traces on five list pages of two hosts, some of them with two lists,
with redesigns and outages. The watch runs in a process of its own (`watch_run`) by the clock of the replay.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.sites.replay import ListPage, Outage, Replay, ReplayClock, ReplayList, ReplayRedesign
from tests.sites.replay_process import ReplayProcess, split_trace
from tests.sites.replay_serve import ReplayRequest

from bench.trial_runs import ENVIRONMENT, ROOT, query
from scythe.schedule.simulate import Rhythm, Trace, make_arrivals, read_traces
from scythe.watch_model import DAY_S, HOUR_S, WEEK_S

BEGIN = 1_646_611_200.0  # 2022-03-07 0:00 UTC, a Monday: what the clock of a replay shows first
_HISTORY_S = 14 * DAY_S  # of stories before it, for older pages
_WARM_S = 28 * DAY_S  # of a trace that a replay leaves out, as its first records came all at once
_SHORTEST = 12  # records of a list: a shorter one beside another is not read as a list of its own
_SYNTHETIC = ((40.0, 36), (60.0, 15), (190.0, 100))  # records a day and shown


def make_traces() -> list[Trace]:
    """Make three traces: a slow list, a short one and a long one."""
    rhythms = [Rhythm(per_day=rate, days=75.0, start=BEGIN - _WARM_S - WEEK_S) for rate, _ in _SYNTHETIC]
    return [
        Trace(f"synthetic {n}", shown, make_arrivals(n, rhythm))
        for n, (rhythm, (_, shown)) in enumerate(zip(rhythms, _SYNTHETIC, strict=True), start=1)
    ]


def pick_traces(folder: Path | None, names: Sequence[str] = ()) -> list[Trace]:
    """Return three traces of a folder: those named, or else a slow one, one of the middle and a fast one."""
    if folder is None:
        return make_traces()
    found = read_traces(folder)
    if names:
        by_name = {trace.name: trace for trace in found}
        return [by_name[name] for name in names]
    found.sort(key=lambda trace: len(trace.arrivals) / (trace.arrivals[-1] - trace.arrivals[0]) / trace.shown)
    return [found[at * (len(found) - 1) // 4] for at in (1, 2, 3)]


@dataclass(frozen=True)
class Settings:
    """How long, how fast, and what goes wrong."""

    days: float = 10.0
    speed: float = 1_000.0
    redesigns: bool = True
    outages: bool = True
    seed: int = 1


def make_trial(traces: Sequence[Trace], settings: Settings) -> Replay:
    """Put three traces on five list pages of two hosts: the first whole, the others dealt out over two pages each."""
    first, second, third = (_window(trace, settings) for trace in traces)
    b = _deal(second, ("politics", "wire", "region"), settings.seed)
    c = _deal(third, ("sport", "results", "culture"), settings.seed + 1)
    shelves = (ReplayList("latest", "Latest news", first.arrivals, max(first.shown, _SHORTEST)), *b, *c)
    pages = (
        ListPage("/latest/", ("latest",)),
        ListPage("/politics/", ("politics", "wire"), has_tag=True),
        ListPage("/region/", ("region",), max_age_s=120),
        ListPage("/sport/", ("sport", "results"), host=1),
        ListPage("/culture/", ("culture",), host=1, has_tag=True, max_age_s=60),
    )
    redesigns = _redesigns(settings) if settings.redesigns else ()
    outages = _outages(settings) if settings.outages else ()
    return Replay(ReplayClock(BEGIN, 0.0, settings.speed), shelves, pages, redesigns, outages, settings.seed)


def _window(trace: Trace, settings: Settings) -> Trace:
    """Move a trace by whole weeks, which leaves its hours and weekdays alone, and keep what a trial shows of it."""
    weeks = -(-(trace.arrivals[0] + _WARM_S - BEGIN) // WEEK_S)
    moved = (at - weeks * WEEK_S for at in trace.arrivals)
    end = BEGIN + (settings.days + 2) * DAY_S
    kept = tuple(at for at in moved if BEGIN - _HISTORY_S <= at <= end)
    return Trace(trace.name, trace.shown, kept)


def _deal(trace: Trace, names: Sequence[str], seed: int) -> tuple[ReplayList, ...]:
    """Share a trace out over several lists, each as much shorter as it is slower."""
    length = max(trace.shown // len(names), _SHORTEST)
    parts = split_trace(trace.arrivals, len(names), seed)
    return tuple(ReplayList(name, name.title(), part, length) for name, part in zip(names, parts, strict=True))


def _redesigns(settings: Settings) -> tuple[ReplayRedesign, ...]:
    """Both hosts get two other designs, one after the other, the second host later."""
    span_s = settings.days * DAY_S
    return tuple(
        ReplayRedesign(BEGIN + span_s * share, dress, host)
        for share, dress, host in ((0.25, 1, 0), (0.4, 2, 1), (0.6, 2, 0), (0.75, 1, 1))
    )


def _outages(settings: Settings) -> tuple[Outage, ...]:
    """From ten minutes to half a day, of every kind; one of them over a redesign."""
    span_s = settings.days * DAY_S
    long_s = min(12 * HOUR_S, span_s / 10)
    planned = (
        (0.1, 600.0, "503", 0),
        (0.2, 2 * HOUR_S, "refused", 1),
        (0.36, long_s, "503", 1),
        (0.5, long_s, "refused", 0),
        (0.7, HOUR_S, "hang", 0),
        (0.85, 1_800.0, "503", 1),
    )
    return tuple(
        Outage(BEGIN + span_s * share, BEGIN + span_s * share + min(length_s, long_s), how, host)
        for share, length_s, how, host in planned
    )


def watch_command(archive: str, urls: Sequence[str], pace: ReplayClock, until: float, *more: str) -> list[str]:
    """Return the command that watches pages by the clock of a replay until that shows a time."""
    command = [sys.executable, "-m", "bench.trials.watch_run", "--archive", archive, "--until", str(until)]
    command += ["--speed", str(pace.speed), "--start", str(pace.start), "--began", str(pace.epoch)]
    return [*command, *more, *urls]


def start_watch(command: list[str], events: Path) -> subprocess.Popen[str]:
    """Start a watch in a group of its own; its events go to a file, its complaints to a pipe."""
    with events.open("a", encoding="utf-8") as out:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=ENVIRONMENT,
        )


@dataclass
class Found:
    """What an archive has of a trial, compared with what happened. All but `records` and `others` should be 0."""

    stories: int = 0  # that had come by the last visit of their page
    records: int = 0  # in the archive, of stories
    others: int = 0  # that lead to no story: a menu, taken for a list
    lost: int = 0
    doubled: int = 0  # stories that are two records or more
    mixed: int = 0  # records that lead to two stories or more
    lost_by_page: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)  # of some that are wrong

    @property
    def faults(self) -> int:
        """How much is wrong."""
        return self.lost + self.doubled + self.mixed


@dataclass(frozen=True)
class Asks:
    """The requests for the pages of one list page."""

    visits: int  # to the first page, answered
    older: int
    failed: int  # to any of them
    first: float  # when it was first seen, and last
    last: float


_STORED = """SELECT u.url, min(l.at), max(l.at) FROM looks l JOIN lists r ON r.id = l.list
JOIN urls u ON u.id = r.watch GROUP BY u.url"""


def count_asks(server: ReplayProcess, archive: str) -> dict[str, Asks]:
    """Count the requests that the server saw for each list page, from its first visit that was stored to the last."""
    stored = {url: (first, last) for url, first, last in query(archive, _STORED)}
    asked, nothing = server.asked, (BEGIN, BEGIN)
    return {page.path: _count(page, asked, stored.get(server.url(page.path), nothing)) for page in server.replay.pages}


def _count(page: ListPage, asked: Sequence[ReplayRequest], stored: tuple[float, float]) -> Asks:
    paths = ((one, *one.target.partition("?")[::2]) for one in asked if one.host == page.host)
    ours = [(one, query) for one, path, query in paths if path == page.path]
    answered = [(one, query) for one, query in ours if one.status in (200, 304)]
    times = [one.at for one, query in answered if not query and one.at <= stored[1]]
    first = max((at for at in times if at <= stored[0]), default=BEGIN)  # those before were broken off
    times = [at for at in times if at >= first]
    older = sum(1 for one, query in answered if query)
    return Asks(len(times), older, len(ours) - len(answered), first, max(times, default=BEGIN))


def compare(server: ReplayProcess, archive: str, asks: dict[str, Asks]) -> Found:
    """Compare an archive with what each page showed at its first visit and until its last."""
    stories = _known_stories(server)
    found, seen = Found(), Counter[str]()
    for (links,) in query(archive, "SELECT links FROM records"):
        own = {link.partition("#")[0] for link in json.loads(links)} & stories
        found.others += not own
        found.mixed += len(own) > 1
        seen.update(own)
    found.records = len(seen)
    found.doubled = sum(count > 1 for count in seen.values())
    found.names = [link for link, count in seen.items() if count > 1][:5]
    for page in server.replay.pages:
        came = _shown(server, page, asks[page.path])
        missing = [link for link in came if link not in seen]
        found.stories += len(came)
        found.lost += len(missing)
        found.lost_by_page[page.path] = len(missing)
        found.names += missing[:5]
    return found


def _shown(server: ReplayProcess, page: ListPage, asks: Asks) -> set[str]:
    """Return the stories that a page showed at its first visit, and those that came until its last."""
    replay = server.replay
    first = [story for name in page.shelves for story in replay.newest(replay.shelf(name), asks.first)]
    there = {server.bases[page.host] + story.plan.path for story in first}
    return there | set(server.stories(page.path, asks.first, asks.last))


def _known_stories(server: ReplayProcess) -> set[str]:
    every = float("-inf"), float("inf")
    return {link for page in server.replay.pages for link in server.stories(page.path, *every)}
