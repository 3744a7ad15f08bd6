"""Kill Scrapy and let it go on, with its own schedulers and with ours.

The same spider crawls the same local site with each. At random moments it is killed with SIGKILL and started again with
the same words, until it says that it has finished; then from the beginning, until there were `--kills` kills. A page is
lost where the server was never asked for it, or where it is not in the feed. Then each crawls the site in peace, in
turn, and its CPU time is compared with that of the scheduler that keeps everything in memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from statistics import median

from bench.trial_pages import START, load_pages
from bench.trial_runs import ROOT, Ledger, Moments, serve_trial, start, wait
from bench.trials.harness import describe, trial_folder
from scythe.archive.host_leases import Owner
from scythe.archive.open import open_archive
from scythe.scrapy.request_store import Hold, NewRequest, Requests, TakenRequest, Turn

_RUN_S = 300.0
KINDS = ("disk", "sqlite", "scythe")


@dataclass
class Verdict:
    """What was lost with one scheduler, and what was done."""

    kind: str
    kills: int = 0
    kills_of_all: int = 0
    orphans: int = 0
    rounds: int = 0
    runs: int = 0
    pages: int = 0  # of the site, over all rounds
    requests: int = 0  # seen by the server
    never_asked: int = 0
    not_in_feed: int = 0  # pages of which no whole line is there
    in_feed_twice: int = 0
    torn_lines: int = 0
    complaints: list[str] = field(default_factory=list)
    restart_s: list[float] = field(default_factory=list)

    def faults(self) -> int:
        """Return how many pages nobody will ever see."""
        return self.not_in_feed


@dataclass(frozen=True)
class Trial:
    """One site and one sequence of chances."""

    url: str
    ledger: Ledger
    paths: frozenset[str]
    random: Random
    most_requests: int  # between two kills

    def crawl_killed(self, kind: str, state: str, feed: Path, verdict: Verdict) -> None:
        """Crawl the site until a run ends by itself, killed now and then."""
        moments = Moments(self.random, self.most_requests, 0.05, _RUN_S)
        left = self.random.randint(3, 5)
        while True:
            verdict.runs += 1
            process = start(command(kind, state, self.url, feed), cwd=ROOT)
            try:
                ended = moments.wait_for_one(process, self.ledger, verdict)[0] if left else wait(process, _RUN_S)
                if ended is None:
                    moments.kill(process, verdict)
                    left -= 1
                    continue
                assert process.stderr is not None
                if complaint := process.stderr.read()[-300:].strip():
                    verdict.complaints.append(f"exit code {ended}: {complaint}")
                return
            finally:
                assert process.stderr is not None
                process.stderr.close()

    def judge(self, feed: Path, asked: Counter[str], verdict: Verdict) -> None:
        """Compare a feed and what the server saw with the site."""
        lines, torn = read_feed(feed)
        base = self.url.removesuffix(START)
        found = Counter(line["url"].removeprefix(base) for line in lines)
        verdict.rounds += 1
        verdict.pages += len(self.paths)
        verdict.requests += asked.total()
        verdict.never_asked += len(self.paths - asked.keys())
        verdict.not_in_feed += len(self.paths - found.keys())
        verdict.in_feed_twice += sum(1 for path in self.paths if found[path] > 1)
        verdict.torn_lines += torn


def command(kind: str, state: str, url: str, feed: Path) -> list[str]:
    """Return the command that crawls with one scheduler."""
    return [sys.executable, "-m", "bench.trials.scheduler_spider", kind, state, url, str(feed)]


def read_feed(feed: Path) -> tuple[list[dict[str, str]], int]:
    """Return the lines of a feed that are whole, and how many are not."""
    lines, torn = [], 0
    for line in feed.read_bytes().splitlines() if feed.exists() else ():
        try:
            lines.append(json.loads(line))
        except ValueError:
            torn += 1
    return lines, torn


@dataclass(frozen=True)
class Settings:
    """How much to try."""

    kills: int = 20
    pages: int = 300
    requests: int = 80  # at most, between two kills
    seed: int = 1
    kinds: tuple[str, ...] = KINDS
    calm_runs: int = 3


def measure_kills(settings: Settings, places: Iterator[str], folder: Path) -> list[Verdict]:
    """Kill with each scheduler as often as asked for; return what was lost with each."""
    ledger, numbers, verdicts = Ledger(folder / "ledger"), count(), []
    paths = frozenset(page.path for page in load_pages(settings.pages))
    with serve_trial("--pages", str(settings.pages), "--ledger", str(ledger.path)) as url:
        for kind in settings.kinds:
            verdict = Verdict(kind)
            trial = Trial(url, ledger, paths, Random(settings.seed), settings.requests)
            while verdict.kills < settings.kills:
                number, seen = next(numbers), ledger.count()
                state = next(places) if kind == "scythe" else str(folder / f"job-{number}")
                feed = folder / f"feed-{number}.jl"
                trial.crawl_killed(kind, state, feed, verdict)
                trial.judge(feed, Counter(row.path for row in ledger.read()[seen:]), verdict)
            verdicts.append(verdict)
    return verdicts


def measure_speed(settings: Settings, places: Iterator[str], folder: Path) -> dict[str, dict[str, float]]:
    """Crawl in peace with each scheduler in turn; return seconds of CPU and of the clock, medians, by scheduler."""
    seen: dict[str, list[tuple[float, float]]] = {kind: [] for kind in ("memory", *settings.kinds)}
    with serve_trial("--pages", str(settings.pages)) as url:
        for number in range(settings.calm_runs):
            for kind, times in seen.items():
                state = next(places) if kind == "scythe" else str(folder / f"calm-{kind}-{number}")
                feed = folder / f"calm-{kind}-{number}.jl"
                before, began = os.times(), time.monotonic()
                subprocess.run(command(kind, state, url, feed), cwd=ROOT, check=True)
                after = os.times()
                cpu = after.children_user + after.children_system - before.children_user - before.children_system
                times.append((cpu, time.monotonic() - began))
                assert len(read_feed(feed)[0]) >= settings.pages
    return {
        kind: {
            "cpu_s": round(median(cpu for cpu, _ in times), 2),
            "wall_s": round(median(wall for _, wall in times), 2),
        }
        for kind, times in seen.items()
    }


def measure_turns(where: str, turns: int = 400) -> dict[str, float]:
    """Return what a turn costs in which 50 requests are named, 16 are done and 16 are taken; medians, in ms."""
    cpu, wall, taken = [], [], tuple[TakenRequest, ...]()
    with open_archive(where) as archive:
        requests = Requests(archive, "crawl", Hold(60.0, lambda _lane: 0.0), Owner.of_this_process())
        for number in range(turns):
            names = [f"{number}-{place}" for place in range(50)]
            new = [NewRequest(name.encode(), "a.example", name, 0, f'{{"url":"{name}"}}' * 10) for name in names]
            turn = Turn(new, [row.id for row in taken], want=16, per_host=32)
            began, began_cpu = time.monotonic(), time.process_time()
            taken = requests.turn(turn).taken
            cpu.append(time.process_time() - began_cpu)
            wall.append(time.monotonic() - began)
    return {"cpu_ms": round(1_000 * median(cpu), 2), "wall_ms": round(1_000 * median(wall), 2)}


def run(
    *,
    kills: int = 20,
    pages: int = 300,
    requests: int = 80,
    seed: int = 1,
    kinds: str = ",".join(KINDS),
    calm_runs: int = 3,
    postgres: bool = False,
) -> int:
    settings = Settings(kills, pages, requests, seed, tuple(kinds.split(",")), calm_runs)
    with trial_folder(postgres=postgres) as (folder, places):
        verdicts = measure_kills(settings, places, folder) if settings.kills else []
        for verdict in verdicts:
            print(describe(verdict), flush=True)
        if settings.calm_runs:
            print(json.dumps(measure_speed(settings, places, folder), indent=2))
            print("a turn:", json.dumps(measure_turns(next(places))))
    return any(verdict.faults() for verdict in verdicts if verdict.kind == "scythe")
