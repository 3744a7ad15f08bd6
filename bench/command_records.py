"""`python -m bench records`: options come in, tables (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bench.command_cut import UNSEEN, FoldsFolder, report
from scythe.cli.console import count_progress
from scythe.errors import ScytheError

CAUTION = (
    "The ranking of `auto` was trained on such pages: on the sets it was trained on this shows memory, not skill. "
    "With --folds each site is judged by a model that has not seen it."
)


def records(
    data: Annotated[
        Path, typer.Option(help="Pages with known records or attributes (.jsonl.xz, ...) or their folder.")
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(help="auto; mdr, stm for records; hmm, cnbe for attributes; may be given several times."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Read only this many pages of each set.")] = None,
    folds: FoldsFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Score records, attributes and next links on pages where they are known."""
    from bench import records as bench
    from bench.folds import load_folds

    progress = count_progress()
    task = progress.add_task("loading", total=None)
    done: dict[str, int] = {}

    def tick(page_set: str, name: str, pages: int) -> None:
        key = f"{page_set}: {name}"
        done[key] = done.get(key, 0) + 1
        progress.update(task, description=key, total=pages, completed=done[key])

    try:
        with progress:
            held_out = load_folds(folds) if folds is not None else None
            methods = tuple(dict.fromkeys(method or ["auto"]))
            tables = bench.run(data, methods=methods, limit=limit, folds=held_out, tick=tick)
    except ScytheError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    report(tables, UNSEEN if folds is not None else CAUTION, as_json=as_json)
