"""Kill processes at random moments: what measurements of crawls and of watches share."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Protocol

from tools.crawl_trial import Ledger, descendants, left_behind

_POLL_S = 0.002
_STARTING_S = 1.5  # one kill in ten comes within this, before anything is asked for


class Struck(Protocol):
    """What is noted of kills."""

    kills: int
    kills_of_all: int  # workers included
    orphans: int  # workers that outlived their parent
    restart_s: list[float]  # from the start of a run to its first request


@dataclass(frozen=True)
class Moments:
    """When to kill: so many requests after a start, at most, and then a moment."""

    random: Random
    requests: int
    moment_s: float
    patience_s: float

    def wait_for_one(self, process: subprocess.Popen[str], ledger: Ledger, struck: Struck) -> tuple[int | None, int]:
        """Wait for a random moment; return the exit code where the process ended before, and the requests seen."""
        began, before = time.monotonic(), ledger.count()
        if self.random.random() < 0.1:
            return wait(process, self.random.uniform(0, _STARTING_S)), 1
        wanted, seen, size = self.random.randint(1, self.requests), 0, ledger.size()
        while process.poll() is None and seen < wanted and time.monotonic() - began < self.patience_s:
            time.sleep(_POLL_S)
            if ledger.size() != size:
                if not seen:
                    struck.restart_s.append(round(time.monotonic() - began, 3))
                size = ledger.size()
                seen = ledger.count() - before
        return wait(process, self.random.uniform(0, self.moment_s)), seen

    def kill(self, process: subprocess.Popen[str], struck: Struck) -> None:
        """Kill a process, every other time together with its workers; see that none of them stays."""
        workers = descendants(process.pid)
        struck.kills += 1
        if self.random.random() < 0.5:
            struck.kills_of_all += 1
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        struck.orphans += left_behind(workers)


def describe(verdict: Any) -> str:
    """Write a verdict, which is a dataclass of these kills, as JSON, its restarts in short."""
    table = asdict(verdict)
    restarts = sorted(table.pop("restart_s"))
    table["restart_s_median"] = restarts[len(restarts) // 2] if restarts else None
    table["restart_s_most"] = restarts[-1] if restarts else None
    return json.dumps(table, indent=2)


def wait(process: subprocess.Popen[str], seconds: float) -> int | None:
    """Return the exit code of a process, None where it goes on for longer than that."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
