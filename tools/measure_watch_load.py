"""Measure what watching many lists costs: `python -m tools.measure_watch_load [--regions 2000] [--seconds 60]`.

The engine watches so many list pages of a local server, by a clock that runs faster than the one on the wall, so that
visits come one after the other. The CPU time of its process, with the threads that write the archive, and of the
workers that read pages is taken from the system, per visit. What fetching alone costs is measured by fetching the same
pages with the same fetcher, and taken off. Then nothing is due for a while: what is left is the cost of waiting. From
these follows the share of a core at any rate of visits:

    share = waiting + regions * visits a day / 86400 * CPU seconds a visit
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.crawl_trial import descendants
from tools.watch_trial import BEGIN, start_watch, watch_command

from scythe.demo.replay import ListPage, Pace, Replay, Shelf
from scythe.demo.replay_serve import InProcess, serve_replay_process
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.options import FetchOptions
from scythe.schedule.synthetic import Rhythm, make_arrivals
from scythe.url import absolute
from scythe.watched import DAY_S, WEEK_S

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_HOSTS = 40
_SHOWN = 20
_DAYS = 30.0
_RATES = (3.0, 24.0)  # visits a day and region that are told
_LIMIT = 0.01  # of a core
_FIRST_S = 900.0  # the first visits of all pages take so long at most


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


def make_site(regions: int, speed: float) -> Replay:
    """Make a site of so many list pages on many hosts; a few traces, moved in time, are enough for all."""
    rhythm = Rhythm(per_day=40.0, days=_DAYS + 21.0, start=BEGIN - 2 * WEEK_S)
    traces = [make_arrivals(seed, rhythm) for seed in range(20)]
    shelves = tuple(
        Shelf(f"list{n}", f"List {n}", tuple(at + 60.0 * (n // len(traces)) for at in traces[n % len(traces)]), _SHOWN)
        for n in range(regions)
    )
    pages = tuple(ListPage(f"/{shelf.name}/", (shelf.name,), host=n % _HOSTS) for n, shelf in enumerate(shelves))
    return Replay(Pace(BEGIN, 0.0, speed), shelves, pages)


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


def measure(regions: int, seconds: float, speed: float, folder: Path) -> Load:
    """Watch so many pages: all for the first time, then so many seconds of visits, then so many of none."""
    replay = make_site(regions, speed).started(time.time() + 2.0)
    events = folder / "events.jsonl"
    with serve_replay_process(replay, folder) as server:
        fetch_s = measure_fetching(server)
        archive, addresses = str(folder / "archive.db"), folder / "addresses"
        addresses.write_text("\n".join(server.urls), encoding="utf-8")
        until = replay.pace.start + 10_000 * DAY_S
        command = watch_command(archive, [f"@{addresses}"], replay.pace, until, "--max-delay", "3600")
        process = start_watch(command, events)
        try:
            began = _spent(process, events)
            first = _await_visits(process, events, regions)
            time.sleep(seconds)
            later = _spent(process, events)
        finally:
            process.kill()
            process.communicate()
        wait_share = measure_waiting(archive, replay, addresses, folder, seconds)
    visits = later.visits - first.visits
    return Load(
        regions,
        visits,
        first_ms=1_000 * (first.own_s - began.own_s) / max(first.visits, 1),
        visit_ms=1_000 * (later.own_s - first.own_s) / max(visits, 1),
        fetch_ms=1_000 * fetch_s,
        read_ms=1_000 * (later.workers_s - first.workers_s) / max(visits, 1),
        wait_share=wait_share,
    )


def _await_visits(process: subprocess.Popen[str], events: Path, count: int) -> _Spent:
    """Wait until every page was visited once."""
    until = time.monotonic() + _FIRST_S
    while (spent := _spent(process, events)).visits < count:
        if process.poll() is not None or time.monotonic() > until:
            raise SystemExit(f"only {spent.visits} of {count} pages were visited")
        time.sleep(0.5)
    return spent


def measure_waiting(archive: str, replay: Replay, addresses: Path, folder: Path, seconds: float) -> float:
    """Return the share of a core that a watch takes by the real clock while nothing is due.

    Its clock shows what the last visit's did, and goes on from there at the usual speed: for the next minutes hardly
    anything is due.
    """
    last = replay.pace.now() - 600 * replay.pace.speed / 1_000
    pace = Pace(last, time.time(), 1.0)
    events = folder / "waiting.jsonl"
    command = watch_command(archive, [f"@{addresses}"], pace, last + DAY_S, "--max-delay", "3600")
    process = start_watch(command, events)
    try:
        time.sleep(20.0)  # it starts, and works off what is due
        before, began = _spent(process, events), time.monotonic()
        time.sleep(seconds)
        after, ended = _spent(process, events), time.monotonic()
    finally:
        process.kill()
        process.communicate()
    if after.visits != before.visits:
        print(f"while waiting, {after.visits - before.visits} visits were made")
    return (after.own_s - before.own_s + after.workers_s - before.workers_s) / (ended - began)


def measure_fetching(server: InProcess, count: int = 300) -> float:
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


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regions", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--speed", type=float, default=60.0)
    said = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        load = measure(said.regions, said.seconds, said.speed, Path(folder))
    print(tabulate(load))
    raise SystemExit(0 if load.share(_RATES[-1]) < _LIMIT else 1)


if __name__ == "__main__":
    main()
