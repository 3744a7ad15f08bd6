"""`python -m bench learn`: options come in, tables (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bench.command_cut import report
from scythe.cli.console import count_progress
from scythe.errors import ScytheError

CAUTION = (
    "Ten pages of each site are learned, once the first and once as many spread over it; the others are extracted."
)


def learn(
    data: Annotated[Path, typer.Option(help="Pages of sites (.jsonl.xz, .jsonl.gz, .jsonl) or a folder of them.")],
    site_limit: Annotated[int | None, typer.Option(min=1, help="Use only this many sites of each set.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Count what learned sites cut, whether the tree agrees, and how many values by example are right."""
    from bench import learning as bench

    progress = count_progress()
    task = progress.add_task("loading", total=None)
    try:
        with progress:
            done = bench.run(
                data,
                site_limit=site_limit,
                tick=lambda site, sites: progress.update(task, description=site, total=sites, advance=1),
            )
    except ScytheError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    tables = bench.make_tables(done)
    report(tables, CAUTION, as_json=as_json)
