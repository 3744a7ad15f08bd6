"""Run commands against a site on this machine: a command comes in, how long it took and what was asked for goes out."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench.trial_pages import START
from scythe.errors import ScytheError

# As an installed program has it: modules compiled once, whatever the caller's environment says.
ENVIRONMENT: Mapping[str, str] = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
_SAMPLE_S = 0.5
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
