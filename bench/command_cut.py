"""`python -m bench cut`: options come in, tables (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

from scythe.cli.console import count_progress
from scythe.errors import ScytheError

if TYPE_CHECKING:
    from bench.cut_tables import Table
    from bench.machine import Machine

TABLE_WIDTH = 150  # characters; files and pipes have no width of their own
FoldsFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Judge each site by models that have not seen it: train/folds.")
]
UNSEEN = "Each site was judged by models that have not seen it."
CAUTION = (
    "Times are microseconds of CPU per element and page, the least of several rounds. Other work on the machine moves "
    "single numbers by a tenth or more: compare ways within one run, by their ratios."
)


def cut(
    data: Annotated[Path, typer.Option(help="Pages of sites (.jsonl.xz, .jsonl.gz, .jsonl) or a folder of them.")],
    site_limit: Annotated[int | None, typer.Option(min=1, help="Use only this many sites of each set.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Time everything so many times and keep the least.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Time cutting elements out of pages against parsing them: the tables of UzunExt."""
    from bench import cut as bench
    from bench.cut_tables import make_tables
    from bench.learned import time_learned
    from bench.learned_tables import make_learned_tables

    progress = count_progress()
    task = progress.add_task("loading", total=None)

    def tick(site: str, sites: int) -> None:
        progress.update(task, description=site, total=sites, advance=1)

    try:
        with progress:
            done = bench.run(data, site_limit=site_limit, rounds=rounds, tick=tick)
            progress.reset(task)
            learned = time_learned(done.sites, rounds=rounds, tick=tick)
    except ScytheError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    tables = [*make_tables(done), *make_learned_tables(learned)]
    report(tables, CAUTION, as_json=as_json)


def report(
    tables: list[Table], caution: str, *, as_json: bool, more: Mapping[str, object] = MappingProxyType({})
) -> None:
    """Print tables with what to beware of and the machine they were made on, to read or, with `more`, as JSON."""
    from bench.machine import describe_machine

    machine = describe_machine()
    if as_json:
        answer = {"machine": asdict(machine), "caution": caution, "tables": [asdict(table) for table in tables], **more}
        typer.echo(json.dumps(answer, indent=1))
    else:
        show(tables, machine, caution)


def show(tables: list[Table], machine: Machine, caution: str) -> None:
    """Print the tables, what to beware of, and the machine."""
    from rich.console import Console
    from rich.table import Table as Printed

    from bench.cut_tables import format_cell

    console = Console(soft_wrap=True, highlight=False, width=max(Console().width, TABLE_WIDTH))
    for table in tables:
        printed = Printed(title=f"{table.name}: {table.title}", title_justify="left", box=None, pad_edge=False)
        for number, column in enumerate(table.columns):
            printed.add_column(column, justify="right" if number else "left")
        for row in table.rows:
            printed.add_row(*map(format_cell, row))
        console.print(printed)
        if table.note:
            console.print(table.note, markup=False)
        console.print()
    console.print(caution, markup=False)
    console.print(machine.summary(), markup=False)
