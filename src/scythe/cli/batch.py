"""`scythe batch`: WARC and HTML files come in, Parquet tables in a folder and exact counts go out."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scythe.cli.ending import EMPTY, FAILED, OK, complain, neutralise, plain_errors, quiet_ends
from scythe.crawling.options import PARTS

if TYPE_CHECKING:
    from scythe.batch.report import BatchReport

HELP = """Extract archives of pages on this machine's cores, or on a cluster, into Parquet tables.

INPUTS are WARC files (.warc, .warc.gz), HTML files, folders of them, or patterns in quotes. OUT is a folder: below it,
documents/ has a row for each page, images/ one for each image, records/ one for each entry of a list. Sites with eight
pages or more (--learn-from) are learned first, from some of their pages; then their pages are cut out of bytes.
Profiles are kept in OUT/profiles, for the next batch too.

Stop whenever you like: the same command goes on where it was, and gives the same rows. A file that was read is read
again only if it, its profiles or the options changed. One bad record costs that record: it is counted, with its reason.

\b
Examples:
  scythe batch 'crawl/*.warc.gz' -o out/                       text, images and records of every page
  scythe batch crawl.warc.gz -o out/ --parts text              text only, the fastest
  scythe batch saved/ -o out/ --url https://example.org/       HTML files, some of which do not name their own
  scythe batch 'new/*.warc.gz' -o new/ --profile-dir out/profiles     with the profiles of another batch
  scythe batch 'cc/*.warc.gz' -o out/ --learn-from 2000        a broad crawl: only large sites are worth learning
  scythe batch 's/*.warc.gz' -o /shared/out --engine ray       on a Ray cluster whose machines share these folders

\b
Exit codes:
  0  every file was read; bad records are counted
  1  a file could not be read, or the tables could not be written
  2  the command was not understood
  3  there was no page in any file
  130  interrupted; the same command goes on
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=HELP, no_args_is_help=True)
def batch(
    inputs: Annotated[list[str], typer.Argument(metavar="INPUTS...", show_default=False)],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="The folder for the tables.", show_default=False)
    ],
    profile_dir: Annotated[
        str | None, typer.Option(metavar="DIR", help="Profiles by site; those learned go there too. Else OUT/profiles.")
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="local, or ray (extra: ray).")] = "local",
    processes: Annotated[
        int | None,
        typer.Option(min=1, max=1_024, help="Processes of the local engine; else one per core.", show_default=False),
    ] = None,
    parts: Annotated[
        str, typer.Option(metavar="NAMES", help=f"What to extract of each page, with commas: {', '.join(PARTS)}.")
    ] = "text,images,records",
    learn: Annotated[bool, typer.Option("--learn/--no-learn", help="Learn sites that have no profile.")] = True,
    learn_from: Annotated[
        int,
        typer.Option(min=3, metavar="N", help="Learn sites with so many pages or more: it takes seconds each."),
    ] = 8,
    url: Annotated[str, typer.Option(metavar="URL", help="Of HTML files that do not name their own.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write the counts as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, and no summary.")] = False,
) -> None:
    from scythe.batch.options import BatchOptions
    from scythe.batch.run import run_batch
    from scythe.cli.batch_report import show_batch, summarise
    from scythe.sources import check_base

    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # ends in the same good order
    with quiet_ends(), plain_errors():
        options = BatchOptions(
            parts=tuple(part.strip() for part in parts.split(",") if part.strip()),
            profiles=profile_dir,
            learn=learn,
            learn_from=learn_from,
            engine=engine,
            processes=processes,
            address=check_base(url) or "" if url else "",
        )
        with show_batch(quiet=quiet) as watch:
            report = run_batch(inputs, output, options, watch=watch)
        if as_json:
            typer.echo(json.dumps(totals(report), ensure_ascii=False, indent=1))
        elif not quiet:
            for line in summarise(report, output, options.parts):
                typer.echo(neutralise(line))
        for unit in report.broken:
            complain(f"{unit.unit.path}: {unit.why}")
        raise typer.Exit(_exit_code(report))


def totals(report: BatchReport) -> dict[str, Any]:
    """Return the counts of a batch as plain values."""
    names = ("responses", "documents", "images", "records", "failed", "body_bytes")
    counted: dict[str, Any] = {name: report.total(name) for name in names}
    counted |= {name: dict(report.by_kind(name)) for name in ("skipped", "others", "how", "fields")}
    counted |= {"units": len(report.units), "resumed": sum(unit.resumed for unit in report.units)}
    counted |= {"damaged": report.total("damaged"), "cut_share": report.cut_share()}
    counted |= {"seconds": round(report.seconds, 3), "cpu_s": round(report.cpu_s, 3)}
    counted["broken"] = {unit.unit.path: unit.why for unit in report.broken}
    counted["learned"] = len(report.learned.learned) if report.learned is not None else 0
    return counted


def _exit_code(report: BatchReport) -> int:
    if report.broken:
        return FAILED
    return OK if report.total("documents") else EMPTY
