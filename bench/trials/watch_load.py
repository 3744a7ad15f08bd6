"""Measure what watching many lists costs.

The engine watches so many list pages. Some of them are really visited, on a local server, by a clock that runs faster
than the one on the wall, so that one visit follows the other; the others are not due meanwhile, but the engine has to
know that. The CPU time of its process, with the thread that writes the archive, and of the workers that read pages is
taken from the system, per visit. What fetching alone costs is measured by fetching the same pages with the same
fetcher, and taken off. Then nothing is due for a while: what is left is the cost of waiting. From these follows the
share of a core at any rate of visits:

    share = waiting + regions * visits a day / 86400 * CPU seconds a visit
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.sites.replay import ListPage, Replay, ReplayClock, ReplayList
from tests.sites.replay_process import ReplayProcess, serve_replay_process

from bench.trial_runs import descendants
from bench.trials.harness import trial_folder
from bench.trials.watch_trial import BEGIN, start_watch, watch_command
from scythe.archive.open import open_archive
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.fetcher import open_fetcher
from scythe.schedule.simulate import Rhythm, make_arrivals
from scythe.url import absolute
from scythe.watch_model import DAY_S
from scythe.watching.clock import Clock
from scythe.watching.watch import add_lists
from scythe.watching.watch_options import ListOptions

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_HOSTS = 20
_SHOWN = 20
_DAYS = 8.0
_RATES = (3.0, 24.0)  # visits a day and region that are told
_LIMIT = 0.01  # of a core
_FIRST_S = 900.0  # the first visits of all pages take so long at most
_MORE = ("--max-delay", "3600")


@dataclass(frozen=True)
class Load:
    """CPU seconds of the engine."""

    regions: int
    visits: int  # that were measured
    first_ms: float  # a first visit, which reads an older page too: all but reading pages
    visit_ms: float  # a later visit: all but reading pages
    fetch_ms: float  # of these, for fetching
    read_ms: float  # for reading a page, in workers
    wait_share: float  # of a core, where nothing is due

    def share(self, per_day: float, *, whole: bool = False) -> float:
        """Return the share of a core at a rate of visits: of scheduling, or with fetching and reading."""
        visit_ms = self.visit_ms + self.read_ms if whole else self.visit_ms - self.fetch_ms
        return self.wait_share + self.regions * per_day / DAY_S * visit_ms / 1_000


def make_site(pages: int, speed: float) -> Replay:
    """Make a site of so many list pages on many hosts; a few traces, moved in time, are enough for all."""
    rhythm = Rhythm(per_day=40.0, days=_DAYS, start=BEGIN - 3 * DAY_S)
    traces = [make_arrivals(seed, rhythm) for seed in range(20)]
    shelves = tuple(
        ReplayList(
            f"list{n}", f"List {n}", tuple(at + 60.0 * (n // len(traces)) for at in traces[n % len(traces)]), _SHOWN
        )
        for n in range(pages)
    )
    shown = tuple(ListPage(f"/{shelf.name}/", (shelf.name,), host=n % _HOSTS) for n, shelf in enumerate(shelves))
    return Replay(ReplayClock(BEGIN, 0.0, speed), shelves, shown)


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


@dataclass
class _Spent:
    """CPU time so far: of the engine's own process, of its workers; and the visits it told of."""

    own_s: float
    workers_s: float
    visits: int


def _spent(process: subprocess.Popen[str], events: Path) -> _Spent:
    workers = sum(cpu_s(pid) for pid in descendants(process.pid))
    return _Spent(cpu_s(process.pid), workers, events.read_bytes().count(b'"kind": "visit"'))


def measure(regions: int, visited: int, seconds: float, speed: float, folder: Path) -> Load:
    """Watch so many pages: some for the first time, again with all the others, then none of them."""
    replay = make_site(visited, speed).started(time.time() + 2.0)
    archive, events = str(folder / "archive.db"), folder / "events.jsonl"
    with serve_replay_process(replay, folder) as server:
        fetch_s = measure_fetching(server)
        with _watching(archive, replay.pace, server.urls, events) as process:
            began = _spent(process, events)
            first = _await_visits(process, events, visited)
        _add_others(archive, [f"{server.bases[n % _HOSTS]}/later{n}/" for n in range(regions - visited)])
        with _watching(archive, replay.pace, server.urls, events) as process:
            start = _await_visits(process, events, first.visits + 10)
            time.sleep(seconds)
            later = _spent(process, events)
        wait_share = measure_waiting(archive, replay, server, folder, seconds)
    visits = later.visits - start.visits
    return Load(
        regions,
        visits,
        first_ms=1_000 * (first.own_s - began.own_s) / first.visits,
        visit_ms=1_000 * (later.own_s - start.own_s) / max(visits, 1),
        fetch_ms=1_000 * fetch_s,
        read_ms=1_000 * (later.workers_s - start.workers_s) / max(visits, 1),
        wait_share=wait_share,
    )


@contextmanager
def _watching(archive: str, pace: ReplayClock, urls: Sequence[str], events: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a watch until the block ends."""
    command = watch_command(archive, urls, pace, pace.start + 10_000 * DAY_S, *_MORE)
    process = start_watch(command, events)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _add_others(archive: str, urls: Sequence[str]) -> None:
    """Have pages watched that are not due in the time of the trial."""
    with open_archive(archive) as opened:
        add_lists(opened, urls, ListOptions(), Clock(1.0, BEGIN, time.time()))
    _put_off(archive, BEGIN, "visited_at IS NULL")


def _put_off(archive: str, now: float, which: str) -> None:
    """Make pages due days later, as if they had been visited just now."""
    connection = sqlite3.connect(archive)
    with connection:
        sql = f"UPDATE urls SET due_at = ?, visited_at = ?, state = 'retry' WHERE kind = 'list' AND {which}"
        connection.execute(sql, (now + 5 * DAY_S, now))
    connection.close()


def _await_visits(process: subprocess.Popen[str], events: Path, count: int) -> _Spent:
    """Wait until so many visits were told of."""
    until = time.monotonic() + _FIRST_S
    while (spent := _spent(process, events)).visits < count:
        if process.poll() is not None or time.monotonic() > until:
            raise SystemExit(f"only {spent.visits} of {count} pages were visited")
        time.sleep(0.5)
    return spent


def measure_waiting(archive: str, replay: Replay, server: ReplayProcess, folder: Path, seconds: float) -> float:
    """Return the share of a core that a watch takes while nothing is due, by a clock as fast as the one on the wall."""
    pace = ReplayClock(replay.pace.now(), time.time(), 1.0)
    _put_off(archive, pace.start, "due_at IS NOT NULL")
    events = folder / "waiting.jsonl"
    with _watching(archive, pace, server.urls, events) as process:
        time.sleep(10.0)  # it starts
        before, began = _spent(process, events), time.monotonic()
        time.sleep(seconds)
        after, ended = _spent(process, events), time.monotonic()
    if after.visits:
        raise SystemExit(f"while it should wait, {after.visits} visits were made")
    return (after.own_s - before.own_s + after.workers_s - before.workers_s) / (ended - began)


def measure_fetching(server: ReplayProcess, count: int = 200) -> float:
    """Return the CPU seconds that fetching a page takes, without anything else."""

    async def fetch() -> float:
        async with open_fetcher(FetchOptions(allow_private=True)) as fetcher:
            urls = [url for text in server.urls[:count] if (url := absolute(text)) is not None]
            await fetcher.get(urls[0])
            began = time.process_time()
            for url in urls:
                await fetcher.get(url)
            return (time.process_time() - began) / len(urls)

    return asyncio.run(fetch())


def tabulate(load: Load) -> str:
    """Write the cost as a table."""
    rows = [{name: round(value, 5) for name, value in asdict(load).items()}]
    for per_day in _RATES:
        for name, whole in (("scheduling", False), ("with fetching and reading", True)):
            share = load.share(per_day, whole=whole)
            rows.append({"visits a day": per_day, "what": name, "percent of a core": round(100 * share, 3)})
    return "\n".join(json.dumps(row) for row in rows)


def run(*, regions: int = 2_000, visited: int = 200, seconds: float = 60.0, speed: float = 150.0) -> int:
    """Watch `regions` lists, of which `visited` are really visited, and print the cost."""
    with trial_folder() as (folder, _):
        load = measure(regions, visited, seconds, speed, folder)
    print(tabulate(load))
    return 0 if load.share(_RATES[-1]) < _LIMIT else 1
