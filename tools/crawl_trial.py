"""Run real crawls against a local site: what the measuring of kills, delays, speed and full disks shares."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
START = "/index.html"
# As an installed program has it: modules compiled once, whatever the caller's environment says.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT |= {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "scythe-trial-compiled")}


class Asked(NamedTuple):
    """One request as the server saw it."""

    ns: int  # monotonic, of the machine
    path: str
    agent: str


@dataclass(frozen=True)
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


@contextmanager
def serve_trial(*arguments: str) -> Iterator[str]:
    """Serve a trial site from a process of its own; gives the address of its first page."""
    command = [sys.executable, "-m", "tools.trial_site", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}{START}"
        finally:
            server.stdin.close()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def crawl_command(url: str, archive: str, *more: str) -> list[str]:
    """Return the command that crawls a local site."""
    return [sys.executable, "-m", "scythe", "crawl", url, "--archive", archive, "--allow-private", "--quiet", *more]


FAST = ("--delay", "0", "--per-host", "8")


def start(command: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start a process in a group of its own, with its complaints in a pipe."""
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=ENVIRONMENT,
        **options,
    )


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


def left_behind(pids: list[int], patience_s: float = 10.0) -> int:
    """Return how many of these processes do not end by themselves, and end them."""
    until = time.monotonic() + patience_s
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    stuck = [pid for pid in pids if is_alive(pid)]
    for pid in stuck:
        os.kill(pid, signal.SIGKILL)
    return len(stuck)


def rss_mb(pid: int) -> float:
    """Return the memory a process uses now, 0 where it is gone."""
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


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


@contextmanager
def new_archives(folder: Path, *, is_postgres: bool) -> Iterator[Iterator[str]]:
    """Give out places for archives, each new: files in `folder`, or schemas of a PostgreSQL server of our own."""
    if not is_postgres:
        yield (str(folder / f"archive-{number}.db") for number in count())
        return
    from tests.postgres import find_programs, serve_postgres

    programs = find_programs()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed")
    with serve_postgres(programs) as socket:
        yield new_schemas(socket)


_SCHEMAS = count()  # of this process: several trials may share a server


def new_schemas(socket: str) -> Iterator[str]:
    """Give out new schemas of the PostgreSQL server at `socket`."""
    from tests.postgres import address, command

    while True:
        name = f"trial{next(_SCHEMAS)}"
        command(socket, f"CREATE SCHEMA {name}")
        yield address(socket, name)
