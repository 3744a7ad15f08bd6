"""Run commands against a site on this machine: how long they took, what they asked for, and kills at random moments."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from bench.trial_pages import START
from scythe.errors import ScytheError

ROOT = Path(__file__).resolve().parent.parent
# As an installed program has it: modules compiled once, beside the tree and whatever the caller's environment says.
ENVIRONMENT: Mapping[str, str] = {
    **{key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "scythe-trial-compiled"),
}
FAST = ("--delay", "0", "--per-host", "8")  # options of scythe crawl for a site of our own
_SAMPLE_S = 0.5
_POLL_S = 0.002
_STARTING_S = 1.5  # one kill in ten comes within this, before anything is asked for
_ENDING_S = 10.0  # a server that lasts longer is killed


class Asked(NamedTuple):
    """One request as the server saw it."""

    ns: int  # monotonic, of the machine
    path: str
    agent: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a server wrote down of every request before it answered."""

    path: Path

    def size(self) -> int:
        """Return how many bytes there are: grows with every request."""
        return self.path.stat().st_size if self.path.exists() else 0

    def count(self) -> int:
        """Return how many requests were seen."""
        return self.path.read_bytes().count(b"\n") if self.path.exists() else 0

    def read(self) -> list[Asked]:
        """Return all requests, in the order in which they came."""
        rows = (line.split(" ", 2) for line in self.path.read_text(encoding="latin-1").splitlines())
        return [Asked(int(ns), path, agent) for ns, path, agent in rows]


@dataclass(frozen=True, slots=True)
class Timed:
    """What one command took."""

    seconds: float  # from its start to its end
    asking_s: float  # from its first request to its last
    cpu_s: float  # of all its processes
    requests: int


@contextmanager
def serve_trial(*arguments: str, environment: Mapping[str, str] = ENVIRONMENT) -> Iterator[str]:
    """Serve a trial site from a process of its own; gives the address of its first page."""
    command = [sys.executable, "-m", "bench.trial_site", *arguments]
    with subprocess.Popen(  # noqa: S603  (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(environment)
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}{START}"
        finally:
            server.stdin.close()
            try:
                server.wait(_ENDING_S)
            except subprocess.TimeoutExpired:
                server.kill()


def crawl_command(url: str, archive: str, *more: str) -> list[str]:
    """Return the command that crawls a local site."""
    return [sys.executable, "-m", "scythe", "crawl", url, "--archive", archive, "--allow-private", "--quiet", *more]


def start(
    command: Sequence[str], *, environment: Mapping[str, str] = ENVIRONMENT, **options: Any
) -> subprocess.Popen[str]:
    """Start a process in a group of its own, with its complaints in a pipe."""
    return subprocess.Popen(  # noqa: S603  (what is measured is ours to choose)
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=dict(environment),
        **options,
    )


def time_command(
    command: Sequence[str],
    ledger: Ledger,
    *,
    environment: Mapping[str, str] = ENVIRONMENT,
    watch: Callable[[int, int], None] | None = None,
) -> Timed:
    """Run a command to its end; `watch(process, requests)` is called twice a second.

    Raises ScytheError where the command fails.
    """
    before = ledger.count()
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=dict(environment))  # noqa: S603  (as above)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG if watch else 0)
        if pid:
            break
        time.sleep(_SAMPLE_S)
        if watch is not None:
            watch(process.pid, ledger.count() - before)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    if process.returncode:
        raise ScytheError(f"exit code {process.returncode}: {' '.join(command)}")
    rows = ledger.read()[before:]
    asking_s = (rows[-1].ns - rows[0].ns) / 1e9 if rows else 0.0
    return Timed(seconds, asking_s, usage.ru_utime + usage.ru_stime, len(rows))


def descendants(pid: int) -> list[int]:
    """Return the processes that `pid` started, and those that they started."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and (parent := _parent(path)) is not None:
            children.setdefault(parent, []).append(int(path.name))
    found, rest = [], [pid]
    while rest:
        own = children.get(rest.pop(), [])
        found += own
        rest += own
    return found


def _parent(path: Path) -> int | None:
    try:
        return int((path / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return None


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that ended and was not yet noticed does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def left_behind(pids: Sequence[int], patience_s: float = 10.0) -> int:
    """Return how many of these processes do not end by themselves, and end them."""
    until = time.monotonic() + patience_s
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    stuck = [pid for pid in pids if is_alive(pid)]
    for pid in stuck:
        os.kill(pid, signal.SIGKILL)
    return len(stuck)


def query(archive: str, sql: str) -> list[tuple[Any, ...]]:
    """Ask the database of an archive, past the archive's own code."""
    if "://" not in archive:
        connection: Any = sqlite3.connect(archive)
    else:
        import psycopg

        connection = psycopg.connect(archive.replace("postgresql+psycopg", "postgresql"))
    try:
        return [tuple(row) for row in connection.execute(sql).fetchall()]
    finally:
        connection.close()


def rss_mb(pid: int) -> float:
    """Return the memory a process uses now, 0 where it is gone."""
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


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


def wait(process: subprocess.Popen[str], seconds: float) -> int | None:
    """Return the exit code of a process, None where it goes on for longer than that."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
