"""Run real crawls against a local site: what the measuring of kills, delays, speed and full disks shares."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

from bench.trial_pages import START
from bench.trial_runs import Asked, Ledger, crawl_command, descendants, is_alive, left_behind, query

from bench import trial_runs

__all__ = [
    "ENVIRONMENT",
    "FAST",
    "ROOT",
    "START",
    "Asked",
    "Ledger",
    "crawl_command",
    "descendants",
    "is_alive",
    "left_behind",
    "new_archives",
    "new_schemas",
    "query",
    "rss_mb",
    "serve_trial",
    "start",
]

ROOT = Path(__file__).resolve().parent.parent
# As an installed program has it: modules compiled once, beside the tree and whatever the caller's environment says.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT |= {"PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "scythe-trial-compiled")}
FAST = ("--delay", "0", "--per-host", "8")
serve_trial = partial(trial_runs.serve_trial, environment=ENVIRONMENT)
start = partial(trial_runs.start, environment=ENVIRONMENT)


def rss_mb(pid: int) -> float:
    """Return the memory a process uses now, 0 where it is gone."""
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


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
