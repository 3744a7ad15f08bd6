"""`python -m bench crawl`: options come in, a table (or JSON) goes to standard output, progress to standard error."""

from __future__ import annotations

from typing import Annotated

import typer

from bench.command_cut import report
from scythe.cli.console import count_progress
from scythe.errors import ScytheError

CAUTION = (
    "One crawl each on a machine that does other things too: the ratio says more than the rates. What is lost and "
    "doubled is counted, not timed."
)


def crawl(
    pages: Annotated[int, typer.Option(help="Crawl a site of so many pages, 42 or more.")] = 1_000,
    page_bytes: Annotated[
        int, typer.Option("--bytes", min=0, max=1_000_000, help="Fill each page up to this size.")
    ] = 100_000,
    peers: Annotated[bool, typer.Option(help="Crawl with Scrapy too, where it is installed.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Crawl a site on this machine with scythe and with Scrapy: pages a second, and what one kill -9 loses.

    No data and no network are needed: the site is made up and served here. scythe extracts and archives every page,
    Scrapy only saves bodies.
    """
    from bench import crawl as bench

    progress = count_progress()
    task = progress.add_task("making a site", total=None)
    try:
        with progress:
            done = bench.run(
                pages=pages,
                page_bytes=page_bytes,
                peers=peers,
                tick=lambda what, total: progress.update(task, description=what, total=total, advance=1),
            )
    except ScytheError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    report(bench.make_tables(done), CAUTION, as_json=as_json)
