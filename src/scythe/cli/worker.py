"""`scythe worker`: crawl and watch queued sites."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from scythe.cli.console import INTERRUPTED, OK, complain, neutralise, on_interrupt, plain_errors
from scythe.cli.options import Quiet, StoreAt, option, verb
from scythe.memory import trimmed

if TYPE_CHECKING:
    from scythe.workers.worker import Worker, WorkerOptions


@verb()
@trimmed()
def worker(
    archive: str = option(..., "The archive: postgresql://USER@HOST/DATABASE.", "URL", envvar="SCYTHE_ARCHIVE"),
    places: int = option(8, "Number of sites to handle at once.", min=1, max=1_000),
    heartbeat: float = option(
        30.0, "Other workers take over after this much silence.", "SECONDS", min=1.0, max=3_600.0
    ),
    extractors: int = option(1, "Number of extraction processes.", min=1, max=256),
    until_idle: bool = option(False, "Exit when no site is left to crawl and no list is due."),
    patience: float = option(
        600.0, "How long to wait for an unreachable database.", "SECONDS", min=0.0, max=31_536_000.0
    ),
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
