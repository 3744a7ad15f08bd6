"""Let workers crawl many hosts while they are struck.

Real `scythe worker` processes share an archive in PostgreSQL. Every `--kill-every` seconds one of them is killed with
SIGKILL, every other time with the processes that extract for it, and another is started in its place; every
`--stop-every`th strike is a SIGSTOP instead, from which it is woken after three heartbeats. When all sites are complete
the archive is compared with the sites, and what the hosts wrote down with the delay. Everything that is lost, doubled
or too early is counted. So is how long it took until another worker had each host of one that was struck; where that
other is struck, too, before it got there, it is counted anew from there. How long a host was asked by nobody, however
often those who took it over were struck, is told apart.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

from bench.trial_pages import START
from bench.trial_runs import ENVIRONMENT, ROOT, descendants, left_behind, query
from bench.trials.harness import trial_folder

_POLL_S = 0.05
_EARLY_S = 0.002  # less than this is the way to the server, not a delay that was broken
_PATIENCE_S = 60.0  # of workers to end by themselves when all is done
_WOKEN = 3.0  # heartbeats after which a worker that was stopped goes on


@dataclass(frozen=True)
class Options:
    """What is tried."""

    hosts: int = 50
    pages: int = 200
    page_bytes: int = 0
    workers: int = 4
    places: int = 20
    extractors: int = 1
    delay_s: float = 0.1
    heartbeat_s: float = 5.0
    kill_every_s: float = 5.0
    stop_every: int = 4  # strikes; 0: never
    strikes: int | None = None  # at most
    seed: int = 1
    most_s: float = 1_800.0


@dataclass
class Verdict:
    """What was found wrong, each of it as a number that should be 0; and what was done."""

    seconds: float = 0.0
    kills: int = 0
    kills_of_all: int = 0  # processes that extract included
    stops: int = 0
    pages: int = 0
    requests: int = 0
    asked_again: int = 0  # pages asked for more than once: under way when a strike came
    lost: int = 0
    doubled_pages: int = 0
    doubled_versions: int = 0
    strange: int = 0  # pages that no host has
    waiting: int = 0
    open_assignments: int = 0
    too_early: int = 0  # requests to a host sooner than the delay after the one before
    smallest_gap_s: float = 0.0
    profile_gaps: int = 0  # versions of profiles that do not form a line
    orphans: int = 0
    complaints: list[str] = field(default_factory=list)
    struck_again: int = 0  # takeovers that were cut short by a strike at who had the job
    ended_s: list[float] = field(default_factory=list)  # until a worker that was asked to end had ended
    killed_taken_s: list[float] = field(default_factory=list)  # until another held a host of a worker that was killed
    stopped_taken_s: list[float] = field(default_factory=list)
    killed_idle_s: list[float] = field(default_factory=list)  # until that host was asked again, however busy the other
    stopped_idle_s: list[float] = field(default_factory=list)

    def faults(self) -> int:
        """Return the sum of all that should not be."""
        doubled = self.doubled_pages + self.doubled_versions
        left = self.waiting + self.open_assignments + self.orphans + len(self.complaints)
        return self.lost + doubled + self.strange + left + self.too_early + self.profile_gaps


@dataclass(frozen=True)
class Strike:
    """A worker that was struck, and the hosts it asked then."""

    ns: int
    is_kill: bool
    hosts: frozenset[str]


@contextmanager
def serve_hosts(options: Options, ledger: Path) -> Iterator[list[str]]:
    """Serve the hosts from a process of its own; gives their names."""
    command = [sys.executable, "-m", "bench.trials.trial_hosts", "--ledger", str(ledger), "--hosts", str(options.hosts)]
    command += ["--pages", str(options.pages), "--bytes", str(options.page_bytes)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True, env=ENVIRONMENT) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.stdin.close()
            server.wait(10)


def queue_all(archive: str, hosts: list[str], options: Options) -> None:
    """Hand all sites over."""
    from scythe.archive.open import open_archive
    from scythe.crawling.crawl_options import CrawlOptions
    from scythe.workers.orders import queue_crawl

    wanted = CrawlOptions(delay=options.delay_s, allow_private=True, feeds=False)
    with open_archive(archive) as opened:
        for host in hosts:
            queue_crawl(opened, f"http://{host}{START}", wanted)


class Trial:
    """Workers on one archive, struck one after the other until all is done."""

    def __init__(self, archive: str, options: Options, verdict: Verdict, log: Path) -> None:
        self._archive, self._options, self._verdict, self._log = archive, options, verdict, log
        self._random = Random(options.seed)
        self._workers: list[subprocess.Popen[bytes]] = []
        self._stopped: list[tuple[float, subprocess.Popen[bytes]]] = []  # with the moment to wake each
        self._ending: list[tuple[float, subprocess.Popen[bytes]]] = []  # with the moment each was asked to end
        self._ghosts: list[int] = []  # what extracted for workers that were killed
        self._left: dict[str, tuple[float, int, bool]] = {}  # hosts nobody has: since when, who had them, was it a kill
        self.strikes: list[Strike] = []

    def run(self) -> None:
        """Start workers, strike, and wait until they end because nothing is left."""
        began = struck = time.monotonic()
        self._workers = [self._start() for _ in range(self._options.workers)]
        try:
            while self._is_left():
                time.sleep(_POLL_S)
                self._wake()
                self._note_taken()
                self._note_ended()
                if time.monotonic() - began > self._options.most_s:
                    self._verdict.complaints.append(f"not done within {self._options.most_s:g} s")
                    break
                if time.monotonic() - struck > self._options.kill_every_s and self._may_strike():
                    struck = time.monotonic()
                    self._strike()
            self._verdict.seconds = round(time.monotonic() - began, 1)
            self._end()
        finally:
            for worker in [*self._workers, *(one for _, one in self._stopped + self._ending)]:
                if worker.poll() is None:
                    os.killpg(worker.pid, signal.SIGKILL)
                    worker.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        options = self._options
        command = [sys.executable, "-m", "scythe", "worker", "--archive", self._archive, "--until-idle"]
        command += ["--places", str(options.places), "--heartbeat", str(options.heartbeat_s)]
        command += ["--extractors", str(options.extractors)]
        with self._log.open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env=ENVIRONMENT)

    def _is_left(self) -> bool:
        return bool(query(self._archive, "SELECT 1 FROM assignments WHERE state = 'open' LIMIT 1"))

    def _may_strike(self) -> bool:
        most = self._options.strikes
        return (most is None or len(self.strikes) < most) and bool(self._hosts_asked())

    def _holders(self) -> dict[str, int]:
        """Return by host the process that may ask it."""
        rows = query(self._archive, "SELECT name, owner FROM hosts WHERE owner IS NOT NULL")
        return {name: int(owner.rsplit("|", 3)[1]) for name, owner in rows}

    def _hosts_asked(self) -> dict[int, set[str]]:
        """Return by process the hosts that it asks."""
        held: dict[int, set[str]] = defaultdict(set)
        for host, pid in self._holders().items():
            held[pid].add(host)
        return {worker.pid: held[worker.pid] for worker in self._workers if held[worker.pid]}

    def _jobs_of(self, pid: int) -> set[str]:
        """Return the hosts that a process has taken the job of, whether or not it asks them by now."""
        rows = query(
            self._archive,
            "SELECT key, owner FROM procrastinate_jobs j JOIN workers ON number = worker_id"
            " JOIN assignments a ON a.id = (args ->> 'assignment')::bigint JOIN sites s ON s.id = a.site"
            " WHERE j.status = 'doing'",
        )
        return {host for host, owner in rows if int(owner.rsplit("|", 3)[1]) == pid}

    def _note_taken(self) -> None:
        """Take note of hosts that another process has taken over."""
        holders = self._holders() if self._left else {}
        for host, (since, pid, is_kill) in list(self._left.items()):
            if holders.get(host, pid) != pid:
                del self._left[host]
                taken = self._verdict.killed_taken_s if is_kill else self._verdict.stopped_taken_s
                taken.append(round(time.monotonic() - since, 2))

    def _strike(self) -> None:
        """Kill or stop one of the workers that ask hosts, and start another."""
        asked = self._hosts_asked()
        busy = [worker for worker in self._workers if worker.pid in asked and worker.poll() is None]
        if not busy:
            return
        worker = self._random.choice(busy)
        every = self._options.stop_every
        is_kill = not every or len(self.strikes) % every != every - 1
        self.strikes.append(Strike(time.monotonic_ns(), is_kill, frozenset(asked[worker.pid])))
        self._note_left(worker.pid, asked[worker.pid], is_kill=is_kill)
        if is_kill:
            self._kill(worker)
        else:
            worker.send_signal(signal.SIGSTOP)
            self._verdict.stops += 1
            self._stopped.append((time.monotonic() + _WOKEN * self._options.heartbeat_s, worker))
        self._workers.remove(worker)
        self._workers.append(self._start())

    def _note_left(self, pid: int, asked: set[str], *, is_kill: bool) -> None:
        """Count from now on how long hosts wait; for those that were on the way to this worker, anew."""
        now, holders = time.monotonic(), self._holders()
        for host in self._jobs_of(pid) - asked:
            self._verdict.struck_again += host in self._left
            self._left[host] = (now, holders.get(host, pid), is_kill)
        self._left |= dict.fromkeys(asked, (now, pid, is_kill))

    def _kill(self, worker: subprocess.Popen[bytes]) -> None:
        self._ghosts += descendants(worker.pid)
        self._verdict.kills += 1
        if self._random.random() < 0.5:
            self._verdict.kills_of_all += 1
            os.killpg(worker.pid, signal.SIGKILL)
        else:
            worker.kill()
        worker.wait()

    def _wake(self, *, everybody: bool = False) -> None:
        for at, worker in list(self._stopped):
            if everybody or time.monotonic() > at:
                self._stopped.remove((at, worker))
                worker.send_signal(signal.SIGCONT)
                self._workers.append(worker)
                self._drop_one()

    def _drop_one(self) -> None:
        """End the oldest worker in good order, so that there are as many as before."""
        worker = self._workers.pop(0)
        worker.terminate()
        self._ending.append((time.monotonic(), worker))

    def _note_ended(self, wait_s: float = 0.0) -> None:
        """Take note of workers that were asked to end and have, waiting for each so long."""
        for asked_at, worker in list(self._ending):
            try:
                code = worker.wait(wait_s)
            except subprocess.TimeoutExpired:
                continue
            self._ending.remove((asked_at, worker))
            self._verdict.ended_s.append(round(time.monotonic() - asked_at, 2))
            if code not in (0, 130):
                self._verdict.complaints.append(f"a worker that was asked to end ended with code {code}")

    def _end(self) -> None:
        self._wake(everybody=True)
        while self._verdict.complaints and self._workers:  # something is left: they would go on
            self._drop_one()
        for worker in self._workers:
            try:
                if worker.wait(_PATIENCE_S) != 0:
                    self._verdict.complaints.append(f"a worker ended with code {worker.returncode}")
            except subprocess.TimeoutExpired:
                self._verdict.complaints.append("a worker did not end when nothing was left")
        self._note_ended(_PATIENCE_S)
        self._verdict.complaints += ["a worker that was asked to end did not"] * len(self._ending)
        self._verdict.orphans = left_behind(self._ghosts)


def check_archive(archive: str, hosts: list[str], paths: list[set[str]], verdict: Verdict) -> None:
    """Compare what is archived with what the hosts have."""
    wanted = Counter(f"http://{host}{path}" for host, site in zip(hosts, paths, strict=True) for path in site)
    rows = query(archive, "SELECT u.url, p.versions FROM pages p JOIN urls u ON u.id = p.id")
    have = Counter(url for url, _ in rows)
    verdict.pages = len(rows)
    verdict.lost = sum((wanted - have).values())
    verdict.strange = len(set(have) - set(wanted))
    verdict.doubled_pages = sum(count - 1 for count in have.values())
    verdict.doubled_versions = sum(versions - 1 for _, versions in rows)
    verdict.doubled_versions += int(query(archive, "SELECT count(*) FROM versions")[0][0]) - len(rows)
    verdict.waiting = int(query(archive, "SELECT count(*) FROM urls WHERE due_at IS NOT NULL")[0][0])
    states = Counter(state for (state,) in query(archive, "SELECT state FROM assignments"))
    verdict.open_assignments = states.total() - states["done"]
    lines = query(archive, "SELECT site, max(version), count(*) FROM profiles GROUP BY site")
    verdict.profile_gaps = sum(newest != count for _, newest, count in lines)


def check_ledger(ledger: Path, strikes: list[Strike], options: Options, verdict: Verdict) -> None:
    """Look at what the hosts saw: gaps, pages asked for again, and how long nobody came after a strike."""
    by_host: dict[str, list[int]] = defaultdict(list)
    asked: Counter[tuple[str, str]] = Counter()
    for line in ledger.read_text(encoding="latin-1").splitlines():
        ns, host, path = line.split(" ", 2)
        by_host[host].append(int(ns))
        asked[host, path] += 1
    gaps = [(after - before) / 1e9 for times in by_host.values() for before, after in pairwise(sorted(times))]
    verdict.requests = asked.total()
    verdict.asked_again = sum(count - 1 for (_, path), count in asked.items() if path != "/robots.txt")
    verdict.smallest_gap_s = round(min(gaps), 4)
    verdict.too_early = sum(gap < options.delay_s - _EARLY_S for gap in gaps)
    for strike in strikes:
        for host in strike.hosts:
            after = [ns for ns in by_host[host] if ns > strike.ns + 50_000_000]  # what was on its way has arrived
            if after:
                idle = verdict.killed_idle_s if strike.is_kill else verdict.stopped_idle_s
                idle.append(round((min(after) - strike.ns) / 1e9, 2))


def run_trial(options: Options, archive: str, folder: Path) -> Verdict:
    """Do all of it; `folder` gets the ledger and what workers said."""
    from bench.trials.trial_hosts import build_answers

    verdict, ledger = Verdict(), folder / "ledger"
    sites = build_answers(options.hosts, options.pages, options.page_bytes)
    paths = [{path.decode() for path in sites[number % len(sites)]} for number in range(options.hosts)]
    with serve_hosts(options, ledger) as hosts:
        queue_all(archive, hosts, options)
        trial = Trial(archive, options, verdict, folder / "said")
        trial.run()
    check_archive(archive, hosts, paths, verdict)
    check_ledger(ledger, trial.strikes, options, verdict)
    return verdict


def run(
    *,
    hosts: int = 50,
    pages: int = 200,
    page_bytes: int = 0,
    workers: int = 4,
    delay: float = 0.1,
    heartbeat: float = 5.0,
    kill_every: float = 5.0,
    stop_every: int = 4,
    strikes: int | None = None,
    seed: int = 1,
    most: float = 1_800.0,
    keep: Path | None = None,
) -> Verdict:
    """Seconds are meant; `stop_every` counts strikes, 0 stops nobody; `keep` gets the ledger and what workers said."""
    options = Options(
        hosts,
        pages,
        page_bytes,
        workers,
        delay_s=delay,
        heartbeat_s=heartbeat,
        kill_every_s=kill_every,
        stop_every=stop_every,
        strikes=strikes,
        seed=seed,
        most_s=most,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # with the workers and the server
    with trial_folder(keep, postgres=True) as (folder, archives):
        return run_trial(options, next(archives), folder)
