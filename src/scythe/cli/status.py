"""`scythe status`: show workers, their sites and what is waiting."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from scythe.cli.console import counted, say_lines
from scythe.cli.options import option, say_duration, verb

if TYPE_CHECKING:
    from scythe.workers.worker_status import SiteStatus, Status, WorkerStatus


_SHOWN = 20  # of each kind, without --all


@verb()
def status(
    archive: str = option(..., "The archive to inspect.", "FILE|URL", envvar="SCYTHE_ARCHIVE"),
    as_json: bool = option(False, "Print one JSON object.", "--json"),
    everything: bool = option(False, f"Show every site and host, not only the first {_SHOWN}.", "--all"),
) -> None:
    from scythe.archive.open import open_archive
    from scythe.workers.worker_status import read_status

    with open_archive(archive, create=False) as opened:
        found = read_status(opened)
    if as_json:
        plain = asdict(found) | {"pages_per_second": round(found.pages_per_second, 3)}
        typer.echo(json.dumps(plain, default=datetime.isoformat))
    else:
        say_lines(_lines(found, None if everything else _SHOWN))


def _lines(found: Status, most: int | None) -> Iterator[str]:
    """Yield what a person reads."""
    busy = sum(len(one.sites) for one in found.workers if not one.is_gone)
    here = [one for one in found.workers if not one.is_gone]
    yield (
        f"{counted(len(here), 'worker')}, {busy} of {sum(one.places for one in here)} places taken, "
        f"{found.pages_per_second:.1f} pages/s; lag {say_duration(found.lag_s)}"
    )
    for one in found.workers:
        yield f"  {_worker(one)}"
    said = ", ".join(f"{number} {name}" for name, number in sorted(found.counts.items()))
    yield f"assignments: {said or 'none'}"
    order = {"failed": 0, "working": 1, "open": 2, "waiting": 3}
    yield from _some([_site(one) for one in sorted(found.sites, key=lambda one: order[one.state])], most)
    yield f"{counted(len(found.hosts), 'host')} being asked"
    slow = [f", {host.slow:g} times slower than usual" if host.slow > 1 else "" for host in found.hosts]
    yield from _some([f"{host.host} by {host.by}{said}" for host, said in zip(found.hosts, slow, strict=True)], most)


def _some(lines: list[str], most: int | None) -> Iterator[str]:
    for line in lines[:most]:
        yield f"  {line}"
    if most is not None and len(lines) > most:
        yield f"  ... and {len(lines) - most} more (--all)"


def _worker(one: WorkerStatus) -> str:
    seen = f"last seen {say_duration(one.silent_s)} ago"
    if one.is_gone:
        return f"{one.name}: gone, {seen}"
    return f"{one.name}: {len(one.sites)} of {one.places} places, {seen}"


def _site(one: SiteStatus) -> str:
    said = f"{one.kind} {one.site}: {one.state}"
    if one.workers:
        said += f" by {', '.join(one.workers)}"
    if one.due_at is not None and not one.late_s:
        said += f" until {one.due_at:%Y-%m-%d %H:%M:%S} UTC"
    elif one.late_s:
        said += f", late by {say_duration(one.late_s)}"
    said += f", {counted(one.pages, 'page')}, {one.waiting} waiting"
    if one.pages_per_second:
        said += f", {one.pages_per_second:.1f} pages/s"
    if one.attempts or one.state == "failed":
        said += f"; failed {counted(one.attempts, 'time')}: {one.why}" if one.attempts else f": {one.why}"
    return said
