"""`python -m bench images`: options come in, tables (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bench.command_cut import UNSEEN, FoldsFolder, report
from scythe.cli.console import count_progress
from scythe.errors import BadInput, ScytheError

CAUTION = (
    "The shared model of `relevance` was trained on such images: on the sets it was trained on this shows memory, not "
    "skill. With --folds each site is judged by a model that has not seen it."
)


def images(
    data: Annotated[
        Path, typer.Option(help="Labelled images, addresses or pages (.jsonl.xz, ...) or the folder of all sets.")
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(help="relevance, adaboost, forest, tree, neighbours, svm, 300x400, og ...; several times."),
    ] = None,
    pages: Annotated[
        str, typer.Option(metavar="N,N,...", help="How many pages of a site are labelled.")
    ] = "1,2,3,6,10",
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Runs with other test halves and choices.")] = 3,
    limit: Annotated[int | None, typer.Option(min=1, help="Only this many sites, or pages, of each set.")] = None,
    folds: FoldsFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Score relevant images: methods by pages labelled, ways of choosing pages, clusters, and pages end to end."""
    from bench import images as bench
    from bench.folds import load_folds

    progress = count_progress()
    task = progress.add_task("loading", total=None)

    def tick(page_set: str, what: str) -> None:
        progress.update(task, description=f"{page_set}: {what}", advance=1)

    try:
        with progress:
            tables = bench.run(
                data,
                method=tuple(method or ()),
                pages=_numbers(pages),
                seeds=seeds,
                limit=limit,
                folds=load_folds(folds) if folds is not None else None,
                tick=tick,
            )
    except ScytheError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    report(tables, UNSEEN if folds is not None else CAUTION, as_json=as_json)


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and 0 < int(part) <= 1_000 for part in parts):
        raise BadInput(f"--pages {text}: numbers from 1 to 1000 with commas were expected, such as 1,3,6")
    return tuple(dict.fromkeys(map(int, parts)))
