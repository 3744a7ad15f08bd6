"""`scythe worker`: crawl and watch queued sites."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.console import INTERRUPTED, OK, complain, neutralise, plain_errors
from scythe.cli.interrupts import on_interrupt
from scythe.cli.options import Quiet, StoreAt, verb
from scythe.memory import trimmed

if TYPE_CHECKING:
    from scythe.workers.worker import Worker, WorkerOptions

HELP = """Crawl and watch sites queued with --queue, on any number of machines.

Start as many workers as you like, wherever the database can be reached: each takes free sites, up to --places at once.
Each host is handled by one worker at a time, with its delay. A site is learned once and shared by all workers.

If a worker dies, is stopped or loses its network, others take over after its --heartbeat, and no page is lost or stored
twice. Ctrl-C or SIGTERM releases its sites at once. If the database is unreachable, workers report it and wait, up to
--patience.

\b
Examples:
  scythe crawl example.org --queue --archive postgresql://db/web     queue a site
  scythe watch example.org/news --queue --archive postgresql://db/web
  scythe worker --archive postgresql://db/web                        run until Ctrl-C
  scythe worker --archive postgresql://db/web --places 50 --extractors 4
  scythe worker --archive postgresql://db/web --until-idle           exit when nothing is left to do
  scythe status --archive postgresql://db/web                        see who handles what

\b
Exit codes:
  0  nothing is left to do (--until-idle)
  1  the archive could not be used, or was unreachable for longer than --patience
  2  invalid command
  130  interrupted; other workers take over
"""


@verb(HELP)
@trimmed()
def worker(
    archive: Annotated[
        str,
        typer.Option(
            "--archive", metavar="URL", envvar="SCYTHE_ARCHIVE", help="The archive: postgresql://USER@HOST/DATABASE."
        ),
    ],
    places: Annotated[int, typer.Option(min=1, max=1_000, help="Number of sites to handle at once.")] = 8,
    heartbeat: Annotated[
        float,
        typer.Option(min=1.0, max=3_600.0, metavar="SECONDS", help="Other workers take over after this much silence."),
    ] = 30.0,
    extractors: Annotated[int, typer.Option(min=1, max=256, help="Number of extraction processes.")] = 1,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="Exit when no site is left to crawl and no list is due.")
    ] = False,
    patience: Annotated[
        float,
        typer.Option(
            min=0.0, max=31_536_000.0, metavar="SECONDS", help="How long to wait for an unreachable database."
        ),
    ] = 600.0,
    store: StoreAt = "",
    quiet: Quiet = False,
) -> None:
    with _leaving(), plain_errors():
        from scythe.workers.orders import check_shared

        check_shared(archive)
        from scythe.workers.worker import WorkerOptions

        options = WorkerOptions(places, heartbeat, extractors, until_idle, patience)
        raise typer.Exit(_work(archive, store, options, quiet=quiet))


_LATE: list[Worker] = []  # that could not give everything back


@contextmanager
def _leaving() -> Iterator[None]:
    """End at once where a call to the archive is still under way: Python would wait for it, for ever if need be."""
    try:
        yield
    except typer.Exit as end:
        if not _LATE:
            raise
        complain("not everything could be released in time; other workers take over the rest")
        sys.stderr.flush()
        os._exit(end.exit_code)


def _work(where: str, store: str, options: WorkerOptions, *, quiet: bool) -> int:
    from scythe.archive.open import open_archive
    from scythe.workers.worker import Worker

    def tell(site: str, said: str) -> None:
        if not quiet:
            typer.echo(neutralise(f"scythe: {site}: {said}" if site else f"scythe: {said}"), err=True)

    with open_archive(where, store=store) as archive:
        run = Worker(archive, options, tell=tell)
        try:
            asyncio.run(_attend(run))
        finally:
            if run.is_late:
                _LATE.append(run)
    return INTERRUPTED if run.is_stopped else OK


async def _attend(run: Worker) -> None:
    on_interrupt(run.stop)
    await run.run()
