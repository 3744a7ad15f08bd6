"""`scythe worker`: an archive in PostgreSQL comes in, sites that were handed over are crawled and watched."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.console import INTERRUPTED, OK, complain, neutralise, plain_errors, quiet_ends
from scythe.cli.interrupts import on_interrupt
from scythe.cli.options import Quiet, StoreAt
from scythe.memory import trimmed

if TYPE_CHECKING:
    from scythe.workers.worker import Worker, WorkerOptions

HELP = """Work on sites that were handed over with --queue, on this machine and on any number of others.

Start as many as you like, wherever the database can be reached: each takes a site that nobody works on, up to --places
at once. A host is asked by one worker at a time, at its pace, however many there are. A site is learned once: all
workers cut with the same rules.

A worker that dies, is stopped or loses its network is given up after its --heartbeat; others go on where it was, and no
page is lost or stored twice. Ctrl-C or SIGTERM gives everything back at once. Where the database is away for a while,
workers say so and wait for it, up to --patience.

\b
Examples:
  scythe crawl example.org --queue --archive postgresql://db/web     hand a site over
  scythe watch example.org/news --queue --archive postgresql://db/web
  scythe worker --archive postgresql://db/web                        work, until Ctrl-C
  scythe worker --archive postgresql://db/web --places 50 --extractors 4
  scythe worker --archive postgresql://db/web --until-idle           end when nothing is left to do
  scythe status --archive postgresql://db/web                        who works on what

\b
Exit codes:
  0  nothing is left to do (--until-idle)
  1  the archive could not be used, or was away for longer than --patience
  2  the command was not understood
  130  interrupted; others go on
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

SharedArchive = Annotated[
    str,
    typer.Option(
        "--archive", metavar="URL", envvar="SCYTHE_ARCHIVE", help="The archive: postgresql://USER@HOST/DATABASE."
    ),
]
Places = Annotated[int, typer.Option(min=1, max=1_000, help="Sites to work on at once.")]
Heartbeat = Annotated[
    float,
    typer.Option(
        min=1.0, max=3_600.0, metavar="SECONDS", help="Others take over before this worker is silent for so long."
    ),
]
Patience = Annotated[
    float,
    typer.Option(
        min=0.0, max=31_536_000.0, metavar="SECONDS", help="Wait so long for a database that is away, then end."
    ),
]
Extractors = Annotated[int, typer.Option(min=1, max=256, help="Processes that extract.")]
UntilIdle = Annotated[bool, typer.Option("--until-idle", help="End when no site is left to crawl and no list is due.")]


@app.command(help=HELP, no_args_is_help=True)
def worker(
    archive: SharedArchive,
    places: Places = 8,
    heartbeat: Heartbeat = 30.0,
    extractors: Extractors = 1,
    until_idle: UntilIdle = False,
    patience: Patience = 600.0,
    store: StoreAt = "",
    quiet: Quiet = False,
) -> None:
    with quiet_ends(), _leaving(), trimmed(), plain_errors():
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
        complain("not everything could be given back in time; others take over what is left")
        sys.stderr.flush()
        os._exit(end.exit_code)


def _work(where: str, store: str, options: WorkerOptions, *, quiet: bool) -> int:
    from scythe.archive.open import open_archive
    from scythe.workers.worker import Worker

    def tell(site: str, said: str) -> None:
        if not quiet:
            typer.echo(neutralise(f"scythe: {site}: {said}" if site else f"scythe: {said}"), err=True)

    logging.getLogger("procrastinate").setLevel(logging.ERROR)  # a job that ends by a bug is told, with where
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
