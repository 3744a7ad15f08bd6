"""`python -m bench scale`: options come in, tables (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.command_cut import report
from scythe.atomic_files import write_atomically
from scythe.cli.console import count_progress
from scythe.errors import BadInput, ScytheError

if TYPE_CHECKING:
    from bench.scale_check import Checked
    from bench.scale_costs import Costs

CAUTION = (
    "A plan, not a promise: costs are of one machine and of the pages named, the web is a formula fitted to a few "
    "public figures, and networks and disks are taken to do what they say. Multiply by two before you order machines."
)


def scale(
    pages: Annotated[float, typer.Option(help="How many pages there are, such as 1e9.")] = 1e9,
    machines: Annotated[int, typer.Option(min=1, help="How many machines work on them.")] = 10,
    cores: Annotated[int, typer.Option(min=1, help="Cores of each machine.")] = 32,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between two requests to a host.")] = 1.0,
    parts: Annotated[str, typer.Option(help="What is extracted: text, or text,images,records.")] = "text",
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure costs here and now, which takes minutes.")
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Measure on these pages of sites (.jsonl.xz or a folder), not on made-up ones.")
    ] = None,
    site_limit: Annotated[int | None, typer.Option(min=2, help="Measure on so many sites of each set.")] = None,
    archive: Annotated[
        str | None, typer.Option(metavar="URL", help="Measure storing in this empty PostgreSQL schema, not in SQLite.")
    ] = None,
    costs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Costs measured before; with --measure, write them here.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Plan for many pages: core hours, days and bytes of batches and crawls, from measured costs."""
    from bench.scale import Question
    from bench.scale_batch import Cluster
    from bench.scale_costs import MEASURED, load_costs
    from bench.scale_tables import make_tables

    try:
        known, checks = _measure(data, archive, site_limit) if measure else (load_costs(costs or MEASURED), [])
        if parts not in known.ways:
            raise BadInput(f"--parts {parts}: costs are known for {' and '.join(known.ways)}")
        if measure and costs is not None:
            write_atomically(costs, known.to_json().encode())
        question = Question(pages, parts, delay, Cluster(machines, cores))
        tables = make_tables(known, question, checks)
    except (ScytheError, OSError) as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    report(tables, CAUTION, as_json=as_json, more={"costs": asdict(known)})


def _measure(data: Path | None, archive: str | None, limit: int | None) -> tuple[Costs, list[Checked]]:
    from bench.scale import measure_costs

    progress = count_progress()
    with progress:
        bar = progress.add_task("loading", total=None)

        def tick(name: str, total: int) -> None:
            progress.update(bar, description=name, total=total, advance=1)

        return measure_costs(data, archive, limit=limit, tick=tick)
