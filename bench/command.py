"""`python -m bench`: options come in, tables of scores (or JSON) go to standard output, progress to standard error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.command_confidence import confidence
from bench.command_crawl import crawl
from bench.command_cut import FoldsFolder, cut
from bench.command_images import images
from bench.command_learn import learn
from bench.command_records import records
from bench.command_scale import scale
from bench.command_schedule import schedule
from scythe.cli.console import count_progress
from scythe.errors import ScytheError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from bench.machine import Machine
    from bench.text import Score

app = typer.Typer(no_args_is_help=True, add_completion=False)

COLUMNS = ("F1", "P", "R", "Ea", "sentP", "sentR", "sentF1", "pages", "empty", "errors", "cpu-ms")
TABLE_WIDTH = 120  # characters; files and pipes have no width of their own
SHOWN_ERRORS = 3  # per extractor and set; the count is in the table
CRAWLED_PAGES = 1_000  # bench.crawl.PAGES; a test compares


HELP = """Measure scythe against other tools: everything at once, or one part by its name.

\b
Examples:
  python -m bench --data DIR --folds train/folds     every number of the README, as tables and charts
  python -m bench --data DIR --limit 20 -o quick/    the same on a few pages, in a few minutes
  python -m bench --data DIR --only text,records     some parts of it; with --keep the others stay as they were
  python -m bench --data DIR --floors floors.json    exit code 1 where something became worse
  python -m bench crawl                              scythe and Scrapy on a made-up site, no data needed
  python -m bench text --data DIR --method cetd      one part, with options of its own

Runs one part after the other, prints a table of each and writes all of them to --out, charts included. A part whose
folder is not in DIR is skipped. Without --folds the models that ship judge the pages they were trained on, which
flatters them; the tables say so. What the numbers mean: bench/README.md.

\b
Exit codes:
  0  everything was measured; with --floors nothing is worse than it may be
  1  a figure is worse than --floors allows
  2  the command was wrong, or the data
"""


@app.callback(help=HELP, invoke_without_command=True)
def main(
    ctx: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder with the folders text, sites, records, images, arrivals."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Write results.md, results.json and charts here.")
    ] = Path("scythe-bench"),
    only: Annotated[
        str,
        typer.Option(metavar="PART,...", help="Only these parts: text, cut, learn, records, images, schedule, crawl."),
    ] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, help="A quick look: only so many pages, sites or lists of each set.")
    ] = None,
    folds: FoldsFolder = None,
    peers: Annotated[bool, typer.Option(help="Compare with other tools and published methods.")] = True,
    crawl_pages: Annotated[int, typer.Option(help="How many pages the part crawl crawls, 42 or more.")] = CRAWLED_PAGES,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the parts of an earlier run in --out that are not measured now.")
    ] = False,
    floors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Exit with 1 where a figure is worse than this file allows.")
    ] = None,
    pin: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write such a file from this run.", dir_okay=False)
    ] = None,
) -> None:
    if ctx.invoked_subcommand is not None:
        if data is not None:
            raise typer.BadParameter(f"options of {ctx.invoked_subcommand} are written behind it", param_hint="--data")
        return
    from bench.command_whole import Files, make_wish, run_whole

    try:
        wish = make_wish(data, limit, folds, peers=peers, crawl_pages=crawl_pages)
        code = run_whole(wish, only, Files(out, keep, floors, pin))
    except (ScytheError, OSError) as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(code)


@app.command()
def text(
    data: Annotated[Path, typer.Option(help="A page set (.jsonl.xz, .jsonl.gz, .jsonl) or a folder of them.")],
    method: Annotated[
        list[str] | None, typer.Option(help="A text method, or module:function; may be given several times.")
    ] = None,
    peers: Annotated[bool, typer.Option("--peers", help="Also run the other tools that are installed.")] = False,
    worst: Annotated[int, typer.Option(min=0, help="List this many of the worst pages.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Read only this many pages of each set.")] = None,
    folds: FoldsFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Score main-text extractors on pages with known main text."""
    from bench import text as bench
    from bench.folds import load_folds
    from bench.machine import describe_machine
    from bench.peers import installed

    methods = tuple(dict.fromkeys(method or [bench.DEFAULT]))
    progress = count_progress()
    try:
        with progress:
            ticks = _Ticks(progress)
            scores = list(
                bench.run(
                    data,
                    methods=methods,
                    peers=installed() if peers else (),
                    worst=worst,
                    limit=limit,
                    folds=load_folds(folds) if folds is not None else None,
                    tick=ticks.tick,
                )
            )
    except ScytheError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(2) from None
    machine = describe_machine()
    if as_json:
        typer.echo(json.dumps({"machine": asdict(machine), "scores": [asdict(score) for score in scores]}, indent=1))
    else:
        show(scores, machine)


app.command()(crawl)
app.command()(cut)
app.command()(images)
app.command()(learn)
app.command()(records)
app.command()(scale)
app.command()(confidence)
app.command()(schedule)


class _Ticks:
    """One progress bar per page set and extractor, opened when its first page is done."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[tuple[str, str], int] = {}

    def tick(self, page_set: str, extractor: str, pages: int) -> None:
        key = (page_set, extractor)
        if key not in self._tasks:
            for task in self._tasks.values():
                self._progress.update(task, visible=False)  # type: ignore[arg-type]
            self._tasks[key] = self._progress.add_task(f"{page_set}: {extractor}", total=pages)
        self._progress.advance(self._tasks[key])  # type: ignore[arg-type]


def show(scores: Sequence[Score], machine: Machine) -> None:
    """Print one table per page set, the errors and worst pages below it, and the machine at the end."""
    from rich.console import Console
    from rich.table import Table

    console = Console(soft_wrap=True, highlight=False, width=max(Console().width, TABLE_WIDTH))
    for page_set, group in groupby(scores, key=lambda score: score.page_set):
        rows = list(group)
        table = Table(title=f"{page_set} ({rows[0].pages} pages)", title_justify="left", box=None, pad_edge=False)
        table.add_column("extractor")
        for column in COLUMNS:
            table.add_column(column, justify="right")
        for row in rows:
            table.add_row(row.extractor, *_cells(row))
        console.print(table)
        for row in rows:
            _show_pages(console, row)
        console.print()
    console.print(machine.summary(), markup=False)


def _cells(score: Score) -> list[str]:
    rates, sentences = score.rates, score.sentences
    figures = [rates.f1, rates.precision, rates.recall]
    return [
        *(f"{figure:.3f}" for figure in figures),
        "-" if score.ea is None else f"{score.ea:.1f}",
        *(
            ["-"] * 3
            if sentences is None
            else [f"{figure:.3f}" for figure in (sentences.precision, sentences.recall, sentences.f1)]
        ),
        str(score.pages),
        str(score.empty),
        str(len(score.errors)),
        f"{score.cpu_ms:.2f}",
    ]


def _show_pages(console: Console, score: Score) -> None:
    for error in score.errors[:SHOWN_ERRORS]:
        console.print(f"  {score.extractor} error {error}", markup=False)
    for page in score.worst:
        counts = f"+{page.counts.extra} -{page.counts.missed}"
        console.print(f"  {score.extractor} {page.f1:.3f} {counts} {page.id} {page.url or ''}", markup=False)
