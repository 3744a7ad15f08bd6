"""Crawl one host with several processes.

Processes that share an archive crawl one local site, told apart by their user agents; some are stopped on the way (by
SIGTERM or SIGKILL, in turn) and started again. What counts is the server's ledger: the time between any two requests,
whoever made them, must not be below the delay.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

from bench.trial_runs import Asked, Ledger, crawl_command, query, serve_trial, start
from bench.trials.harness import trial_folder

_RUN_S = 3_600.0


@dataclass(frozen=True)
class Settings:
    """How much to try."""

    requests: int = 10_000
    delay_s: float = 0.02
    processes: int = 2
    restarts: int = 20
    seed: int = 1


@dataclass
class Verdict:
    """What the server saw."""

    requests: int = 0
    by_process: dict[str, int] = field(default_factory=dict)
    turns: int = 0  # times another process went on
    restarts: int = 0
    violations: int = 0  # gaps below the delay
    least_gap_ms: float = 0.0
    median_gap_ms: float = 0.0
    lost: int = 0  # pages that are not in the archive
    doubled: int = 0  # pages asked for more often than restarts explain
    seconds: float = 0.0
    complaints: list[str] = field(default_factory=list)

    def faults(self) -> int:
        """Return the sum of all that should not be."""
        return self.violations + self.lost + self.doubled + len(self.complaints)


def measure(settings: Settings, archive: str, folder: Path) -> Verdict:
    """Crawl with several processes and return what the server saw."""
    verdict = Verdict()
    ledger = Ledger(folder / "delays")
    began = time.monotonic()
    with serve_trial("--tiny", "--pages", str(settings.requests), "--ledger", str(ledger.path)) as url:
        _crawl(settings, crawl_command(url, archive), ledger, verdict)
    verdict.seconds = round(time.monotonic() - began, 1)
    _judge(ledger.read(), settings, verdict)
    stored = query(archive, "SELECT count(*) FROM pages")[0][0]
    verdict.lost = settings.requests - int(stored)
    return verdict


def _crawl(settings: Settings, command: Sequence[str], ledger: Ledger, verdict: Verdict) -> None:
    """Run the processes until all say that the site is complete."""
    random = Random(settings.seed)
    stops = sorted(random.uniform(0.05, 0.95) * settings.requests for _ in range(settings.restarts))
    options = ["--delay", str(settings.delay_s), "--parts", "text"]
    commands = [[*command, *options, "--user-agent", f"trial-{n}"] for n in range(settings.processes)]
    running = {number: start(each) for number, each in enumerate(commands)}
    until = time.monotonic() + _RUN_S
    while running and time.monotonic() < until:
        time.sleep(0.05)
        for number, process in list(running.items()):
            if process.poll() is not None:
                _note_end(process, verdict)
                del running[number]
        if stops and running and ledger.count() >= stops[0]:
            stops.pop(0)
            number = random.choice(list(running))
            _stop(running[number], verdict)
            running[number] = start(commands[number])
    for process in running.values():
        _stop(process, verdict)
        verdict.complaints.append("did not end")


def _stop(process: subprocess.Popen[str], verdict: Verdict) -> None:
    verdict.restarts += 1
    if verdict.restarts % 2:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    else:
        process.terminate()
        if process.wait(60) not in (130, 0, -signal.SIGTERM):  # the last: it had only just been started
            verdict.complaints.append(f"exit code {process.returncode} after SIGTERM")
    assert process.stderr is not None
    process.stderr.close()


def _note_end(process: subprocess.Popen[str], verdict: Verdict) -> None:
    assert process.stderr is not None
    if process.returncode != 0:
        verdict.complaints.append(f"exit code {process.returncode}: {process.stderr.read()[-500:]}")
    process.stderr.close()


def _judge(rows: Sequence[Asked], settings: Settings, verdict: Verdict) -> None:
    gaps = sorted((later.ns - earlier.ns) / 1e6 for earlier, later in pairwise(rows))
    asked = Counter(row.path for row in rows if row.path.endswith(".html"))
    again = sum(asked.values()) - len(asked)
    verdict.requests = len(rows)
    verdict.by_process = dict(Counter(row.agent for row in rows))
    verdict.turns = sum(1 for earlier, later in pairwise(rows) if earlier.agent != later.agent)
    verdict.violations = sum(1 for gap in gaps if gap < settings.delay_s * 1000)
    verdict.least_gap_ms = round(gaps[0], 3)
    verdict.median_gap_ms = round(gaps[len(gaps) // 2], 3)
    verdict.doubled = max(0, again - verdict.restarts * 64)


def run(
    *,
    requests: int = 10_000,
    delay: float = 0.02,
    processes: int = 2,
    restarts: int = 20,
    postgres: bool = False,
    seed: int = 1,
) -> Verdict:
    with trial_folder(postgres=postgres) as (folder, places):
        return measure(Settings(requests, delay, processes, restarts, seed), next(places), folder)
